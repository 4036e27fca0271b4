"""The measurements of studies that are no matches."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from claimeven.agents.contract import Limit
from claimeven.agents.registry import make_agents
from claimeven.arena.studies.study import Findings, Found
from claimeven.evaluation.counting import COUNTERS
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.minimax.search import MinimaxSearch
from claimeven.solver.solver import Solver

#: Seconds that each way to count is timed for, and into how many runs they are divided.
_COUNTING, _RUNS = 0.2, 7


def decision(agent: str, moves: str, seconds: float, geometry: Geometry = STANDARD) -> Findings:
    """Have an agent decide in a position under a limit on the clock: iterations and column.

    Columns count from 1, as in move strings.
    """
    limit = Limit(seconds=seconds)
    (player,) = make_agents([agent], geometry, limit)
    position = Position.from_moves(moves, geometry)
    made = player.choose(position, limit, np.random.default_rng(1))
    return {
        ("iterations", "0"): Found(float(made.iterations or 0)),
        ("column", "0"): Found(float(made.column + 1)),
    }


def counting(moves: str, geometry: Geometry, length: int) -> Findings:
    """Time each way to count the first player's runs on a board: microseconds, best of seven runs.

    The ratio of a way says how many times as fast as the scan it is.
    """
    position = Position.from_moves(moves, geometry)
    discs = position.discs[0]
    found: dict[tuple[str, str], Found] = {}
    answers = set()
    for name, count in COUNTERS.items():
        answers.add(count(discs, geometry, length))
        found["microseconds", name] = Found(
            1e6 * _seconds_of(partial(count, discs, geometry, length))
        )
    assert len(answers) == 1, answers
    scan = found["microseconds", "scan"].value
    for name in COUNTERS:
        found["ratio", name] = Found(scan / found["microseconds", name].value)
    return found


def exact(moves: str, geometry: Geometry = STANDARD, table_mb: float = 128) -> Findings:
    """Solve a position from scratch, without an opening book: its score, and the seconds taken."""
    solver = Solver(geometry, table_mb, book=None)
    solver.load()
    begin = time.perf_counter()
    score = solver.score(Position.from_moves(moves, geometry))
    return {
        ("exact_score", "0"): Found(float(score)),
        ("seconds", "0"): Found(time.perf_counter() - begin),
    }


def evaluations(evaluation: str, depth: int, moves: str = "") -> Findings:
    """Count the evaluations of minimax and of alpha-beta, columns left to right, in a position."""
    found: dict[tuple[str, str], Found] = {}
    answers = set()
    for name in ("minimax", "alphabeta"):
        result = MinimaxSearch(name, evaluation, order="left").search(
            Position.from_moves(moves), depth=depth
        )
        answers.add((result.column, result.value))
        found["evaluations", name] = Found(float(result.counters.evaluations))
    assert len(answers) == 1, answers
    return found


def _seconds_of(work: Callable[[], object]) -> float:
    """Return the seconds of one call, the best of several runs of many calls."""
    begin = time.perf_counter()
    work()
    once = time.perf_counter() - begin
    calls = max(1, int(_COUNTING / _RUNS / max(once, 1e-7)))
    best = float("inf")
    for _ in range(_RUNS):
        begin = time.perf_counter()
        for _ in range(calls):
            work()
        best = min(best, (time.perf_counter() - begin) / calls)
    return best
