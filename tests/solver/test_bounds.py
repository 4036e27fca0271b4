"""Static bounds of typical positions; `exhaustive` checks them on all."""

from __future__ import annotations

from claimeven.game.geometry import Geometry
from claimeven.solver.textbook import Choice, TextbookSolver


def test_the_second_player_holds_by_following_up() -> None:
    """All lines are level and the second player gets the whole upper row."""
    geometry = Geometry(7, 2, 4)
    textbook = TextbookSolver(geometry, 1)
    empty_board = Choice(0, 0, 0, geometry.bottom, 0)
    assert textbook.static_bound(empty_board, 0) is None
    middle = geometry.column_mask(3)
    lower, upper = (1 << geometry.bit(3, row) for row in range(2))
    assert textbook.static_bound(Choice(lower, middle, 0, 0, 0), 0) is None
    assert textbook.static_bound(Choice(upper, middle, 0, 0, 0), 0) == 0


def test_an_odd_threat_wins_by_zugzwang() -> None:
    """The second player is to move, must in the end play below a winning cell, and loses."""
    geometry = Geometry(4, 6, 4)
    textbook = TextbookSolver(geometry, 1)
    cell = 1 << geometry.bit(0, 2)
    full = sum(geometry.column_mask(column) for column in (1, 2, 3))
    mask = full | 1 << geometry.bit(0, 0)
    mine = sum(1 << geometry.bit(column, row) for column in (1, 2) for row in (0, 3, 4))
    node = Choice(mine, mask, cell, 0, 0)
    disc = geometry.cells - 3
    score = (geometry.cells + 2 - disc) // 2
    assert textbook.static_bound(node, -score) == -score
    assert textbook.static_bound(node, -score - 1) is None
