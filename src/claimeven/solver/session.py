"""One call of a search: slices of the kernel, the clock, threads and bounds.

Kernels run in slices; between slices the session handles Ctrl-C, `stop`, limits and progress
reports. A paused search resumes exactly, so pauses do not change results. Threads share the
transposition table. All threads search a single hard position together: each runs the same windows
with a slightly different order of moves, uses the table entries of the others, and drops a window
that another thread has settled. A guide, if any, is asked for the score of a position after `SHORT`
nodes of its search; the windows then start at its guess.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from claimeven.compiled import Int, Ints
from claimeven.compiled.wide import words_of
from claimeven.game.batch import disc_counts
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.parallel.interrupts import run_in_threads
from claimeven.solver import kernel, layout
from claimeven.solver.call_kernel import SHORT
from claimeven.solver.errors import InvalidSolve, SearchStopped
from claimeven.solver.progress import OnProgress, SolveProgress
from claimeven.solver.protocols import Guide
from claimeven.solver.scores import win_score
from claimeven.solver.search_thread import (
    UNLIMITED,
    ChildTask,
    Scores,
    SearchThread,
    first_alpha,
    parts_for,
)

#: Nodes of a search before other threads join: a few milliseconds.
SOLO_NODES = 20_000
#: Nodes of a slice without a deadline, about a tenth of a second.
SLICE_NODES = 500_000
#: Nodes of the shortest slice before a deadline, well under a millisecond.
MIN_SLICE = 100
#: The greatest time of a slice before a deadline, in seconds and as a share of the time left.
SLICE_SECONDS, SLICE_SHARE = 0.004, 0.5
#: The most positions that a thread takes in one step; fewer at the end, so all end together.
BATCH = 64
#: The fewest empty cells of a position that a guide is asked for: others take few nodes.
GUIDED_EMPTY = 28

Boards = npt.NDArray[np.uint64]
OnSolved = Callable[[int, int], None]


class Session:
    """A call with exclusive use of the threads and the table, from `start` on, within limits.

    `deadline` is a time of `time.perf_counter`, or infinity. Methods may be called repeatedly; once
    the session `is_over` they raise `SearchStopped` if the result needs a search.
    """

    def __init__(
        self,
        geometry: Geometry,
        workers: list[SearchThread],
        deadline: float = math.inf,
        nodes: int | None = None,
        guide: Guide | None = None,
    ) -> None:
        self.geometry = geometry
        self.guide = guide
        self.workers = workers
        self.deadline = deadline
        self.is_stopped = False
        self.is_limited: bool = nodes is not None or deadline < math.inf
        self._node_limit = UNLIMITED if nodes is None else nodes
        #: Whether the next search of the first thread continues a paused one.
        self.continues = False
        self._nodes_before = 0
        self._start_time = 0.0
        self._threads: set[int] = set()

    def start(self) -> None:
        """Reset the threads and start the clock."""
        self._start_time = time.perf_counter()
        self._threads.add(threading.get_ident())
        self._nodes_before = sum([worker.nodes for worker in self.workers])
        for worker in self.workers:
            worker.shared[layout.STOP] = 0

    def stop(self) -> None:
        """End the session when the kernels next check, within about a millisecond."""
        self.is_stopped = True
        for worker in self.workers:
            worker.shared[layout.STOP] = 1

    @property
    def nodes(self) -> int:
        """Nodes visited in this session."""
        return sum(worker.nodes for worker in self.workers) - self._nodes_before

    @property
    def seconds(self) -> float:
        """Wall-clock time since the start of the session."""
        return time.perf_counter() - self._start_time

    @property
    def is_over(self) -> bool:
        """Whether the session was stopped, or has used all its time or nodes."""
        return (
            self.is_stopped
            or self.nodes >= self._node_limit
            or time.perf_counter() >= self.deadline
        )

    def is_of_this_thread(self) -> bool:
        """Whether the calling thread is a thread of this session."""
        return threading.get_ident() in self._threads

    def score_range(self, floor: int | None = None, ceiling: int | None = None) -> tuple[int, int]:
        """Return `floor` and `ceiling`, with the least and the greatest score for None."""
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

        Raises `SearchStopped` if the session ends first. All bounds, also in reports, are cut off.
        """
        low, high = self.score_range(floor, ceiling)
        leader = self.workers[0]
        shared = leader.shared
        self._start(leader, low, high)
        if not self.is_limited:
            leader.control[layout.BUDGET] = leader.control[layout.NODES] + SHORT
            result = int(leader.solve(leader.arrays, mine, mask, low, high))
            if result != kernel.PAUSED:
                return result
        results: list[int] = []

        def search(worker: SearchThread, size: int = SLICE_NODES) -> bool:
            """Search for `size` nodes; return whether the search is done."""
            result = self._search(worker, shared, (mine, mask, low, high), size)
            if result != kernel.PAUSED:
                results.append(result)
            return bool(results) or self.is_stopped

        def work(number: int) -> None:
            worker = self.workers[number]
            if number:
                worker.guide_at = UNLIMITED
                worker.control[layout.RESUME] = 0
                for slot in (layout.STEP, layout.GUESS):
                    worker.control[slot] = leader.control[slot]
            while not search(worker):
                if number == 0:
                    self._report(on_progress, worker, done, total)

        alone_until = leader.nodes + SOLO_NODES
        while not search(leader, SOLO_NODES):
            if leader.nodes >= alone_until:
                shared[layout.MARKS :] = 0
                shared[layout.TOGETHER] = len(self.workers) > 1
                self._together(work)
                break
        if not results:
            raise SearchStopped(int(shared[layout.LOW]), int(shared[layout.HIGH]))
        return results[0]

    def score_children(
        self, children: Sequence[ChildTask], on_solved: OnSolved, on_progress: OnProgress = None
    ) -> None:
        """Score most or all children, a different one in each thread.

        `on_solved(column, score)` is called for each solved child. This shares the work better
        than all threads at one column, while there are enough columns. The first thread works
        alone until it is clear that the work is enough for more. When a thread finds no child left,
        the unfinished ones are put aside, for all threads together: they continue quickly, because
        their results so far are in the table.
        """
        waiting, lock = iter(children), threading.Lock()
        is_idle, done = False, 0

        def take(worker: SearchThread) -> ChildTask | None:
            """Return the next child, prepared for a thread; None if all are taken."""
            nonlocal is_idle
            with lock:
                child = next(waiting, None)
                is_idle = child is None and len(self.workers) > 1
            if child is not None:
                self._start(worker, *self.score_range(child.floor))
            return child

        def search(worker: SearchThread, child: ChildTask, must_end: Callable[[], bool]) -> bool:
            """Search in slices until a child is solved; return False if it was put aside."""
            nonlocal done
            task = (child.position.mine, child.position.mask, *self.score_range(child.floor))
            while True:
                score = self._search(worker, worker.shared, task, SOLO_NODES)
                if score != kernel.PAUSED:
                    with lock:
                        done += 1
                        on_solved(child.column, score)
                    return True
                if self.is_stopped:
                    return False
                if worker is leader:
                    self._report(on_progress, worker, done, len(children))
                if must_end():
                    return False

        leader = self.workers[0]
        alone_until = leader.nodes + SOLO_NODES
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
        on_solved: OnSolved | None = None,
    ) -> tuple[Scores, Scores]:
        """Return scores and nodes of many positions; see `ExactSearch.score_many`."""
        total, bits = len(mines), self.geometry.bits
        mine_words, mask_words = words_of(mines, bits), words_of(masks, bits)
        scores, nodes = np.zeros((2, total), dtype=np.int64)
        low, high = self.score_range(floor, ceiling)
        parts = parts_for(total, len(self.workers), 1 if on_solved is not None else BATCH)
        part_lock, report_lock = threading.Lock(), threading.Lock()
        done = [0] * len(self.workers)

        def solve_batch(worker: SearchThread, part: slice, before: int = 0) -> None:
            """Solve some positions, after `before` others of a part."""
            arrays, control = worker.arrays, worker.control
            control[layout.DONE] = control[layout.RESUME] = 0
            while True:
                result = self._slice(
                    worker,
                    lambda: worker.solve_many(
                        *(arrays, mine_words[part], mask_words[part]),
                        *(low, high, scores[part], nodes[part]),
                    ),
                )
                with report_lock:
                    solved = sum(done) + before + int(control[layout.DONE])
                    self._report(on_progress, worker, solved, total)
                if result != kernel.PAUSED:
                    return
                if self.is_stopped:
                    raise SearchStopped(low, high)

        def solve_guided(worker: SearchThread, part: slice) -> None:
            """Solve some positions, singly those that the guide is asked for."""
            empty, start = self.geometry.cells - disc_counts(masks[part]), part.start
            for number in np.flatnonzero(empty >= GUIDED_EMPTY) + part.start:
                solve_batch(worker, slice(start, number), start - part.start)
                start, before, score = number + 1, worker.nodes, kernel.PAUSED
                self._start(worker, low, high)
                while score == kernel.PAUSED:
                    if self.is_stopped:
                        raise SearchStopped(low, high)
                    task = (int(mines[number]), int(masks[number]), low, high)
                    score = self._search(worker, worker.shared, task, SLICE_NODES)
                scores[number], nodes[number] = score, worker.nodes - before
            solve_batch(worker, slice(start, part.stop), start - part.start)

        solve = solve_batch if self.guide is None else solve_guided

        def work(number: int) -> None:
            while True:
                with part_lock:
                    part = next(parts, None)
                if part is None:
                    return
                solve(self.workers[number], part)
                done[number] += part.stop - part.start
                if on_solved is not None:
                    with report_lock:
                        on_solved(part.start, int(scores[part.start]))

        self._together(work)
        return scores, nodes

    # -- inside

    def _together(self, work: Callable[[int], None]) -> None:
        """Run work(n) in each thread n, 0 in this one; raise an exception of one at the end."""

        def run_tracked(number: int) -> None:
            self._threads.add(threading.get_ident())
            try:
                work(number)
            finally:
                if number:
                    self._threads.discard(threading.get_ident())

        run_in_threads(run_tracked, len(self.workers), self.stop)

    def _start(self, worker: SearchThread, low: int, high: int) -> None:
        """Let the next slice of a thread start a position whose score is `low` to `high`."""
        if self.guide is not None:
            worker.guide_at = worker.nodes + SHORT
        if self.continues:
            self.continues = False
            return
        worker.control[layout.RESUME] = worker.control[layout.STEP] = 0
        worker.shared[layout.LOW], worker.shared[layout.HIGH] = low, high
        worker.shared[layout.TOGETHER] = 0

    def _search(
        self, worker: SearchThread, shared: Ints, task: tuple[int, int, int, int], size: int
    ) -> int:
        """Search a position for at most `size` nodes; ask the guide after `SHORT` nodes.

        `task` is the position, mine and mask, and the least and the greatest score.
        """
        mine, mask, low, high = task
        if self.guide is not None and worker.nodes >= worker.guide_at:
            worker.guide_at = UNLIMITED
            self._ask(self.guide, worker, Position.unchecked(self.geometry, mine, mask))
        size = SHORT if worker.guide_at < UNLIMITED else size
        arrays = worker.arrays._replace(shared=shared)
        return self._slice(worker, lambda: worker.solve(arrays, mine, mask, low, high), size)

    def _ask(self, guide: Guide, worker: SearchThread, position: Position) -> None:
        """Let the windows of a paused search continue at a guess of the score."""
        control, width = worker.control, worker.shared[layout.HIGH] - worker.shared[layout.LOW]
        # A floor is often the score, and a single window that is left is searched anyway.
        is_at_floor = control[layout.STEP] == kernel.AT_FLOOR and width > kernel.FAR_APART
        if width == 1 or is_at_floor or self.geometry.cells - position.ply < GUIDED_EMPTY:
            return
        guess = guide.guess(position)
        if guess is not None:
            guess = whole_number(guess, "the guess of a guide", InvalidSolve)
            control[layout.GUESS] = first_alpha(guess, self.score_range()[1])
            # The next window starts: the table has the results of the paused one.
            control[layout.STEP], control[layout.RESUME] = kernel.FAR_HIGH + 1, 0

    def _slice(self, worker: SearchThread, call: Callable[[], Int], size: int = SLICE_NODES) -> int:
        """Return the result of a kernel for at most `size` nodes, stopped with the session."""
        start_time = time.perf_counter()
        size = min(size, max(0, self._node_limit - self.nodes))
        if self.is_stopped or start_time >= self.deadline:
            size = 0
        elif self.deadline < math.inf:
            seconds = min(SLICE_SECONDS, SLICE_SHARE * (self.deadline - start_time))
            size = min(size, max(MIN_SLICE, int(seconds * worker.rate)))
        before = worker.nodes
        worker.control[layout.BUDGET] = before + size
        result = int(call())
        visited = worker.nodes - before
        if visited >= MIN_SLICE:  # enough to measure the speed
            worker.rate = visited / max(1e-9, time.perf_counter() - start_time)
        if result == kernel.PAUSED:
            # A `stop` may have been meant for the session before.
            for each in self.workers:
                each.shared[layout.STOP] = 0
            if self.is_over:
                self.stop()
        return result

    def _report(self, on_progress: OnProgress, worker: SearchThread, done: int, total: int) -> None:
        if on_progress is not None:
            low, high = (int(worker.shared[slot]) for slot in (layout.LOW, layout.HIGH))
            rate = self.nodes / max(1e-9, self.seconds)
            on_progress(SolveProgress(self.nodes, rate, low, high, (), done, total))
