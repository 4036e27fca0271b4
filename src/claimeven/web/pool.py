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
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Any

from claimeven.agents.process import wire
from claimeven.errors import ClaimevenError
from claimeven.processes import ONE_CORE, Child, ChildEnded, ChildGarbled, ChildSilent

#: Seconds that a worker has to stop a job before it is ended. Most take milliseconds; but workers
#: step back behind all others of a busy machine, and to end one costs more than to wait for it.
STOP_SECONDS = 1.0
#: Seconds added to the time of a job before it is given up: a task that keeps a time itself ends
#: with what it knows by then.
SLACK = 0.5
#: Seconds that a worker has to be ready: generous, it may have to compile all it needs.
WARM_SECONDS = 900.0
#: Seconds between two tries to start a worker where that fails.
_RETRY = 1.0

Event = dict[str, Any]


class PoolBusy(Exception):
    """There are as many jobs waiting as may wait."""


class PoolClosed(Exception):
    """The server is ending."""


class WorkerLost(Exception):
    """The process of a job ended in the middle of it."""


class WorkTooLong(ClaimevenError):
    """A job that took more time than it may."""


class WorkFailed(Exception):
    """A job that ended with an error: its sentence, and the status of HTTP that suits it."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class WorkerPool:
    """`size` worker processes, each with a solver's table of `table_mb` MB, or the usual one.

    `most_waiting` jobs wait in line at most. `start` returns when the first worker is warm; the
    others follow. A job that is cancelled has `stop_seconds` to stop. `tell` is told what a person
    should know, such as that code is being compiled.
    """

    def __init__(
        self,
        size: int,
        table_mb: float | None,
        most_waiting: int,
        tell: Callable[[str], None] = lambda text: None,
        stop_seconds: float = STOP_SECONDS,
    ) -> None:
        self.size = size
        self.table_mb = table_mb
        self.most_waiting = most_waiting
        self.tell = tell
        self.stop_seconds = stop_seconds
        self.jobs_done = 0
        self.workers_lost = 0
        self._workers: set[_Worker] = set()
        self._free: deque[_Worker] = deque()
        self._waiting: deque[asyncio.Future[_Worker]] = deque()
        self._errands: set[asyncio.Task[None]] = set()
        self._is_open = False
        #: Set once code is being compiled, which takes long: jobs may wait for that already.
        self.compiling = asyncio.Event()

    @property
    def ready(self) -> int:
        """Workers that are warm."""
        return sum(worker.is_warm for worker in self._workers)

    @property
    def busy(self) -> int:
        """Workers that have a job, or are stopping one."""
        return self.ready - len(self._free)

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
        self._is_open = True
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

    async def _taken(self) -> _Worker:
        """Return a free worker; wait in line for it."""
        while self._is_open:
            worker = self._free.popleft() if self._free else await self._next_free()
            if worker.has_ended or worker.child.ended:
                self._go(self._replace(worker))  # it ended just now: that costs no job
            elif self._is_open:  # the pool may have ended since the worker was handed over
                return worker
        raise PoolClosed("the server is ending")

    async def _next_free(self) -> _Worker:
        """Wait in line for a worker."""
        if self.waiting >= self.most_waiting:
            raise PoolBusy(f"{self.most_waiting:,} searches are waiting already: try again soon")
        place: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
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

    def _give_back(self, worker: _Worker) -> None:
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

    async def _stop_job(self, worker: _Worker) -> None:
        if await worker.cancelled(self.stop_seconds):
            self._give_back(worker)
        else:
            await self._replace(worker)

    async def _replace(self, worker: _Worker) -> None:
        """Let go of a worker and add another; nothing if that is being done."""
        if worker not in self._workers:
            return
        self.workers_lost += 1
        await self._remove(worker)
        if self._is_open:
            await self._add()

    async def _remove(self, worker: _Worker) -> None:
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

    async def _warm_one(self) -> _Worker:
        """Start a worker and wait until it is warm. Raises `WorkerLost` and `WorkFailed`."""
        try:
            worker = _Worker()
        except OSError as error:  # no more processes, or files
            raise WorkerLost(str(error.strerror or error)) from None
        self._workers.add(worker)
        worker.when_ended_idle = partial(self._go_replace, worker)
        try:
            async for event in worker.run("warm", {"table_mb": self.table_mb}, WARM_SECONDS):
                if event["event"] == "compiling":
                    self.tell(str(event["data"]))
                    self.compiling.set()
        except (WorkerLost, WorkFailed):
            await self._remove(worker)
            raise
        except WorkTooLong:
            await self._remove(worker)
            raise WorkerLost(f"it was not ready within {WARM_SECONDS:g} s") from None
        return worker

    def _go_replace(self, worker: _Worker) -> None:
        self._go(self._replace(worker))

    def _go(self, errand: Any) -> None:
        """Do something beside what is going on."""
        task = asyncio.get_running_loop().create_task(errand)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)


class _Worker:
    """A worker process as the event loop sees it. `has_ended` once it is listened to no more."""

    def __init__(self) -> None:
        self.child = Child("claimeven.web.worker", variables=ONE_CORE)
        self.is_warm = False
        self.has_ended = False
        self.when_ended_idle: Callable[[], None] = lambda: None
        self._numbers = itertools.count(1)
        self._job: int | None = None
        self._inbox: asyncio.Queue[Event | BaseException] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self.child.answers, self._readable)

    @property
    def is_done(self) -> bool:
        """Whether it has no job."""
        return self._job is None

    async def run(
        self, task: str, arguments: dict[str, Any], seconds: float
    ) -> AsyncGenerator[Event]:
        """Give it a job and yield the events."""
        if self.has_ended:
            raise WorkerLost("the process that was to search has ended: try again")
        number = next(self._numbers)
        self._job, self._inbox = number, asyncio.Queue()
        self._send({"do": "run", "job": number, "task": task, "arguments": arguments})
        deadline = self._loop.time() + seconds + SLACK
        while True:
            event = await self._next(deadline, seconds)
            if event["event"] == "failed":
                self._job = None
                raise WorkFailed(event["data"]["error"], event["data"]["status"])
            if event["event"] == "done":
                self._job = None
                yield event
                return
            yield event

    async def cancelled(self, seconds: float) -> bool:
        """Stop the job; whether it has stopped within so many seconds."""
        if self.has_ended:
            return False
        self._send({"do": "cancel", "job": self._job})
        deadline = self._loop.time() + seconds
        while True:
            try:
                event = await self._next(deadline, seconds)
            except (WorkTooLong, WorkerLost, PoolClosed):
                return False
            if event["event"] in ("cancelled", "done", "failed"):
                self._job = None
                return True

    def give_up(self, reason: BaseException) -> None:
        """Let whoever waits for the job get an error instead."""
        self._inbox.put_nowait(reason)

    async def end(self) -> None:
        """End the process."""
        self._listen_no_more()
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
            self.child.send(wire.packed(message))
        except ChildEnded as ended:
            self._lost(str(ended))

    def _readable(self) -> None:
        """Take all messages that have come."""
        try:
            while True:
                message = wire.unpacked(self.child.receive(0))
                if message.get("job") == self._job:
                    self._inbox.put_nowait(message)
        except ChildSilent:
            return
        except ChildEnded as ended:
            self._lost(str(ended))
        except (ChildGarbled, ValueError):
            self._lost("it sent what is no message")

    def _listen_no_more(self) -> None:
        """Take no more messages, as is done once: its pipes are closed as soon as it has ended.

        From then on their numbers may be those of another worker, who would never be heard again,
        or of a connection.
        """
        if not self.has_ended:
            self.has_ended = True
            self._loop.remove_reader(self.child.answers)

    def _lost(self, how: str) -> None:
        if self.has_ended:
            return
        self._listen_no_more()
        if self._job is None:
            self.when_ended_idle()
            return
        self._job = None
        self._inbox.put_nowait(
            WorkerLost(f"the process that searched has ended ({how}): try again")
        )
