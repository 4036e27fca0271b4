"""SVG drawings are well formed and show every disc, the marks and the scores."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given

from claimeven import ClaimevenError, Geometry, InvalidPosition, Position
from claimeven.game.svg import draw_stage, draw_svg
from tests.positions import positions

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@given(position=positions())
def test_every_disc_is_drawn_with_its_mark(position: Position) -> None:
    root = ElementTree.fromstring(draw_svg(position))
    circles = list(root.iter(f"{SVG}circle"))
    won = len(position.outcome.cells) if position.outcome else 0
    assert len(circles) == position.geometry.cells + 2 * position.ply + won
    box = [float(number) for number in root.attrib["viewBox"].split()]
    for circle in circles:
        assert 0 < float(circle.attrib["cx"]) < box[2]
        assert 0 < float(circle.attrib["cy"]) < box[3]
    assert len(texts(draw_svg(position))) == position.geometry.columns


def test_words_for_screen_readers() -> None:
    root = ElementTree.fromstring(draw_svg(Position.from_moves("445")))
    title = "Connect Four, 7x6 connect 4: Red to move"
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == root.findtext(f"{SVG}title") == title
    assert root.findtext(f"{SVG}desc") == (
        "Discs from the bottom up: column 4 yellow red; column 5 yellow."
    )
    assert "<desc>An empty board.</desc>" in draw_svg(Position())
    assert Position()._repr_svg_() == draw_svg(Position())


def test_marks() -> None:
    won = Position.from_moves("1122334")
    plain, marked = draw_svg(won), draw_svg(won, last=3)
    assert plain.count("<path") == 2
    assert marked.count("<path") == 3
    assert marked.count("stroke-dasharray") == 1
    with pytest.raises(InvalidPosition, match="the last move of this position was not in column 5"):
        draw_svg(won, last=4)


def test_scores() -> None:
    svg = draw_svg(Position(Geometry(4, 4)), scores=[-3, None, 0, 5])
    assert texts(svg) == ["\N{MINUS SIGN}3", "0", "+5", "1", "2", "3", "4"]
    assert svg.count("width='50'") == 1
    with pytest.raises(ClaimevenError, match="scores must be 4 numbers on 4x4 connect 4, got 2"):
        draw_svg(Position(Geometry(4, 4)), scores=[1, 2])


def test_size_on_the_screen() -> None:
    small = ElementTree.fromstring(draw_svg(Position(), cell=30))
    assert float(small.attrib["width"]) == pytest.approx(
        float(small.attrib["viewBox"].split()[2]) / 2
    )


def test_a_bare_drawing_takes_the_colours_of_its_page() -> None:
    default, bare = (
        draw_svg(Position(), scores=[1] + [0] * 6, bare=bare) for bare in (False, True)
    )
    assert default.count("<rect") == bare.count("<rect") + 1
    assert "currentColor" in bare
    assert "currentColor" not in default
    assert texts(default) == texts(bare)


@given(position=positions())
def test_a_stage_has_the_parts_of_any_position(position: Position) -> None:
    geometry = position.geometry
    parts = list(ElementTree.fromstring(draw_stage(geometry)).iter(f"{SVG}g"))
    hidden = [part for part in parts if part.attrib.get("visibility") == "hidden"]
    discs = {part.attrib["data-disc"]: part for part in hidden if "data-disc" in part.attrib}
    assert len(discs) == 2 * geometry.cells
    assert sum("data-last" in part.attrib for part in hidden) == geometry.cells
    windows = [part.attrib["data-window"] for part in hidden if "data-window" in part.attrib]
    assert len(windows) == 2 * len(geometry.windows(geometry.connect))

    def circles(element: ElementTree.Element) -> set[tuple[tuple[str, str], ...]]:
        return {tuple(sorted(c.attrib.items())) for c in element.iter(f"{SVG}circle")}

    # The discs of the position, drawn by the stage, equal the discs of the drawing.
    drawn = circles(ElementTree.fromstring(draw_svg(Position(geometry), bare=True)))
    for player, held in enumerate(position.discs):
        for column, row in geometry.cells_of(held):
            drawn |= circles(discs[f"{column},{row},{player}"])
    assert len(drawn) == geometry.cells + 2 * position.ply


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ({"position": "44"}, "position must be a Position, got '44'"),
        ({"last": "4"}, "the last column must be a whole number, got '4'"),
        ({"scores": 3}, "scores must be a sequence such as a list, got 3"),
        ({"scores": "1234567"}, "scores must be a sequence such as a list"),
        ({"scores": [1.5] * 7}, "a score must be a whole number, got 1.5"),
        ({"scores": [1] * 6}, "scores must be 7 numbers on 7x6 connect 4, got 6"),
        ({"cell": 0}, "the pixels of a cell must be greater than 0, got 0"),
        ({"cell": float("nan")}, "got nan"),
        ({"cell": float("inf")}, "got inf"),
        ({"cell": "44"}, "got '44'"),
    ],
)
def test_invalid_drawing_options_are_reported(arguments: Any, output: str) -> None:
    with pytest.raises(ClaimevenError, match=output):
        draw_svg(**{"position": Position.from_moves("44"), **arguments})


def test_scores_of_numpy_are_scores() -> None:
    scores = np.array([-1, 0, 1, 2, 3, 4, 5])
    assert draw_svg(Position(), scores=scores) == draw_svg(Position(), scores=scores.tolist())
