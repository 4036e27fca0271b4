"""A worker process, from the side of the server's event loop."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable
from typing import Any

from claimeven.parallel.connection import pack, unpack
from claimeven.parallel.process import ONE_CORE, Child, ChildEnded, ChildGarbled, ChildSilent
from claimeven.web.errors import PoolClosed, WorkerLost, WorkFailed, WorkTooLong
from claimeven.web.jobs import to_plain
from claimeven.web.streaming import Event

#: Seconds added to the time of a job before it is given up: a task that keeps a time itself ends
#: with what it knows by then.
SLACK = 0.5
#: MB of memory that a worker may hold.
MEMORY_MB = 2048
#: Seconds that a worker has to be ready: generous, it may have to compile all it needs.
WARM_SECONDS = 900.0


class WorkerProcess:
    """A worker process as the event loop sees it.

    It `is_warm` once it can be asked, and `is_ready` once nothing is left to compile. Its job
    `has_begun` once what that needs is loaded. It `has_ended` once it is listened to no more.
    """

    def __init__(self) -> None:
        self.child = Child("claimeven.web.worker", variables=ONE_CORE, memory_mb=MEMORY_MB)
        self.is_warm = self.is_ready = False
        self.steps_made = 0
        self.has_begun = False
        self.has_ended = False
        self.when_ended_idle: Callable[[], None] = lambda: None
        self.when_compiling: Callable[[], None] = lambda: None
        self._numbers = itertools.count(1)
        self._job: int | None = None
        self._inbox: asyncio.Queue[Event | BaseException] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._number = self.child.fileno()
        self._loop.add_reader(self._number, self._readable)

    @property
    def is_done(self) -> bool:
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
        number = next(self._numbers)
        self._job, self._inbox, self.has_begun = number, asyncio.Queue(), False
        job = {"task": task, "seconds": seconds, "arguments": to_plain(arguments)}
        self._send({"do": "run", "job": number, **job})
        deadline = self._loop.time() + (seconds + SLACK if self.is_ready else WARM_SECONDS)
        while True:
            event = await self._next(deadline, seconds)
            if event["event"] == "begun":
                deadline, self.has_begun = self._loop.time() + seconds + SLACK, True
                continue
            if event["event"] == "compiling":
                self.when_compiling()
                continue
            if event["event"] == "failed":
                self._job = None
                raise WorkFailed(event["data"]["error"], event["data"]["status"])
            if event["event"] == "done":
                self._job = None
                yield event
                return
            yield event

    async def finish(self, task: str, arguments: dict[str, Any]) -> None:
        """Give it a job, which may take long, and wait for its end."""
        async for _ in self.run(task, arguments, WARM_SECONDS):
            pass

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
            self.child.send(pack(message))
        except ChildEnded as ended:
            self._lost(str(ended))

    def _readable(self) -> None:
        """Take all messages that have come."""
        try:
            while True:
                message = unpack(self.child.receive(0))
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
            self._loop.remove_reader(self._number)

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
