"""Games of elsewhere brought into a store, so that they can be listed, judged and rated.

A file of games is one of three, told by its ending:

- `.csv`: a table whose first line names the columns. `moves` must be one of them; `first` and
  `second` name the players; `opening` holds moves at the start that were not the players' own.
  A lost game that was not played to its end has `result`, `fault` and perhaps `reason`, as games
  that were exported have.
- `.jsonl`: a JSON object a line with the same names.
- anything else: a move string a line. Empty lines and what follows a # are passed over.

Who won follows from the moves. A game that they leave open is stored as unfinished: its moves are
judged, and no total counts it. Either all games of a file are stored or, if a line is wrong, none.
Lines that were imported before, from a file of the same name, are not stored twice.
"""

from __future__ import annotations

import csv
import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from claimeven.agents.contract import FaultKind
from claimeven.arena.listing import RESULTS
from claimeven.arena.records import store_start
from claimeven.arena.store import InvalidStore, Store, StoredGame
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import format_moves, parse_moves
from claimeven.game.position import Position
from claimeven.suggestions import no_such

#: What stands in a store for the spec of an agent that played elsewhere.
ELSEWHERE = "imported"
#: Characters of a player's name.
_LONGEST_NAME = 200
_BYTE_ORDER_MARK = "\ufeff"


class InvalidGames(ClaimevenError):
    """A file of games that cannot be imported; the message names the line."""


@dataclass(frozen=True)
class ReadGame:
    """A game as a line of a file tells it, checked: players by name, columns of the moves.

    `winner` is a seat, None for a draw or while the game is open; `opening` counts the moves that
    were not the players' own.
    """

    line: int
    first: str
    second: str
    columns: tuple[int, ...]
    opening: int
    winner: int | None
    finished: bool
    fault: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Imported:
    """What an import did: games `added`, those that stood there `before`, those `unfinished`."""

    added: int
    before: int
    unfinished: int


def import_games(
    store: str | Path,
    source: str | Path,
    first: str | None = None,
    second: str | None = None,
    geometry: Geometry | None = None,
) -> Imported:
    """Add the games of a file to a store, which is made if there is none; all of them or none.

    `first` and `second` name the players where the file does not. `geometry` is the board of a new
    store; one that is there has its own. Raises `InvalidGames` naming the line that is wrong, and
    `InvalidStore` for a file that is no store, or holds the games of a tournament.
    """
    try:
        with Path(source).open(encoding="utf-8", newline="") as stream:
            return import_lines(store, stream, str(source), first, second, geometry)
    except UnicodeDecodeError:
        raise InvalidGames(f"{source} cannot be read: it is no text") from None
    except OSError as error:
        raise InvalidGames(f"{source} cannot be read: {error.strerror or error}") from None


def import_lines(
    store: str | Path,
    lines: TextIO,
    name: str,
    first: str | None = None,
    second: str | None = None,
    geometry: Geometry | None = None,
) -> Imported:
    """Add the games of an open file of that name: see `import_games`."""
    path = Path(store)
    is_new = not (path.exists() and path.stat().st_size)
    if is_new:
        start = Position(geometry or STANDARD)
    else:
        with Store.read(path) as opened:
            start = _start_of(opened, geometry)
    games = list(read_games(lines, name, start, first, second))
    if not games:
        raise InvalidGames(f"{name} holds no game")
    board = start.geometry
    meta = {
        "board": {"columns": board.columns, "rows": board.rows, "connect": board.connect},
        "begun": time.time(),
    }
    with Store.create(path, meta, ()) if is_new else Store.extend(path) as target:
        return _stored(target, games, Path(name).name, board)


def read_games(
    lines: TextIO, name: str, start: Position, first: str | None = None, second: str | None = None
) -> Iterator[ReadGame]:
    """Yield the games of an open file. Raises `InvalidGames` naming the line that is wrong."""
    ending = Path(name).suffix.lower()
    reader = {".csv": _table_rows, ".jsonl": _object_rows}.get(ending, _move_rows)
    usual = {"first": first, "second": second}
    for line, row in reader(lines, name):
        try:
            yield _read(line, row, usual, start)
        except ClaimevenError as error:
            raise InvalidGames(f"line {line} of {name}: {error}; nothing was imported") from None


def _start_of(store: Store, geometry: Geometry | None) -> Position:
    if "plan" in store.meta:
        raise InvalidStore(
            f"{store.path} holds the games of a tournament: import into a file of its own"
        )
    start = store_start(store)
    if geometry not in (None, start.geometry):
        raise InvalidStore(f"the games of {store.path} are of {start.geometry}, not {geometry}")
    return start


