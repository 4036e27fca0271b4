"""Shares of perfect moves of the agent `perfect` by level: `python -m bench.levels [GAMES]`.

All levels are measured on the same positions. They come from GAMES games of each level against
level 10, from random openings with seats swapped: the positions in which the level was to move and
had more than one legal column. A level's share is computed, not sampled: the probability that its
policy gives to the perfect columns, averaged over the positions. The script asserts that level 10
is perfect, and that both shares rise from each level to the next. For the default number of games
it also asserts the number of positions and the sums of both shares; a change is a change of
behavior.
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
#: The default number of games, the number of positions, the sums over the levels of both shares.
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
    """Return the positions in which a level had a choice, with their scores."""
    rng = np.random.default_rng(level)
    openings = np.random.default_rng(99)
    positions: dict[Position, Scores] = {}
    for game in range(games):
        position, seat = opening(openings), game % 2
        while not position.is_over:
            is_evaluated = position.turn == seat
            agent = AGENTS[level if is_evaluated else TOP_LEVEL]
            decision = agent.choose(position, Limit(), rng)
            if is_evaluated and len(position.legal_columns) > 1:
                positions[position] = decision.details["values"]
            position = position.play(decision.column)
    return positions


def shares(level: int, positions: dict[Position, Scores]) -> tuple[float, float]:
    """Return how often a level plays a perfect column, and a column that keeps the outcome."""
    perfect = keeping = 0.0
    for position, scores in positions.items():
        best = max(score for score in scores if score is not None)
        policy = AGENTS[level].policy(scores, position.geometry)
        for chance, score in zip(policy, scores, strict=True):
            if score is not None:
                perfect += chance * (score == best)
                keeping += chance * (np.sign(score) == np.sign(best))
    return perfect / len(positions), keeping / len(positions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument(
        "games", type=int, nargs="?", default=GAMES, help=f"games of each level ({GAMES})"
    )
    games = parser.parse_args().games
    print(machine())
    positions: dict[Position, Scores] = {}
    for level in range(TOP_LEVEL + 1):
        positions |= positions_met(level, games)
    print(
        f"{len(positions)} positions of {games} games of each level against level {TOP_LEVEL}"
        f" after {OPENING_PLIES} random plies"
    )
    print("level  perfect  keep outcome")
    by_level = [shares(level, positions) for level in range(TOP_LEVEL + 1)]
    for level, (perfect, keeping) in enumerate(by_level):
        print(f"{level:>5}  {perfect:>7.1%}  {keeping:>12.1%}")
    perfect, keeping = (float(sum(column)) for column in zip(*by_level, strict=True))
    if games == GAMES:
        assert np.allclose((len(positions), perfect, keeping), SIGNATURE), (
            len(positions),
            perfect,
            keeping,
        )
    assert np.allclose(by_level[TOP_LEVEL], 1)
    for lower, higher in pairwise(by_level):
        assert lower[0] < higher[0] and lower[1] < higher[1], (lower, higher)


if __name__ == "__main__":
    main()
