"""A tournament's games in one SQLite file, written as they end.

Every game is a row under its **job id**, a digest of the plan and of the game's number in it, so
a game stands once however often it was played. Totals are never stored: whoever wants them derives
them from the rows. The file is in WAL mode: others may read it while it grows. Only one process at
a time may add games; it holds a lock on `FILE.lock`, which ends with the process.

```text
    meta    key, value                       the plan as JSON, the version of claimeven, times
    agents  id, label, spec, digest          one row an agent, in the order of the plan
    games   job, number, pair, first, second agents by id; first is the first player
            opening, moves                   move strings: before the agents took over, and after
            winner                           0 first player, 1 second, NULL a draw or unfinished
            finished                         0 for an imported game that was left
            fault, fault_seat, reason        how a game was forfeited, by which seat
            seconds, told                    time of the game; per-move lists as JSON
```
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from claimeven.arena.store.stored import FIELDS, Picked, Row, StoredAgent, StoredGame
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.outputs import check_output

#: "C4GM" in the header of the file: what tells a store from any other SQLite file.
APPLICATION_ID = 0x4334474D
#: Version of the tables.
VERSION = 1
#: Seconds to wait for a reader that holds the file.
_PATIENCE = 10.0
#: Errors of SQLite where the disk has no room, or the system lets no file grow so large.
_DISK_FULL = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
)

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE agents (
    id INTEGER PRIMARY KEY, label TEXT NOT NULL, spec TEXT NOT NULL, digest TEXT
);
CREATE TABLE games (
    job TEXT PRIMARY KEY, number INTEGER NOT NULL, pair INTEGER,
    first INTEGER NOT NULL REFERENCES agents(id), second INTEGER NOT NULL REFERENCES agents(id),
    opening TEXT NOT NULL, moves TEXT NOT NULL,
    winner INTEGER CHECK (winner IN (0, 1)), finished INTEGER NOT NULL DEFAULT 1,
    fault TEXT, fault_seat INTEGER CHECK (fault_seat IN (0, 1)), reason TEXT,
    seconds REAL, told TEXT
) WITHOUT ROWID;
CREATE INDEX games_by_number ON games (number);
"""


class InvalidStore(ClaimevenError):
    """A file that holds no games of this kind, or that another process is writing to."""


#: Characters of a label or a spec, and of a value of `meta`, that are read.
MAX_NAME, MAX_META = 10_000, 1 << 25

_GAME = ", ".join(FIELDS)
_MARKS = ", ".join("?" * len(FIELDS))
_JOB, _NUMBER = FIELDS.index("job"), FIELDS.index("number")
#: The least number that SQLite holds.
_LEAST = -(1 << 63)
_ALL = Picked()


