"""The book of moves that exported solvers take along: its file, and how one is packed.

The form is told in `parts.book`, which reads it. `bench/make_submission_book.py` makes the file.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from claimeven.game.geometry import Geometry

#: The book of the usual board.
BOOK: Final = Path(__file__).parent / "data" / "7x6.moves"


def packed_book(geometry: Geometry) -> bytes:
    """Return the packed book of a board, empty where there is none."""
    packed = BOOK.read_bytes()
    is_its_own = tuple(packed[:3]) == (geometry.columns, geometry.rows, geometry.connect)
    return packed if is_its_own else b""


def pack(moves: Mapping[int, int], geometry: Geometry) -> bytes:
    """Pack positions, by their canonical keys, each with the column to play there."""
    numbers = bytearray()
    before = 0
    for key in sorted(moves):
        number = (key - before) * geometry.columns + moves[key]
        before = key
        while number > 127:
            numbers.append(number & 127 | 128)
            number >>= 7
        numbers.append(number)
    head = bytes((geometry.columns, geometry.rows, geometry.connect))
    return head + zlib.compress(bytes(numbers), 9)
