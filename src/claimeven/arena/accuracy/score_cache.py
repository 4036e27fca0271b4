"""Exact scores of all columns of many positions, each solved once, and stored with the games.

Scores are derived data: dropping them loses only time. In a store they are one more table:

```text
    scores  key      canonical key of a position (the smaller of its own and its mirror image's)
            columns  one signed byte a column, -128 where it is full, for the side to move
```
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from claimeven.game.position import Position
from claimeven.solver.progress import SolveProgress
from claimeven.solver.solver import ILLEGAL, Solver

#: The scores of a position's columns for the side to move, None where none can be played.
Row = tuple[int | None, ...]
#: Positions solved between two writes, so that little is lost when the work is ended.
BATCH = 128
#: Keys that one query asks for.
_ASKED = 500
#: Seconds to wait for somebody else who is writing to the file.
_PATIENCE = 10.0

_TABLE = "CREATE TABLE IF NOT EXISTS scores (key INTEGER PRIMARY KEY, columns BLOB NOT NULL)"


@dataclass(frozen=True)
class JudgeProgress:
    """How far the work is: `done` of `total` different positions, `resumed` known before it."""

    done: int
    total: int
    resumed: int
    seconds: float


class KnownScores:
    """The scores of positions of one board by position, read from a store and added to it.

    A store that cannot be written is only read, and `trouble` says why in a sentence.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.trouble: str | None = None
        self._path = None if path is None else Path(path)
        self._rows: dict[int, Row] = {}

    def __getitem__(self, position: Position) -> Row:
        """Return the scores of a position that was `solve`d. Raises KeyError."""
        return _oriented(self._rows[position.canonical_key], position)

    def __len__(self) -> int:
        return len(self._rows)

    def solve(
        self,
        positions: Iterable[Position],
        solver: Callable[[], Solver],
        progress: Callable[[JudgeProgress], object] | None = None,
    ) -> None:
        """Make the scores of positions known; none of them may be over.

        All are solved together by all threads of the solver (made only if needed), the latest plies
        first: they are quick and fill the table for earlier ones. Ctrl-C keeps what is solved.
        """
        begin = time.monotonic()
        wanted = {position.canonical_key: position for position in positions}
        for key, row in self._kept(key for key in wanted if key not in self._rows):
            if _fits(row, wanted[key]):
                self._rows[key] = row
        left = [wanted[key] for key in wanted.keys() - self._rows.keys()]
        left.sort(key=lambda position: (-position.ply, position.canonical_key))
        resumed = len(wanted) - len(left)

        def tell(done: int) -> None:
            if progress is not None:
                seconds = time.monotonic() - begin
                progress(JudgeProgress(resumed + done, len(wanted), resumed, seconds))

        tell(0)
        search = solver() if left else None
        for start in range(0, len(left), BATCH):
            part = left[start : start + BATCH]

            def report(at: SolveProgress, start: int = start, size: int = len(part)) -> None:
                tell(start + at.done * size // max(1, at.total))

            assert search is not None
            rows = search.scores_many(part, progress=report).tolist()
            found = {
                each.canonical_key: _oriented(_row(scores), each)
                for each, scores in zip(part, rows, strict=True)
            }
            self._rows.update(found)
            self._keep(found)
            tell(start + len(part))

    def _kept(self, keys: Iterable[int]) -> Iterator[tuple[int, Row]]:
        """Yield what the store holds of these positions."""
        asked = list(keys)
        if self._path is None or not asked:
            return
        where = f"{self._path.resolve().as_uri()}?mode=ro"
        # A store without the table, or damaged, knows no scores: they are worked out.
        with suppress(sqlite3.Error), closing(_connected(where)) as connection:
            for start in range(0, len(asked), _ASKED):
                part = [_signed(key) for key in asked[start : start + _ASKED]]
                marks = ", ".join("?" * len(part))
                query = f"SELECT key, columns FROM scores WHERE key IN ({marks})"
                for key, columns in connection.execute(query, part).fetchall():
                    scores = np.frombuffer(columns, dtype=np.int8).tolist()
                    yield _unsigned(key), _row(scores)

    def _keep(self, found: Mapping[int, Row]) -> None:
        if self._path is None or self.trouble is not None:
            return
        rows = [
            (
                _signed(key),
                np.array([ILLEGAL if s is None else s for s in row], dtype=np.int8).tobytes(),
            )
            for key, row in found.items()
        ]
        try:
            where = f"{self._path.resolve().as_uri()}?mode=rw"
            with closing(_connected(where)) as connection, connection:
                connection.execute(_TABLE)
                connection.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            self.trouble = f"scores are not kept in {self._path}: {error}"


def _connected(where: str) -> sqlite3.Connection:
    return sqlite3.connect(where, uri=True, timeout=_PATIENCE)


def _oriented(row: Row, position: Position) -> Row:
    """Return the row of a position as that of its canonical one, or the other way round."""
    return row if position.key == position.canonical_key else row[::-1]


def _row(scores: Iterable[int]) -> Row:
    return tuple(None if score == ILLEGAL else score for score in scores)


def _fits(row: Row, position: Position) -> bool:
    """Whether a row read from a file may be one of a position, or of its mirror image."""
    row, legal = _oriented(row, position), position.legal_columns
    return len(row) == position.geometry.columns and all(
        (score is not None) == (column in legal) for column, score in enumerate(row)
    )


def _signed(key: int) -> int:
    """Return a key of 64 bits as SQLite holds it."""
    return key - (1 << 64) if key >> 63 else key


def _unsigned(key: int) -> int:
    return key & ((1 << 64) - 1)
