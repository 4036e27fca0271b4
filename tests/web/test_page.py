"""The page in a real browser, used as a person would."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from claimeven import Geometry, Position, Solver, play_tournament
from claimeven.arena.store.store import Store
from tests.web.conftest import Server, running
from tests.web.pages import (
    DESKTOP,
    PHONE,
    assert_accessible,
    beaten_by_agent,
    board_of,
    drop,
    moves_of,
    rows,
    shows,
    status,
)


def test_a_game_by_mouse_against_an_agent(lively_page: Any) -> None:
    page = lively_page
    page.goto("/?second=greedy")
    for _ in range(21):
        before = moves_of(page)
        column = next(c for c in "4352617" if before.count(c) < 6)
        drop(page, int(column))
        page.wait_for_function(
            "before => document.querySelector('.moves').dataset.moves.length === before + 2"
            " || /wins?|draw/.test(document.querySelector('.status').textContent)",
            arg=len(before),
        )
        moves = moves_of(page)
        assert board_of(page) == rows(moves)
        if (outcome := Position.from_moves(moves).outcome) is not None:
            words = {0: "You win!", 1: "Red (greedy) wins", None: "draw"}
            assert words[outcome.winner] in status(page)
            return
    raise AssertionError("the game has no end")


def test_perfect_play_as_first_player_does_not_lose(page: Any) -> None:
    page.goto("/?first=perfect:level=10&second=human")
    assert beaten_by_agent(page, random.Random(3)).winner == 0
    page.click("text=Play again")
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length === 1")


def test_a_game_by_keys_only(page: Any) -> None:
    page.goto("/?second=human")
    shows(page, "")
    page.keyboard.press("4")
    page.keyboard.press("4")
    shows(page, "44")
    page.focus(".stage [role=gridcell][tabindex='0']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    shows(page, "445")
    page.keyboard.press("u")
    shows(page, "44")
    page.keyboard.press("r")
    shows(page, "445")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Home")
    shows(page, "")
    page.keyboard.press("ArrowRight")
    shows(page, "4")
    page.keyboard.press("End")
    shows(page, "445")
    page.keyboard.press("Space")  # the best column
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length === 4")
    assert moves_of(page) in ("4453", "4456")  # the two that win
    page.keyboard.press("?")
    assert page.is_visible("dialog#help")
    assert page.locator("dialog#help dt").count() == page.locator("dialog#help dd").count() > 15
    assert "[object" not in page.inner_text("dialog#help")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog#help", state="hidden")
    page.keyboard.press("f")
    page.wait_for_selector("html.flipped")


def test_after_a_click_the_arrows_go_through_the_game(page: Any) -> None:
    page.goto("/?second=human")
    page.focus("fieldset.side select >> nth=0")
    drop(page, 4)
    shows(page, "4")
    page.keyboard.press("ArrowLeft")
    shows(page, "")
    page.keyboard.press("5")
    shows(page, "5")


def test_a_finished_game_takes_no_more_discs_and_names_the_winner(page: Any) -> None:
    page.goto("/?second=human&moves=121212")
    drop(page, 1)
    shows(page, "1212121")
    assert status(page).strip() == "Yellow wins."
    assert "Yellow wins." in page.inner_text("#announcements")
    assert page.locator(".marks .win").count() == 2
    drop(page, 5)
    assert moves_of(page) == "1212121"


def test_the_modules_of_the_first_view_are_requested_together(page: Any) -> None:
    page.goto("/", wait_until="networkidle")
    loaded, output = page.evaluate("""() => [
        performance.getEntriesByType("resource").map(it => new URL(it.name).pathname),
        [...document.querySelectorAll("link[rel=modulepreload], script")].map(
            it => new URL(it.href || it.src).pathname),
    ]""")
    assert sorted(output) == sorted({path for path in loaded if path.endswith(".js")})


def test_branches_are_kept_as_variations(page: Any) -> None:
    page.goto("/?second=human&moves=4433&at=2")
    shows(page, "44")
    drop(page, 5)
    shows(page, "445")
    assert page.inner_text(".moves .variation").startswith("(5")
    page.click(".moves .variation .move >> nth=0")
    shows(page, "445")
    page.click(".moves .move:not(.variation *) >> nth=3")
    shows(page, "4433")


def test_analysis_shows_the_scores_of_the_solver(page: Any) -> None:
    page.goto("/?second=human&moves=4455&analysis=on")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.scores button')]"
        ".every(button => /\\d/.test(button.textContent))"
    )
    shown = page.eval_on_selector_all(".scores button", "all => all.map(b => b.textContent)")
    exact = Solver().scores(Position.from_moves("4455"))
    assert [int(text.replace("\u2212", "-")) for text in shown] == list(exact)
    page.hover(".stage [data-cell='3,4']")  # over a column its words appear, as over its score
    words = page.eval_on_selector(".scores .shown", "it => getComputedStyle(it, '::after').content")
    assert words == '"wins in 2 moves"'
    cell = page.get_attribute(".stage [data-cell='3,1']", "aria-label")
    assert cell == "column 3, row 1, empty; wins in 2 moves"
    assert page.locator(".scores .best").count() == 2
    assert page.inner_text("#score-announcements") == "Best: column 3 or 6, wins in 2 moves."
    claim = page.locator(".explanation .has-cells").first
    claim.hover()
    assert page.locator("rect.lit").count() >= 1
    assert "wins" in page.inner_text(".explanation")


def test_a_score_of_two_digits_fits_the_bar(page: Any) -> None:
    page.goto("/?second=human&moves=4443533566&analysis=on")
    page.wait_for_selector(".bar span:has-text('\u221217')")
    wide = page.eval_on_selector(
        ".bar span",
        """it => {
            const range = document.createRange();
            range.selectNodeContents(it);
            return [range.getBoundingClientRect().width, it.parentElement.clientWidth];
        }""",
    )
    assert wide[0] <= wide[1]


def test_two_agents_play_each_other_and_can_be_paused(page: Any) -> None:
    page.goto("/?first=greedy&second=random&board=4x4&connect=4")  # a short game
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length >= 2")
    page.click("text=Pause")
    page.wait_for_selector("button:text-is('Resume')")
    stands = moves_of(page)
    page.click("text=One move")
    page.wait_for_function(
        "n => document.querySelector('.moves').dataset.moves.length === n", arg=len(stands) + 1
    )
    page.click("button:text-is('Resume')")
    page.wait_for_function("() => /wins|draw/.test(document.querySelector('.status').textContent)")
    assert Position.from_moves(moves_of(page), Geometry(4, 4, 4)).is_over


def test_a_pause_of_two_agents_ends_with_them(page: Any) -> None:
    page.goto("/?first=greedy&second=greedy")
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length >= 1")
    page.click("text=Pause")
    page.select_option("fieldset.side select >> nth=0", "human")
    page.click("text=New game")
    drop(page, 4)
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length === 2")


def test_the_options_of_a_level_are_shown_unchanged(page: Any) -> None:
    page.goto("/?second=perfect:level%3D4")
    page.wait_for_selector("text=Sees 67 % of wins")
    page.click("fieldset.side summary >> visible=true")
    page.fill("fieldset.side [data-option=level] >> visible=true", "10")
    page.keyboard.press("Tab")
    page.wait_for_selector("text=Plays perfectly.")
    assert "second=perfect:level=10" in page.url


def test_a_review_ends_when_the_game_continues(page: Any) -> None:
    page.goto("/?second=human&board=6x6&moves=333334")
    shows_moves = "() => document.querySelector('.moves').dataset.moves === '333334'"
    page.wait_for_function(shows_moves)
    page.click("text=Review the game")
    page.click("nav [data-view=puzzles]")
    page.wait_for_url("**view=puzzles&**&puzzle=*")
    address = page.url
    page.wait_for_timeout(600)
    assert page.url == address
    page.click("nav [data-view=play]")
    page.click("text=Review the game")
    page.click("text=New game")
    assert page.is_enabled("text=Review the game")
    assert "Solving the game" not in page.inner_text(".judgement")


def test_the_keys_keep_their_place(page: Any) -> None:
    page.goto("/?second=human&moves=4455")
    page.wait_for_selector(".moves .move >> nth=3")
    page.focus(".moves .move >> nth=1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".moves .move[aria-current] >> nth=0")
    assert page.evaluate("document.activeElement.matches('.moves .move[aria-current]')")
    page.goto("/?second=human&moves=4455667")
    page.wait_for_selector("text=Play again")
    page.focus("button:text-is('Play again')")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.matches('[role=gridcell]')")


def test_a_game_without_a_mistake_offers_no_next_one(page: Any) -> None:
    page.goto("/?second=human&moves=4444")
    page.click("text=Review the game")
    page.wait_for_selector(".judgement:has-text('Accuracy: Yellow 100 %, Red 100 %.')")
    assert not page.is_visible("text=Next mistake")


def test_a_game_is_judged_and_its_mistakes_found(page: Any) -> None:
    page.goto("/?second=human&moves=54346576414573")
    page.click("text=Review the game")
    page.wait_for_selector(".judgement:text-is('Accuracy: Yellow 49 %, Red 97 %.')")
    marked = page.locator(".moves .move:is(.inaccurate, .mistake, .blunder)")
    assert marked.all_inner_texts() == ["5?!", "3?!", "7??", "1?", "5?"]
    page.keyboard.press("Home")
    page.click("text=Next mistake")
    shows(page, "5434657")
    assert page.inner_text(".which") == "Mistake 1 of 3. Yellow plays column 7: a blunder ??"
    assert page.locator(".why .claim").all_inner_texts() == [
        "Column 7 loses in 2 moves instead of 15.",
        "Red answers in column 6 and threatens to win in columns 3 and 7: only one can be blocked.",
    ]
    page.click("text=Show a better column")
    page.wait_for_selector(".why p:text-is('Column 3 loses in 15 moves.')")
    page.click("text=Try again from here")
    shows(page, "543465")
    assert page.inner_text(".judgement") == "Find a better column than 7."
    assert page.locator(".why p").count() == 0  # no mistake of the other side
    drop(page, 7)  # the move of the game, which is judged already
    page.wait_for_selector(".which:has-text('Mistake 1 of 3')")
    page.click("text=Try again from here")
    drop(page, 1)
    page.wait_for_selector(
        ".judgement:has-text('Column 1 loses in 7 moves: not the best column either')"
    )
    page.click("text=Try again from here")
    shows(page, "543465")
    drop(page, 3)
    page.wait_for_selector(".judgement:text-is('Right: column 3 loses in 15 moves.')")
    page.click("text=Next mistake")
    shows(page, "5434657641")
    page.wait_for_selector(".why p:text-is('It misses immediate wins in columns 3 and 7.')")


def test_after_a_game_one_s_own_mistakes_are_walked_through(page: Any) -> None:
    page.goto("/?second=greedy&moves=54346576414573")
    page.click("text=See your mistakes")
    shows(page, "5434657")
    assert page.inner_text(".which") == "Mistake 1 of 1. You play column 7: a blunder ??"
    page.keyboard.press("m")  # the only one of yours
    shows(page, "5434657")
    assert page.is_visible("text=Practice as puzzles")
    page.goto("/?first=greedy&second=human&moves=54346576414573")
    page.evaluate("void (Storage.prototype.setItem = () => { throw new Error('full'); })")
    page.keyboard.press("m")
    shows(page, "5434657641")
    assert page.is_hidden("text=Practice as puzzles")
    assert page.inner_text(".which") == "Mistake 1 of 2. You play column 1: a mistake ?"
    page.goto("/?second=human&moves=4455667")
    page.wait_for_selector("text=See the mistakes")


def test_another_try_hides_the_scores(page: Any) -> None:
    page.goto("/?second=human&moves=5434657&analysis=on")
    page.keyboard.press("m")
    page.wait_for_selector(".why p")
    page.click("text=Try again from here")
    shows(page, "543465")
    assert page.locator(".scores .best").count() == page.locator(".names .best").count() == 0
    assert "win" not in status(page) and "lose" not in status(page)


def test_a_game_from_a_position_is_judged(page: Any, server: Server) -> None:
    start = rows("4")
    page.goto(f"/?second=human&position={start}&moves=455&analysis=on")
    page.click("text=Review the game")
    page.wait_for_selector(".judgement:has-text('Accuracy')")
    for moves in ("", "4", "45", "455"):
        page.keyboard.press("Home")
        for _ in moves:
            page.keyboard.press("ArrowRight")
        page.wait_for_function(
            "moves => document.querySelector('.moves').dataset.moves === moves", arg=moves
        )
        shown = page.eval_on_selector_all(".scores button", "all => all.map(b => b.textContent)")
        exact = server.get("/api/scores", position=start, moves=moves).json["scores"]
        assert [int(text.replace("\u2212", "-")) for text in shown] == exact


def test_a_board_too_large_to_solve_says_so(page: Any) -> None:
    page.goto("/?second=human&board=16x12&connect=5&analysis=on&moves=abc")
    page.wait_for_selector(".explanation:has-text('This board is too large for exact scores')")
    assert status(page).strip() == "Red to move."
    assert not page.is_visible(".bar") and not page.is_visible(".scores")
    page.keyboard.press("Space")
    page.wait_for_selector(".status:has-text('too large')")
    page.click("text=Review the game")
    page.wait_for_selector(".judgement:has-text('too large')")
    assert moves_of(page) == "abc"


def test_a_walk_through_the_game_is_announced(page: Any) -> None:
    page.goto("/?second=human&moves=4455")
    for key, output in (
        ("ArrowLeft", "At Yellow's move 2: column 5. Red to move."),
        ("Home", "At the start. Yellow to move."),
        ("4", "Yellow plays column 4. Red to move."),
    ):
        page.keyboard.press(key)
        page.wait_for_function(
            "told => document.getElementById('announcements').textContent.trim() === told",
            arg=output,
        )


def test_the_scores_over_the_game_go_with_the_analysis(page: Any) -> None:
    page.goto("/?second=human&moves=4455&analysis=on")
    page.wait_for_selector(".scores .best")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".graph svg")
    page.wait_for_selector(".scores .best")
    height = page.eval_on_selector(".bar .fill", "it => it.style.height")
    page.keyboard.press("a")
    page.wait_for_selector(".graph", state="hidden")
    page.click("text=Review the game")  # which shows it again
    page.wait_for_selector(".judgement:has-text('Accuracy')")
    assert page.is_visible(".graph svg")
    assert height == page.eval_on_selector(".bar .fill", "it => it.style.height")


def test_after_another_try_the_agent_answers_and_plays_the_next_game(page: Any) -> None:
    page.goto("/?first=human&second=greedy&moves=445566")
    page.click("text=Review the game")
    page.wait_for_selector(".judgement:has-text('Accuracy')")
    page.click("text=Next mistake")
    shows(page, "445")
    page.click("text=Try again from here")
    shows(page, "44")
    length = "n => document.querySelector('.moves').dataset.moves.length === n"
    drop(page, 4)
    page.wait_for_function(length, arg=4)
    page.click("text=New game")
    shows(page, "")
    drop(page, 4)
    page.wait_for_function(length, arg=2)


def test_small_phones_upright_and_sideways(page: Any) -> None:
    for width, height in ((320, 640), (844, 390)):
        page.set_viewport_size({"width": width, "height": height})
        for address in ("/?moves=4455&second=human&analysis=on", "/?view=puzzles", "/api"):
            page.goto(address)
            page.wait_for_selector(".scores .best, .disc, section")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            if grid := page.query_selector(".stage [role=grid]"):
                box = grid.bounding_box()
                assert box["y"] + box["height"] <= height
    page.goto("/?second=human")
    page.set_viewport_size({"width": 740, "height": 360})
    buttons = page.locator(".stage .controls button:visible").all()
    places = [button.bounding_box() for button in buttons]
    assert len(places) == 7
    assert max(place["y"] + place["height"] for place in places) <= 360
    page.set_viewport_size(DESKTOP)


def test_the_board_stays_where_it_is_when_the_analysis_comes(page: Any) -> None:
    page.goto("/?second=human&moves=4455")
    shows(page, "4455")
    grid = page.locator(".stage [role=grid]")
    before = grid.bounding_box()
    assert page.is_hidden(".scores")
    page.keyboard.press("a")
    page.wait_for_selector(".scores .best")
    assert grid.bounding_box() == before


@pytest.mark.parametrize("view", ["play", "puzzles", "search", "book", "tournament"])
def test_wide_letters_fit_a_narrow_screen(page: Any, view: str) -> None:
    """Fonts differ by half in width, and readers may set letters apart (WCAG 2.2, 1.4.12), or have
    text twice as large (1.4.4).
    """
    page.goto(f"/?view={view}")
    page.wait_for_selector("nav [aria-current=page]")
    if view == "book":
        page.wait_for_selector(".book-move.best")
    for style, value in (("letterSpacing", "0.12em"), ("fontSize", "2rem")):
        page.evaluate(f"document.documentElement.style.{style} = '{value}'")
        for width in (320, PHONE["width"]):
            page.set_viewport_size({**PHONE, "width": width})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate(f"document.documentElement.style.{style} = ''")
    page.set_viewport_size(DESKTOP)


def test_it_fits_a_phone(browser: Any, server: Server) -> None:
    context = browser.new_context(
        viewport=PHONE, base_url=server.url, reduced_motion="reduce", has_touch=True
    )
    page = context.new_page()
    page.goto("/?second=human")
    page.tap(".stage [data-cell='4,1']")
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves === '4'")
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        light = sum(map(int, ground[4:-1].split(", "))) > 3 * 128
        assert light == (scheme == "light")
    # A tap lights a sentence's cells up, with the board in sight, and another one puts them out.
    page.goto("/?second=human&moves=4455&analysis=on")
    page.tap(".claim.has-cells")
    assert page.locator("rect.lit").count() == 2
    assert page.locator(".stage [role=grid]").bounding_box()["y"] >= 0
    page.tap(".claim.has-cells")
    assert page.locator("rect.lit").count() == 0
    # The first tap on a score explains it in words, the second one plays.
    page.tap(".scores button >> nth=6")
    assert moves_of(page) == "4455"
    page.tap(".scores button.shown")
    shows(page, "44557")
    stands = page.evaluate("scrollY")
    page.tap("[aria-label^='Back']")
    shows(page, "4455")
    assert page.evaluate("scrollY") == stands  # walking through the game does not move the page
    # The board is in sight while one walks from mistake to mistake below it.
    page.goto("/?second=human&moves=5434657641")
    page.tap("text=Review the game")
    page.tap("text=Next mistake")
    shows(page, "5434657")
    assert page.locator(".stage [role=grid]").bounding_box()["y"] >= 0
    context.close()


@pytest.mark.parametrize(("size", "moves"), [("16x1", "a"), ("1x16", "1"), ("16x16", "abc")])
def test_boards_of_every_shape_fit(page: Any, size: str, moves: str) -> None:
    for window in (PHONE, {"width": 1280, "height": 800}):
        page.set_viewport_size(window)
        page.goto(f"/?board={size}&connect=2&moves={moves}&second=human&analysis=on")
        page.wait_for_selector(".scores .best, .explanation:has-text('too large')")
        assert page.evaluate("document.documentElement.scrollWidth") <= window["width"]
        grid = page.locator(".stage [role=grid]").bounding_box()
        assert grid["y"] + grid["height"] <= window["height"]
    page.set_viewport_size(DESKTOP)


def test_the_ladder_of_a_tournament_and_its_report(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "class.db"
    play_tournament(["random", "greedy"], rounds=3, out=path)
    with running("--workers", "1", "--store", str(path)) as server:
        page = browser.new_page(base_url=server.url)
        page.goto("/?view=tournament")
        page.wait_for_selector(".ladder tbody tr >> nth=1")
        assert page.inner_text(".card .hint-text") == "class.db: all 6 games are played."
        assert page.eval_on_selector("progress", "bar => bar.value") == 1
        # Every game is replayed to the board at its end.
        with Store.read(path) as store:
            games = list(store.games())
        page.click("[aria-label='To the end']")
        assert board_of(page, ".tournament") == rows(games[-1].all_moves)
        page.select_option(".tournament select", str(2))
        page.click("[aria-label='To the end']")
        assert board_of(page, ".tournament") == rows(games[1].all_moves)
        page.click("[aria-label='Back']")
        assert board_of(page, ".tournament") == rows(games[1].all_moves[:-1])
        page.click("[aria-label='To the start']")
        page.click(".tournament button:has-text('Resume')")
        page.wait_for_selector(f".hint-text:has-text('Move 2 of {len(games[1].all_moves)}.')")
        labels = page.eval_on_selector_all(".ladder tbody th", "all => all.map(e => e.textContent)")
        assert sorted(labels) == ["greedy", "random"]
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.click("text=Full report")
        page.wait_for_selector("h1")
        page.keyboard.press("End")
        assert "6 games" in page.inner_text("body")
        assert problems == []
        page.close()


def test_without_a_tournament_the_page_says_how_to_show_one(page: Any, server: Server) -> None:
    assert server.status()["store"] is None
    page.goto("/?view=tournament")
    page.wait_for_selector(".commands:has-text('claimeven serve --store games.db')")
    assert page.inner_text(".card .hint-text").endswith("started without a tournament.")
    assert page.is_hidden(".ladder")


@pytest.fixture(scope="module")
def judged(browser: Any, server: Server) -> Iterator[tuple[Any, Any]]:
    """A page, and axe to judge it by, which the policy of the server would keep out."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    ).Axe()
    context = browser.new_context(base_url=server.url, bypass_csp=True)
    yield context.new_page(), axe
    context.close()


