"""The levels of the page: which one it offers after games, and its sight in words."""

from __future__ import annotations

from typing import Any

from tests.web.pages import drop, moves_of, shows

_OFFER = ".level-advice"


def _play(page: Any, columns: tuple[int, ...]) -> None:
    """Drop discs in turn with an agent, which answers in column 7."""
    for number, column in enumerate(columns, len(moves_of(page)) // 2 + 1):
        drop(page, column)
        page.wait_for_function(
            "count => document.querySelector('.moves').dataset.moves.length === 2 * count"
            " || / wins?[.!]$/.test(document.querySelector('.status').textContent)",
            arg=number,
        )


def _answer_in(page: Any, column: int) -> None:
    answer = {"json": {"column": column}}
    page.unroute("**/api/move")
    page.route("**/api/move", lambda route: route.fulfill(**answer))


def test_wins_in_a_row_offer_the_next_level_and_losses_the_one_before(page: Any) -> None:
    page.goto("/?second=perfect:level=4")
    page.wait_for_selector("optgroup option", state="attached")
    _answer_in(page, 7)
    _play(page, (1, 1, 1, 1))
    assert not page.is_visible(_OFFER)
    page.click("text=Play again")
    _play(page, (1, 1, 1, 1))
    page.wait_for_selector(f"{_OFFER} >> text=You won 2 games in a row at this level.")
    page.keyboard.press("ArrowLeft")  # the end of a game counts once
    page.keyboard.press("ArrowRight")
    page.click(f"{_OFFER} button")
    page.wait_for_url("**second=perfect:level=6*")
    assert not page.is_visible(_OFFER)
    page.evaluate("localStorage['claimeven.levels'] = '{\"perfect:level=6\":\"LL\"}'")
    _answer_in(page, 1)
    _play(page, (2, 3, 5, 6))
    assert page.inner_text(".status").endswith("wins.")
    assert "You lost 3 games in a row" in page.inner_text(_OFFER)
    assert page.inner_text(f"{_OFFER} button") == "Play the casual level"
    page.evaluate("localStorage.clear()")
    page.unroute("**/api/move")


def test_games_with_help_or_variations_do_not_count(page: Any) -> None:
    page.goto("/?second=perfect:level=4")
    page.wait_for_selector("optgroup option", state="attached")
    _answer_in(page, 7)
    page.click("summary:has-text('Share')")
    for way in ("hint", "analysis", "variation", "moves", "back", "level"):
        if way == "variation":
            _play(page, (2,))
            page.keyboard.press("u")
        if way == "moves":
            page.fill("input[aria-label=Moves]", "171717")
            page.click("text=Load moves")
        else:
            _play(page, (1, 1, 1))
        if way == "hint":
            page.keyboard.press("h")
            page.wait_for_selector(".status:has-text('Column')")
        elif way == "analysis":
            page.keyboard.press("a")
            page.keyboard.press("a")
        elif way == "back":
            page.click("text=New game")
            page.go_back()
            shows(page, "171717")
        elif way == "level":
            page.select_option(".side select >> nth=1", "perfect:level=6")
        _play(page, (1,))
        assert page.inner_text(".status") == "You win!"
        page.click("text=Play again")
    assert page.evaluate("localStorage['claimeven.levels']") is None
    page.unroute("**/api/move")


def test_a_level_describes_its_sight(page: Any) -> None:
    page.goto("/?second=perfect:level=6")
    page.wait_for_selector(".side >> nth=1 >> text=Sees 79 % of wins in one move")
    page.select_option(".side >> nth=1 >> select", "perfect:level=10")
    page.wait_for_selector(".side >> nth=1 >> text=Plays perfectly.")
