"""The pool of workers without a server around it."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from claimeven import Geometry, Limit, Position
from claimeven.parallel import posix
from claimeven.parallel.process import ONE_CORE
from claimeven.web import pool as pools
from claimeven.web.jobs import WARMUP_STEPS, WarmupStep
from claimeven.web.pool import MEMORY_MB, WorkerPool
from claimeven.web.transport import PoolBusy, PoolClosed, WorkerLost, WorkFailed, WorkTooLong
from tests.web.conftest import PATIENCE

#: A position that takes longer than any test.
HARD = {"position": Position.from_moves("4", Geometry(8, 7))}
EASY = {"position": Position.from_moves("4444413226712433")}
#: The message of a pool whose workers find no compiled code.
COMPILING = "compiling the searches, once after an installation"
#: A move of an agent that there is not.
NOBODY = {**EASY, "agent": "nobody", "limit": Limit(), "seed": 1}


#: The only warm-up step of most pools: the code of a job must be loaded, and no other code.
STEPS = WARMUP_STEPS[:1]


Work = Callable[[WorkerPool], Awaitable[None]]


@pytest.fixture(scope="module")
def shared() -> Iterator[Callable[[Work], None]]:
    """Run a coroutine with a pool of one worker that other tests use too: as `with_pool` does."""
    with asyncio.Runner() as runner:
        pool = WorkerPool(1, 8, 1, stop_seconds=PATIENCE, steps=STEPS)

        async def run(work: Work) -> None:
            await pool.start()
            await eventually(lambda: pool.ready == 1 and not pool.busy)
            await work(pool)

        yield lambda work: runner.run(run(work))
        runner.run(pool.stop())


def with_pool(work: Work, size: int = 1, stop_seconds: float = PATIENCE) -> None:
    """Run a coroutine with a pool of `count` workers, in which one job may wait.

    A job is to stop by itself, not to be killed, unless its time for that is short.
    """

    async def run() -> None:
        pool = WorkerPool(size, 8, 1, stop_seconds=stop_seconds, steps=STEPS)
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


@pytest.mark.usefixtures("real_starts")
def test_workers_leave_their_cores_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A net uses one core, and a search steps back behind everything else."""
    for name in ONE_CORE:
        monkeypatch.delenv(name, raising=False)

    async def work(pool: WorkerPool) -> None:
        (process,) = pool.processes
        variables = Path(f"/proc/{process}/environ").read_bytes().decode().split("\0")
        assert {f"{name}=1" for name in ONE_CORE} <= set(variables)
        assert os.getsid(process) == process
        own = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, process) == min(own + 10, 19)
        session = Path(f"/proc/{process}/autogroup")
        if session.exists() and session.read_text():
            assert session.read_text().split()[-1] == "10"

    with_pool(work)


def test_a_worker_can_be_asked_after_its_first_step_and_is_ready_after_the_last() -> None:
    async def run() -> None:
        output: list[str] = []
        steps = (WARMUP_STEPS[0], WarmupStep("what fails", "nobody"), WarmupStep("the net", "net"))
        pool = WorkerPool(2, 8, 9, output.append, steps=steps)
        await pool.start()
        assert (pool.steps_done, pool.ready, pool.busy) == (1, 0, 0)
        (process,) = pool.processes
        assert os.getpriority(os.PRIO_PROCESS, process) == os.getpriority(os.PRIO_PROCESS, 0)
        assert (await pool.result("scores", EASY, 60))["complete"] is True
        await eventually(lambda: pool.ready == 2)
        assert pool.steps_done == 3
        failed = [text for text in output if text != COMPILING]  # an empty cache adds that one
        assert all("warm-up of what fails failed: there is no agent" in text for text in failed)
        assert len(failed) == 2  # of each worker
        assert (pool.jobs_done, pool.workers_lost) == (1, 0)
        await pool.stop()

    asyncio.run(run())


