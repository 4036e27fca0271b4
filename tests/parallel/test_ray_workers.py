"""Games played by Ray: the same ones, not lost with a worker, and the errors."""

from __future__ import annotations

import secrets
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry
from claimeven.arena import (
    InvalidMatch,
    RayWorkers,
    SprtVerdict,
    run_sprt,
)
from claimeven.arena.tournaments.run import PlanWork, play_work
from claimeven.learning.selfplay_config import SelfPlayConfig
from claimeven.learning.selfplay_jobs import play_selfplay
from claimeven.networks.net import Net
from claimeven.parallel import pool
from claimeven.parallel.jobs import CheckedWork, Executor, PoolError, RayWorker
from tests.arena.playing import match
from tests.cli.conftest import environment
from tests.parallel.stopping import StoppedWork

#: An agent that once, or always, kills the process that plays its game, in the middle of it.
KILLER = """
import os, pathlib, signal

def agent(position):
    mark = pathlib.Path(__file__).with_suffix(".mark")
    if {always} or (position.ply >= 6 and not mark.exists()):
        mark.write_bytes(pathlib.Path(f"/proc/{{os.getppid()}}/cmdline").read_bytes())
        os.kill(os.getppid(), signal.SIGKILL)
    return position.legal_columns[-1]
"""


#: Two tasks of self-play.
SELFPLAY = SelfPlayConfig(games=16, games_per_worker=8, simulations=8, geometry=Geometry(4, 4, 3))


@pytest.fixture(scope="module")
def two_workers() -> Iterator[RayWorkers]:
    """Two workers of a Ray that is started once for all tests, as a program may start it."""
    ray = pytest.importorskip("ray")
    # Workers look for these sources in the folder of the driver of the first `init`.
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, value in environment(RAY_USAGE_STATS_ENABLED="0").items():
            patch.setenv(name, value)
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))  # not the one of this user
        ray.init(
            "local",
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=100 << 20,
        )
        yield RayWorkers(2)
        ray.shutdown()


def work(*agents: str, games: int) -> PlanWork:
    return PlanWork(match(*agents, games=games, seed=5, opening_plies=2))


def games_of(what: PlanWork, executor: Executor | None) -> list[tuple[object, ...]]:
    """The games in the order of their numbers; a game that comes twice is in it twice."""
    games = play_work(what, range(what.plan.games), executor)
    return sorted((n, p.number, p.first, p.opening, p.columns) for n, p in games)


@pytest.fixture
def one_worker(two_workers: RayWorkers) -> RayWorkers:
    """One worker of the same Ray: each is a process, which takes long to start."""
    return RayWorkers(1)


def test_a_sequential_test_ends_the_games_of_ray_early(one_worker: RayWorkers) -> None:
    tests = [
        run_sprt("random", "greedy:win=yes", elo1=100, seed=2, max_games=60, executor=executor)
        for executor in (None, one_worker)
    ]
    assert tests[0].verdict is tests[1].verdict is SprtVerdict.ELO0
    assert tests[0].run.counts == tests[1].run.counts


def test_a_worker_killed_in_mid_game_loses_no_game(two_workers: RayWorkers, tmp_path: Path) -> None:
    killer = tmp_path / "killer.py"
    killer.write_text(KILLER.format(always=False), encoding="utf-8")
    what = work("random", str(killer), games=40)
    games = games_of(what, two_workers)
    assert killer.with_suffix(".mark").read_bytes().startswith(b"ray::RayWorker")
    assert games == games_of(what, None)


def test_a_game_that_ends_every_worker_is_given_up(
    one_worker: RayWorkers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "MAX_TRIES", 2)
    killer = tmp_path / "killer.py"
    killer.write_text(KILLER.format(always=True), encoding="utf-8")
    with pytest.raises(InvalidMatch, match=r"the Ray worker that runs game \d died 2 times"):
        games_of(work("random", str(killer), games=2), one_worker)


def test_a_worker_that_hangs_is_replaced(two_workers: RayWorkers, tmp_path: Path) -> None:
    output: list[str] = []
    work, players = StoppedWork(str(tmp_path)), RayWorkers(2, on_message=output.append)
    assert sorted(players.play(work, range(6))) == [(n, n * n) for n in range(6)]
    sentence = "a Ray worker that runs square 3 hangs (no sign of life for 3 s): another one runs"
    assert output == [f"{sentence} it again"]


def test_self_play_on_ray_equals_this_process(one_worker: RayWorkers) -> None:
    config = SELFPLAY
    net = config.net_of(Net.zeros(config.shape, config.geometry).arrays)
    here, there = (play_selfplay(net, config, 1, players) for players in (None, one_worker))
    assert here.tally == there.tally
    for one, other in zip(here.positions, there.positions, strict=True):
        assert np.array_equal(one, other)


def test_a_machine_that_differs_is_named(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def agent(position):\n    return 3\n", encoding="utf-8")
    games = work("random", str(bot), games=2)
    what = CheckedWork(games, games.digests())
    assert RayWorker().prepare(what) == []
    bot.write_text("def agent(position):\n    return 2\n", encoding="utf-8")
    assert f"has another file of {bot}: agents from" in str(RayWorker().prepare(what))
    bot.unlink()
    assert f"lacks the file of {bot}: agents from" in str(RayWorker().prepare(what))
    other = replace(what, version="0.0.1", wanted={})
    assert "this machine has 0.0.1: install the same" in str(RayWorker().prepare(other))


def test_less_than_one_job_is_refused() -> None:
    pytest.importorskip("ray")
    for jobs in (0, 1.5):
        with pytest.raises(PoolError, match=f"jobs must be a whole number, 1 or more, got {jobs}"):
            RayWorkers(jobs)  # type: ignore[arg-type]  # bad on purpose


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(PoolError, match=r"needs Ray: pip install 'claimeven\[cluster\]'"):
        RayWorkers()
