"""Searches from files that show the positions they visit, step by step.

A search is a plain function of a board. To show its steps it yields each position it visits and
returns its answer, or it has a parameter `visit`, a function that it calls with each:

    def minimax(position, depth, evaluate):
        yield position
        ...
            value, _ = yield from minimax(position.play(column), depth - 1, evaluate)
        ...
        return value, column

A shown position is a `Position`, a move string, a list of 0-based columns from the empty board, or
a board of the function's shape (see `shapes`). A yielded tuple adds a value and a note to it.
"""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from claimeven.agents.options import InvalidSpec
from claimeven.agents.sanitize import described, printable, shown
from claimeven.agents.shapes import CourseState, end_of
from claimeven.game import encodings
from claimeven.game.errors import ClaimevenError, InvalidPosition
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_names
from claimeven.game.position import Position

#: The readers of boards by their shape; the other shapes have rows, the top row first.
_READERS: Final[dict[str, Callable[[Any, Geometry], Position]]] = {
    "rows-up": lambda board, geometry: _from_rows(np.asarray(board)[::-1], geometry),
    "signs": lambda board, geometry: encodings.from_lund(board, geometry, 0),
    "lund": encodings.from_lund,
    "polito": encodings.from_polito,
    "stacks": encodings.from_stacks,
    "characters": encodings.from_characters,
    "pettingzoo": encodings.from_pettingzoo,
}


class InvalidVisit(ClaimevenError):
    """A search shows something else than a position of its game."""


class Visit(NamedTuple):
    """A position that a search shows, its value or None, and a note."""

    position: Position
    value: float | None = None
    note: str = ""


def read_visit(item: Any, geometry: Geometry, shape: str = "rows") -> Visit:
    """Return a shown position, alone or in a tuple with a value and a note. Raises `InvalidVisit`.

    >>> read_visit(("44", 0.5, "looks even"), Geometry()).value
    0.5
    """
    value, note = None, ""
    is_tuple = isinstance(item, tuple) and len(item) in (2, 3)
    if is_tuple and not isinstance(item[0], numbers.Number) and _is_value(item[1]):
        value = None if item[1] is None else float(item[1])
        note = printable(str(item[2])) if len(item) == 3 else ""
        item = item[0]
    return Visit(read_board(item, geometry, shape), value, note)


def read_board(board: Any, geometry: Geometry, shape: str = "rows") -> Position:
    """Return the position of a board of a function's shape, or of moves. Raises `InvalidVisit`."""
    if isinstance(board, CourseState):
        board = board.position
    try:
        if isinstance(board, Position):
            return board
        if isinstance(board, str) or shape == "moves":
            return Position.from_moves(board, geometry)
        if isinstance(board, (list, tuple)) and all(isinstance(c, numbers.Integral) for c in board):
            return Position.from_moves(board, geometry)
        return _READERS.get(shape, _from_rows)(board, geometry)
    except ClaimevenError as error:
        raise InvalidVisit(f"showed an impossible position: {error}: {shown(board)}") from None
    except Exception as error:
        raise InvalidVisit(f"showed no position: {shown(board)}: {described(error)}") from None


def arguments_of(function: Callable[..., Any], offered: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for the parameters of a search: the first offer for its first one.

    The others get the offer of their name. Raises `InvalidSpec` if one without a default has none.
    """
    name = getattr(function, "__name__", "the search")
    board, others = next(iter(offered)), [*offered][1:]
    try:
        parameters = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        parameters = []
    taken = {p.name: offered[p.name] for p in parameters[1:] if p.name in others}
    missing = [
        p.name
        for p in parameters[1:]
        if p.default is p.empty
        and p.name not in others
        and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    if missing or not parameters:
        got = f"and has no value for {', '.join(missing)}" if missing else "got none"
        raise InvalidSpec(
            f"{name} must have a {board} as its first parameter, then any of {', '.join(others)};"
            f" the check goes by these names {got}"
        )
    return {parameters[0].name: offered[board], **taken}


def run_search(
    function: Callable[..., Any], arguments: Mapping[str, Any], on_visit: Callable[[Any], object]
) -> Any:
    """Call a search and return its answer; each position that it yields is passed to `on_visit`."""
    return end_of(function(**arguments), on_visit)


def visit_lines(steps: Iterable[Any], root: Position, shape: str = "rows") -> Iterator[str]:
    """Yield a line for each shown position: its moves from `root`, its value or "-", its note.

    The moves lead through the position before it that was shown last. Raises `InvalidVisit` if
    none was shown.

    >>> list(visit_lines(["4", ("44", 0.5, "even"), ("4", -1)], Position()))
    ['4 -', '44 0.5 even', '4 -1']
    """
    geometry, names = root.geometry, column_names(root.geometry.columns)
    seen = {(root.mine, root.mask): (0, "")}
    for number, item in enumerate(steps, 1):
        position, value, note = read_visit(item, geometry, shape)
        ways = [(0, "")] if position == root else []
        for column, height in enumerate(position.heights):
            disc = 1 << geometry.bit(column, height - 1) if height else 0
            before = seen.get((position.theirs ^ disc, position.mask ^ disc))
            if disc & position.theirs and before is not None:
                ways.append((before[0], before[1] + names[column]))
        if not ways:
            reason = "show each position when the search enters it, after the one it follows from"
            raise InvalidVisit(f"showed {shown(position)} too early: {reason}")
        moves = max(ways)[1]
        seen[position.mine, position.mask] = number, moves
        yield f"{moves or 'root'} {'-' if value is None else f'{value:g}'} {note}".rstrip()


def _is_value(item: Any) -> bool:
    return item is None or isinstance(item, numbers.Real)


def _from_rows(board: Any, geometry: Geometry) -> Position:
    """Read rows, the top row first: 0 empty, 1 first, 2 or -1 second."""
    array = np.asarray(board)
    if array.shape != (geometry.rows, geometry.columns):
        raise InvalidPosition(
            f"a board must have {geometry.rows} rows of {geometry.columns} cells, got shape"
            f" {array.shape}"
        )
    return encodings.from_kaggle(np.where(array == -1, 2, array).ravel().tolist(), geometry)
