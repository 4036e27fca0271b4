"""The solver at work: one board, one table, one or more threads, positions as plain integers.

Kernels run in slices, so that Ctrl-C, a node budget and progress reports are seen to in between;
a paused search goes on exactly where it stood. Threads share the table. One hard position is
searched by all threads together: each runs the same windows with a slightly different order of
moves, profits from what the others have put into the table, and drops a window that another one
has settled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from claimeven.compiled import load
from claimeven.game import tactics
from claimeven.game.geometry import Geometry
from claimeven.solver import kernel, null_window
from claimeven.solver.layout import search_words
from claimeven.solver.transpositions import BUCKET_BITS, ENTRY_BYTES, bucket_bits_for, new_entries

#: Nodes of a search before further threads join in: a few milliseconds.
ALONE_NODES = 20_000
#: Nodes of a slice, a tenth of a second or so.
SLICE_NODES = 500_000
#: Positions that a thread takes at a time in bulk work.
BATCH = 64
_UNLIMITED = 1 << 62

Scores = npt.NDArray[np.int64]
Boards = npt.NDArray[np.uint64]


class SearchStopped(Exception):
    """A search was stopped before its result was known.

    `low` and `high` are the bounds found for the position searched last, its side to move's view.
    """

    def __init__(self, low: int, high: int) -> None:
        super().__init__(f"the search was stopped; the score is {low} to {high}")
        self.low = low
        self.high = high


@dataclass(frozen=True)
class Progress:
    """What a running search knows: nodes of this call, bounds of the position it is at.

    `done` of `total` positions (or columns) are finished.
    """

    nodes: int
    low: int
    high: int
    done: int = 0
    total: int = 1


Report = Callable[[Progress], None]
Solved = Callable[[int, int], None]


class Worker:
    """The private arrays of one thread."""

    def __init__(self, geometry: Geometry, bucket_bits: int, number: int) -> None:
        self.words = search_words(geometry, bucket_bits, number)
        self.stack = np.zeros(kernel.STACK, dtype=np.uint64)
        self.control = np.zeros(kernel.CONTROLS, dtype=np.int64)
        self.shared = np.zeros(kernel.SHARED, dtype=np.int64)

    @property
    def nodes(self) -> int:
        """Nodes visited since the worker was made."""
        return int(self.control[kernel.NODES])


class ExactSearch:
    """Exact scores on one board.

    `table_mb` is the size of the table in units of 2**20 bytes, rounded down to a power of two
    (and up to the least that can hold this board's keys); `threads` work together. Positions
    are given as `mine` (discs of the side to move) and `mask` (all discs) and are not checked;
    nobody may have a line yet. Scores are seen from the side to move.
    Raises `InvalidGeometry` for boards of more than 64 bits.

    >>> ExactSearch(Geometry(4, 4, 3), table_mb=1).score(0, 0)
    4
    """

    def __init__(self, geometry: Geometry, table_mb: float = 128, threads: int = 1) -> None:
        if table_mb <= 0:
            raise ValueError(f"a table needs more than {table_mb} MB")
        if threads < 1:
            raise ValueError(f"a solver needs at least 1 thread, not {threads}")
        self.geometry = geometry
        self.bucket_bits = bucket_bits_for(geometry, table_mb)
        self.workers = [Worker(geometry, self.bucket_bits, n) for n in range(threads)]
        self.entries = new_entries(self.bucket_bits)
        self._stopping = False

    @property
    def table_bytes(self) -> int:
        """Size of the table."""
        return ENTRY_BYTES << (self.bucket_bits + BUCKET_BITS)

    @property
    def nodes(self) -> int:
        """Nodes visited by all threads since the engine was made."""
        return sum(worker.nodes for worker in self.workers)

    def load(self) -> None:
        """Compile the search, or load it from the cache, before a clock starts."""
        load(null_window.solve)

    def clear(self) -> None:
        """Forget everything in the table."""
        self.entries.fill(0)

    def stop(self) -> None:
        """Make the search that is running in another thread raise `SearchStopped` soon."""
        self._stopping = True
        for worker in self.workers:
            worker.shared[kernel.STOP] = 1

    def score(
        self,
        mine: int,
        mask: int,
        *,
        floor: int | None = None,
        ceiling: int | None = None,
        nodes: int | None = None,
        progress: Report | None = None,
    ) -> int:
        """Return the score of a position, cut off to `floor`..`ceiling` if they are given.

        Raises `SearchStopped` when more than `nodes` nodes would be needed, or after `stop`.
        """
        self._begin()
        limit = _UNLIMITED if nodes is None else self.nodes + nodes
        return self._score(mine, mask, floor, ceiling, limit, self._reporter(progress, 1))

    def outcome(self, mine: int, mask: int, *, nodes: int | None = None) -> int:
        """Return 1, 0 or -1: the side to move wins, draws or loses. Cheaper than the score."""
        return self.score(mine, mask, floor=-1, ceiling=1, nodes=nodes)

    def scores(
        self,
        mine: int,
        mask: int,
        *,
        nodes: int | None = None,
        progress: Report | None = None,
    ) -> list[int | None]:
        """Return the score of every column for the side to move, None where it is full."""
        self._begin()
        geometry = self.geometry
        limit = _UNLIMITED if nodes is None else self.nodes + nodes
        playable = tactics.playable_cells(mask, geometry)
        wins = tactics.winning_cells(mine, mask, geometry)
        report = self._reporter(progress, playable.bit_count())
        scores: list[int | None] = [None] * geometry.columns
        done = 0
        for column in geometry.centre_order:
            move = playable & geometry.column_mask(column)
            if move & wins:
                scores[column] = (geometry.cells + 1 - mask.bit_count()) // 2
            elif move:
                theirs = mine ^ mask
                scores[column] = -self._score(theirs, mask | move, None, None, limit, report, done)
            done += bool(move)
        return scores

    def score_many(
        self,
        mines: Boards,
        masks: Boards,
        *,
        floor: int | None = None,
        ceiling: int | None = None,
        progress: Report | None = None,
        solved: Solved | None = None,
    ) -> tuple[Scores, Scores]:
        """Return the scores of many positions and the nodes that each took, two int64 arrays.

        Each thread takes positions of its own. `solved(number, score)` is told of each position
        as soon as its score is known, one call at a time, in the order in which they come.
        Raises `SearchStopped` after `stop`.
        """
        self._begin()
        total = len(mines)
        scores, nodes = np.zeros((2, total), dtype=np.int64)
        low, high = self._range(floor, ceiling)
        batch = total if len(self.workers) == 1 else BATCH
        if solved is not None:
            batch = 1
        starts = iter(range(0, total, max(1, batch)))
        taking = threading.Lock()
        report = self._reporter(progress, total)
        done = [0] * len(self.workers)

        def work(number: int) -> None:
            worker = self.workers[number]
            while not self._stopping:
                with taking:
                    start = next(starts, None)
                if start is None:
                    return
                part = slice(start, start + batch)
                self._solve_batch(
                    worker,
                    mines[part],
                    masks[part],
                    low,
                    high,
                    scores[part],
                    nodes[part],
                    lambda: report(worker, sum(done) + int(worker.control[kernel.DONE])),
                )
                done[number] += min(batch, total - start)
                if solved is not None and not self._stopping:
                    with taking:
                        solved(start, int(scores[start]))

        self._together(work)
        if self._stopping:
            raise SearchStopped(low, high)
        return scores, nodes

    # -- inside

    def _begin(self) -> None:
        self._stopping = False
        for worker in self.workers:
            worker.shared[kernel.STOP] = 0

    def _range(self, floor: int | None, ceiling: int | None) -> tuple[int, int]:
        most = (self.geometry.cells + 1) // 2
        return (-most if floor is None else floor, most if ceiling is None else ceiling)

    def _reporter(self, progress: Report | None, total: int) -> Callable[[Worker, int], None]:
        before = self.nodes

        def report(worker: Worker, done: int) -> None:
            if progress is not None:
                low, high = (int(worker.shared[slot]) for slot in (kernel.LOW, kernel.HIGH))
                progress(Progress(self.nodes - before, low, high, done, total))

        return report

    def _together(self, work: Callable[[int], None]) -> None:
        """Run work(n) for each worker n: number 0 here, the others in threads of their own."""
        failures: list[BaseException] = []

        def guarded(number: int) -> None:
            try:
                work(number)
            except BaseException as failure:
                failures.append(failure)
                self.stop()

        helpers = [
            threading.Thread(target=guarded, args=(number,), daemon=True)
            for number in range(1, len(self.workers))
        ]
        for helper in helpers:
            helper.start()
        try:
            work(0)
        except BaseException:
            self.stop()
            raise
        finally:
            for helper in helpers:
                helper.join()
        if failures:
            raise failures[0]

    def _score(
        self,
        mine: int,
        mask: int,
        floor: int | None,
        ceiling: int | None,
        limit: int,
        report: Callable[[Worker, int], None],
        done: int = 0,
    ) -> int:
        low, high = self._range(floor, ceiling)
        leader = self.workers[0]
        shared = leader.shared
        shared[kernel.LOW], shared[kernel.HIGH] = low, high
        shared[kernel.TOGETHER] = 0
        leader.control[kernel.RESUME] = leader.control[kernel.STEP] = 0
        mine_word, mask_word = np.uint64(mine), np.uint64(mask)
        results: list[int] = []

        def slice_of(worker: Worker, size: int) -> bool:
            """Search on for some nodes; whether the score is known."""
            room = limit - self.nodes
            worker.control[kernel.BUDGET] = worker.nodes + max(0, min(size, room))
            result = int(
                null_window.solve(
                    worker.words,
                    self.entries,
                    worker.stack,
                    worker.control,
                    shared,
                    mine_word,
                    mask_word,
                    low,
                    high,
                )
            )
            if result != kernel.PAUSED:
                results.append(result)
            elif room <= 0 or self._stopping:
                self._stopping = True
                shared[kernel.STOP] = 1
            return result != kernel.PAUSED

        def work(number: int) -> None:
            worker = self.workers[number]
            if number:
                worker.control[kernel.RESUME] = 0
                for slot in (kernel.STEP, kernel.GUESS):
                    worker.control[slot] = leader.control[slot]
            while not (slice_of(worker, SLICE_NODES) or results or self._stopping):
                if number == 0:
                    report(worker, done)

        if not slice_of(leader, ALONE_NODES) and not self._stopping:
            shared[kernel.MARKS :] = 0
            shared[kernel.TOGETHER] = len(self.workers) > 1
            self._together(work)
        if not results:
            raise SearchStopped(int(shared[kernel.LOW]), int(shared[kernel.HIGH]))
        return results[0]

    def _solve_batch(
        self,
        worker: Worker,
        mines: Boards,
        masks: Boards,
        low: int,
        high: int,
        scores: Scores,
        nodes: Scores,
        report: Callable[[], None],
    ) -> None:
        control = worker.control
        control[kernel.DONE] = control[kernel.RESUME] = 0
        while True:
            control[kernel.BUDGET] = worker.nodes + SLICE_NODES
            result = null_window.solve_many(
                worker.words,
                self.entries,
                worker.stack,
                control,
                worker.shared,
                mines,
                masks,
                low,
                high,
                scores,
                nodes,
            )
            report()
            if result != kernel.PAUSED or self._stopping:
                return
