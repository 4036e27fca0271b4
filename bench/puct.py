"""Speed of the search with priors: `python -m bench.puct [PART ...]`.

Parts: batches, forest, tree (default: all). `batches`: one position, with 1, 8 and 32 leaves
evaluated together, by the bundled model. `forest`: 256 games in lockstep, as in self-play. `tree`:
the search with a model that takes no time. Every part asserts its visits: a change of these is a
change of behavior.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import numpy as np

from bench.timing import best_of, machine
from claimeven import Geometry, Position
from claimeven.montecarlo.puct import PuctForest, PuctOptions, PuctSearch
from claimeven.montecarlo.puct.policy_value import UniformPolicyValue
from claimeven.networks.loading import BUNDLED_NTUPLE, read_policy_value

ITERATIONS = 20_000
GAMES, EACH = 256, 200
POSITION = Position.from_moves("4453")
#: Visits of the columns of POSITION after ITERATIONS, by leaves in a batch.
BATCHES = {
    1: (15, 15, 463, 19255, 22, 175, 54),
    8: (15, 15, 465, 19252, 22, 176, 54),
    32: (15, 15, 464, 19254, 22, 175, 54),
}
#: Visits of all roots of `forest` by column, by leaves in a batch; and of the board in `tree`.
FOREST = {
    1: (1112, 6256, 11148, 16126, 9837, 5409, 1056),
    8: (1148, 6330, 11121, 15912, 9880, 5449, 1104),
}
TREE = (988, 1905, 4070, 6010, 4031, 1918, 1078)


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def check(what: str, found: tuple[int, ...], signature: tuple[int, ...]) -> None:
    assert found == signature, f"{what}: visits {found}, not {signature}"


def batches() -> None:
    model = read_policy_value(BUNDLED_NTUPLE)
    for leaves, signature in BATCHES.items():
        options = PuctOptions(leaves=leaves, capacity=200_000, reuse=False)
        search = PuctSearch(model, options)
        search.load(Geometry())
        rng = np.random.default_rng(1)
        seconds, result = best_of(3, partial(search.search, POSITION, rng, iterations=ITERATIONS))
        check(f"{leaves} leaves", tuple(c.visits for c in result.root.children), signature)
        print(
            f"{leaves:>3} leaves a batch: {result.iterations / seconds:>9,.0f} iterations a second"
        )


def forest() -> None:
    model = read_policy_value(BUNDLED_NTUPLE)
    model.load()
    PuctForest.load()
    for leaves, signature in FOREST.items():
        trees = PuctForest(trees=GAMES, nodes_per_tree=8 * EACH)
        for tree in range(GAMES):
            trees.reset(tree, opening(tree))
        start = time.perf_counter()
        made = trees.run(model, EACH, leaves)
        seconds = time.perf_counter() - start
        check(f"{leaves} leaves", tuple(trees.visits().sum(axis=0).tolist()), signature)
        print(
            f"{GAMES} games, {leaves} leaves a batch of each:"
            f" {made / seconds:>9,.0f} iterations a second, {trees.memory / 1e6:.0f} MB"
        )


def opening(number: int) -> Position:
    """Return the position after the three moves that a number encodes."""
    columns = Geometry().columns
    moves = [number // columns**place % columns for place in range(3)]
    return Position.from_moves(moves)


def tree() -> None:
    model = UniformPolicyValue()
    trees = PuctForest(nodes_per_tree=8 * ITERATIONS)
    trees.run(model, 1)
    start = time.perf_counter()
    made = trees.run(model, ITERATIONS, 32)
    seconds = time.perf_counter() - start
    check("tree", tuple(trees.visits()[0].tolist()), TREE)
    print(
        f"the search without a model, 32 leaves a batch: {made / seconds:,.0f} iterations a second"
    )


PARTS = {"batches": batches, "forest": forest, "tree": tree}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parts = parser.parse_args().parts
    for part in parts:
        if part not in PARTS:
            parser.error(f"PART must be one of {', '.join(PARTS)}, got {part!r}")
    print(machine())
    for part in parts or PARTS:
        print(f"\n{part}")
        PARTS[part]()


if __name__ == "__main__":
    main()
