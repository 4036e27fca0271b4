"""What flat and breadth-first search add to the records of a tree (`tree.layout`).

Beside the records stands one more int32 for each node, its parent (NO_NODE at the root), by which a
result is backed up from any node.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.compiled import int32, named_tuple
from claimeven.montecarlo.layout import SHARED_STATE_FIELDS
from claimeven.montecarlo.tree.layout import tree_records

# Fields of `state` behind the shared ones: the next node of `breadth`; where the next leaf is
# looked for (`breadth`, `flat`); and 1 while `flat` stays at a leaf, 0 where leaves take turns.
CURSOR, LEAF, STAYS, STATE_FIELDS = range(SHARED_STATE_FIELDS, SHARED_STATE_FIELDS + 4)


class LinkedTree(NamedTuple):
    """A tree with the way up."""

    nodes: npt.NDArray[np.int32]
    parents: npt.NDArray[np.int32]


LINKED_TREE: Final = named_tuple(LinkedTree, int32[:, ::1], int32[::1])


def linked_tree(capacity: int) -> LinkedTree:
    """Set memory aside for a tree of up to `capacity` nodes."""
    return LinkedTree(tree_records(capacity), np.zeros(capacity, dtype=np.int32))
