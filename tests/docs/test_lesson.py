"""The lesson and its slides: each link opens the step that its text quotes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
from doctools import hooks

from tests.browser import watched
from tests.docs.examples import ROOT
from tests.web.conftest import Server, running

LESSON, SLIDES = ROOT / "docs" / "lesson.md", ROOT / "docs" / "slides.html"
LINK = re.compile(r'\[([^\]\n]+)\]\(site\.md "open ([^"\n]+)"\)')
SLIDE_LINK = re.compile(r'<a href="board/\?([^"]+)">([^<]+)</a>')


def links_of_lesson() -> list[tuple[str, str]]:
    """The queries and texts of the lesson's links."""
    return [(query, text) for text, query in LINK.findall(LESSON.read_text("utf-8"))]


def test_slides_have_the_links_of_the_lesson_and_load_no_resources() -> None:
    slides = SLIDES.read_text("utf-8")
    links = [(html.unescape(query), text) for query, text in SLIDE_LINK.findall(slides)]
    assert links == links_of_lesson()
    assert len(links) > 15
    assert not re.search(r"(src|href)=\"(?!board/)|@import|url\(", slides)


def test_links_of_the_built_page_lead_to_the_viewer() -> None:
    page = hooks.with_inclusions(LESSON.read_text("utf-8"), LESSON)
    assert '"open ' not in page
    links = [
        (html.unescape(query), text)
        for query, text in re.findall(r'<a href="board/\?([^"]+)">([^<]+)</a>', page)
    ]
    assert links == links_of_lesson()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server with one worker."""
    with running("--workers", "1", "--seconds", "60", keeping=True) as server:
        yield server


@pytest.mark.browser
def test_each_link_opens_the_step_that_it_quotes(server: Server, browser: Any) -> None:
    page = browser.new_page(base_url=server.url, reduced_motion="reduce")
    with watched(page, server.url):
        for query, text in dict.fromkeys(links_of_lesson()):
            page.goto(f"/?{query}")
            page.wait_for_selector(".search-tree .node.here", state="attached")
            assert text in page.inner_text(".step-words"), query
            assert page.inner_text(".search-view [role=alert]") == "", query
            assert page.locator(".code-row.current").count() >= 1
    page.close()


@pytest.mark.browser
def test_keys_turn_the_slides(browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page.goto(SLIDES.as_uri())
    top = (
        "[...document.querySelectorAll('h1, h2')]"
        ".find((each) => each.getBoundingClientRect().top > 0).innerText"
    )
    assert page.evaluate(top) == "Minimax to UCT"
    for title in ("A tree of moves", "Minimax"):
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"(title) => {top} === title", arg=title)
    page.keyboard.press("End")
    page.wait_for_function(f"(title) => {top} === title", arg="Exercises")
    too_high = "all => all.filter((each) => each.scrollHeight > innerHeight).length"
    assert page.eval_on_selector_all("section", too_high) == 0
    link = page.get_attribute("a >> nth=0", "href")
    assert link.startswith("http://127.0.0.1:8000/?view=search&agent=minimax")
    page.close()
