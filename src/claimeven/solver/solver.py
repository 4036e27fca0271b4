"""The solver: exact scores of positions, with a table, threads, a book and a guide.

`scores` explains the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from claimeven.game.batch import Boards
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position, check_position
from claimeven.parallel.jobs import Calls, Executor, Result, made
from claimeven.solver import protocols
from claimeven.solver.errors import (
    InvalidSolve,
    SearchStopped,
    check_board,
    check_table_mb,
    check_threads,
)
from claimeven.solver.progress import OnProgress, SolverStatistics, narrow_on_stop, reporter, uncut
from claimeven.solver.protocols import DEFAULT_BOOK, Guide, OpeningBook
from claimeven.solver.queries import BestMoves, Queries, as_boards, children, inconsistent_book
from claimeven.solver.scores import sign
from claimeven.solver.search import ExactSearch
from claimeven.solver.session import Session
from claimeven.solver.transposition_table import DEFAULT_MB

#: The window of scores that distinguishes only wins, draws and losses.
_OUTCOME_WINDOW = (-1, 1)
#: In arrays of `Solver.scores_many`, a column that cannot be played.
ILLEGAL = -128

_Result = TypeVar("_Result")
Many: TypeAlias = "Sequence[Position] | tuple[Boards, Boards]"


class Solver:
    """Exact scores of the positions of one board.

    `table_mb` is the size of the table in MB (2**20 bytes). It is rounded down to a power of two,
    and up to the least size for the keys of the board (4 MB for boards of 64 bits, 64 MB for boards
    of 128 bits). None is the default, 16. `threads` work together on each call. `book` is "auto"
    (the default book, if any), None, a path or an `OpeningBook`. `guide` guesses the scores of hard
    positions, which then take fewer nodes: "net" (the bundled net), the file of a net, or a
    `Guide`. Scores are exact with any guide.

    A call ends early by Ctrl-C, by `stop` from another thread, or after `seconds` of wall-clock
    time. The latter two raise `SearchStopped` with the bounds found. The table keeps its entries,
    so related positions are solved faster.

    Threads may share a solver: calls run one after another, and the wait counts towards `seconds`.
    `on_progress` gets a `SolveProgress` about ten times a second. It may use `stop` and
    `statistics` of the same solver; other calls raise `SolverBusy`. Raises `InvalidSolve` for
    boards of more than 128 bits, a table of 0 MB, 0 threads, or a book or guide for another board,
    `InvalidBook` for an invalid book, and `InvalidNetwork` for an invalid net.

    >>> Solver(Geometry(4, 4), table_mb=1).score(Position(Geometry(4, 4)))
    0
    """

    def __init__(
        self,
        geometry: Geometry = STANDARD,
        table_mb: float | None = None,
        threads: int = 1,
        book: OpeningBook | str | Path | None = DEFAULT_BOOK,
        guide: Guide | str | Path | None = None,
    ) -> None:
        check_board(geometry)
        check_threads(threads)
        self.geometry = geometry
        self.table_mb = table_mb
        self.threads = threads
        #: Guesses scores, None without a guide.
        self.guide: Guide | None = protocols.guide_for(geometry, guide)
        self._given = book, guide
        self._new_state(protocols.book_for(geometry, book))

    def __getstate__(self) -> dict[str, Any]:
        """Return the book and the options: a copy starts with an empty table."""
        derived = ("_search", "_queries")
        options = {name: value for name, value in vars(self).items() if name not in derived}
        return {**options, "book": self.book}

    def __setstate__(self, state: dict[str, Any]) -> None:
        options = dict(state)
        book = options.pop("book")
        vars(self).update(options)
        self._new_state(book)

    def _new_state(self, book: OpeningBook | None) -> None:
        size = DEFAULT_MB if self.table_mb is None else check_table_mb(self.table_mb)
        try:
            self._search = ExactSearch(self.geometry, size, self.threads, self.guide)
        except (MemoryError, OverflowError):
            raise InvalidSolve(f"there is not enough memory for a table of {size:g} MB") from None
        self._queries = Queries(self.geometry, book, self._search)

    def maker(self) -> Callable[[], Solver]:
        """Return a function that makes a solver like this one, with one thread.

        It can be pickled for a worker process, which opens the book and the guide given as paths.
        """
        return partial(Solver, self.geometry, self.table_mb, 1, *self._given)

    @property
    def is_made_anywhere(self) -> bool:
        """Whether each process can make this solver: no book or guide is of a caller's class."""
        packages = {type(each).__module__.partition(".")[0] for each in self._given}
        return packages <= {"builtins", "pathlib", "claimeven"}

    @property
    def book(self) -> OpeningBook | None:
        """The book in which positions are looked up before a search."""
        return self._queries.book

    @property
    def statistics(self) -> SolverStatistics:
        """The nodes, time, searches and book hits of all calls so far."""
        queries = self._queries
        seconds = self._search.seconds - queries.loading
        return SolverStatistics(self._search.nodes, seconds, queries.searched, queries.book_hits)

    def load(self) -> None:
        """Compile the search, or load it from the cache, before the first call that needs it.

        Otherwise that call does it, and the time counts towards its `seconds`. Load the guide too.
        """
        self._search.load()
        if self.guide is not None:
            self.guide.load()

    def clear(self) -> None:
        """Clear the table."""
        self._search.clear()

    def stop(self) -> None:
        """Make the running call of another thread raise `SearchStopped` soon; others still wait."""
        self._search.stop()

    def score(
        self, position: Position, *, seconds: float | None = None, on_progress: OnProgress = None
    ) -> int:
        """Return the score of a position; finished games have one too."""
        check_position(position, InvalidSolve, self.geometry)
        return self._search.run_session(
            lambda session: self._queries.score(
                session, position, report=reporter(self.geometry, on_progress)
            ),
            seconds=seconds,
        )

    def scores(
        self, position: Position, *, seconds: float | None = None, on_progress: OnProgress = None
    ) -> tuple[int | None, ...]:
        """Return the score of playing each column, for the side to move; None for full columns.

        If the call ends early, `SearchStopped.scores` has the columns solved so far. Raises
        `InvalidSolve` for a finished game.
        """
        check_position(position, InvalidSolve, self.geometry, ongoing=True)
        try:
            return self._search.run_session(
                lambda session: self._queries.scores(session, position, on_progress),
                seconds=seconds,
            )
        except SearchStopped as stopped:
            unknown = (None,) * self.geometry.columns
            raise SearchStopped(stopped.low, stopped.high, stopped.scores or unknown) from None

    def outcome(
        self, position: Position, *, seconds: float | None = None, on_progress: OnProgress = None
    ) -> int:
        """Return 1, 0 or -1: the side to move wins, draws or loses. Cheaper than the score."""
        check_position(position, InvalidSolve, self.geometry)

        def ask(session: Session) -> int:
            report = reporter(self.geometry, on_progress, cut_off=_OUTCOME_WINDOW)
            return self._queries.score(session, position, *_OUTCOME_WINDOW, report)

        try:
            score = self._search.run_session(ask, seconds=seconds)
        except SearchStopped as stopped:
            low, high = uncut(self.geometry, stopped.low, stopped.high, _OUTCOME_WINDOW)
            raise SearchStopped(low, high) from None
        return sign(score)

    def best_columns(
        self, position: Position, *, seconds: float | None = None, on_progress: OnProgress = None
    ) -> tuple[int, ...]:
        """Return the columns that keep the score of a position, the most central one first.

        They are the best columns of `scores`, found faster. Raises `InvalidSolve` as `best` does.
        """
        return self.best(position, seconds=seconds, on_progress=on_progress).columns

    def best(
        self, position: Position, *, seconds: float | None = None, on_progress: OnProgress = None
    ) -> BestMoves:
        """Return the score of a position and the columns that keep it, as `best_columns` does.

        Raises `InvalidSolve` for a finished game, and if a book has impossible scores.

        >>> Solver(Geometry(4, 4), table_mb=1).best(Position.from_moves("12", Geometry(4, 4)))
        BestMoves(score=0, columns=(2, 0, 3))
        """
        check_position(position, InvalidSolve, self.geometry, ongoing=True)
        return self._search.run_session(
            lambda session: self._queries.best(session, position, on_progress), seconds=seconds
        )

    def principal_variation(
        self, position: Position, *, seconds: float | None = None, on_progress: OnProgress = None
    ) -> tuple[int, ...]:
        """Return the columns of best play to the end: the quickest wins, the slowest losses.

        Of equally good columns the most central one is played. Empty for a finished game. Raises
        `InvalidSolve` if a book has impossible scores.
        """
        check_position(position, InvalidSolve, self.geometry)
        line: list[int] = []

        def fill(session: Session) -> None:
            at = position
            queries = self._queries
            score = queries.score(session, at, report=reporter(self.geometry, on_progress))
            report = reporter(self.geometry, on_progress, known=score)
            with narrow_on_stop(score):
                while not at.is_over:
                    keeping = queries.keeping(session, at, score, report, first_only=True)
                    if not keeping:
                        raise inconsistent_book(at, score)
                    line.append(keeping[0])
                    at, score = at.play_unchecked(keeping[0]), -score

        self._search.run_session(fill, seconds=seconds)
        return tuple(line)

    def score_many(
        self, positions: Many, *, seconds: float | None = None, on_progress: OnProgress = None
    ) -> npt.NDArray[np.int8]:
        """Return the scores of many positions, an int8 array of shape (n,).

        `positions` are `Position`s of this board, or a pair of uint64 arrays of shape (n,): `mine`
        and `mask` as in `Position`. On boards of more than 64 bits the arrays are `WideWords`, or
        Python integers (dtype object). Finished games are allowed. Equal positions and mirror
        images are solved once. Each thread takes separate positions. Raises `InvalidSolve` for
        invalid positions of this board.
        """
        mine, mask = as_boards(positions, self.geometry)
        return self._search.run_session(
            lambda session: self._queries.score_many(session, mine, mask, on_progress),
            seconds=seconds,
        )

    def scores_many(
        self, positions: Many, *, seconds: float | None = None, on_progress: OnProgress = None
    ) -> npt.NDArray[np.int8]:
        """Return the scores of every column of many positions, an int8 array (n, columns).

        Columns that cannot be played are `ILLEGAL`. Positions and errors as for `score_many`.
        """
        mine, mask = as_boards(positions, self.geometry)
        scores = np.full((len(mine), self.geometry.columns), ILLEGAL, dtype=np.int8)

        def fill(session: Session) -> None:
            which, columns, child_mine, child_mask = children(mine, mask, self.geometry)
            below = self._queries.score_many(session, child_mine, child_mask, on_progress)
            scores[which, columns] = -below

        self._search.run_session(fill, seconds=seconds)
        return scores

    # --- inside ----------------------------------------------------------------------------------


# --- the solvers of an executor's workers, one thread each ---------------------------------------


class Answer(NamedTuple):
    """An answer, and the nodes and seconds of its search."""

    value: Any
    nodes: int
    seconds: float


def ask(question: Callable[[Any], Any], solver: Solver) -> Answer:
    """Return the answer of `question(solver)`."""
    before = solver.statistics
    value = question(solver)
    after = solver.statistics
    return Answer(value, after.nodes - before.nodes, after.seconds - before.seconds)


def scores_by(
    executor: Executor | None,
    make: Callable[[], Solver],
    geometry: Geometry,
    discs: tuple[Iterable[Any], Iterable[Any]],
) -> Generator[Result, None, None]:
    """Yield an `Answer` with the score of each position, with its number, as they are solved.

    Without an executor this process solves them.

    `discs` are the arrays `mine` and `mask`. `make` makes a worker's solver: `Solver.maker()`.
    """
    positions = (
        Position(geometry, int(mine), int(mask)) for mine, mask in zip(*discs, strict=True)
    )
    return Calls(_score, partial(made, make)).results(positions, executor)


def _score(solver: Solver, position: Position) -> Answer:
    return ask(lambda solver: solver.score(position), solver)
