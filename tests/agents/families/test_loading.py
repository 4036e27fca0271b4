"""Agents load all their kernels before the first decision, on boards of either width."""

from __future__ import annotations

import subprocess
import sys

import pytest

from claimeven.compiled.decorators import PLAIN

_GAMES = """
import numpy as np
from claimeven import Geometry, Limit, Position, make_agent
from claimeven.compiled import Kernel

def fail(kernel, safe_moment):
    raise AssertionError(f"{kernel.py_func.__qualname__} is loaded within a decision")

load = Kernel._load
for geometry in (Geometry(9, 7), Geometry()):
    for spec in (
        "alphabeta:depth=2", "negamax:depth=2", "uct:iterations=60", "flat:iterations=80",
        "uct:iterations=60,transpositions=equal", "breadth:iterations=40", "uct-polito",
        "uct:iterations=30,playout=alphabeta2", "perfect:table_mb=1",
    ):
        agent, rng = make_agent(spec, geometry), np.random.default_rng(4)
        Kernel._load = fail
        position = Position.from_moves("4455", geometry)
        while spec.startswith("perfect") and geometry.cells - position.ply > 14:
            moves = [position.play(column) for column in position.legal_columns]
            position = next(each for each in rng.permutation(moves) if not each.is_over)
        for _ in range(2):
            position = position.play(agent.choose(position, Limit(), rng).column)
            position = position if position.is_over else position.play(position.legal_columns[0])
            if position.is_over:
                break
        Kernel._load = load
"""


@pytest.mark.skipif(PLAIN, reason="no kernels")
def test_no_kernel_is_loaded_within_a_decision() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _GAMES], check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
