"""The published players and evaluations against ones rebuilt from the texts of the originals.

`python -m tests.originals.compare` makes the same comparisons on a thousand positions.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from claimeven.game.drawing import parse_drawing
from claimeven.game.encodings import to_stacks
from tests.originals import rebuilt_boards as boards
from tests.originals.compare import (
    BOARD_COMPARISONS,
    GOING_ON,
    PLAYER_COMPARISONS,
    Comparison,
    disagreements,
    drawing,
    evaluation,
    lines,
    trees,
)
from tests.originals.positions import columns_of, load
from tests.originals.rebuilt import SEARCHES
from tests.originals.rebuilt_minimax import PLAYERS, Search


@pytest.mark.parametrize("backend", ["compiled", "python"])
@pytest.mark.parametrize("name", SEARCHES)
def test_every_node_is_visited_as_often_with_the_same_results(name: str, backend: str) -> None:
    assert disagreements(trees(name, backend, iterations=120), GOING_ON[:25]) == []


@pytest.mark.parametrize("make", PLAYER_COMPARISONS.values(), ids=PLAYER_COMPARISONS)
def test_columns_values_and_evaluations_are_equal(make: Callable[[], Comparison]) -> None:
    assert disagreements(make(), GOING_ON[:12]) == []


@pytest.mark.parametrize("spec", PLAYERS)
def test_the_textbook_finds_the_same(spec: str) -> None:
    assert disagreements(lines(spec, "python"), GOING_ON[3:6]) == []


@pytest.mark.parametrize("compare", BOARD_COMPARISONS.values(), ids=BOARD_COMPARISONS)
def test_values_counts_and_drawings_of_a_board_are_equal(compare: Comparison) -> None:
    assert disagreements(compare, GOING_ON[:50]) == []


def test_other_rules_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparisons would notice another search, depth, evaluation or drawing."""
    monkeypatch.setitem(SEARCHES, "flat", SEARCHES["breadth"])
    assert len(disagreements(trees("flat", "compiled", 60), GOING_ON[:10])) == 10
    without_cuts = Search(boards.sequences, 3, center=True)
    monkeypatch.setitem(PLAYERS, "alphabeta-polito", without_cuts)
    assert len(disagreements(lines("alphabeta-polito"), GOING_ON[:10])) > 5
    off_center = evaluation("windows", lambda *board: boards.fours(*board, boards.LUND, 0))
    assert len(disagreements(off_center, GOING_ON[:10])) > 5
    even = [moves for moves in GOING_ON[:30] if moves and len(moves) % 2 == 0]
    assert disagreements(drawing(boards.itu_drawing, first="X"), even) == even


def test_rebuilt_drawings_are_those_that_the_documents_show() -> None:
    for name, draw in (("aifour", boards.aifour_drawing), ("itu", boards.itu_drawing)):
        shown = load(name)["drawings"]
        games = load("positions")["finished"][: len(shown)]
        assert [draw(boards.board_of(columns_of(moves))).splitlines() for moves in games] == shown
    game = load("polito")["drawings"][1]
    drawn = boards.polito_drawing(boards.board_of(columns_of("4447765555213"))).splitlines()
    assert [line.rstrip() for line in drawn] == [line.rstrip() for line in game]
    whole = [lines for lines in load("menary")["drawings"] if len(lines) == 11]
    assert len(whole) > 3
    for shown in whole:
        stacks = to_stacks(parse_drawing("\n".join(shown)))
        cells = [cell for stack in stacks for cell in stack + [0] * (boards.ROWS - len(stack))]
        assert boards.menary_drawing(cells).splitlines() == shown
