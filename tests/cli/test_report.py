"""`claimeven report`: what is written, what is told, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimeven.arena.standings import Standings
from claimeven.arena.store import Store
from tests.arena.report.parsed import parsed
from tests.arena.report.stores import made, some_games
from tests.cli.conftest import Run, bad_input


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return made(tmp_path / "class.db", some_games())


def test_the_page_stands_beside_the_store(run: Run, store: Path) -> None:
    ran = run("report", str(store), "--title", "Autumn & <winter>")
    page = store.with_suffix(".html")
    assert ran.status == 0
    assert ran.err == ""
    assert "6 games of 3 agents" in " ".join(ran.out.split())
    assert parsed(page.read_text(encoding="utf-8")).one("h1").words() == "Autumn & <winter>"
    assert run("report", str(store)).status == 0


def test_json_tells_what_was_written_and_the_figures(run: Run, store: Path) -> None:
    out = store.with_name("other.htm")
    told = json.loads(run("report", str(store), "--out", str(out), "--json").out)
    assert told["out"] == str(out)
    assert told["bytes"] == out.stat().st_size
    with Store.read(store) as opened:
        figures = Standings.of(opened.agents, opened.games()).as_dict()
    assert {name: told[name] for name in figures} == json.loads(json.dumps(figures))


def test_what_cannot_be_is_refused(run: Run, store: Path, tmp_path: Path) -> None:
    before = store.read_bytes()
    nowhere = run("report", str(tmp_path / "no.db"))
    assert bad_input(nowhere).endswith("no.db cannot be read: there is no such file")
    over = run("report", str(store), "-o", str(store))
    assert bad_input(over).endswith("holds games: name another file for the page")
    page = tmp_path / "page.html"
    page.write_text("<p>")
    assert "has the name of a page" in bad_input(run("report", str(page)))
    told = bad_input(run("report", str(page), "-o", str(tmp_path / "a.html")))
    assert "page.html is no file of games of claimeven" in told
    assert store.read_bytes() == before
