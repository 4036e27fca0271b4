"""The page in a frame of another page: only what a lesson needs, and addresses that keep it so."""

from __future__ import annotations

from typing import Any

from tests.web.pages import drop, shows


def test_an_embedded_page_has_a_board_and_no_navigation(page: Any) -> None:
    page.goto("/?embed=1&moves=4455&second=human&analysis=on")
    page.wait_for_selector(".explanation details")
    assert not page.is_visible("nav")
    assert page.locator(".panels .card:visible").count() == 1
    page.evaluate("""() => {
        window.heights = [];
        addEventListener("message", ({ data }) => heights.push(data.claimeven));
    }""")
    before = page.evaluate("document.body.offsetHeight")
    page.uncheck("#analysis")
    page.wait_for_function("height => heights.some(each => each < height)", arg=before)
    drop(page, 3)
    shows(page, "44553")
    assert "embed=1" in page.url


def test_the_height_does_not_depend_on_the_window(page: Any) -> None:
    heights = set()
    size = page.viewport_size
    for height in (300, 500, 1500):
        page.set_viewport_size({"width": 600, "height": height})
        page.goto("/?embed=1&moves=4455")
        page.wait_for_selector(".disc")
        heights.add(page.evaluate("document.body.offsetHeight"))
    page.set_viewport_size(size)
    assert len(heights) == 1


def test_a_search_takes_the_options_of_an_agent_from_the_address(page: Any) -> None:
    agent = "alphabeta:eval=windows-symmetric,order=left"
    page.goto(
        f"/?embed=1&view=search&board=4x3&connect=3&moves=112213&on=game&agent={agent}&depth=3"
    )
    page.wait_for_selector(".node")
    assert not page.is_visible(".search-view form")
    page.keyboard.press("End")
    page.wait_for_selector(".step-words:has-text('The root is worth 5')")
    page.wait_for_url(f"**agent={agent}&depth=3&on=game&step=38&embed=1")
    page.goto(page.url.replace("&embed=1", ""))
    page.wait_for_selector(".step-words:has-text('The root is worth 5')")
    assert page.is_visible("form >> text=order=left")
