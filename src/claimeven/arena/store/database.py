"""The SQLite file of a store: created atomically, checked when opened, locked while it grows.

`store` describes its tables.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

from claimeven.atomic_io import take_lock, unfinished_path
from claimeven.errors import ClaimevenError
from claimeven.provenance import SCHEMAS, check_schema

#: "C4GM" in the header of the file, which distinguishes a store from other SQLite files.
APPLICATION_ID = 0x4334474D
#: Schema of the tables.
VERSION = SCHEMAS["store"]
#: Seconds to wait for a reader that holds the file.
_BUSY_TIMEOUT = 10.0
#: Errors of SQLite for a full disk, or a file above the size limit of the system.
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
    """A file that is not a store of games, or that another process is writing to."""


def make_file(path: Path, meta: Mapping[str, Any], agents: Sequence[tuple[Any, ...]]) -> None:
    """Make a file without games and with rows of agents; a full disk or a kill leaves no file."""
    target = Path(os.path.realpath(path))
    unfinished = unfinished_path(target)
    try:
        with naming(path), closing(sqlite3.connect(unfinished)) as connection:
            connection.execute("PRAGMA journal_mode=OFF")
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={VERSION}")
            connection.executescript(_TABLES)
            with connection:
                connection.executemany(
                    "INSERT INTO meta VALUES (?, ?)",
                    [(key, json.dumps(value)) for key, value in meta.items()],
                )
                connection.executemany("INSERT INTO agents VALUES (?, ?, ?, ?)", agents)
            connection.execute("PRAGMA journal_mode=WAL")
        with naming(path):
            for rest in ("-wal", "-shm"):  # of a store without games that was here
                target.with_name(target.name + rest).unlink(missing_ok=True)
            unfinished.replace(target)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def check_file(path: Path) -> None:
    if not path.exists():
        raise InvalidStore(f"{path} cannot be read: there is no such file")
    if not path.is_file():
        raise InvalidStore(f"{path} cannot be read: it is not a file")


def connect(path: Path, readonly: bool = False) -> sqlite3.Connection:
    with naming(path):
        if not readonly:
            return sqlite3.connect(path, timeout=_BUSY_TIMEOUT, check_same_thread=False)
        real = path.resolve()
        in_writable_folder = os.access(real.parent, os.W_OK)
        # The last connection that may write merges the log into the file; a read-only connection
        # leaves the files of the log behind.
        tidies = in_writable_folder and os.access(real, os.W_OK)
        uri = f"{real.as_uri()}?mode={'rw' if tidies else 'ro'}"
        # Without a log no process writes, and SQLite cannot make a log in a read-only folder.
        if not in_writable_folder and not real.with_name(real.name + "-wal").exists():
            uri += "&immutable=1"
        connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT, check_same_thread=False)
        try:
            connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection


def checked(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """Return a connection to a store of this version; `InvalidStore` for anything else."""
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            raise InvalidStore(f"{path} is not a file of games of claimeven")
        if version > VERSION:
            about = None
            with suppress(sqlite3.Error, ValueError, LookupError, TypeError):
                (runs,) = connection.execute("SELECT value FROM meta WHERE key='runs'").fetchone()
                about = json.loads(runs)[-1]
            check_schema("store", version, path, about, InvalidStore)
        if version != VERSION:
            raise InvalidStore(
                f"{path} is a file of games of version {version}; this claimeven reads {VERSION}"
            )
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        found = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        tables = {name: text for kind, name, text in found if kind == "table"}
        if any(kind in ("view", "trigger") for kind, _, _ in found) or any(
            tables.get(name) != text for name, text in _tables().items()
        ):  # which could compute for ever in any query
            raise InvalidStore(f"{path} is not a file of games of claimeven: its tables differ")
    except sqlite3.DatabaseError as error:
        connection.close()
        raise InvalidStore(f"{path} is not a file of games of claimeven: {error}") from None
    except InvalidStore:
        connection.close()
        raise
    return connection


@cache
def _tables() -> dict[str, str]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_TABLES)
        return dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))


def place_of(path: Path) -> tuple[tuple[int, int] | None, int]:
    """Return the identity and the size of the file at a path; None and 0 without a file."""
    try:
        found = path.stat()
    except OSError:
        return None, 0
    return (found.st_dev, found.st_ino), found.st_size


def _lock_path(path: Path) -> Path:
    """Return the path of a file's lock, the same for all names of the file."""
    target = Path(os.path.realpath(path))
    return target.with_name(target.name + ".lock")


def locked(path: Path) -> IO[bytes]:
    """Return an open lock, which gives the right to add games until it is closed.

    Its name is deleted by `unlock`, so a lock counts only while the name still leads to its file.
    """
    place = _lock_path(path)
    try:
        while True:
            lock = place.open("ab")
            is_own = not os.fstat(lock.fileno()).st_size
            if not (is_own and take_lock(lock)):
                lock.close()
                if not is_own:
                    raise InvalidStore(f"{place} is in the way: it is not the lock of {path}")
                raise InvalidStore(f"{path} is being written by another process")
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(lock.fileno()), place.stat()):
                    return lock
            lock.close()
    except OSError as error:
        if not os.access(path.absolute().parent, os.W_OK):
            raise InvalidStore(f"{path} cannot be written: its folder is read-only") from None
        raise InvalidStore(f"{path} cannot be written: {error.strerror or error}") from None


def unlock(path: Path, lock: IO[bytes]) -> None:
    """Let other processes add games to a file."""
    with suppress(OSError):  # Windows cannot delete an open file; others delete it while locked
        if os.name != "nt":
            _lock_path(path).unlink()
        lock.close()
        if os.name == "nt":
            _lock_path(path).unlink()


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn an error of SQLite into one that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise InvalidStore(f"{path} {_trouble(error)}") from None
    except OSError as error:
        raise InvalidStore(f"{path} cannot be written: {error.strerror or error}") from None


def _trouble(error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code in _DISK_FULL:
        return (
            "cannot be written: the disk is full, or allows no larger file; the stored games"
            " are safe, and --resume continues once there is room"
        )
    if code & 0xFF == sqlite3.SQLITE_READONLY:  # the lower byte is the kind of error
        return "cannot be written: it is read-only, or was moved; the stored games are safe"
    return f"cannot be used: {error}"
