"""People who look about in a game while an agent plays, or thinks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.pages import drop, moves_of, shows, status

ASKED = "**/api/move"


@pytest.fixture
def thinking(page: Any) -> Iterator[Any]:
    """A page whose agents think for ever."""
    page.route(ASKED, lambda route: None)
    yield page
    page.unroute(ASKED)


def test_agents_leave_who_looks_at_an_earlier_move_alone(page: Any) -> None:
    page.goto("/?second=greedy&moves=4455")
    page.click(".moves .move >> nth=0")
    shows(page, "4")
    page.click("text=Let it move")
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length === 2")


def test_who_goes_to_an_earlier_move_gives_up_what_is_thought(thinking: Any) -> None:
    page = thinking
    page.goto("/?second=greedy&moves=4455")
    drop(page, 7)
    page.wait_for_selector(".status:has-text('thinking')")
    page.click(".moves .move >> nth=0")
    page.wait_for_selector("text=Let it move")
    assert status(page) == "Red (greedy) to move."
    page.keyboard.press("End")
    shows(page, "44557")
    assert page.is_visible("text=Let it move")


def test_a_variation_that_is_left_and_forgotten_is_thought_about_no_more(thinking: Any) -> None:
    page = thinking
    page.goto("/?second=greedy&moves=44556&at=4")
    drop(page, 7)
    page.wait_for_selector(".status:has-text('thinking')")
    page.click("[aria-label='Forget this variation']")
    shows(page, "4455")
    assert status(page) == "Your turn."
    drop(page, 6)
    page.wait_for_selector(".status:has-text('thinking')")


@pytest.mark.parametrize("key", ["Home", "End", "ArrowLeft", "ArrowRight"])
def test_a_step_to_nowhere_leaves_the_agent_thinking(thinking: Any, key: str) -> None:
    page = thinking
    page.goto("/?first=greedy&second=human")
    page.wait_for_selector(".status:has-text('thinking')")
    page.keyboard.press(key)
    page.keyboard.press("1")
    page.wait_for_selector("#said:has-text('It is not your turn.')")
    assert moves_of(page) == ""


def test_a_view_opens_in_a_tab_of_its_own(page: Any) -> None:
    page.goto("/?second=human&moves=44")
    shows(page, "44")
    with page.context.expect_page() as opened:
        page.click("nav [data-view=book]", modifiers=["ControlOrMeta"])
    opened.value.wait_for_selector(".look-up")
    opened.value.close()
    shows(page, "44")


def test_a_search_of_the_game_begins_anew_on_another_board(page: Any) -> None:
    page.goto("/?view=search&on=game&agent=alphabeta&depth=3&second=human")
    counted = page.locator(".search-view .hint-text", has_text="step 1 of ")
    before = counted.inner_text()
    page.click("nav [data-view=play]")
    page.click("summary:has-text('Share, load, board')")
    page.fill("[aria-label='Discs in a line that win']", "2")
    page.click("form button:text-is('Use')")
    page.click("nav [data-view=search]")
    page.wait_for_url("**view=search**connect=2**")
    assert counted.inner_text() != before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_on_is_seen_in_colours_of_ones_own(page: Any, scheme: str) -> None:
    surfaces = """(parts) => parts.map(([selector, part]) =>
        getComputedStyle(document.querySelector(selector), part).backgroundColor)"""
    page.emulate_media(forced_colors="active", color_scheme=scheme)
    try:
        page.goto("/?second=human&moves=445")
        for is_on in (False, True):
            page.set_checked("#analysis", is_on)
            parts = [["#analysis", None], ["#analysis", "::before"]]
            switch, thumb = page.evaluate(surfaces, parts)
            assert switch != thumb
        bar, fill = page.evaluate(surfaces, [[".bar", None], [".bar .fill", None]])
        assert bar != fill
    finally:
        page.emulate_media(forced_colors="none", color_scheme="light")


def test_paused_agents_make_one_move_or_go_on_by_their_own_buttons(page: Any) -> None:
    page.goto("/?first=random&second=greedy")
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length >= 2")
    page.click("text=Pause")
    page.wait_for_selector("button:text-is('Go on')")
    made = len(moves_of(page))
    page.click("text=Undo")
    shows(page, moves_of(page)[: made - 1])
    assert page.is_hidden("text=Let it move")  # it would let nobody move
    page.click("text=One move")
    length = "n => document.querySelector('.moves').dataset.moves.length === n"
    page.wait_for_function(length, arg=made)
    # Where they are not paused they wait for the button, and one move pauses them.
    page.click("button:text-is('Go on')")
    page.wait_for_function(
        "n => document.querySelector('.moves').dataset.moves.length > n", arg=made
    )
    page.keyboard.press("Home")
    shows(page, "")
    assert page.is_visible("text=Let it move")
    page.click("text=One move")
    page.wait_for_selector("text=Let it move", state="hidden")
    page.wait_for_function(length, arg=1)
