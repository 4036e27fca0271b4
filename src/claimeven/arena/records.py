"""Games as they are stored, made from games as they were played."""

from __future__ import annotations

from claimeven.arena.match import PlayedGame
from claimeven.arena.store import Store, StoredGame
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves
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
        told["seconds"] = [round(seconds, 6) for seconds in game.seconds]
    for quantity in (*TOLD, *DETAILS):
        amounts = [
            decision.details.get(quantity) if quantity in DETAILS else getattr(decision, quantity)
            for decision in game.decisions
        ]
        if any(amount is not None for amount in amounts):
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
