"""Make the book of exported submissions: `python -m bench.make_submission_book --part DIR`.

For each seat the book contains the *hard* positions that can occur if this seat plays its best
moves and the other side any move. A position is hard if the solver needs more than `--nodes` nodes
for its score with an empty table. The search of the submission solves all easier positions. The
book has a position or its mirror image, not both, with one column: of the columns that keep the
exact score, the one nearest to the center.

The folder of `--part` stores partial results, and the next run continues from them. `--write`
packs both seats into the bundled file.
"""

from __future__ import annotations

import argparse
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from claimeven import Solver
from claimeven.adapters.kaggle.builders import BOOK
from claimeven.game.batch import canonical_keys, has_line, moves
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.solver import SearchStopped
from claimeven.solver.search import ExactSearch

Keys = npt.NDArray[np.uint64]
Columns = npt.NDArray[np.uint8]

#: A position is hard if the compiled solver needs more nodes.
NODES = 3_000
#: Positions solved between two saves.
CHUNK = 400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("--part", type=Path, required=True, help="folder of partial results")
    parser.add_argument("--seat", type=int, choices=(0, 1), help="0 first player, 1 second")
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--plies", type=int, default=24, help="maximum discs of a position")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="pack both seats")
    chosen = parser.parse_args()
    chosen.part.mkdir(parents=True, exist_ok=True)
    if chosen.seat is not None:
        maker = Maker(chosen.part / str(chosen.seat), chosen.nodes, chosen.threads)
        maker.make(chosen.seat, chosen.plies)
    if chosen.write:
        found = [layer(path) for path in sorted(chosen.part.glob("*/layer-??.npz"))]
        keys = np.concatenate([keys for keys, _ in found])
        columns = np.concatenate([columns for _, columns in found])
        moves = dict(zip(keys.tolist(), columns.tolist(), strict=True))
        BOOK.parent.mkdir(exist_ok=True)
        BOOK.write_bytes(pack_book(moves, STANDARD))
        print(f"{BOOK}: {len(keys):,} positions, {BOOK.stat().st_size:,} bytes")


def pack_book(moves: Mapping[int, int], geometry: Geometry) -> bytes:
    """Pack positions, by their canonical keys, each with the column to play there."""
    numbers = bytearray()
    before = 0
    for key in sorted(moves):
        number = (key - before) * geometry.columns + moves[key]
        before = key
        while number > 127:
            numbers.append(number & 127 | 128)
            number >>= 7
        numbers.append(number)
    sizes = bytes((geometry.columns, geometry.rows, geometry.connect))
    return sizes + zlib.compress(bytes(numbers), 9)


def layer(path: Path) -> tuple[Keys, Columns]:
    with np.load(path) as file:
        return file["keys"], file["columns"]


class Maker:
    """Makes the layers of one seat, one file for each, in a folder."""

    def __init__(self, folder: Path, nodes: int, threads: int) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.nodes = nodes
        self.solver = Solver(table_mb=512, threads=threads)
        self.cold = ExactSearch(STANDARD, table_mb=4)

    def make(self, seat: int, max_plies: int) -> None:
        keys = np.zeros(1, dtype=np.uint64)
        if seat == 1:
            keys = after_replies(keys)
        for ply in range(seat, max_plies + 1, 2):
            path = self.folder / f"layer-{ply:02}.npz"
            if not path.exists():
                self.make_layer(keys, path)
            keys, columns = layer(path)
            print(f"ply {ply}: {len(keys):,} positions", flush=True)
            if not len(keys):
                return
            keys = after_replies(after_own(keys, columns))

    def make_layer(self, keys: Keys, path: Path) -> None:
        """Write the hard positions, with a best column for each."""
        part = path.with_suffix(".part.npz")
        done, hard, columns = 0, keys[:0], np.zeros(0, dtype=np.uint8)
        if part.exists():
            with np.load(part) as file:
                done, hard, columns = int(file["done"]), file["hard"], file["columns"]
        began, before = time.perf_counter(), done
        while done < len(keys):
            chunk = keys[done : done + CHUNK]
            found = chunk[[self.is_hard(key) for key in chunk]]
            hard = np.concatenate([hard, found])
            columns = np.concatenate([columns, self.best_columns(found)])
            done += len(chunk)
            np.savez(part, done=done, hard=hard, columns=columns)
            rate = (done - before) / (time.perf_counter() - began)
            print(
                f"{path.stem}: {done:,}/{len(keys):,}, {len(hard):,} hard, {rate:.0f}/s",
                end="\r",
                file=sys.stderr,
                flush=True,
            )
        np.savez(path, keys=hard, columns=columns)
        part.unlink(missing_ok=True)

    def is_hard(self, key: np.uint64) -> bool:
        mine, mask = discs_of_keys(np.array([key]), STANDARD)
        if int(mask[0]).bit_count() < 8:
            return True
        self.cold.clear()
        try:
            self.cold.score(int(mine[0]), int(mask[0]), nodes=self.nodes)
        except SearchStopped:
            return True
        return False

    def best_columns(self, keys: Keys) -> Columns:
        """Return for each position the column nearest to the center that keeps its score."""
        if not len(keys):
            return np.zeros(0, dtype=np.uint8)
        boards = discs_of_keys(keys, STANDARD)
        scores = self.solver.scores_many(boards).astype(np.int16)
        order = list(STANDARD.center_order)
        best = np.argmax(scores[:, order], axis=1)
        columns: Columns = np.array(order, dtype=np.uint8)[best]
        return columns


def after_own(keys: Keys, columns: Columns) -> Keys:
    """Return the keys of the unfinished positions after the move of each."""
    mine, mask = discs_of_keys(keys, STANDARD)
    found = []
    for column, (can, theirs, mask_after) in enumerate(moves(mine, mask, STANDARD)):
        chosen = columns[can] == column
        found.append(unfinished(theirs[chosen], mask_after[chosen]))
    return np.unique(np.concatenate(found))


def after_replies(keys: Keys) -> Keys:
    """Return the keys of the unfinished positions after every move of each."""
    mine, mask = discs_of_keys(keys, STANDARD)
    return np.unique(np.concatenate(list(_replies(mine, mask))))


def _replies(mine: Keys, mask: Keys) -> Iterator[Keys]:
    for _, theirs, mask_after in moves(mine, mask, STANDARD):
        yield unfinished(theirs, mask_after)


def unfinished(mine: Keys, mask: Keys) -> Keys:
    """Return the canonical keys of the positions that are not over."""
    ongoing = ~has_line(mine ^ mask, STANDARD) & (mask != np.uint64(STANDARD.board))
    return canonical_keys((mine + mask)[ongoing], STANDARD)


if __name__ == "__main__":
    main()
