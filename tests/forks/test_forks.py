"""A launch equals a start of Python: each test compares the two."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import forks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="all processes are started there")

PATIENCE = 120

Start = Callable[..., subprocess.Popen[Any]]


@pytest.fixture(params=["launched", "started"])
def start(request: pytest.FixtureRequest) -> Start:
    """Launch code with arguments, or start Python with it: what follows holds for both."""

    def begin(code: str, *arguments: str, **options: Any) -> subprocess.Popen[Any]:
        words = [sys.executable, "-c", code, *arguments]
        options = {"env": forks.environment(), "text": True, "stdout": subprocess.PIPE, **options}
        if request.param == "started":
            return subprocess.Popen(words, **options)
        program = forks.program(words, **options)
        assert program.is_fork
        return program

    return begin


def ended(program: subprocess.Popen[Any], typed: str | None = None) -> tuple[int, str]:
    out, _ = program.communicate(typed, PATIENCE)
    return program.returncode, out


@pytest.mark.parametrize(
    ("code", "status", "out"),
    [
        ("print('d')", 0, "d\n"),
        ("import sys; print('d', end=''); sys.exit(3)", 3, "d"),
        ("import sys; sys.exit('no')", 1, ""),
        ("1 / 0", 1, ""),
        ("import os; os._exit(5)", 5, ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9, ""),
        ("raise KeyboardInterrupt", -2, ""),
        ("import atexit; atexit.register(print, 'last')", 0, "last\n"),
        ("import os; os.close(1); print('d')", 120, ""),
        ("import threading as t, time; t.Timer(0.1, print, 'd').start()", 0, "d\n"),
    ],
)
def test_it_ends_so(start: Start, code: str, status: int, out: str) -> None:
    assert ended(start(code, stderr=subprocess.DEVNULL)) == (status, out)


def test_a_launch_gets_arguments_folder_and_variables(start: Start, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("name = 'beside'", encoding="utf-8")
    code = (
        "import os, sys; from beside import name; print(ascii([name, sys.argv, os.getcwd(),"
        " __name__, sorted(os.environ), os.getenv('ODD'), sys.path]))"
    )
    variables = forks.environment(ODD="\udcff☃")
    program = start(code, "one", "\udcfe", cwd=tmp_path, env=variables)
    status, out = ended(program)
    assert status == 0
    name, words, folder, main, names, odd, path = ast.literal_eval(out)
    assert (name, words, folder, main) == (
        "beside",
        ["-c", "one", "\udcfe"],
        str(tmp_path),
        "__main__",
    )
    assert (set(names) - {"LC_CTYPE"}, odd) == (set(variables) - {"LC_CTYPE"}, variables["ODD"])
    assert (path[0], path[1]) == ("", str(forks.SOURCES))
    assert str(forks.SOURCES.parent) not in path  # the folder of the template


WAITING = "import sys, time; print('here', flush=True); time.sleep(600)"


def test_a_signal_ends_it(start: Start, number: signal.Signals = signal.SIGINT) -> None:
    with start(WAITING, stderr=subprocess.DEVNULL) as program:
        assert program.stdout is not None
        program.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            program.wait(0.01)
        assert program.poll() is None
        program.send_signal(number)
        assert program.wait(PATIENCE) == -number


def test_each_launch_draws_other_random_numbers(start: Start) -> None:
    code = "import numpy, random; print(random.random(), numpy.random.random())"
    one, two = (ended(start(code))[1].split() for _ in range(2))
    assert not set(one) & set(two)


def test_python_is_started_where_a_fork_would_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    code = [sys.executable, "-c", WAITING]
    for words, variables in (
        (code, forks.environment(PYTHONUTF8="1")),
        ([sys.executable, "-X", "utf8", *code[1:]], forks.environment()),
        (["sleep", "600"], forks.environment()),
    ):
        with forks.program(words, env=variables, stdout=subprocess.PIPE) as program:
            assert not program.is_fork
            program.kill()
    monkeypatch.setenv(forks.REAL, "1")
    with forks.program(code, env=forks.environment(), stdout=subprocess.PIPE) as program:
        assert not program.is_fork
        program.kill()


LAUNCHING = """
import os, sys, time
from claimeven.parallel.process import Child
child = Child("claimeven.web.tasks")
deadline = time.monotonic() + 60
while not (command := open(f"/proc/{child.process}/cmdline").read()):
    assert time.monotonic() < deadline  # it has begun; Linux puts its words there a moment later
is_started = "from claimeven.web.tasks import main;" in command
print(os.getpid(), os.getppid() == int(sys.argv[-1]), is_started, child.process, flush=True)
sys.stdin.read()
"""


def test_a_launch_has_its_workers_forked_and_all_end_with_it() -> None:
    options: dict[str, Any] = {"env": forks.environment(), "text": True}
    options |= {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    for more, is_started in ((["--jobs"], False), ([], True)):
        words = [sys.executable, "-c", LAUNCHING, *more, str(os.getpid())]
        with forks.program(words, **options) as launched:
            assert launched.is_fork
            assert launched.stdout is not None
            own, parent, *output = launched.stdout.readline().split()
            assert (int(own), parent, output[0]) == (launched.pid, "True", str(is_started))
            assert forks.children_of(launched.pid) == [int(output[1])]
            every = Path(f"/proc/{own}/task/{own}/children").read_text().split()
            assert len(every) == 1 + (not is_started)
            launched.kill()
        deadline = time.monotonic() + PATIENCE
        while any(Path(f"/proc/{number}/cmdline").exists() for number in every):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_template_ends_with_its_starter() -> None:
    code = (
        "import subprocess, sys, time; from tests import forks\n"
        "words = [sys.executable, '-c', 'print(7)']\n"
        "forks.program(words, env=forks.environment()).wait()\n"
        "print(forks.PROGRAM.process.pid, flush=True); time.sleep(600)"
    )
    root = str(forks.SOURCES.parent)
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=root, env=forks.environment(), stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"7\n"
        template = int(program.stdout.readline())
        assert len(list(Path(f"/proc/{template}/task").iterdir())) == 1  # forks have one thread
        program.kill()
    words, deadline = Path(f"/proc/{template}/cmdline"), time.monotonic() + PATIENCE
    while words.exists() and words.read_bytes():  # empty for a zombie
        assert time.monotonic() < deadline
        time.sleep(0.01)