class Store:
    """The games of a file, open for reading or, with `create` and `extend`, for adding games."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Any = None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self._is_new = False
        self._place = _place_of(path)
        #: Number and job of the games left out by `games`, the last time it was gone through.
        self.damaged: list[tuple[Any, Any]] = []
        with _naming(path):
            # No wait for the disk: what a killed process has stored stands, and what a power cut
            # takes can be played again.
            connection.execute("PRAGMA synchronous=NORMAL")

    @classmethod
    def create(
        cls, path: str | Path, meta: Mapping[str, Any], agents: Sequence[StoredAgent]
    ) -> Store:
        """Make a new file and open it for adding games.

        `meta` values are stored as JSON. Raises `InvalidStore` if there is a file already that is
        no store without games, and `CannotWrite` if none can be made there. Used as a context
        manager, a new file that was left by an exception before its first game is gone again.
        """
        path = Path(path)
        check_output(path, of_games=True)
        lock = _locked(path)
        try:
            if path.exists() and path.stat().st_size and not holds_no_game(path):
                raise InvalidStore(f"{path} is there already: go on with --resume, or name another")
            _make(path, meta, agents)
            store = cls(path, _connected(path), lock)
            store._is_new = True
            return store
        except BaseException:
            _unlock(path, lock)
            raise

    @classmethod
    def extend(cls, path: str | Path) -> Store:
        """Open a file for adding games. Raises `InvalidStore` or `CannotWrite`."""
        path = Path(path)
        _check_file(path)
        check_output(path, of_games=True)
        lock = _locked(path)
        try:
            return cls(path, _checked(_connected(path), path), lock)
        except BaseException:
            _unlock(path, lock)
            raise

    @classmethod
    def read(cls, path: str | Path) -> Store:
        """Open a file for reading only. Raises `InvalidStore`."""
        path = Path(path)
        _check_file(path)
        return cls(path, _checked(_connected(path, readonly=True), path))

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        is_void = False
        if self._is_new and error[0] is not None:
            with suppress(InvalidStore):
                is_void = not len(self)
        self._close(is_void)

    def close(self) -> None:
        """Close the file and let others add games; it may be closed twice."""
        self._close(False)

    def _close(self, is_void: bool) -> None:
        if self._lock is not None:
            with suppress(sqlite3.Error):  # folds the log into the file, so that one file is left
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()
        if self._lock is not None:
            if is_void:  # while it is ours: another process may begin it anew at once
                with suppress(OSError):
                    Path(os.path.realpath(self.path)).unlink()
            _unlock(self.path, self._lock)
            self._lock = None

    @property
    def meta(self) -> dict[str, Any]:
        """What was stored beside the games."""
        with _naming(self.path):
            rows = self._connection.execute("SELECT key, value FROM meta").fetchall()
            try:
                if any(len(value) > MAX_META for _, value in rows):
                    raise ValueError
                return {key: json.loads(value) for key, value in rows}
            except (TypeError, ValueError, RecursionError):
                raise InvalidStore(f"{self.path} is damaged: what was planned is lost") from None

    def set_meta(self, key: str, value: Any) -> None:
        """Store a value that JSON can hold under a key."""
        with _naming(self.path), self._connection as connection:
            connection.execute(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value))
            )

    @property
    def agents(self) -> tuple[StoredAgent, ...]:
        """The agents in the order of the plan."""
        with _naming(self.path):
            rows = self._connection.execute(
                "SELECT id, label, spec, digest FROM agents ORDER BY id"
            ).fetchall()
        for number, label, spec, _ in rows:
            if not all(isinstance(n, str) and len(n) <= MAX_NAME for n in (label, spec)):
                raise InvalidStore(f"{self.path} is damaged: it has lost who agent {number} is")
        return tuple(StoredAgent(*row) for row in rows)

    def add_agent(self, label: str, spec: str, digest: str | None = None) -> StoredAgent:
        """Store a further agent and return it."""
        with _naming(self.path), self._connection as connection:
            (number,) = connection.execute(
                "SELECT COALESCE(MAX(id), -1) + 1 FROM agents"
            ).fetchone()
            connection.execute(
                "INSERT INTO agents VALUES (?, ?, ?, ?)", (number, label, spec, digest)
            )
        return StoredAgent(number, label, spec, digest)

    def add(self, games: Iterable[StoredGame]) -> None:
        """Store games, all or none of them; one whose job is stored already stays as it is."""
        self.add_rows([game.row for game in games])

    def add_rows(self, rows: Sequence[Row]) -> None:
        """Store games by their rows, as `add` does."""
        with _naming(self.path), self._connection as connection:
            connection.executemany(f"INSERT OR IGNORE INTO games ({_GAME}) VALUES ({_MARKS})", rows)
        self.check_place()

    def check_place(self) -> None:
        """Raise `InvalidStore` if the file has been deleted, moved, replaced or cut short."""
        (file, size), (now, size_now) = self._place, _place_of(self.path)
        if now != file:
            how = "deleted or moved" if now is None else "replaced by another file"
            raise InvalidStore(
                f"{self.path} was {how} while games were added to it: what was stored is in the"
                " file that it was, wherever that is now"
            )
        if size_now < size:
            raise InvalidStore(f"{self.path} was cut short while games were added to it")
        self._place = now, size_now

    @property
    def start(self) -> Position:
        """The position that the move strings begin from, its board with it.

        A tournament's plan has it; imported games have their board. Raises `InvalidStore`.
        """
        meta = self.meta
        told = meta.get("plan") or meta.get("board") or {}
        try:
            board = {name: told.get(name, each) for name, each in asdict(STANDARD).items()}
            return Position(Geometry(**board), *told.get("start", (0, 0)))
        except (AttributeError, TypeError, ClaimevenError):
            raise InvalidStore(f"{self.path} is damaged: its board is lost") from None

    def jobs(self) -> set[str]:
        """The job ids of all games stored."""
        with _naming(self.path):
            return {job for (job,) in self._connection.execute("SELECT job FROM games")}

    def last_number(self) -> int:
        """The greatest number of a game stored, -1 where there is none."""
        with _naming(self.path):
            (number,) = self._connection.execute("SELECT MAX(number) FROM games").fetchone()
        return number if isinstance(number, int) else -1

    def __len__(self) -> int:
        with _naming(self.path):
            (count,) = self._connection.execute("SELECT COUNT(*) FROM games").fetchone()
        return int(count)

    def games(
        self,
        least: int = _LEAST,
        without: Container[tuple[int, str]] = (),
        picked: Picked = _ALL,
    ) -> Iterator[StoredGame]:
        """Yield the games from number `least` on in the order of the schedule, except those whose
        number and job are in `without`, those not `picked`, and those that are `damaged`.

        A game is damaged if its row is not as it was stored, if its agents are unknown, or if its
        moves cannot be played or do not end as the row says.
        """
        self.damaged = []
        with _naming(self.path):
            known, start = {agent.id for agent in self.agents}, self.start
            for row in self._rows(least, picked):
                if without and (row[_NUMBER], row[_JOB]) in without:
                    continue
                try:
                    game = StoredGame.of_row(row)
                    game.check_moves(start)
                    if not known.issuperset(game.agents):
                        raise ValueError("an agent is unknown")
                except (ValueError, RecursionError):
                    self.damaged.append((row[_NUMBER], row[_JOB]))
                else:
                    yield game

    def _rows(self, least: int, picked: Picked) -> Iterator[Row]:
        """Yield the rows of games from a number on; those in corrupt pages are `damaged`."""
        (condition, values, skipped, most), count, last = picked, 0, (least, "")
        order, first = f"AND {condition} ORDER BY number, job LIMIT ?", last
        try:
            if skipped:  # the index alone leads to the first one
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
            with suppress(sqlite3.DatabaseError, TypeError):  # what is listed is looked up singly
                listed = self._connection.execute(f"SELECT number, job FROM games {by}")
                keys.update(key for key in listed if _is_key(key) and key > last)
        found = self._singly(sorted(keys), picked)
        yield from islice(found, skipped, skipped + most - count)
        if least == _LEAST and picked == _ALL:  # those that no list has are damaged too
            self.damaged += [(None, n) for n in range(len(self) - count - len(keys))]

    def _singly(self, keys: Sequence[tuple[int, str]], picked: Picked) -> Iterator[Row]:
        """Yield the rows of keys that meet a condition; those in corrupt pages are `damaged`."""
        for key in keys:
            found = None
            with suppress(sqlite3.DatabaseError):
                found = self._connection.execute(
                    f"SELECT {picked.condition}, {_GAME} FROM games WHERE job = ?",
                    (*picked.values, key[1]),
                ).fetchone()
            if found is None:
                self.damaged.append(key)
            elif found[0]:
                yield found[1:]

    def drop_damaged(self) -> None:
        """Delete the games that `games` has left out, so that they can be played again."""
        if self.damaged:
            with _naming(self.path), self._connection as connection:
                jobs = [(job,) for _, job in self.damaged]
                connection.executemany("DELETE FROM games WHERE job IS ?", jobs)
            before = self.meta.get("dropped")
            self.set_meta("dropped", len(jobs) + (before if isinstance(before, int) else 0))


def _is_key(key: tuple[Any, Any]) -> bool:
    return type(key[0]) is int and type(key[1]) is str


def holds_no_game(path: str | Path) -> bool:
    """Whether a file is a store, and no game is in it yet."""
    try:
        with Store.read(path) as store:
            return not len(store)
    except InvalidStore:
        return False


def _make(path: Path, meta: Mapping[str, Any], agents: Sequence[StoredAgent]) -> None:
    """Make a file without games: whole, or, on a full disk or after a kill, not at all."""
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(target.name + ".part")
    try:
        unfinished.unlink(missing_ok=True)
        with _naming(path), closing(sqlite3.connect(unfinished)) as connection:
            connection.execute("PRAGMA journal_mode=OFF")
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={VERSION}")
            connection.executescript(_TABLES)
            with connection:
                connection.executemany(
                    "INSERT INTO meta VALUES (?, ?)",
                    [(key, json.dumps(value)) for key, value in meta.items()],
                )
                connection.executemany(
                    "INSERT INTO agents VALUES (?, ?, ?, ?)",
                    [(a.id, a.label, a.spec, a.digest) for a in agents],
                )
            connection.execute("PRAGMA journal_mode=WAL")
        with _naming(path):
            for rest in ("-wal", "-shm"):  # of a store without games that was here
                target.with_name(target.name + rest).unlink(missing_ok=True)
            unfinished.replace(target)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def _check_file(path: Path) -> None:
    if not path.exists():
        raise InvalidStore(f"{path} cannot be read: there is no such file")
    if not path.is_file():
        raise InvalidStore(f"{path} cannot be read: it is not a file")


def _connected(path: Path, readonly: bool = False) -> sqlite3.Connection:
    with _naming(path):
        if not readonly:
            return sqlite3.connect(path, timeout=_PATIENCE, check_same_thread=False)
        real = path.resolve()
        in_writable_folder = os.access(real.parent, os.W_OK)
        # Whoever may write folds the log into the file when it is closed last; a connection that
        # may not leaves the files of the log behind.
        tidies = in_writable_folder and os.access(real, os.W_OK)
        where = f"{real.as_uri()}?mode={'rw' if tidies else 'ro'}"
        # Nobody writes where there is no log, and SQLite cannot make one in a read-only folder.
        if not in_writable_folder and not real.with_name(real.name + "-wal").exists():
            where += "&immutable=1"
        connection = sqlite3.connect(where, uri=True, timeout=_PATIENCE, check_same_thread=False)
        try:
            connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection


def _checked(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """Return a connection to a store of this version; `InvalidStore` for anything else."""
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            raise InvalidStore(f"{path} is no file of games of claimeven")
        if version != VERSION:
            raise InvalidStore(
                f"{path} is a file of games of version {version}; this claimeven reads {VERSION}"
            )
        connection.text_factory = _as_text
        found = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        tables = {name: text for kind, name, text in found if kind == "table"}
        if any(kind in ("view", "trigger") for kind, _, _ in found) or any(
            tables.get(name) != text for name, text in _tables().items()
        ):  # which could compute for ever, whatever is asked of them
            raise InvalidStore(f"{path} is no file of games of claimeven: its tables are others")
    except sqlite3.DatabaseError as error:
        connection.close()
        raise InvalidStore(f"{path} is no file of games of claimeven: {error}") from None
    except InvalidStore:
        connection.close()
        raise
    return connection


@cache
def _tables() -> dict[str, str]:
    """Return how the tables of a store are made, by their names."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_TABLES)
        return dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))


