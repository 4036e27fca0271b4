"""Work in the background of a notebook, of which only the newest matters."""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Callable
from threading import Condition, Thread, current_thread
from typing import TypeAlias

from claimeven.parallel import interrupts

#: Seconds between two looks whether Ctrl-C came while a lane is waited for.
_POLL_SECONDS = 0.1

#: Returns whether a job is still wanted.
IsWanted: TypeAlias = Callable[[], bool]
Job: TypeAlias = Callable[[IsWanted], None]


class LatestTask:
    """Does one job at a time in its own thread; a new job replaces all before it.

    The job in progress is canceled, and the new one starts when it has stopped. The thread ends
    when there is no job, and with the process. Errors of a job are printed on stderr.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._changed = Condition()
        self._newest = 0
        self._next: Job | None = None
        self._thread: Thread | None = None

    def submit(self, job: Job | None) -> None:
        """Do this job next; with None do no more."""
        # Ctrl-C within might leave the lock held, or a thread taken for started: for ever.
        with interrupts.deferred(), self._changed:
            self._newest += 1
            self._next = job
            if job is not None and self._thread is None:
                thread = Thread(target=self._run, name=self._name, daemon=True)
                thread.start()
                self._thread = thread

    def wait(self, deadline: float) -> bool:
        """Wait for all jobs until a moment of `time.monotonic`; return whether all are done."""
        if self._thread is current_thread():
            return False
        left = math.inf
        with interrupts.deferred() as safe_moment:
            while left > 0:
                left = max(0.0, deadline - time.monotonic())
                with self._changed:
                    if self._changed.wait_for(
                        lambda: self._thread is None, min(left, _POLL_SECONDS)
                    ):
                        return True
                safe_moment()
        return False

    def _run(self) -> None:
        while True:
            with self._changed:
                job, number = self._next, self._newest
                self._next = None
                if job is None:
                    self._thread = None
                    self._changed.notify_all()
                    return

            def is_wanted(number: int = number) -> bool:
                return number == self._newest

            try:
                job(is_wanted)
            except BaseException:  # of what looks on, say; the next job is done in any case
                traceback.print_exc()
