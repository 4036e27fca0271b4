"""Hostile agents: for all that one does to its process, its pipes and its terminal, the match
continues, and no trace of it is left.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Limit, Position
from claimeven.agents import InvalidSpec, ProcessAgent, make_agent, make_agents
from claimeven.agents.base import FaultKind
from claimeven.agents.process import agent as module_of_process
from claimeven.arena import play_match
from tests import forks
from tests.forks import command, environment

#: Writes a message, with its length before it, to every file descriptor from the fourth on.
WRITES = """
import contextlib, os, struct
def write(message, length=None):
    length = len(message) if length is None else length
    for number in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(number, struct.pack("<I", length) + message)
"""
ANSWERS_LEFT = "def agent(position):\n    return position.legal_columns[0]\n"

#: Messages that no process of an agent gives by itself.
FORGED: list[Any] = [
    {"value": 5},
    {"value": None},
    {"value": {"limits": 3, "stateful": False}},
    {"value": {"limits": [], "stateful": "yes"}},
    {"value": {"limits": [[]], "stateful": True, "more": 1}},
    {"value": {"decision": [0], "rng": None}},
    {"value": {"decision": [0] * 9, "rng": [-1, 0, 0, 0]}},
    {"value": {"decision": [0.5, *[None] * 5, -1.0, {}, None], "rng": None}},
    {"value": {"decision": [9, *[None] * 5, 0.0, {}, None], "rng": None}},
    {"value": {"decision": [0, *[None] * 5, 0.0, {"line": [9]}, None], "rng": None}},
    {"value": {"decision": [0, *[None] * 5, 0.0, [1], None], "rng": None}},
    {"invalid": "\x1b[2Jgone \x9b31m", "traceback": "\x1b]0;title\x07"},
    {"invalid": 3, "traceback": ""},
    {"fault": "\x1b[2Jgone", "traceback": "\x1b[31m", "kind": "crash"},
    {"fault": "odd", "traceback": "", "kind": "\x1b[31m"},
    {"fault": None},
    {},
    [],
    "\x1b[2J",
    None,
]


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    return forks.run_program(
        command(*words), env=environment(), capture_output=True, text=True, timeout=300
    )


def assert_clean(*texts: str) -> None:
    for text in texts:
        assert "Traceback" not in text
        assert all(c.isprintable() or c in "\n\t" for c in text), text


@pytest.mark.parametrize("message", FORGED, ids=range(len(FORGED)))
def test_a_message_forged_in_a_move_costs_a_game_at_most(tmp_path: Path, message: Any) -> None:
    bot = tmp_path / "bot.py"
    forged = json.dumps(message).encode()
    bot.write_text(f"{WRITES}\ndef agent(position):\n    write({forged!r})\n    return 0\n")
    result = play_match("greedy", f"{bot}:agent", games=2)
    assert len(result.games) == 2
    for faults in result.forfeits:
        assert_clean(*faults)
    assert not result.forfeits[0]


@pytest.mark.parametrize("message", [FORGED[0], FORGED[1], FORGED[2], FORGED[11], FORGED[13]])
def test_a_forged_message_while_loading_gives_no_traceback(tmp_path: Path, message: Any) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(f"{WRITES}\nwrite({json.dumps(message).encode()!r})\n{ANSWERS_LEFT}")
    with pytest.raises(InvalidSpec) as caught:
        make_agent(f"{bot}:agent")
    assert_clean(str(caught.value), caught.value.traceback)


@pytest.mark.parametrize("junk", [b"[" * 100_000, b"\xff" * 8, b"9" * 5000, b'{"value": NaN}', b""])
def test_invalid_messages_are_reported(tmp_path: Path, junk: bytes) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(f"{WRITES}\ndef agent(position):\n    write({junk!r})\n    return 0\n")
    faults = play_match("greedy", f"{bot}:agent", games=1).forfeits[1]
    assert faults == {"wrote to the connection of its process": 1}


def test_a_message_without_end_is_bounded(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(f"{WRITES}\ndef agent(position):\n    write(b'x', 1 << 28)\n    return 0\n")
    faults = play_match("greedy", f"{bot}:agent", games=1).forfeits[1]
    assert faults == {"wrote to the connection of its process": 1}


def test_an_oversized_decision_is_refused_in_a_sentence(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from claimeven import Decision\ndef agent(position):\n"
        "    texts = ['x' * 10_000] * 400\n"
        "    return Decision(0, details={str(n): texts for n in range(5)})\n"
    )
    (fault,) = play_match("greedy", f"{bot}:agent", games=1).forfeits[1]
    assert fault.startswith("answered with 20,0")
    assert fault.endswith(" bytes, more than 16,777,216")


@pytest.mark.parametrize(
    "does", ["os.kill(os.getpid(), signal.SIGSTOP)", "write(b'x', 1 << 20); time.sleep(600)"]
)
def test_an_agent_that_stalls_without_a_limit_is_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str
) -> None:
    monkeypatch.setattr(module_of_process, "PATIENCE", 1.0)
    bot = tmp_path / "bot.py"
    bot.write_text(f"import os, signal, time\n{WRITES}\ndef agent(position):\n    {does}\n")
    begin = time.monotonic()
    result = play_match("greedy", f"{bot}:agent", games=40)
    out = "did not answer within 1 s earlier and is not asked again: limit the seconds"
    assert result.forfeits[1] == {"did not answer within 1 s": 1, out: 39}
    assert {each.forfeit.kind for each in result.games if each.forfeit} == {FaultKind.STALL}
    assert time.monotonic() - begin < 35


def test_under_a_limit_an_agent_that_stalls_may_play_again(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import time\ndef agent(position):\n"
        "    time.sleep(600 if position.ply < 2 else 0)\n    return position.legal_columns[0]\n"
    )
    limit = Limit(seconds=0.1)
    faults = play_match("greedy", f"{bot}:agent", games=3, limit=limit).forfeits[1]
    assert list(faults.values()) == [3]
    assert "is not asked again" not in next(iter(faults))


def marked(mark: str) -> list[int]:
    """Return the processes whose command line holds a mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


