"""Make the bundled games of the reference pool.

    python -m bench.make_pool --out src/claimeven/arena/data/pool-v1.txt.gz [--jobs 2]

The openings have exact scores from -2 to 2, near the border of win, draw and loss, so play decides.
`claimeven.arena.tournaments.reference_pool` has the agents, rounds and seed. No agent uses a clock,
so another run writes an equal file.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from bench.timing import machine
from claimeven import Position
from claimeven.arena.games.game import Game
from claimeven.arena.games.openings import make_openings
from claimeven.arena.games.plan import Plan
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.run import run, store_of
from claimeven.arena.tournaments.standings import Standings
from claimeven.atomic_io import packed
from claimeven.parallel.executors import local_workers


def games_text(games: Iterable[Game]) -> bytes:
    """Return games of the pool as the file of them, in the order they come."""
    marks = {winner: mark for mark, winner in reference_pool.RESULTS.items()}
    lines = (f"{game.opening} {game.moves} {marks[game.winner]}\n" for game in games)
    return packed("".join(lines).encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    parser.add_argument("--jobs", type=int, default=1, help="processes that play")
    given = parser.parse_args()
    openings = make_openings(
        "balanced", reference_pool.ROUNDS, reference_pool.PLIES, reference_pool.SEED, Position()
    )
    plan = Plan(
        reference_pool.AGENTS, reference_pool.ROUNDS, reference_pool.SEED, openings=openings
    )
    start = time.perf_counter()
    with store_of(plan) as store:
        deque(run(plan, local_workers(given.jobs), store), 0)
        standings = Standings.of_store(store)
    games = standings.games
    assert len(games) == plan.games and not standings.forfeits
    given.out.write_bytes(games_text(games))
    seconds = time.perf_counter() - start
    print(f"{len(games)} games, {standings.unique_games} differ, {seconds:.0f} s; {machine()}")


if __name__ == "__main__":
    main()
