"""Arrays of positions: checks, results of finished games, children."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.game.batch import Boards, boards, disc_counts, has_line, moves, word
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
        mine, mask = (np.ascontiguousarray(words) for words in positions)
        _check_arrays(mine, mask, geometry)
        return mine, mask
    if not isinstance(positions, Iterable):
        raise InvalidSolve(f"positions must be Positions of {geometry}, not {positions!r}")
    found = list(positions)
    for position in found:
        if not isinstance(position, Position) or position.geometry != geometry:
            raise InvalidSolve(f"positions must be Positions of {geometry}, not {position!r}")
    return (
        boards([position.mine for position in found], geometry),
        boards([position.mask for position in found], geometry),
    )


def _check_arrays(mine: Boards, mask: Boards, geometry: Geometry) -> None:
    dtype = boards([], geometry).dtype
    for words in (mine, mask):
        if words.dtype != dtype or words.ndim != 1 or len(words) != len(mine):
            raise InvalidSolve(f"mine and mask must be {dtype} arrays of one shape (n,)")
        numbers: list[Any] = [] if geometry.fits_word else words.tolist()
        if not all(isinstance(each, int) and each >= 0 for each in numbers):
            raise InvalidSolve("mine and mask must be arrays of integers of 0 or more")
    bad = is_invalid_position(mine, mask, geometry)
    if bad.any():
        raise InvalidSolve(f"entry {int(np.argmax(bad))} is not a valid position of {geometry}")


def is_invalid_position(mine: Boards, mask: Boards, geometry: Geometry) -> npt.NDArray[np.bool_]:
    """Return which positions are invalid.

    Their discs float, are miscounted, or include a line of the side to move.
    """
    bottom, board = word(geometry.bottom, geometry), word(geometry.board, geometry)
    own, others = disc_counts(mine), disc_counts(mine ^ mask)
    bad: npt.NDArray[np.bool_] = (
        (mask & ~board != 0)
        | (mine & ~mask != 0)
        | (mask & (mask + bottom) != 0)
        | (others - own != (others + own) % 2)
        | has_line(mine, geometry)
    )
    return bad


def unfinished(mine: Boards, mask: Boards, geometry: Geometry) -> npt.NDArray[np.intp]:
    """Return which positions are not over yet."""
    is_open = mask != word(geometry.board, geometry)
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
