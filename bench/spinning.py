"""Two agents that take a millisecond for a move, for the overhead in `bench.arena`."""

from __future__ import annotations

import time

from claimeven import Position

#: Seconds a move takes.
SECONDS = 0.001


def one(position: Position) -> int:
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        pass
    legal = position.legal_columns
    return legal[len(legal) // 2]


def other(position: Position) -> int:
    return one(position)
