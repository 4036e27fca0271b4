"""Make the scored positions of `bench/positions`: `python -m bench.make_positions`.

Random games from a fixed seed, sorted into six sets by discs on the board (begin up to 14, middle
15 to 28, end over 28) and by plies to the end with best play (easy under 14, medium 14 to 27, hard
28 and more). Equal positions and mirror images count once.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from claimeven import Position
from claimeven.game.notation import format_moves
from claimeven.solver import Solver, plies_to_end

FOLDER = Path(__file__).parent / "positions"
SEED = 20261121
#: Positions of each set.
WANTED = {
    "end-easy": 300,
    "middle-easy": 300,
    "middle-medium": 300,
    "begin-easy": 60,
    "begin-medium": 60,
    "begin-hard": 20,
}
#: Minimum discs of the positions of the begin sets; shorter positions are too hard.
FEWEST = {"begin-easy": 4, "begin-medium": 8, "begin-hard": 8}
STAGES = {"begin": (4, 14), "middle": (15, 28), "end": (29, 41)}


def main() -> None:
    argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0]).parse_args()
    rng = np.random.default_rng(SEED)
    solver = Solver(table_mb=512, book=None)
    found: dict[str, dict[int, str]] = {name: {} for name in WANTED}
    while any(len(found[name]) < wanted for name, wanted in WANTED.items()):
        stage = next(n.split("-")[0] for n, w in WANTED.items() if len(found[n]) < w)
        low, high = STAGES[stage]
        columns, position = random_position(rng, int(rng.integers(low, high + 1)))
        if position.is_over:
            continue
        score = solver.score(position)
        plies = plies_to_end(position, score)
        kind = "easy" if plies < 14 else "medium" if plies < 28 else "hard"
        name = f"{stage}-{kind}"
        if name not in WANTED or len(found[name]) >= WANTED[name]:
            continue
        if position.ply >= FEWEST.get(name, 0):
            found[name].setdefault(position.canonical_key, f"{format_moves(columns)} {score}")
            print(
                "  ".join(f"{n} {len(found[n])}/{w}" for n, w in WANTED.items()),
                end="\r",
                file=sys.stderr,
                flush=True,
            )
    FOLDER.mkdir(exist_ok=True)
    for name, lines in found.items():
        (FOLDER / f"{name}.txt").write_text("\n".join(lines.values()) + "\n")
    print(file=sys.stderr)


def random_position(rng: np.random.Generator, plies: int) -> tuple[list[int], Position]:
    """Return the columns of a random game of at most `plies` plies, and its last position."""
    columns: list[int] = []
    position = Position()
    while len(columns) < plies and not position.is_over:
        column = int(rng.choice(position.legal_columns))
        columns.append(column)
        position = position.play(column)
    return columns, position


if __name__ == "__main__":
    main()
