"""A game as it was played: the one type from the referee to the store, the files and the pages.

The first fields of a `Game` are the columns of a store's row. A row may come from a corrupt file,
so `Game.of_row` and `Game.check` raise `ValueError` for anything that is not a game.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any

from claimeven.agents.base import Decision, FaultKind
from claimeven.agents.sanitize import without_folders
from claimeven.game.bitboard import has_line
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_name, parse_moves
from claimeven.game.outcome import winner_by_score
from claimeven.game.position import Position
from claimeven.markup import shown_by

#: A game as the file of a store holds it, in the order of its columns.
Row = tuple[Any, ...]
#: Figures that an agent reports of a move: in the decision itself, and in its details.
FIGURES = ("nodes", "iterations", "depth", "value")
DETAILS = ("evaluations", "branching", "stored")
#: The empty standard board.
EMPTY = Position()


@dataclass(frozen=True)
class Forfeit:
    """A game lost by a fault of an agent: its seat (0 moves first) and the reason.

    `reason` is one line. `traceback` is the traceback of an exception of the agent, else empty.
    `kind` distinguishes crashes, stalls, illegal answers, lack of time and of memory.
    """

    seat: int
    reason: str
    traceback: str = field(default="", compare=False)
    kind: FaultKind = FaultKind.CRASH


@dataclass(frozen=True)
class Game:
    """A game: its place in a plan, the players, the moves, the result, and figures of the moves.

    Attributes:
        job: its id in a store.
        number: its number in the plan, from 0.
        pair: the number of its pair; the two games of a pair share an opening.
        first: the agent that is the first player, by its number.
        second: the agent that is the second player.
        opening: the moves from `root` that no agent chose.
        moves: the moves of the agents after it.
        winner: the seat that won (0 is the first player), None for a draw or an unfinished game.
        finished: False for an unfinished game, which was imported.
        fault: the kind of fault by which the agent in `fault_seat` forfeited.
        fault_seat: the seat of that agent.
        reason: the fault in one line.
        seconds: the time of all moves, on a clock outside the agents.
        move_stats: figures of `moves`, a list for each quantity with None for missing numbers.
        adjudicated: the exact score, for the side to move, of the position in which the game was
            ended with its exact result; None for other games.
        root: the position before the move strings.
        traceback: the traceback of the agent's exception; it is not stored, like `decisions`.
        decisions: the agents' decisions for each of `moves`, if they were requested.

    """

    job: str = ""
    number: int = 0
    pair: int | None = None
    first: int = 0
    second: int = 1
    opening: str = ""
    moves: str = ""
    winner: int | None = None
    finished: bool = True
    fault: str | None = None
    fault_seat: int | None = None
    reason: str | None = None
    seconds: float | None = None
    move_stats: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    adjudicated: int | None = None
    root: Position = field(default=EMPTY, repr=False)
    traceback: str = field(default="", compare=False, repr=False)
    decisions: tuple[Decision, ...] = field(default=(), compare=False, repr=False)

    _repr_html_ = shown_by("claimeven.arena.results", "game")

    @property
    def agents(self) -> tuple[int, int]:
        """The agents by seat."""
        return self.first, self.second

    @property
    def winning_agent(self) -> int | None:
        """The agent that won, None for a draw or an unfinished game."""
        return None if self.winner is None else self.agents[self.winner]

    def points(self, agent: int) -> float:
        """Points an agent that played made of the game: 1, 1/2 or 0."""
        return 0.5 if self.winner is None else float(self.winning_agent == agent)

    @property
    def forfeit(self) -> Forfeit | None:
        """How the game was forfeited, if it was."""
        if self.fault is None or self.fault_seat is None:
            return None
        return Forfeit(self.fault_seat, self.reason or "", self.traceback, FaultKind(self.fault))

    @property
    def all_moves(self) -> str:
        """The move string of the whole game, its opening included."""
        return self.opening + self.moves

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The 0-based columns of `moves`."""
        return tuple(parse_moves(self.moves, self.root.geometry))

    @cached_property
    def all_columns(self) -> tuple[int, ...]:
        """The 0-based columns of the whole game."""
        return tuple(parse_moves(self.all_moves, self.root.geometry))

    @property
    def start(self) -> Position:
        """The position in which the agents took over."""
        return GameLine(self.root, parse_moves(self.opening, self.root.geometry)).position

    @property
    def final(self) -> Position:
        """The position at the end."""
        return GameLine(self.root, self.all_columns).position

    def figures(self, agent: int, quantity: str) -> list[float]:
        """Return an agent's figures of a quantity, one for each move that has one."""
        found: list[float] = []
        amounts = self.move_stats.get(quantity) or ()
        for seat in (0, 1):
            if self.agents[seat] == agent:
                own = amounts[(self.root.ply + len(self.opening) + seat) % 2 :: 2]
                found += [amount for amount in own if amount is not None]
        return found

    @property
    def row(self) -> Row:
        """The game as a store holds it: without folders of this machine."""
        stats = dict(self.move_stats)
        if self.adjudicated is not None:
            stats[_ADJUDICATED] = [self.adjudicated]
        return (
            self.job, self.number, self.pair, self.first, self.second, self.opening,
            self.moves, self.winner, int(self.finished), self.fault, self.fault_seat,
            None if self.reason is None else without_folders(self.reason),
            self.seconds, json.dumps(stats) if stats else None,
        )  # fmt: skip

    @classmethod
    def of_row(cls, row: Row, root: Position = EMPTY) -> Game:
        """Return the game of a row. Raises `ValueError` for a corrupt one."""
        values, kinds = dict(zip(FIELDS, row, strict=True)), tuple(map(type, row))
        if kinds not in _VALID_TYPES:  # rows of few kinds make a store of millions
            for name, wanted in _KINDS.items():
                if not isinstance(values[name], wanted):
                    raise ValueError(f"{name} is {values[name]!r}")
            _VALID_TYPES.add(kinds)
        for name in ("winner", "fault_seat"):
            if values[name] not in (None, 0, 1):
                raise ValueError(f"{name} is {values[name]!r}")
        if values["fault"] not in _FAULTS:
            raise ValueError(f"fault is {values['fault']!r}")
        if any(len(values[name] or "") > most for name, most in _MAX_LENGTH.items()):
            raise ValueError("it is longer than any stored game")
        values["finished"] = bool(values["finished"])
        stats = values["move_stats"] = json.loads(values["move_stats"] or "{}")
        if not isinstance(stats, dict) or not all(
            isinstance(each, list) and _NUMBERS.issuperset(map(type, each))
            for each in stats.values()
        ):
            raise ValueError("move_stats must be lists of numbers")
        scores = stats.pop(_ADJUDICATED, [None])
        if [type(score) for score in scores] not in ([int], [type(None)]):
            raise ValueError(f"{_ADJUDICATED} must be one score")
        return cls(**values, adjudicated=scores[0], root=root)

    def check(self) -> None:
        """Raise `ValueError` unless the moves are legal and lead to the result, or may continue."""
        board, mine, mask = self.root.geometry, self.root.mine, self.root.mask
        moves, columns = self.all_moves, _columns(board)
        theirs, cell = mask ^ mine, 0
        for letter in moves:
            bottom, cells = columns.get(letter, (0, 0))
            cell = (mask + bottom) & cells
            if not cell:
                raise ValueError(f"{letter} cannot be played")
            mine, theirs, mask = theirs, mine | cell, mask | cell
        if has_line(mine, board) or has_line(theirs & ~cell, board):
            raise ValueError("it continues after its end")
        mover = (self.root.ply + len(moves) + 1) % 2
        won = bool(cell) and has_line(theirs, board)
        winner, is_over = (mover, True) if won else (None, mask == board.board)
        if self.finished and self.fault is not None and self.fault_seat is not None:
            winner, is_over = 1 - self.fault_seat, not is_over
        elif self.finished and self.adjudicated is not None:
            winner, is_over = winner_by_score(self.adjudicated, 1 - mover), not is_over
        if (self.winner, self.finished) != (winner, is_over):
            raise ValueError("its moves do not lead to its result")


