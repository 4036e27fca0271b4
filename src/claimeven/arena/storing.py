"""Games as they are stored, made from games as they were played."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from claimeven.agents.contract import Decision, FaultKind
from claimeven.arena.game import Forfeit, Game, Measures
from claimeven.arena.match import PlayedGame
from claimeven.arena.schedule import Opening
from claimeven.arena.store import Store, StoredGame
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves, parse_moves
from claimeven.game.position import Position

#: What is stored of every move besides the column, one list a quantity: of the decision itself, and
#: of its details.
TOLD = ("nodes", "iterations", "depth", "value")
DETAILS = ("evaluations", "branching", "stored")


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
        reason=None if forfeit is None else forfeit.reason,
        seconds=round(sum(game.seconds), 6),
        told=told,
    )


def played_game(stored: StoredGame, start: Position) -> PlayedGame:
    """Return a stored game as it was played, from a start position, with what is stored of it.

    What an agent told of a move is kept as far as `TOLD` and `DETAILS` go; tracebacks are not.
    """
    geometry = start.geometry
    opening = Opening(start, tuple(parse_moves(stored.opening, geometry)))
    columns = tuple(parse_moves(stored.moves, geometry))
    seconds = tuple(amount or 0.0 for amount in stored.told.get("seconds", ()))
    measures = (Measures(), Measures())
    decisions = []
    for place, column in enumerate(columns):
        told = {name: amounts[place] for name, amounts in stored.told.items()}
        details = {name: told[name] for name in DETAILS if told.get(name) is not None}
        quantities: dict[str, Any] = {name: told.get(name) for name in TOLD}
        decision = Decision(column, details=details, **quantities)
        decisions.append(decision)
        if seconds:
            seat = (opening.position.ply + place) % 2
            measures[seat].note(decision, seconds[place])
    forfeit = None
    if stored.fault is not None and stored.fault_seat is not None:
        kind = FaultKind(stored.fault)
        forfeit = Forfeit(stored.fault_seat, stored.reason or "", kind=kind)
    game = Game(opening, columns, stored.winner, forfeit, measures, tuple(decisions), seconds)
    return PlayedGame(stored.number, stored.first, stored.second, game)


def store_start(store: Store) -> Position:
    """Return the position that the move strings of a store begin from, its board with it.

    A tournament's plan tells it; where there is none, what was stored with imported games.
    """
    told = store.meta.get("plan") or store.meta.get("board") or {}
    geometry = Geometry(
        told.get("columns", STANDARD.columns),
        told.get("rows", STANDARD.rows),
        told.get("connect", STANDARD.connect),
    )
    return Position(geometry, *told.get("start", (0, 0)))
