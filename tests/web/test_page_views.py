"""Watching a search, the book, links, files and pictures of the page, in a real browser."""

from __future__ import annotations

import struct
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from claimeven import Geometry
from claimeven.records import GameRecord, write_text
from tests.web.conftest import Server
from tests.web.pages import DESKTOP, PHONE, board_of, drop, moves_of, rows, shows


def test_a_search_is_stepped_through(page: Any, server: Server) -> None:
    page.goto("/?view=search&agent=alphabeta")
    page.wait_for_selector(".search-tree")
    assert page.inner_text(".step-words").startswith("Visit the root")
    page.click("[aria-label='Last step']")
    assert "The root is worth" in page.inner_text(".step-words")
    assert page.locator(".node.cut").count() >= 1
    above = page.locator(".node").count()
    page.keyboard.press("w")  # the whole tree if it is small
    steps = server.get(
        "/api/search/minimax", board="4x4", connect=3, agent="alphabeta", depth=3, steps=500
    ).json["steps"]
    looked_at = {step["moves"] for step in steps}
    assert page.locator(".node:not(.skipped)").count() == len(looked_at) > above
    page.click(".node[data-moves='22']")
    assert page.inner_text(".step-words").startswith("Column 2, then 2 is worth")
    page.keyboard.press("w")
    page.click("[aria-label='Last step']")
    assert page.locator(".node[data-moves='221']").count() == 1  # opened nodes stay open
    page.click("[aria-label='Step back']")
    page.select_option(".search-view select >> nth=0", "uct")
    page.click(".search-view form button")
    page.wait_for_selector(".step-words:has-text('Iteration 1. Select')")
    for phase in ("Expand", "Simulate", "Back up"):
        page.click("[aria-label='Step on']")
        assert page.inner_text(".step-words").startswith(f"Iteration 1. {phase}: ")
        if phase == "Expand":
            assert page.inner_text(".step-words").endswith(
                "the root gets its children, columns 1, 2, 3, 4."
            )
    page.click("[aria-label='Last step']")
    page.wait_for_selector(".search-tree text:has-text('N 100')")
    page.select_option(".search-view select >> nth=0", "puct")
    page.click(".search-view form button")
    page.wait_for_selector(".step-words:has-text('of Q and bonus, to the root')")
    for words in ("columns 4, 3, 5, 2, 6, 1, 7.", "Evaluate: the model gives"):
        page.click("[aria-label='Step on']")
        assert words in page.inner_text(".step-words")
    # A search whose steps come slowly: the slider covers them all.
    page.select_option(".search-view select >> nth=0", "alphabeta")
    page.select_option(".search-view select >> nth=1", "7x6 4")
    page.fill(".search-view input[type=number]:visible", "5")
    page.click(".search-view form button")
    page.wait_for_selector(".step-words:has-text('Visit the root')")
    page.keyboard.press("End")
    page.wait_for_selector(".step-words:has-text('The root is worth')")
    output = page.inner_text(".search-view .hint-text >> nth=0")
    assert output.startswith("step 2,762 of 2,762 · 1,290 nodes")


def test_entries_of_the_table_are_shown(page: Any) -> None:
    page.goto("/?view=search&agent=negamax&depth=4&step=53")
    page.wait_for_selector(
        ".step-words:has-text('found in the transposition table: the same discs as after 2, 3, 2, 1"
        " in step 42.')"
    )
    assert page.locator(".node text:has-text('1298 ≡')").count() == 1
    # Five rows of nodes fit the window, as lecturers with a projector expect.
    assert page.locator(".node >> nth=-1").get_attribute("data-moves") == "2124"
    for node in page.locator(".node").all():
        box = node.bounding_box()
        assert box["y"] + box["height"] <= page.viewport_size["height"]


def test_the_address_names_a_search_and_its_step(page: Any) -> None:
    page.goto("/?moves=44&second=human")
    page.click("nav [data-view=search]")
    page.wait_for_selector(".search-tree")
    page.select_option(".search-view select >> nth=0", "uct")
    page.select_option(".search-view select >> nth=1", "game")
    page.fill(".search-view input[type=number]:visible", "30")
    page.click(".search-view form button")
    page.wait_for_selector(".step-words:has-text('Iteration 1. Select')")
    page.focus(".tree")
    page.keyboard.press("End")
    page.keyboard.press("w")
    page.wait_for_url("**agent=uct&iterations=30&on=game&step=120&tree=whole")
    nodes = page.locator(".node").count()
    page.reload()
    page.wait_for_selector(".step-words:has-text('Iteration 30. Back up')")
    assert page.locator(".node").count() == nodes > 30


