"""The pool of workers without a server around it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from claimeven import Geometry, Position
from claimeven.agents.process import wire
from claimeven.processes import ONE_CORE
from claimeven.web.pool import PoolBusy, PoolClosed, WorkerLost, WorkerPool, WorkFailed, WorkTooLong
from tests.web.conftest import PATIENCE

#: A position that takes longer than any test.
HARD = wire.from_position(Position.from_moves("4", Geometry(8, 7)))
EASY = wire.from_position(Position.from_moves("4444413226712433"))


def with_pool(work: Callable[[WorkerPool], Awaitable[None]], size: int = 1) -> None:
    """Do something with a pool of so many workers, where one job may wait."""

    async def run() -> None:
        pool = WorkerPool(size, 8, 1, stop_seconds=PATIENCE)  # it is to stop, not to be ended
        await pool.start()
        await eventually(lambda: pool.ready == size)
        try:
            await work(pool)
        finally:
            await pool.stop()
        assert pool.processes == []

    asyncio.run(run())


async def eventually(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(PATIENCE):
        while not is_so():
            await asyncio.sleep(0.01)


def test_workers_step_back_behind_everything_else() -> None:
    async def work(pool: WorkerPool) -> None:
        (process,) = pool.processes
        assert os.getsid(process) == process
        own = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, process) == min(own + 10, 19)
        session = Path(f"/proc/{process}/autogroup")
        if session.exists() and session.read_text():
            assert session.read_text().split()[-1] == "10"

    with_pool(work)


@pytest.mark.usefixtures("real_starts")
def test_a_net_that_thinks_leaves_the_others_their_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ONE_CORE:
        monkeypatch.delenv(name)

    async def work(pool: WorkerPool) -> None:
        (process,) = pool.processes
        given = Path(f"/proc/{process}/environ").read_bytes().decode().split("\0")
        assert {f"{name}=1" for name in ONE_CORE} <= set(given)

    with_pool(work)


def test_jobs_end_in_all_ways_and_the_worker_stays() -> None:
    async def work(pool: WorkerPool) -> None:
        before = pool.processes
        hard = {"position": HARD, "seconds": 900}
        with pytest.raises(WorkTooLong, match=r"took more than the 0\.1 s"):
            await pool.result("scores", hard, 0.1)
        with pytest.raises(WorkFailed, match="there is no agent 'nobody'") as failed:
            await pool.result("move", {"position": EASY, "agent": "nobody", "limit": [None] * 5,
                                       "seed": 1, "seconds": 1}, 60)  # fmt: skip
        assert failed.value.status == 422
        with pytest.raises(WorkFailed, match="too hard for the time") as failed:
            await pool.result("explanation", {"position": HARD, "seconds": 0.1}, 60)
        assert failed.value.status == 422
        doing = asyncio.ensure_future(pool.result("scores", hard, 900))
        await asyncio.sleep(0)
        waiting = asyncio.ensure_future(
            pool.result("scores", {"position": EASY, "seconds": 60}, 60)
        )
        await eventually(lambda: pool.waiting == 1)
        with pytest.raises(PoolBusy, match="1 searches are waiting already"):
            await pool.result("scores", hard, 900)
        doing.cancel()
        assert (await waiting)["complete"] is True
        await eventually(lambda: not pool.busy)
        assert pool.processes == before

    with_pool(work)


def test_what_runs_and_waits_ends_with_the_pool() -> None:
    async def work(pool: WorkerPool) -> None:
        jobs = [
            asyncio.ensure_future(pool.result("scores", {"position": HARD, "seconds": 900}, 900))
            for _ in range(2)
        ]
        await eventually(lambda: pool.waiting == 1)
        await pool.stop()
        for job in jobs:
            with pytest.raises(PoolClosed):
                await job
        with pytest.raises(PoolClosed):
            await pool.result("scores", {"position": EASY, "seconds": 1}, 1)

    with_pool(work)


def test_workers_that_end_at_once_are_all_replaced() -> None:
    async def work(pool: WorkerPool) -> None:
        before = set(pool.processes)
        async with pool.job("scores", {"position": HARD, "seconds": 900}, 900) as events:
            for process in before:
                os.kill(process, signal.SIGKILL)
            with pytest.raises(WorkerLost, match="SIGKILL"):
                async for _ in events:
                    pass
            # The idle one is replaced first: its successor's pipes are likely to get the numbers
            # that those of the busy one had, which is let go of only now.
            await eventually(lambda: bool(set(pool.processes) - before))
        await eventually(lambda: pool.ready == 2)
        assert pool.workers_lost == 2
        assert len(pool.processes) == 2
        assert not before & set(pool.processes)
        easy = {"position": EASY, "seconds": 60}
        for answer in await asyncio.gather(*(pool.result("scores", easy, 60) for _ in range(2))):
            assert answer["complete"] is True

    with_pool(work, size=2)
