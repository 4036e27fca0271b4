"""The graph of positions (a tree whose equal positions share a node) as arrays.

```text
    record of a node, 32 bytes, seen as int32, float64 and uint64
        VISITS | OWN_TOTAL | EDGES | META | VALUE (float64) | KEY (uint64)
    record of an edge, 8 bytes
        EDGE_VISITS | COLUMN AND NODE       bits 0-26 node + 1 (0: none), 27-30 column
    slots: open addressing from a key to its node, EMPTY where there is none
```

Visits are counted on edges, because a node is reached by several; a node's VISITS are those of its
edges and of its own playouts, whose results add up in OWN_TOTAL. VALUE is worked out anew from the
children whenever the node is passed: mean of its own results and of its children's values, each
weighted by the visits of its edge. So it does not matter by which way a child was visited (Wu,
"Monte-Carlo graph search from first principles", 2022). META: see
`montecarlo.layout`.

An iteration visits a node once at most, so MADE, the iterations since the graph was emptied, bounds
all visits. At MOST_VISITS of them a search ends, and half as many are room enough for the next
decision, or else the graph is emptied.

A full graph stores a new position in the place of another: of BUCKET places, from the one on that
its key points to, the least visited. Each move to the position that is replaced is untried again,
and what its visits brought counts among the own playouts of the node that the move is made from.

The edges of node i begin at i * columns. A million nodes of seven columns take 92 MiB at most: 32
bytes of record, seven edges of 8, and slots; memory of edges that no node has had is not touched.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.compiled import Int, float64, inlined, int32, named_tuple, uint64
from claimeven.montecarlo.layout import SHARED_STATE_FIELDS

VISITS, OWN_TOTAL, EDGES, META = range(4)
VALUE: Final = 2  # place among the float64 of a record
KEY: Final = 3  # place among the uint64 of a record
EDGE_VISITS, EDGE_TARGET = range(2)

NO_EDGES: Final = -1
EMPTY: Final = -1
#: Places that a new position may take in a full graph.
BUCKET: Final = 4
SPREAD_KEYS: Final = 0x9E3779B97F4A7C15

_TARGET_BITS: Final = 27
_TARGET_MASK: Final = (1 << _TARGET_BITS) - 1

# Fields of `state` behind the shared ones: the root's node, and iterations made since the graph was
# emptied.
GRAPH_ROOT, MADE, STATE_FIELDS = range(SHARED_STATE_FIELDS, SHARED_STATE_FIELDS + 3)


class Graph(NamedTuple):
    """The arrays of a graph; the first three are views of the same memory."""

    nodes: npt.NDArray[np.int32]
    values: npt.NDArray[np.float64]
    keys: npt.NDArray[np.uint64]
    edges: npt.NDArray[np.int32]
    slots: npt.NDArray[np.int32]


GRAPH: Final = named_tuple(
    Graph, int32[:, ::1], float64[:, ::1], uint64[:, ::1], int32[:, ::1], int32[::1]
)


def graph_arrays(capacity: int, columns: int) -> Graph:
    """Allocate an empty graph of up to `capacity` positions."""
    memory = np.zeros((capacity, 4), dtype=np.uint64)
    slots = 1 << max(capacity * 4 // 3, 1).bit_length()
    return Graph(
        memory.view(np.int32),
        memory.view(np.float64),
        memory,
        np.zeros((capacity * columns, 2), dtype=np.int32),
        np.full(slots, EMPTY, dtype=np.int32),
    )


@inlined
def edge_column(target: Int) -> Int:
    """Column of an edge."""
    return np.int64(target) >> _TARGET_BITS


@inlined
def edge_node(target: Int) -> Int:
    """Node an edge leads to, -1 before there is one."""
    return (np.int64(target) & _TARGET_MASK) - 1


@inlined
def edge_target(column: Int, node: Int) -> Int:
    """The EDGE_TARGET field of an edge; the inverse of `edge_column` and `edge_node`."""
    return (np.int64(column) << _TARGET_BITS) | (np.int64(node) + 1)


def unpacked_edge(target: int) -> tuple[int, int]:
    """Column and node of an EDGE_TARGET field, for use from Python."""
    return target >> _TARGET_BITS, (target & _TARGET_MASK) - 1
