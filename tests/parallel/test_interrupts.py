"""Ctrl-C at harmful moments: postponed, or completed; never lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from types import FrameType

import pytest

from claimeven.parallel import interrupts
from tests import forks

Block = Callable[[], AbstractContextManager[object]]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals to oneself")


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def default() -> Iterator[None]:
    """The handler is the earlier one in every case."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_it_is_put_off_to_the_next_safe_moment() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts.deferred() as safe_moment:
        safe_moment()
        press()
        done.append("the work")
        safe_moment()
        done.append("too much")
    assert done == ["the work"]


def test_it_is_put_off_to_the_end() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts.deferred():
        press()
        press()
        done.append("the work")
    assert done == ["the work"]


def test_it_is_heeded_within_a_call_and_put_off_around_it() -> None:
    def waits_for_it() -> None:
        press()
        time.sleep(60)

    done = []
    with pytest.raises(KeyboardInterrupt), interrupts.deferred() as safe_moment:
        press()
        with pytest.raises(KeyboardInterrupt):  # one that came before
            safe_moment.interruptible(lambda: done.append("never"))
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                safe_moment.interruptible(waits_for_it)
        assert safe_moment.interruptible(lambda: "answer") == "answer"
        press()
        done.append("to the end")
    assert done == ["to the end"]


def test_of_two_blocks_both_have_to_heed_it() -> None:
    done = []

    def inner() -> None:
        with interrupts.deferred() as safe_moment:
            press()
            done.append("put off")
            with pytest.raises(KeyboardInterrupt):
                safe_moment()
            with pytest.raises(KeyboardInterrupt):
                safe_moment.interruptible(press)
            press()
            done.append("put off again")

    with interrupts.deferred() as outer:
        with pytest.raises(KeyboardInterrupt):
            outer.interruptible(inner)
        done.append("out of it")
    with pytest.raises(KeyboardInterrupt), interrupts.deferred():
        with interrupts.deferred() as safe_moment:
            safe_moment.interruptible(press)
            safe_moment()
        done.append("both are over")
    assert done == ["put off", "put off again", "out of it", "both are over"]


