"""A pool of worker processes for searches, so that the event loop of the server never blocks.

A job uses a free worker, or waits in a queue for one; its events are yielded immediately. Leaving a
job cancels it: the worker normally stops within milliseconds. A worker that does not stop within
`STOP_SECONDS` is killed and replaced. If a worker process dies only its job fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import pickle
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

from claimeven.parallel import process
from claimeven.parallel.connection import unpack
from claimeven.web.jobs import MEMORY_MB, WARMUP_STEPS, WarmupStep
from claimeven.web.transport import Event, PoolBusy, PoolClosed, WorkerLost, WorkFailed, WorkTooLong

#: Seconds in which a worker must receive a message, and for its warm-up, which may compile code.
SEND_SECONDS, WARMUP_SECONDS = 10.0, 900.0
#: Seconds added to the time limit of a job, in which a task may return a partial result, and in
#: which a worker must stop a job. Replacing it costs more than waiting for it.
GRACE_SECONDS, STOP_SECONDS = 0.5, 1.0


#: Seconds that an agent with own code has in addition to be loaded, and to stop when it is late.
LOAD_SECONDS = 75.0


class ServerWorker:
    """A worker process, for use from the event loop.

    `is_usable`: it accepts jobs. `is_ready`: its warm-up is complete. `has_started`: the code of
    its job is loaded and the time of the job runs. `has_ended`: its process has ended. A thread
    reads its messages. Raises `WorkerLost` if the process cannot be started.
    """

    def __init__(
        self, on_idle_end: Callable[[ServerWorker], None], on_compiling: Callable[[], None]
    ) -> None:
        self.is_usable = self.is_ready = self.has_started = self.has_ended = False
        self.steps_done = 0
        self.agent: str | None = None  # of its last job with one
        self._on_idle_end, self._on_compiling = on_idle_end, on_compiling
        self._numbers = itertools.count(1)
        self._job: int | None = None
        self._inbox: asyncio.Queue[Event | BaseException] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        try:
            self.child: process.Child = process.Child(
                "claimeven.web.tasks", variables=process.ONE_CORE, memory_mb=MEMORY_MB
            )
            threading.Thread(target=self._read, daemon=True).start()
        except (OSError, RuntimeError, process.NoMoreProcesses) as error:
            raise WorkerLost(str(error)) from None

    @property
    def is_idle(self) -> bool:
        return self._job is None

    async def run(
        self, task: str, arguments: dict[str, Any], seconds: float, load_seconds: float = 0.0
    ) -> AsyncGenerator[Event]:
        """Run a job and yield its events. Its time starts when its code is compiled or loaded."""
        self.agent = arguments.get("agent", self.agent)
        if self.has_ended:
            raise WorkerLost("the worker process has stopped: try again")
        self._job, self._inbox, self.has_started = next(self._numbers), asyncio.Queue(), False
        job = {"task": task, "seconds": seconds, "arguments": arguments}
        self._send({"do": "run", "job": self._job, **job})
        limit = seconds + load_seconds + GRACE_SECONDS
        deadline = self._loop.time() + (limit if self.is_ready else WARMUP_SECONDS)
        while True:
            event = await self._next(deadline, seconds)
            if event["event"] == "started":
                deadline, self.has_started = self._loop.time() + limit, True
                continue
            if event["event"] in ("done", "failed"):
                self._job = None
            if event["event"] == "failed":
                raise WorkFailed(**event["data"])
            yield event
            if event["event"] == "done":
                return

    async def finish(self, task: str, **arguments: Any) -> None:
        """Run a job that may take long, and wait for its end."""
        async for _ in self.run(task, arguments, WARMUP_SECONDS):
            pass

    async def cancel(self, seconds: float) -> bool:
        """Stop the job; return whether it has stopped within `seconds`."""
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
        self._inbox.put_nowait(reason)

    async def end(self) -> None:
        self.has_ended = True
        await asyncio.to_thread(self.child.kill)

    async def _next(self, deadline: float, seconds: float) -> Event:
        try:
            async with asyncio.timeout_at(deadline):
                event = await self._inbox.get()
        except TimeoutError:
            raise WorkTooLong(
                f"the request took more than {seconds:g} s, the limit of this server: ask for less"
            ) from None
        if isinstance(event, BaseException):
            raise event
        return event

    def _send(self, message: Event) -> None:
        try:
            self.child.send(pickle.dumps(message), SEND_SECONDS)
        except process.ChildEnded as ended:
            self._lost(str(ended))
        except process.ChildTimeout:
            self._lost("it receives no messages")

    def _read(self) -> None:
        """Pass messages to the event loop until the process ends."""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            try:
                while True:
                    message = unpack(self.child.receive())
                    self._loop.call_soon_threadsafe(self._received, message)
            except process.ChildEnded as ended:
                self._loop.call_soon_threadsafe(self._lost, str(ended))
            except (process.ChildProtocolError, ValueError):
                self._loop.call_soon_threadsafe(self._lost, "it sent an invalid message")

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
        self.give_up(WorkerLost(f"the worker process has stopped ({how}): try again"))


class WorkerPool:
    """`size` worker processes, each with a solver's table of `table_mb` MB, or the default one.

    At most `max_waiting` jobs wait in the queue. `start` returns when the first worker has done the
    first warm-up step and is usable. The others follow; idle workers do the remaining `steps` one
    after another. A cancelled job must stop within `stop_seconds`. `on_message` receives messages
    for the user, such as that code is being compiled.
    """

    def __init__(
        self,
        size: int,
        table_mb: float | None,
        max_waiting: int,
        on_message: Callable[[str], None] = lambda text: None,
        stop_seconds: float = STOP_SECONDS,
        steps: Sequence[WarmupStep] = WARMUP_STEPS,
    ) -> None:
        self.size = size
        self.table_mb = table_mb
        self.max_waiting = max_waiting
        self.on_message = on_message
        self.stop_seconds = stop_seconds
        self.steps = steps
        #: Agents with own code, which need more time than bundled ones to load and to stop.
        self.bots: tuple[str, ...] = ()
        self.jobs_done = self.workers_lost = 0
        #: Set once code is being compiled, which takes long; jobs may wait already.
        self.compiling: asyncio.Event = asyncio.Event()
        self._workers: set[ServerWorker] = set()
        self._free: deque[ServerWorker] = deque()
        self._waiting: deque[asyncio.Future[ServerWorker]] = deque()
        self._background: set[asyncio.Task[None]] = set()
        self._is_open = False
        self._warming: ServerWorker | None = None

    @property
    def ready(self) -> int:
        """The number of workers with a complete warm-up, whose jobs never wait for a compiler."""
        return sum(worker.is_ready for worker in self._workers)

    @property
    def busy(self) -> int:
        """The number of workers that run or stop a job."""
        asked = sum(worker.is_usable for worker in self._workers)
        return asked - len(self._free) - (self._warming is not None)

    @property
    def steps_done(self) -> int:
        """The greatest number of steps of a worker; the others load the code that it compiled."""
        return max((worker.steps_done for worker in self._workers), default=0)

    @property
    def waiting(self) -> int:
        return sum(not place.done() for place in self._waiting)

    @property
    def processes(self) -> list[int]:
        return sorted(worker.child.process for worker in self._workers)

    async def start(self) -> None:
        """Start the workers; return when the first is usable. A second call has no effect."""
        if self._is_open:
            return
        self._is_open, self._warming = True, None
        try:
            await self._add(tries=1)  # the others load the code that it compiles
        except BaseException:
            await self.stop()
            raise
        for _ in range(self.size - 1):
            self._spawn(self._add())

    async def stop(self) -> None:
        """Kill all workers; waiting and running jobs end with `PoolClosed`."""
        self._is_open = False
        for place in self._waiting:
            if not place.done():
                place.set_exception(PoolClosed("the server is stopping"))
        for work in list(self._background):
            work.cancel()
        workers = list(self._workers)
        for worker in workers:
            worker.give_up(PoolClosed("the server is stopping"))
        await asyncio.gather(*map(self._remove, workers))

    @asynccontextmanager
    async def job(
        self, task: str, arguments: dict[str, Any], seconds: float
    ) -> AsyncIterator[AsyncIterator[Event]]:
        """Run a task of `tasks.do`; yield its events. The last one is its result.

        Leaving the block early cancels the job. Iteration raises `WorkFailed`, `WorkerLost`, and
        `WorkTooLong` after `seconds` of work; entering raises `PoolBusy` and `PoolClosed`.
        """
        worker = await self._acquire(arguments.get("agent"))
        try:
            more = LOAD_SECONDS if arguments.get("agent") in self.bots else 0.0
            async with aclosing(worker.run(task, arguments, seconds, more)) as events:
                yield events
        finally:
            if worker.is_idle:
                self.jobs_done += 1
                self._release(worker)
            else:
                self._spawn(self._stop_job(worker))

    async def result(self, task: str, arguments: dict[str, Any], seconds: float) -> Any:
        """Run a task and return its result. Raises what `job` raises."""
        async with self.job(task, arguments, seconds) as events:
            return [event async for event in events][-1]["data"]

    async def _acquire(self, agent: str | None = None) -> ServerWorker:
        """Return a free worker, one that has loaded the agent if possible; wait in the queue."""
        while self._is_open:
            if self._free:
                worker = next((w for w in self._free if w.agent == agent), self._free[0])
                self._free.remove(worker)
            else:
                worker = await self._next_free()
            if worker.has_ended or worker.child.ended:
                self._spawn(self._replace(worker))  # it has just died, without a job
            elif self._is_open:  # the pool may have stopped in between
                return worker
        raise PoolClosed("the server is stopping")

    async def _next_free(self) -> ServerWorker:
        # A worker in its warm-up has no job, so one more job may wait for it.
        if self.waiting >= self.max_waiting + (self._warming is not None):
            raise PoolBusy(f"{self.max_waiting:,} searches are waiting already: try again soon")
        place: asyncio.Future[ServerWorker] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self._release(place.result())
            raise
        finally:
            with contextlib.suppress(ValueError):
                self._waiting.remove(place)

    def _release(self, worker: ServerWorker) -> None:
        """Give a worker to the next job, or else let the idle worker with the most steps do one."""
        if worker.has_ended or not self._is_open:
            self._spawn(self._replace(worker))
            return
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(worker)
                return
        self._free.append(worker)
        unready = [each for each in self._free if not each.is_ready]
        if unready and self._warming is None:
            next_one = self._warming = max(unready, key=lambda each: each.steps_done)
            self._free.remove(next_one)
            self._spawn(self._warm(next_one))

    async def _warm(self, worker: ServerWorker) -> None:
        """Let a worker do its next step. A worker whose step fails accepts jobs all the same."""
        try:
            await self._do_step(worker)
        except WorkFailed as error:
            name = self.steps[worker.steps_done].name
            self.on_message(f"warm-up of {name} failed: {error}")
            worker.steps_done += 1
        except (WorkerLost, WorkTooLong) as error:
            self.on_message(f"the warm-up of a worker failed: {error}")
            self._spawn(self._replace(worker))
            return
        finally:
            self._warming = None
        self._release(worker)

    async def _do_step(self, worker: ServerWorker) -> None:
        """Let a worker do its next step; after the last one it lets the browser go first."""
        if worker.steps_done < len(self.steps):
            agent = self.steps[worker.steps_done].agent
            await worker.finish("warm", table_mb=self.table_mb, agent=agent)
        if worker.steps_done >= len(self.steps) - 1:
            await worker.finish("lower_priority")
            worker.is_ready = True
        worker.steps_done = min(worker.steps_done + 1, len(self.steps))

    async def _stop_job(self, worker: ServerWorker) -> None:
        # Killing a worker that still compiles would lose the compiled code.
        may_compile = not (worker.has_started or worker.is_ready)
        if await worker.cancel(WARMUP_SECONDS if may_compile else self.stop_seconds):
            self._release(worker)
        else:
            await self._replace(worker)

    async def _add(self, tries: int | None = None) -> None:
        """Start a worker and make it available; raise its error after `tries` attempts."""
        for number in itertools.count(1):
            worker = None
            try:
                worker = ServerWorker(
                    lambda lost: self._spawn(self._replace(lost)), self._report_compiling
                )
                self._workers.add(worker)
                await self._do_step(worker)
            except (WorkerLost, WorkFailed, WorkTooLong) as error:
                if worker is not None:
                    await self._remove(worker)
                if number == tries:
                    raise
                self.on_message(f"a worker could not be started: {error}")
                await asyncio.sleep(1.0)
            else:
                worker.is_usable = True
                self._release(worker)
                return

    async def _replace(self, worker: ServerWorker) -> None:
        """Remove a worker and add another one, unless this is already in progress."""
        if worker in self._workers:
            self.workers_lost += 1
            await self._remove(worker)
            if self._is_open:
                await self._add()

    async def _remove(self, worker: ServerWorker) -> None:
        self._workers.discard(worker)
        with contextlib.suppress(ValueError):
            self._free.remove(worker)
        await worker.end()

    def _report_compiling(self) -> None:
        if not self.compiling.is_set():
            self.on_message("compiling the searches, once after an installation")
            self.compiling.set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
