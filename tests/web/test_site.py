"""The page as a site: static files in a subfolder, without a network after the first visit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from claimeven import Position, Solver
from claimeven.atomic_io import packed
from claimeven.puzzles import bundled_puzzles
from tests.browser import watched
from tests.web.conftest import PATIENCE, Server
from tests.web.pages import DESKTOP, PHONE, assert_accessible, drop, moves_of, rows, shows
from tests.web.static_server import serving

#: Ask the page's own modules, one request after the other.
ASK = """async asked => {
    const { get } = await import("./static/api.js");
    const found = [];
    for (const [path, query] of asked) found.push(await get(path, query));
    return found;
}"""
#: Store the site in the browser, as the page does, and wait for that.
READY = "() => navigator.serviceWorker.ready.then(found => found.active.state)"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address of the site, in a subfolder of a static server."""
    with serving(site, "clubs/four") as address:
        yield address


@pytest.fixture(scope="module")
def offline(browser: Any, address: str) -> Iterator[Any]:
    """A tab that has loaded the site once; since then there is no network."""
    context = browser.new_context(viewport=DESKTOP, base_url=address, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    page.goto("./")
    page.evaluate(READY)
    context.set_offline(True)
    yield page
    context.close()


@pytest.fixture
def page(offline: Any, address: str) -> Iterator[Any]:
    """The tab with checks: its console stays empty, and it asks only this site."""
    with watched(offline, address):
        yield offline


def random_moves(rng: random.Random, plies: int) -> str:
    """Return the moves of a random game of that length, which is not over."""
    while True:
        position, columns = Position(), []
        while position.ply < plies and not position.is_over:
            columns.append(rng.choice(position.legal_columns))
            position = position.play(columns[-1])
        if not position.is_over:
            return "".join(str(column + 1) for column in columns)


def review_of(moves: str) -> dict[str, Any]:
    """The query for a review of the moves after the first 20."""
    return {"position": rows(moves[:20]), "moves": moves[20:]}


def same_as_the_server(
    page: Any, server: Server, asked: list[tuple[str, dict[str, Any]]], *left_out: str
) -> list[Any]:
    """Compare the answers of the page with the ones of the server, but for some fields."""

    def kept(data: Any) -> Any:
        if isinstance(data, list):
            return [kept(each) for each in data]
        if not isinstance(data, dict):
            return data
        return {name: kept(value) for name, value in data.items() if name not in left_out}

    found = [kept(each) for each in page.evaluate(ASK, asked)]
    for (path, query), answer in zip(asked, found, strict=True):
        assert answer == kept(server.get(f"/{path}", **query).json), (path, query)
    return found


def test_scores_and_the_book_are_the_ones_of_the_server(page: Any, server: Server) -> None:
    rng = random.Random(5)
    page.goto("./?second=human")
    lines = [random_moves(rng, rng.choice((*range(9), *range(18, 36)))) for _ in range(200)]
    asked = [("api/scores", {"moves": moves}) for moves in lines]
    same_as_the_server(page, server, asked, "nodes", "seconds", "from_book")
    books = [("api/book", {"moves": moves[:9]}) for moves in lines]
    same_as_the_server(page, server, books)


def test_reviews_and_puzzles_are_the_ones_of_the_server(page: Any, server: Server) -> None:
    rng = random.Random(6)
    page.goto("./?second=human")
    reviews = [("api/review", review_of(random_moves(rng, 34))) for _ in range(5)]
    same_as_the_server(page, server, reviews, "claims", "reason")
    chosen = rng.sample(bundled_puzzles().puzzles, 60)
    puzzles = [("api/puzzles", {"number": puzzle.number}) for puzzle in chosen]
    days = [("api/puzzles/daily", {"date": f"2026-{month:02}-17"}) for month in range(1, 13)]
    same_as_the_server(page, server, [*puzzles, *days], "count")


def test_searches_are_the_ones_of_the_server(page: Any, server: Server) -> None:
    rng = random.Random(7)
    page.goto("./?second=human")
    asked = [
        ("api/search/minimax", {"agent": agent, "depth": depth, "moves": random_moves(rng, plies)})
        for agent in ("minimax", "alphabeta", "negamax")
        for depth, plies in ((2, 0), (3, 7), (3, 20))
    ]
    for answer in same_as_the_server(page, server, asked, "tree"):
        assert answer["total_steps"] > 10


def test_games_against_a_level_and_against_uct(page: Any) -> None:
    solver = Solver()
    page.goto("./?second=perfect:level%3D10")
    page.wait_for_selector(".hint-text:has-text('Plays perfectly.')")
    for count, column in enumerate((4, 4, 3), start=1):
        drop(page, column)
        page.wait_for_function(
            "n => document.querySelector('.moves').dataset.moves.length === n", arg=2 * count
        )
        moves = moves_of(page)
        scores = solver.scores(Position.from_moves(moves[:-1]))
        assert scores[int(moves[-1]) - 1] == max(score for score in scores if score is not None)
    page.goto("./?first=uct:iterations%3D500&second=human")
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length === 1")
    drop(page, 4)
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length === 3")


def test_analysis_review_puzzle_search_and_book_as_a_visitor_uses_them(page: Any) -> None:
    page.goto("./?second=human&moves=4455&analysis=on")
    page.wait_for_selector(".scores .best")
    shown = page.eval_on_selector_all(".scores button", "all => all.map(b => b.textContent)")
    exact = Solver().scores(Position.from_moves("4455"))
    assert [int(text.replace("\u2212", "-")) for text in shown] == list(exact)
    page.click("text=Review the game")
    page.wait_for_selector(".judgement:has-text('Accuracy')")
    page.click("text=Next mistake")
    page.wait_for_selector(".why:has-text('Mistake 1 of')")
    page.goto("./?second=greedy&moves=54346576414573")
    page.click("text=See your mistakes")
    page.wait_for_selector(".why:has-text('Red answers in column 6 and threatens to win in')")
    page.click("text=Practice as puzzles")
    page.wait_for_selector(".status:has-text('find a column that does not lose in 2 moves')")
    drop(page, 3)
    reason = "Column 3 loses, but no column holds out longer."
    page.wait_for_selector(f".puzzle-message:has-text('{reason}')")
    page.click("nav [data-view=puzzles]")
    page.wait_for_selector(".puzzle-about:has-text('rating')")
    page.goto("./?view=puzzles&puzzle=7")
    solution = bundled_puzzles().puzzles[6].solution
    for column in solution[::2]:
        page.wait_for_function("() => !document.querySelector('.board-view.closed')")
        page.wait_for_function(
            "n => document.querySelectorAll('.stage [data-player]:not([data-player=\"\"])').length"
            " % 2 === n",
            arg=bundled_puzzles().puzzles[6].position.ply % 2,
        )
        drop(page, column + 1)
    page.wait_for_selector(".puzzle-message:has-text('Solved')")
    page.goto("./?view=search&agent=alphabeta&on=4x4,3&depth=3&step=5")
    page.wait_for_selector(".node.here")
    assert "puct" not in page.inner_text(".search-view select >> nth=0").lower()
    page.goto("./?view=search&agent=uct&on=4x4,3&iterations=30&step=41")
    page.wait_for_selector(".step-words:has-text('Iteration 11')")
    page.goto("./?view=search&agent=negamax&on=leaves&leaves=3,12,8;2,4,6;14,5,2&step=13")
    page.wait_for_selector(".step-words:has-text('Cut at move 2: 2 moves skipped')")
    page.goto("./?view=book&moves=44")
    page.wait_for_selector(".book-move.best")
    assert page.inner_text(".card .hint-text >> nth=0").startswith("In the book")
    assert page.query_selector("nav [data-view=tournament]") is None
    page.goto("./?view=tournament&moves=44")
    shows(page, "44")


@pytest.mark.parametrize(
    ("query", "selector", "script"),
    [
        ("?moves=414&analysis=on&first=friend&second=human", ".scores .best", ""),
        ("?moves=44&first=friend", ".banner:visible", "delete globalThis.BigInt"),
    ],
)
def test_axe_finds_no_faults(
    browser: Any, address: str, query: str, selector: str, script: str
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    ).Axe()
    context = browser.new_context(base_url=address, bypass_csp=True, service_workers="block")
    context.add_init_script(script)
    page = context.new_page()
    page.goto(f"./{query}")
    page.wait_for_selector(selector)
    assert_accessible(page, axe)
    context.close()


def test_the_first_visit_of_the_play_view_loads_less_than_400_kb(
    browser: Any, address: str, site: Path
) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    asked: set[str] = set()
    context.on("request", lambda request: asked.add(request.url))
    page.goto(f"{address}?second=perfect:level%3D10&analysis=on")
    page.wait_for_selector(".scores .best")
    drop(page, 4)
    page.wait_for_function("() => document.querySelector('.moves').dataset.moves.length === 2")
    context.close()
    names = [urlsplit(url.removeprefix(address)).path or "index.html" for url in asked]
    sizes = {name: len(packed((site / name).read_bytes())) for name in names}
    assert {"index.html", "static/local/solver.wasm", "data/7x6.book"} <= set(sizes)
    assert "data/puzzles.json" not in sizes
    assert sum(sizes.values()) < 400_000, sizes
    modules = [(site / name).read_text() for name in names if name.endswith(".js")]
    assert not any(
        line.lstrip().startswith(("//", "/*")) for m in modules for line in m.split("\n")
    )


def test_the_page_fits_a_phone_also_with_the_row_of_a_link(browser: Any, address: str) -> None:
    context = browser.new_context(viewport={**PHONE, "width": 320}, base_url=address)
    page = context.new_page()
    for query in ("?second=friend&moves=4&first=human", "?analysis=on&second=human&moves=44"):
        page.goto(f"./{query}")
        page.wait_for_selector(".link-game:visible, .scores .best")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
    context.close()
