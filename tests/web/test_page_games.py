"""No game or place is lost, and no gesture counts twice: reloads, links, ways back, repeats."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.web.conftest import Server
from tests.web.pages import DESKTOP, PHONE, drop, moves_of, shows, status

FINISHED = "1212121"
LINE = ".moves .move:not(.variation *)"


def lines(page: Any) -> tuple[list[str], list[str]]:
    """The main line, and the discs of all variations."""
    return (
        page.locator(LINE).all_inner_texts(),
        page.locator(".moves .variation .move").all_inner_texts(),
    )


def test_a_reload_a_link_and_the_way_back_keep_every_variation(page: Any, context: Any) -> None:
    page.goto(f"/?second=human&moves={FINISHED}")
    page.click(f"{LINE} >> nth=1")
    drop(page, 5)
    shows(page, "125")
    page.click(f"{LINE} >> nth=4")
    drop(page, 7)
    shows(page, "121217")
    kept = (list(FINISHED), ["5", "7"])
    assert lines(page) == kept
    page.wait_for_url("**lines=*")
    page.reload()
    shows(page, "121217")
    assert lines(page) == kept
    page.click("nav [data-view=puzzles]")
    page.wait_for_url("**&puzzle=*")
    page.reload()
    page.wait_for_selector("[data-state=asked]")
    page.click("nav [data-view=book]")
    page.wait_for_selector(".path .move >> nth=6")
    page.reload()
    page.click("nav [data-view=play]")
    shows(page, "121217")
    assert lines(page) == kept
    page.go_back()
    page.go_back()
    page.wait_for_selector("[data-state=asked]")
    page.go_forward()
    page.go_forward()
    shows(page, "121217")
    other = context.new_page()
    other.goto(page.url)
    shows(other, "121217")
    assert lines(other) == kept
    other.close()


def test_a_new_game_leaves_the_old_one_on_the_way_back(page: Any) -> None:
    page.goto("/?second=human&moves=4455&at=2")
    drop(page, 6)
    shows(page, "446")
    page.keyboard.press("n")
    shows(page, "")
    drop(page, 1)
    shows(page, "1")
    page.go_back()
    shows(page, "446")
    assert lines(page) == (["4", "4", "5", "5"], ["6"])
    page.go_forward()
    shows(page, "1")


def test_a_link_waits_for_the_person(page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/?second=greedy&moves=445")
    page.wait_for_selector("text=Let it move")
    page.wait_for_timeout(600)
    assert moves_of(page) == "445" and not any("/api/move" in url for url in asked)
    assert status(page) == "Red (greedy) to move."
    page.reload()
    page.click("text=Let it move")
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length === 4")


def settled(page: Any, count: int) -> None:
    """Wait for `count` discs, and check that there are no more a while later."""
    length = "() => document.querySelector('.moves').dataset.moves.length"
    page.wait_for_function(f"n => ({length})() === n", arg=count)
    page.wait_for_timeout(400)
    assert len(moves_of(page)) == count


@pytest.mark.parametrize("second", ["human", "greedy"])
def test_a_repeated_input_of_one_gesture_is_one_move(page: Any, second: str) -> None:
    """Also if the agent answers in between, which it does immediately here."""
    page.goto("/?second=human")
    shows(page, "")
    page.route("**/api/move", lambda route: route.fulfill(json={"column": 7}))
    try:
        page.goto(f"/?second={second}")
        shows(page, "")
        made = 2 if second == "greedy" else 1
        page.dblclick(".stage [data-cell='4,1']")
        settled(page, made)
        page.keyboard.press("n")
        page.keyboard.down("4")
        page.keyboard.down("4")
        page.wait_for_timeout(600)
        page.keyboard.down("4")
        page.keyboard.up("4")
        settled(page, made)
        page.keyboard.press("n")
        page.keyboard.press("a")
        page.wait_for_selector(".scores .best")
        page.dblclick(".scores button >> nth=3")
        settled(page, made)
        if second == "greedy":  # two quick keys: the second one comes before the answer
            page.keyboard.press("n")
            page.keyboard.press("4")
            page.keyboard.press("4")
            settled(page, 2)
    finally:
        page.unroute("**/api/move")


def test_a_double_tap_is_one_move(browser: Any, server: Server) -> None:
    context = browser.new_context(viewport=PHONE, base_url=server.url, has_touch=True)
    page = context.new_page()
    page.goto("/?second=human")
    page.tap(".stage [data-cell='4,1']")
    page.tap(".stage [data-cell='4,1']")
    settled(page, 1)
    page.tap(".stage [data-cell='4,1']")
    settled(page, 2)
    context.close()


def test_a_double_click_in_the_book_and_at_a_puzzle_is_one_move(page: Any) -> None:
    page.goto("/?view=book")
    page.dblclick(".book-move >> nth=0")
    page.wait_for_timeout(300)
    assert page.locator(".path .move").all_inner_texts() == ["start", "4"]
    page.dblclick(".stage [data-cell='4,1']")
    page.wait_for_timeout(300)
    assert page.locator(".path .move").count() == 3


#: Words that the page does not use: players by their turn, times in plies or discs.
FOREIGN = re.compile(r"\b(first|second) player|\bpl(y|ies)\b|\bdisc \d", re.IGNORECASE)


@pytest.mark.parametrize(
    "address",
    [
        "/?second=greedy&moves=4444555&analysis=on",
        "/?first=greedy&moves=44&analysis=on&second=human",
        "/?view=puzzles&puzzle=12",
        "/?view=book&moves=44",
    ],
)
def test_one_vocabulary_for_players_and_times(page: Any, address: str) -> None:
    page.goto(address)
    page.wait_for_selector(".explanation .claim, [data-state=asked], .book-move")
    if "puzzles" in address:
        page.click("text=Hint")
        page.wait_for_selector(".puzzle-hints li")
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    words = page.inner_text("main")
    assert FOREIGN.findall(words) == [], words
    labels = page.eval_on_selector_all(
        "[aria-label]", "all => all.map(element => element.getAttribute('aria-label')).join('\\n')"
    )
    assert FOREIGN.findall(labels) == []
    assert "Yellow" in words or "Red" in words or "view=book" in address


def test_names_follow_the_colors(page: Any) -> None:
    page.goto("/?second=greedy&moves=4455&analysis=on")
    page.wait_for_selector(".explanation .claim")
    assert "You (Yellow)" in page.inner_text(".sides")
    assert "Yellow wins in 2 moves." in page.inner_text(".explanation")
    page.keyboard.press("f")
    page.wait_for_selector(".sides:has-text('You (Red)')")
    page.wait_for_selector(".explanation:has-text('Red wins in 2 moves.')")
    cell = page.get_attribute(".stage [data-cell='4,1']", "aria-label")
    assert cell == "column 4, row 1, Red"
    page.keyboard.press("f")


def test_two_quick_inputs_at_a_puzzle_are_one_column(page: Any) -> None:
    """Columns 6 and 6 solve this puzzle: the second one must be meant."""
    page.goto("/?view=puzzles&puzzle=2333")
    page.wait_for_selector("[data-state=asked]")
    page.keyboard.press("6")
    page.keyboard.press("6")
    page.wait_for_selector(".puzzle-message:has-text('Find the next column.')")
    page.wait_for_timeout(300)
    assert page.get_attribute(".puzzles-view", "data-state") == "asked"
    page.goto("/?view=puzzles&puzzle=2333")
    page.wait_for_selector("[data-state=asked]")
    page.dblclick(".stage [data-cell='6,1']")
    page.wait_for_selector(".puzzle-message:has-text('Find the next column.')")
    page.wait_for_timeout(300)
    assert page.get_attribute(".puzzles-view", "data-state") == "asked"
    page.focus(".stage [data-cell='6,1']")
    page.keyboard.down("Enter")  # held, while the next button gets the focus
    page.wait_for_selector("[data-state=over] :text-is('Next puzzle'):focus")
    page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    page.wait_for_timeout(300)
    assert page.get_attribute(".puzzles-view", "data-state") == "over"
    assert "&first=human&second=human&" in page.get_attribute("text=Analyze", "href")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-state=asked]")


def test_two_quick_clicks_in_the_editor_are_two_discs(page: Any) -> None:
    page.goto("/?second=human")
    page.click("summary:has-text('Share')")
    page.click("text=Set up a position")
    page.set_viewport_size({"width": 740, "height": 360})
    box = page.locator("dialog.editor [data-cell='3,1']").bounding_box()
    assert box["y"] + box["height"] < 360  # where discs land, on a phone held sideways
    page.set_viewport_size(DESKTOP)
    page.dblclick("dialog.editor [data-cell='3,1']")
    page.wait_for_selector("dialog.editor [role=status]:has-text('Yellow has 2 discs and Red 0')")


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
    page.click("nav [data-view=puzzles]")
    page.wait_for_url("**view=puzzles&**&puzzle=*")
    page.go_back()
    for come_back in (lambda: None, page.reload):
        come_back()
        page.wait_for_selector(".path .move >> nth=5")
        assert page.locator(".path .move").all_inner_texts() == ["start", *"44553"]
        page.wait_for_selector(".book-move >> nth=6")
        assert "moves=445533&at=5" in page.url
    page.click("nav [data-view=play]")
    page.click("nav [data-view=book]")  # it is the game that is shown again
    page.wait_for_selector(".path .move")
