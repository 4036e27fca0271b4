"""A forest of trees as flat arrays, and the fields of these arrays.

```text
    tree t = the nodes t * size ... t * size + size - 1, its root the first of them
    node i = counts[i] VISITS | FLIGHT | CHILD | META      four int32
             totals[i]                                     float64
             priors[i]                                     float32          28 bytes together
```

A node represents a move and the position after it. VISITS counts iterations through it, `totals`
sums their results from the view of the mover. FLIGHT counts iterations in flight through it, which
wait for the model. CHILD is its first child, NO_CHILDREN before it is expanded; the children, one
for each column that is not full, are adjacent, from the center outwards. META: column, number of
children, proof and distance, see `montecarlo.layout`. `priors` contains the model's prior of the
move, normalized over the moves without a proven loss.

Children come after their parent. Positions are not stored: a descent plays the moves.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from claimeven.compiled import Ints, Words, float32, float64, int32, int64, named_tuple, uint64
from claimeven.game.geometry import Geometry
from claimeven.montecarlo.layout import playout_vector
from claimeven.montecarlo.puct.options import PuctOptions

Floats: TypeAlias = Any  #: an array of float64
Singles: TypeAlias = Any  #: an array of float32

VISITS, FLIGHT, CHILD, META, FIELDS = range(5)
NO_CHILDREN: Final = -1
#: Bytes of a node in the three arrays.
NODE_BYTES: Final = 4 * FIELDS + 8 + 4

#: Fields of a tree's `states`: nodes in use, the deepest iteration since the root was set, and
#: whether the tree ran out of room since then.
USED, DEPTH, FULL, STATE_FIELDS = range(4)
#: Fields of a tree's `roots`: the discs of the side to move there, and all discs.
MINE, MASK, ROOT_FIELDS = range(3)
#: Fields of a leaf: its node, and its depth below the root.
LEAF, LENGTH, LEAF_FIELDS = range(3)
#: Fields of `settings`: see `PuctOptions`.
C, FPU, SOLVER, PRIOR_POWER, SETTINGS_FIELDS = range(5)


class Nodes(NamedTuple):
    """The nodes of all trees."""

    counts: Ints
    totals: Floats
    priors: Singles


class Trees(NamedTuple):
    """The data of each tree: root position, state, and the target of visits."""

    roots: Words
    states: Ints
    targets: Ints


class Leaves(NamedTuple):
    """The leaves that wait for the model, the nodes from the root down to each, and their
    positions. Row i of all arrays belongs to leaf i.
    """

    leaves: Ints
    paths: Ints
    mines: Words
    masks: Words


class PuctRules(NamedTuple):
    """The constants: options, columns from the center, board vector of `montecarlo.layout`."""

    settings: Floats
    order: Ints
    board: Words


NODES: Final = named_tuple(Nodes, int32[:, ::1], float64[::1], float32[::1])
TREES: Final = named_tuple(Trees, uint64[:, ::1], int64[:, ::1], int64[::1])
BATCH: Final = named_tuple(Leaves, int64[:, ::1], int64[:, ::1], uint64[::1], uint64[::1])
PUCT_RULES: Final = named_tuple(PuctRules, float64[::1], int64[::1], uint64[::1])


def new_forest(trees: int, nodes: int) -> tuple[Nodes, Trees]:
    """Allocate trees and all their nodes."""
    return (
        Nodes(np.zeros((nodes, FIELDS), np.int32), np.zeros(nodes), np.zeros(nodes, np.float32)),
        Trees(
            np.zeros((trees, ROOT_FIELDS), np.uint64),
            np.zeros((trees, STATE_FIELDS), np.int64),
            np.zeros(trees, np.int64),
        ),
    )


def new_batch(leaves: int, geometry: Geometry) -> Leaves:
    """Allocate the leaves of a batch."""
    return Leaves(
        np.zeros((leaves, LEAF_FIELDS), dtype=np.int64),
        np.zeros((leaves, geometry.cells + 1), dtype=np.int64),
        np.zeros(leaves, dtype=np.uint64),
        np.zeros(leaves, dtype=np.uint64),
    )


def rules_of(options: PuctOptions, geometry: Geometry) -> PuctRules:
    """Return the options and the board for kernels."""
    return PuctRules(
        np.array(options.numbers, dtype=np.float64),
        np.array(geometry.center_order, dtype=np.int64),
        playout_vector(geometry),
    )