def figures_of(
    decisions: Sequence[Decision], seconds: Sequence[float]
) -> dict[str, list[float | None]]:
    """Return the figures of moves by quantity; a quantity that no agent reported is left out."""
    found: dict[str, list[float | None]] = {}
    if seconds:
        # To a millionth, as `round(amount, 6)` gives it in five times the time.
        found["seconds"] = [round(1e6 * amount) / 1e6 for amount in seconds]
    amounts: list[float | None]
    for quantity in FIGURES:
        amounts = list(map(attrgetter(quantity), decisions))
        if amounts.count(None) < len(amounts):
            found[quantity] = amounts
    details = [decision.details for decision in decisions]
    for quantity in DETAILS if any(details) else ():
        amounts = [each.get(quantity) for each in details]
        if amounts.count(None) < len(amounts):
            found[quantity] = amounts
    return found


#: The fields of a row in its order, and the names of its columns, which have not changed since 0.2.
FIELDS = tuple(each.name for each in fields(Game))[:14]
COLUMNS = (*FIELDS[:-1], "told")
#: The name of the score of an adjudicated game among the figures of a row.
_ADJUDICATED = "adjudicated"
#: Maximum characters of the texts of a row.
_MAX_LENGTH = {"opening": 300, "moves": 300, "fault": 100, "reason": 10_000, "move_stats": 1 << 20}
_KINDS = {
    **dict.fromkeys(("job", "opening", "moves"), str),
    **dict.fromkeys(("number", "first", "second", "finished"), int),
    **dict.fromkeys(("pair", "winner", "fault_seat"), int | None),
    **dict.fromkeys(("fault", "reason", "move_stats"), str | None),
    "seconds": float | int | None,
}
_FAULTS = frozenset((None, *map(str, FaultKind)))
#: Types of the fields of rows that were found valid.
_VALID_TYPES: set[tuple[type, ...]] = set()
_NUMBERS = frozenset((int, float, bool, type(None)))


@lru_cache(maxsize=8)
def _columns(board: Geometry) -> dict[str, tuple[int, int]]:
    """Return the bottom cell and the mask of each column, by its letter in move strings."""
    return {
        column_name(column, board): (1 << board.bit(column, 0), board.column_mask(column))
        for column in range(board.columns)
    }