def test_the_time_of_a_job_starts_when_its_code_is_loaded(
    shared: Callable[[Work], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "GRACE_SECONDS", 0.0)

    async def work(pool: WorkerPool) -> None:
        (process,) = pool.processes
        (worker,) = pool._workers
        worker.is_ready = False
        os.kill(process, signal.SIGSTOP)  # it does not say that its time runs
        asked = asyncio.ensure_future(pool.result("move", NOBODY, 0.0))
        await eventually(lambda: pool.busy == 1)
        await asyncio.sleep(0.1)
        assert not asked.done()
        worker.is_ready = True
        os.kill(process, signal.SIGCONT)
        with pytest.raises(WorkFailed, match="there is no agent 'nobody'"):
            await asked
        # If everything is compiled it runs from the start.
        os.kill(process, signal.SIGSTOP)
        with pytest.raises(WorkTooLong):
            await pool.result("move", NOBODY, 0.0)
        os.kill(process, signal.SIGCONT)

    shared(work)


def test_jobs_end_in_all_ways_and_the_worker_stays(shared: Callable[[Work], None]) -> None:
    async def work(pool: WorkerPool) -> None:
        before = pool.processes
        with pytest.raises(WorkTooLong, match=r"took more than 0\.1 s"):
            await pool.result("move", {**NOBODY, **HARD, "agent": "alphabeta:depth=50"}, 0.1)
        with pytest.raises(WorkFailed, match="there is no agent 'nobody'") as failed:
            await pool.result("move", NOBODY, 60)
        assert failed.value.status == 422
        with pytest.raises(WorkFailed, match="exceeded its time limit") as failed:
            await pool.result("explanation", HARD, 0.1)
        assert failed.value.status == 422
        doing = asyncio.ensure_future(pool.result("scores", HARD, 900))
        await asyncio.sleep(0)
        waiting = asyncio.ensure_future(pool.result("scores", EASY, 60))
        await eventually(lambda: pool.waiting == 1)
        with pytest.raises(PoolBusy, match="1 searches are waiting already"):
            await pool.result("scores", HARD, 900)
        doing.cancel()
        assert (await waiting)["complete"] is True
        await eventually(lambda: not pool.busy)
        assert pool.processes == before

    shared(work)


def test_running_and_waiting_jobs_end_with_the_pool() -> None:
    async def work(pool: WorkerPool) -> None:
        jobs = [asyncio.ensure_future(pool.result("scores", HARD, 900)) for _ in range(2)]
        await eventually(lambda: pool.waiting == 1)
        await pool.stop()
        for job in jobs:
            with pytest.raises(PoolClosed):
                await job
        with pytest.raises(PoolClosed):
            await pool.result("scores", EASY, 1)
        assert pool.workers_lost == 0

    with_pool(work)


def test_workers_that_end_together_are_all_replaced() -> None:
    async def work(pool: WorkerPool) -> None:
        before = set(pool.processes)
        async with pool.job("scores", HARD, 900) as events:
            for process in before:
                os.kill(process, signal.SIGKILL)
            with pytest.raises(WorkerLost, match="SIGKILL"):
                async for _ in events:
                    pass
            # The idle one is replaced first: its successor's pipes are likely to get the numbers of
            # the busy one's pipes, which is let go of only now.
            await eventually(lambda: bool(set(pool.processes) - before))
        await eventually(lambda: pool.ready == 2)
        assert (pool.workers_lost, pool.busy) == (2, 0)
        assert len(pool.processes) == 2
        assert not before & set(pool.processes)
        for answer in await asyncio.gather(*(pool.result("scores", EASY, 60) for _ in range(2))):
            assert answer["complete"] is True

    with_pool(work, size=2)


def test_failures_of_a_task_are_reported_and_the_worker_stays(
    capfd: pytest.CaptureFixture[str],
) -> None:
    async def work(pool: WorkerPool) -> None:
        before = pool.processes
        with pytest.raises(
            WorkFailed, match="claimeven failed at this request; its log has the details"
        ) as failed:
            await pool.result("nonsense", {}, 60)
        assert failed.value.status == 500
        limits = Path(f"/proc/{before[0]}/limits")
        if limits.exists():
            import resource

            (data,) = [x for x in limits.read_text().splitlines() if x.startswith("Max data")]
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            most = hard if hard != resource.RLIM_INFINITY else math.inf
            assert int(data.split()[3]) == min(MEMORY_MB << 20, most)
        assert (await pool.result("scores", EASY, 60))["complete"] is True
        assert pool.processes == before
        assert (pool.jobs_done, pool.workers_lost) == (2, 0)

    with_pool(work)
    assert "has no attribute 'nonsense'" in capfd.readouterr().err


def test_an_idle_worker_that_has_just_ended_costs_no_job(shared: Callable[[Work], None]) -> None:
    async def work(pool: WorkerPool) -> None:
        (process,), lost = pool.processes, pool.workers_lost
        os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):  # its thread may have seen the end before us
            os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
        # The pool cannot have heard of it: the event loop has not run since.
        assert (await pool.result("scores", EASY, 60))["complete"] is True
        assert pool.workers_lost == lost + 1

    shared(work)


