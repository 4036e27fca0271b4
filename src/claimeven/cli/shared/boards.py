"""Boards as a stream can show them."""

from __future__ import annotations

from typing import TextIO

from claimeven.cli.shared.streams import can_show, has_colours
from claimeven.game.drawing import draw
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position


def board_text(position: Position, stream: TextIO, last: int | None = None) -> str:
    """Draw a board: ASCII where the stream needs it, colour on a colour terminal."""
    charset = "unicode" if can_show("┌●○", stream) else "ascii"
    return draw(position, charset=charset, last=last, colour=has_colours(stream))


def ongoing(moves: str, geometry: Geometry) -> Position:
    """Return the position after the moves; `ClaimevenError` if the game is over by then."""
    position = Position.from_moves(moves, geometry)
    if position.is_over:
        raise ClaimevenError(f"the game is over after {moves}: {position.outcome}")
    return position
