"""Moves that lead to a board: played, they give it back."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given

from claimeven import Geometry, InvalidPosition, Position
from claimeven.game.encodings import from_characters
from claimeven.game.game_line import moves_to
from tests import naive
from tests.positions import positions


@given(positions())
def test_the_moves_lead_to_the_board(position: Position) -> None:
    assert Position.from_moves(moves_to(position), position.geometry) == position


def test_a_board_that_no_game_reaches_is_reported() -> None:
    small = Geometry(2, 4, 4)
    stacked = Position.from_discs(small, 0b00011, 0b01100)
    with pytest.raises(InvalidPosition, match=r"^no game leads to this board$"):
        moves_to(stacked)


def test_the_last_disc_is_one_that_ended_the_game() -> None:
    # Two lines through the disc played last: only it can have been the last.
    position = Position.from_moves("1122334")
    assert moves_to(position)[-1] == 3


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
            assert Position.from_moves(moves_to(position), small) == position
            found += 1
        else:
            with pytest.raises(InvalidPosition, match="no game leads to this board"):
                moves_to(position)
    assert found == len(reachable)


def test_full_boards_are_put_in_order() -> None:
    rng = random.Random(5)
    for geometry in (Geometry(), Geometry(9, 7, 5), Geometry(4, 12, 4)):
        for _ in range(15):
            position = Position(geometry)
            while not position.is_over:
                position = position.play(rng.choice(position.legal_columns))
            assert Position.from_moves(moves_to(position), geometry) == position
