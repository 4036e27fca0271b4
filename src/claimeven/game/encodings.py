"""Boards as other programs write them, each with a converter and its inverse.

`to_x(position)` writes a board the way system x does and `from_x(board, geometry)` reads it back.

| name         | shape and order                                  | values                         |
|--------------|--------------------------------------------------|--------------------------------|
| `polito`     | int8 (columns, rows), bottom row first           | +1 first, -1 second, 0 empty   |
| `lund`       | int8 (rows, columns), top row first              | +1 student, -1 other, 0 empty  |
| `stacks`     | list of columns, each its discs bottom up        | 1 first, 2 second              |
| `characters` | list of rows, top row first                      | "X", "O", "." (X first player) |
| `kaggle`     | flat list rows * columns, top row first          | 1 first, 2 second, 0 empty     |
| `pettingzoo` | int8 (rows, columns, 2), top row first           | planes: side to move, other    |
| `pgx`        | bool (rows, columns, 2), top row first           | planes: side to move, other    |
| `openspiel`  | float32 (3, rows, columns), bottom row first     | planes: first, second, empty   |
| `uci`        | list, column by column, bottom up                | "x" first, "o" second, "b"     |
| `theaigames` | text, rows by ";" and cells by ",", top first    | 1 first, 2 second, 0 empty     |
| `fen`        | text, rows by "/", top first, turn, move number  | "r" first, "y" second, 3 empty |

In a `fen` a number is a number of empty cells: `7/7/7/7/7/3r3 y 1`. Only a `fen` has the side to
move; in other encodings it follows from the number of discs. No encoding has the connect length, so
`from_x` takes the geometry. Every `from_x` raises `InvalidPosition` for a board of another size, an
unknown value in a cell, floating discs, and counts of discs that no game reaches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from claimeven.game.errors import ClaimevenError, InvalidPosition
from claimeven.game.geometry import STANDARD, Geometry, check_geometry
from claimeven.game.position import Position, check_position
from claimeven.game.validation import whole_number

#: Values of cells in the common form of all encodings: int8 (columns, rows), bottom row first.
_EMPTY, _FIRST, _SECOND = 0, 1, 2

#: The values in a fen, and the letters of other programs.
_RED_YELLOW, _XO_TO_RY = ".ry", str.maketrans("xo", "ry")

Cells = NDArray[np.int8]

_Read = TypeVar("_Read", bound=Callable[..., Position])


def _checks_board(read: _Read) -> _Read:
    """Turn errors of Python about an invalid board into `InvalidPosition`."""

    @wraps(read)
    def reader(*arguments: Any, **named: Any) -> Position:
        try:
            return read(*arguments, **named)
        except ClaimevenError:
            raise
        except (TypeError, AttributeError, ValueError, OverflowError):
            bound = signature(read).bind(*arguments, **named).arguments  # its own TypeError
        geometry = bound.get("geometry", STANDARD)
        check_geometry(geometry, InvalidPosition)
        name = read.__name__.removeprefix("from_")
        raise InvalidPosition(f"{next(iter(bound.values()))!r:.60} is not a valid {name} board")

    return reader  # type: ignore[return-value]  # it has the same signature


def to_polito(position: Position) -> NDArray[np.int8]:
    """Return int8 (columns, rows), bottom row first: +1 first player, -1 second, 0 empty."""
    return np.array([0, 1, -1], dtype=np.int8)[_cells(position)]


@_checks_board
def from_polito(board: ArrayLike, geometry: Geometry = STANDARD) -> Position:
    """Read the board of `to_polito`. Raises `InvalidPosition`."""
    array = _array(board, "polito", (geometry.columns, geometry.rows))
    return _position(_decode(array, (0, 1, -1)), geometry)


def to_lund(position: Position, student: int | None = None) -> NDArray[np.int8]:
    """Return int8 (rows, columns), top row first: +1 the student's discs, -1 the server's.

    `student` is the player (0 or 1) with the positive values; None is the side to move.
    """
    cells = _top_first(position)
    return np.array(_lund_values(student, position.turn), dtype=np.int8)[cells]


@_checks_board
def from_lund(
    state: ArrayLike, geometry: Geometry = STANDARD, student: int | None = None
) -> Position:
    """Read the board of `to_lund`; a `student` None is to move. Raises `InvalidPosition`."""
    array = _array(state, "lund", (geometry.rows, geometry.columns))
    values = _lund_values(student, int(np.count_nonzero(array)) % 2)
    return _from_top_first(array, "lund", values, geometry)


def _lund_values(student: int | None, turn: int) -> tuple[int, int, int]:
    own, _ = _seen_by(student, turn, "the student")
    return (0, 1, -1) if own == _FIRST else (0, -1, 1)


def to_stacks(position: Position) -> list[list[int]]:
    """Return a list of columns, each the players of its discs bottom up, 1 first, 2 second."""
    return [[int(cell) for cell in column if cell] for column in _cells(position)]


@_checks_board
def from_stacks(stacks: Sequence[Sequence[int]], geometry: Geometry = STANDARD) -> Position:
    """Read the board of `to_stacks`. Raises `InvalidPosition`."""
    if len(stacks) != geometry.columns:
        raise InvalidPosition(
            f"the stacks board must have {geometry.columns} columns, got {len(stacks)}"
        )
    cells = np.zeros((geometry.columns, geometry.rows), dtype=np.int8)
    for column, stack in enumerate(stacks):
        if len(stack) > geometry.rows:
            raise InvalidPosition(
                f"column {column + 1} holds {len(stack)} discs, and {geometry} has"
                f" {geometry.rows} rows"
            )
        if len(stack):
            discs = _array(list(stack), "stacks", (len(stack),))
            cells[column, : len(stack)] = _decode(discs, (None, 1, 2))
    return _position(cells, geometry)


def to_characters(position: Position, first: str = "X") -> list[list[str]]:
    """Return a list of rows, top row first, of "X", "O" and "." for an empty cell.

    `first` is the character of the first player, "X" or "O".
    """
    values = np.array(_characters_of(first))
    return [[str(cell) for cell in row] for row in values[_top_first(position)]]


@_checks_board
def from_characters(
    rows: Sequence[Sequence[str]], geometry: Geometry = STANDARD, first: str = "X"
) -> Position:
    """Read the board of `to_characters` (lists or strings). Raises `InvalidPosition`."""
    values = _characters_of(first)
    return _from_top_first([list(row) for row in rows], "characters", values, geometry)


def to_kaggle(position: Position) -> list[int]:
    """Return the flat `obs.board` of ConnectX, top row first: 0 empty, 1 first, 2 second.

    `obs.mark` is `position.turn + 1`.
    """
    return _top_first(position).ravel().tolist()


@_checks_board
def from_kaggle(
    board: Iterable[int], geometry: Geometry = STANDARD, mark: int | None = None
) -> Position:
    """Read the board of `to_kaggle`. Raises `InvalidPosition`.

    With `mark` (1 or 2) the function also checks that this player is to move.
    """
    array = _array(list(board), "kaggle", (geometry.cells,))
    rows = array.reshape(geometry.rows, geometry.columns)
    position = _from_top_first(rows, "kaggle", (0, 1, 2), geometry)
    if mark is not None and mark != position.turn + 1:
        raise InvalidPosition(f"mark is {mark}, but by the discs {position.turn + 1} is to move")
    return position


def to_pettingzoo(position: Position, player: int | None = None) -> NDArray[np.int8]:
    """Return int8 (rows, columns, 2), top row first: plane 0 own discs, plane 1 the other's.

    The `player` (0 or 1) is the observer; None is the side to move.
    """
    cells = _top_first(position)
    own, other = _seen_by(player, position.turn, "a player")
    return np.stack([cells == own, cells == other], axis=-1).astype(np.int8)


def places_in_planes(geometry: Geometry) -> NDArray[np.intp]:
    """Return the index of each cell in the flat array of `to_pettingzoo`: int (columns, rows).

    The index is for plane 0; plane 1 is the next one. It helps to update such arrays disc by disc.

    >>> places_in_planes(Geometry(3, 2)).tolist()
    [[6, 0], [8, 2], [10, 4]]
    """
    flat = np.arange(2 * geometry.cells).reshape(geometry.rows, geometry.columns, 2)
    return flat[::-1, :, 0].T


@_checks_board
def from_pettingzoo(
    observation: ArrayLike, geometry: Geometry = STANDARD, player: int | None = None
) -> Position:
    """Read the planes of `to_pettingzoo` with the same `player`. Raises `InvalidPosition`."""
    return _from_planes(observation, geometry, player, "pettingzoo")


def to_pgx(position: Position, player: int | None = None) -> NDArray[np.bool_]:
    """Return bool (rows, columns, 2), top row first: plane 0 own discs, plane 1 the other's.

    The `player` (0 or 1) is the observer; None is the side to move.
    """
    return to_pettingzoo(position, player).astype(np.bool_)


@_checks_board
def from_pgx(
    observation: ArrayLike, geometry: Geometry = STANDARD, player: int | None = None
) -> Position:
    """Read the planes of `to_pgx` with the same `player`. Raises `InvalidPosition`."""
    return _from_planes(observation, geometry, player, "pgx")


def to_openspiel(position: Position, observer: int | None = None) -> NDArray[np.float32]:
    """Return float32 (3, rows, columns), bottom row first: planes first, second, empty.

    With an `observer` (0 or 1) it is the egocentric tensor of that player, whose planes are
    **the opponent**, the observer, empty. `.ravel()` is what `observation_tensor` returns.
    """
    cells = _cells(position).T
    order = _openspiel_order(observer)
    return np.stack([cells == value for value in (*order, _EMPTY)]).astype(np.float32)


@_checks_board
def from_openspiel(
    tensor: ArrayLike, geometry: Geometry = STANDARD, observer: int | None = None
) -> Position:
    """Read the tensor of `to_openspiel`, flat or shaped. Raises `InvalidPosition`."""
    shape = (3, geometry.rows, geometry.columns)
    array = np.asarray(tensor)
    array = array.reshape(shape) if array.size == np.prod(shape) else array
    planes = _decode(_array(array, "openspiel", shape), (0, 1))
    if not np.all(planes.sum(axis=0) == 1):
        raise InvalidPosition("each cell of the openspiel board must be set in exactly one plane")
    order = _openspiel_order(observer)
    return _position((planes[0] * order[0] + planes[1] * order[1]).T, geometry)


def to_uci(position: Position) -> list[str]:
    """Return a1, a2, .. column by column, bottom up: "x" first player, "o" second, "b" empty."""
    return [str(cell) for cell in np.array(["b", "x", "o"])[_cells(position)].ravel()]


@_checks_board
def from_uci(cells: Iterable[str], geometry: Geometry = STANDARD) -> Position:
    """Read the cells of `to_uci`. Raises `InvalidPosition`."""
    decoded = _decode(_array(list(cells), "uci", (geometry.cells,)), "bxo")
    return _position(decoded.reshape(geometry.columns, geometry.rows), geometry)


def to_theaigames(position: Position) -> str:
    """Return rows joined by ";", their cells by ",", top row first: 0 empty, 1 first, 2 second."""
    return ";".join(",".join(map(str, row)) for row in _top_first(position))


@_checks_board
def from_theaigames(text: str, geometry: Geometry = STANDARD) -> Position:
    """Read the text of `to_theaigames`. Raises `InvalidPosition`."""
    rows = [[cell.strip() for cell in row.split(",")] for row in text.strip().split(";")]
    return _from_top_first(rows, "theaigames", "012", geometry)


def to_fen(position: Position) -> str:
    """Return the rows from the top, separated by "/", the side to move and the move number.

    "r" is a disc of the first player, "y" of the second; a number is a number of empty cells.

    >>> to_fen(Position.from_moves("4"))
    '7/7/7/7/7/3r3 y 1'
    """
    rows = ("".join(_RED_YELLOW[cell] for cell in row) for row in _top_first(position))
    board = "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), row) for row in rows)
    return f"{board} {_RED_YELLOW[position.turn + 1]} {position.ply // 2 + 1}"


@_checks_board
def from_fen(text: str, geometry: Geometry = STANDARD) -> Position:
    """Read the text of `to_fen`, also with "x" and "o" for "r" and "y". Raises `InvalidPosition`.

    The side to move and the move number are optional, because they follow from the discs. The
    number is ignored; a side to move that contradicts the discs is an error.
    """
    _, *words = text.lower().split() or [""]
    rows = [list(row) for row in _rows_of_fen(text)]
    position = _from_top_first(rows, "fen", _RED_YELLOW, geometry)
    turn = _RED_YELLOW[position.turn + 1]
    if words and words[0].translate(_XO_TO_RY) != turn:
        raise InvalidPosition(
            f"the fen has {words[0]!r} to move, but by its discs {turn!r} is to move"
        )
    return position


def read_fen(text: str, connect: int) -> Position:
    """Return the position of a fen whose rows are the board. Raises `InvalidPosition`."""
    if not isinstance(text, str):
        raise InvalidPosition(f"a fen must be text, such as '7/7/7/7/7/3r3 y', got {text!r:.40}")
    rows = _rows_of_fen(text)
    return from_fen(text, Geometry(len(rows[0]), len(rows), connect))


def _rows_of_fen(text: str) -> list[str]:
    board = (text.lower().translate(_XO_TO_RY).split() or [""])[0]
    return [re.sub(r"\d{1,2}", lambda empty: "." * int(empty[0]), row) for row in board.split("/")]


# --- the common form: int8 (columns, rows), bottom row first, 0 empty, 1 first, 2 second ---------


def _cells(position: Position) -> Cells:
    check_position(position)
    return position.to_array().T + np.int8(1)


def _top_first(position: Position) -> Cells:
    """The cells of a position as (rows, columns), the top row first."""
    return _cells(position).T[::-1]


def _position(cells: Cells, geometry: Geometry) -> Position:
    first, second = (
        sum(1 << geometry.bit(int(column), int(row)) for column, row in np.argwhere(cells == value))
        for value in (_FIRST, _SECOND)
    )
    return Position.from_discs(geometry, first, second)


def _from_top_first(
    board: ArrayLike, name: str, values: Sequence[Any], geometry: Geometry
) -> Position:
    """Read rows, the top row first; `values` as in `_decode`."""
    array = _array(board, name, (geometry.rows, geometry.columns))
    return _position(_decode(array, values)[::-1].T, geometry)


def _array(board: ArrayLike, name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    try:
        array = np.asarray(board)
    except ValueError:
        raise InvalidPosition(f"the rows of the {name} board must be of equal length") from None
    if array.shape != shape:
        raise InvalidPosition(f"the {name} board must have shape {shape}, got {array.shape}")
    return array


def _decode(array: NDArray[Any], values: Sequence[Any]) -> Cells:
    """Return the index of each cell's value in `values`: empty, first player, second player."""
    decoded = np.full(array.shape, -1, dtype=np.int8)
    for cell, value in enumerate(values):
        decoded[array == value] = cell
    unknown = np.argwhere(decoded == -1)
    if len(unknown):
        found = array[tuple(unknown[0])]
        found = found.item() if isinstance(found, np.generic) else found
        choices = ", ".join(repr(value) for value in values if value is not None)
        raise InvalidPosition(f"a cell holds {found!r}: choose from {choices}")
    return decoded


