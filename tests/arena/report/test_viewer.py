"""The game viewer, driven in a real browser as a reader would."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from claimeven import Geometry, Position, Solver, analyze
from claimeven.arena.report import write_report
from claimeven.arena.store.store import Store, StoredAgent
from tests.arena.report.stores import (
    DRAWN,
    EVIL,
    GAMES,
    PLAN,
    QUOTED,
    SECOND_WINS,
    SMALL_PLAN,
    game,
    made,
    some_games,
)
from tests.browser import watched

pytestmark = pytest.mark.browser

Open = Callable[..., Any]
SOME = some_games()


@pytest.fixture(scope="module")
def tab(browser: Any) -> Any:
    """A tab for all tests."""
    return browser.new_page()


@pytest.fixture(scope="module")
def some_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page on `SOME` games."""
    return written(tmp_path_factory.mktemp("page"), SOME)


def written(folder: Path, games: Sequence[Any], meta: Any = None, judge: int = 0) -> Path:
    """Write the page on games into a folder."""
    write_report(made(folder / "games.db", list(games), meta), folder / "page.html", judge=judge)
    return folder / "page.html"


@pytest.fixture
def opened(tab: Any, some_page: Path, tmp_path: Path) -> Iterator[Open]:
    """Open the page on some games; fails if it logs an error or requests another address."""
    with ExitStack() as stack:

        def open_page(
            games: Sequence[Any] = SOME, meta: Any = None, part: str = "", **more: Any
        ) -> Any:
            path = some_page if games is SOME else written(tmp_path, games, meta, **more)
            page = stack.enter_context(watched(tab, path.as_uri()))
            page.goto(path.as_uri() + part)
            return page

        yield open_page


def board(page: Any) -> dict[tuple[int, int], int]:
    """The discs that are seen, by (column, row)."""
    return {
        (int(column), int(row)): int(player)
        for column, row, player in (text.split(",") for text in seen(page, "disc"))
    }


def follows(page: Any, part: str, words: str) -> None:
    """Wait until a part of the page starts with words.

    A link is followed when its click is over: the browser reports the new address to the page
    later.
    """
    page.wait_for_function(
        "([part, words]) => document.querySelector(part).innerText.startsWith(words)",
        arg=[part, words],
    )


def seen(page: Any, part: str) -> list[str]:
    """The parts of the board of a kind that are not hidden."""
    return page.evaluate(
        f"[...document.querySelectorAll('#board [data-{part}]')]"
        f".filter(e => getComputedStyle(e).visibility === 'visible').map(e => e.dataset.{part})"
    )


def expected(moves: str) -> dict[tuple[int, int], int]:
    position = Position.from_moves(moves)
    return {
        cell: player
        for player, discs in enumerate(position.discs)
        for cell in position.geometry.cells_of(discs)
    }


def test_stepping_by_keys_shows_every_position(opened: Open) -> None:
    page = opened()
    moves = "1213141"
    assert board(page) == expected(moves)
    page.focus("#board")
    page.keyboard.press("Home")
    assert board(page) == {}
    for count in range(1, len(moves) + 1):
        page.keyboard.press("ArrowRight")
        assert board(page) == expected(moves[:count])
        assert page.locator("#moves [aria-current=step]").inner_text() == moves[count - 1]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert board(page) == expected(moves[:-1])
    page.keyboard.press("End")
    result = page.locator("#move-text").inner_text()
    assert result.startswith("Disc 7, Yellow (greedy): column 1. It took 1 ms. Its own value: +1.")
    assert result.endswith("greedy wins as Yellow with 7 discs played.")
    assert set(seen(page, "window")) == {"0,0 0,1 0,2 0,3"}
    assert seen(page, "last") == ["0,3"]
    assert "column 1 yellow yellow yellow yellow" in page.locator("#board svg").get_attribute(
        "aria-label"
    )


def test_buttons_moves_and_the_slider(opened: Open) -> None:
    page = opened()
    sign, around = (page.locator(each).bounding_box() for each in ("#begin svg", "#begin"))
    assert 10 < sign["width"] == sign["height"] < around["width"]
    page.click("#begin")
    page.click("#on")
    page.click("#on")
    assert board(page) == expected("12")
    page.click("#moves button >> nth=4")
    assert board(page) == expected("12131")
    page.locator("#ply").fill("3")
    assert board(page) == expected("121")
    page.click("#end")
    assert page.locator("#on").is_disabled()


def test_games_are_chosen_and_filtered(opened: Open) -> None:
    page = opened()
    titles = []
    page.focus("#list")
    for _ in range(6):
        titles.append(page.locator("#players").inner_text().split(":")[0])
        page.keyboard.press("ArrowDown")
    assert titles == [f"Game {n}" for n in range(1, 7)]
    page.select_option("#result", "forfeit")
    assert page.locator("#found").inner_text() == "2 of 7 games"
    assert (
        page.locator("#how").inner_text().startswith(f"{QUOTED} forfeits after 2 discs (crash): ")
    )
    page.select_option("#result", "won")
    page.select_option("#one", label=EVIL)
    shown = page.locator("#list [role=option] .number").all_inner_texts()
    assert shown == ["2"]
    page.select_option("#result", "lost")
    assert page.locator("#list [role=option] .number").all_inner_texts() == ["1", "5", "6"]
    page.locator("table.cross a.cell").first.click()
    follows(page, "#found", "2 of 7 games")


