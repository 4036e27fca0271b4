"""The Polito players, their evaluation and counts, against the notebook's own code.

`printed` is the code as it is in the notebook; `text` the same with the errors mended that
`polito` names, so that it follows the notebook's text.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from claimeven import Position, make_agent
from claimeven.agents import Limit
from claimeven.evaluation import count_by_length, sequences
from claimeven.game import InvalidPosition
from claimeven.game.drawing import parse_drawing
from claimeven.minimax import PROVEN, MinimaxSearch
from claimeven.montecarlo import MonteCarloSearch, preset
from claimeven.montecarlo.formula import counted_total, upper_bound
from claimeven.montecarlo.playouts.textbook import shallow_move
from tests.originals.positions import load

POLITO = load("polito")
GOING_ON = load("positions")["going_on"]
FINISHED = load("positions")["finished"]


def agreement(one: list[object], other: list[object]) -> int:
    return sum(a == b for a, b in zip(one, other, strict=True))


def our_counts(moves: str) -> list[int]:
    position = Position.from_moves(moves)
    return [count_by_length(position, player, n) for player in (0, 1) for n in range(1, 5)]


def test_counts_of_runs() -> None:
    ours = [our_counts(moves) for moves in GOING_ON]
    assert ours == POLITO["text"]["counts"]
    # As printed the ranges of the diagonals stop one short at each end.
    assert agreement(ours, POLITO["printed"]["counts"]) == 345


def test_wins_as_printed_miss_two_diagonals() -> None:
    ours = [our_counts(moves)[3::4] for moves in FINISHED]
    assert ours == POLITO["text"]["four"]
    seen = [[count > 0 for count in counts] for counts in POLITO["printed"]["four"]]
    assert agreement([[count > 0 for count in counts] for counts in ours], seen) == 972


def test_the_evaluation() -> None:
    ours = [sequences(Position.from_moves(moves)) for moves in GOING_ON]
    assert ours == POLITO["text"]["evaluation"]
    assert agreement(ours, POLITO["printed"]["evaluation"]) == 499
    # With one of its two errors mended: the look-ahead, and the diagonals left out.
    assert agreement(ours, POLITO["ahead"]["evaluation"]) == 710
    assert agreement(ours, POLITO["diagonals"]["evaluation"]) == 663


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta"])
def test_searches_find_the_same_column_by_the_same_evaluations(algorithm: str) -> None:
    search = MinimaxSearch(algorithm, "sequences", "left")
    compared = drawn = 0
    for moves, (column, value, calls) in zip(GOING_ON, POLITO["text"][algorithm], strict=False):
        if len(moves) < 2:
            assert column == 3
            continue
        result = search.search(Position.from_moves(moves), 3)
        assert result.column == column
        if abs(result.value) <= PROVEN:
            assert result.value == -value  # the notebook's value is for the opponent
        else:
            assert abs(value) > 10**11
            assert (result.value > 0) == (value < 0)
        # It evaluates a full board too, which we count as a draw.
        drawn += calls - result.counters.evaluations
        compared += 1
    assert (compared, drawn) == ((272, 1) if algorithm == "minimax" else (894, 2))


def test_the_preset_plays_as_in_the_text() -> None:
    agent, rng = make_agent("alphabeta-polito"), np.random.default_rng(0)
    ours = [agent.choose(Position.from_moves(m), Limit(), rng).column for m in GOING_ON[:300]]
    assert ours == [column for column, _, _ in POLITO["text"]["alphabeta"][:300]]


@pytest.mark.parametrize(
    ("which", "same"),
    [("printed", 681), ("text", 1000)],
)
def test_columns_as_printed(which: str, same: int) -> None:
    """As printed, values at an even depth are for the wrong side, so a win of the opponent
    counts as an own win, and wins weigh less than an evaluation that expects one.
    """
    columns = [row[0] for row in POLITO[which]["alphabeta"]]
    text = [row[0] for row in POLITO["text"]["alphabeta"]]
    assert agreement(columns, text) == same


def test_the_game_the_notebook_shows() -> None:
    """906 evaluations, as it says; the search of its text plays otherwise from the same seed."""
    assert POLITO["printed"]["shown_game"] == {
        "winner": 1, "moves": "4447765555213", "calls": 906,
    }  # fmt: skip
    shown = POLITO["text"]["shown_game"]
    agent, rng = make_agent("alphabeta-polito"), np.random.default_rng(0)
    calls = 0
    for ply in range(0, len(shown["moves"]), 2):
        decision = agent.choose(Position.from_moves(shown["moves"][:ply]), Limit(), rng)
        assert decision.column == int(shown["moves"][ply]) - 1
        calls += decision.details.get("evaluations", 0)
    assert (calls, shown["winner"]) == (shown["calls"], 1)


class Leftmost:
    """Draws that always fall on the first."""

    def below(self, count: int) -> int:
        return 0


def test_the_playout_policy() -> None:
    pairs = [
        (shallow_move(Position.from_moves(moves), Leftmost(), 2), moves)  # type: ignore[arg-type]  # draws enough
        for moves in GOING_ON
    ]
    late = [i for i, (_, moves) in enumerate(pairs) if len(moves) >= 2]
    ours = [pairs[i][0] for i in late]
    assert ours == [POLITO["text"]["policy"][i] for i in late]
    printed = [POLITO["printed"]["policy"][i] for i in late]
    assert (agreement(ours, printed), len(late)) == (473, 894)


def test_the_formula_counts_a_win_at_least() -> None:
    options = preset("uct-polito")
    assert options.min_wins == 1
    for above, visits, wins, value in POLITO["formula"]:
        spread = options.weight * math.sqrt(math.log(above))
        if visits == 0:
            bound = 1.0 + spread
        else:
            total = counted_total(2 * wins - visits, visits, options.min_wins)
            bound = upper_bound(total, visits, spread)
        assert (bound + 1) / 2 == pytest.approx(value, rel=1e-12)


def test_a_child_without_wins_is_reported_with_its_bonus() -> None:
    position = Position.from_moves("44")
    rng = np.random.default_rng(1)
    result = MonteCarloSearch(preset("uct-polito")).search(position, rng, iterations=60)
    lifted, waiting = 0, [result.forest.branch(2)]
    while waiting:
        node = waiting.pop()
        for child in node.children:
            if not child.visits:
                continue
            plain = math.sqrt(2) * math.sqrt(math.log(node.visits) / child.visits)
            lift = max(0.0, 1 - child.mean * child.visits) / child.visits
            assert child.bonus == pytest.approx(plain + lift, abs=1e-12)
            lifted += lift > 0
            waiting.append(child)
    assert lifted > 5


def test_drawings_are_read_back() -> None:
    example, game, second = POLITO["drawings"]
    assert parse_drawing("\n".join(game)) == Position.from_moves("4447765555213")
    finished = parse_drawing("\n".join(second))
    assert finished.outcome is not None
    assert finished.outcome.winner == 0
    # In its first example one player drops four discs and the other two.
    with pytest.raises(InvalidPosition, match="players take turns"):
        parse_drawing("\n".join(example))
