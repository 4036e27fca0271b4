"""Agents compared position by position: counts and chances against plain computations."""

from __future__ import annotations

import itertools
import math

import pytest

from claimeven import Position
from claimeven.agents import Agent, Decision, Limit
from claimeven.arena import Comparison, compare_accuracy
from claimeven.arena.accuracy.comparing import compare_moves, mcnemar
from claimeven.arena.accuracy.measure import SetAccuracy, measure
from claimeven.arena.accuracy.query_agents import SetPlan
from claimeven.dataset.scored_sets import TACTICS, shipped_set
from claimeven.review.analysis import JudgedMove
from tests.naive import Game


def chance_of(first: int, second: int) -> float:
    """The share of all ways to hand out the unequal positions that are at least as unequal."""
    ways = [sum(way) for way in itertools.product((0, 1), repeat=first + second)]
    as_unequal = [n for n in ways if min(n, first + second - n) <= min(first, second)]
    return len(as_unequal) / len(ways)


@pytest.mark.parametrize("first", range(7))
@pytest.mark.parametrize("second", range(7))
def test_the_chance_is_the_share_of_all_ways(first: int, second: int) -> None:
    assert mcnemar(first, second) == chance_of(first, second)


def test_many_positions_are_no_trouble() -> None:
    assert mcnemar(0, 4500) == 0.0  # 2 / 2**4500 is less than any float
    assert mcnemar(2250, 2250) == 1.0
    deviations = (2330 - 2170 - 1) / math.sqrt(4500)  # the normal approximation, corrected
    assert mcnemar(2170, 2330) == pytest.approx(math.erfc(deviations / math.sqrt(2)), rel=1e-3)


def taking_wins(position: Position) -> int:
    """Win where that can be, else play the first column."""
    for column in position.legal_columns:
        if position.play(column).is_over:
            return column
    return position.legal_columns[0]


def leftmost(position: Position) -> int:
    return position.legal_columns[0]


def test_bots_that_differ_in_wins_alone_differ_by_default() -> None:
    found = compare_accuracy([taking_wins, leftmost], count=200)
    one, other = found["taking_wins"].accuracy, found["leftmost"].accuracy
    assert one.all == other.all and one.decisive == other.decisive
    assert one.wins.mean("perfect") == 1.0
    assert (other.wins.mean("perfect") or 0.0) < 0.5
    by_measure = {each.measure: each for each in found.comparisons()}
    clear = [measure for measure, each in by_measure.items() if each.is_clear]
    assert clear == ["wins"]
    said = by_measure["wins"].sentence
    assert said.startswith("taking_wins takes a win at hand more often than leftmost: alone in ")
    assert by_measure["keeping"].sentence.endswith(" in the same positions as leftmost")


def test_counts_are_those_of_the_answers_one_by_one() -> None:
    found = compare_accuracy(["random", "greedy"], count=90, seed=2)
    rows: dict[str, dict[str, dict[str, object]]] = {"random": {}, "greedy": {}}
    for row in found.answer_rows():
        rows[str(row["agent"])][str(row["moves"])] = row
    unequal = {"perfect": [0, 0], "wins": [0, 0], "blocks": [0, 0]}
    for moves, one in rows["greedy"].items():
        right = [each["column"] in each["best"] for each in (one, rows["random"][moves])]  # type: ignore[operator]
        of = {"win": "wins", "block": "blocks"}.get(str(one["band"]), "perfect")
        if right[0] != right[1]:
            unequal[of][right[1]] += 1
    first = list(found.ranking).index("greedy")
    for each in found.comparisons():
        if each.measure in unequal:
            counts = (each.only_first, each.only_second)
            assert list(counts if first == 0 else counts[::-1]) == unequal[each.measure]
            assert each.p == mcnemar(*counts) == each.p_adjusted


def test_positions_that_only_one_answered_are_left_out() -> None:
    def shy(position: Position) -> int:
        if position.turn:
            raise RuntimeError("not as second player")
        return position.legal_columns[0]

    few = shipped_set()
    assert few is not None
    found = measure(SetPlan((shy, "greedy"), few.first(20)))
    answered = found["shy"].accuracy.all.moves
    (perfect,) = [each for each in found.comparisons() if each.measure == "perfect"]
    assert perfect.positions == answered < found["greedy"].accuracy.all.moves


def test_chances_of_several_pairs_are_adjusted_by_holm() -> None:
    scores = (-4, -3, 18, 2, 2, 18, -3)
    position = Position.from_moves("4455")
    right, wrong = (JudgedMove(position, column, scores) for column in (2, 0))
    played = {"a": 20, "b": 12, "c": 11}
    moves = {
        name: {at: right if at < count else wrong for at in range(20)}
        for name, count in played.items()
    }
    found = {
        (each.first, each.second): each
        for each in compare_moves(moves, {name: {} for name in played})
        if each.measure == "perfect"
    }
    raw = {pair: each.p for pair, each in found.items()}
    assert raw == {("a", "b"): 2 / 2**8, ("a", "c"): 2 / 2**9, ("b", "c"): 1.0}
    assert found["a", "c"].p_adjusted == 3 * raw["a", "c"]
    assert found["a", "b"].p_adjusted == 2 * raw["a", "b"]
    assert found["b", "c"].p_adjusted == 1.0
    assert [each.is_clear for each in found.values()] == [True, True, False]


def test_a_difference_that_may_be_chance_is_called_so() -> None:
    told = Comparison("ann", "bob", "keeping", 60, 3, 5, mcnemar(3, 5), mcnemar(3, 5))
    assert told.sentence == (
        "bob keeps the result about as often as ann, as far as 60 positions show: alone in 5"
        " positions, ann alone in 3 (p = 0.73)"
    )
    assert told.as_dict()["sentence"] == told.sentence


def test_the_tactical_set_has_wins_to_take_and_to_block() -> None:
    """By plain rules: a win at hand, or none and one column that must be blocked."""
    positions = shipped_set(which=TACTICS)
    assert positions is not None
    assert [each.band for each in positions.positions] == ["win"] * 200 + ["block"] * 200
    for each in positions.positions:
        game = Game()
        for column in each.moves:
            game = game.play(int(column) - 1)
        wins = {column for column in game.legal() if game.play(column).over()}
        assert bool(wins) == (each.band == "win")
        best = max(score for score in each.scores if score is not None)
        right = {column for column, score in enumerate(each.scores) if score == best}
        if wins:
            assert right == wins
        else:
            saved = {
                column
                for column in game.legal()
                if not any(game.play(column).play(r).over() for r in game.play(column).legal())
            }
            assert saved <= right and len(right) == 1


def test_an_agent_of_the_set_keeps_each_answer() -> None:
    class Slow(Agent):
        def choose(self, position: Position, limit: Limit, rng: object) -> Decision:
            return Decision(9 if position.turn else position.legal_columns[0])

    found = compare_accuracy([Slow()], count=5)
    assert isinstance(found, SetAccuracy)
    rows = list(found.answer_rows())
    assert len(rows) == 10
    for row in rows:
        assert (row["column"] is None) == (row["fault"] == "illegal") == bool(row["reason"])
        assert (row["after"] is None) == (row["seconds"] is None) == (row["column"] is None)
