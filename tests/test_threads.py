"""Threads that work beside the calling one: all come to rest, whatever ends the work."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from claimeven import interrupts, threads


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def usual() -> Iterator[None]:
    """The handler of Ctrl-C is Python's own, and is so still at the end."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_each_number_is_worked_on_once_and_the_first_here(count: int) -> None:
    done: list[tuple[int, int]] = []
    threads.together(lambda n: done.append((n, threading.get_ident())), count, lambda: None)
    assert sorted(number for number, _ in done) == list(range(count))
    assert [number for number, thread in done if thread == threading.get_ident()] == [0]


@pytest.mark.parametrize("failing", [0, 2])
def test_what_one_raises_ends_all_and_is_raised(failing: int) -> None:
    stopped = threading.Event()
    rested = []

    def work(number: int) -> None:
        if number == failing:
            raise ValueError(f"{number} fails")
        stopped.wait(60)
        rested.append(number)

    with pytest.raises(ValueError, match=f"{failing} fails"):
        threads.together(work, 3, stopped.set)
    assert sorted(rested) == sorted({0, 1, 2} - {failing})


@pytest.mark.usefixtures("usual")
@pytest.mark.skipif(sys.platform == "win32", reason="no signals to oneself")
@pytest.mark.parametrize("presses", [1, 3])
def test_ctrl_c_while_only_the_others_work_ends_them_first(presses: int) -> None:
    """It comes while they are waited for; the end of the test is the proof that they are told."""
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
        threads.together(work, 3, stopped.set)
    assert sorted(rested) == [1, 2]


@pytest.mark.usefixtures("usual")
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
        threads.together(work, 3, stopped.set)
    assert sorted(rested) == [1, 2]


def test_ctrl_c_just_before_the_others_are_waited_for_ends_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_off = interrupts.put_off
    blocks: list[str] = []

    def interrupted() -> AbstractContextManager[Callable[[], None]]:
        blocks.append("one")
        if len(blocks) == 2:  # the first is that in which they are started
            raise KeyboardInterrupt
        return put_off()

    stopped = threading.Event()
    rested = []

    def work(number: int) -> None:
        if number:
            assert stopped.wait(60)
            rested.append(number)

    monkeypatch.setattr("claimeven.interrupts.put_off", interrupted)
    with pytest.raises(KeyboardInterrupt):
        threads.together(work, 3, stopped.set)
    assert sorted(rested) == [1, 2]


def test_the_next_of_a_queue_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_LOOK", 0.01)
    items: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Timer(0.1, items.put, ("late",)).start()
    assert threads.next_of(items) == "late"


@pytest.mark.usefixtures("usual")
@pytest.mark.skipif(sys.platform == "win32", reason="no signals to oneself")
def test_ctrl_c_ends_a_wait_and_no_wait_is_without_end() -> None:
    """One without end would not heed what came just before it."""

    class Items(queue.SimpleQueue[str]):
        def get(self, block: bool = True, timeout: float | None = None) -> str:
            assert timeout is not None
            return super().get(block, timeout)

    threading.Timer(0.05, press).start()
    with pytest.raises(KeyboardInterrupt):
        threads.next_of(Items())
