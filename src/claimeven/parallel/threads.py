"""Threads that work next to the calling one, and waits that Ctrl-C ends.

No wait is without end: a signal that arrives just before one is not heeded until it is over. Up to
Python 3.12 a `Thread.join` that Ctrl-C cuts short takes the thread for ended, so a thread reports
itself that it rests. However often Ctrl-C comes, threads are started whole, stopped and waited for:
it ends only the work of the calling thread.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from claimeven.parallel import interrupts

#: Seconds between two looks whether Ctrl-C came while something is waited for, and while threads
#: are: these rest within a moment once they are to stop.
_LOOK, _REST_LOOK = 0.2, 0.02

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def together(work: Callable[[int], object], count: int, stop: Callable[[], object]) -> None:
    """Run work(n) for n from 0 to `count` - 1: number 0 here, the others in threads.

    What one of them raises, Ctrl-C among it, is raised here after all have come to rest. For that
    `stop` is called, from any thread and more than once.
    """
    if count == 1:  # mostly soon done: nothing is set up for it
        work(0)
        return
    _beside(lambda: work(0), work, range(1, count), stop, until_they_rest=True)


def served(
    main: Callable[[], _Result],
    work: Callable[[int], object],
    count: int,
    stop: Callable[[], object],
) -> _Result:
    """Return main(), run here while work(n) runs for n from 0 to `count` - 1 in `count` threads.

    When it is over, by Ctrl-C too, `stop` is called until all have come to rest. It is called as
    well when one raises something, which is raised here at the end.
    """
    return _beside(main, work, range(count), stop, until_they_rest=False)


def next_of(items: queue.SimpleQueue[_Item]) -> _Item:
    """Return the next item of a queue, waited for as long as it takes."""
    while True:
        with suppress(queue.Empty):
            return items.get(timeout=_LOOK)


def _beside(
    main: Callable[[], _Result],
    work: Callable[[int], object],
    numbers: Iterable[int],
    stop: Callable[[], object],
    until_they_rest: bool,
) -> _Result:
    """Return main(), run here next to a thread for each number, once all have come to rest.

    Ctrl-C ends main and the wait after it, and stops all first. `until_they_rest` lets them end on
    their own if main ends as it should.
    """
    failures: list[BaseException] = []
    at_work: set[int] = set()
    one_rests = threading.Event()

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as failure:
            failures.append(failure)
            stop()
        finally:
            at_work.discard(number)
            one_rests.set()

    def start(number: int) -> None:
        at_work.add(number)
        try:
            threading.Thread(target=run, args=(number,), daemon=True).start()
        except RuntimeError:  # there can be no more threads
            at_work.discard(number)
            raise

    def wait(safe_moment: interrupts.SafeMoment, is_over: bool) -> None:
        """Stop all at each look if it is over: what they call may have begun only after that."""
        interrupt: BaseException | None = None
        while at_work:
            if is_over or failures:
                stop()
            one_rests.wait(_REST_LOOK)
            one_rests.clear()
            try:
                safe_moment()
            except BaseException as raised:  # whatever the handler makes of Ctrl-C
                interrupt, is_over = raised, True
        if interrupt is not None:
            raise interrupt

    with interrupts.put_off() as safe_moment:
        is_over = True
        try:
            for number in numbers:
                start(number)
            result = safe_moment.heeded(main)
            is_over = not until_they_rest
        finally:
            wait(safe_moment, is_over)
    if failures:
        raise failures[0]
    return result
