"""Running the command line: in this process, and as the program it is."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from claimeven import Geometry
from claimeven.book.build import build_book
from claimeven.cli.common import progress
from claimeven.cli.main import main
from claimeven.parallel import executors
from tests import forks
from tests.forks import command, environment


@dataclass(frozen=True)
class RunResult:
    """The output and status of a run of the program."""

    status: int
    out: str
    err: str


Run = Callable[..., RunResult]
Bot = Callable[..., str]

#: Seconds that anything may take before a test gives up: generous, for machines under load.
PATIENCE = 120
#: The lines of the first run that needs compiled code on stderr; it may be in any test.
COMPILING = "compiling the searches, once after an installation ...\n"


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, as on a machine with one core.

    `typed` is its stdin, text or bytes. `encoding` is the encoding of its streams: in another one
    than UTF-8 it cannot write all characters.
    """
    monkeypatch.setattr(executors, "cgroup_cores", lambda groups: 1)

    def runner(*arguments: str, typed: str | bytes = "", encoding: str = "utf-8") -> RunResult:
        raw = typed if isinstance(typed, bytes) else typed.encode()
        capfd.readouterr()
        with monkeypatch.context() as patch:
            patch.setattr(progress, "LOG_DELAY", 3600.0)  # of a slow machine does not matter
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding=encoding))
            if encoding != "utf-8":
                for number, name in enumerate(("stdout", "stderr"), 1):
                    stream = io.FileIO(number, "w", closefd=False)
                    patch.setattr(sys, name, io.TextIOWrapper(stream, encoding))
            with pytest.raises(SystemExit) as finished:
                main(list(arguments))
            sys.stdout.flush()
            sys.stderr.flush()
        out, err = capfd.readouterr()
        assert isinstance(finished.value.code, int)
        return RunResult(finished.value.code, out, err.replace(COMPILING, ""))

    return runner


@pytest.fixture
def bot(tmp_path: Path) -> Bot:
    """Write a file with an agent and return its spec: a function `agent` of a position with this
    body, or with bodies of other methods a class `Mine`, whose arguments there are `asked`.
    """

    def write(body: str, **methods: str) -> str:
        file = tmp_path / "bot.py"
        code = f"def agent(position):\n    {body}\n"
        if methods:
            code = "from claimeven.agents import Agent, Decision\nclass Mine(Agent):\n"
            code += f"    def choose(self, position, limit, rng):\n        {body}\n"
            for name, lines in methods.items():
                code += f"    def {name}(self, *asked):\n        {lines}\n"
        file.write_text(code, encoding="utf-8")
        return f"{file}:{'Mine' if methods else 'agent'}"

    return write


@pytest.fixture(scope="session")
def small_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of the first three plies of 4x4 connect 3."""
    path = tmp_path_factory.mktemp("books") / "small.book"
    build_book(path, Geometry(4, 4, 3), 3, table_mb=1)
    return path


def bad_input(result: RunResult) -> str:
    """Check that a run ended as bad input does, and return its one sentence."""
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("claimeven: ")
    assert result.err.count("\n") == 1
    assert result.err.endswith("\n")
    assert "Traceback" not in result.err
    return result.err.removeprefix("claimeven: ").rstrip()


def started(*arguments: str) -> subprocess.Popen[str]:
    """Launch the program with pipes to talk to it, at the head of a group of processes."""
    return forks.program(
        command(*arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment(),
        start_new_session=True,
    )


def interrupted(
    *arguments: str, when: Callable[[], object], by: signal.Signals = signal.SIGINT
) -> RunResult:
    """Run the program and send Ctrl-C once `when()` says so, as a terminal does: to its group."""
    deadline = time.monotonic() + PATIENCE
    with started(*arguments) as program:
        try:
            while not when():
                assert program.poll() is None, program.communicate()
                assert time.monotonic() < deadline
                time.sleep(0.01)
            os.killpg(program.pid, by)
            out, err = program.communicate(timeout=PATIENCE)
        finally:
            program.kill()
    return RunResult(program.returncode, out, err.replace(COMPILING, ""))


@pytest.fixture
def process() -> Run:
    """Run the command line in a separate process."""

    def runner(*arguments: str, typed: str | bytes = "", **variables: str) -> RunResult:
        finished = forks.run_program(
            command(*arguments),
            input=typed if isinstance(typed, bytes) else typed.encode(),
            capture_output=True,
            env=environment(**variables),
            timeout=300,
        )
        out, err = finished.stdout.decode(), finished.stderr.decode()
        return RunResult(finished.returncode, out, err.replace(COMPILING, ""))

    return runner