def test_an_invalid_link_to_a_search_is_reported(page: Any) -> None:
    page.goto("/?view=search&agent=nosuch&depth=999&on=5x4,4")
    page.wait_for_selector(".step-words:has-text('Visit the root')")
    assert page.inner_text(".search-view [role=alert]") == (
        "This link cannot be shown as it is, because of invalid values: agent nosuch,"
        " depth 999 (1 to 12)."
    )
    page.wait_for_url("**agent=alphabeta&depth=3&on=5x4,4&step=1")
    page.click(".search-view form button")
    assert page.inner_text(".search-view [role=alert]") == ""


@pytest.mark.parametrize("agent", ["alphabeta", "uct", "puct"])
@pytest.mark.parametrize("whole", [False, True])
def test_words_stay_inside_the_boxes_of_a_tree(page: Any, agent: str, whole: bool) -> None:
    page.goto(f"/?view=search&moves=44&on=game&agent={agent}&iterations=50&depth=4&step=120")
    page.wait_for_selector(".search-tree")
    if whole:
        page.keyboard.press("w")
    outside = page.evaluate(
        """() => [...document.querySelectorAll(".node")].flatMap((node) => {
            const box = node.querySelector("rect").getBBox();
            return [...node.querySelectorAll("text")]
                .map((text) => [text.getBBox(), text.textContent])
                .filter(([inner]) => inner.x < box.x || inner.x + inner.width > box.x + box.width)
                .map(([inner, words]) => `${words}: ${inner.width} of ${box.width}`);
        })"""
    )
    assert outside == []
    assert page.locator(".node text").count() > 3


def test_a_missing_puzzle_is_reported(context: Any) -> None:
    page = context.new_page()  # not watched: a browser reports each refusal in its console
    page.goto("/?view=puzzles&puzzle=99999999")
    page.wait_for_selector(".puzzle-message:has-text('the number of a puzzle must be 1 to')")
    shown = page.locator(".puzzles-view .controls button:visible")
    assert shown.all_inner_texts() == ["Next puzzle"]
    assert page.locator(".puzzle-progress dd").count() > 1
    page.click("text=Next puzzle")
    page.wait_for_selector(".puzzles-view[data-state=asked]")
    page.route("**/api/puzzles?*", lambda route: route.abort())
    page.click("text=Next puzzle")
    page.wait_for_selector(".puzzle-message p")
    assert page.inner_text(".puzzle-message") == "The server does not answer. Is it still running?"
    page.close()


def test_a_failed_search_removes_the_earlier_tree(context: Any) -> None:
    page = context.new_page()  # not watched: a browser reports each refusal in its console
    page.goto("/?view=search&board=5x5&agent=puct&on=game&step=junk&depth=99")
    page.wait_for_selector(".step-words:has-text('the model knows 7x6 connect 4, not 5x5')")
    page.select_option(".search-view select >> nth=0", "alphabeta")
    page.click(".search-view form button")
    page.wait_for_selector(".step-words:has-text('Visit the root')")
    assert page.locator(".stage [data-cell], .search-stage [data-cell]").count() == 25
    page.select_option(".search-view select >> nth=0", "puct")
    page.click(".search-view form button")
    page.wait_for_selector(".step-words:has-text('the model knows')")
    assert page.locator(".node").count() == 0
    page.close()


def test_the_opening_book_is_walked(page: Any) -> None:
    page.goto("/?view=book")
    page.wait_for_selector(".book-move >> nth=6")
    assert " ".join(page.inner_text(".book-move >> nth=0").split()) == "4 +1 wins in 21 moves best"
    page.click(".book-move >> nth=0")
    page.wait_for_function("() => document.querySelector('.path').innerText.includes('4')")
    page.wait_for_selector(".book-move >> nth=6")
    assert page.locator(".book-move").count() == 7


