"""Fit the ratings of the agents that rate puzzles, together with those of many puzzles.

    python -m bench.puzzle_judges --count 400

A try of a puzzle is a game: the agent wins it by finding every column of the solution. Ratings of
agents and puzzles are the most likely ones, with 1500 for the mean puzzle and puzzles spread around
it as `claimeven.practice.judges` has it. The table is what stands there as `JUDGES`.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from claimeven.practice.judges import JUDGES, MEAN, SCALE, SPREAD, Jury
from claimeven.practice.making import PuzzlePlan, candidate
from claimeven.practice.solutions import solution_of
from claimeven.solver import Solver


def tried(count: int, seed: int) -> np.ndarray:
    """Return how many tries of each judge (columns) solved each puzzle (rows)."""
    plan, solver, jury = PuzzlePlan(count, seed), Solver(), Jury()
    rows: list[list[int]] = []
    game = 0
    while len(rows) < count:
        found = candidate(plan, game, solver, set())
        game += 1
        if found is not None:
            _, position, kind = found
            rows.append(jury.solved(position, solution_of(position, kind, solver), game))
            print(f"\r{len(rows)} of {count}", end="", flush=True)
    print()
    return np.array(rows, dtype=float)


def fitted(solved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ratings of the judges and of the puzzles."""
    unit = SCALE / math.log(10)
    tries = np.array([judge.tries for judge in JUDGES], dtype=float)
    judges, puzzles = np.full(len(tries), MEAN), np.full(len(solved), MEAN)
    for _ in range(500):
        chance = 1 / (1 + np.exp((puzzles[:, None] - judges) / unit))
        slope = ((tries * chance - solved) / unit).sum(1) - (puzzles - MEAN) / SPREAD**2
        bend = (tries * chance * (1 - chance)).sum(1) / unit**2 + 1 / SPREAD**2
        puzzles += np.clip(slope / bend, -SCALE, SCALE)
        puzzles += MEAN - puzzles.mean()
        chance = 1 / (1 + np.exp((puzzles[:, None] - judges) / unit))
        slope = ((solved - tries * chance) / unit).sum(0)
        bend = (tries * chance * (1 - chance)).sum(0) / unit**2
        judges += np.clip(slope / bend, -SCALE, SCALE)
    return judges, puzzles


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1000)
    arguments = parser.parse_args()
    solved = tried(arguments.count, arguments.seed)
    judges, puzzles = fitted(solved)
    for judge, rating, share in zip(JUDGES, judges, solved.mean(0), strict=True):
        print(
            f'    Judge("{judge.spec}", {rating:.0f}, {judge.tries}),  # {share / judge.tries:.0%}'
        )
    print("puzzles, tenths:", np.percentile(puzzles, range(0, 101, 10)).round().tolist())


if __name__ == "__main__":
    main()
