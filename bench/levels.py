"""Shares of perfect moves of the agent `perfect` by level: `python -m bench.levels [GAMES]`.

All levels are judged on one set of positions: those in which a level was to move with more than
one column to choose from, in GAMES games of each level against level 10, from random openings,
seats swapped. A level's share is worked out, not drawn: the chances that its policy gives to the
perfect columns, averaged over the positions. Asserts that level 10 never errs, and that both
shares rise from each level to the next. For the usual number of games it asserts the number of
positions and the sums of both shares as well: a change of these is a change of behaviour.
"""

from __future__ import annotations

import argparse
from itertools import pairwise

import numpy as np

from bench.timing import machine
from claimeven import Position
from claimeven.agents import Limit
from claimeven.agents.families.perfect import TOP_LEVEL, PerfectAgent, Scores

OPENING_PLIES = 12
#: With so many games of each level: positions met, the sums over the levels of both shares.
GAMES = 60
SIGNATURE = (2741, 8.695635609054236, 10.390905554237602)

AGENTS = [PerfectAgent("random", True, level, table_mb=16) for level in range(TOP_LEVEL + 1)]


def opening(rng: np.random.Generator) -> Position:
    while True:
        position = Position()
        while not position.is_over and position.ply < OPENING_PLIES:
            position = position.play(int(rng.choice(position.legal_columns)))
        if not position.is_over:
            return position


def positions_met(level: int, games: int) -> dict[Position, Scores]:
    """Return the positions in which a level had a choice against level 10, with their scores."""
    rng = np.random.default_rng(level)
    openings = np.random.default_rng(99)
    met: dict[Position, Scores] = {}
    for game in range(games):
        position, seat = opening(openings), game % 2
        while not position.is_over:
            is_evaluated = position.turn == seat
            agent = AGENTS[level if is_evaluated else TOP_LEVEL]
            decision = agent.choose(position, Limit(), rng)
            if is_evaluated and len(position.legal_columns) > 1:
                met[position] = decision.details["values"]
            position = position.play(decision.column)
    return met


def shares(level: int, met: dict[Position, Scores]) -> tuple[float, float]:
    """Return how often a level plays a perfect column, and one that keeps the outcome."""
    perfect = kept = 0.0
    for position, scores in met.items():
        best = max(score for score in scores if score is not None)
        policy = AGENTS[level].policy(scores, position.geometry)
        for chance, score in zip(policy, scores, strict=True):
            if score is not None:
                perfect += chance * (score == best)
                kept += chance * (np.sign(score) == np.sign(best))
    return perfect / len(met), kept / len(met)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument(
        "games", type=int, nargs="?", default=GAMES, help=f"games of each level ({GAMES})"
    )
    games = parser.parse_args().games
    print(machine())
    met: dict[Position, Scores] = {}
    for level in range(TOP_LEVEL + 1):
        met |= positions_met(level, games)
    print(
        f"{len(met)} positions of {games} games of each level against level {TOP_LEVEL}"
        f" after {OPENING_PLIES} random plies"
    )
    print("level  perfect  keep outcome")
    by_level = [shares(level, met) for level in range(TOP_LEVEL + 1)]
    for level, (perfect, kept) in enumerate(by_level):
        print(f"{level:>5}  {perfect:>7.1%}  {kept:>12.1%}")
    perfect, kept = (float(sum(column)) for column in zip(*by_level, strict=True))
    if games == GAMES:
        assert np.allclose((len(met), perfect, kept), SIGNATURE), (len(met), perfect, kept)
    assert np.allclose(by_level[TOP_LEVEL], 1)
    for lower, higher in pairwise(by_level):
        assert lower[0] < higher[0] and lower[1] < higher[1], (lower, higher)


if __name__ == "__main__":
    main()
