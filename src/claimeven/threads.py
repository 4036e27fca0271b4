"""Threads that work beside the calling one, and waits that Ctrl-C ends.

A signal that arrives just before a thread begins to wait is not heeded until the wait is over, so
none here is for ever. `Thread.join` is not used: up to Python 3.12 one that Ctrl-C cuts short takes
the thread for ended, whether it is or not. A thread says itself that it has come to rest.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from claimeven import interrupts

#: Seconds between two looks whether Ctrl-C came while something is waited for.
_LOOK = 0.2
#: The same while threads are waited for: once they are told to stop they do so within a moment.
_REST_LOOK = 0.02

_Item = TypeVar("_Item")


def together(work: Callable[[int], object], count: int, stop: Callable[[], object]) -> None:
    """Run work(n) for n from 0 to `count` - 1: number 0 here, the others in threads of their own.

    What one of them raises, Ctrl-C among it, is raised here after all have come to rest; `stop` is
    called meanwhile, from any thread and more than once, to tell them to.
    """
    failures: list[BaseException] = []
    one_rests = threading.Event()
    at_work: set[int] = set()

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as failure:
            failures.append(failure)
            stop()
        finally:
            at_work.discard(number)
            one_rests.set()

    def start(number: int) -> None:
        helper = threading.Thread(target=guarded, args=(number,), daemon=True)
        at_work.add(number)
        try:
            helper.start()
        except RuntimeError:  # there can be no more threads
            at_work.discard(number)
            raise

    try:
        if count > 1:
            with interrupts.put_off():  # a start cut short leaves a lock that is waited for
                for number in range(1, count):
                    start(number)
        work(0)
    except BaseException:
        stop()
        raise
    finally:
        _wait_for(at_work, one_rests, stop)
    if failures:
        raise failures[0]


def next_of(items: queue.SimpleQueue[_Item]) -> _Item:
    """Return the next item of a queue, waited for as long as it takes."""
    while True:
        with suppress(queue.Empty):
            return items.get(timeout=_LOOK)


def _wait_for(at_work: set[int], one_rests: threading.Event, stop: Callable[[], object]) -> None:
    """Wait until threads rest, each of which says so; if Ctrl-C comes, stop them and raise it then.

    They work on what the next call will use, so none may be left behind. No `SimpleQueue` says so:
    to get from one may take for ever if a signal comes at the end of its time and raises nothing.
    """
    interrupt: BaseException | None = None
    while at_work:
        try:
            with interrupts.put_off() as safe_moment:
                while at_work:
                    one_rests.wait(_REST_LOOK)
                    one_rests.clear()
                    safe_moment()
        except BaseException as raised:  # whatever the handler makes of Ctrl-C
            interrupt = raised
            stop()
    if interrupt is not None:
        raise interrupt
