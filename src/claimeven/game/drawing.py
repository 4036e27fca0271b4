"""Boards as text: three styles, each in unicode and in ASCII, and reading them back.

```text
grid, unicode    grid, ascii      box, ascii               compact
┌─────────┐      +---------+        +---+---+---+---+       1 2 3 4
│ · · · · │      | . . . . |      2 |   |   |   |   |      | | | | |
│ · ●[○]· │      | . X[O]. |        +---+---+---+---+      | |1[2]|
└─1─2─3─4─┘      +-1-2-3-4-+      1 |   | X |[O]|   |
                                    +---+---+---+---+
                                      1   2   3   4
```

Brackets mark the last move, and stars the discs of a winning line. A line below shows the side to
move or the result. The widest board, 16 columns in a box, takes 68 characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from claimeven.game.errors import InvalidNotation, InvalidPosition
from claimeven.game.geometry import MAX_SIDE, STANDARD, Geometry, check_geometry
from claimeven.game.notation import column_names
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position, check_position
from claimeven.game.validation import one_of, whole_number

STYLES: Final = ("grid", "box", "compact")
CHARSETS: Final = ("unicode", "ascii")

#: Terminal colors of the two players' discs (yellow, red) and the code that ends them.
_COLORS: Final = ("\x1b[1;33m", "\x1b[1;31m")
_PLAIN: Final = "\x1b[0m"


class _Frame(NamedTuple):
    """The characters of a frame: (left, fill, crossing, right) of its edges, and its upright."""

    top: tuple[str, str, str, str]
    between: tuple[str, str, str, str]
    bottom: tuple[str, str, str, str]
    upright: str


_ASCII_EDGE = ("+", "-", "+", "+")
_FRAMES: Final = {
    ("grid", "ascii"): _Frame(_ASCII_EDGE, _ASCII_EDGE, _ASCII_EDGE, "|"),
    ("box", "ascii"): _Frame(_ASCII_EDGE, _ASCII_EDGE, _ASCII_EDGE, "|"),
    ("grid", "unicode"): _Frame(
        ("┌", "─", "┬", "┐"), ("├", "─", "┼", "┤"), ("└", "─", "┴", "┘"), "│"
    ),
    ("box", "unicode"): _Frame(
        ("╔", "═", "╦", "╗"), ("╠", "═", "╬", "╣"), ("╚", "═", "╩", "╝"), "║"
    ),
}

#: (first player, second player, empty cell) of each style and charset.
_SYMBOLS: Final = {
    ("grid", "unicode"): ("●", "○", "·"),
    ("grid", "ascii"): ("X", "O", "."),
    ("box", "unicode"): ("X", "O", " "),
    ("box", "ascii"): ("X", "O", " "),
    ("compact", "unicode"): ("1", "2", " "),
    ("compact", "ascii"): ("1", "2", " "),
}

_LAST, _WON, _UNMARKED = "last", "won", ""
_MARKS: Final = {_LAST: ("[", "]"), _WON: ("*", "*")}


def draw(
    position: Position,
    style: str = "grid",
    charset: str = "unicode",
    last: int | None = None,
    line: bool = True,
    result: bool = True,
    color: bool = False,
) -> str:
    """Return a drawing of a board, without a newline at its end.

    `style` is "grid", "box" or "compact" and `charset` "unicode" or "ascii". `last` is the
    0-based column played last, whose top disc is marked, and `line` marks winning lines. `result`
    adds a line with the side to move or the result, and `color` paints the discs with terminal
    codes. Raises `ClaimevenError` for an unknown style or charset and unless `position` is a
    `Position`, and `InvalidPosition` if the last move cannot have been `last`.

    >>> print(draw(Position.from_moves("443", Geometry(5, 3)), charset="ascii", last=2))
    +-----------+
    | . . . . . |
    | . . . O . |
    | . .[X]X . |
    +-1-2-3-4-5-+
    Red (O) to move
    """
    check_position(position)
    one_of(style, "style", STYLES)
    one_of(charset, "charset", CHARSETS)
    symbols = _SYMBOLS[style, charset]
    if color:
        one, two = (f"{_COLORS[i]}{symbols[i]}{_PLAIN}" for i in (0, 1))
        symbols = (one, two, symbols[2])
    rows = [
        [symbols[2] if owner is None else symbols[owner] for owner in row]
        for row in reversed(position.rows)
    ]
    marks = _mark_rows(position, last, line)
    if style == "compact":
        lines = _compact(rows, marks, position.geometry)
    elif style == "box":
        lines = _box(rows, marks, position.geometry, _FRAMES[style, charset])
    else:
        lines = _grid(rows, marks, position.geometry, _FRAMES[style, charset])
    if result:
        lines.append(describe(position, (symbols[0], symbols[1])))
    return "\n".join(lines)


def describe(position: Position, symbols: tuple[str, str] = ("X", "O")) -> str:
    """Return the side to move or the result in words, with the symbols of players if given.

    >>> describe(Position.from_moves("4455"))
    'Yellow (X) to move'
    """
    outcome = position.outcome
    player = position.turn if outcome is None else outcome.winner
    if player is None:
        return "draw"
    symbol = f" ({symbols[player]})" if symbols[player] else ""
    return f"{PLAYER_NAMES[player]}{symbol} {'to move' if outcome is None else 'wins'}"


def last_cell(position: Position, column: int) -> tuple[int, int]:
    """Return (column, row) of the disc played last, given its 0-based column.

    Raises `InvalidPosition` unless the top disc of that column belongs to the side that just moved.
    """
    geometry, column = position.geometry, whole_number(column, "the last column")
    row = position.height_of(column) - 1 if 0 <= column < geometry.columns else -1
    if row < 0 or not position.theirs >> geometry.bit(column, row) & 1:
        raise InvalidPosition(f"the last move of this position was not in column {column + 1}")
    return column, row


# --- drawing -------------------------------------------------------------------------------------


def _mark_rows(position: Position, last: int | None, line: bool) -> list[list[str]]:
    """Marks of the cells by row, top row first."""
    geometry = position.geometry
    marks = [[_UNMARKED] * geometry.columns for _ in range(geometry.rows)]
    if line and position.outcome is not None:
        for column, row in position.outcome.cells:
            marks[geometry.rows - 1 - row][column] = _WON
    if last is not None:
        column, row = last_cell(position, last)
        marks[geometry.rows - 1 - row][column] = _LAST
    return marks


def _spaced(symbols: list[str], marks: list[str], gap: str) -> str:
    """Return a row with one character between cells and at both ends, marks in their place."""
    gaps = [gap] * (len(symbols) + 1)
    for kind in (_WON, _LAST):
        for i, mark in enumerate(marks):
            if mark == kind:
                gaps[i], gaps[i + 1] = _MARKS[kind]
    return gaps[0] + "".join(s + g for s, g in zip(symbols, gaps[1:], strict=True))


def _grid(
    rows: list[list[str]], marks: list[list[str]], geometry: Geometry, frame: _Frame
) -> list[str]:
    left, fill, _, right = frame.top
    lines = [left + fill * (2 * geometry.columns + 1) + right]
    for symbols, marked in zip(rows, marks, strict=True):
        lines.append(frame.upright + _spaced(symbols, marked, " ") + frame.upright)
    left, fill, _, right = frame.bottom
    lines.append(left + fill + fill.join(column_names(geometry.columns)) + fill + right)
    return lines


def _compact(rows: list[list[str]], marks: list[list[str]], geometry: Geometry) -> list[str]:
    lines = [" " + " ".join(column_names(geometry.columns))]
    lines += [_spaced(symbols, marked, "|") for symbols, marked in zip(rows, marks, strict=True)]
    return lines


def _box(
    rows: list[list[str]], marks: list[list[str]], geometry: Geometry, frame: _Frame
) -> list[str]:
    margin = len(str(geometry.rows)) + 1

    def edge(parts: tuple[str, str, str, str]) -> str:
        left, fill, crossing, right = parts
        return " " * margin + left + crossing.join([fill * 3] * geometry.columns) + right

    lines = [edge(frame.top)]
    for above, (symbols, marked) in enumerate(zip(rows, marks, strict=True)):
        if above:
            lines.append(edge(frame.between))
        cells = []
        for symbol, mark in zip(symbols, marked, strict=True):
            before, after = _MARKS.get(mark, (" ", " "))
            cells.append(before + symbol + after)
        label = str(geometry.rows - above).rjust(margin - 1) + " "
        lines.append(label + frame.upright + frame.upright.join(cells) + frame.upright)
    lines.append(edge(frame.bottom))
    lines.append(
        (" " * margin + "".join(f"  {name} " for name in column_names(geometry.columns))).rstrip()
    )
    return lines


# --- reading -------------------------------------------------------------------------------------

_UPRIGHTS: Final = "|│║"
_PLAYER_OF: Final = dict.fromkeys("Xx●1Rr🔴", 0) | dict.fromkeys("Oo○2Yy🟡", 1)
_EMPTIES: Final = ".· 0_"
_SYMBOLS_READ: Final = {*_PLAYER_OF, *_EMPTIES}
_EDGES: Final = _UPRIGHTS + "[]*"
_FRAME_LINE: Final = re.compile(r"[\s|│║]*[-+=─═┌└├╔╚╠].*")
_ROW_LABEL: Final = re.compile(r"^\s*\d+\s*(?=[|│║])")
_NUMBERS: Final = re.compile(r"\s*\d{1,2}(\s+\d{1,2})+\s*")
_BLANK: Final = re.compile(r"\s")
_COLOR_CODE: Final = re.compile(r"\x1b\[[\d;]*m")


class Drawn(NamedTuple):
    """A board in a text: its cells by row, top row first, and the number of its first line."""

    cells: list[Sequence[str]]
    line: int


def parse_drawing(text: str, geometry: Geometry = STANDARD, first: str = "X") -> Position:
    """Read a drawing of `draw` in any style, or a plain grid of X, O and dots.

    It also reads boxes with cells of five characters, blanks of any width, rows without a frame
    (`. . X O . . .`), and frames with 0-based column numbers. X, x, ●, 1, R and r are the first
    player's discs, and O, o, ○, 2, Y and y the second's; with `first` "O" the other way round. 0
    and _ are empty cells too. Marks and other lines are ignored. Raises `InvalidNotation` if the
    text does not contain a board of this geometry, `InvalidPosition` for discs of no game.
    """
    if first not in ("X", "O"):
        raise InvalidNotation(f"the first player's symbol must be 'X' or 'O', got {first!r}")
    if not isinstance(text, str):
        raise InvalidNotation(f"a drawing must be text, got {text!r}")
    check_geometry(geometry, InvalidNotation)
    rows = []
    for number, line in enumerate(_plain(text).splitlines(), start=1):
        cells = _cells_of_line(line, number, geometry.columns)
        if cells is not None:
            rows.append(cells)
    if len(rows) != geometry.rows:
        raise InvalidNotation(
            f"the drawing has {len(rows)} rows of cells, and {geometry} has {geometry.rows}"
        )
    discs = [0, 0]
    for row, cells in enumerate(reversed(rows)):
        for column, symbol in enumerate(cells):
            if symbol in _PLAYER_OF:
                player = _PLAYER_OF[symbol] if first == "X" else 1 - _PLAYER_OF[symbol]
                discs[player] |= 1 << geometry.bit(column, row)
    return Position.from_discs(geometry, *discs)


def find_drawings(text: str) -> Iterator[Drawn]:
    """Yield every board drawn in a text, of any size, and ignore the lines between them.

    Raises `InvalidNotation` naming the line of a row that does not fit the rows next to it.
    """
    rows: list[Sequence[str]] = []
    before = ""
    first_line = columns = 0
    was_frame = False
    for number, line in enumerate([*_plain(text).splitlines(), ""], start=1):
        columns = columns if rows else _columns_of(line)
        cells = _cells_of_line(line, number, columns) if 1 <= columns <= MAX_SIDE else None
        is_frame = cells is None and bool(_FRAME_LINE.fullmatch(line))
        if cells is not None:
            if not rows:
                first_line = number
                _reject_odd_row(before, columns, number - 1)
            rows.append(cells)
        elif rows and (was_frame or not is_frame):
            is_numbers = bool(_NUMBERS.fullmatch(line))
            _reject_odd_row("" if is_numbers else line, columns, number)
            numbers = [int(word) for word in line.split()] if is_numbers else [0]
            if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
                raise InvalidNotation(f"line {number} is not a row of {columns} cells")
            yield Drawn(rows, first_line)
            rows = []
        was_frame, before = is_frame, line


def _reject_odd_row(line: str, columns: int, number: int) -> None:
    """Raise `InvalidNotation` for a line above or below a board that looks like a row of it."""
    words = _ROW_LABEL.sub("", line).split()
    cells = list(words[0]) if len(words) == 1 else words
    kinds = set(cells)
    is_row = len(cells) == columns and max(map(len, cells)) == 1 and any(map(str.isalnum, kinds))
    odd = next((cell for cell in cells if cell not in _SYMBOLS_READ), "")
    if is_row and odd and (kinds & set(".·_") or len(kinds) < 4 < columns):
        raise InvalidNotation(
            f"line {number} of the drawing has {odd!r} in a cell: choose from . X O, 0 1 2, R Y"
        )


def _plain(text: str) -> str:
    """Return a drawing without color codes, with a space for each blank within a line."""
    return "\n".join(_BLANK.sub(" ", line) for line in _COLOR_CODE.sub("", text).splitlines())


def _columns_of(line: str) -> int:
    """Return the number of cells that a line would have as a row of a board."""
    body = _ROW_LABEL.sub("", line).strip()
    if not set(body) & set(_EDGES):
        cells = body.split()
        return len(body) if len(cells) == 1 else len(cells)
    for pitch in (2, 4, 6):
        if len(body) % pitch == 1 and set(body[::pitch]) <= set(_EDGES):
            return len(body) // pitch
    return len(body) // 2 - 1


def _cells_of_line(line: str, number: int, columns: int) -> Sequence[str] | None:
    """Return the symbols of the cells in a line, None if it is not a row of the board."""
    body = _ROW_LABEL.sub("", line).strip()
    names = [part.strip() for part in re.split(f"[{_UPRIGHTS}]", body) if part.strip()]
    from_0, from_1 = [str(i) for i in range(columns)], list(column_names(columns))
    if body.split() in (from_0, from_1) or (" " in body and names in (from_0, from_1)):
        return None
    if set(body) <= _SYMBOLS_READ | set(_EDGES) and set(body) & set(_EDGES):
        return _framed_cells(body, number, columns)
    if body and set(body) <= _SYMBOLS_READ:
        cells = body.split()
        if len(cells) == 1:
            cells = list(body)
        if len(cells) != columns or any(len(cell) > 1 for cell in cells):
            raise InvalidNotation(
                f"line {number} has {len(cells)} cells, and the board has {columns} columns"
            )
        return cells
    if set(body) & set(_UPRIGHTS) and not _FRAME_LINE.fullmatch(body):
        unknown = next(c for c in body if c not in _SYMBOLS_READ and c not in _EDGES)
        raise InvalidNotation(f"line {number} of the drawing has {unknown!r} in a cell")
    return None


def _framed_cells(body: str, number: int, columns: int) -> str:
    """Return the cells of a row with a frame; their places follow from its width."""
    width = len(body) - 1
    offset, pitch = {
        6 * columns: (3, 6),
        4 * columns: (2, 4),
        2 * columns + 2: (2, 2),
        2 * columns: (1, 2),
    }.get(width, (0, 1))
    cells = body[offset::pitch][:columns]
    between = [c for i, c in enumerate(body) if (i - offset) % pitch or i > width - offset]
    if not set(cells) <= _SYMBOLS_READ or set(between) - set(_EDGES + " "):
        raise InvalidNotation(f"line {number} is not a row of {columns} cells")
    return cells
