"""Ctrl-C where it would leave half-made things behind."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def put_off() -> Iterator[Callable[[], None]]:
    """Put Ctrl-C off until a safe moment: yield a function to call at such moments.

    It ends the block as KeyboardInterrupt would have, if Ctrl-C came, and so does the end of the
    block. For code in which an exception from nowhere does harm, such as a compiler: what it holds
    half-made might be thrown away twice.
    """
    usual = signal.getsignal(signal.SIGINT)
    if not callable(usual) or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    handle: Callable[[int, FrameType | None], object] = usual
    came = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True

    def safe_moment() -> None:
        nonlocal came
        if came:
            came = False
            handle(signal.SIGINT, None)

    signal.signal(signal.SIGINT, note)
    try:
        yield safe_moment
    finally:
        signal.signal(signal.SIGINT, handle)
        safe_moment()


@contextmanager
def held_back() -> Iterator[None]:
    """`put_off` to the end of the block, for starting processes: they never see the signal.

    They inherit that it is blocked, where the system can. To block it is not enough for ourselves:
    the kernel gives it to another thread, such as libraries have, and Python raises it in this one.
    """
    with put_off():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def seen_through() -> Iterator[None]:
    """Let Ctrl-C end as KeyboardInterrupt, whatever the code it meets makes of it.

    A library interrupted while it is being imported may raise an ImportError instead, and one that
    is called back by foreign code, as a compiler does, prints a traceback and goes on: then it is
    raised at the end.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupted = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        try:
            before(number, frame)
        except KeyboardInterrupt:
            interrupted = True
            raise

    def tell(lost: sys.UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            usual(lost)

    usual, sys.unraisablehook = sys.unraisablehook, tell
    signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception:
        if not interrupted:
            raise
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = usual
    if interrupted:
        raise KeyboardInterrupt
