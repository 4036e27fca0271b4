"""Keys of the page: whom they reach, what a held one does, and what the page says of them."""

from __future__ import annotations

from typing import Any

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
