"""How many cores there are for us, and work that steps back behind all other."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from claimeven.parallel import executors
from claimeven.parallel.executors import cgroup_cores
from tests import forks

if not hasattr(os, "sched_getaffinity"):
    pytest.skip("the system does not report the cores of a process", allow_module_level=True)


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
def test_cores_of_a_container(tmp_path: Path, files: dict[str, str], share: float) -> None:
    (tmp_path / "cpu").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert cgroup_cores(tmp_path) == share


def test_a_container_gets_a_job_for_each_of_its_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "_GROUPS", tmp_path)
    assert executors.usable_cores() == len(os.sched_getaffinity(0))
    (tmp_path / "cpu.max").write_text("40000 100000\n")
    assert executors.usable_cores() == 1


#: The niceness before and after: of its session (which has no niceness if no process has
#: started one since the machine started), itself, and its session again. For a user other than
#: root the system answers "try again" if another process has just done the same.
STEPS = """
import os, time
from pathlib import Path
from claimeven.parallel import executors
here = Path("/proc/self/autogroup")
session = lambda: here.read_text().split()[-1:] if here.exists() else []
deadline = time.monotonic() + 60
print(*session())
for _ in range(4):
    executors.lower_priority()
while os.getsid(0) == os.getpid() and session() not in ([], ["19"]):
    assert time.monotonic() < deadline
    time.sleep(0.1)
    executors.lower_priority()
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
        "import os, pathlib; from claimeven.parallel import executors\n"
        f"executors._SESSION = pathlib.Path({str(session)!r})\n"
        "before = os.nice(0); executors.lower_priority(); print(os.nice(0) == min(before + 10, 19))"
    )
    output = subprocess.run(
        [sys.executable, "-c", script], start_new_session=True, env=forks.environment(),
        capture_output=True, text=True, check=True, timeout=300,
    ).stdout.strip()  # fmt: skip
    assert output == "True"
    assert session.read_text() == ""
