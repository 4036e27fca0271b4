"""Child processes, by the example of a program that repeats its input."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from claimeven.agents.external.line_process import Program
from claimeven.parallel import posix
from claimeven.parallel.process import Child, ChildEnded, NoMoreProcesses
from tests import forks
from tests.agents.process.test_attacks import eventually, marked

resource = pytest.importorskip("resource", reason="Windows has no such limits")

#: Seconds that an answer may take on a machine under load.
PATIENCE = 120


@pytest.fixture(params=["linux", "macos"])
def echo(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    """If the kernel does not end groups, our process does."""
    monkeypatch.setattr(posix, "_KERNEL_ENDS_GROUPS", request.param == "linux")
    program = Program(["cat"], lambda text: None)
    yield program
    program.kill()


def test_sent_messages_come_back(echo: Program) -> None:
    echo.send("d")
    assert echo.receive(time.perf_counter() + PATIENCE) == "d"
    assert not echo.ended


def test_an_ended_child_does_not_close_reused_descriptors(echo: Program, tmp_path: Path) -> None:
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


@pytest.mark.skipif(sys.platform != "linux", reason="the system lists all processes")
def test_grandchildren_end_if_the_parent_closes_the_connection_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a killed parent may do: the lifeline stays open until the child is gone."""
    mark = f"{600 + os.getpid() % 1000}.{time.time_ns() % 10**9}"
    (tmp_path / "starts.py").write_text(
        "import subprocess\n\ndef main(parent):\n"
        f"    subprocess.Popen(['sleep', {mark!r}])\n"
        "    parent.send(b'started')\n    parent.receive()\n",
        encoding="ascii",
    )
    monkeypatch.syspath_prepend(tmp_path)
    child = Child("starts")
    assert child.receive(PATIENCE) == b"started"
    eventually(lambda: len(marked(mark)) == 1)
    child._end.shutdown(socket.SHUT_RDWR)
    eventually(lambda: not marked(mark))
    child.kill()


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
def test_a_process_without_room_for_its_pipes_leaves_none_open(
    start: Callable[[], object], room: int
) -> None:
    before = open_files()
    free = (end for end in itertools.count() if str(end) not in before)
    most = next(itertools.islice(free, room, None))
    bounds = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, bounds[1]))
    try:
        with pytest.raises(NoMoreProcesses, match=r"open files \(ulimit -n\)"):
            start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, bounds)
    assert open_files() == before


@pytest.mark.parametrize(
    ("hard", "limits"), [(resource.RLIM_INFINITY, 512 << 20), (1 << 30, 512 << 20), (99, 99)]
)
def test_a_process_asks_for_no_more_memory_than_the_system_grants(hard: int, limits: int) -> None:
    assert posix._data_limits(512, hard) == (limits, hard)


@pytest.mark.parametrize(
    ("status", "how"), [(3, "exit status 3"), (-9, "signal SIGKILL"), (-99, "signal 99")]
)
def test_how_a_process_has_ended(status: int, how: str) -> None:
    assert posix.describe_exit(status, 1 << 60) == (how, False)


@pytest.mark.parametrize("does", ["exit 3", "kill -TERM $$"])
def test_a_program_that_a_process_of_ours_runs_ends_as_itself(
    monkeypatch: pytest.MonkeyPatch, does: str
) -> None:
    hows = []
    for kernel_does in (True, False):
        monkeypatch.setattr(posix, "_KERNEL_ENDS_GROUPS", kernel_does)
        program = Program(["sh", "-c", does], lambda text: None)
        with pytest.raises(ChildEnded) as ended:
            program.receive(time.perf_counter() + PATIENCE)
        hows.append(str(ended.value))
    assert hows[0] == hows[1]


OUTLIVES = """
import sys, time
from claimeven.agents.external.line_process import Program
from claimeven.parallel import posix
posix._KERNEL_ENDS_GROUPS = False
program = Program(["sleep", sys.argv[1]], lambda text: None)
print("begun", flush=True)
time.sleep(600)
"""


def test_a_program_ends_with_us_where_the_kernel_does_not_see_to_it() -> None:
    mark = f"{600 + os.getpid() % 1000}.{time.time_ns() % 10**9}"
    words = [sys.executable, "-c", OUTLIVES, mark]
    with subprocess.Popen(words, env=forks.environment(), stdout=subprocess.PIPE) as ours:
        assert ours.stdout is not None
        assert ours.stdout.readline() == b"begun\n"
        eventually(lambda: len(marked(mark)) > 1)
        ours.kill()
    eventually(lambda: not marked(mark))
