"""The source `all`: every position of some plies, with the score of every column.

The positions come from `book.enumerate`: one of each pair of mirror images, all unfinished, by ply
and key. Only the scores of the ply after the highest are looked up or solved: the score of a column
is minus the score of the position it leads to, or follows from the rules. Solved positions are
stored in a journal, so interrupted work is resumed. If a book has the next ply, no journal is
needed, and a data set takes seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.book.enumerate import Keys, Scores, layers, moves_by_column
from claimeven.compiled.wide import WORD_BITS, halves, joined
from claimeven.dataset.dataset import DatasetPlan, DatasetProgress, InvalidDataset
from claimeven.dataset.files import (
    DatasetJournal,
    DatasetResult,
    Lines,
    check_target,
    journal_path,
    write_rows,
)
from claimeven.game.batch import Boards
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_names
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.parallel.executors import Part
from claimeven.parallel.jobs import Executor
from claimeven.solver.protocols import MISSING
from claimeven.solver.scores import score_range
from claimeven.solver.solver import ILLEGAL, Solver, scores_by

#: Positions solved between two writes to the journal: the first time, and at most.
_BATCH, _MAX_BATCH = 16, 1 << 14
#: Seconds that a batch should take, which a kill loses.
_BATCH_SECONDS = 0.5
#: Fields of the journal.
SOLVED = ("key", "score")
#: The limit on the positions of a data set, including earlier plies.
MAX_POSITIONS = 20_000_000
#: The limit on the moves of a ply: all keys after them are in memory, 8 or 16 bytes each.
_MAX_MOVES = 100_000_000
#: Rows in a chunk.
_BLOCK = 1 << 16
#: The numbers -128 to 127 as text with zero bytes after their end; `ILLEGAL`, -128, is only zeros.
_SMALL = np.array(
    [list(str(n).encode().ljust(4, b"\0")) if n != ILLEGAL else [0] * 4 for n in range(-128, 128)],
    dtype=np.uint8,
)


#: A move to each position of a ply: the positions before, the columns, and where to mirror then.
_Parents = tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8], npt.NDArray[np.bool_]]


def keys_by_ply(plan: DatasetPlan) -> list[Keys]:
    """Return the keys of the positions of ply 0 to the ply after the highest of a plan.

    Raises `InvalidDataset` for more than `MAX_POSITIONS` in the plan.
    """
    geometry = plan.geometry
    found: list[Keys] = []
    count = 0
    for layer in layers(geometry, plan.highest + 1):
        found.append(layer.keys)
        count += len(layer.keys)
        in_plan = layer.ply <= plan.highest
        if in_plan and (count > MAX_POSITIONS or len(layer.keys) * geometry.columns > _MAX_MOVES):
            raise InvalidDataset(
                f"{geometry} has too many positions up to ply {plan.highest} ({count:,} up to ply"
                f" {layer.ply}): the highest ply must be {layer.ply - 1} or less"
            )
    if not any(len(keys) for keys in found[plan.lowest : plan.highest + 1]):
        raise InvalidDataset(f"every game on {geometry} is over before ply {plan.lowest}")
    return found


class AllPositions:
    """The positions of a plan, from `keys_by_ply`, with scores backed up from `last_scores`."""

    def __init__(self, plan: DatasetPlan, keys: Sequence[Keys], last_scores: Scores) -> None:
        self.geometry = geometry = plan.geometry
        self.lowest: int = plan.lowest
        self._keys = keys[:-1]
        self._scores: list[npt.NDArray[np.int8]] = []
        self._parents: list[_Parents] = []
        below = last_scores
        for ply in reversed(range(len(keys) - 1)):
            scores, parents = _label(keys[ply], keys[ply + 1], below, geometry)
            below = scores.max(axis=1, initial=ILLEGAL)
            self._scores.insert(0, scores)
            self._parents.insert(0, parents)

    def __len__(self) -> int:
        return sum(len(keys) for keys in self._keys[self.lowest :])

    def lines(self) -> Iterator[Lines]:
        """Yield all rows in chunks, by ply and key; each is a separate game, from 0."""
        moves = np.zeros((1, 0), dtype=np.uint8)
        game = 0
        for ply, keys in enumerate(self._keys):
            if ply:
                above, columns, mirrored = self._parents[ply - 1]
                moves = np.concatenate((moves[above], columns[:, None]), axis=1)
                moves[mirrored] = np.uint8(self.geometry.columns - 1) - moves[mirrored]
            for start in range(0, len(keys) if ply >= self.lowest else 0, _BLOCK):
                part = slice(start, start + _BLOCK)
                boards = discs_of_keys(keys[part], self.geometry)
                games = np.arange(game, game + len(boards[0]))
                text = _csv_text(games, moves[part], boards, self._scores[ply][part], self.geometry)
                yield games, text.splitlines(keepends=True)
                game += len(games)


def _label(
    keys: Keys, below: Keys, below_scores: Scores, geometry: Geometry
) -> tuple[npt.NDArray[np.int8], _Parents]:
    """Return the scores of the columns of a ply, and moves to the positions of the next ply."""
    scores = np.full((len(keys), geometry.columns), ILLEGAL, dtype=np.int8)
    above = np.zeros(len(below), dtype=np.int32)
    columns, mirrored = np.zeros(len(below), dtype=np.uint8), np.zeros(len(below), dtype=np.bool_)
    for column, way in enumerate(moves_by_column(keys, below, geometry)):
        scores[way.can, column] = way.scores(below_scores)
        # Any parent will do.
        above[way.below] = way.can[way.ongoing]
        columns[way.below] = column
        mirrored[way.below] = way.mirrored
    return scores, (above, columns, mirrored)


def _csv_text(
    games: npt.NDArray[np.int64],
    moves: npt.NDArray[np.uint8],
    boards: tuple[Boards, Boards],
    scores: npt.NDArray[np.int8],
    geometry: Geometry,
) -> bytes:
    """Return rows of one ply as lines of CSV, like `Row.cells` without a loop over rows."""
    names = np.frombuffer(column_names(geometry.columns).encode(), dtype=np.uint8)
    best = scores.max(axis=1)
    optimal = (scores == best[:, None]).sum(axis=1)
    small = [_SMALL[column.astype(np.int64) + 128] for column in (best, optimal, *scores.T)]
    ply = _SMALL[np.full(len(games), moves.shape[1] + 128)]
    parts = [half for board in boards for half in halves(board)[: 1 if geometry.fits_word else 2]]
    fields = [_digits(games.astype(np.uint64)), names[moves], ply, *map(_digits, parts), *small]
    comma = np.full((len(games), 1), ord(","), dtype=np.uint8)
    text = np.concatenate([piece for field in fields for piece in (field, comma)], axis=1)
    text[:, -1] = ord("\n")
    written: npt.NDArray[np.uint8] = text[text != 0]
    return written.tobytes()


def _digits(numbers: Boards) -> npt.NDArray[np.uint8]:
    """Return numbers as digits, each in a column, with zero bytes before the first digit."""
    width = len(str(int(numbers.max(initial=0))))
    text = np.zeros((len(numbers), width), dtype=np.uint8)
    for place in reversed(range(width)):
        tenths = numbers // np.uint64(10)
        digit = (numbers - tenths * np.uint64(10)).astype(np.uint8) + np.uint8(ord("0"))
        # A zero byte before the number, except for the last digit of 0.
        text[:, place] = np.where(numbers != 0, digit, 0) if place < width - 1 else digit
        numbers = tenths
    return text


def make_all(
    path: Path,
    plan: DatasetPlan,
    solver: Solver,
    on_progress: Callable[[DatasetProgress], None] | None = None,
    *,
    split: float | None = None,
    executor: Executor | None = None,
    part: Part | None = None,
) -> DatasetResult:
    """Write every position of a plan's plies; as `make_dataset`."""
    start = time.perf_counter()
    check_target(path)

    nodes = 0

    def report(what: str, done: int, total: int, resumed: int = 0, new_nodes: int = 0) -> None:
        nonlocal nodes
        nodes += new_nodes
        if on_progress is not None:
            seconds = time.perf_counter() - start
            all_nodes = nodes + solver.statistics.nodes
            on_progress(DatasetProgress(done, total, resumed, seconds, all_nodes, what))

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
    header, place, places = plan.header(), None, np.arange(len(last))
    if part is not None:
        header, place, places = plan.part_header(part, split), part.path(path), part.share(places)
    elif solver.book is not None and ply <= solver.book.plies:
        scores = solver.book.look_up_many(last, np.full(len(last), ply))
    if part is None and not (scores == MISSING).any() and not journal_path(path).exists():
        return write()
    with closing(DatasetJournal(path, header, SOLVED, place)) as journal:
        _restore(journal, last, scores, score_range(plan.geometry, ply))
        _solve(journal, last, scores, solver, report, executor, places)
        if part is not None:
            return DatasetResult(journal.count)
        result = write()
        journal.remove()
    return result


