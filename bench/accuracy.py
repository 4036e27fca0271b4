"""The time to compare every move of many games with exact scores.

    python -m bench.accuracy

The script stores a thousand games of `random` against `alphabeta`, from openings of four random
plies, and reviews them with all cores. A second review takes the scores from the file. The script
asserts its results: the games follow from their seed, and the exact scores from the games.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import deque
from pathlib import Path

from bench.timing import machine
from claimeven.arena import accuracy_of
from claimeven.arena.accuracy.stored_games import JUDGE_MB
from claimeven.arena.games.openings import make_openings
from claimeven.arena.games.plan import Plan
from claimeven.arena.tournaments.run import open_store, run
from claimeven.game.position import Position
from claimeven.parallel.executors import local_workers
from claimeven.solver import Solver

#: Maximum seconds of two cores for all games.
TARGET = 120
ROUNDS, SEED = 500, 1
#: Of all games: moves, different positions; moves that count, perfect ones, points lost, by agent.
MOVES, POSITIONS = 9_372, 8_499
FOUND = {"alphabeta": (4_901, 3_486, 4_700), "random": (4_158, 927, 19_626)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="pairs of games")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--table-mb", type=float, help="size of the solver's table in MB")
    arguments = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        openings = make_openings("random", arguments.rounds, 4, SEED, Position())
        plan = Plan(("random", "alphabeta"), arguments.rounds, SEED, openings=openings)
        with open_store(path, plan, resume=False) as store:
            deque(run(plan, local_workers(arguments.threads), store), 0)
        used: list[Solver] = []

        def solver(board: object) -> Solver:
            used.append(Solver(table_mb=arguments.table_mb or JUDGE_MB, threads=arguments.threads))
            used[-1].load()
            return used[-1]

        start, busy = time.perf_counter(), time.process_time()
        found = accuracy_of(path, solver=solver)
        seconds, cpu = time.perf_counter() - start, time.process_time() - busy
        start = time.perf_counter()
        again = accuracy_of(path)
        again_seconds = time.perf_counter() - start
    assert again.as_dict() == found.as_dict()
    if arguments.rounds == ROUNDS:
        tallies = {label: found[label].all for label in FOUND}
        tallied = {label: (t.moves, t.perfect, t.score_loss) for label, t in tallies.items()}
        assert (found.moves, found.positions) == (MOVES, POSITIONS), (found.moves, found.positions)
        assert tallied == FOUND, tallied
    nodes = used[0].statistics.nodes / 1e6
    print(
        f"{found.moves:,} moves of {len(found.judged):,} games, {found.positions:,} different"
        f" positions: {seconds:.1f} s on {arguments.threads} threads ({cpu:.1f} s of CPU),"
        f" {found.positions / seconds:.0f} positions a second, {nodes:.0f} million nodes"
    )
    if arguments.rounds == ROUNDS:
        print(f"target {TARGET} s on two cores: ratio {seconds / TARGET:.2f}")
    print(f"again, with the scores from the file:  {again_seconds:.2f} s")


if __name__ == "__main__":
    main()
