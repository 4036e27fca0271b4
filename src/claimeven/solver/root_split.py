"""The columns of one position by several threads, each at a column of its own.

That shares the work better than all threads at one column do, as long as there are columns for all.
Towards the end, when a thread finds none left to take, those in work are laid aside: searched by
all threads together they go on quickly, since what was found of them stands in the table.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from claimeven.game.position import Position
from claimeven.solver import kernel, layout
from claimeven.solver.protocols import MISSING, OpeningBook
from claimeven.solver.session import ALONE_NODES, Progress, Report, Solved, Turn, Worker


class Child(NamedTuple):
    """The position after a column, unfinished, and the least it can be worth, None if not known."""

    column: int
    position: Position
    floor: int | None


def score_apart(
    turn: Turn, children: Sequence[Child], solved: Solved, progress: Report | None = None
) -> None:
    """Score children, most of them or all: `solved(column, score)` is told of each.

    The first thread works alone until it is clear that there is enough to do for more. Those that
    are not told of are left to be searched together, or the turn was ended.
    """
    _Parting(turn, children, solved, progress).run()


class _Parting:
    """The children and who is at work on them."""

    def __init__(
        self, turn: Turn, children: Sequence[Child], solved: Solved, progress: Report | None
    ) -> None:
        self.turn = turn
        self.children = children
        self.solved = solved
        self.progress = progress
        self.taken = 0
        self.done = 0
        self.is_idle = False
        self.taking = threading.Lock()

    def run(self) -> None:
        leader = self.turn.workers[0]
        alone_until = leader.nodes + ALONE_NODES
        number = self.take()
        while number is not None:
            if not self.search(leader, number, lambda: leader.nodes >= alone_until):
                break
            number = self.take()
        if number is None or self.turn.is_stopped:
            return
        self.turn.together(lambda worker: self.work(worker, number if worker == 0 else None))

    def take(self) -> int | None:
        """Return the number of the next child, None if there is none."""
        with self.taking:
            if self.taken == len(self.children):
                self.is_idle = self.taken > 0 and len(self.turn.workers) > 1
                return None
            self.taken += 1
            return self.taken - 1

    def work(self, worker: int, number: int | None) -> None:
        """Let a worker go on with the child it is at, and then take others."""
        if number is not None and not self.go_on(self.turn.workers[worker], number, self.must_end):
            return
        while (number := self.take()) is not None:
            if not self.search(self.turn.workers[worker], number, self.must_end):
                return

    def must_end(self) -> bool:
        """Whether a search is to be laid aside, because another thread has nothing to do."""
        return self.is_idle

    def search(self, worker: Worker, number: int, must_end: Callable[[], bool]) -> bool:
        """Search a child from its beginning; whether it was solved."""
        worker.control[layout.RESUME] = worker.control[layout.STEP] = 0
        low, high = self.turn.score_range(self.children[number].floor)
        worker.shared[layout.LOW], worker.shared[layout.HIGH] = low, high
        worker.shared[layout.TOGETHER] = 0
        return self.go_on(worker, number, must_end)

    def go_on(self, worker: Worker, number: int, must_end: Callable[[], bool]) -> bool:
        """Search on in slices until a child is solved; False if that was not to be."""
        turn, position = self.turn, self.children[number].position
        low, high = turn.score_range(self.children[number].floor)
        mine, mask = np.uint64(position.mine), np.uint64(position.mask)
        while True:
            score = turn.slice(
                worker, ALONE_NODES, lambda: kernel.solve(worker.work, mine, mask, low, high)
            )
            if score != kernel.PAUSED:
                with self.taking:
                    self.done += 1
                    self.solved(self.children[number].column, int(score))
                return True
            if turn.is_over:
                turn.stop()
                return False
            if worker is turn.workers[0]:
                self.tell(worker)
            if must_end():
                return False

    def tell(self, worker: Worker) -> None:
        if self.progress is not None:
            low, high = (int(worker.shared[slot]) for slot in (layout.LOW, layout.HIGH))
            self.progress(Progress(self.turn.nodes, low, high, self.done, len(self.children)))


def images_among(children: Mapping[int, Position], parent: Position) -> dict[int, int]:
    """Return for columns of a position that is its own mirror image which earlier one is alike."""
    if parent.mirror() != parent:
        return {}
    last, seen, images = parent.geometry.columns - 1, set[int](), {}
    for column in children:
        if last - column in seen:
            images[column] = last - column
        seen.add(column)
    return images


def column_floors(
    book: OpeningBook | None, children: Mapping[int, Position], known: int | None
) -> dict[int, int]:
    """Return the least that the positions after some columns can be worth, just behind a book.

    `known` is the score of the position before, None if the book does not hold it: then nothing is
    known. Each child may have been reached from several positions that the book holds, one for
    each disc on top of a column that the side which moved last has there; it is worth no less than
    minus any of these.
    """
    if book is None or known is None:
        return {}
    keys: list[int] = []
    columns: list[int] = []
    for column, child in children.items():
        theirs = child.mine ^ child.mask
        for each in range(child.geometry.columns):
            discs = child.mask & child.geometry.column_mask(each)
            top = 1 << discs.bit_length() >> 1
            if theirs & top:
                keys.append((theirs ^ top) + (child.mask ^ top))
                columns.append(column)
    plies = np.full(len(keys), next(iter(children.values())).ply - 1)
    found = book.look_up_many(np.array(keys, dtype=np.uint64), plies).tolist()
    floors = dict.fromkeys(children, -known)
    for column, score in zip(columns, found, strict=True):
        if score != MISSING:
            floors[column] = max(floors[column], -score)
    return floors