def test_a_worker_that_does_not_stop_is_replaced() -> None:
    async def work(pool: WorkerPool) -> None:
        before = pool.processes
        doing = asyncio.ensure_future(pool.result("scores", HARD, 900))
        await eventually(lambda: pool.busy == 1)
        os.kill(before[0], signal.SIGSTOP)
        doing.cancel()
        await eventually(lambda: pool.processes not in (before, []) and pool.ready == 1)
        assert pool.workers_lost == 1
        assert (await pool.result("scores", EASY, 60))["complete"] is True

    with_pool(work, stop_seconds=0.01)


def test_jobs_cancelled_at_their_start_or_end_cost_no_worker(
    shared: Callable[[Work], None],
) -> None:
    async def work(pool: WorkerPool) -> None:
        before, lost = pool.processes, pool.workers_lost
        os.kill(before[0], signal.SIGSTOP)  # it finds the job and its end together
        doing = asyncio.ensure_future(pool.result("scores", HARD, 900))
        await eventually(lambda: pool.busy == 1)
        doing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await doing
        await asyncio.sleep(0)
        os.kill(before[0], signal.SIGCONT)
        await eventually(lambda: not pool.busy)
        for _ in range(3):
            async with pool.job("review", {**EASY, "columns": [0, 1]}, 60) as events:
                assert (await anext(events))["event"] == "scores"
                time.sleep(0.1)  # most likely it is done before the stop
            await eventually(lambda: not pool.busy)
        assert (pool.processes, pool.workers_lost) == (before, lost)

    shared(work)


def test_a_worker_handed_to_a_cancelled_request_is_not_lost() -> None:
    async def work(pool: WorkerPool) -> None:
        async def handed_over() -> asyncio.Future[object]:
            """A job that has its worker and has not continued yet."""
            async with pool.job("scores", EASY, 60) as events:
                waiting = asyncio.ensure_future(pool.result("scores", HARD, 900))
                await eventually(lambda: pool.waiting == 1)
                async for _ in events:
                    pass
            assert pool.waiting == 0
            return waiting

        async with asyncio.timeout(PATIENCE):
            waiting = await handed_over()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert (await pool.result("scores", EASY, 60))["complete"] is True
            waiting = await handed_over()
            await pool.stop()
            with pytest.raises(PoolClosed):
                await waiting

    with_pool(work)


@contextmanager
def no_more_files() -> Iterator[None]:
    """No more files can be opened, not even a pipe."""
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_workers_that_cannot_be_started_are_reported_and_tried_again() -> None:
    async def run() -> None:
        output: list[str] = []
        pool = WorkerPool(2, 8, 1, output.append, steps=STEPS)
        with no_more_files(), pytest.raises(WorkerLost, match="allows 3 open files"):
            await pool.start()
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(PoolClosed):
                await pool.result("scores", EASY, 60)
        await pool.start()
        await pool.stop()
        await asyncio.sleep(0)
        assert pool.processes == []  # nor does the second one start
        await pool.start()
        await eventually(lambda: pool.ready == 2)
        assert output == []
        process = pool.processes[0]
        with no_more_files():
            os.kill(process, signal.SIGKILL)
            await eventually(lambda: bool(output))
        assert all(each.startswith("a worker could not be started: no more ") for each in output)
        await eventually(lambda: pool.ready == 2)
        await pool.stop()

    asyncio.run(run())


def test_a_worker_asks_for_no_more_memory_than_the_system_grants() -> None:
    assert posix._data_limits(MEMORY_MB, 1 << 30) == (1 << 30, 1 << 30)
    assert posix._data_limits(1, 1 << 30) == (1 << 20, 1 << 30)
