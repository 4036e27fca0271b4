"""The server's view of a file of games: how long it is stored, and which requests wait for it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from claimeven import Position
from claimeven.arena.games.game import Game
from claimeven.arena.games.plan import Plan
from claimeven.arena.store.store import Store, StoredAgent
from claimeven.arena.tournaments.standings import Standings
from claimeven.web import store_tasks
from claimeven.web.services import StoreView, version_of
from claimeven.web.tasks import WorkerState
from claimeven.web.transport import WorkFailed
from tests.web.conftest import PATIENCE, eventually, running

AGENTS = [StoredAgent(0, "ann", "/home/prof/ann.py:play"), StoredAgent(1, "bob", "bob")]


def game(number: int) -> Game:
    return Game(f"j{number}", number, number // 2, number % 2, 1 - number % 2, "", "4455667", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of six games that was not written to lately."""
    path = tmp_path / "class.db"
    with Store.create(path, {"command": "claimeven tournament /home/prof/ann.py bob"}, AGENTS) as s:
        s.add(map(game, range(6)))
    settle(path)
    return path


def settle(path: Path) -> None:
    """Let a file have been written to some time ago, each time another one."""
    for each in path.parent.glob("class.db*"):
        settle.times += 1  # type: ignore[attr-defined]  # of this function
        os.utime(each, (settle.times, settle.times))  # type: ignore[attr-defined]  # also


settle.times = 1_000_000  # type: ignore[attr-defined]  # where it starts


class FakePool:
    """A pool whose jobs end when they are let."""

    def __init__(self) -> None:
        self.may_end = asyncio.Event()
        self.jobs: list[dict[str, Any]] = []
        self.given_up = 0

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        pass

    async def result(self, task: str, arguments: dict[str, Any], seconds: float) -> None:
        self.jobs.append(arguments)
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        Path(arguments["out"]).write_text(f"report {len(self.jobs)}", encoding="utf-8")

    @asynccontextmanager
    async def job(
        self, task: str, arguments: dict[str, Any], seconds: float
    ) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        self.jobs.append(arguments)
        yield self._events()

    async def _events(self) -> AsyncIterator[dict[str, Any]]:
        yield {"event": "standings", "data": {"games_read": 1}}
        await self.may_end.wait()
        yield {"event": "done", "data": {"games_read": len(self.jobs), "took": 0.0}}


def with_view(path: Path, work: Callable[[StoreView, FakePool], Any]) -> None:
    async def run() -> None:
        view, pool = StoreView(path, 9), FakePool()
        view._pools = [pool, pool]  # type: ignore[list-item]  # as far as it goes
        async with asyncio.timeout(PATIENCE):
            await work(view, pool)
            await view.stop()

    asyncio.run(run())


def test_a_report_is_made_once_for_all_waiting_and_cached_until_the_file_changes(
    path: Path,
) -> None:
    async def work(view: StoreView, pool: FakePool) -> None:
        waiting = [asyncio.ensure_future(view.report()) for _ in range(40)]
        await asyncio.sleep(0)
        pool.may_end.set()
        assert set(await asyncio.gather(*waiting)) == {b"report 1"}
        assert await view.report() == b"report 1"
        assert len(pool.jobs) == 1
        settle(path)
        assert await view.report() == b"report 2"

    with_view(path, work)


def test_a_report_is_cancelled_when_all_waiting_have_left(path: Path) -> None:
    async def work(view: StoreView, pool: FakePool) -> None:
        waiting = [asyncio.ensure_future(view.report()) for _ in range(40)]
        while not pool.jobs:
            await asyncio.sleep(0)
        for client in waiting:
            assert pool.given_up == 0
            client.cancel()
            with pytest.raises(asyncio.CancelledError):
                await client
        while not pool.given_up:
            await asyncio.sleep(0)
        assert (len(pool.jobs), pool.given_up) == (1, 1)
        pool.may_end.set()
        assert await view.report() == b"report 2"

    with_view(path, work)


def test_standings_are_made_by_one_job_and_again_when_the_file_changes(path: Path) -> None:
    async def read(view: StoreView) -> Any:
        return json.loads((await view.standings())[0])["games_read"]

    async def work(view: StoreView, pool: FakePool) -> None:
        # The games read so far are shown immediately to every client.
        assert set(await asyncio.gather(*(read(view) for _ in range(40)))) == {1}
        assert [each["final"] for each in pool.jobs] == [False]
        pool.may_end.set()
        while view._standings_task is not None:
            await asyncio.sleep(0)
        # The next one gets the known figures, and better intervals are computed behind it, once.
        for _ in range(3):
            assert await read(view) in (1, 2)
            while view._standings_task is not None:
                await asyncio.sleep(0)
        assert [each["final"] for each in pool.jobs] == [False, True]
        settle(path)
        await read(view)
        assert [each["final"] for each in pool.jobs] == [False, True, False]

    with_view(path, work)