def test_the_last_ply_of_the_book_is_worked_out(page: Any, server: Server) -> None:
    """A position that the book holds, and whose moves lead out of it: with few empty cells."""
    output = server.get("/api/book", board="7x6", connect=4).json
    moves = "234125166"
    assert output["book_plies"] in (9, 12)
    if output["book_plies"] == 12:  # a deep book was imported here
        moves = "214646545672"
    page.goto(f"/?view=book&second=human&moves={moves}")
    page.wait_for_selector("text=the solver computes the scores")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.book-move')].length > 3"
        " && ![...document.querySelectorAll('.book-move')].some((e) => e.innerText.includes('…'))",
        timeout=120_000,
    )
    page.click("nav [data-view=play]")
    page.keyboard.press("h")
    page.wait_for_function("() => document.querySelector('.status').innerText.includes('olumn')")


def test_going_back_to_a_game_after_a_reload_brings_it_back(page: Any) -> None:
    page.goto("/?second=human&first=uct:iterations%3D20&at=5&moves=44455")
    shows(page, "44455")
    page.click("nav [data-view=puzzles]")
    page.wait_for_url("**view=puzzles&**&puzzle=*")
    page.reload()
    page.go_back()
    shows(page, "44455")
    assert "first=uct:iterations=20" in page.url and "second=human" in page.url
    entries = page.evaluate("history.length")
    page.click("nav [data-view=play]")
    assert page.evaluate("history.length") == entries  # it is here already


def test_a_search_can_be_gone_on_with_after_another_view(page: Any) -> None:
    page.goto("/?view=search&agent=uct&iterations=200&on=4x4,3")
    page.wait_for_selector(".step-words:has-text('Iteration 1. Select')")
    page.click("nav [data-view=play]")
    page.click("nav [data-view=search]")
    page.click("[aria-label='Last step']")
    page.wait_for_selector(".step-words:has-text('Iteration 200. Back up')")
    page.goto("/?view=search&agent=puct&on=4x4,3")
    page.wait_for_selector("[role=alert]:has-text('board 4x4,3 for puct')")


def test_the_address_of_a_search_has_its_position(page: Any) -> None:
    page.goto("/?second=human&moves=44")
    shows(page, "44")
    page.click("nav [data-view=search]")
    page.select_option(".search-view select >> nth=1", "game")
    page.click(".search-view form button")
    page.wait_for_url("**moves=44&*on=game*")
    page.click("nav [data-view=play]")
    drop(page, 5)
    shows(page, "445")
    page.click("nav [data-view=search]")
    page.wait_for_url("**moves=445&*on=game*")
    assert page.locator(".search-view [data-cell][data-player]:not([data-player=''])").count() >= 3


def test_a_link_brings_the_game_back(page: Any, context: Any) -> None:
    page.goto("/?second=human&board=9x7&connect=5&moves=55")
    drop(page, 6)
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves === '556'")
    address = page.url
    other = context.new_page()
    other.goto(address)
    other.wait_for_function("() => document.querySelector('.moves').dataset.moves === '556'")
    assert other.locator(".stage [data-cell]").count() == 63
    # No agent takes a seat in a game between two humans.
    page.goto("/?second=human&moves=44")
    drop(page, 5)
    page.wait_for_url("**moves=445*")
    other.goto(page.url)
    sides = "fieldset.side select >> nth="
    other.wait_for_function("() => document.querySelectorAll('fieldset.side option').length > 20")
    assert [other.input_value(f"{sides}{side}") for side in (0, 1)] == ["human", "human"]
    other.close()


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("moves=44444444", "Move 7 cannot be played: column 4 is full."),
        ("board=3x2&position=X../...", "A disc floats in column 1."),
        ("board=3x2&position=.../XX.", "Yellow has 2 discs and Red 0:"),
        ("board=3x2&connect=2&position=OO./XX.", "The side to move already has a line:"),
        ("board=3x2&position=.../Z..", "A cell must be X, O or a dot, got “Z”"),
        ("connect=4.5", "Connect must be 2 to 8 discs."),
    ],
)
def test_an_invalid_link_is_reported(page: Any, asked: str, why: str) -> None:
    page.goto(f"/?{asked}")
    assert page.inner_text("[role=alert]").startswith(f"This link cannot be shown: {why}")


def test_a_problem_stays_until_the_user_continues(page: Any) -> None:
    page.goto("/?moves=99&first=greedy&second=human")
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length === 1")
    assert page.inner_text("[role=alert]").startswith("This link cannot be shown")
    drop(page, 2)
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length >= 2")
    assert page.locator(".banner").is_hidden()


