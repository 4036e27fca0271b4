"""Texts and tables fit the given width on a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimeven.cli.common.output import (
    cut,
    fitted,
    left,
    named_lines,
    right,
    table_lines,
    text_size,
    wrap,
)

#: Two letters that take two columns each.
WIDE = "\u6f22\u5b57"
HEADINGS = ["ply", "a", "b", "c", "d"]
ROWS = [["0", "1", "2", "3", "4"]]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", 0),
        ("bot.py", 6),
        ("\xe9\xdf\u0416", 3),
        (WIDE, 4),
        ("\uff21", 2),  # a Latin letter as wide as a Han character
        ("\U0001f916", 2),
        ("e\u0301", 1),
        ("\u1112\u1161\u11ab", 2),  # one syllable of Hangul in its parts
        ("a\u200bb", 2),
    ],
)
def test_a_text_has_the_size_a_terminal_gives_it(text: str, size: int) -> None:
    assert text_size(text) == size
    assert text_size(left(text, 9)) == text_size(right(text, 9)) == 9
    assert left(text, 9).startswith(text)
    assert right(text, 9).endswith(text)


def test_a_text_is_cut_where_a_letter_has_no_room() -> None:
    assert [cut(WIDE, width) for width in range(5)] == ["", "", WIDE[0], WIDE[0], WIDE]
    assert cut("e\u0301a", 1) == "e\u0301"
    assert left(WIDE, 3) == right(WIDE, 3) == WIDE


@given(st.text(f"ab {WIDE}\u0301", max_size=40), st.integers(4, 20))
def test_wide_text_wraps_without_loss(text: str, width: int) -> None:
    lines = wrap(text, width, subsequent_indent="  ")
    assert all(text_size(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_line_of_one_column_ends_too() -> None:
    assert wrap(WIDE, 1) == [*WIDE]


def test_rows_with_wide_names_go_below_each_other() -> None:
    lines = named_lines("who", ["won"], ["ann", WIDE * 2], [["1"], ["2"]], 20)
    assert lines == ["who       won", "ann         1", f"{WIDE * 2}    2"]
    assert named_lines("who", ["won"], [WIDE * 2], [["1"]], 12) == [
        "who      won", WIDE * 2, "           1",
    ]  # fmt: skip
    assert table_lines([WIDE, "n"], [["a", "1"]], 7) == [f"{WIDE}  n", "   a  1"]


def test_lines_with_wide_words_are_parted_in_time() -> None:
    assert fitted(f"one {WIDE} {WIDE}", 12) == f"one {WIDE}\n  {WIDE}"


def test_a_part_has_the_columns_that_fit() -> None:
    assert table_lines(HEADINGS, ROWS, 15) == ["ply  a  b  c  d", "  0  1  2  3  4"]
    halves = ["ply  a  b", "  0  1  2", "", "ply  c  d", "  0  3  4"]
    assert table_lines(HEADINGS, ROWS, 11) == table_lines(HEADINGS, ROWS, 9) == halves
    parted = table_lines(HEADINGS, ROWS, 14)
    assert parted == ["ply  a  b  c", "  0  1  2  3", "", "ply  d", "  0  4"]


def test_where_there_is_no_room_each_column_is_a_part() -> None:
    for width in (8, 3, 1):
        lines = table_lines(HEADINGS, ROWS, width)
        assert lines[::3] == ["ply  a", "ply  b", "ply  c", "ply  d"]
        assert lines[1::3] == ["  0  1", "  0  2", "  0  3", "  0  4"]
    assert table_lines(["ply"], [["0"]], 1) == ["ply", "  0"]


def test_a_name_is_next_to_its_cells_if_both_fit() -> None:
    assert named_lines("agent", ["won"], ["ann"], [["1"]], 10) == ["agent  won", "ann      1"]
    names, cells = ["ann", "berta", "carla k."], [["1"], ["2"], ["3"]]
    assert named_lines("who", ["won"], names, cells, 10) == [
        "who    won", "ann      1", "berta    2", "carla k.", "         3",
    ]  # fmt: skip
    assert named_lines("who", ["won"], ["ann"], [[""]], 9) == ["who  won", "ann"]
    assert named_lines("who", ["won"], ["ann"], [["1"]], 2) == ["who", "  won", "ann", "    1"]


def test_a_text_is_parted_between_words_and_no_line_that_fits_is_touched() -> None:
    assert fitted("  a   b-c\n\n one\tx", 9) == "  a   b-c\n\n one\tx"
    assert fitted("a\tb", 3) == "a\tb"
    assert fitted("  head one two", 10) == "  head one\n    two"
    assert fitted("see /a/very-long/path now", 8) == "see\n  /a/very-long/path\n  now"
    assert fitted("one well-known", 10) == "one\n  well-known"
