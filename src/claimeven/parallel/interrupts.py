"""Ctrl-C is deferred while it could leave unfinished data; Ctrl-Z is noted for clocks.

Threads that work next to the calling thread end with it. Every wait has a timeout: a signal that
arrives just before a wait is handled only after it. Up to Python 3.12 an interrupted `Thread.join`
marks the thread as finished, so each thread reports its end itself. Ctrl-C only ends the work of
the calling thread: the other threads are stopped and waited for, also if it is pressed repeatedly.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # without stubs
import _thread
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TypeAlias, TypeVar

_Result = TypeVar("_Result")
#: Returns the line that is printed if Ctrl-C ends this process immediately.
exit_message: Callable[[], str] = lambda: "interrupted"  # noqa: E731 - it is replaced
#: Exit status of a program that Ctrl-C has stopped.
INTERRUPTED = 130
#: Seconds after which a Ctrl-C is repeated that code could not raise.
_REPEAT_DELAY = 0.01
#: Seconds between two checks for Ctrl-C while waiting for a lock.
_POLL_INTERVAL = 0.1
#: `signal.signal` and `signal.getsignal` in C: converting to enums would take ten times as long.
_handle, _handler_of, _SIGINT = _signal.signal, _signal.getsignal, int(signal.SIGINT)
#: A signal handler: it gets the number of the signal and the current frame.
_Handle: TypeAlias = Callable[[int, FrameType | None], object]


class SafeMoment:
    """Defer Ctrl-C until a safe moment: a context manager, to be called at such moments.

    The call raises KeyboardInterrupt if Ctrl-C was pressed, and so does the end of the block. For
    code that an unexpected exception harms, such as a compiler, or an import that may swallow it or
    crash. It has no effect in other threads than the main one, or if Ctrl-C is ignored. `handler`
    is called for Ctrl-C, by default the handler in effect around the block.
    """

    __slots__ = ("_before", "_handler", "_is_interruptible", "_is_pending")

    def __init__(self, handler: _Handle | None = None) -> None:
        self._handler = handler
        self._before: _Handle | int | None = None
        self._is_pending = self._is_interruptible = False

    def __enter__(self) -> SafeMoment:
        before = _handler_of(_SIGINT)
        handler = self._handler or before
        if callable(handler) and threading.current_thread() is threading.main_thread():
            self._handler, self._before = handler, before
            _handle(_SIGINT, self._on_signal)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._before is not None:
            _handle(_SIGINT, self._before)
            self()

    def __call__(self) -> None:
        """Call the handler if Ctrl-C was pressed: it usually raises KeyboardInterrupt."""
        if self._is_pending and self._handler is not None:
            self._is_pending = False
            self._handler(signal.SIGINT, sys._getframe())

    def forget(self) -> None:
        """Ignore every Ctrl-C of this block, past and future."""
        self._handler = None

    def interruptible(self, call: Callable[[], _Result]) -> _Result:
        """Return call(), which Ctrl-C may interrupt at any moment.

        Each Ctrl-C is either raised within the call or deferred, also if it is pressed repeatedly.
        """
        before, self._is_interruptible = self._is_interruptible, True
        try:
            self()
            return call()
        finally:
            self._is_interruptible = before

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """The handler of Ctrl-C: call the original one within `interruptible`, defer elsewhere."""
        is_within = frame is not None and frame.f_code is not _INTERRUPTIBLE
        if self._handler is not None and self._is_interruptible and is_within:
            self._handler(number, frame)
        else:
            self._is_pending = True


_INTERRUPTIBLE = SafeMoment.interruptible.__code__
deferred = SafeMoment


class Lock(_thread.RLock):  # type: ignore[misc]  # it is not final
    """A reentrant lock for `with` that Ctrl-C never leaves locked.

    Since Python 3.14 Ctrl-C may arrive between a lock's `__enter__` in C and the block.
    """

    def __enter__(self) -> bool:  # type: ignore[override]  # as for the one in C
        is_locked = False
        try:
            with deferred() as safe_moment:
                while not self.acquire(timeout=_POLL_INTERVAL):
                    safe_moment()
                is_locked = True
            return True
        except BaseException:
            if is_locked:
                self.release()
            raise


@contextmanager
def redeliver_lost() -> Iterator[None]:
    """Repeat a Ctrl-C a moment later if Python could only print its exception."""

    def hook(lost: sys.UnraisableHookArgs) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            threading.Timer(_REPEAT_DELAY, press).start()
        else:
            before(lost)

    before, sys.unraisablehook = sys.unraisablehook, hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def press() -> None:
    """Send Ctrl-C to the main thread."""
    if hasattr(signal, "pthread_kill"):  # which ends a wait of the main thread too
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)  # Python runs its handler in the main thread


@contextmanager
def exit_if_stuck(seconds: float) -> Iterator[None]:
    """Exit with status 130 and the `exit_message` if the block runs on for `seconds` after Ctrl-C:
    libraries may compile for half a minute without handling signals.
    """
    if threading.current_thread() is not threading.main_thread() or os.name != "posix":
        yield
        return
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    over = threading.Event()

    def watch() -> None:
        while numbers := os.read(reads, 64):
            if signal.SIGINT in numbers and not over.wait(seconds) and not over.is_set():
                os.write(2, f"\n{exit_message()}\n".encode())
                os._exit(INTERRUPTED)

    watcher = threading.Thread(target=watch, daemon=True)
    before = signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
    watcher.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        over.set()
        os.close(writes)
        watcher.join()
        os.close(reads)


_resumes = 0


def count_resumes() -> None:
    """Count how often this process resumes after Ctrl-Z and `fg`; for the main thread."""

    def on_resume(number: int, frame: FrameType | None) -> None:
        global _resumes  # noqa: PLW0603 - a process is stopped as a whole
        _resumes += 1

    if hasattr(signal, "SIGCONT") and signal.getsignal(signal.SIGCONT) is signal.SIG_DFL:
        signal.signal(signal.SIGCONT, on_resume)


def resume_count() -> int:
    """Return how often this process has resumed: times measured across a resume are wrong."""
    return _resumes


#: Seconds between two checks for Ctrl-C during a wait for an item, and for threads that end soon.
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

    def wait(safe_moment: SafeMoment, is_over: bool) -> None:
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

    with deferred() as safe_moment:
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
