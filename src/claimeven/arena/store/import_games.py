"""Import games from other programs into a store, to list, judge and rate them.

A file may be of any of the formats of `claimeven.records`: a move string a line, a table or JSON
lines as `export` writes them, Kaggle's replays, OpenSpiel's histories. The format is recognized by
the ending and the first lines. Rows of the UCI data set have no order of moves and are rejected.

The result follows from the moves. A game without an end is stored as unfinished: its moves are
judged, but totals do not count it. Times, pairs and files with an invalid game are not imported.

A file may be imported again when games have been added to it: games imported before are not stored
twice. Equal games are distinguished by the number of equal games before them.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from claimeven.agents.base import FaultKind
from claimeven.arena.games.game import Game
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.store import Store, is_taken
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.provenance import describe
from claimeven.records import GameRecord, InvalidRecord, guess_by_lines, open_records
from claimeven.records.formats import made_of_records
from claimeven.suggestions import no_such

#: The spec, in a store, of an agent whose games were imported.
IMPORTED = "imported"


class InvalidGames(ClaimevenError):
    """A file of games that cannot be imported; the message names the line."""


@dataclass(frozen=True)
class ImportSummary:
    """The result of an import: games `added`, games already there (`before`), games `unfinished`.

    `scored` games had scores in the file, which are not stored.
    """

    added: int
    before: int
    unfinished: int
    scored: int = 0


def import_games(
    store: str | Path,
    source: str | Path | TextIO,
    first: str | None = None,
    second: str | None = None,
    geometry: Geometry | None = None,
    form: str | None = None,
) -> ImportSummary:
    """Add the games of a file to a store, which is created if needed; either all or no games.

    The file may be open already, such as stdin. `first` and `second` name the players if the file
    does not. `geometry` is the board of a new store; one that exists has its own. `form` names the
    format of the file if it cannot be recognized. Raises `InvalidGames` naming the invalid line,
    and `InvalidStore` for an invalid store, or one with the games of a tournament.
    """
    path, name = Path(store), str(source) if isinstance(source, str | Path) else "-"
    is_new = not is_taken(path)
    if is_new:
        start = Position(geometry or STANDARD)
    else:
        with Store.read(path) as opened:
            start = opened.start
            if "plan" in opened.meta:
                raise InvalidStore(
                    f"{path} holds the games of a tournament: import into another file"
                )
        if geometry not in (None, start.geometry):
            raise InvalidStore(f"the games of {path} are of {start.geometry}, not {geometry}")
    try:
        lines = open_records(source) if isinstance(source, str | Path) else nullcontext(source)
    except InvalidRecord as error:
        raise InvalidGames(str(error)) from None
    with lines as stream:
        default = {"first": first, "second": second}
        games = list(_checked_games(stream, name, form, start.geometry, default))
    if not games:
        raise InvalidGames(f"{name} holds no game")
    # A pipe has another name each time: only a file with the same games is the same.
    origin = str(Path(name).resolve()) if Path(name).is_file() else ""
    board = start.geometry.as_dict()
    about = describe("store", board=board)
    meta = {"board": board, "begun": time.time(), "provenance": about}
    with Store.create(path, meta, ()) if is_new else Store.extend(path) as target:
        return _stored(target, games, origin)


def _checked_games(
    lines: TextIO, name: str, form: str | None, board: Geometry, defaults: dict[str, str | None]
) -> Iterator[GameRecord]:
    """Yield the games of a file. Raises `InvalidGames` naming the invalid line."""
    try:
        guessed, rest = guess_by_lines(name, lines)
        yield from made_of_records(
            rest, form or guessed, name, board, lambda record: _named(record, defaults)
        )
    except InvalidRecord as error:
        place = f"line {error.line or 1} of {name}"
        raise InvalidGames(f"{place}: {error.reason}; nothing was imported") from None


def _named(record: GameRecord, defaults: dict[str, str | None]) -> GameRecord:
    """Return a game with its players named. Raises `InvalidRecord` for one not to be stored."""
    if not record.is_ordered:
        raise InvalidRecord("it is a position without an order of moves")
    if record.fault is not None and record.fault not in tuple(FaultKind):
        raise InvalidRecord(no_such("fault", record.fault, FaultKind))
    first, second = (
        getattr(record, seat) or (defaults[seat] or "").strip() for seat in ("first", "second")
    )
    if not (first and second):
        raise InvalidRecord(
            f"it does not name the {'second' if first else 'first'} player: name both with"
            " --first and --second"
        )
    return replace(record, first=first, second=second)


def _stored(store: Store, games: Sequence[GameRecord], origin: str) -> ImportSummary:
    ids = {agent.label: agent.id for agent in store.agents}
    there = store.jobs()
    fresh = [(game, job) for game, job in _with_jobs(games, origin) if job not in there]
    for game, _ in fresh:
        for label in (game.first, game.second):
            if label not in ids:
                ids[label] = store.add_agent(label, IMPORTED).id
    number = max((game.number for game in store.games()), default=-1) + 1
    store.add(
        Game(
            job=job,
            number=number + place,
            pair=None,
            first=ids[game.first],
            second=ids[game.second],
            opening=game.opening_moves,
            moves=game.moves[game.opening :],
            winner=game.winner,
            finished=game.is_finished,
            fault=game.fault,
            fault_seat=game.fault_seat,
            reason=game.reason,
            adjudicated=game.adjudicated,
        )
        for place, (game, job) in enumerate(fresh)
    )
    unfinished = sum(not game.is_finished for game, _ in fresh)
    scored = sum(bool(game.scores) for game in games)
    return ImportSummary(len(fresh), len(games) - len(fresh), unfinished, scored)


def _with_jobs(games: Sequence[GameRecord], origin: str) -> Iterator[tuple[GameRecord, str]]:
    """Yield games with ids of their file, their data and the number of equal games before."""
    data = [
        (game.first, game.second, game.opening, game.moves, game.result, game.fault, game.reason)
        for game in games
    ]
    source = origin or _digest(data)
    seen: Counter[tuple[object, ...]] = Counter()
    for game, each in zip(games, data, strict=True):
        yield game, _digest([source, seen[each], *each])
        seen[each] += 1


def _digest(data: object) -> str:
    return hashlib.blake2b(json.dumps(data).encode(), digest_size=12).hexdigest()
