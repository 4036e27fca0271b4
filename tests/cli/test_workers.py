"""Commands with --jobs: the results of one process, also when a worker is killed."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from claimeven import Geometry
from claimeven.book.build import build_book
from claimeven.parallel import executors, pool
from claimeven.parallel.process import Child
from tests.cli.conftest import Run, bad_input, started
from tests.cli.experiments import COMMANDS, result_of, words_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are killed by signals")


class Mortal(Child):
    """A child. The first one to get jobs is killed before it reads them."""

    made = 0
    has_killed = False

    def __init__(self, module: str, **others: Any) -> None:
        super().__init__(module, **others)
        Mortal.made += 1
        self.sent = 0

    def send(self, message: bytes, seconds: float | None = None) -> None:
        self.sent += 1
        if self.sent == 2 and not Mortal.has_killed:
            Mortal.has_killed = True
            os.kill(self.process, signal.SIGKILL)
            os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOWAIT)
        super().send(message, seconds)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("books") / "tiny.book"
    build_book(path, Geometry(5, 4), 4, table_mb=4)
    return path


@pytest.mark.parametrize("name", COMMANDS)
def test_workers_equal_one_process(
    name: str, book: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is killed; the status is the same too."""
    monkeypatch.setattr(Mortal, "made", 0)
    monkeypatch.setattr(Mortal, "has_killed", False)
    monkeypatch.setattr(pool, "Child", Mortal)
    results = []
    for jobs in ("1", "2"):
        folder = tmp_path / jobs
        ended = run(*words_of(name, folder, book), "--jobs", jobs)
        results.append(
            (ended.status, ended.err.replace(str(folder), ""), *result_of(ended.out, folder))
        )
    assert Mortal.made >= 3
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("tournament random greedy --rounds 8", 2),
        ("accuracy random --count 8 --show-worst 0", 2),
        ("sprt random greedy --max-games 8", 2),
        ("match random greedy --games 8", 0),
        ("solve 12 --columns 5 --rows 4", 0),
    ],
)
def test_by_default_games_are_played_on_all_cores(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: str, count: int
) -> None:
    monkeypatch.setattr(Mortal, "made", 0)
    monkeypatch.setattr(Mortal, "has_killed", True)
    monkeypatch.setattr(pool, "Child", Mortal)
    monkeypatch.setattr(executors, "cgroup_cores", lambda groups: 2)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2})
    assert run(*words.split()).status == 0
    assert Mortal.made == count


def test_an_answer_is_printed_before_the_next_line_comes() -> None:
    with started("solve", "-", "--jobs", "2") as program:
        assert program.stdin and program.stdout
        for line in ("4455", "226744515337"):
            program.stdin.write(f"{line}\n")
            program.stdin.flush()
            assert program.stdout.readline().split()[0] == line
        program.stdin.close()
        assert program.wait() == 0


def test_ctrl_c_ends_workers_and_the_wait_for_lines() -> None:
    with started("solve", "-", "--jobs", "2") as program:
        assert program.stdin and program.stdout and program.stderr
        program.stdin.write("4455\n")
        program.stdin.flush()
        assert program.stdout.readline().split()[0] == "4455"
        program.send_signal(signal.SIGINT)
        assert program.wait() == 130
        assert program.stderr.read().splitlines()[-1] == "interrupted"


def test_options_that_exclude_workers(run: Run) -> None:
    sentence = "does not go with --jobs and --executor"
    assert bad_input(run("solve", "--pons", "--jobs", "2")) == f"--pons {sentence}"
    for words in (("solve", "4"), ("analyze", "4"), ("book", "verify"), ("book", "build")):
        assert bad_input(run(*words, "--jobs", "2", "--threads", "2")).startswith(
            "--threads is for one process, and a worker has one thread"
        )
        assert bad_input(run(*words, "--jobs", "0")) == "jobs must be 1 or more, got 0"
        assert "give --executor ray too" in bad_input(run(*words, "--address", "here:1"))
