"""Boards as a stream can show them."""

from __future__ import annotations

from typing import TextIO

from claimeven.cli.common.streams import can_show, has_colours
from claimeven.game.drawing import draw
from claimeven.game.position import Position


def board_text(
    position: Position, stream: TextIO, last: int | None = None, result: bool = True
) -> str:
    """Draw a board: ASCII where the stream needs it, colour on a colour terminal."""
    charset = "unicode" if can_show("┌●○", stream) else "ascii"
    return draw(position, charset=charset, last=last, result=result, colour=has_colours(stream))
