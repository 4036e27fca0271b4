"""The games as the viewer of the page takes them: one short list a game."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from claimeven.agents.sanitize import printable, without_folders
from claimeven.arena.accuracy.stored_games import moves_of
from claimeven.arena.report.context import MOST_NAME, Contents
from claimeven.arena.store.models import StoredGame
from claimeven.game.notation import column_name
from claimeven.review.analysis import JudgedMove

#: Games that a page holds, and of how many it tells time and value move by move.
MOST_GAMES, MOST_TOLD = 20_000, 2_000


def viewer_data(
    contents: Contents, most_games: int = MOST_GAMES, most_told: int = MOST_TOLD
) -> dict[str, Any]:
    """Return what the viewer needs, as plain data.

    A game is `[number from 1, first, second, opening, moves, winner]`, agents by their place on the
    ladder, and `[..., kind, seat, reason]` where it was forfeited; `winner` is -1 for
    a draw, -2 for a game that was left.
    `told` holds time and value of each move of the first games, `judged` the scores of some by
    number, `notes` say what was left out.
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
        "judged": _judged(contents),
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
    winner = -2 if not game.finished else -1 if game.winner is None else game.winner
    told = [
        game.number + 1,
        place[game.first],
        place[game.second],
        game.opening,
        game.moves,
        winner,
    ]
    if game.fault is None or game.fault_seat is None:
        return told
    return [
        *told,
        printable(game.fault, MOST_NAME),
        game.fault_seat,
        printable(without_folders(game.reason or "")),
    ]


def _told(game: StoredGame) -> dict[str, list[float | None]]:
    """Return time and value of each move."""
    return {
        what: [_number(amount) for amount in game.told[what]]
        for what in ("seconds", "value")
        if game.told.get(what)
    }


def _judged(contents: Contents) -> dict[int, dict[str, Any]]:
    """Return what the judged games are worth, by their numbers from 1.

    `course` holds the exact score for the first player in the position where the agents took over
    and after each of their moves. By the number of a move that was not right, `best` holds the
    names of the right columns and `how` its judgement and mark.
    """
    accuracy = contents.accuracy
    if accuracy is None:
        return {}
    found = {}
    for game in accuracy.judged:
        course, best, how = [], {}, {}
        for place, (position, column, _) in enumerate(moves_of(game, contents.start)):
            move = JudgedMove(position, column, accuracy.known[position])
            sign = 1 if move.player == 0 else -1
            course += [sign * move.before] if place == 0 else []
            course.append(sign * move.after)
            if move.after != move.before:
                best[place] = "".join(column_name(c, contents.geometry) for c in move.best)
                how[place] = (move.judgement, move.mark)
        if course:
            found[game.number + 1] = {"course": course, "best": best, "how": how}
    return found


def _number(amount: object) -> float | None:
    """Return a number in three digits; None for what is none that JSON can hold."""
    if not isinstance(amount, (int, float)) or not math.isfinite(amount):
        return None
    return float(f"{amount:.3g}")
