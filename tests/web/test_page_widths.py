"""The text of the page fits the screen, with long names and many rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.pages import DESKTOP, PHONE


@pytest.fixture(params=[320, 390], ids="{}px".format)
def phone(page: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page on a phone."""
    page.set_viewport_size({**PHONE, "width": request.param})
    yield page
    page.set_viewport_size(DESKTOP)


def fits(page: Any) -> bool:
    """Whether the page needs no scrolling sideways."""
    needs: int = page.evaluate("document.documentElement.scrollWidth")
    return needs <= page.viewport_size["width"]


def test_names_of_parameters_are_in_one_line(phone: Any) -> None:
    for size in (phone.viewport_size, DESKTOP):
        phone.set_viewport_size(size)
        phone.goto("/api")
        lines = phone.eval_on_selector_all(
            "th",
            """all => all.map(cell => {
                const range = document.createRange();
                range.selectNodeContents(cell);
                const { height } = range.getBoundingClientRect();
                return height / parseFloat(getComputedStyle(cell).fontSize);
            })""",
        )
        assert len(lines) > 30
        assert max(lines) < 2
        assert fits(phone)


def test_long_names_stay_on_a_phone(phone: Any, tmp_path: Path) -> None:
    agent = "uct:iterations=1000,formula=ucb,playout=replies"
    phone.goto(f"/?second={agent}&moves=44&at=1")
    phone.wait_for_selector(f".status:has-text('{agent}')")
    assert fits(phone)
    path = tmp_path / "games.csv"
    path.write_text(f"moves,first,second\n4455,{'x' * 200},bob\n44,ann,{'y' * 200}\n")
    phone.goto("/?second=human")
    phone.click("summary:has-text('Share')")
    phone.set_input_files("input[type=file]", path)
    phone.wait_for_selector("text=Game 1 of 2")
    assert fits(phone)
    phone.goto(f"/?second={'q' * 200}")
    phone.wait_for_selector(".status:has-text('a human plays instead')")
    assert fits(phone)


#: For each column, from the left: the places of the column, of its text, of its mark.
PLACES = """all => all.map(element => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const [box, text] = [element, range].map(it => it.getBoundingClientRect());
    const mark = getComputedStyle(element, "::after");
    const isMark = mark.content === '"●"';
    const width = parseFloat(mark.width);
    const left = box.left + parseFloat(mark.left) - (mark.translate === "-50%" ? width / 2 : 0);
    return [[box.left, box.right], [text.left, text.right], isMark ? [left, left + width] : null];
})"""


@pytest.mark.parametrize(
    "asked", ["board=16x2&connect=3&moves=aabbppoo", "board=16x1&connect=2", "board=9x1&connect=2"]
)
def test_scores_and_marks_keep_to_their_columns(phone: Any, asked: str) -> None:
    phone.goto(f"/?{asked}&second=human&analysis=on")
    phone.wait_for_selector(".scores .best")
    phone.wait_for_selector(".names .best")
    cells = phone.locator(".stage [role=row] >> nth=0").locator("[role=gridcell]").all()
    for selector, most in ((".scores button", 2), (".names span", 3)):
        places = phone.eval_on_selector_all(selector, PLACES)
        assert len(places) == len(cells)
        for ((left, right), text, mark), cell in zip(places, cells, strict=True):
            over = cell.bounding_box()
            assert (left + right) / 2 == pytest.approx(over["x"] + over["width"] / 2, abs=most)
            for start, end in filter(None, (text, mark)):
                assert left - 0.5 <= start <= end <= right + 0.5
    size = phone.eval_on_selector(
        ".scores .best", "it => parseFloat(getComputedStyle(it).fontSize)"
    )
    assert size >= 8  # it can be read


def test_the_names_of_the_views_fit_one_line_whichever_is_shown(page: Any) -> None:
    page.set_viewport_size(PHONE)
    heights = set()
    for view in ("play", "puzzles", "search", "book", "tournament"):
        page.goto(f"/?view={view}")
        page.wait_for_selector(f"nav [data-view={view}][aria-current]")
        heights.add(page.eval_on_selector("nav", "nav => nav.offsetHeight"))
    page.set_viewport_size(DESKTOP)
    assert len(heights) == 1
