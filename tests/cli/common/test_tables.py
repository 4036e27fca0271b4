"""Tables and texts fit the width they are given, and lose nothing."""

from __future__ import annotations

from claimeven.cli.common.output import fitted, named_lines, table_lines

HEADINGS = ["ply", "a", "b", "c", "d"]
ROWS = [["0", "1", "2", "3", "4"]]


def test_as_many_columns_stand_in_a_part_as_have_room() -> None:
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


def test_a_name_stands_beside_its_cells_where_both_have_room() -> None:
    assert named_lines("agent", ["won"], ["ann"], [["1"]], 10) == ["agent  won", "ann      1"]
    names, cells = ["ann", "berta", "carla k."], [["1"], ["2"], ["3"]]
    assert named_lines("who", ["won"], names, cells, 10) == [
        "who    won", "ann      1", "berta    2", "carla k.", "         3",
    ]  # fmt: skip
    assert named_lines("who", ["won"], ["ann"], [["1"]], 2) == ["who", "  won", "ann", "    1"]


def test_a_text_is_parted_between_words_and_no_line_that_fits_is_touched() -> None:
    assert fitted("  a   b-c\n\n one\tx", 9) == "  a   b-c\n\n one\tx"
    assert fitted("a\tb", 3) == "a\tb"
    assert fitted("  head one two", 10) == "  head one\n    two"
    assert fitted("see /a/very-long/path now", 8) == "see\n  /a/very-long/path\n  now"
    assert fitted("one well-known", 10) == "one\n  well-known"
