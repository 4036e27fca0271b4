"""Users who step through a game while an agent plays or thinks; keys and their targets."""

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


def test_agents_wait_while_an_earlier_move_is_shown(page: Any) -> None:
    page.goto("/?second=greedy&moves=4455")
    page.click(".moves .move >> nth=0")
    shows(page, "4")
    page.click("text=Let it move")
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length === 2")


def test_going_to_an_earlier_move_cancels_the_search(thinking: Any) -> None:
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
    page.click("[aria-label='Delete this variation']")
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
    page.wait_for_selector("#announcements:has-text('It is not your turn.')")
    assert moves_of(page) == ""


def test_a_view_opens_in_a_new_tab(page: Any) -> None:
    page.goto("/?second=human&moves=44")
    shows(page, "44")
    with page.context.expect_page() as opened:
        page.click("nav [data-view=book]", modifiers=["ControlOrMeta"])
    opened.value.wait_for_selector(".look-up")
    opened.value.close()
    shows(page, "44")


def test_a_search_of_the_game_restarts_on_another_board(page: Any) -> None:
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
def test_active_controls_are_visible_in_forced_colors(page: Any, scheme: str) -> None:
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


def test_paused_agents_step_or_continue_by_their_buttons(page: Any) -> None:
    page.goto("/?first=random&second=greedy")
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length >= 2")
    page.click("text=Pause")
    page.wait_for_selector("button:text-is('Resume')")
    made = len(moves_of(page))
    page.click("text=Undo")
    shows(page, moves_of(page)[: made - 1])
    assert page.is_hidden("text=Let it move")  # it has no effect
    page.click("text=One move")
    length = "n => document.querySelector('.moves').dataset.moves.length === n"
    page.wait_for_function(length, arg=made)
    # Agents that are not paused wait for the button, and one move pauses them.
    page.click("button:text-is('Resume')")
    page.wait_for_function(
        "n => document.querySelector('.moves').dataset.moves.length > n", arg=made
    )
    page.keyboard.press("Home")
    shows(page, "")
    assert page.is_visible("text=Let it move")
    page.click("text=One move")
    page.wait_for_selector("text=Let it move", state="hidden")
    page.wait_for_function(length, arg=1)


def test_keys_in_a_dialog_do_not_change_the_game(page: Any) -> None:
    page.goto("/?moves=44&second=human")
    shows(page, "44")
    page.click("summary:has-text('Share')")
    page.click("text=Set up a position")
    page.click("dialog.editor [data-cell='3,1']")  # which leaves the focus nowhere
    for key in ("1", "n", "u", "f", "ArrowLeft", "?"):
        page.keyboard.press(key)
    assert moves_of(page) == "44"
    assert page.locator("html.flipped").count() == 0
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog.editor", state="detached")
    page.keyboard.press("1")
    shows(page, "441")


def hold(page: Any, key: str, times: int = 6) -> None:
    """Hold a key down until the keyboard has repeated it `times` times."""
    for _ in range(times):
        page.keyboard.down(key)
    page.keyboard.up(key)


def test_a_held_key_plays_one_disc_and_walks_on(page: Any) -> None:
    page.goto("/?moves=112233&at=0&second=human")
    shows(page, "")
    hold(page, "ArrowRight", 4)
    shows(page, "1122")
    hold(page, "7")
    shows(page, "11227")
    hold(page, "u", 2)
    shows(page, "1122")
    hold(page, "f", 4)
    assert page.locator("html.flipped").count() == 1
    page.keyboard.press("f")
    page.focus(".stage [role=gridcell][tabindex='0']")
    hold(page, "Enter")
    shows(page, "11224")
    page.goto("/?view=book&second=human")
    page.wait_for_selector(".book-move >> nth=6")
    hold(page, "1")
    page.wait_for_url("**moves=1&**")
    assert page.locator(".path .move").count() == 2


@pytest.mark.parametrize(
    ("board", "analysis", "hint"),
    [
        ("7x6", "Press a or", "(h)"),
        ("10x5", "Press Shift+A or", "(Shift+H)"),
        ("13x9", "This board is too large for exact scores", "(Shift+H)"),
    ],
)
def test_the_listed_keys_fit_the_board(page: Any, board: str, analysis: str, hint: str) -> None:
    page.goto("/?second=human")  # another board is chosen later, on the same page
    page.click("summary:has-text('Share')")
    page.fill("[aria-label='Board, columns x rows']", board)
    page.click("form button:text-is('Use')")
    page.wait_for_selector(f".explanation:has-text('{analysis}')")
    title = page.get_attribute("button:text-is('Hint')", "title")
    assert title == f"Show the best column {hint}"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(analysis.split()[1].rstrip(",") if "Press" in analysis else "Shift+A")
    page.wait_for_selector("#analysis:checked")
    assert moves_of(page) == ""
