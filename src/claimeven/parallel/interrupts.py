"""Ctrl-C where it would leave half-made things behind, and Ctrl-Z where a clock runs."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias, TypeVar

_Result = TypeVar("_Result")
#: Returns what is printed if Ctrl-C ends this process immediately.
last_words: Callable[[], str] = lambda: "interrupted"  # noqa: E731 - it is replaced
#: Exit status of a program that Ctrl-C has ended.
INTERRUPTED = 130
#: Seconds until Ctrl-C comes again that met code which can raise nothing.
_AGAIN = 0.01
#: Seconds between two looks whether Ctrl-C came while a lock is waited for.
_LOOK = 0.1
#: What is called when a signal comes, with its number and where the program stood.
_Handle: TypeAlias = Callable[[int, FrameType | None], object]


class SafeMoment:
    """A block in which Ctrl-C is put off; called at moments at which it may come. See `put_off`."""

    __slots__ = ("_before", "_came", "_heeds", "_usual")

    def __init__(self, usual: _Handle | None = None) -> None:
        self._usual = usual
        self._before: _Handle | int | None = None
        self._came = self._heeds = False

    def __enter__(self) -> SafeMoment:
        before = signal.getsignal(signal.SIGINT)
        usual = self._usual or before
        if callable(usual) and threading.current_thread() is threading.main_thread():
            self._usual, self._before = usual, before
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *ended_by: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self()

    def __call__(self) -> None:
        """Do what Ctrl-C does as a rule, if it came: most often raise KeyboardInterrupt."""
        if self._came and self._usual is not None:
            self._came = False
            self._usual(signal.SIGINT, sys._getframe())

    def forget(self) -> None:
        """Put Ctrl-C off for good: what came, and what comes in the block, is as good as heeded."""
        self._usual = None

    def heeded(self, call: Callable[[], _Result]) -> _Result:
        """Return call(), which Ctrl-C may end at any moment; what follows it is not disturbed.

        However often Ctrl-C comes, each is either raised within the call or put off.
        """
        before, self._heeds = self._heeds, True
        try:
            self()
            return call()
        finally:
            self._heeds = before

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Heed Ctrl-C within the call of `heeded`, and put it off elsewhere: the handler."""
        is_within = self._heeds and frame is not None and frame.f_code is not _HEEDED
        if self._usual is not None and is_within:
            self._usual(number, frame)
        else:
            self._came = True


_HEEDED = SafeMoment.heeded.__code__


def put_off(usual: _Handle | None = None) -> SafeMoment:
    """Put Ctrl-C off until a safe moment: a block, with a function to call at such moments.

    It ends the block as KeyboardInterrupt would have, if Ctrl-C came, and so does the end of the
    block. For code in which an exception from nowhere does harm, such as a compiler, and libraries
    that are imported, which may swallow it or crash. Nothing changes in other threads than the main
    one, and if Ctrl-C is ignored. `usual` is what it does by default, if not as around the block.
    """
    return SafeMoment(usual)


class Lock(_thread.RLock):  # type: ignore[misc]  # it is not final
    """A lock for `with`, which its thread may take again, that Ctrl-C never leaves held.

    Since Python 3.14 Ctrl-C may come between a lock's `__enter__` in C and the block.
    """

    def __enter__(self) -> bool:  # type: ignore[override]  # as for the one in C
        is_held = False
        try:
            with put_off() as safe_moment:
                while not self.acquire(timeout=_LOOK):
                    safe_moment()
                is_held = True
            return True
        except BaseException:
            if is_held:
                self.release()
            raise


@contextmanager
def never_lost() -> Iterator[None]:
    """Let Ctrl-C come again a moment later if Python could only print what it raised."""

    def hook(lost: sys.UnraisableHookArgs) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            threading.Timer(_AGAIN, _press).start()
        else:
            before(lost)

    before, sys.unraisablehook = sys.unraisablehook, hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def _press() -> None:
    if hasattr(signal, "pthread_kill"):  # which ends a wait of the main thread too
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


@contextmanager
def ended_within(seconds: float) -> Iterator[None]:
    """End this process, with status 130 and its `last_words`, if Ctrl-C comes and the block has not
    ended so long after: libraries may compile for half a minute and look at no signal.
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
                os.write(2, f"\n{last_words()}\n".encode())
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


_resumed = 0


def note_stops() -> None:
    """Count how often this process resumes after Ctrl-Z and `fg`; for the main thread."""

    def note(number: int, frame: FrameType | None) -> None:
        global _resumed  # noqa: PLW0603 - a process is stopped as a whole
        _resumed += 1

    if hasattr(signal, "SIGCONT") and signal.getsignal(signal.SIGCONT) is signal.SIG_DFL:
        signal.signal(signal.SIGCONT, note)


def times_resumed() -> int:
    """Return how often this process has resumed: a clock that was read before is wrong then."""
    return _resumed
