"""Texts are measured, filled up, cut and wrapped by what they take on a terminal."""

from __future__ import annotations

import textwrap

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


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", 0),
        ("bot.py", 6),
        ("\xe9\xdf\u0416", 3),
        (WIDE, 4),
        ("\uff21", 2),  # a Latin letter as wide as those of Han
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


@given(
    st.text("ab-c  \t\n.\u2014", max_size=40), st.integers(3, 20), st.booleans(), st.booleans(),
    st.sampled_from(["", "  "]),
)  # fmt: skip
def test_what_is_narrow_is_wrapped_as_the_standard_library_does(
    text: str, width: int, words: bool, hyphens: bool, indent: str
) -> None:
    assert wrap(
        text, width, subsequent_indent=indent, break_long_words=words, break_on_hyphens=hyphens
    ) == textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=words, break_on_hyphens=hyphens
    )


@given(st.text(f"ab {WIDE}\u0301", max_size=40), st.integers(4, 20))
def test_what_is_wide_fits_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrap(text, width, subsequent_indent="  ")
    assert all(text_size(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_line_of_one_column_ends_too() -> None:
    assert wrap(WIDE, 1) == [*WIDE]


def test_rows_with_wide_names_stand_below_each_other() -> None:
    lines = named_lines("who", ["won"], ["ann", WIDE * 2], [["1"], ["2"]], 20)
    assert lines == ["who       won", "ann         1", f"{WIDE * 2}    2"]
    assert named_lines("who", ["won"], [WIDE * 2], [["1"]], 12) == [
        "who      won", WIDE * 2, "           1",
    ]  # fmt: skip
    assert table_lines([WIDE, "n"], [["a", "1"]], 7) == [f"{WIDE}  n", "   a  1"]


def test_lines_with_wide_words_are_parted_in_time() -> None:
    assert fitted(f"one {WIDE} {WIDE}", 12) == f"one {WIDE}\n  {WIDE}"