def test_links_open_a_game_at_a_disc(opened: Open) -> None:
    page = opened(part="#game-6-3")
    assert page.locator("#players").inner_text().startswith("Game 6")
    assert board(page) == expected("121")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.hash") == "#game-6-4"
    page.locator("table.forfeits a").first.click()
    follows(page, "#players", "Game 3")


def test_foreign_names_do_no_harm(opened: Open) -> None:
    page = opened()
    assert page.evaluate("window.harm") is None
    assert page.locator("img").count() == 0
    assert set(page.locator("#one option").all_inner_texts()) == {"anyone", "greedy", EVIL, QUOTED}


def test_many_games_are_listed_part_by_part(opened: Open) -> None:
    page = opened([game(n, n % 3, (n + 1) % 3, "1213141", 0) for n in range(500)], part="#game-450")
    assert page.locator("#list [aria-selected=true] .number").inner_text() == "450"
    page.evaluate("location.hash = '#game-3'")
    page.locator("#list").evaluate("list => list.scrollTo(0, 1e6)")
    page.wait_for_function("document.querySelectorAll('#list [role=option]').length === 500")


def test_a_start_with_discs_and_letters(opened: Open) -> None:
    plan = {**PLAN, "columns": 12, "rows": 5, "connect": 3, "start": [64, 65]}
    page = opened([game(0, 0, 1, "cdcdc", 0)], {"plan": plan})
    page.focus("#board")
    page.keyboard.press("Home")
    begin = {(0, 0): 1, (1, 0): 0}
    assert board(page) == begin
    page.keyboard.press("End")
    assert board(page) == begin | {(2, 0): 0, (3, 0): 1, (2, 1): 0, (3, 1): 1, (2, 2): 0}
    assert set(seen(page, "window")) == {"2,0 2,1 2,2"}


def test_judged_games_show_scores_and_marks(opened: Open) -> None:
    page = opened(GAMES, {"plan": SMALL_PLAN}, part="#game-4-0", judge=6)
    moves, board = GAMES[3].moves, Geometry(4, 4, 3)
    solver = Solver(board, table_mb=1)
    assert page.locator("#strip .ply").count() == len(moves) + 1
    page.focus("#board")
    marks = []
    for count in range(1, len(moves) + 1):
        page.keyboard.press("ArrowRight")
        judged = analyze(moves[:count], solver).moves[-1]
        result = page.locator("#move-text").inner_text()
        after = f"{judged.after:+d}".replace("-", "\N{MINUS SIGN}") if judged.after else "0"
        if judged.judgement == "perfect":
            assert f"Exact score {after}." in result
        else:
            assert f" to {after};" in result
            names = ", ".join(sorted(str(column + 1) for column in judged.best))
            assert sorted(re.findall(r"; ([\d, ]+) w", result)[0].split(", ")) == names.split(", ")
        marks.append(judged.mark)
    shown = page.locator("#moves button").all_inner_texts()
    assert [text[1:].strip() for text in shown] == marks
    assert {"?!", "??"} < set(marks)
    page.locator("#strip .ply").nth(2).click()
    assert page.evaluate("location.hash") == "#game-4-2"
    page.locator("article.card a").first.click()
    follows(page, "#move-text", "Disc ")


def test_every_column_of_a_large_cross_table_is_on_the_paper(tab: Any, tmp_path: Path) -> None:
    agents = [StoredAgent(place, f"agent_{place}", f"agent_{place}.py") for place in range(42)]
    met = [(one, other) for one in range(42) for other in range(one)]
    with Store.create(tmp_path / "class.db", {"plan": PLAN}, agents) as store:
        store.add(
            # A draw in some pairs: "1½" is the widest of a cell's texts.
            game(
                pair,
                *two[:: 1 - 2 * swapped],
                *((SECOND_WINS, 1) if (pair + swapped) % 3 else (DRAWN, None)),
            )
            for swapped in (0, 1)
            for pair, two in enumerate(met, swapped * len(met))
        )
    write_report(tmp_path / "class.db", tmp_path / "class.html", judge=0)
    tab.goto((tmp_path / "class.html").as_uri())
    tab.emulate_media(media="print")
    width = 700  # of A4 within margins of 13 mm
    tab.set_viewport_size({"width": width, "height": 1000})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    heads = tab.evaluate(
        "[...document.querySelectorAll('.cross thead th')]"
        ".map(e => e.getBoundingClientRect().right)"
    )
    assert len(heads) == 1 + 42
    assert max(heads) <= width
    wide = tab.evaluate(
        "[...document.querySelectorAll('.cross .cell, .cross thead abbr')].map(e => {"
        " const text = document.createRange(); text.selectNodeContents(e);"
        " return text.getBoundingClientRect().width / e.parentElement.clientWidth; })"
    )
    assert len(wide) == 42 * 41 + 42
    assert max(wide) <= 1
    tab.emulate_media(media="screen")


def test_all_elements_fit_the_screen(tab: Any, some_page: Path) -> None:
    for width in (360, 1280):
        tab.set_viewport_size({"width": width, "height": 740})
        tab.goto(some_page.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
