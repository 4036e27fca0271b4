"""Threads that work beside the calling one, and waits that Ctrl-C ends.

A signal that arrives just before a thread begins to wait is not heeded until the wait is over, so
none here is for ever. `Thread.join` is not used: up to Python 3.12 one that Ctrl-C cuts short takes
the thread for ended, whether it is or not. A thread says itself that it has come to rest.

However often Ctrl-C comes, threads are started whole, told to stop and waited for: all that is put
off, and only what the calling thread does meanwhile is ended by Ctrl-C.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from claimeven.parallel import interrupts

#: Seconds between two looks whether Ctrl-C came while something is waited for.
_LOOK = 0.2
#: The same while threads are waited for: once they are told to stop they do so within a moment.
_REST_LOOK = 0.02

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def together(work: Callable[[int], object], count: int, stop: Callable[[], object]) -> None:
    """Run work(n) for n from 0 to `count` - 1: number 0 here, the others in threads of their own.

    What one of them raises, Ctrl-C among it, is raised here after all have come to rest; `stop` is
    called meanwhile, from any thread and more than once, to tell them to.
    """
    if count == 1:  # soon done, as a rule: nothing is set up for it
        work(0)
        return
    _Crew(work, stop).beside(lambda: work(0), range(1, count), until_they_rest=True)


def served(
    main: Callable[[], _Result],
    work: Callable[[int], object],
    count: int,
    stop: Callable[[], object],
) -> _Result:
    """Return main(), run here while work(n) runs for n from 0 to `count` - 1 in `count` threads.

    When it is over, by Ctrl-C too, they are told to stop: `stop` is called until all have come to
    rest. It is called as well when one raises something, which is raised here at the end.
    """
    return _Crew(work, stop).beside(main, range(count), until_they_rest=False)


def next_of(items: queue.SimpleQueue[_Item]) -> _Item:
    """Return the next item of a queue, waited for as long as it takes."""
    while True:
        with suppress(queue.Empty):
            return items.get(timeout=_LOOK)


class _Crew:
    """Threads that work on what the next call will use, so none of them may be left behind."""

    def __init__(self, work: Callable[[int], object], stop: Callable[[], object]) -> None:
        self._work = work
        self._stop = stop
        self._failures: list[BaseException] = []
        self._at_work: set[int] = set()
        self._one_rests = threading.Event()

    def beside(
        self, main: Callable[[], _Result], numbers: Iterable[int], *, until_they_rest: bool
    ) -> _Result:
        """Return main(), run here beside a thread for each number, once all have come to rest.

        Ctrl-C ends main and the wait after it, and has all stopped first. `until_they_rest` lets
        them end on their own where main ends as it should.
        """
        with interrupts.put_off() as safe_moment:
            is_told = True
            try:
                for number in numbers:
                    self._start(number)
                result = safe_moment.heeded(main)
                is_told = not until_they_rest
            finally:
                self._wait(safe_moment, is_told)
        if self._failures:
            raise self._failures[0]
        return result

    def _start(self, number: int) -> None:
        helper = threading.Thread(target=self._run, args=(number,), daemon=True)
        self._at_work.add(number)
        try:
            helper.start()
        except RuntimeError:  # there can be no more threads
            self._at_work.discard(number)
            raise

    def _run(self, number: int) -> None:
        try:
            self._work(number)
        except BaseException as failure:
            self._failures.append(failure)
            self._stop()
        finally:
            self._at_work.discard(number)
            self._one_rests.set()

    def _wait(self, safe_moment: interrupts.SafeMoment, is_told: bool) -> None:
        """Wait until all rest, told to stop or not; if Ctrl-C comes, stop them and raise it then.

        They are told again at each look: what they call may have begun after it was to stop. No
        `SimpleQueue` says that one rests: to get from one may take for ever if a signal comes at
        the end of its time and raises nothing.
        """
        interrupt: BaseException | None = None
        while self._at_work:
            if is_told or self._failures:
                self._stop()
            self._one_rests.wait(_REST_LOOK)
            self._one_rests.clear()
            try:
                safe_moment()
            except BaseException as raised:  # whatever the handler makes of Ctrl-C
                interrupt, is_told = raised, True
        if interrupt is not None:
            raise interrupt
