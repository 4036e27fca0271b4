"""Boards without their moves: drawings, arrays as Python, NumPy and JSON print them, FEN.

An array is read by rows, top row first (Kaggle, Lund) or bottom row first, or by columns, bottom
cell first (Polito) or top cell first. Its shape decides, and no disc may float. Its cells are
0, 1 and 2, or 0, 1 and -1, or letters. A flat list has the rows of the board from the top; lists of
unequal length are columns without their empty cells.

X, 1 and their like move first, unless the other side has one disc more on a board of the text.
A board has no order of its discs: `is_ordered` of its record is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TextIO, TypeVar

from claimeven.errors import ClaimevenError
from claimeven.game.bitboard import check_floating
from claimeven.game.drawing import draw, find_drawings
from claimeven.game.errors import InvalidPosition
from claimeven.game.game_line import moves_to
from claimeven.game.geometry import MAX_SIDE, STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.records.record import GameRecord, InvalidRecord

#: The value of a cell: of the first player, of the second, empty.
_X, _O, _EMPTY = 1, 2, 0
_CELLS: dict[object, int] = (
    {0: _EMPTY, 1: _X, 2: _O, -1: _O, None: _EMPTY, "": _EMPTY}
    | dict.fromkeys([*".·_ b0-"], _EMPTY)
    | dict.fromkeys([*"Xx●1Rr🔴", "red", "Red", "RED"], _X)
    | dict.fromkeys([*"Oo○2Yy🟡", "yellow", "Yellow", "YELLOW"], _O)
)
Rows = Sequence[Sequence[Any]]
T = TypeVar("T")
_FEN = re.compile(r"[0-9xoryXORY]+(/[0-9xoryXORY]+)+( +[xoryXORY]( +\d+)?)?")
#: How an array starts, but for a list of columns.
_ARRAY = re.compile(
    r"(\w+\.)?(array|tensor)\(|\[\s*['\"(](?![1-9]+\")|\[\s*\[(?!\s*\{)|\[\s*-?\d+\.?\s+-?\d|P1: X"
)
#: The frame of a drawing, a row of it, or a row without a frame.
_ROW = re.compile(r"0{5,}|[┌╔+╭].*|(\d+\s+)?[|│║].*|(?=.*[.·_●○🔴🟡])[.·_XOxo●○RY🔴🟡\s]+")
_TOKEN = re.compile(r"[\[\]()]|'[^'\n]*'|\"[^\"\n]*\"|[-+]?\d+\.?\d*|\.\.\.|\w+")
#: Words that arrays are printed with.
_WORDS = re.compile(r"(np|numpy|jnp|torch)\.|\b(array|tensor|list)\b|,?\s*d?type\s*=[^)\]]*")
#: Characters of a text of boards that are read.
_MAX_CHARACTERS = 1 << 24


@dataclass(frozen=True)
class DrawnBoard:
    """Discs of both players as a text shows them, in numbers that may fit no game.

    With `is_swapped` the first player's are O (2, -1) in the text.
    """

    geometry: Geometry
    first: int
    second: int
    is_swapped: bool = False

    @property
    def lead(self) -> int:
        """How many discs the first player has more than the second: 0 or 1 in a game."""
        return self.first.bit_count() - self.second.bit_count()

    def swapped(self) -> DrawnBoard:
        return DrawnBoard(self.geometry, self.second, self.first, not self.is_swapped)

    def record(self) -> GameRecord:
        """Return a game that leads to the board. Raises `InvalidPosition` if no game does."""
        position = Position.from_discs(self.geometry, self.first, self.second)
        return GameRecord(moves_to(position), self.geometry, is_ordered=False)


def items(
    lines: Iterable[str], geometry: Geometry
) -> Iterator[tuple[int, DrawnBoard | InvalidRecord]]:
    """Yield the boards of a text, or the error of one, with the lines they start on."""
    parts: list[str] = []
    size = 0
    for text in lines:
        parts.append(text)
        size += len(text)
        if size > _MAX_CHARACTERS:
            raise InvalidRecord(f"a text of boards has at most {_MAX_CHARACTERS:,} characters", 1)
    found = list(_boards("".join(parts).removeprefix("\ufeff"), geometry))
    leads = {board.lead for _, board in found if isinstance(board, DrawnBoard)}
    is_swapped = -1 in leads and 1 not in leads
    for line, board in found:
        yield line, board.swapped() if is_swapped and isinstance(board, DrawnBoard) else board


def read(item: object, geometry: Geometry) -> GameRecord:
    """Return a game that leads to a board. Raises `InvalidPosition` if no game does."""
    if not isinstance(item, DrawnBoard):
        raise InvalidRecord(f"expected a board, got {item!r:.40}")
    return item.record()


def write(stream: TextIO, records: Iterable[GameRecord]) -> None:
    for record in records:
        stream.write(draw(record.position) + "\n\n")


def board_of(cells: object, geometry: Geometry = STANDARD) -> DrawnBoard:
    """Return the board of nested lists or a flat one. Raises `InvalidRecord`."""
    board = _of_array(cells, geometry)
    return board.swapped() if board.lead == -1 else board


def looks_like_board(line: str) -> bool:
    """Whether the first line of a text that is not empty starts a board rather than moves."""
    text = line.strip()
    numbers = text.strip("[]").replace(",", " ").split()
    return bool(
        _FEN.fullmatch(text)
        or _ARRAY.match(text)
        or _ROW.fullmatch(text)
        or (";" in text and set(text) <= set("012,; "))
        or (len(numbers) > 1 and set(numbers) <= {"0", "0."})
        or (len(numbers) > MAX_SIDE and set(numbers) <= {"0", "1", "2", "-1"})
    )


def _boards(text: str, geometry: Geometry) -> Iterator[tuple[int, DrawnBoard | InvalidRecord]]:
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    written = [(number, line) for number, line in lines if line]
    if written and re.match(r"\[|(\w+\.)?(array|tensor)\(", written[0][1]):
        for line, part in _bracketed(text):
            yield line, _tried(lambda part: _of_array(_nested(part), geometry), part)
    elif written and (_FEN.fullmatch(written[0][1]) or _is_flat(written[0][1])):
        for line, part in written:
            yield line, _tried(lambda part: _of_line(part, geometry), part)
    else:
        try:
            for drawn in find_drawings(text.replace(",", " ")):
                yield drawn.line, _tried(lambda drawn: _of_rows(drawn.cells, geometry), drawn)
        except ClaimevenError as error:
            yield 1, InvalidRecord(str(error))


def _is_flat(line: str) -> bool:
    return ";" in line or len(line.replace(",", " ").split()) > MAX_SIDE


def _tried(make: Callable[[T], DrawnBoard], part: T) -> DrawnBoard | InvalidRecord:
    try:
        return make(part)
    except ClaimevenError as error:
        return InvalidRecord(getattr(error, "reason", str(error)))


def _board(columns: int, rows: int, geometry: Geometry) -> Geometry:
    """Return the board of that size; the size asked for must be the same, or the default one."""
    if (geometry.columns, geometry.rows) not in ((7, 6), (columns, rows)):
        raise InvalidRecord(f"its board is {columns}x{rows}, and {geometry} was asked for")
    return replace(geometry, columns=columns, rows=rows)


def _bracketed(text: str) -> Iterator[tuple[int, str]]:
    depth = start = 0
    line = first = 1
    for found in re.finditer(r"[\[\]\n]", text):
        line += found[0] == "\n"
        if found[0] == "[":
            start, first = (start, first) if depth else (found.start(), line)
            depth += 1
        elif found[0] == "]" and depth:
            depth -= 1
            if not depth:
                yield first, text[start : found.end()]
    if depth:
        yield first, text[start:]


def _nested(text: str) -> list[Any]:
    """Return the lists of a text, however their parts are separated. Raises `InvalidRecord`."""
    stack: list[list[Any]] = [[]]
    plain = _WORDS.sub(" ", text)
    for token in _TOKEN.findall(plain):
        if token == "[":
            stack.append([])
        elif token == "]" and len(stack) > 1:
            inner = stack.pop()
            stack[-1].append(inner)
        elif token == "...":
            raise InvalidRecord("the array is printed in part: print its .tolist()")
        elif token not in "()":
            stack[-1].append(_value(token))
        if len(stack) > 4:
            raise InvalidRecord("not a board: its lists are nested too deep")
    if len(stack) > 1 or len(stack[0]) != 1:
        raise InvalidRecord("not a board: a bracket is not closed")
    whole: list[Any] = stack[0][0]
    return whole


def _value(token: str) -> object:
    if token[0] in "'\"":
        return token[1:-1]
    try:
        return int(float(token)) if float(token).is_integer() else token
    except (ValueError, OverflowError):
        return None if token == "None" else token


def _of_line(line: str, geometry: Geometry) -> DrawnBoard:
    """Return the board of a FEN, or of rows between semicolons."""
    if ";" in line:
        rows = [[*map(_value, row.replace(",", " ").split())] for row in line.split(";")]
        return _of_rows(rows, geometry)
    if _is_flat(line):
        return _of_array([*map(_value, line.replace(",", " ").split())], geometry)
    board, *rest = line.split()
    rows = [list(re.sub(r"\d{1,2}", lambda n: "." * int(n[0]), row)) for row in board.split("/")]
    found = _of_rows(rows, geometry)
    if rest and (rest[0] in "rRxX") != (found.lead == 0):
        raise InvalidRecord(f"it says that {rest[0]} is to move, and its discs say the other side")
    return found


def _of_array(cells: object, geometry: Geometry) -> DrawnBoard:
    if not isinstance(cells, list | tuple) or not cells:
        raise InvalidRecord("not a board: a board is a list of cells, or of rows of cells")
    if not any(isinstance(row, list | tuple) for row in cells):
        if all(isinstance(row, str) and len(row) > 1 and row not in _CELLS for row in cells):
            return _of_rows([list(row) for row in cells], geometry)
        if len(cells) != geometry.cells:
            raise InvalidRecord(
                f"it has {len(cells)} cells, and {geometry} has {geometry.cells}: --columns and"
                " --rows name another board"
            )
        if "b" in cells:  # as the UCI data set has them, column by column
            step = geometry.rows
            columns = [cells[i : i + step] for i in range(0, len(cells), step)]
            return _of_rows(list(zip(*columns, strict=True))[::-1], geometry)
        step = geometry.columns
        return _of_rows([cells[i : i + step] for i in range(0, len(cells), step)], geometry)
    if not all(isinstance(row, list | tuple) for row in cells):
        raise InvalidRecord("not a board: some of its rows are lists and some are not")
    if any(isinstance(cell, list | tuple) for row in cells for cell in row):
        raise InvalidRecord("it has planes: write it as one board with 0, 1 and 2")
    if len({len(row) for row in cells}) == 1 and cells[0]:
        return _of_matrix(cells, geometry)
    rows = geometry.rows
    if len(cells) != geometry.columns or any(len(stack) > rows for stack in cells):
        raise InvalidRecord(f"its lists are of unequal length and no columns of {geometry}")
    stacks = [[*stack, *[0] * (rows - len(stack))] for stack in cells]
    return _of_rows(list(zip(*stacks, strict=True))[::-1], geometry)


def _of_matrix(cells: Rows, geometry: Geometry) -> DrawnBoard:
    """Return the board of rows or columns of equal length: the way in which no disc floats."""
    turned = list(zip(*cells, strict=True))
    ways: list[tuple[Rows, ...]] = [(cells, cells[::-1]), (turned[::-1], turned)]
    size = (geometry.rows, geometry.columns)
    if len(cells) != len(turned) and size in ((len(cells), len(turned)), (len(turned), len(cells))):
        ways = [way for way in ways if (len(way[0]), len(way[0][0])) == size]
    found, error = [], None
    for way in ways:
        for rows in way:
            try:
                found.append(_of_rows(rows, geometry))
                break
            except (InvalidPosition, InvalidRecord) as reason:
                error = error or reason
    if error is not None and not found:
        raise error
    if found[0] != found[-1]:
        raise InvalidRecord("it may be written by rows or by columns: draw it with X, O and dots")
    return found[0]


def _of_rows(rows: Rows, geometry: Geometry) -> DrawnBoard:
    """Return the board of rows from the top. Raises `InvalidRecord`; also if a disc floats."""
    if len({len(row) for row in rows}) != 1:
        raise InvalidRecord("its rows are of unequal length")
    board = _board(len(rows[0]), len(rows), geometry)
    discs = [0, 0, 0]
    for row, cells in enumerate(reversed(rows)):
        for column, cell in enumerate(cells):
            value = _CELLS.get(cell) if cell is None or type(cell) in (int, float, str) else None
            if value is None:
                raise InvalidRecord(f"a cell holds {cell!r:.20}: choose from 0, 1, 2 (or -1), X, O")
            discs[value] |= 1 << board.bit(column, row)
    check_floating(board, discs[_X] | discs[_O])
    return DrawnBoard(board, discs[_X], discs[_O])
