"""The games as the viewer of the page takes them: one short list a game."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from claimeven.agents.safe_text import printable
from claimeven.arena.report.contents import MOST_NAME, Contents
from claimeven.arena.store import StoredGame
from claimeven.game.notation import column_name

#: Games that a page holds, and of how many it tells time and value move by move.
MOST_GAMES, MOST_TOLD = 20_000, 2_000


def viewer_data(
    contents: Contents, most_games: int = MOST_GAMES, most_told: int = MOST_TOLD
) -> dict[str, Any]:
    """Return what the viewer needs, as plain data.

    A game is `[number, first, second, opening, moves, winner]`, agents by their place on the
    ladder, and `[..., kind, seat, reason]` where it was forfeited; `winner` is -1 for a draw.
    `told` holds time and value of each move of the first games, `notes` say what was left out.
    """
    geometry, start = contents.geometry, contents.start
    place = {agent.id: number for number, agent in enumerate(contents.ranking)}
    shown = contents.games[:most_games]
    return {
        "names": "".join(column_name(column, geometry) for column in range(geometry.columns)),
        "rows": geometry.rows,
        "start": [
            [column, row, player]
            for player, discs in enumerate(start.discs)
            for column, row in geometry.cells_of(discs)
        ],
        "agents": [contents.label[agent.id] for agent in contents.ranking],
        "games": [_game(game, place) for game in shown],
        "told": [_told(game) for game in shown[:most_told]],
        "notes": list(_notes(contents.games, most_games, most_told)),
    }


def _notes(games: Sequence[StoredGame], most_games: int, most_told: int) -> Iterator[str]:
    """Yield which games, and what of them, are not there."""
    if len(games) > most_games:
        yield (
            f"The first {most_games:,} of {len(games):,} games are here; the others count in all"
            " the figures above."
        )
    if any(game.told for game in games[most_told:most_games]):
        yield f"Time and value of each move are told for the first {most_told:,} games."


def _game(game: StoredGame, place: dict[int, int]) -> list[Any]:
    winner = -1 if game.winner is None else game.winner
    told = [game.number, place[game.first], place[game.second], game.opening, game.moves, winner]
    if game.fault is None or game.fault_seat is None:
        return told
    return [*told, printable(game.fault, MOST_NAME), game.fault_seat, printable(game.reason or "")]


def _told(game: StoredGame) -> dict[str, list[float | None]]:
    """Return time and value of each move."""
    return {
        what: [_number(amount) for amount in game.told[what]]
        for what in ("seconds", "value")
        if game.told.get(what)
    }


def _number(amount: object) -> float | None:
    """Return a number in three digits; None for what is none that JSON can hold."""
    if not isinstance(amount, (int, float)) or not math.isfinite(amount):
        return None
    return float(f"{amount:.3g}")
