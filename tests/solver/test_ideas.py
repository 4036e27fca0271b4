"""The search stays right without any one of its ideas, and each idea does something."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench.ideas import IDEAS
from bench.sets import OWN_POSITIONS

ROOT = Path(__file__).parents[2]

#: Solves the 4x4 board and the positions of the standard board that are named, without each idea in
#: turn; as plain Python, without compilation.
SCRIPT = """
import json, sys
from contextlib import nullcontext
import numpy as np
from bench import ideas
from claimeven import Geometry, Position
from claimeven.solver import ExactSearch

answers = {}
positions = [Position.from_moves(moves) for moves in sys.argv[1:]]
for name in ["all", *ideas.IDEAS]:
    with nullcontext() if name == "all" else ideas.switched_off(name), np.errstate(over="ignore"):
        small, search = ExactSearch(Geometry(4, 4), table_mb=1), ExactSearch(Geometry(), table_mb=1)
        scores = [small.score(0, 0), *(search.score(each.mine, each.mask) for each in positions)]
        answers[name] = scores, small.nodes + search.nodes
print(json.dumps(answers))
"""


def test_scores_are_right_without_any_one_idea_and_each_changes_the_nodes() -> None:
    text = (OWN_POSITIONS / "middle-easy.txt").read_text()
    lines = [line.split() for line in text.splitlines()[:5]]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *(moves for moves, _ in lines)],
        cwd=ROOT,
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    assert list(answers) == ["all", *IDEAS]
    for name, (scores, _) in answers.items():
        assert scores == [0, *(int(score) for _, score in lines)], name
    same = {name for name, (_, nodes) in answers.items() if nodes == answers["all"][1]}
    assert same == {"all", "prefetch"}, {name: nodes for name, (_, nodes) in answers.items()}


def test_an_idea_that_is_not_there_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.solver", "--without", "magic"], cwd=ROOT, check=False
    )
    assert done.returncode == 2
    assert "magic" in capfd.readouterr().err
