"""Boards in environments: as text, as an image in an array, or as text on the terminal."""

from __future__ import annotations

import os
import sys
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from claimeven.game.drawing import draw
from claimeven.game.position import Position
from claimeven.game.svg import BOARD, COLORS, EMPTY, LIGHT

RENDER_MODES: Final = ("ansi", "rgb_array", "human")

Image = NDArray[np.uint8]

#: Lengths in parts of a cell, as in the drawings in SVG.
_HOLE, _RIM, _RING, _DOT = 25 / 60, 24 / 60, 13 / 60, 6 / 60
_STROKE = 3 / 60


def rendered(position: Position, mode: str, last: int | None = None) -> Any:
    """Return a position as text ("ansi") or image ("rgb_array"), or print it ("human": None).

    `last` is the column played last.
    """
    if mode == "ansi":
        return draw(position, last=last)
    if mode == "rgb_array":
        return image(position)
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    charset = "unicode" if "utf" in (sys.stdout.encoding or "").lower() else "ascii"
    print(draw(position, charset=charset, last=last, color=color), end="\n\n", flush=True)
    return None


def image(position: Position, cell: int = 48) -> Image:
    """Return a drawing of a board: uint8 (rows * cell, columns * cell, 3), the top row first.

    Discs differ in lightness and in their marks, a ring and a dot; the discs of a line have a
    light rim.

    >>> image(Position.from_moves("44")).shape
    (288, 336, 3)
    """
    geometry = position.geometry
    tiles = {owner: _tile(owner, False, cell) for owner in (None, 0, 1)}
    won = set() if position.outcome is None else set(position.outcome.cells)
    rows = []
    for row in reversed(range(geometry.rows)):
        owners = position.rows[row]
        drawn = [
            _tile(owner, True, cell) if (column, row) in won else tiles[owner]
            for column, owner in enumerate(owners)
        ]
        rows.append(np.concatenate(drawn, axis=1))
    return np.concatenate(rows, axis=0)


def _tile(owner: int | None, won: bool, cell: int) -> Image:
    """Return the image of one cell, its edges softened over a pixel."""
    across = (np.arange(cell) + 0.5) / cell - 0.5
    distance = np.hypot(across[:, None], across[None, :])
    picture = np.broadcast_to(_rgb(BOARD), (cell, cell, 3))

    def disc(radius: float, color: str) -> None:
        nonlocal picture
        cover = np.clip((radius - distance) * cell + 0.5, 0.0, 1.0)[..., None]
        picture = picture * (1 - cover) + _rgb(color) * cover

    disc(_HOLE, EMPTY)
    if owner is not None:
        fill, rim, mark = COLORS[owner]
        disc(_RIM + _STROKE / 2, LIGHT if won else rim)
        disc(_RIM - _STROKE / 2, fill)
        disc(_RING + _STROKE / 2 if owner == 0 else _DOT, mark)
        if owner == 0:
            disc(_RING - _STROKE / 2, fill)
    return picture.round().astype(np.uint8)


def _rgb(color: str) -> NDArray[np.float64]:
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)
