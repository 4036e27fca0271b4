"""negamax-aifour, streaks and the Monte Carlo searches against the AIFour notebook's own code."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claimeven import Position, make_agent
from claimeven.agents import Limit
from claimeven.evaluation import streaks
from claimeven.game.drawing import parse_drawing
from claimeven.minimax import PROVEN, MinimaxSearch
from claimeven.montecarlo import MonteCarloSearch, preset
from claimeven.montecarlo.formula import upper_bound
from tests.originals.positions import leftmost, load

AIFOUR = load("aifour")
GOING_ON = load("positions")["going_on"]
FINISHED = load("positions")["finished"]


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


def test_the_evaluation_follows_the_text() -> None:
    ours = [streaks(Position.from_moves(moves)) for moves in GOING_ON]
    assert ours == AIFOUR["text"]["evaluation"]


def test_the_evaluation_as_printed_runs_through_the_other_sides_discs() -> None:
    ours = [streaks(Position.from_moves(moves)) for moves in GOING_ON]
    pairs = list(zip(ours, AIFOUR["printed"]["evaluation"], strict=True))
    assert sum(one == two for one, two in pairs) == 309
    assert sum(sign(one) == sign(two) for one, two in pairs) == 778


@pytest.mark.parametrize("which", ["printed", "text"])
def test_outcomes(which: str) -> None:
    for moves, winner in zip(FINISHED, AIFOUR[which]["outcome"], strict=True):
        outcome = Position.from_moves(moves).outcome
        assert outcome is not None
        assert winner == (0 if outcome.winner is None else outcome.winner + 1)


def test_negamax_follows_the_text() -> None:
    search = MinimaxSearch("negamax", "streaks", "left", prune=False)
    same = proven = sooner = 0
    for moves, (_, column, value, _) in zip(GOING_ON, AIFOUR["text"]["negamax"], strict=False):
        search.reset()
        result = search.search(Position.from_moves(moves), 4)
        if abs(result.value) > PROVEN:
            proven += 1
            assert value == 99_999 * sign(result.value)
            sooner += result.column != column
        else:
            same += 1
            assert (result.column, result.value) == (column, value)
    # The notebook takes the first column that wins, we the one that wins soonest.
    assert (same, proven, sooner) == (205, 95, 19)


def test_the_preset_of_the_code_plays_the_last_column_of_its_line() -> None:
    """Except in decided games: there the notebook takes any win, and claimeven the soonest."""
    agent, rng = make_agent("negamax-aifour-code"), np.random.default_rng(0)
    same = proven = 0
    for moves, (column, *_) in zip(GOING_ON, AIFOUR["text"]["negamax"], strict=False):
        position = Position.from_moves(moves)
        decision = agent.choose(position, Limit(), rng)
        if decision.details["plies_to_end"] is not None or not position.is_legal(column):
            proven += 1
        else:
            assert decision.column == column
            same += 1
    assert (same, proven) == (205, 95)


def test_negamax_as_printed_plays_the_last_column_of_its_line() -> None:
    moved = [last != first for last, first, _, _ in AIFOUR["text"]["negamax"]]
    assert (sum(moved), len(moved)) == (190, 300)


def test_the_formula() -> None:
    for c, above, visits, total, value in AIFOUR["formula"]:
        options = preset("uct-aifour", c=c)
        spread = options.weight * math.sqrt(math.log(above))
        assert upper_bound(total, visits, spread) == pytest.approx(value, rel=1e-12)


def test_drawings_are_read_back() -> None:
    for moves, drawing in zip(FINISHED, AIFOUR["drawings"], strict=False):
        assert parse_drawing("\n".join(drawing)) == Position.from_moves(moves)


@pytest.mark.parametrize(
    ("name", "recording", "changes"),
    [
        # The code tries columns left to right; the text at random.
        ("uct-aifour", "uct", {"first_play": "order", "ties": "first"}),
        ("uct-aifour-code", "uct-code", {}),
        ("breadth", "breadth", {}),
    ],
)
def test_trees_are_those_the_code_grows(name: str, recording: str, changes: dict[str, str]) -> None:
    """The same columns visited as often, with the same results, when playouts are the same."""
    options = preset(name, playout=leftmost, **changes)
    for moves, (column, *columns) in zip(GOING_ON, AIFOUR["text"][recording], strict=False):
        search = MonteCarloSearch(options)
        result = search.search(Position.from_moves(moves), np.random.default_rng(0), iterations=200)
        ours: list[list[int] | None] = [None] * 7
        for child in result.root.children:
            ours[child.column] = [child.visits, int(child.total)]
        # A finished node is not played from in ours, which ends a tree that holds all lines.
        assert ours == columns, moves
        if name != "breadth":
            assert result.column == column