def test_an_agent_that_cannot_play_is_reported(page: Any) -> None:
    page.goto("/?second=nobody")
    page.wait_for_selector(".status:has-text('no agent “nobody”: a human plays instead.')")
    page.goto("/?first=human&second=perfect&board=16x12&connect=5")
    page.wait_for_selector(".status:has-text('Perfect does not play on this board: uct plays')")


def test_a_position_is_set_up_and_moves_are_loaded(page: Any) -> None:
    page.goto("/?second=human")
    page.click("summary:has-text('Share')")
    page.click("text=Load moves")
    page.wait_for_selector("text=Type moves first")
    for typed, count in (("4", "1 move loaded."), ("4 4 5 5", "4 moves loaded.")):
        page.fill("input[aria-label=Moves]", typed)
        page.click("text=Load moves")
        shows(page, typed.replace(" ", ""))
        assert page.inner_text("details [role=status]") == count
    page.fill("input[aria-label=Moves]", "44x")
    page.click("text=Load moves")
    assert "A column must be 1 to 7, got “x”." in page.inner_text("details [role=status]")
    page.click("text=Set up a position")
    page.click("dialog.editor button:text-is('Empty')")
    page.click("dialog.editor [data-cell='3,1']")
    page.click("dialog.editor [data-cell='4,1']")
    page.click("dialog.editor >> text=Start from here")
    output = "Yellow has 2 discs and Red 0: players take turns."
    assert page.inner_text("dialog.editor [role=status]") == output
    page.click("dialog.editor >> text=remove")
    page.click("dialog.editor [data-cell='4,1']")
    assert page.inner_text("dialog.editor [role=status]") == "Red to move."
    page.click("dialog.editor >> text=Start from here")
    page.wait_for_selector("dialog.editor", state="detached")
    assert board_of(page).endswith("/..X....")
    assert "position=" in page.url


