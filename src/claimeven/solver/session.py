"""One call of a search at work: slices of the kernel, the clock, threads, bounds on the way.

Kernels run in slices, so that Ctrl-C, `stop`, limits and progress reports are seen to in between;
a paused search goes on exactly where it stood, so where it pauses changes nothing. Threads share
the transposition table. One hard position is searched by all threads together: each runs the same
windows with a slightly different order of moves, profits from what the others have put into the
table, and drops a window that another one has settled.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.compiled import Int
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.parallel.threads import run_in_threads
from claimeven.solver import kernel, layout
from claimeven.solver.errors import SearchStopped
from claimeven.solver.progress import OnProgress, SolveProgress
from claimeven.solver.scores import win_score

#: Nodes of a search before further threads join in: a few milliseconds.
ALONE_NODES = 20_000
#: Nodes of a slice without a deadline, a tenth of a second or so.
SLICE_NODES = 500_000
#: Nodes of the shortest slice before a deadline, well under a millisecond.
LEAST_SLICE = 100
#: Seconds that a slice before a deadline should take at most, and its share of the time left.
SLICE_SECONDS, SLICE_SHARE = 0.004, 0.5
#: Nodes a second that a thread is taken to visit before it was measured: few, so that first
#: slices are short.
FIRST_RATE = 500_000.0
#: Positions that a thread takes at a time in bulk work, at most; fewer towards the end, so that no
#: thread is left with many while the others have none.
BATCH = 64
_UNLIMITED = 1 << 62

Scores = npt.NDArray[np.int64]
Boards = npt.NDArray[np.uint64]


Solved = Callable[[int, int], None]


class Child(NamedTuple):
    """The position after a column, unfinished, and the least it can be worth, None if not known."""

    column: int
    position: Position
    floor: int | None


class SearchThread:
    """The arrays of one thread, and the speed it had last, in nodes a second."""

    def __init__(self, geometry: Geometry, entries: Boards, bucket_bits: int, number: int) -> None:
        self.work = layout.Work(
            layout.search_setup(geometry, bucket_bits, number),
            entries,
            np.zeros(layout.STACK, dtype=np.uint64),
            np.zeros(layout.CONTROLS, dtype=np.int64),
            np.zeros(layout.SHARED, dtype=np.int64),
        )
        self.control, self.shared = self.work.control, self.work.shared
        self.rate = FIRST_RATE

    @property
    def nodes(self) -> int:
        """Nodes visited since the worker was made."""
        return int(self.control[layout.NODES])


class Session:
    """A call that has the workers and the table to itself, from `begin` on, under its limits.

    `deadline` is a moment of `time.perf_counter`, infinity for none. Methods may be called any
    number of times; once the session `is_over` they answer only what takes no node, and otherwise
    raise `SearchStopped`.
    """

    def __init__(
        self,
        geometry: Geometry,
        workers: list[SearchThread],
        deadline: float = math.inf,
        nodes: int | None = None,
    ) -> None:
        self.geometry = geometry
        self.workers = workers
        self.deadline = deadline
        self.is_stopped = False
        self._most_nodes = _UNLIMITED if nodes is None else nodes
        self._nodes_before = 0
        self._began = 0.0
        self._threads: set[int] = set()

    def begin(self) -> None:
        """Take the workers over."""
        self._began = time.perf_counter()
        self._threads.add(threading.get_ident())
        self._nodes_before = sum(worker.nodes for worker in self.workers)
        for worker in self.workers:
            worker.shared[layout.STOP] = 0

    def stop(self) -> None:
        """End the session as soon as the kernels see it: within a millisecond or so."""
        self.is_stopped = True
        for worker in self.workers:
            worker.shared[layout.STOP] = 1

    @property
    def nodes(self) -> int:
        """Nodes visited in this session."""
        return sum(worker.nodes for worker in self.workers) - self._nodes_before

    @property
    def seconds(self) -> float:
        """Wall-clock time since the session began."""
        return time.perf_counter() - self._began

    @property
    def is_over(self) -> bool:
        """Whether the session was stopped, or has used up its time or its nodes."""
        return (
            self.is_stopped
            or self.nodes >= self._most_nodes
            or time.perf_counter() >= self.deadline
        )

    def is_of_this_thread(self) -> bool:
        """Whether the thread that asks is one of those at work in this session."""
        return threading.get_ident() in self._threads

    def score_range(self, floor: int | None = None, ceiling: int | None = None) -> tuple[int, int]:
        """Return `floor` and `ceiling`, the least and the greatest score where they are None."""
        most = win_score(self.geometry, 0)
        return (-most if floor is None else floor, most if ceiling is None else ceiling)

    def score(
        self,
        mine: int,
        mask: int,
        *,
        floor: int | None = None,
        ceiling: int | None = None,
        on_progress: OnProgress = None,
        done: int = 0,
        total: int = 1,
    ) -> int:
        """Return the score of a position, cut off to `floor`..`ceiling` if they are given.

        Raises `SearchStopped` if the session ends first; its bounds, and the bounds in progress
        reports, are cut off too.
        """
        low, high = self.score_range(floor, ceiling)
        leader = self.workers[0]
        shared = leader.shared
        self._start(leader, low, high)
        mine_word, mask_word = np.uint64(mine), np.uint64(mask)
        results: list[int] = []

        def search(worker: SearchThread, size: int = SLICE_NODES) -> bool:
            """Search on for some nodes; whether there is no more to do."""
            arrays = worker.work._replace(shared=shared)
            result = self._slice(
                worker, lambda: kernel.solve(arrays, mine_word, mask_word, low, high), size
            )
            if result != kernel.PAUSED:
                results.append(result)
            return bool(results) or self.is_stopped

        def work(number: int) -> None:
            worker = self.workers[number]
            if number:
                worker.control[layout.RESUME] = 0
                for slot in (layout.STEP, layout.GUESS):
                    worker.control[slot] = leader.control[slot]
            while not search(worker):
                if number == 0:
                    self._report(on_progress, worker, done, total)

        alone_until = leader.nodes + ALONE_NODES
        while not search(leader, ALONE_NODES):
            if leader.nodes >= alone_until:
                shared[layout.MARKS :] = 0
                shared[layout.TOGETHER] = len(self.workers) > 1
                self._together(work)
                break
        if not results:
            raise SearchStopped(int(shared[layout.LOW]), int(shared[layout.HIGH]))
        return results[0]

    def score_children(
        self, children: Sequence[Child], solved: Solved, on_progress: OnProgress = None
    ) -> None:
        """Score children, most of them or all, each thread at one of its own, with
        `solved(column, score)`.

        That shares the work better than all threads at one column do, as long as there are columns
        for all. The first thread works alone until it is clear that there is enough to do for more.
        Towards the end, when a thread finds none left to take, those in work are laid aside, for
        all threads together: they go on quickly, since the results so far are in the table. Those
        that are not solved are laid aside, or the session was ended.
        """
        waiting, lock = iter(children), threading.Lock()
        is_idle, done = False, 0

        def take(worker: SearchThread) -> Child | None:
            """Return the next child, ready to be searched by a worker; None if there is none."""
            nonlocal is_idle
            with lock:
                child = next(waiting, None)
                is_idle = child is None and len(self.workers) > 1
            if child is not None:
                self._start(worker, *self.score_range(child.floor))
            return child

        def search(worker: SearchThread, child: Child, must_end: Callable[[], bool]) -> bool:
            """Search on in slices until a child is solved; False if that was not to be."""
            nonlocal done
            low, high = self.score_range(child.floor)
            mine, mask = np.uint64(child.position.mine), np.uint64(child.position.mask)
            while True:
                score = self._slice(
                    worker, lambda: kernel.solve(worker.work, mine, mask, low, high), ALONE_NODES
                )
                if score != kernel.PAUSED:
                    with lock:
                        done += 1
                        solved(child.column, score)
                    return True
                if self.is_stopped:
                    return False
                if worker is leader:
                    self._report(on_progress, worker, done, len(children))
                if must_end():
                    return False

        leader = self.workers[0]
        alone_until = leader.nodes + ALONE_NODES
        first = take(leader)
        while first and search(leader, first, lambda: leader.nodes >= alone_until):
            first = take(leader)

        def work(number: int) -> None:
            worker = self.workers[number]
            child = first if number == 0 else take(worker)
            while child and search(worker, child, lambda: is_idle):
                child = take(worker)

        if first and not self.is_stopped:
            self._together(work)

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
        """Return scores and nodes of many positions; see `ExactSearch.score_many`."""
        total = len(mines)
        scores, nodes = np.zeros((2, total), dtype=np.int64)
        low, high = self.score_range(floor, ceiling)
        parts = _parts(total, len(self.workers), 1 if solved is not None else BATCH)
        taking, telling = threading.Lock(), threading.Lock()
        done = [0] * len(self.workers)
        is_whole = [True] * len(self.workers)

        def solve_batch(worker: SearchThread, part: slice) -> bool:
            """Solve some positions; whether all of them were solved."""
            control = worker.control
            control[layout.DONE] = control[layout.RESUME] = 0
            while True:
                result = self._slice(
                    worker,
                    lambda: kernel.solve_many(
                        worker.work, mines[part], masks[part], low, high, scores[part], nodes[part]
                    ),
                )
                with telling:
                    self._report(on_progress, worker, sum(done) + int(control[layout.DONE]), total)
                if result != kernel.PAUSED:
                    return True
                if self.is_stopped:
                    return False

        def work(number: int) -> None:
            while True:
                with taking:
                    part = next(parts, None)
                if part is None:
                    return
                if not solve_batch(self.workers[number], part):
                    is_whole[number] = False
                    return
                done[number] += part.stop - part.start
                if solved is not None:
                    with telling:
                        solved(part.start, int(scores[part.start]))

        self._together(work)
        if not all(is_whole):
            raise SearchStopped(low, high)
        return scores, nodes

    # -- inside

    def _together(self, work: Callable[[int], None]) -> None:
        """Run work(n) for each worker n: number 0 here, the others in threads of their own.

        What one of them raises ends the session and is raised here, after all have come to rest.
        """

        def noted(number: int) -> None:
            self._threads.add(threading.get_ident())
            try:
                work(number)
            finally:
                if number:
                    self._threads.discard(threading.get_ident())

        run_in_threads(noted, len(self.workers), self.stop)

    def _start(self, worker: SearchThread, low: int, high: int) -> None:
        """Have a worker's next slice begin with a position whose score is `low` to `high`."""
        worker.control[layout.RESUME] = worker.control[layout.STEP] = 0
        worker.shared[layout.LOW], worker.shared[layout.HIGH] = low, high
        worker.shared[layout.TOGETHER] = 0

    def _slice(self, worker: SearchThread, call: Callable[[], Int], size: int = SLICE_NODES) -> int:
        """Return what a kernel answers that visits at most `size` nodes with a worker's arrays.

        A session that is over by then is stopped.
        """
        began = time.perf_counter()
        size = min(size, max(0, self._most_nodes - self.nodes))
        if self.is_stopped or began >= self.deadline:
            size = 0
        elif self.deadline < math.inf:
            seconds = min(SLICE_SECONDS, SLICE_SHARE * (self.deadline - began))
            size = min(size, max(LEAST_SLICE, int(seconds * worker.rate)))
        before = worker.nodes
        worker.control[layout.BUDGET] = before + size
        result = int(call())
        visited = worker.nodes - before
        if visited >= LEAST_SLICE:  # enough to measure how fast the worker is
            worker.rate = visited / max(1e-9, time.perf_counter() - began)
        if result == kernel.PAUSED and self.is_over:
            self.stop()
        return result

    def _report(self, on_progress: OnProgress, worker: SearchThread, done: int, total: int) -> None:
        if on_progress is not None:
            low, high = (int(worker.shared[slot]) for slot in (layout.LOW, layout.HIGH))
            rate = self.nodes / max(1e-9, self.seconds)
            on_progress(SolveProgress(self.nodes, rate, low, high, (), done, total))


def _parts(total: int, threads: int, most: int) -> Iterator[slice]:
    """Yield so many positions in parts for threads to take; one thread gets all it may at once.

    >>> [part.stop - part.start for part in _parts(20, 2, 64)]
    [5, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1]
    """
    start = 0
    while start < total:
        left = total - start
        share = left if threads == 1 and most > 1 else min(most, max(1, left // (2 * threads)))
        yield slice(start, start + share)
        start += share
