"""Boards of more than 64 bits: `python -m bench.boards`.

Random positions near their end, without a win at hand, each solved with an empty transposition
table. The readable solver must have the same score after the same number of nodes.
"""

from __future__ import annotations

import argparse
import random
import time
from statistics import fmean

from bench.timing import machine
from claimeven import Geometry, Position
from claimeven.game.bitboard import playable_cells, winning_cells
from claimeven.solver import ExactSearch
from claimeven.solver.textbook import TextbookSolver

#: 64 bits, then 70 to 80.
BOARDS = (Geometry(8, 7), Geometry(9, 7), Geometry(8, 8), Geometry(10, 6), Geometry(10, 7))
EMPTY, POSITIONS, RUNS = (10, 16), 200, 3


def main() -> None:
    argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0]).parse_args()
    print(machine())
    for geometry in BOARDS:
        exact_scores(geometry)


def exact_scores(geometry: Geometry) -> None:
    """Print the mean time of the exact score of a position, of the fastest of several runs."""
    rng = random.Random(1)
    positions = [quiet_position(geometry, rng.randint(*EMPTY), rng) for _ in range(POSITIONS)]
    search = ExactSearch(geometry, table_mb=1)
    search.load()
    readable = TextbookSolver(geometry, search.bucket_bits)
    times = [float("inf")] * len(positions)
    for run in range(RUNS):
        for number, position in enumerate(positions):
            search.clear()
            start = time.perf_counter()
            score = search.score(position.mine, position.mask)
            times[number] = min(times[number], time.perf_counter() - start)
            if run == 0:
                readable.entries[:] = [0] * len(readable.entries)
                assert score == readable.solve(position.mine, position.mask, -99, 99)
                assert search.nodes == readable.nodes
    print(
        f"{geometry}, {geometry.bits} bits, {EMPTY[0]}-{EMPTY[1]} empty cells, exact score:"
        f" mean {1000 * fmean(times):.4f} ms, most {1000 * max(times):.3f} ms",
        flush=True,
    )


def quiet_position(geometry: Geometry, empty: int, rng: random.Random) -> Position:
    """Return a random position with `empty` empty cells, without a win at hand."""
    while True:
        position, columns = Position(geometry), list(range(geometry.columns))
        while columns and geometry.cells - position.ply > empty:
            position = position.play(rng.choice(columns))
            wins = winning_cells(position.mine, position.mask, geometry)
            wins &= playable_cells(position.mask, geometry)
            legal = position.legal_columns
            columns = [c for c in legal if not wins & geometry.column_mask(c)]
        if columns == list(legal) and geometry.cells - position.ply == empty:
            return position


if __name__ == "__main__":
    main()
