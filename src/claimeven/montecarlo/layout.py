"""The tree as one array of small records, and what the fields of a record hold.

```text
    nodes[i] = VISITS | TOTAL | CHILD | META        four int32, 16 bytes
                                        |
             bits 0-3 column   4-8 children   9-10 proof   11-  distance
```

A node stands for a move and the position after it. VISITS counts iterations through it, TOTAL
sums their results (-1, 0, +1) as the player sees them who made the move. CHILD is the index of its
first child, NO_CHILDREN before it is expanded; the children lie side by side, in the order in
which they are tried. A proof, as the same player sees it, says that the game is won, lost or drawn
with best play in `distance` more moves; a finished game is proven at distance 0. TreeNode 0 is the
root; its move is none, and its results are those of the side not to move.

Children always lie behind their parent. Positions are not stored: a descent plays them. No node
has more than MOST_VISITS, at which a search ends, so that VISITS and TOTAL never overflow.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from claimeven.compiled import Int, inlined
from claimeven.game.geometry import WORD_BITS

Records: TypeAlias = Any  #: an array of int32, in kernels

VISITS, TOTAL, CHILD, META, FIELDS = range(5)

NO_CHILDREN: Final = -1
NO_NODE: Final = -1
ROOT: Final = 0

#: Visits of the root at which a search ends: the most that an int32 holds.
MOST_VISITS: Final = 2**31 - 1

#: How many moves on a position is looked for in a kept tree.
REUSE_PLIES: Final = 4

#: Proofs, as the player sees them who moved into the node.
UNPROVEN, PROVEN_WIN, PROVEN_LOSS, PROVEN_DRAW = range(4)
#: The result that goes with each proof.
PROOF_RESULTS: Final = (0, 1, -1, 0)

COLUMN_BITS, COUNT_BITS, PROOF_BITS = 4, 5, 2
COUNT_SHIFT: Final = COLUMN_BITS
PROOF_SHIFT: Final = COUNT_SHIFT + COUNT_BITS
DISTANCE_SHIFT: Final = PROOF_SHIFT + PROOF_BITS
COLUMN_MASK: Final = (1 << COLUMN_BITS) - 1
COUNT_MASK: Final = (1 << COUNT_BITS) - 1
PROOF_MASK: Final = (1 << PROOF_BITS) - 1
_MOVE_MASK: Final = (1 << PROOF_SHIFT) - 1

# Fields of the `state` vector (int64) of a search, beside its tree.
# CURSOR is the next node of `breadth`, LEAF where the next leaf is looked for (`breadth`, `flat`).
USED, DEPTH, FULL, CURSOR, LEAF, STATE_FIELDS = range(6)
# Fields of the `words` vector (uint64): the root's position, the random state, and what playouts
# with `replies` need: from REPLIES on a cell for each player and cell, from PLAYED on the moves of
# a playout, in the order they were made.
MINE, MASK, RANDOM_STATE, REPLIES = range(4)
PLAYED: Final = REPLIES + 2 * WORD_BITS
WORDS_FIELDS: Final = PLAYED + WORD_BITS
# Fields of the `settings` vector (int64).
ALL_AT_ONCE, SHUFFLED, PLAYOUT, CUT, SOLVER, DECISIVE, MIRROR, SETTINGS_FIELDS = range(8)


@inlined
def column_of(meta: Int) -> Int:
    """Column of the move that led into a node."""
    return meta & COLUMN_MASK


@inlined
def count_of(meta: Int) -> Int:
    """Number of children of an expanded node."""
    return (meta >> COUNT_SHIFT) & COUNT_MASK


@inlined
def proof_of(meta: Int) -> Int:
    """Proof of a node."""
    return (meta >> PROOF_SHIFT) & PROOF_MASK


@inlined
def distance_of(meta: Int) -> Int:
    """Moves to the end of the game behind a proof."""
    return meta >> DISTANCE_SHIFT


@inlined
def with_proof(meta: Int, proof: Int, distance: Int) -> Int:
    """`meta` with a proof put in (it had none)."""
    return (meta & _MOVE_MASK) | (proof << PROOF_SHIFT) | (distance << DISTANCE_SHIFT)


@inlined
def proof_result(proof: Int) -> Int:
    """MonteCarloResult that goes with a proof: +1, -1 or 0."""
    if proof == PROVEN_WIN:
        return 1
    return -1 if proof == PROVEN_LOSS else 0


def unpacked(meta: int) -> tuple[int, int, int, int]:
    """Column, number of children, proof and distance in a META field, for use from Python."""
    return (
        meta & COLUMN_MASK,
        (meta >> COUNT_SHIFT) & COUNT_MASK,
        (meta >> PROOF_SHIFT) & PROOF_MASK,
        meta >> DISTANCE_SHIFT,
    )
