"""Limits hold: what is spent beyond one, by a process that has only just begun."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from claimeven.agents import AGENTS, GRACE

SOURCES = Path(__file__).parents[2] / "src"
SECONDS = 0.1
#: The machine may be busy with other things.
SLACK = 2.0

#: Prints how long the first decisions of an agent take, made and loaded before.
SCRIPT = """
import json, sys, time
import numpy as np
from claimeven.agents import Limit, make_agents
from claimeven.game import Geometry, Position
limit, position = Limit(seconds={seconds}), Position.from_moves("12")
agents = make_agents(sys.argv[1:], Geometry(), limit)
spent = {{}}
for agent in agents:
    agent.reset()
    begin = time.perf_counter()
    decision = agent.choose(position, limit, np.random.default_rng(0))
    spent[agent.name] = time.perf_counter() - begin
    assert decision.column in position.legal_columns
print(json.dumps(spent))
"""


def test_no_agent_spends_much_more_than_its_limit() -> None:
    names = [name for name in AGENTS if name != "human"]
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(seconds=SECONDS), *names],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    spent = json.loads(ran.stdout)
    assert set(spent) == set(names)
    late = {name: seconds for name, seconds in spent.items() if seconds > SECONDS + GRACE + SLACK}
    assert not late
