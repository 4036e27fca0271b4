"""The games of a file that the page opens, in whatever format of `claimeven.records` it is."""

from __future__ import annotations

import io
from typing import Any

from claimeven.atomic_io import DATABASE
from claimeven.game.geometry import Geometry
from claimeven.records import InvalidRecord, guess_by_lines, tried_records

#: Games of a file that are returned at most.
MAX_GAMES = 500
#: How a file of a tournament begins, decoded in whatever way.
_DATABASE = DATABASE.decode().rstrip("\0")


def games_json(tools: Any, text: str, name: str, geometry: Geometry) -> dict[str, Any]:
    """Return the games of a text as plain data; `name` is that of its file, whose ending counts.

    `geometry` is the board of games that do not name theirs. Raises `InvalidRecord` naming the line
    and the reason if no game can be read.
    """
    if text.startswith(_DATABASE):
        raise InvalidRecord(
            "this is the file of a tournament: serve --store shows it, and claimeven convert FILE"
            " -o games.csv makes a table of its games, which can be opened here"
        )
    form, lines = guess_by_lines(name, io.StringIO(text))
    games: list[dict[str, Any]] = []
    wrong, problem, more = 0, None, False
    try:
        for number, each in enumerate(tried_records(lines, form, geometry)):
            if number == MAX_GAMES:
                more = True
                break
            record = each.record
            if record is None:
                wrong += 1
                problem = problem or f"line {each.line}: {each.error}"
                continue
            game = {
                key: getattr(record, key) for key in ("moves", "first", "second", "result", "fault")
            }
            board = record.geometry
            size = {"board": f"{board.columns}x{board.rows}", "connect": board.connect}
            games.append({**size, **game, "ordered": record.is_ordered})
    except InvalidRecord as error:  # nothing can be read from here on
        wrong += 1
        problem = problem or str(error)
    if not games:
        raise InvalidRecord(problem or "there are no games in it")
    return {"format": form.name, "games": games, "wrong": wrong, "problem": problem, "more": more}
