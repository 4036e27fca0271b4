"""Strength of the players against each other: `python -m bench.strength [--games N] [STUDY ...]`.

The matches of the published comparisons at their budgets, and our `uct` against each published
Monte Carlo player at equal time. Each match is played from varied openings with the seats
swapped, and its score is printed with a 95 % interval beside the original's figure.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

from bench.timing import machine
from claimeven import Position
from claimeven.agents import Limit
from claimeven.arena import MatchPlan, MatchResult, Schedule, play_games

#: Seconds a move in the matches at equal time.
EQUAL_TIME = 0.1
VARIANTS = (
    "flat",
    "breadth",
    "uct-polito",
    "uct-polito:playout=alphabeta2",
    "uct-menary",
    "uct-aifour",
    "uct-itu",
    "uct-itu-table",
)


@dataclass(frozen=True)
class Study:
    """A match with what was published of it; `seconds` is the limit of a move, if any."""

    name: str
    first: str
    second: str
    games: int
    published: str = ""
    seconds: float | None = None
    opening_plies: int = 2


STUDIES = (
    Study(
        "polito-uct-random", "uct-polito:iterations=50,playout=alphabeta2", "random", 100,
        "UCT 100 % of 10 games, 66 s a game", opening_plies=0,
    ),
    Study(
        "aifour-uct-negamax", "uct-aifour:iterations=200", "negamax-aifour", 50,
        "UCT 43, negamax 7 of 50",
    ),
    Study(
        "aifour-uct-slip",
        "uct-aifour:iterations=200",
        "bench.aifour_slip:agent",
        50,
        "UCT 43, negamax 7 of 50",
    ),
    Study(
        "aifour-published", "uct-aifour:iterations=200", "negamax-aifour", 50,
        "UCT 43, negamax 7 of 50, from the empty board as here", opening_plies=0,
    ),
    Study(
        "aifour-published-slip", "uct-aifour:iterations=200", "bench.aifour_slip:agent", 50,
        "UCT 43, negamax 7 of 50, from the empty board as here", opening_plies=0,
    ),
    Study(
        "aifour-uct2000-negamax", "uct-aifour:iterations=2000", "negamax-aifour", 50,
    ),
    Study(
        "itu-flat-uct", "flat", "uct-itu", 10,
        "flat judged stronger at 3 s a move (Python, few playouts)", 3.0,
    ),
    Study(
        "itu-table-random", "uct-itu-table", "random", 30, "128,079 stored positions", 0.1,
        opening_plies=0,
    ),
    *(
        Study(f"uct-{variant.replace(':playout=', '-')}", "uct", variant, 40, "", EQUAL_TIME, 4)
        for variant in VARIANTS
    ),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("studies", nargs="*", help="names of studies; all without any")
    parser.add_argument("--games", type=int, help="games instead of each study's own number")
    parser.add_argument("--seconds", type=float, help="seconds a move instead of the study's own")
    parser.add_argument("--list", action="store_true", help="list the studies")
    given = parser.parse_args()
    names = {study.name for study in STUDIES}
    unknown = set(given.studies) - names
    if unknown:
        parser.error(f"no study {', '.join(sorted(unknown))}: choose from {', '.join(names)}")
    if given.list:
        print("\n".join(f"{s.name}: {s.first} against {s.second}" for s in STUDIES))
        return
    print(machine())
    for study in STUDIES:
        if not given.studies or study.name in given.studies:
            report(study, given.games or study.games, given.seconds or study.seconds)


def report(study: Study, games: int, seconds: float | None) -> None:
    schedule = Schedule(games, 1, Position(), study.opening_plies)
    plan = MatchPlan((study.first, study.second), schedule, Limit(seconds=seconds))
    begin = time.perf_counter()
    played = tuple(sorted(play_games(plan, 1), key=lambda game: game.number))
    result = MatchResult(plan, played, time.perf_counter() - begin)
    assert len(played) == games and not any(result.forfeits), result.forfeits
    low, high = result.interval
    wins, losses = result.wins
    print(
        f"{study.name}: {study.first} against {study.second}"
        f"{f', {seconds:g} s a move' if seconds else ''}: +{wins} ={result.draws} -{losses},"
        f" score {result.scores[0]:.1%} ({low:.1%} to {high:.1%}),"
        f" {result.seconds / games:.2f} s a game"
        f"{f'; published: {study.published}' if study.published else ''}",
        flush=True,
    )
    for agent in (0, 1):
        measures = result.measures(agent)
        told = [
            f"{name} {mean:,.4g}"
            for name in ("seconds", "nodes", "depth", "branching")
            if (mean := measures.mean(name)) is not None
        ]
        if measures.most_stored:
            told.append(f"most nodes stored {measures.most_stored:,}")
        print(f"    {plan.agents[agent]}, a move: {', '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
