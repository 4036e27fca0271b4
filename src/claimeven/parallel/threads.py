"""Threads that work next to the calling thread, and waits that Ctrl-C ends.

Every wait has a timeout: a signal that arrives just before a wait is handled only after it. Up to
Python 3.12 an interrupted `Thread.join` marks the thread as finished, so each thread reports its
end itself. Ctrl-C only ends the work of the calling thread: the other threads are stopped and
waited for, also if it is pressed repeatedly.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from claimeven.parallel import interrupts

#: Seconds between two checks for Ctrl-C during a wait for an item, and for threads: these end soon
#: after they are stopped.
_ITEM_POLL, _THREAD_POLL = 0.2, 0.02

_Item = TypeVar("_Item")


def run_in_threads(work: Callable[[int], object], count: int, stop: Callable[[], object]) -> None:
    """Run work(n) for n from 0 to `count` - 1: number 0 here, the others in threads.

    An exception of any of them, or Ctrl-C, is raised here after all threads are done. To stop them,
    `stop` is called, from any thread and more than once.
    """
    if count == 1:  # usually short: no setup
        work(0)
        return
    failures: list[BaseException] = []
    running: set[int] = set()
    has_ended = threading.Event()

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as failure:
            failures.append(failure)
            stop()
        finally:
            running.discard(number)
            has_ended.set()

    def start(number: int) -> None:
        running.add(number)
        try:
            threading.Thread(target=run, args=(number,), daemon=True).start()
        except RuntimeError:  # the system allows no more threads
            running.discard(number)
            raise

    def wait(safe_moment: interrupts.SafeMoment, is_over: bool) -> None:
        """Wait for the threads. Call `stop` repeatedly: the work may start after the first call."""
        interrupt: BaseException | None = None
        while running:
            if is_over or failures:
                stop()
            has_ended.wait(_THREAD_POLL)
            has_ended.clear()
            try:
                safe_moment()
            except BaseException as raised:  # the handler may raise any exception
                interrupt, is_over = raised, True
        if interrupt is not None:
            raise interrupt

    with interrupts.deferred() as safe_moment:
        is_over = True
        try:
            for number in range(1, count):
                start(number)
            safe_moment.interruptible(lambda: work(0))
            is_over = False
        finally:
            wait(safe_moment, is_over)
    if failures:
        raise failures[0]


def get_item(items: queue.SimpleQueue[_Item]) -> _Item:
    """Wait for the next item of a queue and return it."""
    while True:
        with suppress(queue.Empty):
            return items.get(timeout=_ITEM_POLL)