#: How an agent starts a process that is to outlive it, which runs `sleep MARK`.
STARTS = {
    "fork": "if os.fork() == 0: os.execvp('sleep', ['sleep', MARK])",
    "session": "subprocess.Popen(['sleep', MARK], start_new_session=True)",
    "twice": "if os.fork() == 0:\n    os.setsid()\n"
    "    if os.fork() == 0: os.execvp('sleep', ['sleep', MARK])\n    os._exit(0)",
    "group": "subprocess.Popen(['sleep', MARK], process_group=0)",
    "many": "for _ in range(15):\n    if os.fork() == 0: os.execvp('sleep', ['sleep', MARK])",
    "stopped": "os.kill(subprocess.Popen(['sleep', MARK], start_new_session=True).pid, 19)",
}


def starter(folder: Path, starts: Iterable[str], move: str = "pass") -> tuple[str, str]:
    """Return the spec of an agent that starts processes as it is loaded, and their mark."""
    folder.mkdir(exist_ok=True)
    bot, mark = folder / "bot.py", f"{600 + os.getpid() % 1000}.{time.time_ns() % 10**9}"
    lines = ("import os, subprocess", f"MARK = {mark!r}", *starts, "def agent(position):")
    bot.write_text("\n".join((*lines, f"    {move}", "    return position.legal_columns[0]")))
    return f"{bot}:agent", mark


@pytest.mark.skipif(sys.platform != "linux", reason="the system lists all processes")
@pytest.mark.parametrize("ends", ["pass", "os._exit(3)"])
def test_all_that_an_agent_starts_ends_with_it(tmp_path: Path, ends: str) -> None:
    spec, mark = starter(tmp_path, STARTS.values(), ends)
    result = play_match("greedy", spec, games=2)
    assert len(result.games) == 2
    assert bool(result.forfeits[1]) == (ends != "pass")
    eventually(lambda: not marked(mark))  # the system lists a killed process for a moment