class Pressed(interrupts.Lock):
    """Ctrl-C comes just when the lock has been taken."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        is_taken = super().acquire(blocking, timeout)
        press()
        return is_taken


def test_it_never_leaves_a_lock_held() -> None:
    lock = Pressed()
    with pytest.raises(KeyboardInterrupt), lock:
        raise AssertionError("the block has started")
    with interrupts.deferred() as safe_moment, lock, lock:  # its thread may take it again
        safe_moment.forget()
    with ThreadPoolExecutor(1) as other:
        assert other.submit(super(Pressed, lock).acquire, False).result()


def test_it_ends_the_wait_for_a_lock() -> None:
    lock = interrupts.Lock()
    with ThreadPoolExecutor(1) as other:
        other.submit(lock.acquire).result()
        threading.Timer(0.05, press).start()
        with pytest.raises(KeyboardInterrupt), lock:
            raise AssertionError("another thread holds it")
        other.submit(lock.release).result()


@pytest.mark.parametrize("before", ["another", signal.SIG_DFL])
def test_the_default_handler_can_be_replaced(before: str | signal.Handlers) -> None:
    def another(number: int, frame: FrameType | None) -> None:
        raise AssertionError("it does this before the block and after it")

    handler = another if before == "another" else before
    signal.signal(signal.SIGINT, handler)  # type: ignore[arg-type]  # a handler or SIG_DFL
    try:
        block = interrupts.deferred(signal.default_int_handler)
        with pytest.raises(KeyboardInterrupt), block as safe_moment:
            with pytest.raises(KeyboardInterrupt):
                safe_moment.interruptible(press)
            press()
        assert signal.getsignal(signal.SIGINT) == handler
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_it_can_be_put_off_for_good() -> None:
    done = []
    with interrupts.deferred() as safe_moment:
        press()
        safe_moment.forget()
        safe_moment()
        press()
        safe_moment.interruptible(press)
        done.append("the work")
    assert done == ["the work"]


def test_an_error_gives_way_to_it() -> None:
    def fail() -> None:
        with interrupts.deferred():
            press()
            raise ValueError

    with pytest.raises(KeyboardInterrupt):
        fail()


@pytest.mark.parametrize("block", [interrupts.deferred, interrupts.redeliver_lost])
def test_without_an_interrupt_the_block_has_no_effect(block: Block) -> None:
    with block():
        pass
    with pytest.raises(ValueError, match="mine"), block():
        raise ValueError("mine")


@pytest.mark.parametrize("block", [interrupts.deferred, interrupts.redeliver_lost])
def test_a_handler_of_ones_own_is_called(block: Block) -> None:
    seen: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        seen.append(number)

    signal.signal(signal.SIGINT, handle)
    with block():
        press()
    assert seen == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is handle
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("block", [interrupts.deferred, interrupts.redeliver_lost])
def test_where_it_is_ignored_it_stays_so(block: Block) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with block():
            press()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("block", [interrupts.deferred, interrupts.redeliver_lost])
def test_other_threads_are_let_be(block: Block) -> None:
    seen = []

    def work() -> None:
        with block():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_a_library_that_makes_something_else_of_it_does_not_see_it() -> None:
    with pytest.raises(KeyboardInterrupt), interrupts.deferred():
        try:
            press()
        except KeyboardInterrupt:
            raise ImportError from None


def test_a_swallowed_interrupt_is_raised_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    class Careless:
        def __del__(self) -> None:
            press()

    with pytest.raises(KeyboardInterrupt), interrupts.deferred():
        careless = Careless()
        del careless
    assert capsys.readouterr().err == ""


def test_other_unraisable_errors_are_reported_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Broken:
        def __del__(self) -> None:
            raise ValueError("mine")

    output: list[str] = []
    hook = lambda lost: output.append(str(lost.exc_value))  # noqa: E731 - compared below
    monkeypatch.setattr(sys, "unraisablehook", hook)
    with interrupts.redeliver_lost():
        broken = Broken()
        del broken
    assert output == ["mine"]
    assert sys.unraisablehook is hook


#: Ctrl-C meets the callback of the collector of garbage.
LOSES = """
import gc, os, signal, sys, time
from claimeven.parallel import interrupts
def callback(phase, info):
    gc.callbacks.remove(callback)
    signal.raise_signal(signal.SIGINT)
gc.callbacks.append(callback)
try:
    with interrupts.redeliver_lost():
        gc.collect()
        time.sleep(60)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(0)  # Python itself would end by the signal, as it does for code given as text
"""

#: Does not look at signals for a minute, as a compiler does not.
DEAF = """
import signal, sys, threading, time
from claimeven.parallel import interrupts
def press():
    time.sleep(0.2)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
signal.signal(signal.SIGINT, lambda number, frame: None)
interrupts.exit_message = lambda: "ended"
with interrupts.exit_if_stuck(0.5):
    threading.Thread(target=press).start()
    end = time.monotonic() + 60
    while time.monotonic() < end:
        time.sleep(0.1)
"""


@pytest.mark.parametrize(
    ("script", "status", "out", "err"),
    [(LOSES, 0, "interrupted\n", ""), (DEAF, interrupts.INTERRUPTED, "", "\nended\n")],
    ids=["loses", "deaf"],
)
def test_it_ends_a_program_at_any_step(script: str, status: int, out: str, err: str) -> None:
    begin = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", script],
        env=forks.environment(), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout, ended.stderr) == (status, out, err)
    assert time.monotonic() - begin < 50


def test_a_block_that_ends_soon_is_not_cut_short() -> None:
    before = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(before)
    with pytest.raises(KeyboardInterrupt), interrupts.exit_if_stuck(60):
        press()
    assert signal.set_wakeup_fd(before) == before
