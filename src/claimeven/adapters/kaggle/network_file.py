"""The networks that exported agents take along, packed as `parts.ntuple` reads them."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from typing import Final

from claimeven.agents.options import InvalidSpec
from claimeven.networks.ntuple import NTupleNetwork
from claimeven.networks.ntuple_file import packed

#: Weights, 0 or not, of a network in a submission: four bytes each in memory.
MOST_WEIGHTS: Final = 1 << 26


@lru_cache(maxsize=2)
def packed_network(network: NTupleNetwork) -> bytes:
    """Return a network in few bytes. Raises `InvalidSpec` for one that is too large."""
    if len(network.weights) > MOST_WEIGHTS:
        raise InvalidSpec(
            f"a network of {len(network.weights):,} weights cannot be exported: up to"
            f" {MOST_WEIGHTS:,} can be"
        )
    board = network.geometry
    arrays = packed(network)
    head = bytearray((board.columns, board.rows, board.connect))
    head += struct.pack("<H", len(network.tuples.tuples))
    for cells in network.tuples.tuples:
        head += bytes((len(cells), *(column * board.rows + row for column, row in cells)))
    head += struct.pack("<f", arrays["unit"][0])
    numbers = arrays["places"].tobytes() + arrays["weights"].tobytes()
    return bytes(head) + zlib.compress(numbers, 9)
