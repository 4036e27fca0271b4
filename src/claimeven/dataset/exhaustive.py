"""The source `all`: every position of some plies.

Only the scores of the next ply are looked up or solved; all others follow (see `retrograde`).
Solved positions are stored in a journal, so interrupted work is resumed. If a book has the next
ply, no journal is needed, and a data set takes seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from claimeven.book.enumerate import Keys, Scores
from claimeven.dataset.config import DatasetPlan, DatasetProgress
from claimeven.dataset.files import DatasetResult, Lines, check_target, write_rows
from claimeven.dataset.journal import DatasetJournal, journal_path
from claimeven.dataset.retrograde import AllPositions, keys_by_ply
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.solver.protocols import MISSING
from claimeven.solver.scores import score_range
from claimeven.solver.solver import Solver

#: Positions solved between two writes to the journal: the first time, and at most.
_BATCH, _MAX_BATCH = 16, 1 << 14
#: Seconds that a batch should take, which a kill loses.
_BATCH_SECONDS = 0.5
#: Fields of the journal.
_SOLVED = ("key", "score")


def make_all(
    path: Path,
    plan: DatasetPlan,
    solver: Solver,
    on_progress: Callable[[DatasetProgress], None] | None = None,
    *,
    split: float | None = None,
) -> DatasetResult:
    """Write every position of a plan's plies; as `make_dataset`."""
    start = time.perf_counter()
    check_target(path)

    def report(what: str, done: int, total: int, resumed: int = 0) -> None:
        if on_progress is not None:
            seconds, nodes = time.perf_counter() - start, solver.statistics.nodes
            on_progress(DatasetProgress(done, total, resumed, seconds, nodes, what))

    def write() -> DatasetResult:
        found = AllPositions(plan, keys, scores)

        def lines() -> Iterator[Lines]:
            done = 0
            for games, rows in found.lines():
                yield games, rows
                done += len(rows)
                report("positions written", done, len(found))

        return write_rows(path, plan, lines, split)

    keys = keys_by_ply(plan)
    last, ply = keys[-1], plan.highest + 1
    scores = np.full(len(last), MISSING, dtype=np.int8)
    if solver.book is not None and ply <= solver.book.plies:
        scores = solver.book.look_up_many(last, np.full(len(last), ply))
    if not (scores == MISSING).any() and not journal_path(path).exists():
        return write()
    with closing(DatasetJournal(path, plan.header(), _SOLVED)) as journal:
        _restore(journal, last, scores, score_range(plan.geometry, ply))
        _solve(journal, last, scores, solver, report)
        result = write()
        journal.remove()
    return result


def _restore(journal: DatasetJournal, keys: Keys, scores: Scores, within: tuple[int, int]) -> None:
    """Fill in the scores of an earlier run."""
    kind = [("key", np.uint64), ("score", np.int8)]
    try:
        found = np.fromiter(((key, score) for key, score in journal.rows()), dtype=kind)
    except (OverflowError, TypeError):
        raise journal.corrupt() from None
    places = np.minimum(np.searchsorted(keys, found["key"]), max(len(keys) - 1, 0))
    low, high = within
    wrong = (keys[places] != found["key"]) if len(keys) else np.ones(len(found), dtype=np.bool_)
    wrong |= (found["score"] < low) | (found["score"] > high)
    if wrong.any():
        raise journal.corrupt(int(np.argmax(wrong)))
    scores[places] = found["score"]


def _solve(
    journal: DatasetJournal, keys: Keys, scores: Scores, solver: Solver, report: Callable[..., None]
) -> None:
    """Fill in the missing scores."""
    left = np.flatnonzero(scores == MISSING)
    known = len(keys) - len(left)
    batch, done = _BATCH, 0
    while done < len(left):
        start = time.perf_counter()
        places = left[done : done + batch]
        scores[places] = solver.score_many(discs_of_keys(keys[places], solver.geometry))
        cells = zip(keys[places].tolist(), scores[places].tolist(), strict=True)
        journal.append(enumerate(cells, journal.count))
        done += len(places)
        report("positions solved", known + done, len(keys), known)
        seconds = time.perf_counter() - start
        if seconds < _BATCH_SECONDS / 2:
            batch = min(2 * batch, _MAX_BATCH)
        elif seconds > _BATCH_SECONDS:
            batch = max(batch // 2, 1)
