"""Processes that are watched, by the example of a program that says again what it is told."""

from __future__ import annotations

import itertools
import os
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from claimeven.agents.external.line_process import Program
from claimeven.parallel import posix
from claimeven.parallel.process import Child, ChildEnded, NoMoreProcesses

#: Seconds that an answer may take on a machine under load.
PATIENCE = 120


@pytest.fixture
def echo() -> Iterator[Program]:
    program = Program(["cat"], lambda text: None)
    yield program
    program.kill()


def test_what_is_sent_comes_back(echo: Program) -> None:
    echo.send("d")
    assert echo.receive(time.perf_counter() + PATIENCE) == "d"
    assert not echo.ended


def test_one_that_was_ended_leaves_alone_who_has_the_numbers_of_its_pipes(
    echo: Program, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("d\n", encoding="ascii")
    before = {int(path.name) for path in Path("/dev/fd").iterdir()}
    echo.kill()
    others = [os.open(file, os.O_RDWR | os.O_APPEND) for _ in range(8)]
    try:
        assert set(others) & before  # some have taken the place of its pipes
        with pytest.raises(ChildEnded, match="signal SIGKILL"):
            echo.send("e")
        with pytest.raises(ChildEnded, match="signal SIGKILL"):
            echo.receive(time.perf_counter() + PATIENCE)
    finally:
        for other in others:
            os.close(other)
    assert file.read_text(encoding="ascii") == "d\n"


def open_files() -> set[str]:
    return {path.name for path in Path("/dev/fd").iterdir()}


@pytest.mark.parametrize("room", [0, 1, 2, 4, 6])
@pytest.mark.parametrize(
    "start",
    [
        lambda: Child("claimeven.agents.worker", lambda text: None),
        lambda: Program(["cat"], lambda text: None),
    ],
    ids=["child", "program"],
)
def test_a_process_for_whose_pipes_there_is_no_room_leaves_none_open(
    start: Callable[[], object], room: int
) -> None:
    before = open_files()
    free = (end for end in itertools.count() if str(end) not in before)
    most = next(itertools.islice(free, room, None))
    bounds = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, bounds[1]))
    try:
        with pytest.raises(NoMoreProcesses, match=r"open files at a time \(ulimit -n\)"):
            start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, bounds)
    assert open_files() == before


@pytest.mark.parametrize(
    ("hard", "limits"), [(resource.RLIM_INFINITY, 512 << 20), (1 << 30, 512 << 20), (99, 99)]
)
def test_a_process_asks_for_no_more_memory_than_the_system_grants(hard: int, limits: int) -> None:
    assert posix._data_limits(512, hard) == (limits, hard)
