"""Sizes, the layout of the bits, and windows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimeven import ClaimevenError, Geometry, IllegalMove, InvalidGeometry
from claimeven.game.geometry import DIRECTIONS
from tests import naive

sizes = st.builds(Geometry, st.integers(1, 16), st.integers(1, 16), st.integers(2, 8))


@given(geometry=sizes)
def test_layout(geometry: Geometry) -> None:
    cells = [(c, r) for c in range(geometry.columns) for r in range(geometry.rows)]
    places = [geometry.bit(*cell) for cell in cells]
    assert len(set(places)) == geometry.cells == len(cells)
    assert sum(1 << place for place in places) == geometry.board
    assert [geometry.cell(place) for place in places] == cells
    assert list(geometry.cells_of(geometry.board)) == cells
    assert geometry.board.bit_length() == geometry.bits - 1
    assert geometry.fits_word == (geometry.bits <= 64)
    assert list(geometry.cells_of(geometry.bottom)) == [(c, 0) for c in range(geometry.columns)]
    assert sum(map(geometry.column_mask, range(geometry.columns))) == geometry.board
    assert sorted(geometry.center_order) == list(range(geometry.columns))
    for (dc, dr), step in zip(DIRECTIONS, geometry.steps, strict=True):
        assert geometry.bit(3 + dc, 3 + dr) - geometry.bit(3, 3) == step


def test_the_drawn_layout() -> None:
    geometry = Geometry()
    assert [geometry.bit(c, 0) for c in range(7)] == [0, 7, 14, 21, 28, 35, 42]
    assert [geometry.bit(0, r) for r in range(6)] == [0, 1, 2, 3, 4, 5]
    assert geometry.steps == (1, 7, 8, 6)
    assert geometry.center_order == (3, 2, 4, 1, 5, 0, 6)
    assert Geometry(4, 4).center_order == (1, 2, 0, 3)
    assert Geometry(8, 7).bits == 64
    assert str(Geometry(9, 7, 5)) == "9x7 connect 5"


@pytest.mark.parametrize("size", [(7, 6), (4, 4), (3, 9), (16, 2), (1, 1)])
@pytest.mark.parametrize("length", range(1, 6))
def test_windows(size: tuple[int, int], length: int) -> None:
    expected = naive.windows(naive.Game(*size).grid, length)
    assert [list(window) for window in Geometry(*size).windows(length)] == expected


def test_there_are_69_windows_on_the_common_board() -> None:
    assert len(Geometry().windows(4)) == 69


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ((0, 6, 4), "columns must be 1 to 16, got 0"),
        ((17, 6, 4), "columns must be 1 to 16, got 17"),
        ((7, 0, 4), "rows must be 1 to 16, got 0"),
        ((7, -3, 4), "rows must be 1 to 16, got -3"),
        ((7, 17, 4), "rows must be 1 to 16, got 17"),
        ((7, 6, 1), "connect must be 2 to 8, got 1"),
        ((7, 6, 9), "connect must be 2 to 8, got 9"),
        ((7.0, 6, 4), "columns must be a whole number, got 7.0"),
        ((7, "6", 4), "rows must be a whole number, got '6'"),
        ((7, 6, True), "connect must be a whole number, got True"),
        ((float("nan"), 6, 4), "columns must be a whole number, got nan"),
        ((np.float64(7), 6, 4), "columns must be a whole number, got np.float64(7.0)"),
    ],
)
def test_impossible_sizes(size: tuple[int, int, int], message: str) -> None:
    with pytest.raises(InvalidGeometry) as caught:
        Geometry(*size)
    assert str(caught.value) == message


def test_the_bounds_are_possible() -> None:
    assert Geometry(1, 1, 2).cells == 1
    assert Geometry(16, 16, 8).cells == 256


def test_sizes_of_any_integer_type() -> None:
    geometry = Geometry(np.int64(7), np.uint8(6), np.int8(4))  # type: ignore[arg-type]  # integers to NumPy
    assert geometry == Geometry()
    assert hash(geometry) == hash(Geometry())
    assert all(type(number) is int for number in (geometry.columns, geometry.rows, geometry.bits))


def test_boards_of_more_than_a_word_are_refused() -> None:
    class Wrong(ClaimevenError):
        pass

    Geometry(8, 7).check_fits_word()
    message = (
        r"^the lens supports boards of columns \* \(rows \+ 1\) <= 64 bits; 8x8 connect 4 takes 72$"
    )
    with pytest.raises(Wrong, match=message):
        Geometry(8, 8).check_fits_word("the lens", Wrong)


def test_columns_of_a_board() -> None:
    assert Geometry(3, 3).check_column(np.int8(2)) == 2
    for column in (-1, 3):
        with pytest.raises(
            IllegalMove, match=rf"column {column} \(counted from 0\) is not on the board"
        ):
            Geometry(3, 3).check_column(column)


def test_a_board_as_plain_data_makes_it_again() -> None:
    board = Geometry(5, 4, 3)
    assert board.as_dict() == {"columns": 5, "rows": 4, "connect": 3}
    assert Geometry(**board.as_dict()) == board