def _restore(journal: DatasetJournal, keys: Keys, scores: Scores, within: tuple[int, int]) -> None:
    kind = [("high", np.uint64), ("low", np.uint64), ("score", np.int8)]
    rows: Iterator[Any] = (cells for _, cells in journal.rows())
    try:
        found = np.fromiter(((*divmod(key, 1 << WORD_BITS), score) for key, score in rows), kind)
    except (OverflowError, TypeError):
        raise journal.corrupt() from None
    keys, sought = joined(*halves(keys)), joined(found["low"], found["high"])
    places = np.minimum(np.searchsorted(keys, sought), max(len(keys) - 1, 0))
    low, high = within
    wrong = (keys[places] != sought) if len(keys) else np.ones(len(found), dtype=np.bool_)
    wrong |= (found["score"] < low) | (found["score"] > high)
    if wrong.any():
        raise journal.corrupt(int(np.argmax(wrong)))
    scores[places] = found["score"]


def _solve(
    journal: DatasetJournal,
    keys: Keys,
    scores: Scores,
    solver: Solver,
    report: Callable[..., None],
    executor: Executor | None,
    places: npt.NDArray[np.intp],
) -> None:
    total = len(places)
    left = places[scores[places] == MISSING]
    known = total - len(left)
    if executor is not None:
        discs = discs_of_keys(keys[left], solver.geometry)
        with closing(scores_by(executor, solver.maker(), solver.geometry, discs)) as answers:
            for done, (number, answer) in enumerate(answers, 1):
                scores[left[number]] = answer.value
                journal.append([(journal.count, (int(keys[left[number]]), answer.value))])
                report("positions solved", known + done, total, known, answer.nodes)
        return
    batch, done = _BATCH, 0
    while done < len(left):
        start = time.perf_counter()
        places = left[done : done + batch]
        scores[places] = solver.score_many(discs_of_keys(keys[places], solver.geometry))
        cells = zip(keys[places].tolist(), scores[places].tolist(), strict=True)
        journal.append(enumerate(cells, journal.count))
        done += len(places)
        report("positions solved", known + done, total, known)
        seconds = time.perf_counter() - start
        batch = next_batch(batch, seconds, _BATCH_SECONDS, most=_MAX_BATCH)


def next_batch(batch: int, seconds: float, target: float, *, least: int = 1, most: int) -> int:
    """Return the number of positions in the next batch, after the seconds of the last batch.

    It takes about half the `target` seconds to all of them.

    >>> [next_batch(64, seconds, 1.0, most=128) for seconds in (0.1, 0.7, 30.0)]
    [128, 64, 2]
    """
    if seconds < target / 2:
        return min(2 * batch, most)
    return max(least, min(batch, int(batch * target / seconds)))
