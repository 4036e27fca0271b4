"""Threads that work next to the calling one: all stop, however the work ends."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from claimeven.parallel import interrupts
from tests.pressing import pressed_as_usual, pressed_at


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def default() -> Iterator[None]:
    with pressed_as_usual():
        yield


@pytest.mark.parametrize("count", [1, 2, 5])
def test_each_number_is_worked_on_once_and_the_first_here(count: int) -> None:
    done: list[tuple[int, int]] = []
    interrupts.run_in_threads(
        lambda n: done.append((n, threading.get_ident())), count, lambda: None
    )
    assert sorted(number for number, _ in done) == list(range(count))
    assert [number for number, thread in done if thread == threading.get_ident()] == [0]


@pytest.mark.parametrize("failing", [0, 2])
def test_an_error_of_one_thread_ends_all_and_is_raised(failing: int) -> None:
    stopped = threading.Event()
    rested = []

    def work(number: int) -> None:
        if number == failing:
            raise ValueError(f"{number} fails")
        stopped.wait(60)
        rested.append(number)

    with pytest.raises(ValueError, match=f"{failing} fails"):
        interrupts.run_in_threads(work, 3, stopped.set)
    assert sorted(rested) == sorted({0, 1, 2} - {failing})


def test_the_first_error_is_raised() -> None:
    stopped = threading.Event()

    def work(number: int) -> None:
        if number != 1:
            assert stopped.wait(60)
        if number:
            raise ValueError(f"{number} fails")

    for call in (lambda: interrupts.run_in_threads(work, 3, stopped.set),):
        stopped.clear()
        with pytest.raises(ValueError, match="1 fails"):
            call()


def test_threads_are_stopped_repeatedly_until_they_end() -> None:
    """Their call may start only after the stop."""
    output: list[str] = []

    def work(number: int) -> None:
        if number == 1:
            raise ValueError("1 fails")
        deadline = time.monotonic() + 60
        while number and len(output) < 4:
            assert time.monotonic() < deadline
            time.sleep(0.001)

    with pytest.raises(ValueError, match="1 fails"):
        interrupts.run_in_threads(work, 3, lambda: output.append("stop"))
    assert len(output) >= 4


def test_the_end_of_one_thread_does_not_stop_the_others() -> None:
    first_has_ended, output, rested = threading.Event(), [], []

    def work(number: int) -> None:
        if number == 0:
            first_has_ended.set()
        else:
            assert first_has_ended.wait(60)
            time.sleep(0.1)  # time enough for a stop
        rested.append(number)

    interrupts.run_in_threads(work, 3, lambda: output.append("stop"))
    assert sorted(rested) == [0, 1, 2]
    assert output == []


@pytest.mark.skipif(sys.platform != "linux", reason="others give threads stacks as they please")
def test_where_there_can_be_no_more_threads_that_is_raised() -> None:
    worked: list[int] = []
    before = threading.stack_size(1 << 47)  # all the memory that there are addresses for
    try:
        for call in (lambda: interrupts.run_in_threads(worked.append, 3, lambda: None),):
            with pytest.raises(RuntimeError, match="can't start new thread"):
                call()
    finally:
        threading.stack_size(before)
    assert worked == []


@pytest.mark.usefixtures("default")
@pytest.mark.skipif(sys.platform == "win32", reason="no signals to oneself")
@pytest.mark.parametrize("presses", [1, 3])
def test_ctrl_c_while_only_the_others_work_ends_them_first(presses: int) -> None:
    """It comes during the wait; the end of the test proves that they are stopped."""
    stopped = threading.Event()
    rested = []

    def work(number: int) -> None:
        if number == 1:
            for _ in range(presses):
                time.sleep(0.1)
                press()
        if number:
            assert stopped.wait(60)
            time.sleep(0.1)  # it is raised when they rest, and not before
            rested.append(number)

    with pytest.raises(KeyboardInterrupt):
        interrupts.run_in_threads(work, 3, stopped.set)
    assert sorted(rested) == [1, 2]


@pytest.mark.usefixtures("default")
@pytest.mark.skipif(sys.platform == "win32", reason="no signals to oneself")
def test_ctrl_c_at_work_ends_all() -> None:
    stopped = threading.Event()
    rested = []

    def work(number: int) -> None:
        if number == 0:
            press()
        assert stopped.wait(60)
        rested.append(number)

    with pytest.raises(KeyboardInterrupt):
        interrupts.run_in_threads(work, 3, stopped.set)
    assert sorted(rested) == [1, 2]


class Others:
    """Work next to the main thread until a stop, or until it is done.

    Once the main thread works it presses Ctrl-C, if it `presses`.
    """

    def __init__(self, presses: bool) -> None:
        self.presses = presses
        self.may_end = threading.Event()
        self.stopped = threading.Event()
        self.started: list[int] = []
        self.rested: list[int] = []

    def main(self) -> None:
        if self.presses:
            signal.raise_signal(signal.SIGINT)
        self.may_end.set()

    def work(self, number: int) -> None:
        self.started.append(number)
        deadline = time.monotonic() + 60
        while not (self.stopped.is_set() or self.may_end.is_set()):
            assert time.monotonic() < deadline
            time.sleep(0.0005)
        self.rested.append(number)

    def in_threads(self) -> None:
        interrupts.run_in_threads(lambda n: self.work(n) if n else self.main(), 3, self.stopped.set)


@pytest.mark.parametrize("call", [Others.in_threads])
@pytest.mark.parametrize("presses", [False, True])
def test_ctrl_c_at_any_step_leaves_no_thread_at_work(
    call: Callable[[Others], None], presses: bool
) -> None:
    """Also just before the others are waited for, and while what Ctrl-C raised is on its way."""
    for step in itertools.count(1):
        others = Others(presses)
        with pressed_as_usual():
            pressed = pressed_at(step, partial(call, others), interrupts, contextlib)
        assert len(others.started) in (0, 2), step
        assert sorted(others.rested) == sorted(others.started), step
        if pressed.is_past_the_end:
            break
        assert isinstance(pressed.raised, KeyboardInterrupt), step
    assert step > 200


def test_the_next_of_a_queue_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_ITEM_POLL", 0.01)
    items: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Timer(0.1, items.put, ("late",)).start()
    assert interrupts.get_item(items) == "late"


@pytest.mark.usefixtures("default")
@pytest.mark.skipif(sys.platform == "win32", reason="no signals to oneself")
def test_ctrl_c_ends_a_wait_and_no_wait_is_without_end() -> None:
    """One without end would not heed what came just before it."""

    class Items(queue.SimpleQueue[str]):
        def get(self, block: bool = True, timeout: float | None = None) -> str:
            assert timeout is not None
            return super().get(block, timeout)

    threading.Timer(0.05, press).start()
    with pytest.raises(KeyboardInterrupt):
        interrupts.get_item(Items())
