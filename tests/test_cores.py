"""Two processes that take turns share a core, and only as long as they do."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from claimeven import Agent, Decision, Limit, Position, cores
from claimeven.agents import AgentFault, ProcessAgent
from claimeven.arena import play_game, play_tournament
from claimeven.cores import SharedCore, given, staying
from claimeven.processes import Child
from tests import forks

if not hasattr(os, "sched_getaffinity"):
    pytest.skip("the system does not tell the cores of a process", allow_module_level=True)
if len(os.sched_getaffinity(0)) == 1:
    pytest.skip("there is one core", allow_module_level=True)


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize(
    ("files", "share"),
    [
        ({"cpu.max": "200000 100000\n"}, 2),
        ({"cpu.max": "50000 100000\n"}, 0.5),
        ({"cpu.max": "max 100000\n"}, math.inf),
        ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, math.inf),
        ({"cpu/cpu.cfs_quota_us": "300000\n"}, math.inf),
        ({"cpu.max": "\n"}, math.inf),
        ({}, math.inf),
    ],
)
def test_what_a_container_is_given_of_the_cores(
    tmp_path: Path, files: dict[str, str], share: float
) -> None:
    (tmp_path / "cpu").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert given(tmp_path) == share


def test_as_many_jobs_as_a_container_is_given_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "_GROUPS", tmp_path)
    assert cores.usable_cores() == len(os.sched_getaffinity(0))
    (tmp_path / "cpu.max").write_text("40000 100000\n")
    assert cores.usable_cores() == 1


#: What a process steps back from and to: its session (which has no niceness where nobody has begun
#: one since the machine started), itself, and its session again. Whoever is not root is told to try
#: again where somebody on the machine has just done the same.
STEPS = """
import os, time
from pathlib import Path
from claimeven import cores
here = Path("/proc/self/autogroup")
session = lambda: here.read_text().split()[-1:] if here.exists() else []
deadline = time.monotonic() + 60
print(*session())
for _ in range(4):
    cores.step_back()
while os.getsid(0) == os.getpid() and session() not in ([], ["19"]):
    assert time.monotonic() < deadline
    time.sleep(0.1)
    cores.step_back()
