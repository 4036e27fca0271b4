"""Column names and move strings, both ways."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimeven import ClaimevenError, Geometry, IllegalMove, InvalidNotation
from claimeven.game.notation import (
    column_choices,
    column_name,
    format_moves,
    parse_column,
    parse_moves,
)


@given(columns=st.integers(1, 16), data=st.data())
def test_round_trip(columns: int, data: st.DataObject) -> None:
    geometry = Geometry(columns, 6)
    moves = data.draw(st.lists(st.integers(0, columns - 1)))
    text = format_moves(moves, geometry)
    assert len(text) == len(moves)
    assert parse_moves(text, geometry) == tuple(moves)
    assert parse_moves(" ".join(text.upper()) + "\n", geometry) == tuple(moves)
    for column in range(columns):
        assert parse_column(column_name(column, geometry), geometry) == column
        assert parse_column(f" {column + 1} ", geometry) == column


def test_letters_start_at_ten_columns() -> None:
    assert format_moves([0, 8], Geometry(9, 6)) == "19"
    assert format_moves([0, 9], Geometry(10, 6)) == "aj"
    assert parse_moves("dE", Geometry()) == parse_moves("45", Geometry()) == (3, 4)
    assert parse_moves("12", Geometry(12, 6)) == parse_moves("ab", Geometry(12, 6)) == (0, 1)
    assert column_choices(Geometry(9, 6)) == "1 to 9"
    assert column_choices(Geometry(16, 6)) == "a to p"


@pytest.mark.parametrize(
    "text", ["0", "8", "x", "h", "-1", "4.0", "", " ", "4 4", "٣", "99999", "½"]
)
def test_bad_columns(text: str) -> None:
    with pytest.raises(InvalidNotation, match="is not a column: choose from 1 to 7") as caught:
        parse_column(text)
    assert repr(text.strip()) in str(caught.value)
    assert isinstance(caught.value, ClaimevenError)


def test_numbers_of_any_length_are_read_whole() -> None:
    for text in ("17", "100", "160", "1600", "00010", "9" * 5000):
        with pytest.raises(InvalidNotation, match="is not a column: choose from a to p"):
            parse_column(text, Geometry(16, 6))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("440", "move 3: '0' is not a column: choose from 1 to 7"),
        ("4 4 x", "move 3: 'x' is not a column: choose from 1 to 7"),
        ("-1", "move 1: '-' is not a column: choose from 1 to 7"),
        (
            "d1d2",
            "move 2: '1' after 'd' mixes letters and digits: use only letters, or only digits",
        ),
        (
            "44 D",
            "move 3: 'D' after '4' mixes letters and digits: use only letters, or only digits",
        ),
    ],
)
def test_bad_move_strings(text: str, message: str) -> None:
    with pytest.raises(InvalidNotation) as caught:
        parse_moves(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("column", [7, 8, -1, 99])
def test_columns_off_the_board_are_not_written(column: int) -> None:
    with pytest.raises(
        IllegalMove, match=rf"column {column} \(counted from 0\) is not on the board: choose"
    ):
        format_moves([0, column])
    with pytest.raises(IllegalMove):
        column_name(column)


@pytest.mark.parametrize("column", [1.0, "1", None, True, float("nan")])
def test_only_whole_numbers_are_columns(column: int) -> None:
    with pytest.raises(IllegalMove, match="a column must be a whole number, got"):
        column_name(column)
    with pytest.raises(IllegalMove, match="a column must be a whole number, got"):
        format_moves([0, column])


def test_columns_of_any_integer_type_are_written() -> None:
    assert format_moves(np.array([3, 0], dtype=np.int8)) == "41"
