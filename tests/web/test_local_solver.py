"""The worker of the page without a server: its answers are the ones of Python's solver."""

from __future__ import annotations

import datetime
import random
import re
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from claimeven import Geometry, Position, Solver
from claimeven.agents.base import Limit
from claimeven.agents.families.perfect import PerfectAgent, best_known
from claimeven.game.notation import format_moves, parse_moves
from claimeven.puzzles.puzzle import bundled_puzzles, daily_puzzle, select_puzzles
from claimeven.puzzles.solutions import try_column
from claimeven.review.analysis import analyze
from claimeven.review.claims import KINDS
from claimeven.web.jobs import book_scores, scores_json
from claimeven.web.requests import PositionFields
from claimeven.web.routes import book as book_route
from tests.browser import watched
from tests.positions import random_columns
from tests.web.static_server import serving

#: Boards, and the number of discs from which a random position is solved quickly.
BOARDS = (
    (Geometry(4, 4, 4), 0),
    (Geometry(4, 4, 3), 0),
    (Geometry(3, 5, 2), 0),
    (Geometry(5, 4, 4), 0),
    (Geometry(1, 6, 4), 0),
    (Geometry(6, 5, 4), 10),
    (Geometry(7, 6, 4), 18),
    (Geometry(8, 7, 4), 36),
    (Geometry(9, 6, 5), 34),
    (Geometry(4, 15, 4), 40),
    (Geometry(5, 5, 5), 10),
    (Geometry(4, 8, 7), 12),
    (Geometry(8, 3, 8), 8),
    (Geometry(6, 6, 6), 22),
)
#: A position that takes minutes.
HARD = {"board": "8x7", "moves": ""}
ASK = """async ({requests, settings}) => {
  const { Client } = await import("./static/local/client.js");
  const client = new Client(new URL(`static/local/worker.js?${settings}`, location.href));
  const answers = [];
  for (const [path, query] of requests) {
    const events = [];
    const answer = await client.request(path, query, (event, data) => events.push([event, data]))
      .catch(({ message, status }) => ({ error: message, status }));
    answers.push([answer, events]);
  }
  client.close();
  return answers;
}"""


class Page:
    """A page of the site that sends requests to its worker."""

    def __init__(self, tab: Any, folder: Path) -> None:
        self.tab, self.folder = tab, folder

    def ask(self, *requests: tuple[str, dict[str, Any]], settings: str = "") -> list[Any]:
        """Return the answer and the events of each request, asked one after another."""
        answers: list[Any] = self.tab.evaluate(
            ASK, {"requests": [list(each) for each in requests], "settings": settings}
        )
        return answers

    def answers(self, path: str, queries: list[dict[str, Any]], settings: str = "") -> list[Any]:
        """Return the answers of requests of one path."""
        return [each[0] for each in self.ask(*((path, q) for q in queries), settings=settings)]


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    context = browser.new_context(service_workers="block")
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def page(tab: Any, site: Path) -> Iterator[Page]:
    with serving(site, "boards/four", {"blank.html": b"<!doctype html><title>-</title>"}) as url:
        tab.goto(f"{url}blank.html")
        yield Page(tab, site)


def some_positions(count: int, seed: int, boards: Any = BOARDS) -> list[Position]:
    """Random unfinished positions, `count` of each board."""
    rng, found = random.Random(seed), []
    for geometry, least in boards:
        of_board: list[Position] = []
        while len(of_board) < count:
            plies = rng.randrange(least, geometry.cells)
            columns = random_columns(rng, geometry, plies)
            position = Position(geometry)
            for column in columns:
                position = position.play(column)
            if position.ply >= least and not position.is_over:
                of_board.append(position)
                MOVES[position] = format_moves(columns, geometry)
        found += of_board
    return found


#: The moves to each position made here.
MOVES: dict[Position, str] = {}


def query(position: Position) -> dict[str, Any]:
    board = position.geometry
    return {
        "board": f"{board.columns}x{board.rows}",
        "connect": board.connect,
        "moves": MOVES[position],
    }


