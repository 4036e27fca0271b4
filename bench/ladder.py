"""Two results that the arena must show: `python -m bench.ladder [--jobs 2] [PART ...]`.

ladder  ten agents of this package play 2070 games and finish in the expected order.
first   `perfect` as first player from the empty board never loses in 200 games.
"""

from __future__ import annotations

import argparse
import time

from bench.timing import machine
from claimeven.arena import play_tournament
from claimeven.arena.games.plan import Plan
from claimeven.arena.tournaments.run import PlanWork, play_work
from claimeven.parallel.executors import local_workers

#: Weakest first.
AGENTS = (
    "random",
    "greedy",
    "alphabeta:depth=1,eval=triples",
    "greedy:win=yes,block=yes",
    "alphabeta:depth=2,eval=triples",
    "alphabeta:depth=4,eval=triples",
    "uct:iterations=100",
    "alphabeta:depth=6",
    "uct:iterations=2500",
    "perfect",
)
ROUNDS, PLIES, SEED = 23, 6, 1
#: The opponents of `perfect`: agents that use randomness, so the games differ.
OPPONENTS = (
    "random",
    "flat:iterations=200",
    "uct:iterations=500",
    "uct:iterations=5000",
    "perfect:level=8",
)
GAMES_EACH = 40


def ladder(jobs: int) -> None:
    """Play the ten and check their order."""
    result = play_tournament(
        AGENTS, rounds=ROUNDS, seed=SEED, openings="balanced", opening_plies=PLIES, jobs=jobs
    )
    standings = result.standings
    rated = standings.ladder
    assert rated is not None and not standings.forfeits
    games = len(standings.games)
    assert games == 2 * ROUNDS * len(AGENTS) * (len(AGENTS) - 1) // 2 >= 2000
    print(f"{games} games, {standings.unique_games} differ, {result.seconds:.0f} s")
    names = [rating.agent for rating in rated.ratings]
    for place, rating in enumerate(rated.ratings):
        above = ""
        if weaker := names[place + 1 : place + 2]:
            above = f", above the next with {rated.superiority(names[place], weaker[0]):.1%}"
        print(
            f"{place + 1:2} {rating.agent:<32} {rating.elo.value:+6.0f}"
            f" ({rating.elo.low:+.0f} to {rating.elo.high:+.0f}), {rating.share:.1%}{above}"
        )
    assert names == list(reversed(AGENTS)), names


def first(jobs: int) -> None:
    """Let `perfect` move first on the empty board and check that it never loses."""
    won = drawn = played = 0
    different = set()
    started = time.perf_counter()
    for opponent in OPPONENTS:
        plan = Plan(("perfect", opponent), GAMES_EACH, SEED)
        # In the even games the first agent moves first.
        for _, game in play_work(PlanWork(plan), range(0, plan.games, 2), local_workers(jobs)):
            assert game.first == 0 and game.start.ply == 0
            assert game.winner != 1, f"perfect lost to {opponent}: {game.all_moves}"
            assert game.forfeit is None, game.forfeit
            played += 1
            won += game.winner == 0
            drawn += game.winner is None
            different.add(game.all_moves)
    assert played == GAMES_EACH * len(OPPONENTS) == 200
    print(
        f"perfect first on the empty board: {won} won, {drawn} drawn, 0 lost of {played},"
        f" {len(different)} games differ, {time.perf_counter() - started:.0f} s"
    )


PARTS = {"ladder": ladder, "first": first}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"{', '.join(PARTS)}; default: all")
    parser.add_argument("--jobs", type=int, default=1, help="processes that play games")
    given = parser.parse_args()
    unknown = set(given.parts) - set(PARTS)
    if unknown:
        parser.error(f"PART must be one of {', '.join(PARTS)}, got {min(unknown)!r}")
    print(machine())
    for name, part in PARTS.items():
        if not given.parts or name in given.parts:
            part(given.jobs)


if __name__ == "__main__":
    main()
