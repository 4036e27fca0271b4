"""Shares of perfect moves of the agent `perfect` by level: `python -m bench.levels`.

Each level meets level 10 from random openings, seats swapped; every move of the level is judged by
its exact scores. Asserts that no move of level 10 errs and that the shares rise.
"""

from __future__ import annotations

import sys

import numpy as np

from bench.timing import machine
from claimeven import Position
from claimeven.agents import Limit
from claimeven.agents.perfect import TOP_LEVEL, PerfectAgent

OPENING_PLIES = 12


def opening(rng: np.random.Generator) -> Position:
    while True:
        position = Position()
        while not position.is_over and position.ply < OPENING_PLIES:
            position = position.play(int(rng.choice(position.legal_columns)))
        if not position.is_over:
            return position


def judge(level: int, games: int) -> tuple[int, int, int, int]:
    """Return the moves of a level, how many kept the score, the outcome, and games drawn or won."""
    rng = np.random.default_rng(level)
    openings = np.random.default_rng(99)
    agents = [PerfectAgent("random", True, n, table_mb=16) for n in (level, TOP_LEVEL)]
    moves = perfect = kept = held = 0
    for game in range(games):
        position, seat = opening(openings), game % 2
        while not position.is_over:
            mover = int(position.turn != seat)
            decision = agents[mover].choose(position, Limit(), rng)
            if mover == 0:
                score, best = decision.details["values"][decision.column], decision.score
                assert best is not None
                moves += 1
                perfect += score == best
                kept += np.sign(score) == np.sign(best)
            position = position.play(decision.column)
        over = position.outcome
        held += over is not None and over.winner in (seat, None)
    return moves, perfect, kept, held


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    print(machine())
    print(f"{games} games against level {TOP_LEVEL} after {OPENING_PLIES} random plies")
    print("level  moves  perfect  keep outcome  not lost")
    shares = []
    for level in range(TOP_LEVEL + 1):
        moves, perfect, kept, held = judge(level, games)
        shares.append(perfect / moves)
        print(
            f"{level:>5}  {moves:>5}  {perfect / moves:>7.1%}  {kept / moves:>12.1%}"
            f"  {held / games:>8.0%}",
            flush=True,
        )
    assert shares[-1] == 1
    assert shares[0] < shares[5] < shares[9] < shares[10]


if __name__ == "__main__":
    main()
