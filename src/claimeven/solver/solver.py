"""The solver as programs use it: exact scores of positions, with table, threads and book.

Scores are those of `words`: 0 for a draw, positive when the side to move wins, greater the sooner.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from claimeven.game.arrays import Boards, canonical_keys, disc_counts
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.solver import contract
from claimeven.solver.bulk import as_boards, children, final_scores, unfinished
from claimeven.solver.contract import MISSING, USUAL_BOOK, OpeningBook
from claimeven.solver.errors import InvalidSolve, check_board
from claimeven.solver.scores import final_score
from claimeven.solver.search import ExactSearch, Progress

#: Stands in arrays of `Solver.scores_many` for a column that cannot be played.
ILLEGAL = -128

Many: TypeAlias = "Sequence[Position] | tuple[Boards, Boards]"


@dataclass(frozen=True)
class SolverStatistics:
    """What a solver has done since it was made.

    `nodes` positions visited by searches, `seconds` of wall-clock time in calls, `searched`
    positions searched, `book_hits` positions answered by the book.
    """

    nodes: int = 0
    seconds: float = 0.0
    searched: int = 0
    book_hits: int = 0


@dataclass(frozen=True)
class SolveProgress:
    """How far a call is: `nodes` visited in it, `rate` in nodes a second.

    The score of the position in work lies in `low` .. `high` for its side to move: a child of the
    position asked about in `scores`, otherwise that position. `scores` are the columns decided,
    None for the others; in `score_many` they stay empty and `done` of `total` positions are done.
    """

    nodes: int
    rate: float
    low: int
    high: int
    scores: tuple[int | None, ...] = ()
    done: int = 0
    total: int = 1


Report: TypeAlias = Callable[[SolveProgress], None]


class Solver:
    """Exact scores of the positions of one board.

    `table_mb` is the size of the table in MB (2**20 bytes), rounded down to a power of two, and up
    to the least that can hold a board's keys (4 MB for boards of 64 bits);
    `threads` work together on each call. `book` is "auto" (the one that comes with the package,
    if there is one for this board), None, a path to a book or anything that answers as one.

    Searches can be interrupted by Ctrl-C, and by `stop` from another thread, which makes the call
    raise `SearchStopped`. What is in the table stays, so related positions are solved faster; a
    solver is for one call at a time.

    Raises `InvalidSolve` for boards of more than 64 bits, a table of 0 MB, no threads, or a book
    for another board, and `InvalidBook` for a book that cannot be trusted.

    >>> Solver(Geometry(4, 4), table_mb=1).score(Position(Geometry(4, 4)))
    0
    """

    def __init__(
        self,
        geometry: Geometry = STANDARD,
        table_mb: float = 128,
        threads: int = 1,
        book: OpeningBook | str | Path | None = USUAL_BOOK,
    ) -> None:
        check_board(geometry)
        if not table_mb > 0:
            raise InvalidSolve(f"a table takes more than 0 MB, not {table_mb}")
        if threads < 1:
            raise InvalidSolve(f"a solver works with 1 thread or more, not {threads}")
        self.geometry = geometry
        self.book = _book_for(geometry, book)
        try:
            self._search = ExactSearch(geometry, table_mb, threads)
        except (MemoryError, OverflowError):
            raise InvalidSolve(f"there is no memory for a table of {table_mb:g} MB") from None
        self._seconds = 0.0
        self._searched = 0
        self._book_hits = 0

    @property
    def statistics(self) -> SolverStatistics:
        """What this solver has done so far."""
        return SolverStatistics(self._search.nodes, self._seconds, self._searched, self._book_hits)

    def clear(self) -> None:
        """Forget everything in the table."""
        self._search.clear()

    def stop(self) -> None:
        """Make the call that is running in another thread raise `SearchStopped` soon."""
        self._search.stop()

    def score(self, position: Position, *, progress: Report | None = None) -> int:
        """Return the score of a position; finished games have one too."""
        self._check(position)
        with self._timed():
            return self._score(position, report=self._reporter(progress))

    def scores(
        self, position: Position, *, progress: Report | None = None
    ) -> tuple[int | None, ...]:
        """Return for each column the score of playing it, for the side to move; None where full.

        Raises `InvalidSolve` for a finished game.
        """
        self._check(position, ongoing=True)
        columns = self.geometry.columns
        scores: list[int | None] = [None] * columns
        is_symmetric = position.mirror() == position
        with self._timed():
            # No column can be better than the position is: that is a bound for every child.
            known = self._from_book(position)
            for column in self._playable(position):
                image = scores[columns - 1 - column] if is_symmetric else None
                if image is None:
                    child = position.play_unchecked(column)
                    report = self._reporter(progress, tuple(scores))
                    image = -self._score(child, None if known is None else -known, report=report)
                scores[column] = image
        return tuple(scores)

    def outcome(self, position: Position, *, progress: Report | None = None) -> int:
        """Return 1, 0 or -1: the side to move wins, draws or loses. Cheaper than the score."""
        self._check(position)
        with self._timed():
            score = self._score(position, -1, 1, self._reporter(progress))
        return (score > 0) - (score < 0)

    def best_columns(
        self, position: Position, *, progress: Report | None = None
    ) -> tuple[int, ...]:
        """Return the columns that keep the score of a position, the most central one first.

        Cheaper than `scores`, whose best these are. Raises `InvalidSolve` for a finished game.
        """
        self._check(position, ongoing=True)
        report = self._reporter(progress)
        with self._timed():
            score = self._score(position, report=report)
            return tuple(
                column
                for column in self._playable(position)
                if self._keeps(position, column, score, report)
            )

    def principal_variation(
        self, position: Position, *, progress: Report | None = None
    ) -> tuple[int, ...]:
        """Return the columns of best play to the end: the quickest wins, the slowest losses.

        Of equally good columns the most central one is played. Empty for a finished game.
        """
        self._check(position)
        report = self._reporter(progress)
        line: list[int] = []
        with self._timed():
            score = self._score(position, report=report)
            while not position.is_over:
                column = next(
                    column
                    for column in self._playable(position)
                    if self._keeps(position, column, score, report)
                )
                line.append(column)
                position, score = position.play_unchecked(column), -score
        return tuple(line)

    def score_many(
        self, positions: Many, *, progress: Report | None = None
    ) -> npt.NDArray[np.int8]:
        """Return the scores of many positions, an int8 array of shape (n,).

        `positions` are `Position`s of this board, or a pair of uint64 arrays of shape (n,): `mine`
        and `mask` as in `Position`. Finished games are allowed, and positions that are there more
        than once, or together with their mirror images, are solved once. Each thread takes
        positions of its own. Raises `InvalidSolve` for discs that are no position of this board.
        """
        mine, mask = as_boards(positions, self.geometry)
        with self._timed():
            return self._score_many(mine, mask, progress)

    def scores_many(
        self, positions: Many, *, progress: Report | None = None
    ) -> npt.NDArray[np.int8]:
        """Return the scores of every column of many positions, an int8 array (n, columns).

        `ILLEGAL` stands where a column is full, and everywhere for a finished game. Positions and
        errors as for `score_many`.
        """
        mine, mask = as_boards(positions, self.geometry)
        scores = np.full((len(mine), self.geometry.columns), ILLEGAL, dtype=np.int8)
        with self._timed():
            which, columns, child_mine, child_mask = children(mine, mask, self.geometry)
            scores[which, columns] = -self._score_many(child_mine, child_mask, progress)
        return scores

    # --- inside ----------------------------------------------------------------------------------

    def _check(self, position: Position, ongoing: bool = False) -> None:
        if not isinstance(position, Position):
            raise InvalidSolve(f"a position must be a Position, not {position!r}")
        if position.geometry != self.geometry:
            raise InvalidSolve(
                f"this solver is for {self.geometry}, the position is of {position.geometry}"
            )
        if ongoing and position.is_over:
            raise InvalidSolve(f"the game is over: {position.outcome}")

    def _playable(self, position: Position) -> Iterator[int]:
        legal = position.legal_columns
        return (column for column in self.geometry.centre_order if column in legal)

    def _from_book(self, position: Position) -> int | None:
        return None if self.book is None else self.book.look_up(position)

    def _score(
        self,
        position: Position,
        floor: int | None = None,
        ceiling: int | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> int:
        """Return a position's score; cut off to floor .. ceiling where it is searched."""
        if position.is_over:
            return final_score(position)
        known = self._from_book(position)
        if known is not None:
            self._book_hits += 1
            return known
        self._searched += 1
        self._load()
        return self._search.score(
            position.mine, position.mask, floor=floor, ceiling=ceiling, progress=report
        )

    def _load(self) -> None:
        """Compile the search, or load it, if need be: that is not counted as solving."""
        begin = time.perf_counter()
        self._search.load()
        self._seconds -= time.perf_counter() - begin

    def _keeps(
        self,
        position: Position,
        column: int,
        score: int,
        report: Callable[[Progress], None] | None,
    ) -> bool:
        """Whether a column is worth the score of the position; none is worth more."""
        child = position.play_unchecked(column)
        return self._score(child, -score, 1 - score, report) == -score

    def _score_many(
        self, mine: Boards, mask: Boards, progress: Report | None
    ) -> npt.NDArray[np.int8]:
        scores = final_scores(mine, mask, self.geometry)
        open_ones = unfinished(mine, mask, self.geometry)
        mine, mask = mine[open_ones], mask[open_ones]
        keys, first, back = np.unique(
            canonical_keys(mine + mask, self.geometry), return_index=True, return_inverse=True
        )
        mine, mask = mine[first], mask[first]
        found = np.full(len(keys), MISSING, dtype=np.int8)
        if self.book is not None:
            found = self.book.look_up_many(keys, disc_counts(mask))
        left = np.flatnonzero(found == MISSING)
        self._book_hits += len(keys) - len(left)
        self._searched += len(left)
        if len(left):
            self._load()
            solved, _ = self._search.score_many(
                mine[left], mask[left], progress=self._reporter(progress)
            )
            found[left] = solved
        scores[open_ones] = found[back.reshape(-1)]
        return scores

    def _reporter(
        self, progress: Report | None, scores: tuple[int | None, ...] = ()
    ) -> Callable[[Progress], None] | None:
        """Return what turns the search's reports into those of this class."""
        if progress is None:
            return None
        begin = time.perf_counter()

        def report(at: Progress) -> None:
            seconds = max(1e-9, time.perf_counter() - begin)
            progress(
                SolveProgress(
                    at.nodes, at.nodes / seconds, at.low, at.high, scores, at.done, at.total
                )
            )

        return report

    @contextmanager
    def _timed(self) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self._seconds += time.perf_counter() - begin


def _book_for(geometry: Geometry, book: OpeningBook | str | Path | None) -> OpeningBook | None:
    """Return the book a solver is to use; `InvalidSolve` if it is for another board."""
    found = contract.open_book(geometry, book) if isinstance(book, str | Path) else book
    if found is not None and found.geometry != geometry:
        raise InvalidSolve(f"the book is for {found.geometry}, the solver for {geometry}")
    return found
