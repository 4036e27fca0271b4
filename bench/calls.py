"""The time of one call of the solver, of `bitbully` and of agents: `python -m bench.calls`.

    python -m bench.calls                   the positions of bench/positions/end-easy.txt
    python -m bench.calls --positions FILE  other positions near their end, lines "moves score"
    python -m bench.calls --first           the parts of the first call of a process
    python -m bench.calls --alone           without the peer

The searches take a small part of these times. The script asserts every score, also of `bitbully`
(extra `bench`; skipped with a message if not installed). Each run makes new `Position` objects,
because a position remembers whether its game is over, and boards of `bitbully` before the clock
starts. Times are CPU times of one thread; the fastest of several runs counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.sets import OWN_POSITIONS
from bench.solver import is_without_peer
from bench.timing import machine
from claimeven import Position, make_agent
from claimeven.agents.base import Limit
from claimeven.game.geometry import Geometry
from claimeven.solver import Solver

RUNS = 15
#: Agents whose decisions near the end of a game take little search.
AGENTS = ("random", "greedy", "perfect", "alphabeta:depth=2", "uct:iterations=10")
AGENT_POSITIONS = 200

#: Prints the milliseconds of each part of the first call of a process.
FIRST = """
import json, time
import numpy
parts, start = {}, time.perf_counter()
def part(name):
    global start
    parts[name] = 1000 * (time.perf_counter() - start)
    start = time.perf_counter()
from claimeven import Position
from claimeven.solver import Solver
part("import claimeven.solver")
position = Position.from_moves("624127753272672516254677565461")
solver = Solver(book=None)
part("make a Solver without a book")
import claimeven.compiled.compiler
part("import Numba")
solver.load()
part("load the kernels from the cache")
assert solver.score(position) == 6
part("first score")
assert max(score for score in solver.scores(position) if score is not None) == 6
part("first scores")
assert solver.score(position) == 6
part("second score")
print(json.dumps(parts))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("--positions", type=Path, default=OWN_POSITIONS / "end-easy.txt")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--alone", action="store_true")
    options = parser.parse_args()
    print(machine())
    if options.first:
        first_call()
        return
    lines = [line.split() for line in options.positions.read_text().splitlines() if line.strip()]
    moves, expected = [line[0] for line in lines], [int(line[1]) for line in lines]
    solver_calls([Position.from_moves(each) for each in moves], expected)
    if not options.alone and not is_without_peer():
        peer_calls(moves, expected)
    decisions([Position.from_moves(each) for each in moves[:AGENT_POSITIONS]])


def timed(
    name: str, call: Callable[[Any], Any], new: Callable[[], Sequence[Any]], count: int = 1
) -> list[Any]:
    """Print the time of a call, of the fastest run; return the results of the last run.

    `new` makes the arguments of a run, one for each call. A call may be for `count` positions.
    """
    best = float("inf")
    for _ in range(RUNS):
        arguments = new()
        start = time.thread_time()
        results = [call(each) for each in arguments]
        best = min(best, (time.thread_time() - start) / len(arguments) / count)
    print(f"{name:36s} {1e6 * best:9.2f} µs", flush=True)
    return results


def solver_calls(positions: Sequence[Position], expected: Sequence[int]) -> None:
    solver, plain = Solver(), Solver(book=None)
    solver.load()
    rows = [plain.scores(position) for position in positions]
    best = [
        tuple(c for c in position.geometry.center_order if row[c] == score)
        for position, row, score in zip(positions, rows, expected, strict=True)
    ]

    def new() -> list[Position]:
        return [Position.unchecked(each.geometry, each.mine, each.mask) for each in positions]

    assert timed("score", solver.score, new) == list(expected)
    assert timed("outcome", solver.outcome, new) == np.sign(expected).tolist()
    assert timed("scores", solver.scores, new) == rows
    assert timed("best", solver.best, new) == list(zip(expected, best, strict=True))
    assert timed("best_columns", solver.best_columns, new) == best
    lines = timed("principal_variation", solver.principal_variation, new)
    assert [line[0] for line in lines] == [columns[0] for columns in best]
    for count in (len(positions), 1):
        of, some = f"of {count:,}, each", partial(first_of, new, count)
        (found,) = timed(f"score_many {of}", solver.score_many, some, count)
        assert found.tolist() == list(expected)[:count]
        (table,) = timed(f"scores_many {of}", solver.scores_many, some, count)
        assert [tuple(None if s == -128 else s for s in row) for row in table] == rows[:count]


def first_of(new: Callable[[], list[Position]], count: int) -> list[list[Position]]:
    """Return the argument of one call for the first `count` positions."""
    return [new()[:count]]


def peer_calls(all_moves: Sequence[str], expected: Sequence[int]) -> None:
    """Time the calls of `bitbully`: of its classes, and of the compiled core below them."""
    from bitbully import BitBully, Board, bitbully_core  # noqa: PLC0415 - an optional peer

    boards, cores = [], []
    for moves in all_moves:
        core = bitbully_core.BoardCore()
        assert all(core.play(int(column) - 1) for column in moves)
        cores.append(core)
        boards.append(Board([int(column) - 1 for column in moves]))
    peer, below = BitBully(opening_book=None), bitbully_core.BitBullyCore()
    assert timed("bitbully.BitBully.mtdf", peer.mtdf, lambda: boards) == expected
    rows = timed("bitbully.BitBully.score_all_moves", peer.score_all_moves, lambda: boards)
    assert [max(row.values()) for row in rows] == expected
    assert timed("bitbully core, mtdf", lambda core: below.mtdf(core, 0), lambda: cores) == expected
    rows = timed("bitbully core, scoreMoves", below.scoreMoves, lambda: cores)
    assert [max(row) for row in rows] == expected


def decisions(positions: Sequence[Position]) -> None:
    """Time the decisions of agents."""
    rng = np.random.default_rng(1)
    for spec in AGENTS:
        agent = make_agent(spec)
        agent.load(Geometry())
        limit = Limit()
        found = timed(
            f"choose of {spec}",
            lambda position: agent.choose(position, limit, rng).column,  # noqa: B023 - called now
            lambda: positions,
        )
        assert all(p.is_legal(column) for p, column in zip(positions, found, strict=True))


def first_call() -> None:
    """Print the parts of the first call of a process, the minimum of several processes each."""
    runs = [json.loads(subprocess.check_output([sys.executable, "-c", FIRST])) for _ in range(RUNS)]
    for name in runs[0]:
        print(f"{name:36s} {min(run[name] for run in runs[1:]):9.2f} ms")


if __name__ == "__main__":
    main()
