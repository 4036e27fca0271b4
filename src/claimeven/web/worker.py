"""The process that searches for a server: one job at a time, which can be stopped at any moment.

A thread reads the messages. To stop a job it sends this process the signal of Ctrl-C, which the
main thread takes for what it is everywhere in the package: the end of what is going on, with
nothing left half-made. It is never raised between two jobs, nor while a message is being written.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

from claimeven.agents.validation import plain
from claimeven.errors import ClaimevenError
from claimeven.parallel.connection import pack, unpack
from claimeven.parallel.worker import Parent
from claimeven.solver.errors import SearchStopped
from claimeven.web.jobs import from_plain
from claimeven.web.tasks import Tools, load

#: Values that one event may hold, and how deep they may lie.
MAX_VALUES, MAX_DEPTH = 3_000_000, 600
UNPROCESSABLE, UNAVAILABLE, FAILED = 422, 503, 500


class Cancelled(KeyboardInterrupt):
    """The job is no longer wanted."""


class Worker:
    """Runs jobs; `send` takes a message as bytes."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self.send = send
        self.tools = Tools()
        self.jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._job: int | None = None
        self._unwanted: int | None = None
        self._is_sending = False
        self._main = threading.get_ident()
        signal.signal(signal.SIGINT, self._stop)

    def read(self, receive: Callable[[], bytes | None]) -> None:
        """Take messages until there are no more; then end the process."""
        while (data := receive()) is not None:
            message = unpack(data)
            if message["do"] == "cancel":
                self._unwanted = message["job"]
                signal.pthread_kill(self._main, signal.SIGINT)
            else:
                self.jobs.put(message)
        os._exit(0)

    def work(self) -> None:
        """Do jobs for ever."""
        while True:
            message = self.jobs.get()
            self.do(message["job"], message)

    def do(self, job: int, message: dict[str, Any]) -> None:
        """Do one job and tell how it ended."""
        try:
            self._job = job
            if self._unwanted == job:
                self._cancel()
            outcome, data = self._outcome(message)
            self._job = None
        except Cancelled:
            self._job = None
            self.tools.forget_agents()
            outcome, data = "cancelled", None
        self._tell(job, outcome, data)

    def _outcome(self, message: dict[str, Any]) -> tuple[str, Any]:
        """Do a task; return the name of its last event and the data of that."""

        def send(event: str, data: Any) -> None:
            assert self._job is not None
            self._tell(self._job, event, data)

        tools, arguments = self.tools, from_plain(message["arguments"])
        tools.send, tools.seconds = send, message["seconds"]
        try:
            module, _, name = message["task"].rpartition(".")
            task = getattr(import_module(f"claimeven.web.{module or 'tasks'}"), name)
            load(tools, message["task"], arguments)
            send("begun", None)  # from now on its time runs
            return "done", plain(task(tools, **arguments), MAX_VALUES, MAX_DEPTH)
        except Cancelled:
            raise
        except ClaimevenError as error:
            return "failed", _failure(str(error), UNPROCESSABLE)
        except SearchStopped:
            return "failed", _failure("this is too hard for the time it has", UNPROCESSABLE)
        except MemoryError:
            self.tools.forget()
            sentence = "there is not enough memory for this: ask for a smaller table or tree"
            return "failed", _failure(sentence, UNAVAILABLE)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return "failed", _failure("claimeven failed at this; its log says how", FAILED)

    def _tell(self, job: int, event: str, data: Any) -> None:
        message = pack({"job": job, "event": event, "data": data})
        self._is_sending = True
        try:
            self.send(message)
        finally:
            self._is_sending = False
        if self._unwanted == self._job is not None:
            self._cancel()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """End the job, if it is the one that is not wanted."""
        if self._job is None or self._job != self._unwanted or self._is_sending:
            return
        self._cancel()

    def _cancel(self) -> NoReturn:
        """End the job, once: its signal may still come, in the middle of what ends it."""
        self._unwanted = None
        raise Cancelled


def _failure(sentence: str, status: int) -> dict[str, Any]:
    return {"error": " ".join(sentence.split()), "status": status}


def main(parent: Parent) -> None:
    """Answer the server's requests until it ends."""
    sys.argv = [""]
    worker = Worker(parent.send)
    threading.Thread(target=worker.read, args=(parent.receive,), daemon=True).start()
    worker.work()
