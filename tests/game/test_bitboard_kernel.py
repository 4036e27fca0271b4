"""Bit operations on Python integers and compiled, against each other and the oracle."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, InvalidGeometry
from claimeven.game import bitboard, bitboard_kernel
from claimeven.game.geometry import DIRECTIONS
from tests import naive

#: Of 64 bits: 8x7, 16x3 and 4x15; the last ones make shifts of more than a word for long lines.
IN_A_WORD = (
    Geometry(7, 6, 4),
    Geometry(8, 7, 4),
    Geometry(4, 4, 3),
    Geometry(16, 3, 5),
    Geometry(1, 1, 2),
    Geometry(5, 2, 2),
    Geometry(7, 8, 8),
    Geometry(4, 15, 5),
    Geometry(3, 16, 6),
)
WIDE = (Geometry(12, 9, 4), Geometry(16, 16, 8))


def random_discs(rng: random.Random, geometry: Geometry) -> tuple[int, int]:
    """Discs of two players stacked at random, in any numbers: mine, mask."""
    heights = [rng.randint(0, geometry.rows) for _ in range(geometry.columns)]
    mask = sum(((1 << h) - 1) << c * geometry.height for c, h in enumerate(heights))
    mine = rng.getrandbits(geometry.bits)
    if rng.random() < 0.5:
        mine |= rng.getrandbits(geometry.bits)
    return mine & mask, mask


def grid_of(geometry: Geometry, discs: int) -> naive.Grid:
    grid = naive.Game(geometry.columns, geometry.rows).grid
    for column in range(geometry.columns):
        for row in range(geometry.rows):
            if discs >> geometry.bit(column, row) & 1:
                grid[column][row] = 0
    return grid


def held_windows(geometry: Geometry, discs: int, length: int) -> list[list[naive.Cell]]:
    grid = grid_of(geometry, discs)
    return [w for w in naive.windows(grid, length) if naive.contents(grid, w).count(0) == length]


@pytest.mark.parametrize("geometry", IN_A_WORD + WIDE, ids=str)
def test_plain_functions_against_the_oracle(geometry: Geometry) -> None:
    rng = random.Random(geometry.bits)
    for _ in range(15):
        mine, mask = random_discs(rng, geometry)
        windows_of_mine = held_windows(geometry, mine, geometry.connect)
        assert bitboard.has_line(mine, geometry) == bool(windows_of_mine)
        assert set(geometry.cells_of(bitboard.line_cells(mine, geometry))) == {
            cell for window in windows_of_mine for cell in window
        }
        for length in (1, 2, geometry.connect):
            starts = sum(
                bitboard.run_starts(mine, step, length).bit_count() for step in geometry.steps
            )
            assert starts == len(held_windows(geometry, mine, length))
        column, row = rng.randrange(geometry.columns), rng.randrange(geometry.rows)
        joined = grid_of(geometry, mine | 1 << geometry.bit(column, row))
        assert bitboard.longest_run(mine, 1 << geometry.bit(column, row), geometry) == max(
            len(window)
            for length in range(1, 17)
            for window in naive.windows(joined, length)
            if (column, row) in window and set(naive.contents(joined, window)) == {0}
        )
        wins = bitboard.winning_cells(mine, mask, geometry)
        empty = list(geometry.cells_of(geometry.board & ~mask))
        for column, row in rng.sample(empty, min(4, len(empty))):
            bit = 1 << geometry.bit(column, row)
            completed = held_windows(geometry, mine | bit, geometry.connect)
            assert bool(wins & bit) == any((column, row) in window for window in completed)
        assert wins & ~geometry.board == wins & mask == 0


@pytest.mark.core
@pytest.mark.parametrize("geometry", IN_A_WORD, ids=str)
def test_compiled_functions_are_the_plain_ones(geometry: Geometry) -> None:
    rng = random.Random(geometry.bits)
    height, connect, bottom, board, columns = (
        np.uint64(number)
        for number in (
            geometry.height,
            geometry.connect,
            geometry.bottom,
            geometry.board,
            geometry.columns,
        )
    )
    for _ in range(300):
        mine, mask = random_discs(rng, geometry)
        word, filled = np.uint64(mine), np.uint64(mask)
        found: dict[str, Any] = {
            "line": bool(bitboard_kernel.has_line(word, height, connect)),
            "wins": bitboard_kernel.winning_cells(word, filled, height, connect, board),
            "mirrored": bitboard_kernel.mirrored(word, columns, height),
            "runs": [
                bitboard_kernel.run_starts(word, np.uint64(step), connect)
                for step in geometry.steps
            ],
        }
        assert found == {
            "line": bitboard.has_line(mine, geometry),
            "wins": bitboard.winning_cells(mine, mask, geometry),
            "mirrored": bitboard.mirrored(mine, geometry),
            "runs": [bitboard.run_starts(mine, step, geometry.connect) for step in geometry.steps],
        }
        cells = geometry.board & ~mask
        reached = bitboard.runs_through(mine, cells, geometry)
        assert reached == [
            sum(
                1 << geometry.bit(*cell)
                for cell in geometry.cells_of(cells)
                if bitboard.longest_run(mine, 1 << geometry.bit(*cell), geometry) >= length
            )
            for length in range(1, len(reached) + 1)
        ]
        assert all(reached[1:])
        cell = 1 << geometry.bit(rng.randrange(geometry.columns), rng.randrange(geometry.rows))
        run = bitboard_kernel.longest_run(word, np.uint64(cell), height)
        assert run == bitboard.longest_run(mine, cell, geometry)
        playable = bitboard.playable_cells(mask, geometry)
        assert bitboard_kernel.playable_cells(filled, bottom, board) == playable
        assert set(geometry.cells_of(playable)) == {
            (column, (mask & geometry.column_mask(column)).bit_count())
            for column in range(geometry.columns)
            if mask & geometry.column_mask(column) != geometry.column_mask(column)
        }


@pytest.mark.parametrize("geometry", IN_A_WORD, ids=str)
def test_the_board_vector(geometry: Geometry) -> None:
    words = bitboard_kernel.board_vector(geometry)
    assert words.dtype == np.uint64
    assert not words.flags.writeable
    assert int(words[bitboard_kernel.BOARD]).bit_count() == geometry.cells
    assert int(words[bitboard_kernel.BOTTOM]).bit_count() == geometry.columns
    assert (int(words[bitboard_kernel.HEIGHT]), int(words[bitboard_kernel.CONNECT])) == (
        geometry.rows + 1,
        geometry.connect,
    )
    assert int(words[bitboard_kernel.CENTER]) == geometry.column_mask(geometry.columns // 2)
    for direction, step in enumerate(geometry.steps):
        assert bitboard_kernel.direction_step(direction, words[bitboard_kernel.HEIGHT]) == step
    windows = geometry.windows(geometry.connect)
    starts = words[bitboard_kernel.STARTS :].tolist()
    for mask, (columns, rows) in zip(starts, DIRECTIONS, strict=True):
        assert set(geometry.cells_of(mask)) == {
            (column, row)
            for (column, row), second, *_ in windows
            if second == (column + columns, row + rows)
        }


def test_large_boards_have_no_vector() -> None:
    with pytest.raises(InvalidGeometry, match=r"<= 128 bits; 13x9 connect 4 takes 130"):
        bitboard_kernel.board_vector(Geometry(13, 9, 4))
