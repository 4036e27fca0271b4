"""Solve every bundled puzzle again, or the puzzles of a file.

    python -m bench.check_puzzles [FILE]

The exit status is 1 if exact scores give another kind, solution or idea than the file, or if the
file has a puzzle twice.
"""

from __future__ import annotations

import argparse
import sys
import time

from claimeven.puzzles.puzzle import bundled_puzzles, check_moves, read_puzzles
from claimeven.puzzles.solutions import puzzle_errors
from claimeven.solver import Solver


def main() -> int:
    parser = argparse.ArgumentParser(description="Solve every puzzle again.")
    parser.add_argument("file", nargs="?", help="a set of puzzles (default: the bundled set)")
    file = parser.parse_args().file
    given = bundled_puzzles() if file is None else read_puzzles(file)
    solver, start = Solver(), time.perf_counter()
    faults: list[str] = []
    for puzzle in given.puzzles:
        check_moves(puzzle)
        faults += puzzle_errors(puzzle, solver)
    different = len({puzzle.position.canonical_key for puzzle in given.puzzles})
    if different < len(given.puzzles):
        faults.append(f"{len(given.puzzles) - different} puzzles are duplicates")
    seconds = time.perf_counter() - start
    print(*faults, f"{given.name}: {len(given.puzzles)} puzzles, {len(faults)} faults,"
          f" {solver.statistics.nodes:,} nodes, {seconds:.1f} s", sep="\n")  # fmt: skip
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
