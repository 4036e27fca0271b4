"""Compare the published tree searches with the ones rebuilt from their texts, node for node.

python -m tests.originals.compare [--positions 1000] [--iterations 100]
"""

from __future__ import annotations

import argparse

import numpy as np

from claimeven import Position
from claimeven.montecarlo import Branch, MonteCarloSearch, preset
from tests.originals.positions import columns_of, load
from tests.originals.rebuilt import SEARCHES, Node


def disagreements(name: str, backend: str, positions: int, iterations: int) -> list[str]:
    """Return the positions, as moves, in which any node has other visits or results."""
    # The lab looks for a win at once after its search, ours does not search then.
    search = MonteCarloSearch(preset(name, capacity=10_000, decisive="off"), backend)
    found = []
    for moves in load("positions")["going_on"][:positions]:
        seed = int(np.random.default_rng(1).integers(0, 2**64, dtype=np.uint64))
        rebuilt = SEARCHES[name].grow(columns_of(moves), seed, iterations)
        rng = np.random.default_rng(1)
        ours = search.search(Position.from_moves(moves), rng, iterations).forest.branch(None)
        if not alike(ours, rebuilt, is_root=True):
            found.append(moves)
    return found


def alike(ours: Branch, rebuilt: Node, is_root: bool = False) -> bool:
    """Whether two trees hold the same visits and results at every node."""
    # The root is told as the side to move sees it.
    total = -rebuilt.total if is_root else rebuilt.total
    if (ours.visits, ours.total) != (rebuilt.visits, total):
        return False
    children = sorted(rebuilt.children, key=lambda child: child.column)
    return [child.column for child in ours.children] == [
        child.column for child in children
    ] and all(map(alike, ours.children, children))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--iterations", type=int, default=100)
    given = parser.parse_args()
    for name in SEARCHES:
        for backend in ("compiled", "python"):
            other = disagreements(name, backend, given.positions, given.iterations)
            same = given.positions - len(other)
            print(f"{name}, {backend}: {same:,} of {given.positions:,} trees are equal", flush=True)


if __name__ == "__main__":
    main()
