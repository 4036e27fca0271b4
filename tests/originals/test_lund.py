"""alphabeta-lund and its evaluation against the answers of the report's own code."""

from __future__ import annotations

import pytest

from claimeven import Position, make_agent
from claimeven.agents import Limit
from claimeven.evaluation import windows
from claimeven.minimax import PROVEN, MinimaxSearch
from tests.originals.positions import load

LUND = load("lund")
GOING_ON = load("positions")["going_on"]
FINISHED = load("positions")["finished"]
DEPTHS = ("1", "2", "3", "4", "5")


def test_the_evaluation_equals_the_report() -> None:
    ours = [windows(Position.from_moves(moves)) for moves in GOING_ON + FINISHED]
    assert ours == LUND["evaluation"]


@pytest.mark.parametrize("depth", DEPTHS)
def test_column_values_equal_the_report(depth: str) -> None:
    """Values agree on boards without a win: the report evaluates won boards too."""
    search = MinimaxSearch("minimax", "windows", "left", view="root")
    compared = drawn = 0
    for moves, (_, *values) in zip(GOING_ON, LUND["text"][depth], strict=False):
        result = search.search(Position.from_moves(moves), int(depth))
        for known, value in zip(result.columns, values, strict=True):
            if known is None or value is None:
                continue  # a full column, or a full board, for which the report has no value
            if known.value > PROVEN:
                assert value > 90_000
            elif known.value < -PROVEN:
                assert value < -90_000
            elif known.value != value:
                drawn += 1  # the last disc of a board without a line: we say 0
                assert known.value == 0
            compared += 1
    assert compared > 300
    assert drawn == (1 if depth == "1" else 0)


def test_the_preset_plays_as_in_the_report() -> None:
    agent = make_agent("alphabeta-lund")
    same = proven = 0
    for moves, (column, *values) in zip(GOING_ON, LUND["text"]["5"], strict=False):
        if all(value is None for value in values):
            continue
        decision = agent.choose(Position.from_moves(moves), Limit(), None)  # type: ignore[arg-type]  # no random numbers
        if abs(decision.details["evaluation"]) > PROVEN:
            proven += 1  # we take the soonest win, the report any
        else:
            assert decision.column == column
            same += 1
    assert (same, proven) == (39, 20)


def test_the_evaluation_for_the_side_to_move_is_another_one() -> None:
    """At odd depth the side to move at the leaf is the opponent: the weights differ."""
    search = MinimaxSearch("minimax", "windows", "left", view="mover")
    same = compared = 0
    for moves, (_, *values) in zip(GOING_ON, LUND["text"]["5"], strict=False):
        result = search.search(Position.from_moves(moves), 5)
        for known, value in zip(result.columns, values, strict=True):
            if known is not None and value is not None and abs(known.value) <= PROVEN:
                compared += 1
                same += known.value == value
    assert (same, compared) == (37, 279)


def test_the_listing_as_printed_stays_with_the_opponent() -> None:
    """The branch of the opponent, as printed, drops the player's discs and never comes back."""
    printed, text = LUND["printed"], LUND["text"]
    assert printed["1"] == text["1"]
    other = [
        one[0] != two[0] for one, two in zip(printed["5"], text["5"], strict=True) if one[0] >= 0
    ]
    assert (sum(other), len(other)) == (27, 60)
