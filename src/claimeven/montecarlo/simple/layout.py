"""What flat and breadth-first search add to the records of a tree (`tree.layout`).

Beside the records stands one more int32 for each node, its parent (NO_NODE at the root), by which a
result is backed up from any node.
"""

from __future__ import annotations

from claimeven.montecarlo.layout import SHARED_STATE_FIELDS

# Fields of `state` behind the shared ones: the next node of `breadth`, and where the next leaf is
# looked for (`breadth`, `flat`).
CURSOR, LEAF, STATE_FIELDS = range(SHARED_STATE_FIELDS, SHARED_STATE_FIELDS + 3)