@pytest.mark.parametrize(
    "address",
    [
        "/?moves=4455&analysis=on&second=human",
        "/?second=greedy&moves=54346576414573",
        "/?view=search",
        "/?view=search&agent=uct&iterations=20&step=41",
        "/?view=book",
        "/?view=puzzles",
        "/?view=tournament",
        "/api",
    ],
)
def test_axe_finds_no_faults(judged: tuple[Any, Any], address: str) -> None:
    page, axe = judged
    page.goto(address)
    page.wait_for_selector(".column, .node, .book-move, .disc, .commands, section, h2")
    if "54346" in address:
        page.keyboard.press("m")
        page.wait_for_selector(".why p")
    if address == "/api":  # a list of sections of one form
        page.evaluate(
            "document.querySelectorAll('section:nth-of-type(n + 8)').forEach(it => it.remove())"
        )
    assert_accessible(page, axe)


@pytest.mark.parametrize("view", ["toString", "constructor", "__proto__", "nosuch"])
def test_an_unknown_view_is_play(page: Any, view: str) -> None:
    page.goto(f"/?view={view}&moves=44")
    page.wait_for_selector("[role=gridcell]")
    assert moves_of(page) == "44"


def test_a_lost_server_is_reported_and_the_game_continues(browser: Any) -> None:
    """On every view, and in the middle of a search."""
    gone = "The server does not answer. Is it still running?"
    with running("--workers", "1", "--seconds", "60") as server:
        context = browser.new_context(
            viewport=DESKTOP, base_url=server.url, reduced_motion="reduce"
        )
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        with page.expect_response("**/api/scores/events?*"):
            page.goto("/?second=human&board=8x7&moves=1&analysis=on")
        server.process.kill()
        server.process.wait()
        page.wait_for_function("text => document.body.textContent.includes(text)", arg=gone)
        assert "network error" not in page.inner_text("body")
        before = page.url
        page.click("nav [data-view=puzzles]")
        page.wait_for_selector(".banner:not([hidden])")
        assert page.inner_text(".banner") == gone
        assert page.url == before
        page.keyboard.press("4")
        page.wait_for_function("() => document.querySelector('.moves').dataset.moves === '14'")
        assert problems == []
        context.close()
