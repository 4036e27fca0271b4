"""Make the bundled sets of positions that measure trained agents and never train them.

    python -m bench.make_held_out_sets WORK --out src/claimeven/dataset/data

`hard` has one position from each of 3000 games. Half of their moves are random, and the others
perfect. `easy` uses games with one random move in ten. Equal positions and mirror images count
once. `claimeven dataset` makes the positions; its files are in the folder WORK, and an interrupted
run continues there.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from pathlib import Path

from claimeven.dataset import DatasetPlan, make_dataset
from claimeven.dataset.scored_sets import BUNDLED, DEFAULT, SETS, file_name
from claimeven.game.geometry import STANDARD
from claimeven.solver.solver import Solver

#: The share of random moves and the seed of each set.
RECIPES = {"hard": (0.5, 901), "easy": (0.1, 902)}
POSITIONS, LOWEST, HIGHEST = 3000, 4, 36


def lines_of(path: Path) -> list[str]:
    """Return the lines of a set from a data set: moves and the scores of all columns."""
    with path.open(newline="") as stream:
        return [
            " ".join((row["moves"], *(row[f"score_{c + 1}"] or "." for c in range(7))))
            for row in csv.DictReader(stream)
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path, default=BUNDLED)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    assert set(SETS) == {DEFAULT, *RECIPES}
    for name, (share, seed) in RECIPES.items():
        path = options.work / f"held-{name}.csv"
        if not path.exists():
            plan = DatasetPlan(
                POSITIONS, LOWEST, HIGHEST, seed, "mixed", random_moves=share, one_per_game=True
            )
            make_dataset(path, plan, Solver(threads=options.threads, table_mb=16))
        header = (
            f"# claimeven dataset --source mixed --random-moves {share} --one-per-game"
            f" --plies {LOWEST}-{HIGHEST} --positions {POSITIONS} --seed {seed}"
        )
        text = "\n".join((header, *lines_of(path))) + "\n"
        target = options.out / file_name(STANDARD, name)
        with target.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
            packed.write(text.encode())
        print(target, target.stat().st_size)


if __name__ == "__main__":
    main()
