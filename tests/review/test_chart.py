"""The drawing of the score over a game."""

from __future__ import annotations

import random
from typing import Any

import pytest

from claimeven.errors import ClaimevenError
from claimeven.review.chart import score_chart


def test_charts_fit_and_point_the_right_way() -> None:
    rng = random.Random(4)
    for length in (1, 2, 43, 75, 76, 200):
        course = [rng.randint(-21, 21) for _ in range(length)]
        for charset in ("unicode", "ascii"):
            for width in (40, 80):
                lines = score_chart(course, width, charset).splitlines()
                assert all(len(line) <= width for line in lines)
                assert len(lines) <= 12
    rows = score_chart([3, 0, -1], charset="ascii").splitlines()
    assert score_chart([-1, 0, -2]).splitlines() == [
        "   0 ┼───",
        "  -1 │█ █",
        "  -2 │  █",
        "      0",
    ]
    assert rows == ["  +3 |#", "  +2 |#", "  +1 |#", "   0 +---", "  -1 |  #", "      0"]


def test_long_games_show_the_furthest_score_of_several_plies() -> None:
    """Three plies a character: every character is the greatest of its three, either way."""
    course = [0, 4, -1] + [2, -8, 7] + [0, 0, 0] * 10
    assert score_chart(course, width=18, charset="ascii").splitlines() == [
        "  +5 |#",
        "  +4 |#",
        "  +2 |#",
        "   0 +------------",
        "  -2 | #",
        "  -4 | #",
        "  -5 | #",
        "  -7 | #",
        "  -8 | #",
        "      0         30",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((6,), "width is 7 or more, not 6"),
        ((-80,), "width is 7 or more, not -80"),
        ((80.0,), "width must be a whole number, not 80.0"),
        ((80, "latin"), "no charset 'latin'.*unicode, ascii"),
    ],
)
def test_what_cannot_be_drawn_is_told(arguments: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ClaimevenError, match=said):
        score_chart([1, 0], *arguments)
    with pytest.raises(ClaimevenError, match="a course has the score before the first move"):
        score_chart([])
    assert score_chart([1], 7).splitlines()[0] == "  +1 │█"
