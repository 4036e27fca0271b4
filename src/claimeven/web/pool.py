"""Worker processes that search, for a server that must never wait.

A job takes a free worker, or waits in line for one; its events come as they happen. A job that is
given up is cancelled: the worker stops within milliseconds and is free again, and one that does not
stop within `STOP_SECONDS` is ended and replaced. A worker that ends in the middle of a job, in
whatever way, costs that job only.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

from claimeven.parallel.connection import pack, unpack
from claimeven.parallel.process import (
    ONE_CORE,
    Child,
    ChildEnded,
    ChildProtocolError,
    ChildTimeout,
    NoMoreProcesses,
)
from claimeven.web.errors import PoolBusy, PoolClosed, WorkerLost, WorkFailed, WorkTooLong
from claimeven.web.jobs import MEMORY_MB, STEPS, Step, to_plain
from claimeven.web.streaming import Event

#: Seconds that a worker has to take a message, and to be ready: it may have to compile a lot.
TAKE_SECONDS, WARM_SECONDS = 10.0, 900.0
#: Seconds added to the time of a job before it is given up: a task that keeps a time itself ends
#: with what it knows by then.
SLACK = 0.5
#: Seconds that a worker has to stop a job before it is ended. Most take milliseconds; but workers
#: step back behind all others of a busy machine, and to end one costs more than to wait for it.
STOP_SECONDS = 1.0
#: Seconds between two tries to start a worker.
_RETRY = 1.0


class Worker:
    """A worker process as the event loop sees it.

    It `is_warm` once it can be asked, and `is_ready` once nothing is left to compile. Its job
    `has_begun` once what that needs is loaded. It `has_ended` once its process has, or is ended.
    A thread reads its messages. Raises `WorkerLost` if no process can be started.
    """

    def __init__(
        self, on_idle_end: Callable[[Worker], None], on_compiling: Callable[[], None]
    ) -> None:
        self.is_warm = self.is_ready = self.has_begun = self.has_ended = False
        self.steps_made = 0
        self._on_idle_end, self._on_compiling = on_idle_end, on_compiling
        self._numbers = itertools.count(1)
        self._job: int | None = None
        self._inbox: asyncio.Queue[Event | BaseException] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        try:
            self.child: Child = Child(
                "claimeven.web.worker", variables=ONE_CORE, memory_mb=MEMORY_MB
            )
            threading.Thread(target=self._read, daemon=True).start()
        except (OSError, RuntimeError, NoMoreProcesses) as error:
            raise WorkerLost(str(error)) from None

    @property
    def is_idle(self) -> bool:
        """Whether it has no job."""
        return self._job is None

    async def run(
        self, task: str, arguments: dict[str, Any], seconds: float
    ) -> AsyncGenerator[Event]:
        """Give it a job and yield the events. What the job needs is loaded, or compiled, before its
        time runs.
        """
        if self.has_ended:
            raise WorkerLost("the process that was to search has ended: try again")
        self._job, self._inbox, self.has_begun = next(self._numbers), asyncio.Queue(), False
        job = {"task": task, "seconds": seconds, "arguments": to_plain(arguments)}
        self._send({"do": "run", "job": self._job, **job})
        deadline = self._loop.time() + (seconds + SLACK if self.is_ready else WARM_SECONDS)
        while True:
            event = await self._next(deadline, seconds)
            if event["event"] == "begun":
                deadline, self.has_begun = self._loop.time() + seconds + SLACK, True
                continue
            if event["event"] == "failed":
                self._job = None
                raise WorkFailed(event["data"]["error"], event["data"]["status"])
            if event["event"] == "done":
                self._job = None
                yield event
                return
            yield event

    async def finish(self, task: str, **arguments: Any) -> None:
        """Give it a job, which may take long, and wait for its end."""
        async for _ in self.run(task, arguments, WARM_SECONDS):
            pass

    async def cancel(self, seconds: float) -> bool:
        """Stop the job; whether it has stopped within so many seconds."""
        if not self.has_ended:
            self._send({"do": "cancel", "job": self._job})
        deadline = self._loop.time() + seconds
        while not self.has_ended:
            try:
                event = await self._next(deadline, seconds)
            except (WorkTooLong, WorkerLost, PoolClosed):
                return False
            if event["event"] in ("cancelled", "done", "failed"):
                self._job = None
                return True
        return False

    def give_up(self, reason: BaseException) -> None:
        """Let the job end with an error."""
        self._inbox.put_nowait(reason)

    async def end(self) -> None:
        """End the process."""
        self.has_ended = True
        await asyncio.to_thread(self.child.kill)

    async def _next(self, deadline: float, seconds: float) -> Event:
        try:
            async with asyncio.timeout_at(deadline):
                event = await self._inbox.get()
        except TimeoutError:
            raise WorkTooLong(
                f"this took more than the {seconds:g} s that the server gives it: ask for less"
            ) from None
        if isinstance(event, BaseException):
            raise event
        return event

    def _send(self, message: Event) -> None:
        try:
            self.child.send(pack(message), TAKE_SECONDS)
        except ChildEnded as ended:
            self._lost(str(ended))
        except ChildTimeout:
            self._lost("it takes no more messages")

    def _read(self) -> None:
        """Hand messages over to the event loop until the process ends."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            try:
                while True:
                    message = unpack(self.child.receive())
                    self._loop.call_soon_threadsafe(self._received, message)
            except ChildEnded as ended:
                self._loop.call_soon_threadsafe(self._lost, str(ended))
            except (ChildProtocolError, ValueError):
                self._loop.call_soon_threadsafe(self._lost, "it sent something else than a message")

    def _received(self, message: Event) -> None:
        if message.get("job") == self._job and not self.has_ended:
            if message["event"] == "compiling":
                self._on_compiling()
            else:
                self._inbox.put_nowait(message)

    def _lost(self, how: str) -> None:
        if self.has_ended:
            return
        self.has_ended = True
        if self._job is None:
            self._on_idle_end(self)
            return
        self._job = None
        self.give_up(WorkerLost(f"the process that searched has ended ({how}): try again"))


