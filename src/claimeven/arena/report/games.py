"""The games as the viewer of the page takes them: one short list a game."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from claimeven.agents.sanitize import printable, without_folders
from claimeven.arena.accuracy.stored_games import moves_of
from claimeven.arena.games.game import Game
from claimeven.arena.report.context import MAX_NAME, Contents
from claimeven.game.notation import column_name
from claimeven.review.analysis import JudgedMove

#: Games that a page holds, and games with time and value of each move.
MAX_GAMES, MAX_TIMED = 20_000, 2_000


def viewer_data(
    contents: Contents, max_games: int = MAX_GAMES, max_timed: int = MAX_TIMED
) -> dict[str, Any]:
    """Return the data of the viewer.

    A game is `[number from 1, first, second, opening, moves, winner]`, agents by their place on the
    ladder, and `[..., kind, seat, reason]` if it was forfeited; `winner` is -1 for a draw, -2 for a
    game that was left. `told` holds time and value of each move of the first games, `judged` the
    scores of some by number, `notes` say what was left out.
    """
    geometry, start = contents.geometry, contents.start
    place = {agent.id: number for number, agent in enumerate(contents.ranking)}
    shown = contents.games[:max_games]
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
        "told": [
            {
                what: [_number(amount) for amount in game.told[what]]
                for what in ("seconds", "value")
                if game.told.get(what)
            }
            for game in shown[:max_timed]
        ],
        "judged": _judged(contents),
        "notes": list(_notes(contents.games, max_games, max_timed)),
    }


def _notes(games: Sequence[Game], max_games: int, max_timed: int) -> Iterator[str]:
    if len(games) > max_games:
        yield (
            f"The first {max_games:,} of {len(games):,} games are here; the others count in all"
            " the figures above."
        )
    if any(game.told for game in games[max_timed:max_games]):
        yield f"Time and value of each move are told for the first {max_timed:,} games."


def _game(game: Game, place: dict[int, int]) -> list[Any]:
    winner = -2 if not game.finished else -1 if game.winner is None else game.winner
    data = [
        game.number + 1, place[game.first], place[game.second], game.opening, game.moves, winner
    ]  # fmt: skip
    if game.fault is None or game.fault_seat is None:
        return data
    reason = printable(without_folders(game.reason or ""))
    return [*data, printable(game.fault, MAX_NAME), game.fault_seat, reason]


def _judged(contents: Contents) -> dict[int, dict[str, Any]]:
    """Return what the judged games are worth, by their numbers from 1.

    `course` holds the exact score for the first player in the position where the agents took over
    and after each of their moves. By the number of a move that was not right, `best` holds the
    names of the right columns and `how` its judgement and mark.
    """
    accuracy, found = contents.accuracy, {}
    for game in () if accuracy is None else accuracy.judged:
        assert accuracy is not None
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
    """Return a number in three digits; None for one that JSON cannot hold."""
    if not isinstance(amount, (int, float)) or not math.isfinite(amount):
        return None
    return float(f"{amount:.3g}")
