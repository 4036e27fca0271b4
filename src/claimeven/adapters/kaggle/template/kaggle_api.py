"""Kaggle's side: the time it gives for a move, and the column it is given.

Kaggle gives `actTimeout` seconds a move, and a bank for the whole game that longer moves draw on. A
clock keeps clear of both: part of each move's time is left for work that is not counted here, such
as the loading of this file before the first move and a machine that is busy with something else.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from claimeven.adapters.kaggle.template.board import Board

#: Seconds of a move that are left unused, and the most of it as a part of a short move.
MARGIN_SECONDS, MARGIN_SHARE = 0.6, 0.4
#: Seconds of the bank that are never spent on purpose, the part of the rest for one move, and the
#: most of it for one move, by the time for a move.
BANK_RESERVE, BANK_SHARE, BANK_MOVES = 15.0, 0.2, 3.0
#: The most seconds of a move, even if Kaggle allows more.
LONGEST_MOVE = 600.0


class OutOfTime(Exception):
    """Ends a search from inside when its time is over."""


class Clock:
    """The moment at which a search must stop."""

    def __init__(self, seconds: float) -> None:
        self.end: float = time.perf_counter() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.end - time.perf_counter()

    def check(self) -> None:
        """Raise `OutOfTime` when no time is left."""
        if time.perf_counter() >= self.end:
            raise OutOfTime

    def share(self, part: float) -> Clock:
        """Return a clock that ends after a part of the time left."""
        return Clock(part * self.left)


def seconds_for_move(act_timeout: float, bank: float, spend_bank: bool) -> float:
    """Return the seconds to think: a part of the bank too, if it is to be spent."""
    allowed = min(LONGEST_MOVE, max(0.0, act_timeout))  # 0 for NaN
    seconds = allowed - min(MARGIN_SECONDS, MARGIN_SHARE * allowed)
    if spend_bank:
        seconds += min(BANK_MOVES * allowed, BANK_SHARE * max(0.0, bank - BANK_RESERVE))
    return seconds


class Player(Protocol):
    """A player on one board; it `spends_bank` if it may draw on the bank."""

    spends_bank: bool

    def choose(self, mine: int, mask: int, clock: Clock) -> int:
        """Return the column to play in a position that is not over."""
        ...


class Submission:
    """An agent for Kaggle ConnectX made of a player for each board it is asked on."""

    def __init__(self, make_player: Callable[[Board], Player]) -> None:
        self.make_player = make_player
        self.players: dict[tuple[int, int, int], tuple[Board, Player]] = {}

    def answer(self, observation: Any, configuration: Any) -> int:
        """Return a legal column as a plain int; any, should the player fail or be misled."""
        cells, columns = cells_and_columns(observation, configuration)
        try:
            column = self.chosen(cells, columns, observation, configuration)
        except Exception:  # a column that may be weak is better than a game that is lost
            column = -1
        if 0 <= column < columns and not (column < len(cells) and cells[column]):
            return column
        free = [c for c in range(columns) if not (c < len(cells) and cells[c])]
        return min(free, key=lambda c: abs(2 * c - columns + 1), default=0)

    def chosen(self, cells: list[int], columns: int, observation: Any, configuration: Any) -> int:
        """Return the choice of the player of the board."""
        rows = int(value_of(configuration, "rows", 6))
        connect = int(value_of(configuration, "inarow", 4))
        seconds = float(value_of(configuration, "actTimeout", 2))
        bank = float(value_of(observation, "remainingOverageTime", 0))
        size = columns, rows, connect
        if size not in self.players:
            board = Board(*size)
            self.players[size] = board, self.make_player(board)
        board, player = self.players[size]
        clock = Clock(seconds_for_move(seconds, bank, player.spends_bank))
        few = 1 if cells.count(1) <= cells.count(2) else 2
        mine, mask = board.read(cells, value_of(observation, "mark", few))
        return int(player.choose(mine, mask, clock))


def cells_and_columns(observation: Any, configuration: Any) -> tuple[list[int], int]:
    """Return the flat board, [] if it is missing, and the number of columns."""
    try:
        cells = [int(cell) for cell in value_of(observation, "board", [])]
    except Exception:
        cells = []
    try:
        return cells, max(1, int(value_of(configuration, "columns", 7)))
    except Exception:
        return cells, 7


def value_of(thing: Any, name: str, default: Any) -> Any:
    """Return an attribute or a key of an object of Kaggle, `default` if there is neither."""
    value = getattr(thing, name, None)
    if value is None:
        try:
            value = thing[name]
        except (KeyError, TypeError, IndexError):
            value = None
    return default if value is None else value
