"""Keys of the page: whom they reach, what a held one does, and what the page says of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.pages import moves_of, shows


def test_keys_in_a_dialog_leave_the_game_behind_it_alone(page: Any) -> None:
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
    """Hold a key down as long as a keyboard repeats it so many times."""
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
        ("7x6", "Press a, or", "(h)"),
        ("10x5", "Press Shift+A, or", "(Shift+H)"),
        ("10x6", "This board is too large to be solved", "(Shift+H)"),
    ],
)
def test_the_keys_told_are_those_of_the_board(
    page: Any, board: str, analysis: str, hint: str
) -> None:
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
