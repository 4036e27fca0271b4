"""Move strings, the record format of Connect Four.

One character per move, with columns counted from 1: `4455`. Boards of more than nine columns use
letters, with `a` for the first column: `jjkk`. Readers accept digits and letters on every board,
but not both in one string, so cells such as `d1` are not read as moves. White space is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from claimeven.game.errors import IllegalMove, InvalidNotation
from claimeven.game.geometry import STANDARD, Geometry, check_geometry
from claimeven.game.validation import items_of

_DIGITS = "123456789"
_LETTERS = "abcdefghijklmnop"
#: More digits are not read as a number.
_MAX_DIGITS = 4


def column_name(column: int, geometry: Geometry = STANDARD) -> str:
    """Return the character of a 0-based column: a digit, or a letter on more than 9 columns.

    Raises `IllegalMove` for a column that is not on the board.

    >>> column_name(3), column_name(9, Geometry(12, 6))
    ('4', 'j')
    """
    return column_names(geometry.columns)[geometry.check_column(column)]


def column_names(columns: int) -> str:
    """Return the characters of a number of columns.

    >>> column_names(4), column_names(10)
    ('1234', 'abcdefghij')
    """
    return (_DIGITS if columns <= len(_DIGITS) else _LETTERS)[:columns]


@cache
def _names(columns: int) -> dict[int, str]:
    return dict(enumerate(column_names(columns)))


def column_choices(geometry: Geometry = STANDARD) -> str:
    """Return the names of the columns of a board, for messages: `1 to 7`."""
    return f"{column_name(0, geometry)} to {column_name(geometry.columns - 1, geometry)}"


def parse_column(text: str, geometry: Geometry = STANDARD) -> int:
    """Return the 0-based column a single character (or a number from 1) names.

    Raises `InvalidNotation` naming the text and the choices.
    """
    name = text.strip().lower()
    if len(name) == 1 and name in _LETTERS:
        column = _LETTERS.index(name)
    elif name.isascii() and name.isdigit() and len(name) <= _MAX_DIGITS:
        column = int(name) - 1
    else:
        column = -1
    if not 0 <= column < geometry.columns:
        raise InvalidNotation(
            f"{text.strip()!r} is not a column: choose from {column_choices(geometry)}"
        )
    return column


def parse_moves(text: str, geometry: Geometry = STANDARD) -> tuple[int, ...]:
    """Return the 0-based columns of a move string; the inverse of `format_moves`.

    Only the characters are checked, not whether the moves can be played. Raises
    `InvalidNotation` naming the character, its place and the choices.

    >>> parse_moves("4455")
    (3, 3, 4, 4)
    """
    if not isinstance(text, str):
        raise InvalidNotation(f"a move string must be text, such as '4455', got {text!r}")
    check_geometry(geometry, InvalidNotation)
    columns: list[int] = []
    moves = "".join(text.split())
    for place, character in enumerate(moves, start=1):
        try:
            columns.append(parse_column(character, geometry))
        except InvalidNotation as error:
            raise InvalidNotation(f"move {place}: {error}") from None
        if character.isdigit() != moves[0].isdigit():
            raise InvalidNotation(
                f"move {place}: {character!r} after {moves[0]!r} mixes letters and digits:"
                " use only letters, or only digits"
            )
    return tuple(columns)


def format_moves(columns: Iterable[int], geometry: Geometry = STANDARD) -> str:
    """Return the move string of 0-based columns.

    Raises `IllegalMove` for a column that is not on the board.

    >>> format_moves([3, 3, 4, 4])
    '4455'
    """
    columns = items_of(columns, "columns", IllegalMove)
    check_geometry(geometry, IllegalMove)
    names = _names(geometry.columns)
    if all(type(column) is int for column in columns) and names.keys() >= set(columns):
        return "".join([names[column] for column in columns])
    return "".join([column_name(column, geometry) for column in columns])