def test_pictures_of_the_board_are_saved(page: Any) -> None:
    page.goto("/?second=human&moves=4455")
    page.click("summary:has-text('Share')")
    pictures = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.click(f"text=Save {kind}")
        assert download.value.suggested_filename == f"connect-four-4455.{kind.lower()}"
        pictures[kind] = Path(download.value.path()).read_bytes()
    drawing = ElementTree.fromstring(pictures["SVG"])
    kinds = [element.tag.rpartition("}")[2] for element in drawing.iter()]
    assert kinds.count("text") == 7
    assert [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")] == [*"1234567"]
    assert b"class=" not in pictures["SVG"] and b"var(" not in pictures["SVG"]
    assert pictures["PNG"].startswith(b"\x89PNG")
    size = struct.unpack(">II", pictures["PNG"][16:24])
    assert size == (int(drawing.attrib["width"]), int(drawing.attrib["height"]))


def test_files_of_games_are_opened(page: Any, tmp_path: Path) -> None:
    games = [
        GameRecord((0, 1, 0, 1, 0, 1, 0), first="ann", second="bob"),
        GameRecord((4, 4), Geometry(5, 4, 3)),
    ]
    replays = tmp_path / "replays.json"
    replays.write_text(write_text(games, "kaggle"))
    page.goto("/?second=greedy")
    page.click("summary:has-text('Share')")
    output = "details [role=status]"
    page.set_input_files("input[type=file]", replays)
    shows(page, "1212121")
    assert "Game 1 of 2: ann against bob, 7 discs, Yellow won." in page.inner_text(output)
    page.select_option("[aria-label='Game of the file']", "1")
    page.wait_for_function("() => document.querySelectorAll('.stage [data-cell]').length === 20")
    assert moves_of(page) == "55"
    assert page.input_value("[aria-label='Board, columns x rows']") == "5x4"
    row = tmp_path / "connect-4.data"
    row.write_text(write_text([GameRecord((3,), label="win")], "uci"))
    page.fill("[aria-label='Board, columns x rows']", "7x6")
    page.fill("[aria-label='Discs in a line that win']", "4")
    page.click("button:text-is('Use')")
    page.set_input_files("input[type=file]", row)
    shows(page, "4")
    assert "the order of the discs is made up" in page.inner_text(output)
    assert page.locator("[aria-label='Game of the file']").is_hidden()
    moves = tmp_path / "games.txt"
    moves.write_text("4x\n4455\n")
    page.set_input_files("input[type=file]", moves)
    shows(page, "4455")
    assert "1 cannot be read (line 1: move 2: 'x' is not a column" in page.inner_text(output)


def test_seconds_a_move_are_in_the_address(page: Any) -> None:
    page.goto("/?second=greedy&second-seconds=0.5&first-seconds=junk")
    page.click("fieldset:has-text('Red') >> text=Options")
    seconds = page.locator("fieldset:has-text('Red') label:has-text('seconds') input")
    assert seconds.input_value() == "0.5"
    seconds.fill("0.25")
    seconds.press("Tab")
    page.wait_for_url("**second-seconds=0.25*")
    assert "first-seconds" not in page.url


def test_the_page_shows_the_compilation_to_its_end(page: Any) -> None:
    status = {"ready": False, "compiling": True, "steps_done": 0, "steps": 9}
    page.route("**/api/status", lambda route: route.fulfill(json=status))
    status["preparing"] = "the solver"
    page.goto("/")
    page.wait_for_selector(
        ".compile-banner:has-text('the solver (1 of 9). The page works after it.')"
    )
    status |= {"preparing": "UCT", "steps_done": 1}
    page.wait_for_selector(
        ".compile-banner:has-text('UCT (2 of 9). Everything else works already.')"
    )
    status |= {"compiling": False, "preparing": "its workers"}
    page.wait_for_selector(".compile-banner", state="hidden")
    status["ready"] = True
    page.wait_for_selector(".compile-banner", state="detached")
    page.unroute("**/api/status")


def test_the_ladder_grows_while_games_are_read_and_fits_long_names(page: Any) -> None:
    long = "an_agent_with_a_long_name_" * 12
    names = [long, "<b>uct</b>:iterations=300", "bob"]
    live: dict[str, Any] = {
        "store": "class.db", "games_read": 1200, "games_stored": 1_000_000, "version": "a",
        "standings": {
            "games": 1200,
            "agents": [{"label": name, "wins": 5, "draws": 1, "losses": 2} for name in names],
            "ratings": {
                "ratings": [
                    {"agent": name, "elo": 12.5, "elo_interval_95": None, "games": 8, "points": 5.5}
                    for name in names
                ]
            },
        },
    }  # fmt: skip
    page.route("**/api/status", lambda route: route.fulfill(json={"store": "class.db"}))
    held: list[Any] = []
    page.route("**/api/tournament", lambda route: held.append(route))  # noqa: PLW0108 - as it takes it

    def answer(live: dict[str, Any]) -> None:
        while not held:
            page.wait_for_timeout(50)
        held.pop().fulfill(json=live)

    for window in (PHONE, DESKTOP):
        page.set_viewport_size(window)
        page.goto("/?view=tournament")
        # Something is there before the first answer.
        page.wait_for_selector(".hint-text:has-text('class.db: reading the games …')")
        answer(live)
        page.wait_for_selector(".hint-text:has-text('1,200 of 1,000,000 games read.')")
        labels = page.eval_on_selector_all(".ladder tbody th", "all => all.map(e => e.textContent)")
        assert labels == names
        assert page.inner_text(".ladder tbody td >> nth=2") == "\u2013"
        assert page.inner_text(".ladder tbody td >> nth=7") == "5\u00bd"
        assert page.evaluate("document.documentElement.scrollWidth") <= window["width"]
    live |= {"games_read": 1_000_000, "version": "b"}
    live["standings"]["ratings"]["ratings"][0]["elo_interval_95"] = [-3, 28]
    live["standings"]["games"] = 1_000_000
    answer(live)
    page.wait_for_selector(".hint-text:has-text('class.db: 1,000,000 games so far.')")
    assert page.inner_text(".ladder tbody td >> nth=2") == "\u22123 to +28"
    assert page.is_hidden("progress") and page.is_hidden(".tournament select")
    # With a plan: the time left, ties, moved places, forfeits, and the newest game on a board.
    forfeit = {"game": 999_999, "fault_by": long, "fault": "crash", "reason": "<i>broken</i>"}
    newest = {
        "game": 1_000_000, "first": long, "second": "bob", "opening": "44", "moves": "4455667",
        "winner": long, "result": "first", "fault": None, "fault_by": None,
    }  # fmt: skip
    live |= {
        "version": "c", "games_planned": 2_000_000, "games_per_second": 500, "round": 7,
        "last_game_at": time.time(), "moved": {"bob": 2, long: -1}, "board": "7x6", "connect": 4,
        "start": "/".join(["......."] * 6), "newest": [newest],
        "newest_forfeits": [forfeit],
    }  # fmt: skip
    live["standings"]["agents"][0]["forfeits"] = {"crash": 3, "time": 1}
    for row, rank in zip(
        live["standings"]["ratings"]["ratings"], ([1, 2], [1, 2], [3, 3]), strict=True
    ):
        row["rank"] = rank
    answer(live)
    page.wait_for_selector(".hint-text:has-text('1,000,000 of 2,000,000 games, about 33 minutes')")
    assert page.eval_on_selector("progress", "bar => bar.value") == 0.5
    places = page.eval_on_selector_all(
        ".ladder tbody td:first-child", "all => all.map(e => e.textContent)"
    )
    down, up = "down 1 place since round 7 began", "up 2 places since round 7 began"
    assert places == [f"\u25bc1 {down} 1\u20132", "1\u20132", f"\u25b22 {up} 3"]
    assert page.inner_text(".leader").startswith("2 agents share first place")
    assert page.inner_text(".forfeits").endswith(
        "crash 3, late answer 1\n\nGame 999,999: <i>broken</i>"
    )
    assert board_of(page, ".tournament") == rows("4455667")  # less motion: as it ended
    # Lines of a name end after its signs, and on a tablet the buttons of the board are in sight.
    lines = """name => [...name.childNodes].filter(node => node.data).map(node => {
        const range = document.createRange();
        range.selectNode(node);
        return range.getClientRects().length;
    })"""
    assert page.eval_on_selector(".ladder tr:nth-child(2) .name", lines) == [1, 1]
    page.set_viewport_size({"width": 768, "height": 1024})
    last = page.locator("[aria-label='To the end']").bounding_box()
    assert last["y"] + last["height"] < 1024
    assert page.evaluate("document.documentElement.scrollWidth") <= 768
    # A running game is followed, until it is one of the newest games.
    game = {"game": 1_000_001, "first": "bob", "second": long, "opening": "", "to_move": long}
    for version, moves in (("c1", "123"), ("c2", "12345")):
        answer(live | {"version": version, "running": {**game, "moves": moves}})
        page.wait_for_selector(f".tournament :text('move {len(moves)}, {long} to move.')")
        assert board_of(page, ".tournament") == rows(moves)
    over = {**newest, **game, "moves": "1234567", "winner": "bob"}
    answer(live | {"version": "c3", "newest": [over, newest], "running": {**game, "moves": "12"}})
    page.wait_for_selector(".tournament :text('bob wins.')")
    assert board_of(page, ".tournament") == rows("1234567")
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.get_attribute(".tournament .hint-text >> nth=0", "role") is None
    live |= {"version": "d", "last_game_at": time.time() - 7200}
    answer(live)
    page.wait_for_selector(".hint-text:has-text('games, and no new one for 2 hours.')")
    live |= {"version": "e", "games_stored": 2_000_000, "games_read": 2_000_000}
    live["standings"]["games"] = 2_000_000
    live["standings"]["ratings"]["ratings"][0]["rank"] = [1, 1]
    live["standings"]["ratings"]["ratings"][1]["rank"] = [2, 2]
    answer(live)
    page.wait_for_selector(
        "#announcements:has-text('all 2,000,000 games are played.')", state="attached"
    )
    assert page.inner_text(".leader") == f"{long} is first."
    # An answer that fails is reported, and the view is shown again after it.
    while not held:
        page.wait_for_timeout(50)
    held.pop().fulfill(body="{")
    page.wait_for_selector(".hint-text:has-text('The server does not answer.')")
    shown = (".ladder", "progress", ".tournament select", ".forfeits", ".leader", "a[href=report]")
    assert not any(page.is_visible(each) for each in shown)
    answer(live)
    for each in shown:
        page.wait_for_selector(each)
    live |= {"version": "f", "games_read": 0, "games_stored": 0}
    live["standings"] = {"games": 0, "agents": [], "ratings": None}
    live |= {"newest": [], "newest_forfeits": []}
    answer(live)
    page.wait_for_selector(".hint-text:has-text('class.db: no game is finished yet.')")
    assert not any(page.is_visible(each) for each in (".ladder", ".tournament select", ".forfeits"))
    page.unroute("**/api/tournament")
    page.unroute("**/api/status")
