"""Make the bundled sets of scored positions for the accuracy of agents.

    python -m bench.make_accuracy_set --out src/claimeven/dataset/data/7x6-v1.txt.gz
    python -m bench.make_accuracy_set --tactics --each 200 \\
        --out src/claimeven/dataset/data/tactics-7x6-v1.txt.gz

Each game gives at most one position; equal positions and mirror images count once. The moves of
even-numbered games are random. In odd-numbered games the players take wins, block wins and
otherwise move at random. The set contains a position if neither side can win with the next disc
and at least one column is worse than another. Its band is the distance to the end with best play:
easy under 14 plies, medium 14 to 27, hard 28 and more. The games fill each band in order, so a seed
decides the set.

With --tactics the set contains the other positions, in two bands. In "win" the side to move can win
with the next disc. In "block" it cannot, and the opponent threatens to win in exactly one column.
"""

from __future__ import annotations

import argparse
import gzip
from pathlib import Path

import numpy as np

from claimeven.game import bitboard
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.solver.scores import plies_to_end
from claimeven.solver.solver import ILLEGAL, Solver

BANDS = ("easy", "medium", "hard")
TACTICS = ("win", "block")
LOWEST, HIGHEST = 4, 32
BATCH = 128


def band_of(position: Position, score: int) -> str:
    """Return the band of a position, by the plies to the end with best play."""
    left = plies_to_end(position, score)
    return BANDS[(left >= 14) + (left >= 28)]


def winning_cells(position: Position) -> tuple[int, int]:
    """Return the winning cells of the side to move, and of its opponent, for the next disc."""
    playable = bitboard.playable_cells(position.mask, position.geometry)
    mine, theirs = (
        bitboard.winning_cells(discs, position.mask, position.geometry) & playable
        for discs in (position.mine, position.theirs)
    )
    return mine, theirs


def tactic_of(position: Position) -> str:
    """Return "win", "block", or "" if neither side has a win, or the opponent has two."""
    mine, theirs = winning_cells(position)
    return "win" if mine else "block" if theirs.bit_count() == 1 else ""


def position_of(number: int, seed: int, tactical: bool) -> tuple[tuple[int, ...], Position] | None:
    """Return the moves and the position from a game, or None."""
    rng = np.random.default_rng([seed, number])
    position, columns = Position(Geometry()), list[int]()
    for _ in range(int(rng.integers(LOWEST, HIGHEST + 1))):
        choices = list(position.legal_columns)
        if number % 2:
            for wins in winning_cells(position):
                if wins:
                    choices = [column for column, _ in position.geometry.cells_of(wins)]
                    break
        column = choices[int(rng.integers(len(choices)))]
        columns.append(column)
        position = position.play(column)
        if position.is_over:
            return None
    is_wanted = bool(tactic_of(position)) if tactical else not any(winning_cells(position))
    return (tuple(columns), position) if is_wanted else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--each", type=int, default=1500, help="positions of each band")
    parser.add_argument("--tactics", action="store_true", help="wins to take and to block")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    solver = Solver(threads=arguments.threads, table_mb=256)
    bands = TACTICS if arguments.tactics else BANDS
    chosen: dict[str, list[str]] = {band: [] for band in bands}
    seen: set[int] = set()
    number = 0
    while any(len(lines) < arguments.each for lines in chosen.values()):
        batch: list[tuple[tuple[int, ...], Position]] = []
        while len(batch) < BATCH:
            found = position_of(number, arguments.seed, arguments.tactics)
            number += 1
            if found is not None and found[1].canonical_key not in seen:
                seen.add(found[1].canonical_key)
                batch.append(found)
        rows = solver.scores_many([position for _, position in batch])
        for (columns, position), row in zip(batch, rows, strict=True):
            scores = [None if score == ILLEGAL else int(score) for score in row]
            known = [score for score in scores if score is not None]
            band = tactic_of(position) if arguments.tactics else band_of(position, max(known))
            lines = chosen[band]
            if min(known) < max(known) and len(lines) < arguments.each:
                listed = " ".join("." if score is None else str(score) for score in scores)
                lines.append(f"{format_moves(columns, position.geometry)} {listed}")
        print(number, {band: len(lines) for band, lines in chosen.items()}, flush=True)
    text = "".join(f"{band} {line}\n" for band in bands for line in chosen[band])
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with arguments.out.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(text.encode())


if __name__ == "__main__":
    main()
