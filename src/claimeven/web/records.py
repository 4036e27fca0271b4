"""The games of a file that the page opens, in any format of `claimeven.records`."""

from __future__ import annotations

import io
from typing import Any

from claimeven.atomic_io import DATABASE
from claimeven.game.geometry import Geometry
from claimeven.records import InvalidRecord, guess_by_lines, tried_records

#: Maximum number of games returned.
MAX_GAMES = 500
#: Start of the file of a tournament, decoded as text.
_DATABASE = DATABASE.decode().rstrip("\0")


def games_json(state: Any, text: str, name: str, geometry: Geometry) -> dict[str, Any]:
    """Return the games of a text as plain data; the extension of the file `name` helps to guess the
    format.

    `geometry` is the board of games without a board. Raises `InvalidRecord` with the line and the
    reason if no game can be read.
    """
    if text.startswith(_DATABASE):
        raise InvalidRecord(
            "this is the file of a tournament: show it with serve --store, or make a table of its"
            " games with claimeven convert FILE -o games.csv and open that here"
        )
    form, lines = guess_by_lines(name, io.StringIO(text))
    games: list[dict[str, Any]] = []
    unreadable, first_error, truncated = 0, None, False
    try:
        for number, each in enumerate(tried_records(lines, form, geometry)):
            if number == MAX_GAMES:
                truncated = True
                break
            record = each.record
            if record is None:
                unreadable += 1
                first_error = first_error or f"line {each.line}: {each.error}"
                continue
            game = {
                key: getattr(record, key) for key in ("moves", "first", "second", "result", "fault")
            }
            board = record.geometry
            size = {"board": f"{board.columns}x{board.rows}", "connect": board.connect}
            games.append({**size, **game, "has_move_order": record.is_ordered})
    except InvalidRecord as error:  # the rest cannot be read
        unreadable += 1
        first_error = first_error or str(error)
    if not games:
        raise InvalidRecord(first_error or "the file contains no games")
    errors = {"unreadable": unreadable, "first_error": first_error}
    return {"format": form.name, "games": games, **errors, "truncated": truncated}
