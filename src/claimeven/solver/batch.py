"""Arrays of positions: checks, results of finished games, children."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.compiled.types import is_narrow
from claimeven.compiled.wide import WideWords, words, words_of
from claimeven.game.batch import Boards, disc_counts, has_line, moves
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.solver.errors import InvalidSolve
from claimeven.solver.scores import win_score


def as_boards(
    positions: Sequence[Position] | tuple[Boards, Boards], geometry: Geometry
) -> tuple[Boards, Boards]:
    """Return `mine` and `mask` of positions, arrays of shape (n,) as in `game.batch`, checked.

    Raises `InvalidSolve` for positions of another board, arrays of other shapes, and invalid discs:
    floating, miscounted, or with a line for the side to move.
    """
    if (
        isinstance(positions, tuple)
        and len(positions) == 2
        and isinstance(positions[0], np.ndarray)
    ):
        found = [_words(each, geometry) for each in positions]
        kind = words(0, geometry.bits)
        if any(w.dtype != kind.dtype or w.ndim != 1 or len(w) != len(found[0]) for w in found):
            name = "WideWords" if isinstance(kind, WideWords) else "uint64"
            raise InvalidSolve(f"mine and mask must be {name} arrays of one shape (n,)")
        mine, mask = found
        bad = is_invalid_position(mine, mask, geometry)
        if bad.any():
            raise InvalidSolve(f"entry {int(np.argmax(bad))} is not a valid position of {geometry}")
        return mine, mask
    if not isinstance(positions, Iterable):
        raise InvalidSolve(f"positions must be Positions of {geometry}, not {positions!r}")
    listed = list(positions)
    for position in listed:
        if not isinstance(position, Position) or position.geometry != geometry:
            raise InvalidSolve(f"positions must be Positions of {geometry}, not {position!r}")
    return (
        words_of([position.mine for position in listed], geometry.bits),
        words_of([position.mask for position in listed], geometry.bits),
    )


def _words(given: npt.NDArray[Any], geometry: Geometry) -> Boards:
    """Return an array, contiguous; integers of a wide board (dtype object) as its words."""
    if given.dtype == object and not is_narrow(geometry.bits):
        numbers = given.tolist()
        if all(isinstance(each, int) and not each >> geometry.bits for each in numbers):
            given = words_of(numbers, geometry.bits)
    return np.require(given, requirements="C")


def is_invalid_position(mine: Boards, mask: Boards, geometry: Geometry) -> npt.NDArray[np.bool_]:
    """Return which positions have discs that float, wrong counts, or a line of the side to move."""
    own, others = disc_counts(mine), disc_counts(mine ^ mask)
    return np.asarray(
        (mask & geometry.board != mask)
        | (mine & ~mask != 0)
        | (mask & (mask + geometry.bottom) != 0)
        | (others - own != (others + own) % 2)
        | has_line(mine, geometry)
    )


def unfinished(mine: Boards, mask: Boards, geometry: Geometry) -> npt.NDArray[np.intp]:
    """Return which positions are not over yet."""
    is_open = mask != geometry.board
    return np.flatnonzero(~has_line(mine ^ mask, geometry) & is_open)


def final_scores(mine: Boards, mask: Boards, geometry: Geometry) -> npt.NDArray[np.int8]:
    """Return the scores of finished games for the side that would be to move, 0 for others."""
    lost = has_line(mine ^ mask, geometry)
    return np.where(lost, -win_score(geometry, disc_counts(mask) - 1), 0).astype(np.int8)


def children(
    mine: Boards, mask: Boards, geometry: Geometry
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Boards, Boards]:
    """Return every move of the unfinished positions: (which position, column, mine, mask)."""
    places = unfinished(mine, mask, geometry)
    parts = [
        (places[can], np.full(len(can), column), child_mine, child_mask)
        for column, (can, child_mine, child_mask) in enumerate(
            moves(mine[places], mask[places], geometry)
        )
    ]
    which, columns, child_mine, child_mask = (
        np.concatenate(part) for part in zip(*parts, strict=True)
    )
    return which, columns, child_mine, child_mask
