"""The rules: geometry, positions, notation, encodings, drawing, counting positions."""

from claimeven.game.errors import (
    ClaimevenError,
    IllegalMove,
    InvalidGeometry,
    InvalidNotation,
    InvalidPosition,
)
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import column_name, format_moves, parse_column, parse_moves
from claimeven.game.outcome import FIRST, SECOND, Outcome
from claimeven.game.position import Position

__all__ = [
    "FIRST",
    "SECOND",
    "STANDARD",
    "ClaimevenError",
    "GameLine",
    "Geometry",
    "IllegalMove",
    "InvalidGeometry",
    "InvalidNotation",
    "InvalidPosition",
    "Outcome",
    "Position",
    "column_name",
    "format_moves",
    "parse_column",
    "parse_moves",
]
