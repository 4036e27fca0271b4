"""The address says what the page shows, also after a reload and a way back."""

from __future__ import annotations

from typing import Any


def test_a_search_that_is_reloaded_while_it_runs_keeps_its_step(page: Any) -> None:
    asked = "/?view=search&agent=alphabeta&depth=6&on=7x6,4&step=400"
    page.route("**/api/search/**", lambda route: None)  # which takes for ever
    page.goto(asked)
    page.wait_for_selector(".step-words:has-text('Searching')")
    page.wait_for_timeout(1000)  # in which the address is written
    assert page.url.endswith("&step=400")
    page.unroute("**/api/search/**")
    page.reload()
    page.wait_for_selector(".search-view .hint-text:has-text('step 400 of ')")


def test_going_back_to_the_book_shows_the_place_that_was_left(page: Any) -> None:
    page.goto("/?moves=4455&second=human")
    page.click("nav [data-view=book]")
    page.wait_for_url("**view=book&moves=4455**")
    for moves in ("44553", "445533"):
        page.keyboard.press("3")
        page.wait_for_url(f"**moves={moves}&**")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**moves=445533&at=5&**")
    page.click("nav [data-view=practise]")
    page.wait_for_url("**view=practise&**&puzzle=*")
    page.go_back()
    for come_back in (lambda: None, page.reload):
        come_back()
        page.wait_for_selector(".path .move >> nth=5")
        assert page.locator(".path .move").all_inner_texts() == ["start", *"44553"]
        page.wait_for_selector(".book-move >> nth=6")
        assert "moves=445533&at=5" in page.url
    page.click("nav [data-view=play]")
    page.click("nav [data-view=book]")  # it is the game that is shown anew
    page.wait_for_selector(".path .move")
