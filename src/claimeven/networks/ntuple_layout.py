"""The arrays by which kernels know the tuples of a network.

A slot is a tuple or its mirror image: slot 2i is tuple i, slot 2i + 1 its image.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from claimeven.compiled import Ints, int64, named_tuple


class TupleArrays(NamedTuple):
    """What kernels need to know of tuples; arrays of int64.

    The uses of the cell whose bit is b (see `Geometry.bit`) are `places[b]:places[b + 1]` of
    `use_slots` and `use_powers`: in which slot it is, and the weight of its digit there.
    `slot_tables` is where the table of each slot begins, `start_indices` the index of each slot on
    the empty board.
    """

    places: Ints
    use_slots: Ints
    use_powers: Ints
    slot_tables: Ints
    start_indices: Ints


TUPLES: Final = named_tuple(TupleArrays, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])
