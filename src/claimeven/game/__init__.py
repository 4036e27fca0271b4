"""The rules: geometry, positions, notation, encodings, drawing, counting positions."""

from claimeven.game.errors import (
    ClaimevenError,
    IllegalMove,
    InvalidGeometry,
    InvalidNotation,
    InvalidPosition,
)
from claimeven.game.geometry import Geometry
from claimeven.game.line import Line
from claimeven.game.notation import column_name, format_moves, parse_column, parse_moves
from claimeven.game.position import FIRST, SECOND, Outcome, Position

__all__ = [
    "FIRST",
    "SECOND",
    "ClaimevenError",
    "Geometry",
    "IllegalMove",
    "InvalidGeometry",
    "InvalidNotation",
    "InvalidPosition",
    "Line",
    "Outcome",
    "Position",
    "column_name",
    "format_moves",
    "parse_column",
    "parse_moves",
]