def test_the_running_game_is_in_the_answer_and_its_tag(path: Path) -> None:
    live = path.with_name("class.db.running")
    found: dict[str, Any] = {
        "game": 7, "first": "ann", "second": "bob", "to_move": "ann", "opening": "4", "moves": "44",
        "seconds": 1.5,
    }  # fmt: skip
    wrong = [
        json.dumps({**found, **each}) for each in ({"game": "7"}, {"moves": 4}, {"moves": "?"})
    ]
    wrong += [json.dumps({**found, "first": None}), "{}", "{", "3", "[1]"]

    async def work(view: StoreView, pool: FakePool) -> None:
        pool.may_end.set()

        async def read() -> tuple[Any, str]:
            body, tag = await view.standings()
            answer = json.loads(body)
            assert f'"{answer["version"]}"' == tag
            return answer["running"], tag

        while (await view.standings())[0].find(b"games_read") < 0 or view._standings_task:
            await asyncio.sleep(0)
        while not view._is_final:
            await view.standings()
            await asyncio.sleep(0)
        running, before = await read()
        assert running is None
        live.write_text(json.dumps(found))
        running, tag = await read()
        assert running == found and tag != before
        for text in (*wrong, json.dumps(found)):  # corrupt, and then abandoned
            live.write_text(text)
            os.utime(live, (1, 1) if text == json.dumps(found) else None)
            assert await read() == (None, before)

    with_view(path, work)


def test_standings_are_started_before_the_first_request(path: Path) -> None:
    async def work(view: StoreView, pool: FakePool) -> None:
        StoreView(None, 9).start()  # without a file
        view.start()
        pool.may_end.set()
        while view._standings_task is not None:
            await asyncio.sleep(0)
        assert [each["final"] for each in pool.jobs] == [False]
        assert json.loads((await view.standings())[0])["games_read"] == 1

    with_view(path, work)


def test_a_file_that_may_be_being_written_is_looked_at_again(path: Path) -> None:
    settled = version_of(path)
    assert settled is not None and version_of(path) == settled
    os.utime(path)
    assert version_of(path) is None
    settle(path)
    assert version_of(path) not in (None, settled)
    assert version_of(path.with_name("nowhere.db")) == ()


def asked(state: WorkerState, path: Path, final: bool = False) -> tuple[list[Any], dict[str, Any]]:
    """The events of the task, and its result."""
    output: list[Any] = []
    state.send = lambda *event: output.append(event)
    found = store_tasks.standings(state, str(path), final)
    found.pop("took")
    return output, found