print(os.nice(0), *session())
"""


@pytest.mark.parametrize("is_leader", [False, True])
def test_work_steps_back_as_far_as_it_can_and_only_its_own_session_with_it(is_leader: bool) -> None:
    before, after = subprocess.run(
        [sys.executable, "-c", STEPS], start_new_session=is_leader, env=forks.environment(),
        capture_output=True, text=True, check=True, timeout=300,
    ).stdout.splitlines()  # fmt: skip
    assert after.split() == ["19", *(["19"] * len(before.split()) if is_leader else before.split())]


def test_a_session_without_a_niceness_is_left_as_it_is(tmp_path: Path) -> None:
    (session := tmp_path / "autogroup").write_text("")
    script = (
        "import os, pathlib; from claimeven import cores\n"
        f"cores._SESSION = pathlib.Path({str(session)!r})\n"
        "before = os.nice(0); cores.step_back(); print(os.nice(0) == min(before + 10, 19))"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], start_new_session=True, env=forks.environment(),
        capture_output=True, text=True, check=True, timeout=300,
    ).stdout.strip()  # fmt: skip
    assert told == "True"
    assert session.read_text() == ""


def test_a_core_is_shared_and_given_back(sleeper: subprocess.Popen[bytes]) -> None:
    before = os.sched_getaffinity(0)
    core = SharedCore(sleeper.pid)
    assert core.share()
    here = os.sched_getaffinity(0)
    assert len(here) == 1
    assert os.sched_getaffinity(sleeper.pid) == here
    assert not core.share()
    core.release()
    assert os.sched_getaffinity(0) == before
    assert os.sched_getaffinity(sleeper.pid) == here
    core.part()
    assert os.sched_getaffinity(sleeper.pid) == before


def test_a_process_that_has_ended_is_no_error(sleeper: subprocess.Popen[bytes]) -> None:
    before = os.sched_getaffinity(0)
    core = SharedCore(sleeper.pid)
    core.share()
    sleeper.kill()
    sleeper.wait()
    core.release()
    core.part()
    core = SharedCore(sleeper.pid)
    for is_first in (True, False):
        assert core.share() == is_first  # not tried again
        assert os.sched_getaffinity(0) == before
    core.release()
    assert os.sched_getaffinity(0) == before


def test_a_child_is_held_again_wherever_its_parent_is_by_then(
    sleeper: subprocess.Popen[bytes],
) -> None:
    before = os.sched_getaffinity(0)
    core = SharedCore(sleeper.pid)
    for end in (core.release, core.part):
        for here in sorted([*before][:2] * 3):
            os.sched_setaffinity(0, {here})  # most often it is still there a moment later
            os.sched_setaffinity(0, before)
            core.share()
            assert os.sched_getaffinity(sleeper.pid) == os.sched_getaffinity(0) != before
            end()
            assert os.sched_getaffinity(0) == before
    assert os.sched_getaffinity(sleeper.pid) == before


def test_who_has_one_core_anyway_shares_none(sleeper: subprocess.Popen[bytes]) -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        core = SharedCore(sleeper.pid)
        assert not core.share()
        core.release()
        core.part()
        assert os.sched_getaffinity(0) == {min(before)}
    finally:
        os.sched_setaffinity(0, before)
    assert os.sched_getaffinity(sleeper.pid) == before


def test_only_the_thread_that_asks_is_held(sleeper: subprocess.Popen[bytes]) -> None:
    before = os.sched_getaffinity(0)
    held: list[set[int]] = []

    def ask() -> None:
        core = SharedCore(sleeper.pid)
        core.share()
        held.extend([os.sched_getaffinity(0), os.sched_getaffinity(os.getpid())])
        core.release()

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert (len(held[0]), held[1]) == (1, before)


def test_one_that_stays_is_held_until_the_end(sleeper: subprocess.Popen[bytes]) -> None:
    before = os.sched_getaffinity(0)
    core = SharedCore(sleeper.pid)
    with staying():
        core.share()
        here = os.sched_getaffinity(0)
        core.release()
        assert os.sched_getaffinity(0) == here
        with staying():
            core.share()
        assert os.sched_getaffinity(0) == here
        other = SharedCore(sleeper.pid)
        other.share()
        assert os.sched_getaffinity(sleeper.pid) == here
        # What is started meanwhile may go anywhere.
        child = Child("claimeven.arena.executors.worker")
        assert os.sched_getaffinity(child.process) == before
        child.kill()
        core.share()
        other.part()
        assert os.sched_getaffinity(0) == os.sched_getaffinity(sleeper.pid) == before
        core.share()
    assert len(here) == 1
    assert os.sched_getaffinity(0) == before


def test_agents_of_this_process_have_all_cores_beside_one_that_shares(tmp_path: Path) -> None:
    before = os.sched_getaffinity(0)
    file = tmp_path / "first.py"
    file.write_text("def agent(position):\n    return position.legal_columns[0]\n", "utf-8")
    there = [ProcessAgent(f"{file}:agent", (str(file), "agent")) for _ in range(2)]
    seen = []

    class Looks(Agent):
        def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
            seen.append(os.sched_getaffinity(0))
            return Decision(position.legal_columns[-1])

    rngs = np.random.default_rng(0), np.random.default_rng(1)
    for seats in ((there[0], Looks()), there, (Looks(), there[1])):
        game = play_game(seats, Position(), Limit(), rngs)
        assert game.forfeit is None
        assert os.sched_getaffinity(0) == before
    watched = []
    play_game(there, Position(), Limit(), rngs, lambda *_: watched.append(os.sched_getaffinity(0)))
    assert all(cores == before for cores in seen + watched)
    assert len(seen) > 6 < len(watched)
    for agent in there:
        agent.close()


def test_whoever_stays_goes_after_each_turn_within_a_time_where_it_is_not_alone(
    sleeper: subprocess.Popen[bytes],
) -> None:
    before = os.sched_getaffinity(0)
    core = SharedCore(sleeper.pid)
    with staying():
        core.share()
        with staying(False):
            assert os.sched_getaffinity(0) == before
            core.share()
            assert len(os.sched_getaffinity(0)) == 1
            core.release()
            assert os.sched_getaffinity(0) == before
        core.share()
        core.release()
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


def test_in_a_tournament_agents_of_this_process_and_who_watches_have_all_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claimeven.arena.store.storing._TICK", 0.0)  # it is told after each game
    before = os.sched_getaffinity(0)
    file = tmp_path / "first.py"
    text = "def one(position):\n    return position.legal_columns[0]\ndef other(position):\n"
    file.write_text(f"{text}    return position.legal_columns[-1]\n", "utf-8")
    seen, watched = [], []

    class Looks(Agent):
        def reset(self) -> None:
            seen.append(os.sched_getaffinity(0))

        def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
            seen.append(os.sched_getaffinity(0))
            return Decision(position.legal_columns[-1])

    play_tournament(
        [f"{file}:one", f"{file}:other", Looks()],
        rounds=2,
        watch=lambda done: watched.append(os.sched_getaffinity(0)),
    )
    assert len(watched) == 12
    assert len(seen) > 16
    assert all(cores == before for cores in seen + watched)
    assert os.sched_getaffinity(0) == before


def test_two_that_share_a_core_part_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claimeven.processes._TOGETHER", 0.0)
    cores = len(os.sched_getaffinity(0))
    file = tmp_path / "tells.py"
    told = "import os\ndef agent(position):\n    return min(len(os.sched_getaffinity(0)), 7) - 1\n"
    file.write_text(told, encoding="utf-8")
    agent = ProcessAgent(f"{file}:agent", (str(file), "agent"))
    rng = np.random.default_rng(0)
    columns = {agent.choose(Position(), Limit(), rng).column for _ in range(8)}
    assert columns == {min(cores, 7) - 1}
    agent.close()


AGENT = """
import os, threading, time
calls = []
def agent(position):
    calls.append(0)
    if len(calls) == 7:
        threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
        time.sleep(0.3)
    if len(calls) == 14:
        os._exit(3)
    return min(len(os.sched_getaffinity(0)), 7) - 1
