"""The exact search of one board: its transposition table, its threads, and its sessions.

Positions are integers here. One call runs at a time (`run_session`); calls of other threads wait.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from claimeven.compiled import load
from claimeven.game.geometry import Geometry
from claimeven.parallel import interrupts
from claimeven.solver.errors import (
    SearchStopped,
    SolverBusy,
    check_board,
    check_nodes,
    check_seconds,
    check_table_mb,
    check_threads,
)
from claimeven.solver.progress import OnProgress
from claimeven.solver.protocols import Guide
from claimeven.solver.search_thread import Scores, SearchThread
from claimeven.solver.session import Boards, OnSolved, Session
from claimeven.solver.transposition_table import DEFAULT_MB, bucket_bits_for, new_entries

#: Seconds between two checks for Ctrl-C while a call waits.
_CHECK_SECONDS = 0.1

_Result = TypeVar("_Result")


class ExactSearch:
    """Exact scores on one board.

    `table_mb` is the size of the transposition table in units of 2**20 bytes, rounded down to a
    power of two (and up to the least size for the keys of the board); `threads` search together.
    `guide` guesses scores (see `protocols.Guide`). Positions are `mine` (discs of the side to move)
    and `mask` (all discs). They are not checked, and have no line. Scores are for the side to move.

    Threads may share a search: calls run one after another, and `seconds` includes the wait. A
    call from `on_progress` raises `SolverBusy`. Raises `InvalidSolve` for boards of more than 128
    bits and for other invalid arguments.

    >>> ExactSearch(Geometry(4, 4, 3), table_mb=1).score(0, 0)
    4
    """

    def __init__(
        self,
        geometry: Geometry,
        table_mb: float = DEFAULT_MB,
        threads: int = 1,
        guide: Guide | None = None,
    ) -> None:
        check_board(geometry)
        size, count = check_table_mb(table_mb), check_threads(threads)
        self.geometry = geometry
        self.guide = guide
        self.bucket_bits: int = bucket_bits_for(geometry, size)
        self.entries = new_entries(self.bucket_bits, geometry.bits)
        self.workers: list[SearchThread] = [
            SearchThread(geometry, self.entries, self.bucket_bits, n) for n in range(count)
        ]
        self._call_lock = threading.Lock()
        self._running: Session | None = None
        #: The wall-clock time of all sessions, except for clearing the table.
        self.seconds = 0.0

    @property
    def nodes(self) -> int:
        """Nodes visited by all threads since the search was made."""
        return sum(worker.nodes for worker in self.workers)

    def load(self) -> None:
        """Compile the search, or load it from the cache, before a clock starts."""
        leader = self.workers[0]
        load(leader.solve, leader.solve_columns)

    def clear(self) -> None:
        """Clear the transposition table."""

        def fill(session: Session) -> None:
            self.entries.fill(0)
            self.seconds -= session.seconds

        self.run_session(fill)

    def stop(self) -> None:
        """Make the running call, if any, raise `SearchStopped` soon. Waiting calls continue."""
        running = self._running
        if running is not None:
            running.stop()

    def run_session(
        self,
        ask: Callable[[Session], _Result],
        *,
        seconds: float | None = None,
        nodes: int | None = None,
    ) -> _Result:
        """Wait until other calls are done; return ask(session), with exclusive use of the search.

        The session ends `seconds` from now, or after `nodes` nodes. Raises `SearchStopped` if the
        wait takes all the time, and `SolverBusy` in a thread that already has a session.
        """
        deadline = math.inf if seconds is None else time.perf_counter() + check_seconds(seconds)
        limit = check_nodes(nodes)
        session = Session(self.geometry, self.workers, deadline, limit, self.guide)
        is_free: list[bool] = []
        try:
            # All in C: Ctrl-C comes before the lock is taken, or after the list says so.
            is_free.extend(map(self._call_lock.acquire, [False]))
            if is_free[0]:
                return self._hold_session(session, ask)
        finally:
            if is_free and is_free[0]:
                self._call_lock.release()
        running = self._running
        if running is not None and running.is_of_this_thread():
            raise SolverBusy("this solver is in the middle of a call, which cannot call it again")
        return self._wait_for_session(session, ask)

    def score(
        self,
        mine: int,
        mask: int,
        *,
        floor: int | None = None,
        ceiling: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        on_progress: OnProgress = None,
    ) -> int:
        """Return the score of a position, cut off to `floor`..`ceiling` if they are given.

        Raises `SearchStopped` after `seconds`, `nodes` or `stop`; its bounds are cut off too.
        """
        return self.run_session(
            lambda session: session.score(
                mine, mask, floor=floor, ceiling=ceiling, on_progress=on_progress
            ),
            seconds=seconds,
            nodes=nodes,
        )

    def score_many(
        self,
        mines: Boards,
        masks: Boards,
        *,
        floor: int | None = None,
        ceiling: int | None = None,
        on_progress: OnProgress = None,
        on_solved: OnSolved | None = None,
    ) -> tuple[Scores, Scores]:
        """Return the scores of many positions and the nodes that each took, two int64 arrays.

        Each thread takes separate positions. `on_solved(number, score)` is called for each position
        as soon as it is solved, one call at a time, in any order. `stop` raises `SearchStopped`.
        """
        return self.run_session(
            lambda session: session.score_many(
                mines,
                masks,
                floor=floor,
                ceiling=ceiling,
                on_progress=on_progress,
                on_solved=on_solved,
            )
        )

    def _hold_session(self, session: Session, ask: Callable[[Session], _Result]) -> _Result:
        start_time = time.perf_counter()
        try:
            session.start()
            self._running = session
            return ask(session)
        finally:
            self._running = None
            self.seconds += time.perf_counter() - start_time

    def _wait_for_session(self, session: Session, ask: Callable[[Session], _Result]) -> _Result:
        """Return ask(session) after other calls are done; wait at most to the deadline."""
        with interrupts.deferred() as safe_moment:
            is_acquired = False
            try:
                left = math.inf
                while not is_acquired and left > 0:
                    left = session.deadline - time.perf_counter()
                    wait = max(0.0, min(left, _CHECK_SECONDS))
                    is_acquired = self._call_lock.acquire(timeout=wait)
                    safe_moment()
                if not is_acquired:
                    raise SearchStopped(*session.score_range())
                return safe_moment.interruptible(lambda: self._hold_session(session, ask))
            finally:
                if is_acquired:
                    self._call_lock.release()
