"""The boards in the documents: their addresses are valid, and a reader can use them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl

import pytest
from doctools import hooks

from claimeven import Geometry, Position
from claimeven.agents.registry import build
from claimeven.puzzles.puzzle import bundled_puzzles
from claimeven.web import search_traces
from tests.browser import watched
from tests.docs.examples import ROOT
from tests.web.static_server import serving

DOCS = ROOT / "docs"
LINK = re.compile(r'^\[.+\]\(\S+ "board (.*)"\)$', re.M)
BOARDS = [
    (page.relative_to(DOCS).as_posix(), query)
    for page in sorted(DOCS.rglob("*.md"))
    for query in LINK.findall(page.read_text("utf-8"))
]
#: The parameters of each view.
GAME = {"board", "connect", "moves", "at", "second", "analysis", "embed"}
SEARCH = {"view", "board", "connect", "moves", "on", "agent", "depth", "iterations", "step"}
#: A page with only its own files, and no inline code.
PLAIN = (
    '<!doctype html><html lang="en"><title>x</title>'
    '<meta http-equiv="Content-Security-Policy" content="default-src \'self\'">'
    f'{"<br>" * 99}<p><a class="claimeven-board"'
    ' href="board/?embed=game&moves=44&second=human">Play on</a></p>'
    '<script src="board/static/embed.js" defer></script></html>'
)


def test_lessons_have_boards() -> None:
    pages = {page for page, _ in BOARDS}
    assert len(BOARDS) >= 12
    assert {f"tutorial/{name}.md" for name in ("game", "minimax", "alphabeta", "uct")} <= pages
    assert {"puzzles.md", "explain.md"} <= pages


@pytest.mark.parametrize(("page", "query"), BOARDS, ids=[page for page, _ in BOARDS])
def test_an_address_is_a_valid_view(page: str, query: str) -> None:
    pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True)
    asked = dict(pairs)
    assert len(asked) == len(pairs)
    columns, rows = map(int, asked.get("board", "7x6").split("x"))
    geometry = Geometry(columns, rows, int(asked.get("connect", 4)))
    position = Position.from_moves(asked.get("moves", ""), geometry)
    view = asked.get("view", "play")
    if view == "puzzles":
        assert set(asked) == {"view", "puzzle"}
        assert 1 <= int(asked["puzzle"]) <= len(bundled_puzzles().puzzles)
    elif view == "search":
        assert set(asked) <= SEARCH
        assert asked["on"] == "game"
        if "depth" in asked:
            depth = int(asked["depth"])
            found = search_traces.minimax(
                None, position, asked["agent"], depth, 0, 1, tree_depth=1, tree_nodes=1
            )
            steps = found["total_steps"]
        else:
            iterations = int(asked["iterations"])
            found = search_traces.montecarlo(
                None, position, asked["agent"], iterations, 0, 1, 1, False, 1, 1
            )
            steps = 4 * found["total_steps"]
        assert 1 <= int(asked.get("step", 1)) <= steps
    else:
        assert view == "play"
        assert set(asked) <= GAME
        assert not position.is_over
        assert int(asked.get("at", 0)) <= position.ply
        assert asked["second"] == "human" or build(asked["second"])


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one built page, in a folder of a server of plain files."""
    api = pytest.importorskip("mkdocs.config", reason="mkdocs is not installed")
    from mkdocs.commands.build import build as build_pages

    root = tmp_path_factory.mktemp("served")
    config = api.load_config(
        str(ROOT / "mkdocs.yml"), site_dir=str(root / "docs"), plugins=[], nav=[], extra={},
        exclude_docs="*.md\n*.ipynb\n!/tutorial/alphabeta.md\n!/tutorial/game.md\n!/tutorial/uct.md",
    )  # fmt: skip
    build_pages(config)
    (root / "docs" / "plain.html").write_text(PLAIN, "utf-8")
    # A page whose style comes from a cache may be laid out late, with its board near the top.
    with serving(root / "docs", "course", changed={}) as address:
        yield address.removesuffix("/")