def test_standings_grow_with_the_file_to_the_standings_of_all_games(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = WorkerState()
    _, found = asked(state, path)
    assert (found["store"], found["games_read"], found["games_stored"]) == ("class.db", 6, 6)
    assert "/home/prof" not in json.dumps(found)
    kept = state.standings
    with Store.extend(path) as store:
        store.add(map(game, range(6, 9)))
    monkeypatch.setattr(store_tasks, "DRAFT_SECONDS", -1.0)
    monkeypatch.setattr(store_tasks, "READING_RATIO", 0)
    output, found = asked(state, path, final=True)
    assert state.standings is kept
    assert [(name, data["games_read"]) for name, data in output] == [("standings", 7)]
    ratings = output[0][1]["standings"]["ratings"]
    assert [each["elo_interval_95"] for each in ratings["ratings"]] == [None, None]
    wanted: Any = Standings.read(path).as_dict()
    for agent in wanted["agents"]:
        agent["spec"] = agent["spec"].removeprefix("/home/prof/")
    assert found["standings"] == {name: wanted[name] for name in wanted if name != "remarks"}
    # A file with fewer games is another one.
    path.unlink()
    with Store.create(path, {}, AGENTS) as store:
        store.add(map(game, range(2)))
    assert asked(state, path)[1]["standings"]["games"] == 2


def test_the_newest_games_forfeits_progress_and_moved_places_follow_the_file(
    tmp_path: Path,
) -> None:
    path, state = tmp_path / "class.db", WorkerState()
    agents = [StoredAgent(n, f"/home/prof/{name}", name) for n, name in enumerate("abc")]
    plan = Plan(("a", "b", "c"), rounds=4, start=Position.from_moves("44"))
    with Store.create(path, {"plan": plan.as_dict()}, agents) as store:

        def play(numbers: range, winner: str) -> None:
            """Add games that an agent wins by forfeits; without it the first player does."""
            for number in numbers:
                pairing = plan.pairing(number)
                seats = "abc"[pairing.first], "abc"[pairing.second]
                won = seats.index(winner) if winner in seats else 0
                reason = "no file /home/prof/secret.txt here"
                fault: dict[str, Any] = {"fault": "crash", "fault_seat": 1 - won, "reason": reason}
                place = f"{number}", number, number // 2, pairing.first, pairing.second
                store.add([Game(*place, "", "1", won, root=plan.opening.root, **fault)])

        def settled(at: float) -> Any:
            for each in path.parent.iterdir():
                os.utime(each, (at, at))
            return asked(state, path)[1]

        play(range(6), "b")  # b, then a and c, which are level
        found = settled(1000)
        assert (found["games_planned"], found["round"], found["moved"]) == (24, 1, {})
        assert (found["last_game_at"], found["games_per_second"]) == (1000, None)
        assert (found["board"], found["connect"]) == ("7x6", 4)
        assert found["start"] == "/".join([*["......."] * 4, "...O...", "...X..."])
        play(range(6, 10), "c")
        found = settled(1002)
    assert (found["round"], found["games_per_second"]) == (2, 2.0)
    assert found["moved"] == {"c": 1, "a": -1}
    assert [each["game"] for each in found["newest"]] == list(range(10, 0, -1))
    assert found["newest_forfeits"] == found["newest"]
    newest = found["newest"][0]
    assert [newest[name] for name in ("moves", "winner", "fault", "fault_by", "reason")] == [
        "1", "c", "crash", "a", "no file secret.txt here"
    ]  # fmt: skip
    assert "/home" not in json.dumps(found)


GAUNTLET = {"agents": ["a"] * 4, "kind": "gauntlet", "rounds": 3}


@pytest.mark.parametrize(
    ("meta", "planned"),
    [
        ({}, (None, 0)),
        ({"plan": {**GAUNTLET, "kind": "round-robin"}}, (36, 12)),
        ({"plan": GAUNTLET}, (18, 6)),
        ({"plan": GAUNTLET, "part": {"part": "2/2"}}, (8, 6)),
        ({"plan": {**GAUNTLET, "max_games": 17}}, (17, 6)),
        ({"plan": GAUNTLET, "test": {}}, (None, 6)),
        ({"plan": {**GAUNTLET, "agents": 4}}, (None, 0)),
        ({"plan": {**GAUNTLET, "rounds": [1]}}, (None, 0)),
        ({"plan": {**GAUNTLET, "rounds": 10**40}}, (None, 0)),
        ({"plan": [], "part": 3}, (None, 0)),
    ],
)
def test_planned_games_follow_from_the_plan(
    meta: dict[str, Any], planned: tuple[int | None, int]
) -> None:
    assert store_tasks.planned_games(meta) == planned


def test_too_many_games_are_left_to_the_command(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_tasks, "MAX_REPORT_GAMES", 5)
    with pytest.raises(
        Exception, match=r"^class.db has 6 games; a report of the server has at most 5"
    ):
        store_tasks.report(WorkerState(), str(path), str(tmp_path / "r.html"))


def test_failures_are_reported_and_tried_again(path: Path) -> None:
    async def work(view: StoreView, pool: FakePool) -> None:
        async def broken() -> None:
            raise WorkFailed("class.db is corrupt", 422)

        pool.start = broken  # type: ignore[method-assign]  # it fails
        for _ in range(2):
            with pytest.raises(WorkFailed, match="is corrupt"):
                await view.standings()
        del pool.start
        pool.may_end.set()
        assert json.loads((await view.standings())[0])["games_read"] == 1

    with_view(path, work)


def test_unchanged_standings_are_not_sent_again_and_name_no_folder(path: Path) -> None:
    with running("--workers", "1", "--store", str(path)) as server:
        final = json.loads(json.dumps(Standings.read(path).as_dict()["ratings"]))
        eventually(
            lambda: (server.get("/api/tournament").json["standings"] or {}).get("ratings") == final
        )
        answer = server.get("/api/tournament")
        assert (answer.json["store"], answer.json["standings"]["games"]) == ("class.db", 6)
        same = server.ask("GET", "/api/tournament", if_none_match=answer.headers["etag"])
        assert (same.status, same.body) == (304, b"")
        report = server.get("/report")
        assert report.status == 200
        assert b"ann.py" in report.body
        for body in (answer.body, report.body):
            assert b"/home/prof" not in body
        with Store.extend(path) as store:
            store.add([game(6)])
        eventually(lambda: server.get("/api/tournament").json["standings"]["games"] == 7)
        # Viewers of the page do not see the folder of the file in errors either.
        path.write_bytes(b"x" * 5000)
        eventually(lambda: server.get("/api/tournament").status == 422)
        for where in ("/api/tournament", "/report"):
            answer = server.get(where)
            assert answer.status == 422
            assert "class.db" in answer.error and str(path.parent) not in answer.error
