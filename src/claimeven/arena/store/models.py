"""Agents and games as a store holds them, and games as rows of it.

A row may come from a file that was damaged, so what is no game is found when it is read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, NamedTuple

from claimeven.agents.base import FaultKind
from claimeven.agents.sanitize import without_folders
from claimeven.game.bitboard import has_line
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_name
from claimeven.game.position import Position

#: A game as the file holds it, in the order of its columns.
Row = tuple[Any, ...]


@dataclass(frozen=True)
class StoredAgent:
    """An agent of a store: its number there, label, full spec, and the digest of its file."""

    id: int
    label: str
    spec: str
    digest: str | None = None


class Picked(NamedTuple):
    """Which games of a store are read: so many of those of a condition of SQL."""

    condition: str = "1"
    values: tuple[Any, ...] = ()
    skipped: int = 0
    most: int = (1 << 63) - 1


def public_agents(agents: Sequence[StoredAgent]) -> tuple[StoredAgent, ...]:
    """Return agents as others may see them: without the folders of this machine.

    Labels that are equal without them are numbered.
    """
    found: list[StoredAgent] = []
    seen: Counter[str] = Counter()
    for agent in agents:
        label = without_folders(agent.label)
        seen[label] += 1
        label += f" ({seen[label]})" * (seen[label] > 1)
        found.append(replace(agent, label=label, spec=without_folders(agent.spec)))
    return tuple(found)


@dataclass(frozen=True)
class StoredGame:
    """A game as it is stored; see the module for the fields.

    `told` holds what the agents told of each move after the opening, one list a quantity
    (`seconds`, `nodes`, `iterations`, `depth`, `value`), None where nothing was told.
    """

    job: str
    number: int
    pair: int | None
    first: int
    second: int
    opening: str
    moves: str
    winner: int | None
    finished: bool = True
    fault: str | None = None
    fault_seat: int | None = None
    reason: str | None = None
    seconds: float | None = None
    told: Mapping[str, Sequence[float | None]] = field(default_factory=dict)

    @property
    def row(self) -> Row:
        """The game as the file holds it: quick to send, and to store."""
        return (
            self.job, self.number, self.pair, self.first, self.second, self.opening,
            self.moves, self.winner, int(self.finished), self.fault, self.fault_seat,
            self.reason, self.seconds, json.dumps(dict(self.told)) if self.told else None,
        )  # fmt: skip

    @classmethod
    def of_row(cls, row: Row) -> StoredGame:
        """Return the game of a row. Raises `ValueError` for one that was damaged."""
        values, kinds = dict(zip(FIELDS, row, strict=True)), tuple(map(type, row))
        if kinds not in _SOUND:  # rows of few kinds make a store of millions
            for name, wanted in _KINDS.items():
                if not isinstance(values[name], wanted):
                    raise ValueError(f"{name} is {values[name]!r}")
            _SOUND.add(kinds)
        for name in ("winner", "fault_seat"):
            if values[name] not in (None, 0, 1):
                raise ValueError(f"{name} is {values[name]!r}")
        if values["fault"] not in _FAULTS:
            raise ValueError(f"fault is {values['fault']!r}")
        if any(len(values[name] or "") > most for name, most in _LONGEST.items()):
            raise ValueError("it is longer than what is stored")
        values["finished"] = bool(values["finished"])
        told = values["told"] = json.loads(values["told"]) if values["told"] else {}
        if not isinstance(told, dict) or not all(map(_is_told, told.values())):
            raise ValueError("told is no lists of numbers")
        return cls(**values)

    def check_moves(self, start: Position) -> None:
        """Raise `ValueError` unless the moves can be played from a position, and end as is said.

        A game that was won or drawn ends so by its moves; one that was lost by a fault, or left,
        goes on after them.
        """
        board, mine, mask = start.geometry, start.mine, start.mask
        moves, columns = self.all_moves, _columns(board)
        theirs, cell = mask ^ mine, 0
        for letter in moves:
            bottom, cells = columns.get(letter, (0, 0))
            cell = (mask + bottom) & cells
            if not cell:
                raise ValueError(f"{letter} cannot be played")
            mine, theirs, mask = theirs, mine | cell, mask | cell
        if has_line(mine, board) or has_line(theirs & ~cell, board):
            raise ValueError("it goes on after its end")
        mover = (start.ply + len(moves) + 1) % 2
        won = bool(cell) and has_line(theirs, board)
        winner, is_over = (mover, True) if won else (None, mask == board.board)
        if self.finished and self.fault is not None and self.fault_seat is not None:
            winner, is_over = 1 - self.fault_seat, not is_over
        if (self.winner, self.finished) != (winner, is_over):
            raise ValueError("its moves do not end as is said")

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
        if self.winner is None:
            return 0.5
        return float(self.winning_agent == agent)

    @property
    def all_moves(self) -> str:
        """The move string from the empty board."""
        return self.opening + self.moves


#: Characters that the texts of a row have at most.
_LONGEST = {"opening": 300, "moves": 300, "fault": 100, "reason": 10_000, "told": 1 << 20}
#: Of what kind the fields of a row are.
_KINDS = {
    **dict.fromkeys(("job", "opening", "moves"), str),
    **dict.fromkeys(("number", "first", "second", "finished"), int),
    **dict.fromkeys(("pair", "winner", "fault_seat"), int | None),
    **dict.fromkeys(("fault", "reason", "told"), str | None),
    "seconds": float | int | None,
}


@lru_cache(maxsize=8)
def _columns(board: Geometry) -> dict[str, tuple[int, int]]:
    """Return the bottom cell and the mask of each column, by its letter in move strings."""
    return {
        column_name(column, board): (1 << board.bit(column, 0), board.column_mask(column))
        for column in range(board.columns)
    }


_FAULTS = frozenset((None, *map(str, FaultKind)))
#: Kinds of the fields of rows that were found to be sound.
_SOUND: set[tuple[type, ...]] = set()
#: What is told of a move.
_NUMBERS = frozenset((int, float, bool, type(None)))


def _is_told(quantity: object) -> bool:
    """Whether this is what was told of each move: numbers, and None where nothing was."""
    return isinstance(quantity, list) and _NUMBERS.issuperset(map(type, quantity))


#: The columns of a game, in the order of a row.
FIELDS = tuple(each.name for each in fields(StoredGame))
