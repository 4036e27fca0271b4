"""Accuracy, worst moves and charts of a report follow from the judged games."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from claimeven import Geometry, Position, Solver
from claimeven.arena.accuracy.stored_games import accuracy_of
from claimeven.arena.report import Report, write_report
from claimeven.arena.store.store import Store, StoredAgent
from claimeven.plotting import LETTERS_MISSING, Chart, image
from tests.arena.report.parsed import Element, parsed
from tests.arena.report.stores import EVIL, GAMES, PLAN, SMALL_PLAN, game, made
from tests.arena.report.test_page import number
from tests.cli.conftest import environment

BOARD = Geometry(4, 4, 3)
#: Enough games for means over parts of the game.
MANY = [replace(each, job=f"{each.job} {n}") for n in range(4) for each in GAMES]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("judged") / "small.db", GAMES, {"plan": SMALL_PLAN})


@pytest.fixture(scope="module")
def report(store: Path) -> Report:
    return write_report(store, store.with_suffix(".html"), plots=store.parent)


@pytest.fixture(scope="module")
def page(report: Report) -> Element:
    return parsed(report.path.read_text(encoding="utf-8"))


def test_the_table_equals_the_judged_games(store: Path, report: Report, page: Element) -> None:
    accuracy = accuracy_of(store)
    rows = page.one("table", cls="accuracy").one("tbody").all("tr")
    assert len(rows) == 3
    for row, agent in zip(rows, report.contents.ranking, strict=True):
        found = accuracy[agent.label]
        assert row.one("th").words() == report.contents.label[agent.id]
        cells = [
            [number(text) for text in re.split(r"\s*random\s*", cell.words())]
            for cell in row.all("td")[:6]
        ]
        assert cells[0] == [found.all.moves]
        for place, what, times in (
            (1, "perfect", 100),
            (2, "keeps_result", 100),
            (3, "score_loss", 1),
        ):
            result = [times * (found.all.mean(prefix + what) or 0.0) for prefix in ("", "random_")]
            assert cells[place] == pytest.approx(result, abs=0.0501)
        assert cells[4] == [found.decisive.moves]
        for cell, tally in zip(row.all("td")[6:], (found.wins, found.blocks), strict=True):
            words = re.split(r"\s*of ", cell.words())
            assert words[1:] == [f"{tally.moves}"] * bool(tally.moves)
            if tally.moves:
                assert number(words[0]) == pytest.approx(
                    100 * (tally.mean("perfect") or 0), abs=0.05
                )


def test_worst_moves_are_drawn_and_explained(page: Element) -> None:
    cards = page.all("article", cls="card")
    assert cards
    solver = Solver(BOARD, table_mb=1)
    for card in cards:
        link = card.one("a")
        place, count = map(int, re.findall(r"\d+", link.attributes["href"]))
        moves = GAMES[place - 1].moves
        scores = solver.scores(Position.from_moves(moves[: count - 1], BOARD))
        best = max(score for score in scores if score is not None)
        played = scores[int(moves[count - 1]) - 1]
        assert played is not None
        assert played < best
        drawn = [text.text() for text in card.one("svg").all("text")][: -BOARD.columns]
        assert [number(text) for text in drawn] == [score for score in scores if score is not None]
        result = card.one("p", cls="where").words()
        assert [number(n) for n in re.findall(r"[+\N{MINUS SIGN}]?\d+", result)[-2:]] == [
            best,
            played,
        ]
        assert len(card.all("p")[1].words()) > 20
        assert "Better: Column" in card.all("p")[2].words()


def test_the_viewer_gets_the_exact_course(page: Element) -> None:
    judged = json.loads(page.one(id="data").text())["judged"]
    solver = Solver(BOARD, table_mb=1)
    assert set(judged) == {"1", "2", "3", "4", "5", "6"}
    for result, stored in zip(judged.values(), GAMES, strict=True):
        for count, score in enumerate(result["course"]):
            position = Position.from_moves(stored.moves[:count], BOARD)
            sign = 1 if position.turn == 0 else -1
            assert score == sign * solver.score(position)
            if count < len(stored.moves):
                scores = solver.scores(position)
                best = max(s for s in scores if s is not None)
                right = {str(c + 1) for c, s in enumerate(scores) if s == best}
                wrong = stored.moves[count] not in right
                assert set(result["best"].get(str(count), "")) == (right if wrong else set())


def test_charts_are_in_the_page_with_text_and_its_colours(tmp_path: Path) -> None:
    report = write_report(made(tmp_path / "a.db", MANY, {"plan": SMALL_PLAN}), tmp_path / "a.html")
    page = parsed(report.path.read_text(encoding="utf-8"))
    figures = page.all("figure", cls="chart")
    assert len(figures) == 2
    for figure in figures:
        svg = figure.one("svg")
        assert svg.attributes["role"] == "img"
        caption = page.one(id=svg.attributes["aria-labelledby"])
        assert len(caption.words()) > 20
        assert "Elo" in svg.text() or "moves that keep the result, %" in svg.text()
        styles = " ".join(e.attributes.get("style", "") for e in svg.all())
        assert set(re.findall(r"#[0-9a-f]{3,6}", styles)) == set()
        assert "font-family" not in styles
        assert svg.all("style") == []  # it would hold for the whole page
    assert EVIL in figures[0].text()


def test_charts_are_written_as_files(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", MANY, {"plan": SMALL_PLAN})
    report = write_report(path, tmp_path / "a.html", plots=tmp_path / "deep" / "plots")
    names = ["ratings", "time-and-strength", "accuracy-by-ply"]
    assert [path.name for path in report.plots] == [
        f"{name}.{kind}" for name in names for kind in ("png", "svg")
    ]
    for path in report.plots:
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")
        else:
            assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_letters_missing_in_the_font_are_reported_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    agents = StoredAgent(0, "greedy", "greedy"), StoredAgent(1, "\u6f22\u5b57", "\u6f22\u5b57.py")
    with Store.create(path, {"plan": SMALL_PLAN}, agents) as kept:
        kept.add(replace(each, move_stats={}) for each in MANY if each.first + each.second == 1)
    messages: list[str] = []
    report = write_report(
        path, tmp_path / "a.html", plots=tmp_path, judge=0, on_message=messages.append
    )
    assert messages == [LETTERS_MISSING]
    assert "\u6f22\u5b57" in (tmp_path / "ratings.svg").read_text(encoding="utf-8")
    assert "\u6f22\u5b57" in report.path.read_text(encoding="utf-8")
    write_report(path, tmp_path / "a.html", plots=tmp_path, judge=0)  # without a callback


def test_other_warnings_of_a_chart_come_through() -> None:
    def warned(_: object) -> None:
        warnings.warn("something else", stacklevel=1)

    with pytest.warns(UserWarning, match="something else"):
        image([Chart("one", "One", warned)], "png")


def test_the_same_games_give_the_same_page_and_charts(
    store: Path, report: Report, tmp_path: Path
) -> None:
    again = write_report(store, tmp_path / "again.html", plots=tmp_path)
    for one, other in zip((report.path, *report.plots), (again.path, *again.plots), strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_some_or_zero_games_are_judged(store: Path, tmp_path: Path) -> None:
    some = write_report(store, tmp_path / "some.html", judge=2)
    assert some.contents.accuracy is not None
    assert len(some.contents.accuracy.judged) == 2
    assert "moves of 2 of 6 games" in parsed(some.path.read_text()).one(id="accuracy").words()
    none = write_report(store, tmp_path / "none.html", judge=0)
    page = parsed(none.path.read_text())
    assert none.contents.accuracy is None
    assert "were not judged" in page.one(id="accuracy").words()
    assert page.all("article") == []


def test_a_board_that_cannot_be_solved_is_reported(tmp_path: Path) -> None:
    plan = {**PLAN, "columns": 12, "rows": 12}
    path = made(tmp_path / "wide.db", [game(0, 0, 1, "abababa", 0)], {"plan": plan})
    page = parsed(write_report(path, tmp_path / "wide.html").path.read_text())
    assert (
        "The moves were not judged: the solver supports boards" in page.one(id="accuracy").words()
    )


def test_without_matplotlib_there_is_a_page_and_it_says_so(store: Path, tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')")
    words = ["report", str(store), "-o", str(tmp_path / "page.html")]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "claimeven", *words, *more],
            capture_output=True,
            text=True,
            env=environment(PYTHONPATH=f"{tmp_path}:{environment()['PYTHONPATH']}"),
            timeout=120,
            check=False,
        )

    ran = run()
    assert ran.returncode == 0, ran.stderr
    assert "without charts: they need Matplotlib: pip install 'claimeven[plot]'" in ran.stdout
    page = parsed((tmp_path / "page.html").read_text())
    assert page.all("figure") == []
    assert "Charts are left out: they need Matplotlib" in page.one("footer").words()
    refused = run("--plots", str(tmp_path / "plots"))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "no charts can be drawn: they need Matplotlib" in refused.stderr
    assert not (tmp_path / "plots").exists()
