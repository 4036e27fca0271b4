"""A lane does the newest job, cancels the one before, and survives failures."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from claimeven.notebook import latest_task
from claimeven.notebook.latest_task import IsWanted, LatestTask
from claimeven.parallel import interrupts
from tests.pressing import pressed_as_python_looks, pressed_as_usual

PATIENCE = 60.0


def test_only_the_newest_waiting_job_runs() -> None:
    lane, may_end = LatestTask("test"), threading.Event()
    started: list[str] = []
    wanted: list[bool] = []

    def first(is_wanted: IsWanted) -> None:
        started.append("first")
        assert may_end.wait(PATIENCE)
        wanted.append(is_wanted())

    lane.submit(first)
    while not started:
        time.sleep(0.001)
    lane.submit(lambda is_wanted: started.append("second"))
    lane.submit(lambda is_wanted: started.append(f"third, wanted: {is_wanted()}"))
    assert not lane.wait(time.monotonic())
    may_end.set()
    assert lane.wait(time.monotonic() + PATIENCE)
    assert started == ["first", "third, wanted: True"] and wanted == [False]


@pytest.mark.parametrize("error", [ZeroDivisionError(), SystemExit(3), KeyboardInterrupt()])
def test_an_error_of_a_job_is_reported_and_the_next_job_runs(
    error: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(is_wanted: IsWanted) -> None:
        raise error

    lane = LatestTask("test")
    lane.submit(fail)
    assert lane.wait(time.monotonic() + PATIENCE)
    assert type(error).__name__ in capsys.readouterr().err
    done: list[bool] = []
    lane.submit(lambda is_wanted: done.append(lane.wait(time.monotonic())))
    assert lane.wait(time.monotonic() + PATIENCE)
    assert done == [False]  # a job never waits for itself


def test_a_job_under_way_keeps_no_process_from_its_end() -> None:
    code = (
        "import threading\n"
        "from claimeven.notebook.latest_task import LatestTask\n"
        "begun = threading.Event()\n"
        "LatestTask('test').submit(lambda is_wanted: begun.set() or threading.Event().wait())\n"
        "assert begun.wait(60)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)


@pytest.mark.skipif(sys.platform == "win32", reason="no signals to oneself")
def test_ctrl_c_as_a_thread_starts_leaves_a_lane_that_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        start(thread)

    lane = LatestTask("test")
    done: list[str] = []
    default = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr("threading.Thread.start", interrupted)
            lane.submit(lambda is_wanted: done.append("first"))
    finally:
        signal.signal(signal.SIGINT, default)
    assert lane.wait(time.monotonic() + PATIENCE)
    lane.submit(lambda is_wanted: done.append("second"))
    assert lane.wait(time.monotonic() + PATIENCE)
    assert done == ["first", "second"]


def test_ctrl_c_at_any_step_leaves_a_lane_that_works() -> None:
    """In every call of the main thread, locks of third-party code included."""

    def asks_and_waits() -> None:
        lane.submit(lambda is_wanted: done.append("first"))
        lane.wait(time.monotonic() + PATIENCE)

    def ask_again() -> None:
        lane.submit(lambda is_wanted: done.append("second"))

    for step in itertools.count(1):
        lane = LatestTask("test")
        done: list[str] = []
        with pressed_as_usual():
            pressed = pressed_as_python_looks(
                step, asks_and_waits, latest_task, threading, interrupts, contextlib
            )
        asked = threading.Thread(target=ask_again, daemon=True)
        asked.start()
        asked.join(PATIENCE)
        assert not asked.is_alive(), step
        assert lane.wait(time.monotonic() + PATIENCE), step
        assert done[-1] == "second"
        if pressed.is_past_the_end:
            break
        assert isinstance(pressed.raised, KeyboardInterrupt), step
    assert step > 20


@pytest.mark.skipif(sys.platform == "win32", reason="no signals to oneself")
def test_ctrl_c_ends_a_wait_for_a_lane() -> None:
    lane, may_end = LatestTask("test"), threading.Event()
    lane.submit(lambda is_wanted: may_end.wait(PATIENCE) and None)
    with pressed_as_usual(), pytest.raises(KeyboardInterrupt):
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        lane.wait(time.monotonic() + PATIENCE)
    may_end.set()
    assert lane.wait(time.monotonic() + PATIENCE)