@pytest.fixture(scope="module")
def tab(browser: Any) -> Any:
    """A tab of a phone."""
    return browser.new_page(viewport={"width": 390, "height": 400}, reduced_motion="reduce")


@pytest.fixture
def page(tab: Any, address: str) -> Iterator[Any]:
    """A page whose console stays empty."""
    with watched(tab, address):
        yield tab


def board_in(page: Any) -> Any:
    """Scroll to the first board of a page, which is loaded only then; return its frame."""
    assert page.locator("iframe").count() == 0
    page.locator("a.claimeven-board").scroll_into_view_if_needed()
    page.wait_for_selector("iframe.claimeven-frame")
    frame = page.frame_locator("iframe.claimeven-frame")
    frame.locator(".board-view .disc").first.wait_for()
    # The frame is as high as its page, and not wider than the lesson.
    page.wait_for_function("""() => {
        const frame = document.querySelector("iframe");
        const { body } = frame.contentDocument;
        return frame.clientHeight >= body.offsetHeight && body.scrollWidth <= frame.clientWidth;
    }""")
    return frame


@pytest.mark.browser
def test_a_reader_drops_a_disc_in_a_lesson(page: Any, address: str) -> None:
    page.goto(f"{address}/tutorial/game.html")
    frame = board_in(page)
    frame.locator("[data-cell='4,6']").click()
    frame.locator(".status:has-text('Yellow wins.')").wait_for()
    link = page.locator("a.claimeven-board")
    assert link.get_attribute("href").endswith("/board/?moves=1223433446&second=human")
    assert link.inner_text() == f"{page.get_attribute('iframe', 'title')} (full page)"


@pytest.mark.browser
def test_a_reader_steps_through_a_search_with_the_keys(page: Any, address: str) -> None:
    page.goto(f"{address}/tutorial/alphabeta.html")
    frame = board_in(page)
    frame.locator(".step-words:has-text('can already get alpha')").wait_for()
    page.focus("iframe")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    frame.locator(".step-words:has-text('The root is worth 5')").wait_for()


@pytest.mark.browser
def test_a_search_shows_the_visits_that_its_link_names(page: Any, address: str) -> None:
    page.goto(f"{address}/tutorial/uct.html")
    link = page.locator("a.claimeven-board").last
    assert "after 300 iterations: column 3 has the most visits" in link.inner_text()
    link.scroll_into_view_if_needed()
    frame = page.frame_locator("a.claimeven-board:has-text('300') + iframe")
    frame.locator(".step-words:has-text('Iteration 300. Back up')").wait_for()
    texts = frame.locator(".node").all_text_contents()
    visits = {t[7]: int(re.findall(r"N (\d+)", t)[0]) for t in texts[1:8]}
    assert max(visits, key=visits.__getitem__) == "3"


@pytest.mark.browser
def test_a_strict_policy_allows_a_board(page: Any, address: str) -> None:
    page.goto(f"{address}/plain.html")
    frame = board_in(page)
    assert frame.locator(".moves").get_attribute("data-moves") == "44"
    link = page.locator("a.claimeven-board").get_attribute("href")
    assert link.endswith("/board/?moves=44&second=human")


def test_a_link_in_a_page_becomes_the_link_of_a_board() -> None:
    text = '[Play](../site.md "board moves=44&second=human")'
    html = hooks.with_inclusions(text, DOCS / "tutorial" / "x.md")
    address = "../board/?moves=44&amp;second=human"
    assert html == f'<p><a class="claimeven-board" href="{address}">Play</a></p>'
    page = SimpleNamespace(file=SimpleNamespace(src_path="tutorial/x.md", src_uri="tutorial/x.md"))
    whole = hooks.on_post_page(f"<body>{html}</body>", page)
    assert whole.endswith('<script src="../board/static/embed.js" defer></script></body>')
