"""An order of the discs of a board: found where there is one, and only there."""

from __future__ import annotations

import itertools
import random

import pytest

from claimeven import Geometry, Position
from claimeven.game.encodings import from_characters
from claimeven.game.errors import InvalidPosition
from claimeven.records import order_of
from tests import naive


def all_orders(small: Geometry) -> set[tuple[tuple[int | None, ...], ...]]:
    """Every grid the oracle can reach, by playing everything."""
    seen, games = set(), [naive.Game(small.columns, small.rows, small.connect)]
    while games:
        game = games.pop()
        grid = tuple(map(tuple, game.grid))
        if grid not in seen:
            seen.add(grid)
            games += [game.play(column) for column in game.legal()]
    return seen


def test_an_order_is_found_if_and_only_if_there_is_one() -> None:
    small = Geometry(3, 3, 3)
    reachable = all_orders(small)
    found = 0
    for cells in itertools.product((None, 0, 1), repeat=small.cells):
        grid = tuple(cells[column * 3 : column * 3 + 3] for column in range(3))
        if abs(cells.count(0) - cells.count(1) - 0.5) > 0.5:
            continue
        rows = [["XO."[2 if c is None else c] for c in row] for row in zip(*grid, strict=True)]
        try:
            position = from_characters(rows[::-1], small)
        except InvalidPosition:
            assert grid not in reachable
            continue
        if grid in reachable:
            assert Position.from_moves(order_of(position), small) == position
            found += 1
        else:
            with pytest.raises(InvalidPosition, match="no order of moves"):
                order_of(position)
    assert found == len(reachable)


def test_full_boards_are_put_in_order() -> None:
    rng = random.Random(5)
    for geometry in (Geometry(), Geometry(9, 7, 5), Geometry(4, 12, 4)):
        for _ in range(15):
            position = Position(geometry)
            while not position.is_over:
                position = position.play(rng.choice(position.legal_columns))
            assert Position.from_moves(order_of(position), geometry) == position
