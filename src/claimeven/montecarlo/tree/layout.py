"""The tree as one array of small records, and what the fields of a record hold.

```text
    nodes[i] = VISITS | TOTAL | CHILD | META        four int32, 16 bytes
```

A node stands for a move and the position after it. VISITS counts iterations through it, TOTAL
sums their results (-1, 0, +1) as the player sees them who made the move. CHILD is the index of its
first child, NO_CHILDREN before it is expanded; the children lie side by side, in the order in
which they are tried. META: see `montecarlo.layout`. Node 0 is the root; its move is none, and its
results are those of the side not to move.

Children always lie behind their parent. Positions are not stored: a descent plays them. No node
has more than MOST_VISITS, at which a search ends, so that VISITS and TOTAL never overflow.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from claimeven.montecarlo.layout import SHARED_STATE_FIELDS

VISITS, TOTAL, CHILD, META, FIELDS = range(5)

NO_CHILDREN: Final = -1
ROOT: Final = 0
#: The record of a root that nothing is known of.
NEW_ROOT: Final = (0, 0, NO_CHILDREN, 0)

#: How many moves on a position is looked for in a kept tree.
REUSE_PLIES: Final = 4

#: The `state` of a tree has the shared fields alone.
STATE_FIELDS: Final = SHARED_STATE_FIELDS


def tree_records(capacity: int) -> npt.NDArray[np.int32]:
    """Set memory aside for a tree of up to `capacity` nodes."""
    return np.zeros((capacity, FIELDS), dtype=np.int32)
