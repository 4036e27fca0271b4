"""A lane does the newest job, tells the one before that it is not wanted, and outlives failures."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

from claimeven.notebook.background import IsWanted, Lane

PATIENCE = 60.0


def test_the_newest_job_counts_and_those_between_are_never_begun() -> None:
    lane, may_end = Lane("test"), threading.Event()
    begun: list[str] = []
    wanted: list[bool] = []

    def first(is_wanted: IsWanted) -> None:
        begun.append("first")
        assert may_end.wait(PATIENCE)
        wanted.append(is_wanted())

    lane.ask(first)
    while not begun:
        time.sleep(0.001)
    lane.ask(lambda is_wanted: begun.append("second"))
    lane.ask(lambda is_wanted: begun.append(f"third, wanted: {is_wanted()}"))
    assert not lane.wait(time.monotonic())
    may_end.set()
    assert lane.wait(time.monotonic() + PATIENCE)
    assert begun == ["first", "third, wanted: True"] and wanted == [False]


def test_what_a_job_raises_is_told_and_the_next_one_is_done(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lane = Lane("test")
    lane.ask(lambda is_wanted: 1 / 0)  # type: ignore[arg-type, return-value]
    assert lane.wait(time.monotonic() + PATIENCE)
    assert "ZeroDivisionError" in capsys.readouterr().err
    done: list[bool] = []
    lane.ask(lambda is_wanted: done.append(lane.wait(time.monotonic())))
    assert lane.wait(time.monotonic() + PATIENCE)
    assert done == [False]  # a job never waits for itself


@pytest.mark.skipif(sys.platform == "win32", reason="no signals to oneself")
def test_ctrl_c_as_a_thread_starts_leaves_a_lane_that_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        start(thread)

    lane = Lane("test")
    done: list[str] = []
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr("threading.Thread.start", interrupted)
            lane.ask(lambda is_wanted: done.append("first"))
    finally:
        signal.signal(signal.SIGINT, usual)
    assert lane.wait(time.monotonic() + PATIENCE)
    lane.ask(lambda is_wanted: done.append("second"))
    assert lane.wait(time.monotonic() + PATIENCE)
    assert done == ["first", "second"]
