"""Counting games and positions a number of plies ahead.

The counts test the rules against published counts, and their time shows the speed of moves. The
compiled twins in `perft_kernel` count on boards of up to 128 bits, and this module on any board.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from claimeven.compiled import MAX_BITS
from claimeven.game import bitboard
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position, check_position
from claimeven.game.validation import one_of, whole_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BACKENDS = ("auto", "compiled", "python")


def perft(position: Position, depth: int, backend: str = "auto") -> int:
    """Return the number of sequences of exactly `depth` legal moves from a position.

    A game that ends earlier does not count. `backend` is "auto", "compiled" (boards of up to 128
    bits) or "python". Raises `ClaimevenError` unless `position` is a `Position`, and for a negative
    depth or an unknown backend, and `InvalidGeometry` for a board too large for compiled code.

    >>> [perft(Position(), depth) for depth in range(5)]
    [1, 7, 49, 343, 2401]
    """
    if not _is_compiled(position, depth, backend):
        return _sequences(position.mine, position.mask, depth, position.geometry)
    if depth == 0:
        return 1
    from claimeven.game import perft_kernel  # noqa: PLC0415 - brings in Numba

    return 0 if position.is_over else perft_kernel.count_sequences(position, depth)


def distinct(position: Position, depth: int, backend: str = "auto") -> tuple[int, ...]:
    """Return the number of distinct positions 0, 1, .. `depth` plies ahead.

    Finished games count; mirror images count as two. The tuple has `depth` + 1 entries, zero once
    all games are over. Backend and errors as for `perft`.

    >>> distinct(Position(), 4)
    (1, 7, 49, 238, 1120)
    """
    return tuple(distinct_by_ply(position, depth, backend))


def distinct_by_ply(position: Position, depth: int, backend: str = "auto") -> Iterator[int]:
    """Yield the numbers of `distinct`, each as soon as it is counted.

    Backend and errors as for `perft`; errors are raised at the first number.

    >>> next(distinct_by_ply(Position(), 30))
    1
    """
    if _is_compiled(position, depth, backend):
        from claimeven.game import perft_kernel  # noqa: PLC0415 - brings in Numba

        yield from (len(keys) for keys in perft_kernel.layers(position, depth))
        return
    layer = {(position.mine, position.mask)}
    yield 1
    for _ in range(depth):
        layer = _children(layer, position.geometry)
        yield len(layer)


def distinct_totals(geometry: Geometry, backend: str = "auto") -> tuple[int, ...]:
    """Return the number of distinct positions with 0, 1, .. all cells of a board filled.

    >>> sum(distinct_totals(Geometry(3, 4), backend="python"))
    6000
    """
    return distinct(Position(geometry), geometry.cells, backend)


def distinct_discs(position: Position, depth: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return every distinct position exactly `depth` plies ahead, including finished games.

    Two uint64 arrays of equal length, `mine` and `mask` as in `Position`, in the order of
    `Position.key`; on boards of more than 64 bits they are `WideWords`. Raises `InvalidGeometry`
    for boards of more than 128 bits.
    """
    _is_compiled(position, depth, "compiled")
    from claimeven.game import perft_kernel  # noqa: PLC0415 - brings in Numba

    *_, keys = perft_kernel.layers(position, depth)
    return perft_kernel.discs_of_keys(keys, position.geometry)


def _is_compiled(position: Position, depth: int, backend: str) -> bool:
    """Check the arguments; return whether to run compiled code."""
    check_position(position)
    geometry = position.geometry
    one_of(backend, "backend", BACKENDS)
    whole_number(depth, "depth", low=0)
    if backend == "python":
        return False
    if backend == "compiled":
        geometry.check_fits_word(bits=MAX_BITS)
    return geometry.bits <= MAX_BITS


# --- on Python integers --------------------------------------------------------------------------


def _sequences(mine: int, mask: int, depth: int, geometry: Geometry) -> int:
    if depth == 0:
        return 1
    return sum(
        _sequences(after_mine, after_mask, depth - 1, geometry)
        for after_mine, after_mask in _children({(mine, mask)}, geometry)
    )


def _children(layer: set[tuple[int, int]], geometry: Geometry) -> set[tuple[int, int]]:
    found = set()
    for mine, mask in layer:
        theirs = mine ^ mask
        if bitboard.has_line(theirs, geometry):
            continue
        moves = bitboard.playable_cells(mask, geometry)
        while moves:
            move = moves & -moves
            moves ^= move
            found.add((theirs, mask | move))
    return found
