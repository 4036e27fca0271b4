"""The games of a file that the page opens, in whatever format of `claimeven.records` it is."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

from claimeven.game.geometry import Geometry
from claimeven.outputs import DATABASE
from claimeven.records import GameRecord, InvalidRecord, Tried, guess_by_lines, tried_records
from claimeven.records.tables import read

#: Games of a file that are told at most.
MOST_GAMES = 500
#: How a file of a tournament begins, whatever is made of its other bytes.
_DATABASE = DATABASE.decode().rstrip("\0")


def games_json(text: str, name: str, geometry: Geometry) -> dict[str, Any]:
    """Return the games of a text as plain data; `name` is that of its file, whose ending counts.

    `geometry` is the board of games that do not name theirs. Raises `InvalidRecord` naming the line
    and the reason where there is no game that can be read.
    """
    if text.startswith(_DATABASE):
        raise InvalidRecord(
            "this is the file of a tournament: serve --store shows it, and claimeven convert FILE"
            " -o games.csv makes a table of its games, which can be opened here"
        )
    form, tried = _tried(text, name, geometry)
    games: list[dict[str, Any]] = []
    wrong, problem, more = 0, None, False
    try:
        for number, each in enumerate(tried):
            if number == MOST_GAMES:
                more = True
                break
            if each.record is None:
                wrong += 1
                problem = problem or f"line {each.line}: {each.error}"
            else:
                games.append(_told(each.record))
    except InvalidRecord as error:  # nothing can be read from here on
        wrong += 1
        problem = problem or str(error)
    if not games:
        raise InvalidRecord(problem or "there are no games in it")
    return {"format": form, "games": games, "wrong": wrong, "problem": problem, "more": more}


def _tried(text: str, name: str, geometry: Geometry) -> tuple[str, Iterator[Tried]]:
    """Return the name of the format, and the games as they are read."""
    alone = _alone(text, geometry)
    if alone is not None:
        return "json", iter((Tried(1, alone),))
    form, lines = guess_by_lines(name, io.StringIO(text))
    return form.name, tried_records(lines, form, geometry)


def _alone(text: str, geometry: Geometry) -> GameRecord | None:
    """Return the game of a JSON object with moves, as `analyze --json` writes one, if it is one."""
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return None
    try:
        found = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or "steps" in found or not isinstance(found.get("moves"), str):
        return None
    columns, rows, connect = (found.get(size) for size in ("columns", "rows", "connect"))
    if isinstance(columns, int) and isinstance(rows, int) and isinstance(connect, int):
        geometry = Geometry(columns, rows, connect)
    return read(found, geometry)  # it may be the one line of a table, with players and a result


def _told(record: GameRecord) -> dict[str, Any]:
    board = record.geometry
    return {
        "board": f"{board.columns}x{board.rows}",
        "connect": board.connect,
        "moves": record.moves,
        "first": record.first,
        "second": record.second,
        "result": record.result,
        "fault": record.fault,
        "ordered": record.is_ordered,
    }
