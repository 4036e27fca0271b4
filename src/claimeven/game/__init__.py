"""The rules: geometry, positions, notation, encodings, drawing, counting positions."""

from claimeven.game import position as _position
from claimeven.game.errors import (
    ClaimevenError,
    IllegalMove,
    InvalidGeometry,
    InvalidNotation,
    InvalidPosition,
)
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.line import Line
from claimeven.game.notation import column_name, format_moves, parse_column, parse_moves
from claimeven.game.outcome import FIRST, SECOND, Outcome
from claimeven.game.position import Position

__all__ = [
    "FIRST",
    "SECOND",
    "STANDARD",
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


def _as_text(position: Position) -> str:
    from claimeven.game.drawing import draw  # noqa: PLC0415 - few positions are ever drawn

    return draw(position)


def _as_svg(position: Position) -> str:
    from claimeven.game.svg import draw_svg  # noqa: PLC0415 - few positions are ever drawn

    return draw_svg(position)


def _as_html(position: Position, last: int | None) -> str:
    from claimeven.game.svg import draw_svg  # noqa: PLC0415 - few positions are ever drawn
    from claimeven.markup import drawing  # noqa: PLC0415 - see above

    return drawing(draw_svg(position, last, bare=True))


def _as_fen(position: Position) -> str:
    from claimeven.game.encodings import to_fen  # noqa: PLC0415 - brings in NumPy

    return to_fen(position)


def _read_fen(text: str, connect: int) -> Position:
    from claimeven.game.encodings import read_fen  # noqa: PLC0415 - brings in NumPy

    return read_fen(text, connect)


# The one place that knows both: positions show themselves, and drawing stands above the rules.
_position.as_text, _position.as_svg, _position.as_html = _as_text, _as_svg, _as_html
_position.as_fen, _position.read_fen = _as_fen, _read_fen
