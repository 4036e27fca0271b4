"""Searches from files that show the positions they visit, step by step.

A search is a function of a board. To show its steps it is a generator, which yields each position
that it visits and returns its answer, or it calls its parameter `visit` with each:

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
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Integral, Number, Real
from typing import Any, Final, NamedTuple

import numpy as np

from claimeven.agents.options import InvalidSpec
from claimeven.agents.sanitize import described, printable, shown
from claimeven.agents.shapes import CourseState
from claimeven.game import encodings
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_names
from claimeven.game.position import Position

#: The readers of boards by their shape; the other shapes have rows, the top row first.
_READERS: Final[Mapping[str, Callable[[Any, Geometry], Position]]] = {
    "rows": lambda board, geometry: encodings.from_kaggle(np.ravel(board).tolist(), geometry),
    "rows-up": lambda board, geometry: _READERS["rows"](board[::-1], geometry),
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
    is_tuple = isinstance(item, tuple) and len(item) in (2, 3) and not isinstance(item[0], Number)
    if not is_tuple or not (item[1] is None or isinstance(item[1], Real)):
        return Visit(read_board(item, geometry, shape))
    value, note = (*item[1:], "")[:2]
    position = read_board(item[0], geometry, shape)
    return Visit(position, None if value is None else float(value), printable(str(note)))


def read_board(board: Any, geometry: Geometry, shape: str = "rows") -> Position:
    """Return the position of a board of a function's shape, or of moves. Raises `InvalidVisit`."""
    board = board.position if isinstance(board, CourseState) else board
    if isinstance(board, Position):
        return board
    is_list = isinstance(board, (list, tuple)) and all(isinstance(c, Integral) for c in board)
    if not isinstance(board, (str, list, tuple, np.ndarray)):
        raise InvalidVisit(f"showed no position: {shown(board)}")
    try:
        if isinstance(board, str) or is_list:
            return Position.from_moves(board, geometry)
        return _READERS.get(shape, _READERS["rows"])(board, geometry)
    except ClaimevenError as error:
        raise InvalidVisit(f"showed an impossible position: {error}: {shown(board)}") from None
    except Exception as error:
        raise InvalidVisit(f"showed no position: {shown(board)}: {described(error)}") from None


def arguments_of(function: Callable[..., Any], offered: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a search: the first offer for its first parameter, others by name.

    Raises `InvalidSpec` if a parameter without a default has no offer.
    """
    board, *others = offered
    parameters = [*inspect.signature(function).parameters.values()]
    rest = [p for p in parameters[1:] if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    unknown = [p.name for p in rest if p.default is p.empty and p.name not in others]
    if unknown or not parameters:
        raise InvalidSpec(
            f"{getattr(function, '__name__', 'the search')} must take a {board} first, and may take"
            f" {', '.join(others)}, by these names; got {', '.join(unknown) or 'no parameters'}"
        )
    known = {p.name: offered[p.name] for p in rest if p.name in others}
    return {parameters[0].name: offered[board], **known}


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
