"""The exact search of one board: its transposition table, its workers, and whose turn it is.

Positions are plain integers here. One call is at work at a time (`run_session`); calls from other
threads wait for theirs.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from claimeven.compiled import load
from claimeven.game import bitboard
from claimeven.game.geometry import Geometry
from claimeven.parallel import interrupts
from claimeven.solver import kernel
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
from claimeven.solver.scores import win_score
from claimeven.solver.session import Boards, Scores, SearchThread, Session, Solved
from claimeven.solver.transposition_table import bucket_bits_for, new_entries

#: Seconds between two looks whether Ctrl-C came while a session is waited for.
_LOOK = 0.1

_Result = TypeVar("_Result")


class ExactSearch:
    """Exact scores on one board.

    `table_mb` is the size of the transposition table in units of 2**20 bytes, rounded down to a
    power of two (and up to the least that can hold this board's keys); `threads` work together.
    Positions are given as `mine` (discs of the side to move) and `mask` (all discs) and are not
    checked; nobody may have a line yet. Scores are seen from the side to move.

    May be shared by threads: calls wait for each other. `seconds` counts from the call, the wait
    included. What a call reports its progress to must not call the search: it gets `SolverBusy`.
    Raises `InvalidSolve` for boards of more than 64 bits and for other arguments that cannot be.

    >>> ExactSearch(Geometry(4, 4, 3), table_mb=1).score(0, 0)
    4
    """

    def __init__(self, geometry: Geometry, table_mb: float = 128, threads: int = 1) -> None:
        check_board(geometry)
        size, count = check_table_mb(table_mb), check_threads(threads)
        self.geometry = geometry
        self.bucket_bits: int = bucket_bits_for(geometry, size)
        self.entries = new_entries(self.bucket_bits)
        self.workers: list[SearchThread] = [
            SearchThread(geometry, self.entries, self.bucket_bits, n) for n in range(count)
        ]
        self._alone = threading.Lock()
        # Reentrant, so that a signal handler may call `stop` at any moment.
        self._switching = interrupts.Lock()
        self._running: Session | None = None

    @property
    def nodes(self) -> int:
        """Nodes visited by all threads since the search was made."""
        return sum(worker.nodes for worker in self.workers)

    def load(self) -> None:
        """Compile the search, or load it from the cache, before a clock starts."""
        load(kernel.solve)

    def clear(self) -> None:
        """Forget everything in the transposition table."""
        self.run_session(lambda session: self.entries.fill(0))

    def stop(self) -> None:
        """Make the call that is running raise `SearchStopped` soon; those that wait go on waiting.

        Nothing happens if none is running.
        """
        with self._switching:
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
        """Wait until no other call is at work; return ask(session), with the search to oneself.

        The session is over `seconds` from now, or when it has visited `nodes` nodes. Raises
        `SearchStopped` if the wait takes all that time, and `SolverBusy` in a thread that is at
        work in a session already.
        """
        deadline = time.perf_counter() + check_seconds(seconds)
        session = Session(self.geometry, self.workers, deadline, check_nodes(nodes))
        running = self._running
        if running is not None and running.is_of_this_thread():
            raise SolverBusy("this solver is in the middle of a call: it cannot be asked from it")
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

        Raises `SearchStopped` when more than `seconds` or `nodes` would be needed, or after `stop`;
        its bounds are cut off as well.
        """
        return self.run_session(
            lambda session: session.score(
                mine, mask, floor=floor, ceiling=ceiling, on_progress=on_progress
            ),
            seconds=seconds,
            nodes=nodes,
        )

    def outcome(self, mine: int, mask: int, *, nodes: int | None = None) -> int:
        """Return 1, 0 or -1: the side to move wins, draws or loses. Cheaper than the score."""
        return self.score(mine, mask, floor=-1, ceiling=1, nodes=nodes)

    def scores(
        self, mine: int, mask: int, *, nodes: int | None = None, on_progress: OnProgress = None
    ) -> list[int | None]:
        """Return the score of every column for the side to move, None where it is full."""
        geometry = self.geometry
        playable = bitboard.playable_cells(mask, geometry)
        wins = bitboard.winning_cells(mine, mask, geometry)
        total = playable.bit_count()

        def ask(session: Session) -> list[int | None]:
            scores: list[int | None] = [None] * geometry.columns
            done = 0
            for column in geometry.center_order:
                move = playable & geometry.column_mask(column)
                if move & wins:
                    scores[column] = win_score(geometry, mask.bit_count())
                elif move:
                    scores[column] = -session.score(
                        mine ^ mask, mask | move, on_progress=on_progress, done=done, total=total
                    )
                done += bool(move)
            return scores

        return self.run_session(ask, nodes=nodes)

    def score_many(
        self,
        mines: Boards,
        masks: Boards,
        *,
        floor: int | None = None,
        ceiling: int | None = None,
        on_progress: OnProgress = None,
        solved: Solved | None = None,
    ) -> tuple[Scores, Scores]:
        """Return the scores of many positions and the nodes that each took, two int64 arrays.

        Each thread takes positions of its own. `solved(number, score)` is told of each position
        as soon as its score is known, one call at a time, in the order in which they come.
        Raises `SearchStopped` after `stop`.
        """
        return self.run_session(
            lambda session: session.score_many(
                mines, masks, floor=floor, ceiling=ceiling, on_progress=on_progress, solved=solved
            )
        )

    def _hold_session(self, session: Session, ask: Callable[[Session], _Result]) -> _Result:
        """Return ask(session); the lock is held."""
        try:
            with self._switching:
                session.begin()
                self._running = session
            return ask(session)
        finally:
            self._running = None

    def _wait_for_session(self, session: Session, ask: Callable[[Session], _Result]) -> _Result:
        """Return ask(session) once no other call is at work, waited for up to the deadline."""
        with interrupts.deferred() as safe_moment:
            held = False
            try:
                left = math.inf
                while not held and left > 0:
                    left = session.deadline - time.perf_counter()
                    held = self._alone.acquire(timeout=max(0.0, min(left, _LOOK)))
                    safe_moment()
                if not held:
                    raise SearchStopped(*session.score_range())
                return safe_moment.interruptible(lambda: self._hold_session(session, ask))
            finally:
                if held:
                    self._alone.release()
