"""Solve every bundled puzzle again, or the puzzles of a file.

    python -m bench.check_puzzles [FILE]

The exit status is 1 if exact scores give another kind, solution, idea, rating or length than the
file, or if the file has a puzzle twice.
"""

from __future__ import annotations

import argparse
import sys
import time

from claimeven.puzzles.puzzle import (
    Puzzle,
    bundled_puzzles,
    check_moves,
    puzzle_line,
    read_puzzles,
)
from claimeven.puzzles.solutions import kind_of, puzzle_at
from claimeven.solver import Solver
from claimeven.solver.protocols import ExactSolver


def puzzle_errors(puzzle: Puzzle, solver: ExactSolver) -> list[str]:
    """Return the errors of a puzzle by exact scores, as sentences."""
    position = puzzle.position
    found = kind_of(solver.scores(position))
    if found != puzzle.kind:
        return [f"puzzle {puzzle.number} has the kind {found}, not {puzzle.kind}"]
    again = puzzle_at(puzzle.number, puzzle.moves, position, puzzle.kind, solver)
    if again != puzzle:
        return [f"puzzle {puzzle.number} is {puzzle_line(again)}, not {puzzle_line(puzzle)}"]
    return []


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