@pytest.mark.skipif(sys.platform != "linux", reason="the system lists all processes")
@pytest.mark.parametrize(
    ("by", "jobs"), [("SIGKILL", "1"), ("SIGKILL", "2"), ("SIGINT", "2"), ("SIGTERM", "1")]
)
def test_forked_children_end_with_the_program_however_it_ends(
    tmp_path: Path, by: str, jobs: str
) -> None:
    """One agent computes in C, which no thread of it could interrupt, and the other is stopped."""
    waits, mark = starter(tmp_path / "waits", [STARTS["fork"]])
    move = f"{STARTS['fork']}\n    sum(iter(int, 1))"
    computes, busy = starter(tmp_path / "computes", [], move)
    words = ("match", waits, computes, "--games", "4", "--jobs", jobs)
    with forks.program(
        command(*words), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        eventually(lambda: bool(marked(mark) and marked(busy)))
        program.send_signal(signal.Signals[by])
        program.communicate(timeout=120)
    eventually(lambda: not marked(mark) and not marked(busy))


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_agents_cannot_send_commands_to_the_terminal(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import sys\nfrom claimeven import Agent, Decision\n"
        "print('\\x1b[2J', '\\x9b31m', '\\x1b]0;title\\x07', flush=True)\n"
        "class Red(Agent):\n    name = '\\x1b[31mred'\n"
        "    def choose(self, position, limit, rng):\n"
        "        sys.stderr.write('\\x1b[31m' + 'one\\rtwo\\x08')\n"
        "        if position.ply > 3:\n            raise ValueError('\\x1b[2J\\x9b31m')\n"
        "        return Decision(0, details={'\\x1b[31m': '\\x1b[32m'})\n"
    )
    ended = ran("match", f"{bot}:Red", "greedy", "--games", "2", "--verbose")
    assert ended.returncode == 0
    assert "\\x1b[2J" in ended.stderr
    assert_clean(ended.stdout, ended.stderr.replace("Traceback", ""))
    thought = ran("think", "44", "--agent", f"{bot}:Red")
    assert_clean(thought.stdout, thought.stderr)


def test_an_agent_does_not_think_in_the_time_of_its_opponent(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import threading\ncount = [0]\n"
        "def think():\n    while True:\n        count[0] += 1\n"
        "threading.Thread(target=think, daemon=True).start()\n"
        "def agent(position):\n    print(count[0], flush=True)\n    return 0\n"
    )
    agent = make_agent(f"{bot}:agent")
    assert isinstance(agent, ProcessAgent)
    agent.reset()
    agent.choose(Position(), Limit(), np.random.default_rng(0))
    state = Path(f"/proc/{agent.process}/stat")
    if state.exists():
        eventually(lambda: state.read_text().rpartition(")")[2].split()[0] == "T")
    agent.choose(Position(), Limit(), np.random.default_rng(0))
    agent.close()


TWO_PROCESSES = """
import os, sys
import numpy as np
from claimeven import Limit, Position
from claimeven.agents import make_agent
agent = make_agent(sys.argv[1])
agent.reset()
rng = np.random.default_rng(0)
agent.choose(Position(), Limit(), rng)
child = os.fork()
columns = {0: "1", 1: "2"}[int(child == 0)]
for _ in range(40):
    position = Position.from_moves(columns)
    assert agent.choose(position, Limit(), rng).column == int(columns) - 1
if child == 0:
    agent.close()
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
for _ in range(5):
    assert agent.choose(Position.from_moves("1"), Limit(), rng).column == 0
agent.close()
"""


def test_after_a_fork_each_process_has_its_answers(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def agent(board):\n    return board.heights.index(max(board.heights))\n")
    ended = forks.run_program(
        [sys.executable, "-c", TWO_PROCESSES, f"{bot}:agent"],
        env=forks.environment(), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")


def test_many_agents_play_though_few_files_may_be_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claimeven.agents.registry.MAX_PROCESSES", 2)
    bots = []
    for number in range(4):
        bots.append(tmp_path / f"bot{number}.py")
        bots[-1].write_text(ANSWERS_LEFT)
    agents = make_agents([f"{bot}:agent" for bot in bots], Position().geometry)
    alive = [isinstance(agent, ProcessAgent) and agent.process is not None for agent in agents]
    assert alive == [True] * 2 + [False] * 2
    rng = np.random.default_rng(0)
    for agent in agents:
        agent.reset()
        assert agent.choose(Position(), Limit(), rng).column == 0
        agent.close()


def test_where_too_few_files_may_be_open_the_limit_and_the_remedy_are_named(
    tmp_path: Path,
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(ANSWERS_LEFT)
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (11, 11));"
        "from claimeven.__main__ import main; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, "match", *[f"{bot}:agent"] * 2, "--games", "1"],
        env=environment(), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert "open files (ulimit -n); raise the limit with ulimit -n 1024" in ended.stderr
    assert ended.stderr.count("\n") == 1
