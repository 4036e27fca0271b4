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
