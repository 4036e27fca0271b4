"""Games as they are stored, made from games as they were played, and on their way there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from claimeven.agents.base import Decision, FaultKind
from claimeven.agents.sanitize import without_folders
from claimeven.arena.games.game import Forfeit, Game
from claimeven.arena.games.match import PlayedGame
from claimeven.arena.games.schedule import Opening
from claimeven.arena.store.models import Row, StoredGame
from claimeven.arena.store.store import Store
from claimeven.game.notation import format_moves, parse_moves
from claimeven.game.position import Position

#: What is stored of every move besides the column, one list a quantity: of the decision itself, and
#: of its details.
TOLD = ("nodes", "iterations", "depth", "value")
DETAILS = ("evaluations", "branching", "stored")
#: Seconds after which the games finished are stored, where they come faster.
_TICK = 0.1
#: Games finished that are stored at once in any case.
_HELD = 500
#: Games that are made rows at once, where they come so fast: to keep them takes more memory.
_AT_ONCE = 16


def stored_game(played: PlayedGame, job: str) -> StoredGame:
    """Return a played game as a row under a job id; only what was told at all is stored."""
    game, forfeit = played.game, played.game.forfeit
    told: dict[str, list[float | None]] = {}
    if game.seconds:
        # To a millionth, as `round(seconds, 6)` gives it in five times the time.
        told["seconds"] = [round(1e6 * seconds) / 1e6 for seconds in game.seconds]
    amounts: list[float | None]
    for quantity in TOLD:
        amounts = list(map(attrgetter(quantity), game.decisions))
        if amounts.count(None) < len(amounts):
            told[quantity] = amounts
    details = list(map(attrgetter("details"), game.decisions))
    for quantity in DETAILS if any(details) else ():
        amounts = [each.get(quantity) for each in details]
        if amounts.count(None) < len(amounts):
            told[quantity] = amounts
    return StoredGame(
        job=job,
        number=played.number,
        pair=played.number // 2,
        first=played.first,
        second=played.second,
        opening=game.opening.moves,
        moves=format_moves(game.columns, game.start.geometry),
        winner=game.winner,
        fault=None if forfeit is None else str(forfeit.kind),
        fault_seat=None if forfeit is None else forfeit.seat,
        reason=None if forfeit is None else without_folders(forfeit.reason),
        seconds=round(sum(game.seconds), 6),
        told=told,
    )


def played_game(stored: StoredGame, start: Position) -> PlayedGame:
    """Return a stored game as it was played, from a start position, with what is stored of it.

    What an agent told of a move is kept as far as `TOLD` and `DETAILS` go; tracebacks are not.
    Raises `ValueError` for one that was damaged.
    """
    geometry = start.geometry
    opening = Opening(start, tuple(parse_moves(stored.opening, geometry)))
    columns = tuple(parse_moves(stored.moves, geometry))
    seconds = tuple(amount or 0.0 for amount in stored.told.get("seconds", ()))
    decisions = []
    for place, column in enumerate(columns):
        told = {name: amounts[place] for name, amounts in stored.told.items() if amounts[place:]}
        details = {name: told[name] for name in DETAILS if told.get(name) is not None}
        quantities: dict[str, Any] = {name: told.get(name) for name in TOLD}
        decisions.append(Decision(column, details=details, **quantities))
    forfeit = None
    if stored.fault is not None and stored.fault_seat is not None:
        kind = FaultKind(stored.fault)
        forfeit = Forfeit(stored.fault_seat, stored.reason or "", kind=kind)
    game = Game(opening, columns, stored.winner, forfeit, tuple(decisions), seconds)
    return PlayedGame(stored.number, stored.first, stored.second, game)


@dataclass(frozen=True)
class RowToBe:
    """A game on its way to the store, as it was played; sent to another process it goes as its row.

    To make rows takes less time of many games at once than of one after each game, when all that
    it takes lies cold. `job` names the game of a number.
    """

    job: Callable[[int], str]
    played: PlayedGame

    @property
    def row(self) -> Row:
        """The game as it is stored."""
        return stored_game(self.played, self.job(self.played.number)).row

    def __reduce__(self) -> tuple[type[Row], tuple[Row]]:
        return tuple, (self.row,)


def as_row(game: Row | RowToBe) -> Row:
    """Return a game as it is stored."""
    return game.row if isinstance(game, RowToBe) else game


class HeldRows:
    """Games on their way to the store: held for a moment, so that thousands a second can be.

    `done` are stored already; the last of `total` is stored at once, before its players are sent
    home, which takes a while.
    """

    def __init__(
        self,
        store: Store,
        done: int,
        watch: Callable[[int], object] | None = None,
        total: int | None = None,
    ) -> None:
        self._store = store
        self._done = done
        self._watch = watch
        self._total = total
        self._held: list[Row | RowToBe] = []
        self._stored_at = time.monotonic()

    def add(self, game: Row | RowToBe) -> None:
        """Hold a game, and store all that are held when it is time."""
        self._held.append(game)
        if not len(self._held) % _AT_ONCE:
            self._held[-_AT_ONCE:] = map(as_row, self._held[-_AT_ONCE:])
        count = len(self._held)
        is_last = self._done + count == self._total
        if is_last or count >= _HELD or time.monotonic() - self._stored_at > _TICK:
            self.close()

    def close(self) -> None:
        """Store what is held, and say how many games are stored."""
        if not self._held:
            return
        self._store.add_rows(list(map(as_row, self._held)))
        self._done += len(self._held)
        self._held, self._stored_at = [], time.monotonic()
        if self._watch is not None:
            self._watch(self._done)
