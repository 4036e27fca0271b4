"""A tournament's games in one SQLite file, written as they end.

Every game is a row with a **job id**, a digest of the plan and of the game's number, so a game is
never stored twice. Totals are not stored: they are computed from the rows. The file is in WAL mode:
other processes may read it while it grows. Only one process at a time may add games; it holds a
lock on `FILE.lock`, which ends with the process.

`database` has the tables: `meta` (plan, runs and times as JSON), `agents` in the order of the plan,
and `games`, whose `told` are lists of figures of the moves as JSON; see `Game` for the others.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from claimeven.agents.sanitize import without_folders
from claimeven.arena.games.game import COLUMNS, Game, Row
from claimeven.arena.store.database import (
    InvalidStore,
    check_file,
    checked,
    connect,
    locked,
    make_file,
    naming,
    place_of,
    unlock,
)
from claimeven.atomic_io import check_output
from claimeven.errors import ClaimevenError, path_of
from claimeven.experiment_file import with_new_names
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position

#: Maximum characters of a label or a spec, and of a value of `meta`.
MAX_NAME, MAX_META = 10_000, 1 << 25

#: Endings of names that promise another file.
_OF_OTHERS = (".csv", ".html", ".json", ".jsonl", ".parquet", ".toml", ".txt")
_GAME = ", ".join(COLUMNS)
_MARKS = ", ".join("?" * len(COLUMNS))
_JOB, _NUMBER = COLUMNS.index("job"), COLUMNS.index("number")
#: The least number that SQLite holds.
_LEAST = -(1 << 63)


@dataclass(frozen=True)
class StoredAgent:
    """An agent of a store: its number there, label, full spec, and the digest of its file."""

    id: int
    label: str
    spec: str
    digest: str | None = None


class GameQuery(NamedTuple):
    """A query for games: a condition in SQL, and at most `most` games after `skipped`."""

    condition: str = "1"
    values: tuple[Any, ...] = ()
    skipped: int = 0
    most: int = (1 << 63) - 1


_ALL = GameQuery()


class Store:
    """The games of a file, open for reading or, with `create` and `extend`, for adding games."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, lock: IO[bytes] | None = None
    ) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self._is_new = False
        self._place = place_of(path)
        #: Number and job of the games that the last use of `games` left out.
        self.corrupt: list[tuple[Any, Any]] = []
        with naming(path):
            # Do not wait for the disk: games stored by a killed process stay, and games lost in a
            # power cut can be played again.
            connection.execute("PRAGMA synchronous=NORMAL")

    @classmethod
    def create(
        cls, path: str | Path, meta: Mapping[str, Any], agents: Sequence[StoredAgent]
    ) -> Store:
        """Make a new file and open it for adding games.

        `meta` values are stored as JSON. Raises `InvalidStore` if the file exists, unless it is an
        empty store, and `CannotWrite` if it cannot be made. As a context manager, an exception
        before the first game deletes the new file.
        """
        path = path_of(path, InvalidStore)
        if path.suffix in _OF_OTHERS:
            raise InvalidStore(
                f"a file of games is a database: name it {path.stem}.db, not {path.name};"
                " claimeven games --export writes tables"
            )
        check_output(path, of_games=True)
        lock = locked(path)
        try:
            if is_taken(path):
                raise InvalidStore(
                    f"{path} exists already: resume it with --resume, or name another file"
                )
            make_file(path, meta, [astuple(agent) for agent in agents])
            store = cls(path, connect(path), lock)
            store._is_new = True
            return store
        except BaseException:
            unlock(path, lock)
            raise

    @classmethod
    def extend(cls, path: str | Path) -> Store:
        """Open a file for adding games. Raises `InvalidStore` or `CannotWrite`."""
        path = path_of(path, InvalidStore)
        check_file(path)
        check_output(path, of_games=True)
        lock = locked(path)
        try:
            return cls(path, checked(connect(path), path), lock)
        except BaseException:
            unlock(path, lock)
            raise

    @classmethod
    def read(cls, path: str | Path) -> Store:
        """Open a file for reading only. Raises `InvalidStore`."""
        path = path_of(path, InvalidStore)
        check_file(path)
        return cls(path, checked(connect(path, readonly=True), path))

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        is_void = False
        if self._is_new and error[0] is not None:
            with suppress(InvalidStore):
                is_void = not len(self)
        self.close(is_void)

    def close(self, is_void: bool = False) -> None:
        """Close the file, or delete it, and let others add games; it may be closed twice."""
        if self._lock is not None:
            with suppress(sqlite3.Error):  # folds the log into the file, so that one file is left
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()
        if self._lock is not None:
            if is_void:  # while it is locked: another process may make it again immediately
                with suppress(OSError):
                    Path(os.path.realpath(self.path)).unlink()
            unlock(self.path, self._lock)
            self._lock = None

    @property
    def meta(self) -> dict[str, Any]:
        """The data stored in addition to the games."""
        with naming(self.path):
            rows = self._connection.execute("SELECT key, value FROM meta").fetchall()
            try:
                if any(len(value) > MAX_META for _, value in rows):
                    raise ValueError
                meta = {key: json.loads(value) for key, value in rows}
            except (TypeError, ValueError, RecursionError):
                raise InvalidStore(f"{self.path} is corrupt: its plan is unreadable") from None
        plan = meta.get("plan")
        if isinstance(plan, dict) and isinstance(plan.get("limit"), dict):
            plan["limit"] = with_new_names(plan["limit"])
        return meta

    def set_meta(self, key: str, value: Any) -> None:
        """Store a value that JSON can hold under a key."""
        with naming(self.path), self._connection as connection:
            connection.execute(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value))
            )

    @property
    def agents(self) -> tuple[StoredAgent, ...]:
        """The agents in the order of the plan."""
        with naming(self.path):
            rows = self._connection.execute(
                "SELECT id, label, spec, digest FROM agents ORDER BY id"
            ).fetchall()
        for number, label, spec, _ in rows:
            if not all(isinstance(n, str) and len(n) <= MAX_NAME for n in (label, spec)):
                raise InvalidStore(f"{self.path} is corrupt: agent {number} is unreadable")
        return tuple(StoredAgent(*row) for row in rows)

    def add_agent(self, label: str, spec: str) -> StoredAgent:
        """Store a further agent and return it."""
        with naming(self.path), self._connection as connection:
            (number,) = connection.execute(
                "SELECT COALESCE(MAX(id), -1) + 1 FROM agents"
            ).fetchone()
            agent = StoredAgent(number, label, spec)
            connection.execute("INSERT INTO agents VALUES (?, ?, ?, ?)", astuple(agent))
        return agent

    def add(self, games: Iterable[Game]) -> None:
        """Store games, all or none of them; one whose job is stored already stays as it is."""
        rows = [game.row for game in games]
        with naming(self.path), self._connection as connection:
            connection.executemany(f"INSERT OR IGNORE INTO games ({_GAME}) VALUES ({_MARKS})", rows)
        self.check_place()

    def check_place(self) -> None:
        """Raise `InvalidStore` if the file has been deleted, moved, replaced or cut short."""
        (file, size), (now, size_now) = self._place, place_of(self.path)
        if now != file:
            how = "deleted or moved" if now is None else "replaced by another file"
            raise InvalidStore(
                f"{self.path} was {how} while games were added to it: the stored games are in the"
                " original file, if it still exists"
            )
        if size_now < size:
            raise InvalidStore(f"{self.path} was cut short while games were added to it")
        self._place = now, size_now

    @property
    def start(self) -> Position:
        """The position before the move strings, of a plan or of imports. Raises `InvalidStore`."""
        meta = self.meta
        stored = meta.get("plan") or meta.get("board") or {}
        try:
            board = {name: stored.get(name, each) for name, each in asdict(STANDARD).items()}
            return Position(Geometry(**board), *stored.get("start", (0, 0)))
        except (AttributeError, TypeError, ClaimevenError):
            raise InvalidStore(f"{self.path} is corrupt: its board is unreadable") from None

    def jobs(self) -> set[str]:
        """The job ids of all games stored."""
        with naming(self.path):
            return {job for (job,) in self._connection.execute("SELECT job FROM games")}

    def last_number(self) -> int:
        """The greatest number of a stored game, -1 without games."""
        with naming(self.path):
            (number,) = self._connection.execute("SELECT MAX(number) FROM games").fetchone()
        return number if isinstance(number, int) else -1

    def __len__(self) -> int:
        with naming(self.path):
            (count,) = self._connection.execute("SELECT COUNT(*) FROM games").fetchone()
        return int(count)

    def games(
        self, least: int = _LEAST, without: Container[tuple[int, str]] = (), query: GameQuery = _ALL
    ) -> Iterator[Game]:
        """Yield the games of a query in order, from number `least` on, but not those in `without`.

        A game is corrupt if its row is invalid or its agents are unknown. It is also corrupt if its
        moves cannot be played or do not lead to its result.
        """
        self.corrupt = []
        with naming(self.path):
            known, start = {agent.id for agent in self.agents}, self.start
            for row in self._rows(least, query):
                if without and (row[_NUMBER], row[_JOB]) in without:
                    continue
                try:
                    game = Game.of_row(row, start)
                    game.check()
                    if not known.issuperset(game.agents):
                        raise ValueError("an agent is unknown")
                except (ValueError, RecursionError):
                    self.corrupt.append((row[_NUMBER], row[_JOB]))
                else:
                    yield game

    def _rows(self, least: int, query: GameQuery) -> Iterator[Row]:
        """Yield the rows of games from a number on; other rows are added to `corrupt`."""
        (condition, values, skipped, most), count, last = query, 0, (least, "")
        order, first = f"AND {condition} ORDER BY number, job LIMIT ?", last
        try:
            if skipped:  # only the index is read up to the first game
                first = self._connection.execute(
                    f"SELECT number, job FROM games WHERE number >= ? {order} OFFSET ?",
                    (least, *values, 1, skipped),
                ).fetchone()
                if first is None:
                    return
            for row in self._connection.execute(
                f"SELECT {_GAME} FROM games WHERE (number, job) >= (?, ?) {order}",
                (*first, *values, most),
            ):
                count, last, skipped = count + 1, (row[_NUMBER], row[_JOB]), 0
                yield row
            return
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
                raise
        keys: set[tuple[int, str]] = set()
        for by in ("INDEXED BY games_by_number", "NOT INDEXED"):
            with suppress(sqlite3.DatabaseError, TypeError):  # every listed game is read singly
                listed = self._connection.execute(f"SELECT number, job FROM games {by}")
                valid = (key for key in listed if tuple(map(type, key)) == (int, str))
                keys.update(key for key in valid if key > last)
        found = self._singly(sorted(keys), query)
        yield from islice(found, skipped, skipped + most - count)
        if least == _LEAST and query == _ALL:  # games that are in no index are corrupt too
            self.corrupt += [(None, n) for n in range(len(self) - count - len(keys))]

    def _singly(self, keys: Sequence[tuple[int, str]], query: GameQuery) -> Iterator[Row]:
        """Yield the rows of keys that meet a condition; other rows are added to `corrupt`."""
        for key in keys:
            found = None
            with suppress(sqlite3.DatabaseError):
                found = self._connection.execute(
                    f"SELECT {query.condition}, {_GAME} FROM games WHERE job = ?",
                    (*query.values, key[1]),
                ).fetchone()
            if found is None:
                self.corrupt.append(key)
            elif found[0]:
                yield found[1:]

    def delete_corrupt(self) -> None:
        """Delete the games that `games` left out, so that they can be played again."""
        if self.corrupt:
            with naming(self.path), self._connection as connection:
                jobs = [(job,) for _, job in self.corrupt]
                connection.executemany("DELETE FROM games WHERE job IS ?", jobs)
            before = self.meta.get("dropped")
            self.set_meta("dropped", len(jobs) + (before if isinstance(before, int) else 0))


def is_taken(path: Path) -> bool:
    """Whether a file has data, and is not just a store without games."""
    try:
        with Store.read(path) as store:
            return len(store) > 0
    except InvalidStore:
        return path.exists() and path.stat().st_size > 0


def public_agents(agents: Sequence[StoredAgent]) -> tuple[StoredAgent, ...]:
    """Return agents without folders of this machine; labels that are equal then are numbered."""
    found: list[StoredAgent] = []
    seen: Counter[str] = Counter()
    for agent in agents:
        label = without_folders(agent.label)
        seen[label] += 1
        label += f" ({seen[label]})" * (seen[label] > 1)
        found.append(replace(agent, label=label, spec=without_folders(agent.spec)))
    return tuple(found)