def solvers() -> dict[Geometry, Solver]:
    return {geometry: Solver(geometry, table_mb=8) for geometry, _ in BOARDS}


def test_scores_of_columns_are_the_solvers(page: Page) -> None:
    positions, exact = some_positions(18, 1), solvers()
    answers = page.ask(*(("api/scores/events", query(each)) for each in positions))
    assert len(answers) == 252
    for position, (answer, events) in zip(positions, answers, strict=True):
        scores = exact[position.geometry].scores(position)
        known = book_scores(position)
        from_book = all(known[column] is not None for column in position.legal_columns)
        for name in ("nodes", "seconds"):
            assert answer.pop(name) >= 0
        expected = scores_json(position, scores, from_book=from_book)
        del expected["nodes"], expected["seconds"]
        assert answer == {**expected, "moves": MOVES[position]}
        columns = {data["column"]: data for event, data in events if event == "column"}
        assert sorted(columns) == [column + 1 for column in position.legal_columns]
        for column, data in columns.items():
            assert (data["score"], data["words"]) == (
                answer["scores"][column - 1], answer["words"][column - 1],
            )  # fmt: skip


def test_a_search_visits_the_nodes_of_python(page: Page) -> None:
    for geometry, least in BOARDS[3:]:
        positions = some_positions(12, 2, [(geometry, least)])
        solver, expected = Solver(geometry, table_mb=2, book=None), []
        for position in positions:
            before = solver.statistics.nodes
            expected.append((solver.score(position), solver.statistics.nodes - before))
        answers = page.answers("api/score", [query(each) for each in positions], "megabytes=2")
        assert [(each["score"], each["nodes"]) for each in answers] == expected