def _move_rows(lines: Iterable[str], name: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    for number, line in enumerate(lines, start=1):
        moves = line.removeprefix(_BYTE_ORDER_MARK).partition("#")[0].strip()
        if moves:
            yield number, {"moves": moves}


def _table_rows(lines: Iterable[str], name: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    reader = csv.DictReader(lines)
    heads = [head.strip().removeprefix(_BYTE_ORDER_MARK) for head in reader.fieldnames or ()]
    if "moves" not in heads:
        raise InvalidGames(
            f"line 1 of {name}: a table of games has a column moves; this one has none"
        )
    reader.fieldnames = heads
    try:
        for row in reader:
            if None in row or None in row.values():
                raise InvalidGames(
                    f"line {reader.line_num} of {name}: it has not one cell for each of"
                    f" {len(heads)} columns; nothing was imported"
                )
            yield reader.line_num, row
    except csv.Error as error:
        raise InvalidGames(f"line {reader.line_num} of {name}: {error}") from None


def _object_rows(lines: Iterable[str], name: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or "moves" not in row:
            raise InvalidGames(
                f"line {number} of {name}: it is no JSON object with moves; nothing was imported"
            )
        yield number, row


def _read(
    line: int, row: Mapping[str, object], usual: Mapping[str, str | None], start: Position
) -> ReadGame:
    """Return the game of a row. Raises a `ClaimevenError` that says what is wrong with it."""
    names = {seat: _word(row, seat) or (usual[seat] or "").strip() for seat in ("first", "second")}
    for seat, name in names.items():
        if not name:
            raise InvalidGames(
                f"it does not say who the {seat} player was: name both with --first and --second"
            )
        if len(name) > _LONGEST_NAME or not name.isprintable():
            raise InvalidGames(f"{name[:40]!r} is no name of a player")
    columns = parse_moves(_word(row, "moves"), start.geometry)
    opening = parse_moves(_word(row, "opening"), start.geometry)
    if columns[: len(opening)] != opening:
        raise InvalidGames("its moves do not begin with its opening")
    final = start
    for number, column in enumerate(columns, start=1):
        try:
            final = final.play(column)
        except ClaimevenError as error:
            raise InvalidGames(f"move {number}: {error}") from None
    winner = None if final.outcome is None else final.outcome.winner
    told, fault = _word(row, "result"), _word(row, "fault") or None
    if told and told not in RESULTS:
        raise InvalidGames(no_such("result", told, RESULTS))
    if fault is not None and fault not in tuple(FaultKind):
        raise InvalidGames(no_such("fault", fault, FaultKind))
    is_forfeit = not final.is_over and fault is not None and told in RESULTS[:2]
    if is_forfeit:
        winner = RESULTS.index(told)
    found = ReadGame(
        line,
        names["first"],
        names["second"],
        columns,
        len(opening),
        winner,
        final.is_over or is_forfeit,
        fault if is_forfeit else None,
        (_word(row, "reason") or None) if is_forfeit else None,
    )
    by_moves = "unfinished" if not found.finished else "draw" if winner is None else RESULTS[winner]
    if told and told != by_moves:
        raise InvalidGames(f"its result is {told}, but by its moves it is {by_moves}")
    return found


def _word(row: Mapping[str, object], name: str) -> str:
    """Return what a row has under a name as text, nothing where it has none."""
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidGames(f"its {name} is no text but {value!r}")
    return value.strip()


def _stored(store: Store, games: list[ReadGame], source: str, board: Geometry) -> Imported:
    """Add checked games to a store open for that."""
    ids = {agent.label: agent.id for agent in store.agents}
    there = store.jobs()
    fresh = [(game, job) for game in games if (job := _job(game, source, board)) not in there]
    for game, _ in fresh:
        for label in (game.first, game.second):
            if label not in ids:
                ids[label] = store.add_agent(label, ELSEWHERE).id
    number = max((game.number for game in store.games()), default=-1) + 1
    store.add(
        StoredGame(
            job=job,
            number=number + place,
            pair=None,
            first=ids[game.first],
            second=ids[game.second],
            opening=format_moves(game.columns[: game.opening], board),
            moves=format_moves(game.columns[game.opening :], board),
            winner=game.winner,
            finished=game.finished,
            fault=game.fault,
            fault_seat=None if game.fault is None or game.winner is None else 1 - game.winner,
            reason=game.reason,
        )
        for place, (game, job) in enumerate(fresh)
    )
    unfinished = sum(not game.finished for game, _ in fresh)
    return Imported(len(fresh), len(games) - len(fresh), unfinished)


def _job(game: ReadGame, source: str, board: Geometry) -> str:
    """Return the id of a game: by the name of its file, its line, players and moves."""
    moves = format_moves(game.columns, board)
    told = json.dumps([source, game.line, game.first, game.second, moves])
    return hashlib.blake2b(told.encode(), digest_size=12).hexdigest()