def _as_text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _place_of(path: Path) -> tuple[tuple[int, int] | None, int]:
    """Return which file is at a path, None if there is none, and its size."""
    try:
        found = path.stat()
    except OSError:
        return None, 0
    return (found.st_dev, found.st_ino), found.st_size


def _lock_path(path: Path) -> Path:
    """Return where the lock of a file lies, by whatever name of its the file is meant."""
    target = Path(os.path.realpath(path))
    return target.with_name(target.name + ".lock")


def _unlock(path: Path, lock: sqlite3.Connection) -> None:
    """Let others add games to a file."""
    with suppress(OSError):
        _lock_path(path).unlink()
    lock.close()


def _locked(path: Path) -> sqlite3.Connection:
    """Return what holds the right to add games to a file until it is closed or the process ends.

    SQLite's own lock on an empty database beside the file: it works on every system and is gone
    with its process.
    """
    lock = None
    try:
        lock = sqlite3.connect(_lock_path(path), timeout=0, isolation_level=None)
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if lock is not None:
            lock.close()
        if "locked" in str(error):
            raise InvalidStore(f"{path} is being written by another process") from None
        with suppress(OSError):
            _lock_path(path).unlink()
        if not os.access(path.absolute().parent, os.W_OK):
            raise InvalidStore(f"{path} cannot be written: its folder is read-only") from None
        raise InvalidStore(f"{path} {_trouble(error)}") from None
    return lock


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn an error of SQLite into one that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise InvalidStore(f"{path} {_trouble(error)}") from None
    except OSError as error:
        raise InvalidStore(f"{path} cannot be written: {error.strerror or error}") from None


def _trouble(error: sqlite3.Error) -> str:
    """Say what an error of SQLite means for whoever wants the games."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code in _DISK_FULL:
        return (
            "cannot be written: the disk is full, or takes no larger file; what was stored"
            " stands, and once there is room --resume goes on"
        )
    if code & 0xFF == sqlite3.SQLITE_READONLY:  # the lower byte: what kind of error it is
        return "cannot be written: it is read-only, or was moved; what was stored stands"
    return f"cannot be used: {error}"
