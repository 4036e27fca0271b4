"""The source `all`: every position of some plies, whose scores a book or the solver knows.

Only the positions of one ply beyond are looked up or solved; all others follow (see `layered`).
What is solved goes to a journal, so work that was ended goes on where it was. Where a book holds
the ply beyond there is none, and a data set is a matter of seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from claimeven.atomic_io import binary_file, binary_files
from claimeven.book.enumerate import Keys, Scores
from claimeven.dataset.config import DatasetPlan
from claimeven.dataset.files import check_target, write_blocks
from claimeven.dataset.journal import Journal, journal_path
from claimeven.dataset.progress import DatasetProgress, Made, held_out_path
from claimeven.dataset.retrograde import AllPositions, keys_by_ply
from claimeven.dataset.row_batches import Block
from claimeven.dataset.rows import field_names
from claimeven.dataset.split import is_for_training
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.solver.protocols import MISSING
from claimeven.solver.scores import score_range
from claimeven.solver.solver import Solver

#: Positions solved between two writes to the journal: the first time, and at most.
_BATCH, _MOST_AT_ONCE = 16, 1 << 14
#: Seconds a batch should take: as much is lost by a kill.
_BATCH_SECONDS = 0.5
#: Fields of the journal.
_SOLVED = ("key", "score")

_Report = Callable[[DatasetProgress], None]


def make_all(
    path: Path,
    plan: DatasetPlan,
    solver: Solver,
    progress: _Report | None = None,
    *,
    split: float | None = None,
) -> Made:
    """Write every position of a plan's plies; as `make_dataset`."""
    begin = time.perf_counter()
    check_target(path)

    def tell(what: str, done: int, total: int, resumed: int = 0) -> None:
        if progress is not None:
            seconds = time.perf_counter() - begin
            nodes = solver.statistics.nodes
            progress(DatasetProgress(done, total, resumed, seconds, nodes, what))

    keys = keys_by_ply(plan)
    last, ply = keys[-1], plan.highest + 1
    scores = np.full(len(last), MISSING, dtype=np.int8)
    if solver.book is not None and ply <= solver.book.plies:
        scores = solver.book.look_up_many(last, np.full(len(last), ply))
    if not (scores == MISSING).any() and not journal_path(path).exists():
        return _write(path, plan, AllPositions(plan, keys, scores), tell, split)
    with Journal(path, plan.header(), _SOLVED) as journal:
        _take_up(journal, last, scores, score_range(plan.geometry, ply))
        _solve(journal, last, scores, solver, lambda *counts: tell("positions solved", *counts))
        made = _write(path, plan, AllPositions(plan, keys, scores), tell, split)
        journal.done()
    return made


def _take_up(journal: Journal, keys: Keys, scores: Scores, within: tuple[int, int]) -> None:
    """Fill in the scores that an earlier run found."""
    kind = [("key", np.uint64), ("score", np.int8)]
    try:
        found = np.fromiter(((key, score) for key, score in journal.take_up()), dtype=kind)
    except (OverflowError, TypeError):
        raise journal.damaged() from None
    places = np.minimum(np.searchsorted(keys, found["key"]), max(len(keys) - 1, 0))
    low, high = within
    wrong = (keys[places] != found["key"]) if len(keys) else np.ones(len(found), dtype=np.bool_)
    wrong |= (found["score"] < low) | (found["score"] > high)
    if wrong.any():
        raise journal.damaged(int(np.argmax(wrong)))
    scores[places] = found["score"]


def _solve(
    journal: Journal, keys: Keys, scores: Scores, solver: Solver, tell: Callable[..., None]
) -> None:
    """Fill in the scores that are missing."""
    left = np.flatnonzero(scores == MISSING)
    known = len(keys) - len(left)
    batch, done = _BATCH, 0
    while done < len(left):
        begin = time.perf_counter()
        places = left[done : done + batch]
        scores[places] = solver.score_many(discs_of_keys(keys[places], solver.geometry))
        cells = zip(keys[places].tolist(), scores[places].tolist(), strict=True)
        journal.append(enumerate(cells, journal.count))
        done += len(places)
        tell(known + done, len(keys), known)
        seconds = time.perf_counter() - begin
        if seconds < _BATCH_SECONDS / 2:
            batch = min(2 * batch, _MOST_AT_ONCE)
        elif seconds > _BATCH_SECONDS:
            batch = max(batch // 2, 1)


def _write(
    path: Path,
    plan: DatasetPlan,
    found: AllPositions,
    tell: Callable[..., None],
    split: float | None,
) -> Made:
    """Write the rows."""
    fields, header, total = field_names(plan.geometry), plan.header(), len(found)

    def told(blocks: Iterator[Block]) -> Iterator[Block]:
        done = 0
        for block in blocks:
            yield block
            done += len(block)
            tell("positions written", done, total)

    if split is None:
        with binary_file(path) as stream:
            write_blocks(stream, path.suffix, fields, told(found.blocks()), plan.geometry, header)
        return Made(total)
    counts = [0, 0]

    def of_side(training: bool) -> Iterator[Block]:
        for block in told(found.blocks()):
            sides = is_for_training(block.games, split, plan.seed)
            picked = block.picked(sides == training)
            counts[training] += len(picked)
            yield picked

    other, header = held_out_path(path), {**header, "split": split}
    with binary_files(path, other) as streams:
        for stream, is_training in zip(streams, (True, False), strict=True):
            write_blocks(stream, path.suffix, fields, of_side(is_training), plan.geometry, header)
    return Made(counts[True], counts[False], other)