def finished(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits")


def test_the_opening_book_is_pythons(page: Page) -> None:
    rng = random.Random(3)
    queries: list[dict[str, Any]] = []
    for plies in range(13):
        queries += [
            {"moves": format_moves(random_columns(rng, Geometry(), plies), Geometry())}
            for _ in range(10)
        ]
    queries += [{"board": "5x4", "moves": "33"}, {"moves": "1212121"}]
    expected = [finished(book_route(PositionFields(**each))) for each in queries]
    assert page.answers("api/book", queries) == expected
    assert sum(each["in_book"] for each in expected) > 90


def test_reviews_are_pythons_with_the_reasons_of_the_next_discs(page: Page) -> None:
    rng, exact = random.Random(4), solvers()
    boards = [Geometry(), *[geometry for geometry, _ in BOARDS[:5]] * 3]
    games = [(board, random_columns(rng, board, rng.choice((9, 17, 42)))) for board in boards]
    queries: list[tuple[str, dict[str, Any]]] = [
        (
            "api/review/events",
            {
                "board": f"{board.columns}x{board.rows}",
                "connect": board.connect,
                "moves": format_moves(game, board),
            },
        )
        for board, game in games
    ]
    for (board, game), (answer, events) in zip(games, page.ask(*queries), strict=True):
        expected = analyze(game, exact[board]).as_dict()
        for move, found in zip(expected["judged_moves"], answer["judged_moves"], strict=True):
            claims = found.pop("claims")
            assert bool(claims) == bool(move["mark"])
            assert found.pop("reason") == " ".join(claim["text"] for claim in claims)
            assert claims[:1] == [
                {name: claim[name] for name in ("kind", "text", "cells")}
                for claim in move["claims"][:1]
            ]
            del move["claims"], move["reason"]
        assert answer == expected
        scores = [[event, data["ply"]] for event, data in events]
        assert scores == [["scores", ply] for ply in reversed(range(len(expected["judged_moves"])))]


def test_reasons_are_claims_that_hold(page: Page) -> None:
    """On a site only the reasons of the next discs are known, in the sentences of Python."""
    exact, kinds = solvers(), Counter[str]()
    positions = [each for each in some_positions(14, 7) if each.ply >= 6]
    answers = page.answers("api/explanation", [query(each) for each in positions])
    for position, answer in zip(positions, answers, strict=True):
        board, solver = position.geometry, exact[position.geometry]
        scores = solver.scores(position)
        best = max(score for score in scores if score is not None)
        assert (answer["score"], answer["scores"]) == (best, list(scores))
        for row in answer["columns"]:
            column, own = row["column"] - 1, row["score"]
            assert (own, row["best"]) == (scores[column], scores[column] == best)
            assert row["claims"][0]["kind"] == "column_score"
            for found in row["claims"]:
                kinds[found["kind"]] += 1
                reply = re.match(r"\w+ answers in column (\w)", found["text"])
                line = (column, *parse_moves(reply[1], board)) if reply else (column,)
                is_theirs = reply or found["kind"] in ("ignores", "opens")
                player = 1 - position.turn if is_theirs else position.turn
                cells = tuple((each - 1, row - 1) for each, row in found["cells"])
                claim = KINDS[found["kind"]](
                    player, column, cells=cells, line=line, before=best, after=own
                )
                assert claim.sentence(position) == found["text"]
                assert claim.holds(position, solver)
    assert min(kinds[kind] for kind in ("wins", "misses", "ignores", "opens", "double")) > 2


def test_puzzles_attempts_and_hints(page: Page) -> None:
    puzzles, solver = bundled_puzzles().puzzles, Solver(table_mb=8)
    days = [datetime.date(2023, 12, 1) + datetime.timedelta(97 * n) for n in range(15)]
    daily = page.answers("api/puzzles/daily", [{"date": str(day)} for day in days])
    assert [each["puzzle"] for each in daily] == [daily_puzzle(day).as_dict() for day in days]
    near = page.answers("api/puzzles", [{"rating": 1500, "kind": "hold", "exclude": "1,2"}])[0]
    assert near["puzzle"]["kind"] == "hold"
    (short,) = page.answers("api/puzzles", [{"motif": "double-threat", "length": 2}])
    assert (short["puzzle"]["motif"], short["puzzle"]["length"]) == ("double-threat", 2)
    assert short["count"] == len(select_puzzles(motif="double-threat", length=2))
    assert abs(near["puzzle"]["rating"] - 1500) < 100
    assert near["count"] == sum(puzzle.kind == "hold" for puzzle in puzzles)
    chosen = [puzzle for puzzle in puzzles if puzzle.columns_to_find > 1][::400]
    for puzzle in chosen:
        position = puzzle.position
        wrong = next(c for c in position.legal_columns if c != puzzle.solution[0])
        columns: list[dict[str, Any]] = [
            {"column": str(column + 1)} for column in (puzzle.solution[0], wrong)
        ]
        columns.append(
            {"column": str(puzzle.solution[-1] + 1), "columns_found": puzzle.columns_to_find - 1}
        )
        right, bad, last = page.answers(
            "api/puzzles/attempt", [{"number": puzzle.number, **each} for each in columns]
        )
        assert (right["correct"], right["solved"]) == (True, False)
        assert right["reply"] == puzzle.solution[1] + 1
        assert (last["correct"], last["solved"], last["reply"]) == (True, True, None)
        line = solver.principal_variation(position.play(wrong))
        assert (bad["correct"], bad["solved"]) == (False, False)
        assert bad["reply"] == (line[0] + 1 if line else None)
        score = try_column(puzzle, 0, wrong, solver).claims[0].sentence(position)
        assert bad["claims"][0]["text"] == score
        assert bad["text"] == " ".join(claim["text"] for claim in bad["claims"])
        assert [claim["kind"] for claim in right["claims"]] == ["column_score"]
        (hints,) = page.answers("api/puzzles/hints", [{"number": puzzle.number}])
        steps = {hint["step"]: hint for hint in hints["hints"]}
        assert list(steps) == ["idea", "cells", "column"]
        assert puzzle.solution[0] + 1 not in steps["cells"]["columns"]
        assert steps["column"]["columns"] == [puzzle.solution[0] + 1]
    errors = page.answers("api/puzzles/attempt", [{"number": 9999, "column": "1"}])
    assert errors[0]["error"] == "The number of a puzzle must be 1 to 2600, got 9999."


DECIDE = """async ({positions, options, share, seconds}) => {
  const { perfectMove } = await import("./static/local/perfect.js");
  const { ongoing } = await import("./static/local/positions.js");
  const start = performance.now();
  const job = {
    seconds: 60, left: 15, pause: async () => {},
    get elapsed() { return (performance.now() - start) / 1000; },
    get isLate() { return this.elapsed >= this.seconds; },
  };
  const made = [];
  for (const query of positions) {
    const position = ongoing(query);
    made.push(await perfectMove(position, options, seconds, () => share, job));
  }
  return made;
}"""


@pytest.mark.parametrize(
    ("pick", "quick", "level"),
    [("center", True, 10), ("random", False, 10), ("random", True, 4), ("center", True, 0)],
)
def test_levels_have_the_chances_of_python(page: Page, pick: str, quick: bool, level: int) -> None:
    positions, exact = some_positions(4, 5), solvers()
    options = {"pick": pick, "quick": quick, "level": level}
    share = random.Random(level).random()
    asked = {"positions": [query(each) for each in positions], "options": options, "share": share}
    made = page.tab.evaluate(DECIDE, {**asked, "seconds": None})
    for position, decision in zip(positions, made, strict=True):
        agent = PerfectAgent(pick, quick, level)
        agent.share(exact[position.geometry])
        expected = agent.choose(position, Limit(), Fixed(share))  # type: ignore[arg-type]
        assert decision["policy"] == pytest.approx(expected.policy, abs=1e-12)
        assert decision["column"] == expected.column
        assert (decision["score"], decision["value"]) == (expected.score, expected.value)
        assert decision["details"] == expected.details


def test_a_late_agent_plays_the_best_known_column(page: Page) -> None:
    start = Position(Geometry(8, 7, 4))
    MOVES[start] = ""
    options = {"pick": "center", "quick": True, "level": 10}
    asked = {"positions": [query(start)], "seconds": 0.05, "share": 0, "options": options}
    began = time.monotonic()
    (decision,) = page.tab.evaluate(DECIDE, asked)
    assert time.monotonic() - began < 3
    assert not decision["details"]["complete"]
    assert decision["score"] is None
    assert decision["column"] == best_known(start, decision["details"]["values"])


def test_a_search_ends_at_its_time_limit(page: Page) -> None:
    (answer,) = page.answers("api/scores", [HARD], "seconds=0.1")
    assert not answer["complete"]
    assert answer["scores"] == [None] * 8
    assert (answer["score"], answer["best"]) == (None, [])


def test_a_long_search_lets_others_in_and_can_be_cancelled(page: Page) -> None:
    found = page.tab.evaluate(
        """async (hard) => {
          const { Client } = await import("./static/local/client.js");
          const client = new Client();
          await client.request("api/load", hard);
          const control = new AbortController();
          const long = client.request("api/scores", hard, undefined, control.signal)
            .catch((error) => error.name);
          const start = performance.now();
          const short = await client.request("api/score", { moves: "444441122335" });
          const took = performance.now() - start;
          control.abort();
          const cancelled = await long;
          const after = await client.request("api/score", { ...hard, moves: "1212121" });
          client.close();
          return { short: short.score, took, cancelled, after: after.score };
        }""",
        HARD,
    )
    assert found["cancelled"] == "AbortError"
    assert found["short"] == Solver(table_mb=8).score(Position.from_moves("444441122335"))
    assert found["took"] < 2_000
    assert found["after"] == -25  # Yellow has won, with 25 discs left


@pytest.mark.parametrize(
    ("path", "asked", "sentence", "status"),
    [
        ("api/nothing", {}, "This page has no server for api/nothing.", 404),
        ("api/scores", {"moves": "448"}, "A column must be 1 to 7, got “8”.", 422),
        ("api/scores", {"moves": "1212121"}, "The game is over here: Yellow wins.", 422),
        ("api/scores", {"board": "8x8"}, "This board is too large for exact scores:", 422),
        ("api/puzzles/daily", {"date": "soon"}, "A day must be a date such as 2026-01-31", 422),
    ],
)
def test_invalid_requests_get_a_sentence(
    page: Page, path: str, asked: dict[str, Any], sentence: str, status: int
) -> None:
    (answer,) = page.answers(path, [asked])
    assert answer["status"] == status
    assert answer["error"].startswith(sentence)


class Fixed:
    """A generator with one number."""

    def __init__(self, share: float) -> None:
        self.share = share

    def random(self) -> float:
        return self.share


RESILIENT = """async (queries) => {
  window.client ??= new (await import("./static/local/client.js")).Client();
  const answers = [];
  for (const [path, query] of queries) {
    const answer = client.request(path, query);
    answers.push(await answer.catch(({ message, status }) => ({ error: message, status })));
  }
  return answers;
}"""
LATE = {"moves": "444441122335"}


def test_faults_are_reported_and_the_next_request_tries_again(tab: Any, site: Path) -> None:
    module = "static/local/solver.wasm"
    worker = "static/local/worker.js"
    whole = (site / module).read_bytes()
    changed: dict[str, bytes | None] = {"blank.html": b"<!doctype html><title>-</title>"}
    changed |= {module: whole[:5000], "data/7x6.book": None}
    with serving(site, changed=changed) as url:
        tab.goto(f"{url}blank.html")

        def ask(*queries: tuple[str, dict[str, Any]]) -> Any:
            return tab.evaluate(RESILIENT, [list(each) for each in queries])

        (corrupt,) = ask(("api/scores", LATE))
        assert corrupt["error"].startswith("The file solver.wasm is incomplete or changed:")
        changed[module] = None
        (missing,) = ask(("api/scores", LATE))
        assert missing["error"].startswith("The file solver.wasm cannot be loaded (404).")
        for name, path in (("puzzles", "api/puzzles"), ("agents", "api/agents")):
            for content in (b"{", b"{}"):
                changed[f"data/{name}.json"] = content
                (invalid,) = ask((path, {}))
                assert invalid["error"].startswith(f"The file {name}.json is incomplete or changed")
        # Without the book the solver works alone.
        changed[module] = whole
        late, book = ask(("api/scores", LATE), ("api/book", LATE))
        assert late["scores"] == list(Solver(table_mb=8).scores(Position.from_moves(LATE["moves"])))
        assert (book["book_plies"], book["in_book"]) == (None, False)
        # A worker that stops is started again.
        tab.evaluate("window.client = null")
        changed[worker] = b"throw new Error('broken');"
        (stopped,) = ask(("api/status", {}))
        assert stopped["status"] == 503
        assert "The game is kept." in stopped["error"]
        del changed[worker]
        (again,) = ask(("api/status", {}))
        assert again["ready"]


def test_views_show_scores_and_the_reasons_of_the_next_discs(tab: Any, site: Path) -> None:
    changed: dict[str, bytes | None] = {
        "static/local/offline.js": b"export const store = () => {};"
    }
    with serving(site, "sub", changed) as url, watched(tab, url):
        tab.goto(f"{url}?moves=4444413226712433&second=human&analysis=on")
        tab.wait_for_function("() => document.querySelectorAll('.explanation p').length === 6")
        lines = tab.inner_text(".explanation").split("\n")
        assert [line for line in lines if line][:2] == ["Column 3 0 draws", "Column 5 0 draws"]
        tab.click("text=Review the game")
        tab.wait_for_function("() => /Accuracy/.test(document.querySelector('.review').innerText)")
        tab.click("text=Next mistake")
        tab.wait_for_selector("text=Yellow plays column 7: inaccurate ?!")
        reason = "Column 7 gives the win away: best play now ends in a draw."
        assert tab.inner_text(".review .why .claim") == reason
        tab.goto(f"{url}?view=puzzles&puzzle=5")
        tab.click(".stage [data-cell='1,6']")
        tab.wait_for_selector("text=Yellow replies in column 4.")
        message = tab.inner_text(".puzzle-message")
        assert "Column 1 turns the win into a loss: Yellow wins in 4 moves." in message