class WorkerPool:
    """`size` worker processes, each with a solver's table of `table_mb` MB, or the default one.

    `max_waiting` jobs wait in line at most. `start` returns when the first worker has made the
    first of its `steps` and can be asked; others follow, and one at a time makes the steps that are
    left whenever it is not asked. A job that is cancelled has `stop_seconds` to stop. `on_message`
    gets sentences for people, such as that code is being compiled.
    """

    def __init__(
        self,
        size: int,
        table_mb: float | None,
        max_waiting: int,
        on_message: Callable[[str], None] = lambda text: None,
        stop_seconds: float = STOP_SECONDS,
        steps: Sequence[Step] = STEPS,
    ) -> None:
        self.size = size
        self.table_mb = table_mb
        self.max_waiting = max_waiting
        self.on_message = on_message
        self.stop_seconds = stop_seconds
        self.steps = steps
        self.jobs_done = 0
        self.workers_lost = 0
        #: Set once code is being compiled, which takes long: jobs may wait for that already.
        self.compiling: asyncio.Event = asyncio.Event()
        self._workers: set[Worker] = set()
        self._free: deque[Worker] = deque()
        self._waiting: deque[asyncio.Future[Worker]] = deque()
        self._errands: set[asyncio.Task[None]] = set()
        self._is_open = False
        self._warming: Worker | None = None

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
        """End all workers immediately; jobs that are waiting or running end with `PoolClosed`."""
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
        """Run a task of `worker.do`; yield its events, the last of which is its result.

        Leaving the block before that cancels the job. Iterating raises `WorkFailed`, `WorkerLost`,
        `WorkTooLong` after `seconds` of work; entering raises `PoolBusy` and `PoolClosed`.
        """
        worker = await self._take()
        try:
            async with aclosing(worker.run(task, arguments, seconds)) as events:
                yield events
        finally:
            if worker.is_idle:
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

    async def _take(self) -> Worker:
        """Return a free worker; wait in line for it."""
        while self._is_open:
            worker = self._free.popleft() if self._free else await self._next_free()
            if worker.has_ended or worker.child.ended:
                self._go(self._replace(worker))  # it ended just now: that costs no job
            elif self._is_open:  # the pool may have ended since the worker was handed over
                return worker
        raise PoolClosed("the server is ending")

    async def _next_free(self) -> Worker:
        # A worker that makes a step has no job: there is a place in line for it.
        if self.waiting >= self.max_waiting + (self._warming is not None):
            raise PoolBusy(f"{self.max_waiting:,} searches are waiting already: try again soon")
        place: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
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

    def _give_back(self, worker: Worker) -> None:
        """Hand a worker to the next job in line; if there is none, let a free one make a step.

        That is the worker that lacks the fewest steps, if none makes one already.
        """
        if worker.has_ended or not self._is_open:
            self._go(self._replace(worker))
            return
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(worker)
                return
        self._free.append(worker)
        lacking = [each for each in self._free if not each.is_ready]
        if lacking and self._warming is None:
            next_one = self._warming = max(lacking, key=lambda each: each.steps_made)
            self._free.remove(next_one)
            self._go(self._warm(next_one))

    async def _warm(self, worker: Worker) -> None:
        """Let a worker make its next step; if it cannot make it, it is asked without."""
        try:
            await self._make_step(worker)
        except WorkFailed as error:
            name = self.steps[worker.steps_made].name
            self.on_message(f"{name} cannot be made ready: {error}")
            worker.steps_made += 1
        except (WorkerLost, WorkTooLong) as error:
            self.on_message(f"a worker could not be made ready: {error}")
            self._go(self._replace(worker))
            return
        finally:
            self._warming = None
        self._give_back(worker)

    async def _make_step(self, worker: Worker) -> None:
        """Let a worker make its next step, if one is left; after the last it steps back, for the
        sake of the browser on this machine.
        """
        if worker.steps_made < len(self.steps):
            agent = self.steps[worker.steps_made].agent
            await worker.finish("warm", table_mb=self.table_mb, agent=agent)
        if worker.steps_made >= len(self.steps) - 1:
            await worker.finish("lower_priority")
            worker.is_ready = True
        worker.steps_made = min(worker.steps_made + 1, len(self.steps))

    async def _stop_job(self, worker: Worker) -> None:
        # To end one that compiles, before its job has begun, would cost what it has compiled.
        may_compile = not (worker.has_begun or worker.is_ready)
        if await worker.cancel(WARM_SECONDS if may_compile else self.stop_seconds):
            self._give_back(worker)
        else:
            await self._replace(worker)

    async def _add(self, tries: int | None = None) -> None:
        """Start a worker, and hand it out when it is warm; raise an error after so many tries."""
        for number in itertools.count(1):
            worker = None
            try:
                worker = Worker(lambda lost: self._go(self._replace(lost)), self._compiles)
                self._workers.add(worker)
                await self._make_step(worker)
            except (WorkerLost, WorkFailed, WorkTooLong) as error:
                if worker is not None:
                    await self._remove(worker)
                if number == tries:
                    raise
                self.on_message(f"a worker could not be started: {error}")
                await asyncio.sleep(_RETRY)
            else:
                worker.is_warm = True
                self._give_back(worker)
                return

    async def _replace(self, worker: Worker) -> None:
        """Let go of a worker and add another; nothing if that is being done."""
        if worker in self._workers:
            self.workers_lost += 1
            await self._remove(worker)
            if self._is_open:
                await self._add()

    async def _remove(self, worker: Worker) -> None:
        self._workers.discard(worker)
        with contextlib.suppress(ValueError):
            self._free.remove(worker)
        await worker.end()

    def _compiles(self) -> None:
        """Say, once, that code is being compiled."""
        if not self.compiling.is_set():
            self.on_message("compiling the searches, once after an installation")
            self.compiling.set()

    def _go(self, errand: Coroutine[Any, Any, None]) -> None:
        """Do something in the background."""
        task = asyncio.get_running_loop().create_task(errand)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)
