"""Games a second, and the overhead of the runner: `python -m bench.arena [GAMES]`.

The script plays GAMES games of `greedy` against `random`, in pairs from random openings: in a loop
without a store, stored by this process, and stored by one process for each core. Then agents that
take 1 ms for a move show the overhead for each move: agents in this process, and agents from a
file, each in a separate process. The script asserts that every way gives the same games, and for
the default number of games their digest.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import time
from collections import deque
from collections.abc import Iterable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from statistics import median

from bench import spinning
from bench.timing import best_of, machine
from claimeven import Position
from claimeven.agents.registry import AgentLike
from claimeven.arena.games.openings import random_openings
from claimeven.arena.games.plan import Plan
from claimeven.arena.games.referee import Referee
from claimeven.arena.tournaments.run import run, store_of
from claimeven.parallel.executors import local_workers

#: The default number of games, and the digest of all their moves.
GAMES = 20_000
SIGNATURE = "257f3e55973a01a2"
PLIES, OPENINGS = 4, 200
#: Pairs of games of the slow agents, and the number of runs.
SLOW_PAIRS, RUNS = 20, 3


def plan_of(first: AgentLike, second: AgentLike, games: int) -> Plan:
    openings = random_openings(OPENINGS, PLIES, 0, Position())
    return Plan((first, second), games // 2, openings=openings)


def digest(moves: Iterable[str]) -> str:
    return hashlib.blake2b(" ".join(moves).encode(), digest_size=8).hexdigest()


def forgotten(plan: Plan) -> str:
    with closing(Referee(plan)) as referee:
        return digest(referee.play(number).all_moves for number in range(plan.games))


def stored(plan: Plan, jobs: int) -> str:
    with store_of(plan) as store:
        deque(run(plan, local_workers(jobs), store), 0)
        return digest(game.all_moves for game in store.games())


def throughput(games: int) -> None:
    plan, cores = plan_of("greedy", "random", games), len(os.sched_getaffinity(0))
    print(f"{plan.games} games of greedy and random after {PLIES} random plies")
    ways = {
        "in a loop, not stored": lambda: forgotten(plan),
        "stored, this process": lambda: stored(plan, 1),
        f"stored, {cores} processes": lambda: stored(plan, cores),
    }
    answers, rates = [], []
    for name, way in ways.items():
        seconds, answer = best_of(3, way)
        answers.append(answer)
        rates.append(plan.games / seconds)
        print(f"  {name:<32} {rates[-1]:>7,.0f} games/s, ratio {rates[-1] / rates[0]:.2f}")
    assert all(one == other for one, other in pairwise(answers)), answers
    if games == GAMES:
        assert answers[0] == SIGNATURE, answers


def own_cost(name: str, first: AgentLike, second: AgentLike) -> tuple[str, ...]:
    """Print the overhead, the minimum of several runs; return the games."""
    own, games = min(_own_seconds(first, second) for _ in range(RUNS))
    share = own / (own + spinning.SECONDS)
    beyond = _agents_beyond(first, second)
    print(
        f"  {name:<32} {own * 1e6:>7.0f} us a move, {share:.1%} of the time;"
        f" {beyond * 1e6:.1f} us of it spent by the agents"
    )
    return games


def _agents_beyond(first: AgentLike, second: AgentLike) -> float:
    """Return the median of the seconds that a move takes the agents beyond the planned time, by
    their own clocks: the end of a loop, and a look at the columns.

    """
    with closing(Referee(plan_of(first, second, 4), keep_decisions=True)) as referee:
        games = [referee.play(number) for number in range(4)]
    return (
        median(decision.seconds for game in games for decision in game.decisions) - spinning.SECONDS
    )


def _own_seconds(first: AgentLike, second: AgentLike) -> tuple[float, tuple[str, ...]]:
    """Return the overhead of a move in seconds, and the games."""
    plan = plan_of(first, second, 2 * SLOW_PAIRS)
    progress: list[tuple[float, int]] = []
    with store_of(plan) as store:
        for done, _ in enumerate(run(plan, None, store), 1):
            progress.append((time.perf_counter(), done))
        games = list(store.games())
    # Counted from the first stored games: the agents have started by then.
    (start, first_done), (end, done) = progress[0], progress[-1]
    moves = sum(len(game.moves) for game in games[first_done:done])
    own = (end - start) / moves - spinning.SECONDS
    return own, tuple(game.all_moves for game in games)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("games", type=int, nargs="?", default=GAMES, help=f"games ({GAMES})")
    games = parser.parse_args().games
    print(machine())
    throughput(games)
    print(f"overhead for agents that think {spinning.SECONDS * 1e3:g} ms a move")
    file = Path(spinning.__file__)
    here = own_cost("agents of this process", spinning.one, spinning.other)
    apart = own_cost("agents from a file", f"{file}:one", f"{file}:other")
    assert here == apart


if __name__ == "__main__":
    main()