"""


def test_an_agent_that_takes_its_time_has_all_cores(tmp_path: Path) -> None:
    cores = min(len(os.sched_getaffinity(0)), 7) - 1
    file = tmp_path / "tells.py"
    file.write_text(AGENT, encoding="utf-8")
    agent = ProcessAgent(f"{file}:agent", (str(file), "agent"))
    agent.reset()
    rng = np.random.default_rng(0)
    told = [agent.choose(Position(), Limit(), rng).column for _ in range(8)]
    # The first moves are made on all cores, whatever else the machine is doing, and so is the one
    # after a slow one; what the slow one has started is held nowhere.
    assert told[:3] == [cores] * 3
    assert told[7] == cores
    assert set(told) <= {0, cores}
    process = agent.process
    assert process is not None
    threads = [int(thread.name) for thread in Path(f"/proc/{process}/task").iterdir()]
    assert len(threads) > 1
    assert {len(os.sched_getaffinity(thread)) for thread in threads} == {
        len(os.sched_getaffinity(0))
    }
    # One that ends in the midst of a move leaves us where we were.
    before = os.sched_getaffinity(0)
    with pytest.raises(AgentFault, match="exit status 3"):
        for _ in range(6):
            agent.choose(Position(), Limit(), rng)
    assert os.sched_getaffinity(0) == before
    agent.close()
