"""Ctrl-C, sent as a terminal sends it: to the program and the processes it started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import COMPILING, command, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no process groups")

#: Modules whose import is a sign of how far the program is: its first, early ones, late ones.
EARLY = ("click.core", "claimeven.cli.main", "numpy", "numba.core.config")

#: Plays on the left and makes the file `here` at its 600th move, some thirty games later.
AGENT = """
from pathlib import Path
moves = 0
def agent(position):
    global moves
    moves += 1
    if moves == 600:
        Path(__file__).with_name("here").touch()
    return position.legal_columns[0]
"""


def interrupted(words: list[str], sign: Path) -> subprocess.CompletedProcess[str]:
    """Start the program, wait for the sign that it is in full swing, send Ctrl-C."""
    with subprocess.Popen(
        command(*words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment(),
        start_new_session=True,
    ) as program:
        while not sign.exists() and program.poll() is None:
            time.sleep(0.01)
        os.killpg(program.pid, signal.SIGINT)
        out, err = program.communicate(timeout=120)
    return subprocess.CompletedProcess(words, program.returncode, out, err)


@pytest.mark.parametrize(("jobs", "as_json"), [("1", False), ("2", True)])
def test_ctrl_c_in_a_match_prints_what_was_played(tmp_path: Path, jobs: str, as_json: bool) -> None:
    file = tmp_path / "mine.py"
    file.write_text(AGENT, encoding="utf-8")
    words = ["match", f"{file}:agent", "random", "--games", "100000", "--jobs", jobs]
    ended = interrupted(words + ["--json"] * as_json, tmp_path / "here")
    assert ended.returncode == 130
    assert "Traceback" not in ended.stderr
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("interrupted after ")
    assert last.endswith(" of 100000 games")
    games = int(last.split()[2])
    assert 0 < games < 100000
    if as_json:
        totals = json.loads(ended.stdout)
        assert totals["games"] == games == sum(totals["wins"]) + totals["draws"]
        assert totals["games_planned"] == 100000
    else:
        assert ended.stdout.startswith(f"{games} games on 7x6 connect 4")
        assert "unique games" in ended.stdout


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
    ended = interrupted(["think", "44", "--agent", str(file)], tmp_path / "here")
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr.strip() == "interrupted"


@pytest.mark.parametrize("sign", EARLY)
def test_ctrl_c_while_the_program_starts_leaves_no_trace(sign: str) -> None:
    """Python itself tells what is imported, which shows how far the program has come."""
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
    told = [line for line in lines if line and not line.startswith("import time:")]
    assert (out, told) in (("", []), ("", ["interrupted"]))
    assert program.returncode == (130 if told else -signal.SIGINT)
