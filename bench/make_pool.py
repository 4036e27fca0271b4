"""Make the games of the standing pool that come along with the package.

    python -m bench.make_pool --out src/claimeven/arena/data/pool-v1.txt.gz [--jobs 2]

Openings are drawn near the border of win, draw and loss (exact score -2 to 2), where play decides.
Agents, rounds and seed are in `claimeven.arena.tournaments.reference_pool`; no clock decides,
so whoever makes the file anew gets the same one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.timing import machine
from claimeven import Position
from claimeven.arena.games.openings import make_openings
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.tournament import TournamentPlan, run_tournament, store_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    parser.add_argument("--jobs", type=int, default=1, help="processes that play")
    given = parser.parse_args()
    openings = make_openings(
        "balanced", reference_pool.ROUNDS, reference_pool.PLIES, reference_pool.SEED, Position()
    )
    plan = TournamentPlan(
        reference_pool.AGENTS, reference_pool.ROUNDS, reference_pool.SEED, openings=openings
    )
    with store_of(plan) as store:
        result = run_tournament(plan, store, given.jobs)
    games = result.standings.games
    assert len(games) == plan.games and not result.standings.forfeits
    given.out.write_bytes(reference_pool.games_text(games))
    unique = result.standings.unique_games
    print(f"{len(games)} games, {unique} differ, {result.seconds:.0f} s; {machine()}")


if __name__ == "__main__":
    main()
