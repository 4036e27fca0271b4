"""Ctrl-C, sent as a terminal sends it: to the program and the processes it started."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from claimeven.cli import main as module_of_program
from claimeven.parallel import interrupts
from tests import forks
from tests.cli.conftest import COMPILING, command, environment, interrupted, started
from tests.pressing import pressed_at

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no process groups")

#: Modules whose import is a sign of how far the program is: its first, early ones, late ones.
EARLY = ("claimeven.starting", "click.core", "claimeven.cli.main", "numpy", "numba.core.config")

#: Plays on the left and makes a file of its process at its 600th move, some thirty games later.
AGENT = """
import os
from pathlib import Path
moves = 0
def agent(position):
    global moves
    moves += 1
    if moves == 600:
        Path(__file__).with_name(f"here-{os.getpid()}").touch()
    return position.legal_columns[0]
"""


@pytest.mark.usefixtures("real_starts")
def test_ctrl_c_inside_code_given_as_text_ends_with_its_status(tmp_path: Path) -> None:
    """Named tuples are made so, and many modules make some while they are imported."""
    (tmp_path / "started.py").write_text(
        "from claimeven import __main__\n"
        "from claimeven.cli import main\n"
        "main.cli.main = lambda *given, **named: exec('raise KeyboardInterrupt')\n"
        "__main__.main()\n",
        encoding="utf-8",
    )
    finished = subprocess.run(
        [sys.executable, "-m", "started"],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (finished.returncode, finished.stdout, finished.stderr) == (130, "", "interrupted\n")


@pytest.mark.parametrize(("jobs", "as_json"), [("1", False), ("2", True)])
def test_ctrl_c_in_a_match_prints_the_played_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str, as_json: bool
) -> None:
    if jobs == "2":
        monkeypatch.setenv(forks.REAL, "1")
    file = tmp_path / "mine.py"
    file.write_text(AGENT, encoding="utf-8")
    words = ["match", f"{file}:agent", "random", "--games", "100000", "--jobs", jobs]

    def all_play() -> bool:  # games are reported in order: every process must have played some
        return len(list(tmp_path.glob("here-*"))) == int(jobs)

    finished = interrupted(*words, *["--json"] * as_json, when=all_play)
    assert finished.status == 130
    assert "Traceback" not in finished.err
    last = finished.err.splitlines()[-1]
    assert last.startswith("interrupted after ")
    assert last.endswith(" of 100000 games")
    games = int(last.split()[2])
    assert 0 < games < 100000
    if as_json:
        totals = json.loads(finished.out)
        assert totals["games"] == games == sum(totals["wins"]) + totals["draws"]
        assert totals["games_planned"] == 100000
    else:
        assert finished.out.startswith(f"{games} games on 7x6 connect 4")
        assert "unique games" in finished.out


def test_a_match_that_is_stopped_and_continued_loses_no_game(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(
        "import time\nfrom pathlib import Path\nhere = Path(__file__).with_name('here')\n"
        "def agent(position):\n    if position.ply == 5 and not here.exists():\n"
        "        here.touch()\n        time.sleep(0.5)\n    return position.legal_columns[0]\n",
        encoding="utf-8",
    )
    words = ("match", str(agent), "greedy", "--games", "2", "--seconds", "1.5", "--time-bank", "1")
    with started(*words, "--json") as match:
        deadline = time.monotonic() + 120
        while not (tmp_path / "here").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        match.send_signal(signal.SIGSTOP)  # as Ctrl-Z does
        time.sleep(4)  # more than it has with all that it may be late
        match.send_signal(signal.SIGCONT)
        output = json.loads(match.communicate(timeout=120)[0])
    assert output["forfeits"] == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the system lists all processes")
@pytest.mark.usefixtures("real_starts")
def test_so_does_one_that_stops_with_all_its_processes(tmp_path: Path) -> None:
    agent, mark = tmp_path / "agent.py", f"mark{os.getpid()}"
    agent.write_text(
        "import time\nfrom pathlib import Path\nhere = Path(__file__).with_name('here')\n"
        "def agent(position):\n    if position.ply == 5 and not here.exists():\n"
        "        here.touch()\n        time.sleep(1.5)\n    return position.legal_columns[0]\n",
        encoding="utf-8",
    )
    words = ("match", str(agent), "greedy", "--games", "4", "--seconds", "2", "--jobs", "2")
    with subprocess.Popen(
        command(*words, "--json"), env=environment(MARK=mark), stdout=subprocess.PIPE, text=True
    ) as match:
        deadline = time.monotonic() + 120
        while not (tmp_path / "here").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        all_of_it = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"MARK={mark}".encode() in (folder / "environ").read_bytes():
                    all_of_it.append(int(folder.name))
        assert len(all_of_it) >= 4
        for number in all_of_it:
            os.kill(number, signal.SIGSTOP)
        time.sleep(4)  # more than it has with all that it may be late
        for number in all_of_it:
            os.kill(number, signal.SIGCONT)
        output = json.loads(match.communicate(timeout=120)[0])
    assert output["forfeits"] == 0


def test_ctrl_c_while_an_agent_thinks(tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text(
        "import time\n"
        "from pathlib import Path\n"
        "def agent(position):\n"
        "    Path(__file__).with_name('here').touch()\n"
        "    time.sleep(600)\n",
        encoding="utf-8",
    )
    here = tmp_path / "here"
    finished = interrupted("think", "44", "--agent", str(file), when=here.exists)
    assert (finished.status, finished.out, finished.err.strip()) == (130, "", "interrupted")


@pytest.mark.parametrize("sign", EARLY)
def test_ctrl_c_while_the_program_starts_leaves_no_trace(sign: str) -> None:
    """Python itself prints its imports, which shows the progress of the start."""
    a_long_job = command("solve", "1", "--no-book")
    with subprocess.Popen(
        [sys.executable, "-X", "importtime", *a_long_job[1:]],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    ) as program:  # fmt: skip
        assert program.stderr is not None
        for line in program.stderr:
            if line.rpartition("|")[2].strip() == sign:
                break
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    lines = err.replace(COMPILING, "").split("\n")
    output = [line for line in lines if line and not line.startswith("import time:")]
    assert (out, output) in (("", []), ("", ["interrupted"]))
    assert program.returncode == (130 if output else -signal.SIGINT)


def test_a_second_ctrl_c_has_no_effect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At any step of the program, from the first to the last."""

    def pressed(*given: object, **named: object) -> None:
        signal.raise_signal(signal.SIGINT)

    def run() -> None:
        module_of_program.main(on_interrupt=signal.default_int_handler)

    monkeypatch.setattr(module_of_program.cli, "main", pressed)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # to be in force again at the end
    try:
        for step in itertools.count(1):
            finished = pressed_at(step, run, module_of_program, interrupts)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            assert isinstance(finished.raised, SystemExit), step
            assert finished.raised.code == 130
            assert capsys.readouterr().err == "interrupted\n", step
            if finished.is_past_the_end:
                break
    finally:
        signal.signal(signal.SIGINT, before)
    assert step > 100