def _from_planes(
    observation: ArrayLike, geometry: Geometry, player: int | None, name: str
) -> Position:
    planes = _decode(_array(observation, name, (geometry.rows, geometry.columns, 2)), (0, 1))
    if np.any(planes.all(axis=-1)):
        raise InvalidPosition(f"a cell of the {name} board is set in both planes")
    own, other = _seen_by(player, int(planes.sum()) % 2, "a player")
    cells = planes @ np.array([own, other], dtype=np.int8)
    return _position(cells[::-1].T, geometry)


def _seen_by(player: int | None, turn: int, name: str) -> tuple[int, int]:
    """Return the values of own and other discs for a player, 0 or 1, or None, the side to move."""
    number = turn
    if player is not None:
        number = whole_number(player, name, InvalidPosition, low=0, high=1)
    return number + 1, _SECOND - number


def _openspiel_order(observer: int | None) -> tuple[int, int]:
    if observer is None:
        return _FIRST, _SECOND
    own, other = _seen_by(observer, 0, "an observer")
    return other, own


def _characters_of(first: str) -> tuple[str, str, str]:
    if first not in ("X", "O"):
        raise InvalidPosition(f"the first player's character must be 'X' or 'O', got {first!r}")
    return (".", "X", "O") if first == "X" else (".", "O", "X")
