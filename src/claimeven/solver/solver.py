"""The solver as programs use it: exact scores of positions, with table, threads and book.

What a score means stands in `scores`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from claimeven.game.arrays import Boards, canonical_keys, disc_counts
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.solver import contract
from claimeven.solver.apart import Child, column_floors, images_among, score_apart
from claimeven.solver.bulk import as_boards, children, final_scores, unfinished
from claimeven.solver.contract import MISSING, USUAL_BOOK, OpeningBook
from claimeven.solver.errors import (
    InvalidSolve,
    SearchStopped,
    check_board,
    check_table_mb,
    check_threads,
)
from claimeven.solver.reports import Report, SolverStatistics, known_to_be, known_within, reporter
from claimeven.solver.scores import final_score
from claimeven.solver.search import ExactSearch
from claimeven.solver.transpositions import usual_table_mb
from claimeven.solver.turn import Progress, Turn

#: Scores beyond these are as good, where wins, draws and losses alone are told apart.
_SIGNS = (-1, 1)
#: Stands in arrays of `Solver.scores_many` for a column that cannot be played.
ILLEGAL = -128

_Answer = TypeVar("_Answer")
Many: TypeAlias = "Sequence[Position] | tuple[Boards, Boards]"


class Solver:
    """Exact scores of the positions of one board.

    `table_mb` is the size of the table in MB (2**20 bytes), rounded down to a power of two, and up
    to the least that can hold a board's keys (4 MB for boards of 64 bits); None is the usual one,
    128, or 8 beside a deep book (`usual_table_mb`). `threads` work together on each call. `book`
    is "auto" (the usual one, if any), None, a path to a book or anything that answers as one.

    A call ends early by Ctrl-C, by `stop` from another thread, or when its `seconds` are over, a
    wall-clock time from the call on; the latter two raise `SearchStopped`, which tells what is
    known by then. What is in the table stays, so related positions are solved faster.

    Threads may share a solver: a call waits until those before it are done, and its `seconds` go on
    meanwhile. `progress` is told how far a call is, about ten times a second; it must not ask the
    same solver for anything but `stop` and `statistics` (`SolverBusy`).

    Raises `InvalidSolve` for boards of more than 64 bits, a table of 0 MB, no threads, or a book
    for another board, and `InvalidBook` for a book that cannot be trusted.

    >>> Solver(Geometry(4, 4), table_mb=1).score(Position(Geometry(4, 4)))
    0
    """

    def __init__(
        self,
        geometry: Geometry = STANDARD,
        table_mb: float | None = None,
        threads: int = 1,
        book: OpeningBook | str | Path | None = USUAL_BOOK,
    ) -> None:
        check_board(geometry)
        check_threads(threads)
        self.geometry = geometry
        self.table_mb = table_mb
        self.threads = threads
        self.book = contract.book_for(geometry, book)
        self._search = self._new_search()
        self._seconds = 0.0
        self._searched = 0
        self._book_hits = 0

    def __getstate__(self) -> dict[str, Any]:
        """A copy has the same book and options, and a table of its own with nothing in it."""
        kept = {name: value for name, value in vars(self).items() if name != "_search"}
        return {**kept, "_seconds": 0.0, "_searched": 0, "_book_hits": 0}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._search = self._new_search()

    def _new_search(self) -> ExactSearch:
        size = self.table_mb
        size = usual_table_mb(self.geometry, self.book) if size is None else check_table_mb(size)
        try:
            return ExactSearch(self.geometry, size, self.threads)
        except (MemoryError, OverflowError):
            raise InvalidSolve(f"there is no memory for a table of {size:g} MB") from None

    @property
    def statistics(self) -> SolverStatistics:
        """What this solver has done so far."""
        return SolverStatistics(self._search.nodes, self._seconds, self._searched, self._book_hits)

    def load(self) -> None:
        """Compile the search, or load it from the cache, ahead of the first call that needs it.

        A call does so itself, but then its `seconds` run meanwhile.
        """
        self._search.load()

    def clear(self) -> None:
        """Forget everything in the table."""
        self._search.clear()

    def stop(self) -> None:
        """Make the call that is running in another thread raise `SearchStopped` soon.

        Calls that wait for their turn are not stopped; nothing happens if none is running.
        """
        self._search.stop()

    def score(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        progress: Report | None = None,
    ) -> int:
        """Return the score of a position; finished games have one too."""
        self._check(position)
        return self._take_turn(
            lambda turn: self._score(turn, position, report=reporter(turn, progress)), seconds
        )

    def scores(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        progress: Report | None = None,
    ) -> tuple[int | None, ...]:
        """Return for each column the score of playing it, for the side to move; None where full.

        When the call ends early the columns known by then are in the `scores` of the
        `SearchStopped` it raises. Raises `InvalidSolve` for a finished game.
        """
        self._check(position, ongoing=True)
        try:
            return self._take_turn(lambda turn: self._scores(turn, position, progress), seconds)
        except SearchStopped as stopped:
            nothing = (None,) * self.geometry.columns
            raise SearchStopped(stopped.low, stopped.high, stopped.scores or nothing) from None

    def outcome(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        progress: Report | None = None,
    ) -> int:
        """Return 1, 0 or -1: the side to move wins, draws or loses. Cheaper than the score."""
        self._check(position)

        def ask(turn: Turn) -> int:
            report = reporter(turn, progress, cut_off=_SIGNS)
            return self._score(turn, position, *_SIGNS, report)

        with known_within(self.geometry, _SIGNS):
            score = self._take_turn(ask, seconds)
        return (score > 0) - (score < 0)

    def best_columns(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        progress: Report | None = None,
    ) -> tuple[int, ...]:
        """Return the columns that keep the score of a position, the most central one first.

        Cheaper than `scores`, whose best these are. Raises `InvalidSolve` for a finished game.
        """
        self._check(position, ongoing=True)

        def ask(turn: Turn) -> tuple[int, ...]:
            score = self._score(turn, position, report=reporter(turn, progress))
            report = reporter(turn, progress, known=score)
            with known_to_be(score):
                return tuple(
                    column
                    for column in self._playable(position)
                    if self._keeps(turn, position, column, score, report)
                )

        return self._take_turn(ask, seconds)

    def principal_variation(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        progress: Report | None = None,
    ) -> tuple[int, ...]:
        """Return the columns of best play to the end: the quickest wins, the slowest losses.

        Of equally good columns the most central one is played. Empty for a finished game. Raises
        `InvalidSolve` when a book holds scores that cannot be.
        """
        self._check(position)
        line: list[int] = []

        def fill(turn: Turn) -> None:
            at = position
            score = self._score(turn, at, report=reporter(turn, progress))
            report = reporter(turn, progress, known=score)
            with known_to_be(score):
                while not at.is_over:
                    columns = self._playable(at)
                    kept = (c for c in columns if self._keeps(turn, at, c, score, report))
                    column = next(kept, None)
                    if column is None:
                        raise InvalidSolve(
                            f"the book is wrong: it holds a score of {score} with {at.ply}"
                            " discs on the board, which no column leads to"
                        )
                    line.append(column)
                    at, score = at.play_unchecked(column), -score

        self._take_turn(fill, seconds)
        return tuple(line)

    def score_many(
        self,
        positions: Many,
        *,
        seconds: float | None = None,
        progress: Report | None = None,
    ) -> npt.NDArray[np.int8]:
        """Return the scores of many positions, an int8 array of shape (n,).

        `positions` are `Position`s of this board, or a pair of uint64 arrays of shape (n,): `mine`
        and `mask` as in `Position`. Finished games are allowed, and positions that are there more
        than once, or together with their mirror images, are solved once. Each thread takes
        positions of its own. Raises `InvalidSolve` for discs that are no position of this board.
        """
        mine, mask = as_boards(positions, self.geometry)
        return self._take_turn(lambda turn: self._score_many(turn, mine, mask, progress), seconds)

    def scores_many(
        self,
        positions: Many,
        *,
        seconds: float | None = None,
        progress: Report | None = None,
    ) -> npt.NDArray[np.int8]:
        """Return the scores of every column of many positions, an int8 array (n, columns).

        `ILLEGAL` stands where a column is full, and everywhere for a finished game. Positions and
        errors as for `score_many`.
        """
        mine, mask = as_boards(positions, self.geometry)
        scores = np.full((len(mine), self.geometry.columns), ILLEGAL, dtype=np.int8)

        def fill(turn: Turn) -> None:
            which, columns, child_mine, child_mask = children(mine, mask, self.geometry)
            scores[which, columns] = -self._score_many(turn, child_mine, child_mask, progress)

        self._take_turn(fill, seconds)
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

    def _take_turn(self, ask: Callable[[Turn], _Answer], seconds: float | None) -> _Answer:
        """Wait for the search to be free; return ask(turn), and count the time it takes."""

        def timed(turn: Turn) -> _Answer:
            try:
                return ask(turn)
            finally:
                self._seconds += turn.seconds

        return self._search.take_turn(timed, seconds=seconds)

    def _playable(self, position: Position) -> Iterator[int]:
        legal = position.legal_columns
        return (column for column in self.geometry.centre_order if column in legal)

    def _from_book(self, position: Position) -> int | None:
        return None if self.book is None else self.book.look_up(position)

    def _score(
        self,
        turn: Turn,
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
        return turn.score(
            position.mine, position.mask, floor=floor, ceiling=ceiling, progress=report
        )

    def _load(self) -> None:
        """Compile the search, or load it, if need be: that is not counted as solving."""
        begin = time.perf_counter()
        self._search.load()
        self._seconds -= time.perf_counter() - begin

    def _scores(
        self, turn: Turn, position: Position, progress: Report | None
    ) -> tuple[int | None, ...]:
        """Return the scores of all columns, or raise `SearchStopped` with those that are known.

        When the turn is over, columns are still asked for what takes no search.
        """
        scores: list[int | None] = [None] * self.geometry.columns
        # No column can be better than the position is: that is a bound for every child.
        known = self._from_book(position)
        low, high = turn.score_range(known, known)
        children: dict[int, Position] = {}
        for column in self._playable(position):
            child = position.play_unchecked(column)
            answer = final_score(child) if child.is_over else self._from_book(child)
            if answer is None:
                children[column] = child
                continue
            self._book_hits += not child.is_over
            scores[column] = -answer
            low = max(low, -answer)
        if not children:
            return tuple(scores)
        images = images_among(children, position)
        floors = column_floors(self.book, children, known)

        def solved(column: int, score: int) -> None:
            self._searched += 1
            scores[column] = -score

        # Under a deadline each column is searched in turn, for the bounds of those not solved.
        if len(self._search.workers) > 1 and turn.deadline == math.inf:
            self._load()
            asked = [Child(c, children[c], floors.get(c)) for c in children if c not in images]
            score_apart(turn, asked, solved, reporter(turn, progress, tuple(scores)))
        ceilings: list[int] = []
        for column, child in children.items():
            image = scores[images.get(column, column)]
            if image is None:
                report = reporter(turn, progress, tuple(scores))
                try:
                    image = -self._score(turn, child, floors.get(column), report=report)
                except SearchStopped as stopped:
                    low = max(low, -stopped.high)
                    ceilings.append(-stopped.low)
                    continue
            scores[column] = image
            low = max(low, image)
        if ceilings:
            high = min(high, max(low, *ceilings))
            raise SearchStopped(low, high, tuple(scores))
        return tuple(scores)

    def _keeps(
        self,
        turn: Turn,
        position: Position,
        column: int,
        score: int,
        report: Callable[[Progress], None] | None,
    ) -> bool:
        """Whether a column is worth the score of the position; none is worth more."""
        child = position.play_unchecked(column)
        return self._score(turn, child, -score, 1 - score, report) == -score

    def _score_many(
        self, turn: Turn, mine: Boards, mask: Boards, progress: Report | None
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
            solved, _ = turn.score_many(mine[left], mask[left], progress=reporter(turn, progress))
            found[left] = solved
        scores[open_ones] = found[back.reshape(-1)]
        return scores
