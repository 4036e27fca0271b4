"""Functions of other boards than a position, and the positions that a search shows.

The shape of a function is an option of its spec, `bot.py:bot,shape=rows`, or the second argument of
`adapt`. A function of two parameters gets the player to move as the second argument.

| shape        | board                                                          | player   |
|--------------|----------------------------------------------------------------|----------|
| `rows`       | NumPy (rows, columns), top row first: 0 empty, 1 first, 2 second | 1 or 2   |
| `rows-up`    | the same, bottom row first                                     | 1 or 2   |
| `lists`      | lists of rows, top row first: 0 empty, 1 first, 2 second       | 1 or 2   |
| `signs`      | NumPy (rows, columns), top row first: 1 first, -1 second       | 1 or -1  |
| `lund`       | NumPy (rows, columns), top row first: 1 own discs, -1 others   | always 1 |
| `polito`     | NumPy (columns, rows), bottom row first: 1 first, -1 second    | 1 or -1  |
| `stacks`     | lists of columns, their discs bottom up: 1 first, 2 second     | 1 or 2   |
| `characters` | lists of rows, top row first: "X" first, "O" second, "."       | "X", "O" |
| `pettingzoo` | NumPy (rows, columns, 2), top row first: own discs, others     | 0 or 1   |
| `state`      | a `CourseState`, with `get_legal_actions()` and other methods  | 1 or 2   |

The answer is a column counted from 0, a pair of column and value, or a number for each column: the
greatest legal one is played.

A function that shows the steps of its search is a generator, which yields each position that it
visits and returns its answer, or it calls its parameter `visit` with each:

    def minimax(position, depth, evaluate):
        yield position
        ...
            value, _ = yield from minimax(position.play(column), depth - 1, evaluate)
        ...
        return value, column

A shown position is a `Position`, a move string, a list of 0-based columns from the empty board, or
a board of the function's shape. A yielded tuple adds a value and a note to it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Integral, Number, Real
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from claimeven.agents.options import InvalidSpec
from claimeven.agents.sanitize import described, printable, shown
from claimeven.errors import ClaimevenError
from claimeven.game import encodings
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_names
from claimeven.game.position import Position
from claimeven.suggestions import no_such

#: Shapes that need no wrapper.
NATIVE: Final = ("position", "kaggle")


class CourseState:
    """A state for functions such as `get_action(state)`: rows from the top, and the usual methods.

    Actions are columns from 0; `board` has 0 for an empty cell, else 1 or 2, like `player` to move.
    """

    def __init__(self, position: Position) -> None:
        self.position = position
        self.board: Any = _rows(position)
        self.player: int = position.turn + 1

    def get_legal_actions(self) -> list[int]:
        """Return the columns that can be played."""
        return list(self.position.legal_columns)

    def generate_successor(self, action: int) -> CourseState:
        """Return the state after a move."""
        return CourseState(self.position.play(action))

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.is_over

    def winner(self) -> int:
        """Return the winner, 1 or 2; 0 without one."""
        return 0 if self.position.winner is None else self.position.winner + 1

    legal_actions = get_legal_moves = legal_moves = get_legal_actions
    successor = result = next_state = generate_successor
    is_over = game_over = is_terminal


def _rows(position: Position) -> NDArray[np.int64]:
    return position.to_array()[::-1].astype(np.int64) + 1


#: The shapes by name: how a board is made of a position, and the values of the two players.
SHAPES: Final[dict[str, tuple[Callable[[Position], Any], tuple[Any, Any]]]] = {
    "rows": (_rows, (1, 2)),
    "rows-up": (lambda position: _rows(position)[::-1], (1, 2)),
    "lists": (lambda position: _rows(position).tolist(), (1, 2)),
    "signs": (lambda position: encodings.to_lund(position, 0).astype(np.int64), (1, -1)),
    "lund": (lambda position: encodings.to_lund(position).astype(np.int64), (1, 1)),
    "polito": (lambda position: encodings.to_polito(position).astype(np.int64), (1, -1)),
    "stacks": (encodings.to_stacks, (1, 2)),
    "characters": (encodings.to_characters, ("X", "O")),
    "pettingzoo": (encodings.to_pettingzoo, (0, 1)),
    "state": (CourseState, (1, 2)),
}
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


def end_of(answer: Any, on_step: Callable[[Any], object] = lambda step: None) -> Any:
    """Return the answer of a function; a generator with one runs to its end, through `on_step`."""
    if inspect.isgenerator(answer):
        try:
            while True:
                on_step(next(answer))
        except StopIteration as end:
            return answer if end.value is None else end.value
    return answer


class Adapted:
    """A function of a position, made of a function of another shape."""

    def __init__(self, function: Callable[..., Any], shape: str, count: int) -> None:
        self.function, self.shape, self.count = function, shape, count
        self.board, self.players = SHAPES[shape]
        self.arguments = ("board", "board, player")[count - 1] + f", shape={shape}"

    def call(self, position: Position) -> Any:
        """Return the answer of the function, a generator if it is one."""
        both = self.board(position), self.players[position.turn]
        return self.function(*both[: self.count])

    def __call__(self, position: Position) -> Any:
        """Return the column that the function answers."""
        answer = end_of(self.call(position))
        if isinstance(answer, (list, tuple, np.ndarray)) and np.shape(answer)[:1]:
            if len(answer) == position.geometry.columns:
                legal = position.legal_columns
                has_nan = any(answer[column] != answer[column] for column in legal)
                return answer if has_nan else max(legal, key=answer.__getitem__)
            return answer[0] if len(answer) == 2 else answer
        return answer


def adapt(function: Callable[..., Any], shape: str) -> Callable[[Position], Any]:
    """Return a function of a position that calls one of another shape.

    Raises `InvalidSpec` for an unknown shape and for a function of no or more than two arguments.

    >>> adapt(lambda board: board[0].tolist().index(0), "rows")(Position.from_moves("111111"))
    1
    """
    if shape not in SHAPES:
        raise InvalidSpec(no_such("shape", shape, (*SHAPES, *NATIVE)))
    try:
        parameters = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):  # not a function, or one of C
        parameters = []
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    count = sum(p.default is p.empty for p in positional) or len(positional[:1])
    if count not in (1, 2):
        raise InvalidSpec(f"shape={shape} needs a function of a board, or of a board and a player")
    return Adapted(function, shape, count)


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
    if not is_tuple or not isinstance(item[1], Real | None):
        return Visit(read_board(item, geometry, shape))
    board, value, note = (*item, "")[:3]
    value = None if value is None else float(value)
    return Visit(read_board(board, geometry, shape), value, printable(str(note)))


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
            f"{getattr(function, '__name__', 'the search')} must take"
            f" a {board if board == 'position' else 'board'} first, and may take"
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
