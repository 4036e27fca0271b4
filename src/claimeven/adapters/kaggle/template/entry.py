"""The way in: from what Kaggle gives to a column, whatever it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from claimeven.adapters.kaggle.template.board import Board
from claimeven.adapters.kaggle.template.clock import Clock, seconds_for_move


class Player(Protocol):
    """What chooses the columns on one board; `spends_bank` if it may draw on the bank."""

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
        """Return what the player of the board chooses."""
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
    """Return the flat board, empty if there is none, and the number of columns."""
    try:
        cells = [int(cell) for cell in value_of(observation, "board", [])]
    except Exception:
        cells = []
    try:
        return cells, max(1, int(value_of(configuration, "columns", 7)))
    except Exception:
        return cells, 7


def value_of(thing: Any, name: str, usual: Any) -> Any:
    """Return an attribute or a key of what Kaggle gives, `usual` where there is neither."""
    value = getattr(thing, name, None)
    if value is None:
        try:
            value = thing[name]
        except (KeyError, TypeError, IndexError):
            value = None
    return usual if value is None else value
