"""Every executor plays the same games, in order, and leaves no process behind."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from claimeven.agents import InvalidLimit, InvalidSpec, Limit
from claimeven.arena import InvalidMatch, MatchResult, play_match
from claimeven.arena.games.game import Game
from claimeven.arena.tournaments.run import PlanWork
from claimeven.parallel import pool
from claimeven.parallel.jobs import PoolError, Result
from claimeven.parallel.process import Child
from tests.agents.process.test_process import bot
from tests.arena.playing import match, played

SOURCES = Path(__file__).parents[2] / "src"


def plain(result: MatchResult) -> dict[str, Any]:
    """The totals but for the clock."""
    totals = dict(result.as_dict())
    del totals["seconds"]
    per_move: Any = totals["per_move"]
    totals["per_move"] = [{k: v for k, v in one.items() if k != "seconds"} for one in per_move]
    return totals


def test_two_jobs_play_the_same_match_as_one() -> None:
    seen: list[int] = []
    one, two = (
        play_match(
            "alphabeta:depth=2",
            bot("draws"),
            games=18,
            opening_plies=2,
            jobs=jobs,
            limit=None,
            on_progress=lambda played: seen.append(played.number),
        )
        for jobs in (1, 2)
    )
    assert plain(one) == plain(two)
    assert [p.columns for p in one.games] == [p.columns for p in two.games]
    result = [
        [(d.column, d.value, d.nodes, d.details) for p in match.games for d in p.decisions]
        for match in (one, two)
    ]
    assert result[0] == result[1]
    assert seen == [*range(18), *range(18)]


def test_agents_that_remember_play_their_games_in_order() -> None:
    messages: list[str] = []
    matches = []
    for jobs in (1, 2):
        plan = match("uct-itu-table:iterations=40", "uct-itu:iterations=40", games=8, seed=3)
        matches.append([p.columns for p in played(plan, jobs, on_message=messages.append)])
    assert matches[0] == matches[1]
    assert messages == [
        "uct-itu-table:iterations=40 remembers earlier games: one process plays them, in order"
    ]


def test_a_bot_that_remembers_plays_its_games_in_order() -> None:
    one, two = (
        play_match(bot("remembers", "Counting"), "greedy", games=6, jobs=jobs) for jobs in (1, 2)
    )
    assert [p.columns for p in one.games] == [p.columns for p in two.games]
    assert one.unique_games > 2


def test_a_person_plays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 6))
    messages: list[str] = []
    games = played(match("human", "greedy", games=2, seconds=1), 2, on_message=messages.append)
    assert messages == ["human plays at this terminal: one process plays all games"]
    assert any(game.columns for game in games)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bot_that_ends_its_process_forfeits(jobs: int) -> None:
    result = play_match(bot("exits"), "random", games=4, jobs=jobs)
    assert result.forfeits[0] == {"ended its process: exit status 3": 4}


def test_impossible_matches_are_reported() -> None:
    with pytest.raises(InvalidMatch, match="jobs must be 1 or more, got 0"):
        play_match("random", "random", games=1, jobs=0)
    for name in ("games", "seed", "jobs", "opening_plies"):
        for odd in (1.5, "2", None):
            if odd is None and name in ("jobs", "opening_plies"):
                continue  # the default number
            with pytest.raises(InvalidMatch, match=f"{name} must be a whole number, got {odd!r}"):
                play_match("random", "random", **{name: odd})  # type: ignore[arg-type]  # bad on purpose
    with pytest.raises(InvalidMatch, match="objects or functions play only in their own process"):
        play_match(lambda position: 0, "random", jobs=2)
    for jobs in (1, 2):
        with pytest.raises(InvalidSpec, match="there is no agent 'nobody'"):
            play_match("nobody", "random", jobs=jobs)
        with pytest.raises(InvalidMatch, match="no random opening of 42 plies"):
            play_match("random", "random", jobs=jobs, opening_plies=42)


LIMITS = [
    ("uct", Limit(depth=3), "uct cannot be limited by depth: it supports seconds, iterations"),
    (
        "alphabeta",
        Limit(seconds=1, iterations=3),
        "alphabeta cannot be limited by iterations: it supports seconds, depth, nodes",
    ),
    ("perfect", Limit(nodes=3), "perfect cannot be limited by nodes: it supports seconds"),
    (bot("first"), Limit(depth=3), "{spec} cannot be limited by depth: it supports seconds"),
]


@pytest.mark.parametrize(("spec", "limit", "expected"), LIMITS)
def test_a_limit_that_an_agent_does_not_know_is_refused(
    spec: str, limit: Limit, expected: str
) -> None:
    with pytest.raises(InvalidLimit) as caught:
        play_match("random", spec, limit=limit)
    assert str(caught.value) == expected.format(spec=spec)


def test_the_games_of_a_worker_that_ends_are_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Child] = []

    class Mortal(Child):
        """A child that is killed when it is sent its second batch of games."""

        def __init__(self, module: str, **others: Any) -> None:
            super().__init__(module, **others)
            started.append(self)
            self.sent = 0

        def send(self, message: bytes, seconds: float | None = None) -> None:
            super().send(message, seconds)
            self.sent += 1
            if self.sent == 3 and len(started) < 4:
                os.kill(self.process, signal.SIGKILL)

    monkeypatch.setattr(pool, "Child", Mortal)
    plan = match(games=200, seed=1)
    games = played(plan, 2)
    assert len(started) >= 4
    assert [game.number for game in games] == list(range(200))
    assert stripped(games) == stripped(played(plan))


def stripped(games: list[Game]) -> list[Any]:
    return [(p.number, p.first, p.opening, p.columns, p.winner) for p in games]


def test_a_game_that_cannot_be_played_by_a_pool_is_given_up() -> None:
    class Broken:
        def play(self, work: PlanWork, numbers: Sequence[int]) -> Generator[Result, None, None]:
            assert work.worker_timeout is None  # a move may take any time
            raise PoolError("the process that runs game 1 died 3 times")
            yield

    with pytest.raises(InvalidMatch, match="game 1 died 3 times"):
        play_match("random", "greedy", games=4, executor=Broken())


SCRIPT = """
from claimeven import play_match
on_progress = lambda game: print(game.number, flush=True)
play_match({first!r}, "random", games={games}, jobs=2, on_progress=on_progress)
"""


def started_script(folder: Path, first: str, games: int) -> subprocess.Popen[str]:
    """Run a script that plays with two workers and has no guard of its main module."""
    script = folder / "script.py"
    script.write_text(SCRIPT.format(first=first, games=games), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
    )


def test_a_script_without_a_guard_plays_with_workers(tmp_path: Path) -> None:
    out, _ = started_script(tmp_path, "greedy", 6).communicate(timeout=300)
    assert out.split() == [str(number) for number in range(6)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_and_bots_end_with_their_parent(tmp_path: Path, number: int) -> None:
    marked = tmp_path / "marked.py"
    marked.write_text(
        "import os, pathlib, time\n"
        "def agent(position):\n"
        "    folder = pathlib.Path(__file__).parent\n"
        "    (folder / f'{os.getpid()}.pid').touch()\n"
        "    (folder / f'{os.getppid()}.pid').touch()\n"
        "    time.sleep(60 if position.ply > 3 else 0)\n"
        "    return position.legal_columns[0]\n",
        encoding="utf-8",
    )
    script = started_script(tmp_path, str(marked), 8)
    begin = time.monotonic()
    while len(list(tmp_path.glob("*.pid"))) < 4 and time.monotonic() - begin < 120:
        time.sleep(0.05)
    pids = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert len(pids) == 4  # two workers, each with a bot
    script.send_signal(number)
    # The pipe of its output is free as soon as no process holds it.
    script.communicate(timeout=60)
    begin = time.monotonic()
    while any(map(alive, pids)) and time.monotonic() - begin < 60:
        time.sleep(0.05)
    assert not any(map(alive, pids))


def alive(pid: int) -> bool:
    """Whether a process runs; one that is over and was not asked for yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_is_changed_meanwhile_counts_as_it_was_in_all_processes(
    tmp_path: Path, jobs: int
) -> None:
    path = tmp_path / "bot.py"
    path.write_text(
        "from pathlib import Path\nPath(__file__).write_text('1 / 0')\n"
        "def agent(position):\n    return position.legal_columns[0]\n"
    )
    result = play_match(str(path), "random", games=8, jobs=jobs)
    assert path.read_text() == "1 / 0"
    assert result.as_dict()["forfeits"] == 0
