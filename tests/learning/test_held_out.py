"""The held-out sets as arrays, and accuracy on arrays: what asking position by position says."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Geometry, Position, make_agent
from claimeven.agents import Limit
from claimeven.arena import measure_accuracy
from claimeven.dataset.scored_sets import InvalidPositions, bundled_set
from claimeven.learning import HELD_OUT, held_out, policy_accuracy, sign_accuracy
from claimeven.solver import ILLEGAL, Solver


@pytest.mark.parametrize("name", HELD_OUT)
def test_the_sets_are_exact_and_hold_no_position_twice(name: str) -> None:
    data = held_out(name)
    assert len(data) == len(np.unique(data.keys)) == 3000
    assert (data.plies.min(), data.plies.max()) == (4, 36)
    late = data.select(data.plies >= 20)
    late = late.select(np.random.default_rng(2).permutation(len(late))[:150])
    scores = Solver(table_mb=16).scores_many((late.mines, late.masks))
    assert (scores == late.scores).all()


def test_accuracy_equals_single_decisions() -> None:
    whole = bundled_set(which="easy")
    assert whole is not None
    asked = whole.first(400)
    found = measure_accuracy("greedy", asked).accuracy
    agent, rng = make_agent("greedy"), np.random.default_rng(0)
    data = held_out("easy").select(np.arange(400) * 3000 // 400)
    columns = np.array(
        [agent.choose(each.position, Limit(), rng).column for each in asked.positions]
    )
    measured = policy_accuracy(data, columns)
    assert measured.positions == found.all.moves < 400
    assert measured.share == pytest.approx(found.all.mean("perfect"))
    assert measured.floor == pytest.approx(found.all.mean("random_perfect"))
    for parts, others in (
        (measured.by_ply, found.by_ply),
        (measured.by_best_columns, found.by_best_columns),
    ):
        assert sorted(parts) == sorted(others)
        for number, part in parts.items():
            other = others[number]
            assert part.positions == other.moves
            assert part.share == pytest.approx(other.mean("perfect"))
            assert part.floor == pytest.approx(other.mean("random_perfect"))
    plain = measured.as_dict()
    assert plain["by_ply"][0] == {"ply": 4, **measured.by_ply[4].as_dict()}
    assert [each["best_columns"] for each in plain["by_best_columns"]] == sorted(
        measured.by_best_columns
    )


def test_columns_that_cannot_be_played_are_wrong() -> None:
    data = held_out("hard")
    full = data.select((data.scores == ILLEGAL).any(axis=1))
    measured = policy_accuracy(full, (full.scores == ILLEGAL).argmax(axis=1))
    assert measured.right == 0 < measured.positions and measured.share == 0.0
    for column in (-1, 7):
        assert policy_accuracy(data, np.full(len(data), column)).right == 0
    nothing = policy_accuracy(data.select(np.zeros(len(data), dtype=np.bool_)), np.zeros(0, int))
    assert (nothing.positions, nothing.share, nothing.floor, nothing.by_ply) == (0, None, 0, {})


def test_signs_of_values() -> None:
    data = held_out("hard")
    assert sign_accuracy(data, -data.best.astype(float)) == 0.0
    decided = data.best != 0
    values = np.where(np.arange(len(data)) % 4 == 0, -1.0, 1.0) * data.best
    share = sign_accuracy(data, values)
    assert share == pytest.approx((np.arange(len(data)) % 4 != 0)[decided].mean())
    assert sign_accuracy(data, np.zeros(len(data))) == 0.0
    assert sign_accuracy(data.select(~decided), np.zeros(int((~decided).sum()))) is None


def test_answers_are_one_a_position() -> None:
    data = held_out("hard")
    for measure in (policy_accuracy, sign_accuracy):
        with pytest.raises(InvalidPositions, match="2 answers were given for 3000 positions"):
            measure(data, np.zeros(2, dtype=np.int64))


def test_other_sets_and_boards_are_rejected() -> None:
    for name, board, sentence in (
        ("default", Geometry(), "no held-out set 'default'.*choose from hard, easy"),
        ("hard", Geometry(5, 5), "no held-out set of positions of 5x5 connect 4 is bundled"),
    ):
        with pytest.raises(InvalidPositions, match=sentence):
            held_out(name, board)
    assert Position().geometry == held_out("hard").geometry
