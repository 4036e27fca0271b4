"""The page loads no other file, escapes everything, and has the numbers of the standings."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from claimeven.arena.report import write_report
from claimeven.arena.report.context import ReportContext
from claimeven.arena.report.tables import viewer_data
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store, StoredAgent
from claimeven.atomic_io import CannotWrite
from tests.arena.report.parsed import Element, parsed
from tests.arena.report.stores import EVIL, PLAN, QUOTED, REASON, SMALL_PLAN, game, made, some_games


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("report") / "some.db", some_games())


@pytest.fixture(scope="module")
def html(store: Path) -> str:
    write_report(store, store.with_suffix(".html"), judge=0)
    return store.with_suffix(".html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Element:
    return parsed(html)


@pytest.fixture(scope="module")
def contents(store: Path) -> ReportContext:
    with Store.read(store) as opened:
        return ReportContext.of(opened)


def number(text: str) -> float:
    """The number that a cell says, half points and long minus signs understood."""
    plain = text.replace("\N{MINUS SIGN}", "-").replace(",", "").rstrip("%").strip()
    if plain.endswith("½"):
        return float(plain[:-1] or 0) + 0.5
    return float(plain)


def test_the_page_loads_no_resources(html: str, page: Element) -> None:
    for element in page.all():
        for name in (
            "src",
            "href",
            "srcset",
            "action",
            "data",
            "poster",
            "xlink:href",
            "background",
        ):
            value = element.attributes.get(name, "#")
            assert value.startswith(("#", "data:")), (element.tag, name, value)
        assert not [name for name in element.attributes if name.startswith("on")], element
    addresses = set(re.findall(r"https?://[^\s'\"<>)]+", html))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)
    policy = next(
        m.attributes["content"] for m in page.all("meta") if m.attributes.get("http-equiv")
    )
    assert "default-src 'none'" in policy
    script = page.one("body").children[-2]
    assert isinstance(script, Element)
    digest = base64.b64encode(hashlib.sha256(script.text().encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy


def test_foreign_text_stays_text(html: str, page: Element) -> None:
    assert len(page.all("script")) == 2
    assert page.all("img") == []
    assert len(page.all("h1")) == 1
    assert "49" not in page.one(id="about").text()
    names = {
        row.one("th").words() for row in page.one("table", cls="ladder").one("tbody").all("tr")
    }
    assert names == {"greedy", EVIL, QUOTED}
    assert REASON in page.one("table", cls="forfeits").text()
    assert f"claimeven tournament {EVIL}" in page.one(id="about").one("dl").text()
    assert json.loads(page.one(id="data").text())["agents"][0] in names
    assert "{{ 7 * 7 }}" in page.one(id="about").text()


def test_names_that_are_no_proper_text_are_shown_as_escapes(tmp_path: Path) -> None:
    names = ("a\ud800b", "\x1b[2J\n\u202etxt", "", "Ж" * 5000)
    path = tmp_path / "odd.db"
    agents = [StoredAgent(i, name, name) for i, name in enumerate(names) if "\ud800" not in name]
    with Store.create(path, {"plan": PLAN, "command": names[1]}, agents) as store:
        store.add([game(0, 1, 2, "1213141", 0), game(1, 3, 1, "1213141", 0)])
    write_report(path, tmp_path / "odd.html", names[0], judge=0)
    html = (tmp_path / "odd.html").read_text(encoding="utf-8")
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert parsed(html).one("h1").words() == r"a\ud800b"
    assert "Ж" * 2001 not in html
    assert "(no name)" in html


def test_the_ladder_equals_the_standings(page: Element, contents: ReportContext) -> None:
    standings = contents.standings
    assert standings.ladder is not None
    ratings = {row.agent: row for row in standings.ladder.ratings}
    rows = page.one("table", cls="ladder").one("tbody").all("tr")
    assert [int(row.attributes["data-agent"]) for row in rows] == [a.id for a in contents.ranking]
    for row, agent in zip(rows, contents.ranking, strict=True):
        cells = [cell.words() for cell in row.all("td")]
        record, elo = standings.records[agent.id], ratings[agent.label].elo
        assert cells[0] == "\N{EN DASH}".join(map(str, dict.fromkeys(ratings[agent.label].rank)))
        assert row.one("th").words() == agent.label
        assert number(cells[2]) == round(elo.value)
        assert [number(text) for text in cells[3].split(" to ")] == [
            round(elo.low),
            round(elo.high),
        ]
        result = [number(text) for text in cells[4:9]]
        assert result == [record.points, record.games, record.wins, record.draws, record.losses]
        assert number(cells[9]) == pytest.approx(100 * (record.share or 0), abs=0.0501)


def test_the_cross_table_equals_the_standings(page: Element, contents: ReportContext) -> None:
    data = contents.standings.as_dict()["cross_table"]
    assert isinstance(data, list)
    rows = page.one("table", cls="cross").one("tbody").all("tr")
    for row, expected in zip(rows, data, strict=True):
        cells = row.all("td")[1:]
        for cell, record in zip(cells, expected, strict=True):
            if record is None:
                assert cell.words() == "itself"
                continue
            assert number(cell.words()) == record["points"]
            title = cell.one("a").attributes["title"]
            counts = [int(n) for n in re.findall(r"(\d+) (?:won|drawn|lost)", title)]
            assert counts == [record["wins"], record["draws"], record["losses"]]


def test_forfeits_are_reported_by_kind(page: Element) -> None:
    first, *_ = page.one(id="summary").all("li")
    assert first.words().startswith("2 games forfeited: ")
    assert " 1 (crash)" in first.words() and " 1 (stall)" in first.words()
    rows = page.one("table", cls="forfeits").one("tbody").all("tr")
    result = {(r.one("th").words(), r.all("td")[0].words(), r.all("td")[1].words()) for r in rows}
    assert result == {(QUOTED, "crash", "1"), (EVIL, "stall", "1")}
    links = [link.attributes["href"] for row in rows for link in row.all("a")]
    assert sorted(links) == ["#game-3", "#game-5"]


def test_facts(page: Element) -> None:
    result = {
        d.one("dt").text(): d.one("dd").text() for d in page.one("dl", cls="facts").all("div")
    }
    assert result["seed"] == "3"
    assert result["rounds"] == "2"
    assert result["limit of a move"] == "1 s, and a bank of 60 s a game"
    assert result["unfinished"].startswith("1 ")
    assert "ab12" in page.one("table", cls="agents").text()


def test_every_link_within_the_page_has_its_end(page: Element) -> None:
    ids = [element.attributes["id"] for element in page.all() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    numbers = {f"#game-{result[0]}" for result in json.loads(page.one(id="data").text())["games"]}
    for link in page.all("a"):
        href = link.attributes["href"]
        assert href in numbers or href[1:] in ids
    for element in page.all():
        for name in ("aria-labelledby", "aria-controls", "for"):
            assert element.attributes.get(name, ids[0]) in ids


def test_the_viewer_gets_every_finished_game(page: Element, contents: ReportContext) -> None:
    data = json.loads(page.one(id="data").text())
    agents = data["agents"]
    left = data["games"].pop()
    assert left == [7, agents.index("greedy"), agents.index(EVIL), "", "445", -2]
    result = [
        (g[0], agents[g[1]], agents[g[2]], g[3] + g[4], None if g[5] < 0 else g[5], g[6:])
        for g in data["games"]
    ]
    label = contents.label
    assert result == [
        (g.number + 1, label[g.first], label[g.second], g.all_moves, g.winner,
         [g.fault, g.fault_seat, g.reason] if g.fault else [])
        for g in contents.standings.games
    ]  # fmt: skip
    assert data["move_stats"][0]["seconds"] == [0.001] * 7
    assert len(data["games"]) == 6


def test_a_selection_of_many_games_is_labeled(tmp_path: Path) -> None:
    many = [
        game(n, n % 3, (n + 1) % 3, "1213141", 0, move_stats={"value": [0.1]}) for n in range(40)
    ]
    with Store.read(made(tmp_path / "many.db", many)) as opened:
        contents = ReportContext.of(opened)
    data = viewer_data(contents, max_games=30, max_timed=10)
    assert [result[0] for result in data["games"]] == list(range(1, 31))
    assert len(data["move_stats"]) == 10
    assert data["notes"] == [
        "The first 30 of 40 games are here; the others count in all the figures above.",
        "Time and value of each move are shown for the first 10 games.",
    ]


def test_the_same_games_give_the_same_page(store: Path, html: str, tmp_path: Path) -> None:
    with Store.read(store) as opened:
        write_report(opened, tmp_path / "again.html", judge=0)
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == html
    assert str(store.parent) not in html


def test_other_boards_and_starts(tmp_path: Path) -> None:
    plan = {**PLAN, "columns": 12, "rows": 5, "connect": 3, "start": [1, 65]}
    path = made(tmp_path / "wide.db", [game(0, 0, 1, "cdcdc", 0)], {"plan": plan})
    write_report(path, tmp_path / "wide.html", judge=0)
    data = json.loads(parsed((tmp_path / "wide.html").read_text()).one(id="data").text())
    assert data["names"] == "abcdefghijkl"
    assert data["start"] == [[0, 0, 0], [1, 0, 1]]


def test_games_that_were_all_left_are_shown_and_judged(tmp_path: Path) -> None:
    left = [game(n, 0, 1, "1213", None, finished=False) for n in range(2)]
    path = made(tmp_path / "left.db", left, {"plan": SMALL_PLAN})
    report = write_report(path, tmp_path / "left.html")
    page = parsed(report.path.read_text(encoding="utf-8"))
    assert "so there are no ratings" in page.one(id="summary").words()
    assert "2 more unfinished" in page.one("header").words()
    assert report.contents.accuracy is not None
    assert [result[5] for result in json.loads(page.one(id="data").text())["games"]] == [-2, -2]


def test_refusals(store: Path, tmp_path: Path) -> None:
    empty = made(tmp_path / "empty.db", [])
    with pytest.raises(InvalidStore, match=r"empty\.db holds no game to report on"):
        write_report(empty, tmp_path / "page.html")
    with pytest.raises(CannotWrite, match=r"some\.db cannot be written: it holds games"):
        write_report(store, store)
    with pytest.raises(CannotWrite, match="there is no folder"):
        write_report(store, tmp_path / "no" / "page.html")
    with pytest.raises(InvalidStore, match=r"bad\.db is corrupt: its board is unreadable"):
        write_report(
            made(tmp_path / "bad.db", some_games(), {"plan": {**PLAN, "columns": 99}}),
            tmp_path / "page.html",
        )
    assert not (tmp_path / "page.html").exists()
