"""Worker processes that search, for a server that must never wait.

A job takes a free worker, or waits in line for one; its events come as they happen. A job that is
given up is cancelled: the worker stops within milliseconds and is free again, and one that does not
stop within `STOP_SECONDS` is ended and replaced. A worker that ends in the middle of a job, however
it does, costs that job alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Any

from claimeven.parallel.process import NoMoreProcesses
from claimeven.web.errors import PoolBusy, PoolClosed, WorkerLost, WorkFailed, WorkTooLong
from claimeven.web.jobs import STEPS, Step
from claimeven.web.streaming import Event
from claimeven.web.worker_process import WARM_SECONDS, WorkerProcess

#: Seconds that a worker has to stop a job before it is ended. Most take milliseconds; but workers
#: step back behind all others of a busy machine, and to end one costs more than to wait for it.
STOP_SECONDS = 1.0
#: Seconds between two tries to start a worker where that fails.
_RETRY = 1.0


class WorkerPool:
    """`size` worker processes, each with a solver's table of `table_mb` MB, or the usual one.

    `most_waiting` jobs wait in line at most. `start` returns when the first worker has made the
    first of its `steps` and can be asked; others follow, and one at a time makes the steps that are
    left whenever it is not asked. A job that is cancelled has `stop_seconds` to stop. `tell` gets
    what a person should know, such as that code is being compiled.
    """

    def __init__(
        self,
        size: int,
        table_mb: float | None,
        most_waiting: int,
        tell: Callable[[str], None] = lambda text: None,
        stop_seconds: float = STOP_SECONDS,
        steps: Sequence[Step] = STEPS,
    ) -> None:
        self.size = size
        self.table_mb = table_mb
        self.most_waiting = most_waiting
        self.tell = tell
        self.stop_seconds = stop_seconds
        self.steps = steps
        self.jobs_done = 0
        self.workers_lost = 0
        self._workers: set[WorkerProcess] = set()
        self._free: deque[WorkerProcess] = deque()
        self._waiting: deque[asyncio.Future[WorkerProcess]] = deque()
        self._errands: set[asyncio.Task[None]] = set()
        self._is_open = False
        self._warming: WorkerProcess | None = None
        #: Set once code is being compiled, which takes long: jobs may wait for that already.
        self.compiling = asyncio.Event()

    @property
    def ready(self) -> int:
        """Workers that have made all steps, so that no job waits for a compiler."""
        return sum(worker.is_ready for worker in self._workers)

    @property
    def busy(self) -> int:
        """Workers that have a job, or are stopping one."""
        asked = sum(worker.is_warm for worker in self._workers)
        return asked - len(self._free) - (self._warming is not None)

    @property
    def steps_made(self) -> int:
        """Steps that some worker has made: what it compiled, the others load."""
        return max((worker.steps_made for worker in self._workers), default=0)

    @property
    def waiting(self) -> int:
        """Jobs that wait for a worker."""
        return sum(not place.done() for place in self._waiting)

    @property
    def processes(self) -> list[int]:
        """The numbers of the worker processes."""
        return sorted(worker.child.process for worker in self._workers)

    async def start(self) -> None:
        """Start the workers; return when the first is warm. Nothing happens the second time."""
        if self._is_open:
            return
        self._is_open, self._warming = True, None
        try:
            await self._add(tries=1)  # what it compiles, the others find
        except BaseException:
            await self.stop()
            raise
        for _ in range(self.size - 1):
            self._go(self._add())

    async def stop(self) -> None:
        """End all workers at once; jobs that are waiting or running end with `PoolClosed`."""
        self._is_open = False
        for place in self._waiting:
            if not place.done():
                place.set_exception(PoolClosed("the server is ending"))
        for errand in list(self._errands):
            errand.cancel()
        workers = list(self._workers)
        for worker in workers:
            worker.give_up(PoolClosed("the server is ending"))
        await asyncio.gather(*map(self._remove, workers))

    @asynccontextmanager
    async def job(
        self, task: str, arguments: dict[str, Any], seconds: float
    ) -> AsyncIterator[AsyncIterator[Event]]:
        """Run a task of `tasks` on a worker; yield its events, the last of which is its result.

        Leaving the block before that cancels the job. Iterating raises `WorkFailed`, `WorkerLost`,
        `WorkTooLong` after `seconds` of work; entering raises `PoolBusy` and `PoolClosed`.
        """
        worker = await self._taken()
        try:
            async with aclosing(worker.run(task, arguments, seconds)) as events:
                yield events
        finally:
            if worker.is_done:
                self.jobs_done += 1
                self._give_back(worker)
            else:
                self._go(self._stop_job(worker))

    async def result(self, task: str, arguments: dict[str, Any], seconds: float) -> Any:
        """Run a task and return its result. Raises what `job` raises."""
        async with self.job(task, arguments, seconds) as events:
            async for event in events:
                if event["event"] == "done":
                    return event["data"]
        raise WorkerLost("the search ended without a result: try again")

    # --- inside ----------------------------------------------------------------------------------

    async def _taken(self) -> WorkerProcess:
        """Return a free worker; wait in line for it."""
        while self._is_open:
            worker = self._free.popleft() if self._free else await self._next_free()
            if worker.has_ended or worker.child.ended:
                self._go(self._replace(worker))  # it ended just now: that costs no job
            elif self._is_open:  # the pool may have ended since the worker was handed over
                return worker
        raise PoolClosed("the server is ending")

    async def _next_free(self) -> WorkerProcess:
        """Wait in line for a worker."""
        # One that makes a step has no job: there is a place in line for it.
        if self.waiting >= self.most_waiting + (self._warming is not None):
            raise PoolBusy(f"{self.most_waiting:,} searches are waiting already: try again soon")
        place: asyncio.Future[WorkerProcess] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self._give_back(place.result())
            raise
        finally:
            with contextlib.suppress(ValueError):
                self._waiting.remove(place)

    def _give_back(self, worker: WorkerProcess) -> None:
        """Hand a worker to whoever is next in line."""
        if worker.has_ended or not self._is_open:
            self._go(self._replace(worker))
            return
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(worker)
                return
        self._free.append(worker)
        self._go_on_warming()

    def _go_on_warming(self) -> None:
        """Let the free worker that lacks the fewest steps make its next one, if none does so."""
        lacking = [each for each in self._free if not each.is_ready]
        if lacking and self._warming is None:
            worker = self._warming = max(lacking, key=lambda each: each.steps_made)
            self._free.remove(worker)
            self._go(self._warm_on(worker))

    async def _warm_on(self, worker: WorkerProcess) -> None:
        """Let a worker make its next step; what it cannot make it is asked without."""
        try:
            await self._make_step(worker)
        except WorkFailed as error:
            self.tell(f"{self.steps[worker.steps_made].name} cannot be made ready: {error}")
            worker.steps_made += 1
        except (WorkerLost, WorkTooLong) as error:
            self.tell(f"a worker could not be made ready: {error}")
            self._go(self._replace(worker))
            return
        finally:
            self._warming = None
        self._give_back(worker)

    async def _stop_job(self, worker: WorkerProcess) -> None:
        # To end one that compiles, before its job has begun, would cost what it has compiled.
        may_compile = not (worker.has_begun or worker.is_ready)
        if await worker.cancelled(WARM_SECONDS if may_compile else self.stop_seconds):
            self._give_back(worker)
        else:
            await self._replace(worker)

    async def _replace(self, worker: WorkerProcess) -> None:
        """Let go of a worker and add another; nothing if that is being done."""
        if worker not in self._workers:
            return
        self.workers_lost += 1
        await self._remove(worker)
        if self._is_open:
            await self._add()

    async def _remove(self, worker: WorkerProcess) -> None:
        self._workers.discard(worker)
        with contextlib.suppress(ValueError):
            self._free.remove(worker)
        await worker.end()

    async def _add(self, tries: int | None = None) -> None:
        """Start a worker, and hand it out when it is warm; try so often at most."""
        for number in itertools.count(1):
            try:
                worker = await self._warm_one()
            except (WorkerLost, WorkFailed) as error:
                if number == tries:
                    raise
                self.tell(f"a worker could not be started: {error}")
                await asyncio.sleep(_RETRY)
            else:
                worker.is_warm = True
                self._give_back(worker)
                return

    async def _warm_one(self) -> WorkerProcess:
        """Start a worker and wait until it is warm. Raises `WorkerLost` and `WorkFailed`."""
        try:
            worker = WorkerProcess()
        except (OSError, NoMoreProcesses) as error:
            raise WorkerLost(str(error)) from None
        self._workers.add(worker)
        worker.when_ended_idle = partial(self._go_replace, worker)
        worker.when_compiling = self._compiles
        try:
            await self._make_step(worker)
        except (WorkerLost, WorkFailed):
            await self._remove(worker)
            raise
        except WorkTooLong:
            await self._remove(worker)
            raise WorkerLost(f"it was not ready within {WARM_SECONDS:g} s") from None
        return worker

    async def _make_step(self, worker: WorkerProcess) -> None:
        """Let a worker make its next step, if one is left; after the last it steps back, for the
        sake of the browser on this machine.
        """
        if worker.steps_made < len(self.steps):
            step = self.steps[worker.steps_made]
            arguments = {"table_mb": self.table_mb, "agent": step.agent}
            await worker.finish("warm", arguments)
        if worker.steps_made >= len(self.steps) - 1:
            await worker.finish("step_back", {})
            worker.is_ready = True
        worker.steps_made = min(worker.steps_made + 1, len(self.steps))

    def _compiles(self) -> None:
        """Say, once, that code is being compiled."""
        if not self.compiling.is_set():
            self.tell("compiling the searches, once after an installation")
            self.compiling.set()

    def _go_replace(self, worker: WorkerProcess) -> None:
        self._go(self._replace(worker))

    def _go(self, errand: Any) -> None:
        """Do something beside what is going on."""
        task = asyncio.get_running_loop().create_task(errand)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)
