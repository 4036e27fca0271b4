"""A game of two people by link, each in a browser session of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.web.conftest import Server
from tests.web.pages import DESKTOP, drop, moves_of, shows, status


@pytest.fixture
def players(browser: Any, server: Server) -> Iterator[tuple[Any, Any]]:
    """Two pages of separate sessions; both may use the clipboard."""
    contexts = [
        browser.new_context(
            viewport=DESKTOP,
            base_url=server.url,
            reduced_motion="reduce",
            permissions=["clipboard-read", "clipboard-write"],
        )
        for _ in range(2)
    ]
    yield tuple(context.new_page() for context in contexts)
    for context in contexts:
        context.close()


def sent(page: Any) -> str:
    """Press "Send link" and return the link."""
    page.click("text=Send link")
    page.wait_for_selector(".link-game:has-text('Link copied')")
    link: str = page.evaluate("navigator.clipboard.readText()")
    return link


def test_two_people_play_by_link(players: tuple[Any, Any]) -> None:
    ann, bob = players
    ann.goto("/?second=human")
    ann.select_option(".side select >> nth=1", "friend")
    ann.wait_for_selector(".link-game:has-text('Drop a disc, then send the new link')")
    assert ann.is_hidden("text=Send link")
    drop(ann, 4)
    ann.wait_for_selector('.link-game:has-text("Send this link to your friend: it is Red\'s turn")')
    assert status(ann).strip() == "Red (your friend) to move."
    drop(ann, 4)  # it is not Ann's turn
    assert status(ann) == "Your friend moves next: send the link."
    shows(ann, "4")

    link = sent(ann)
    assert parse_qs(urlsplit(link).query) == {
        "moves": ["4"], "first": ["friend"], "second": ["human"],
    }  # fmt: skip
    bob.goto(link)
    assert status(bob).strip() == "Your turn."
    assert bob.inner_text(".side legend >> nth=1") == "You (Red)"
    drop(bob, 3)
    shows(bob, "43")

    ann.goto(sent(bob))
    shows(ann, "43")
    assert status(ann).strip() == "Your turn."
    assert ann.input_value(".side select >> nth=1") == "friend"
    assert "first" not in parse_qs(urlsplit(ann.url).query)


def test_a_reload_keeps_the_players_apart_and_the_end_is_sent_too(players: tuple[Any, Any]) -> None:
    ann, bob = players
    ann.goto("/?second=friend&moves=414141")
    drop(ann, 4)
    shows(ann, "4141414")
    assert status(ann).strip() == "You win!"
    ann.wait_for_selector(".link-game:has-text('the game is over')")
    link = sent(ann)
    ann.reload()
    shows(ann, "4141414")
    assert status(ann).strip() == "You win!"
    assert ann.url == link
    bob.goto(link)
    shows(bob, "4141414")
    assert status(bob).strip() == "Yellow (your friend) wins."
    assert bob.is_hidden(".link-game")
    bob.click("text=Play again")  # the friend starts again
    bob.wait_for_selector('.link-game:has-text("it is Yellow\'s turn")')
    ann.goto(sent(bob))
    assert status(ann).strip() == "Your turn."
    assert moves_of(ann) == ""


def test_two_friends_are_one_too_many(page: Any) -> None:
    page.goto("/?second=friend")
    page.wait_for_selector(".side select >> nth=0 >> option[value=friend]", state="attached")
    page.select_option(".side select >> nth=0", "friend")
    assert page.input_value(".side select >> nth=1") == "human"


def test_without_a_clipboard_the_address_of_the_page_is_the_link(page: Any) -> None:
    page.goto("/?second=friend")
    drop(page, 4)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error()); }")
    page.click("text=Send link")
    page.wait_for_selector(".link-game:has-text('Copy the address of this page')")
    assert parse_qs(urlsplit(page.url).query)["first"] == ["friend"]


def test_a_phone_shares_the_link_with_its_own_dialog(page: Any) -> None:
    page.goto("/?second=friend")
    drop(page, 4)
    page.evaluate("() => { navigator.share = async (data) => { globalThis.shared = data; }; }")
    page.click("text=Send link")
    assert page.evaluate("shared") == {"title": "Connect Four", "url": page.url}
