"""The drawing of the score over a game."""

from __future__ import annotations

import random
from typing import Any
from xml.etree import ElementTree

import pytest

from claimeven.errors import ClaimevenError
from claimeven.review.analysis import score_chart
from claimeven.review.review_html import score_history_svg


def test_charts_fit_and_point_the_right_way() -> None:
    rng = random.Random(4)
    for length in (1, 2, 43, 75, 76, 200):
        score_history = [rng.randint(-21, 21) for _ in range(length)]
        for charset in ("unicode", "ascii"):
            for width in (40, 80):
                lines = score_chart(score_history, width, charset).splitlines()
                assert all(len(line) <= width for line in lines)
                assert len(lines) <= 12
    rows = score_chart([3, 0, -1], charset="ascii").splitlines()
    assert score_chart([-1, 0, -2]).splitlines() == [
        "   0 ┼───",
        "  -1 │█ █",
        "  -2 │  █",
        "      0",
    ]
    assert score_chart([0, 0]).splitlines() == ["   0 ┼──", "      0"]
    assert rows == ["  +3 |#", "  +2 |#", "  +1 |#", "   0 +---", "  -1 |  #", "      0"]


def test_long_games_show_the_furthest_score_of_several_plies() -> None:
    """Three plies a character: every character is the greatest of its three, either way."""
    score_history = [0, 4, -1] + [2, -8, 7] + [0, 0, 0] * 10
    assert score_chart(score_history, width=18, charset="ascii").splitlines() == [
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


def test_bars_of_notebooks_are_above_the_line_if_the_first_player_wins() -> None:
    svg = ElementTree.fromstring(score_history_svg([4, 0, -2]))
    bars = [each for each in svg if each.tag.endswith("rect")]
    ends = [(float(bar.attrib["y"]), float(bar.attrib["height"])) for bar in bars]
    line = float(svg.attrib["height"]) / 2
    assert ends == [(0, line), (line, 1), (line, line / 2)]
    yellow, red = "#b98900", "#bf2f4a"
    assert [bar.attrib["fill"] for bar in bars] == [yellow, "currentColor", red]
    assert score_history_svg([0]).count("height='1'") == 1
    titles = ["after 0 moves: +4", "after 1 moves: 0", "after 2 moves: \N{MINUS SIGN}2"]
    assert [bar[0].text for bar in bars] == titles


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((6,), "width must be 7 or more, got 6"),
        ((-80,), "width must be 7 or more, got -80"),
        ((80.0,), "width must be a whole number, got 80.0"),
        ((80, "latin"), "no charset 'latin'.*unicode, ascii"),
    ],
)
def test_invalid_charts_are_reported(arguments: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ClaimevenError, match=said):
        score_chart([1, 0], *arguments)
    with pytest.raises(
        ClaimevenError, match="a score history must have the score before the first move"
    ):
        score_chart([])
    assert score_chart([1], 7).splitlines()[0] == "  +1 │█"
