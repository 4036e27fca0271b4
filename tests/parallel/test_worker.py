"""Jobs of a worker, without a process around it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from claimeven.parallel.connection import JobWorker, Send, unpack


class Parent:
    """A parent that notes its messages."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def send(self, message: bytes) -> None:
        self.events.append(unpack(message)["event"])


@pytest.fixture
def parent() -> Iterator[Parent]:
    before = signal.getsignal(signal.SIGINT)
    yield Parent()
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("begins", [False, True])
def test_a_job_is_cancelled_once(parent: Parent, begins: bool) -> None:
    """The message is seen before its signal comes, which then finds a job that is ending."""
    ended: list[str] = []

    def do(message: dict[str, Any], send: Send) -> tuple[str, Any]:
        if message["job"] == 1:
            worker._cancelled = 1
            try:
                send("column", 1)
                ended.append("went on")
            finally:
                signal.raise_signal(signal.SIGINT)
                ended.append("cleaned up")
        return "done", None

    worker = JobWorker(parent, do, lambda: ended.append("forgotten"))  # type: ignore[arg-type]
    signal.signal(signal.SIGINT, worker._stop)
    if begins:
        worker._cancelled = 1
    worker._serve_one({"job": 1})
    assert parent.events == (["cancelled"] if begins else ["column", "cancelled"])
    assert ended == (["forgotten"] if begins else ["cleaned up", "forgotten"])
    signal.raise_signal(signal.SIGINT)  # between two jobs
    worker._serve_one({"job": 2})
    assert parent.events[-1] == "done"
