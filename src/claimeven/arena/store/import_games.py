"""Games of elsewhere brought into a store, so that they can be listed, judged and rated.

A file may be of any of the formats of `claimeven.records`: a move string a line, a table or JSON
lines as `export` writes them, Kaggle's replays, OpenSpiel's histories. Which one is told by its
ending and by how it begins. Rows of the UCI data set are positions and have no order of moves, so
they are refused.

Who won follows from the moves. A game that they leave open is stored as unfinished: its moves are
judged, and no total counts it. Times, and which games were a pair, are not read back. Either all
games of a file are stored or, if one is wrong, none.

A file may be imported again when games have been added to it: those that were imported from it
before are not stored twice. Equal games are told apart by how many of them stand before in it.
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
from claimeven.arena.store.store import Store, is_empty_store
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.records import (
    GameRecord,
    InvalidRecord,
    guess_by_lines,
    open_records,
    tried_records,
)
from claimeven.suggestions import no_such

#: What stands in a store for the spec of an agent that played elsewhere.
ELSEWHERE = "imported"


class InvalidGames(ClaimevenError):
    """A file of games that cannot be imported; the message names the line."""


@dataclass(frozen=True)
class ImportSummary:
    """What an import did: games `added`, those that stood there `before`, those `unfinished`.

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
    """Add the games of a file to a store, which is made if there is none; all of them or none.

    The file may be open already, such as stdin. `first` and `second` name the players if the file
    does not. `geometry` is the board of a new store; one that exists has its own. `form` names the
    format of the file if it cannot be recognized. Raises `InvalidGames` naming the line that is
    wrong, and `InvalidStore` for a file that is no store, or holds the games of a tournament.
    """
    path, name = Path(store), str(source) if isinstance(source, str | Path) else "-"
    is_new = not (path.exists() and path.stat().st_size) or is_empty_store(path)
    if is_new:
        start = Position(geometry or STANDARD)
    else:
        with Store.read(path) as opened:
            start = _start_of(opened, geometry)
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
    meta = {"board": start.geometry.as_dict(), "begun": time.time()}
    with Store.create(path, meta, ()) if is_new else Store.extend(path) as target:
        return _stored(target, games, origin, start.geometry)


def _checked_games(
    lines: TextIO, name: str, form: str | None, board: Geometry, usual: dict[str, str | None]
) -> Iterator[GameRecord]:
    """Yield the games of a file. Raises `InvalidGames` naming what is wrong."""
    line = 1
    try:
        guessed, rest = guess_by_lines(name, lines)
        for tried in tried_records(rest, form or guessed, board):
            line = tried.line
            yield _checked(tried.game(), board, usual)
    except InvalidRecord as error:
        place = f"line {error.line or line} of {name}"
        raise InvalidGames(f"{place}: {error.reason}; nothing was imported") from None


def _checked(record: GameRecord, board: Geometry, usual: dict[str, str | None]) -> GameRecord:
    """Return a game with its players named. Raises `InvalidRecord` for one not to be stored."""
    if not record.is_ordered:
        raise InvalidRecord("it is a position: nobody knows in which order its discs fell")
    if record.geometry != board:
        raise InvalidRecord(f"its game is on {record.geometry}, not {board}")
    if record.fault is not None and record.fault not in tuple(FaultKind):
        raise InvalidRecord(no_such("fault", record.fault, FaultKind))
    first, second = (
        getattr(record, seat) or (usual[seat] or "").strip() for seat in ("first", "second")
    )
    if not (first and second):
        raise InvalidRecord(
            f"it does not say who the {'second' if first else 'first'} player was: name both with"
            " --first and --second"
        )
    return replace(record, first=first, second=second)


def _start_of(store: Store, geometry: Geometry | None) -> Position:
    if "plan" in store.meta:
        raise InvalidStore(
            f"{store.path} holds the games of a tournament: import into a file of its own"
        )
    start = store.start
    if geometry not in (None, start.geometry):
        raise InvalidStore(f"the games of {store.path} are of {start.geometry}, not {geometry}")
    return start


def _stored(
    store: Store, games: Sequence[GameRecord], origin: str, board: Geometry
) -> ImportSummary:
    """Add checked games to a store open for that."""
    ids = {agent.label: agent.id for agent in store.agents}
    there = store.jobs()
    fresh = [(game, job) for game, job in _with_jobs(games, origin) if job not in there]
    for game, _ in fresh:
        for label in (game.first, game.second):
            if label not in ids:
                ids[label] = store.add_agent(label, ELSEWHERE).id
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
        )
        for place, (game, job) in enumerate(fresh)
    )
    unfinished = sum(not game.is_finished for game, _ in fresh)
    scored = sum(bool(game.scores) for game in games)
    return ImportSummary(len(fresh), len(games) - len(fresh), unfinished, scored)


def _with_jobs(games: Sequence[GameRecord], origin: str) -> Iterator[tuple[GameRecord, str]]:
    """Yield games with their ids: by their file, all that is told of them, and their place there.

    The place is that among the games of the file that are equal.
    """
    told = [
        (game.first, game.second, game.opening, game.moves, game.result, game.fault, game.reason)
        for game in games
    ]
    where = origin or _digest(told)
    seen: Counter[tuple[object, ...]] = Counter()
    for game, each in zip(games, told, strict=True):
        yield game, _digest([where, seen[each], *each])
        seen[each] += 1


def _digest(told: object) -> str:
    return hashlib.blake2b(json.dumps(told).encode(), digest_size=12).hexdigest()
