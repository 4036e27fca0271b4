"""Positions with exact scores, in bulk, for training and for statistics.

There are four sources; the seed determines the first three:

- `random`: the last positions of random games to a random ply (see `sampling_kernel`); games that
  end earlier are dropped.
- `selfplay`: all positions from the lowest ply on, of games in which both sides know the scores
  and make small errors (see `solver.scores` and `games`). Earlier moves are random.
- `mixed`: all positions, or one, of games in which each move is random with a given chance, else
  one of the best. The scores of other columns than the best may be omitted.
- `all`: every position of the plies (see `exhaustive`).

Only the first of a position and its mirror image is used. Rows go into a journal next to the file
at once, so interrupted work is resumed. Merged parts give the rows of one run.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from claimeven import provenance
from claimeven.compiled import for_bits
from claimeven.compiled.wide import words
from claimeven.dataset.dataset import (
    DatasetPlan,
    DatasetProgress,
    InvalidDataset,
    InvalidDatasetFile,
    Row,
    discs_in,
    field_names,
)
from claimeven.dataset.exhaustive import SOLVED, keys_by_ply, make_all, next_batch
from claimeven.dataset.files import (
    Cells,
    DatasetJournal,
    DatasetResult,
    check_target,
    header_in,
    held_out_path,
    journal_path,
    write_rows,
)
from claimeven.dataset.games import Candidate, Games
from claimeven.dataset.sampling_kernel import random_positions
from claimeven.errors import path_of
from claimeven.game.batch import canonical_keys
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.errors import InvalidPosition
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.game.validation import instance, share
from claimeven.parallel.executors import Part, check_complete, check_parts
from claimeven.parallel.jobs import Executor
from claimeven.solver.solver import ILLEGAL, Solver
from claimeven.text_io import reading

#: Candidates in a batch, and the limit on positions between two writes to the journal.
_CANDIDATES, _BATCH = 4096, 64
#: Seconds that a batch should take, which an interruption loses.
_BATCH_SECONDS = 1.0
#: Consecutive candidates or games without a new position after which the search for more stops.
_MAX_FRUITLESS = {"random": 300_000, "selfplay": 3_000, "mixed": 3_000}


def make_dataset(
    path: str | Path,
    plan: DatasetPlan,
    solver: Solver,
    on_progress: Callable[[DatasetProgress], None] | None = None,
    *,
    split: float | None = None,
    executor: Executor | None = None,
    part: Part | None = None,
) -> DatasetResult:
    """Write a data set to a .csv or .parquet file; return how many rows it has.

    With `split`, about this share of all games is written there, and the others to
    `held_out_path`: no game is in both files, and no position or mirror image. The workers of an
    `executor`, if given, solve the positions in place of this process; the rows are the same. With
    `part` only the rows of a part are written, to a separate file: see `merge_datasets`.

    Interrupted work, also by Ctrl-C or kill, is stored in `path` + ".partial". The same call
    resumes it, possibly with another number of positions. Raises `InvalidDataset` if the file
    exists, cannot be written or has another suffix, if the partial file has other options or is
    corrupt, or if there are fewer positions than `plan.positions`.
    """
    start, path = time.perf_counter(), path_of(path, InvalidDatasetFile)
    instance(plan, "plan", DatasetPlan, InvalidDataset)
    if split is not None:
        share(split, "the share to train on", InvalidDataset)
        check_target(held_out_path(path))
    count = plan.positions
    if count is None:
        return make_all(path, plan, solver, on_progress, split=split, executor=executor, part=part)
    is_random = plan.source == "random"
    games = None if is_random and executor is None else Games(plan, solver, executor)
    fields = field_names(plan.geometry, plan.optimal_only)
    header, place, step = plan.header(), None, 1
    if part is not None:
        header, place, step = plan.part_header(part, split), part.path(path), part.count
        count = rows_of_part(plan, part)
    with closing(DatasetJournal(path, header, fields, place)) as journal:
        seen = _keys_of(journal, plan.geometry)
        resumed = min(len(seen), count)

        def store(found: Iterable[list[Row]]) -> None:
            left = count - resumed
            for rows in found if left > 0 else ():
                new = rows[:left]
                left -= len(new)
                journal.append((row.number, row.cells(plan.optimal_only)) for row in new)
                if on_progress is not None:
                    done, seconds = min(journal.count, count), time.perf_counter() - start
                    nodes = (games or solver.statistics).nodes
                    on_progress(DatasetProgress(done, count, resumed, seconds, nodes))
                if left <= 0:
                    break

        first = journal.last_number if journal.count or part is None else part.number - 1
        candidates = _random_candidates(plan, seen, first)
        if part is not None:
            begin = part.number - 1 + journal.count * part.count
            candidates = _random_candidates(plan, set(), 0)
            candidates = itertools.islice(candidates, begin, plan.positions, part.count)
        if games is None:
            store(_random_rows(candidates, solver))
        else:
            numbers = itertools.count(first, step)
            with closing(games.rows(candidates if is_random else numbers)) as rows:
                store(rows if is_random else _new_rows(rows, seen, _MAX_FRUITLESS[plan.source]))
        if journal.count < count:
            raise InvalidDataset(
                f"only {journal.count:,} of {count:,} different positions were found at plies"
                f" {plan.lowest} to {plan.highest}: reduce the number of positions"
            )
        if part is not None:
            return DatasetResult(journal.count)
        result = write_rows(path, plan, lambda: journal.lines(count), split)
        journal.remove()
    return result


def _random_rows(candidates: Iterable[Candidate], solver: Solver) -> Iterator[list[Row]]:
    waiting: list[Candidate] = []
    batch = 4  # a position may take minutes
    for found in candidates:
        waiting.append(found)
        if len(waiting) >= batch:
            start = time.perf_counter()
            yield _solved(waiting, solver)
            seconds = time.perf_counter() - start
            batch = next_batch(batch, seconds, _BATCH_SECONDS, least=solver.threads, most=_BATCH)
            waiting = []
    if waiting:
        yield _solved(waiting, solver)


def _random_candidates(plan: DatasetPlan, seen: set[int], first: int) -> Iterator[Candidate]:
    """Yield new and unfinished candidates, from the number `first` on."""
    geometry = plan.geometry
    mines, masks = words((2, _CANDIDATES), geometry.bits)
    plies = np.zeros(_CANDIDATES, dtype=np.int64)
    moves = np.zeros((_CANDIDATES, geometry.cells), dtype=np.int64)
    fruitless, sample = 0, for_bits(random_positions, geometry.bits)
    while fruitless < _MAX_FRUITLESS["random"]:
        sample(
            board_vector(geometry), geometry.columns, np.uint64(plan.seed), first,
            plan.lowest, plan.highest, mines, masks, plies, moves,
        )  # fmt: skip
        fruitless += _CANDIDATES
        unfinished = np.flatnonzero(plies >= 0)
        keys = canonical_keys(mines[unfinished] + masks[unfinished], geometry)
        for i, key in zip(unfinished.tolist(), keys.tolist(), strict=True):
            if key not in seen:
                seen.add(key)
                fruitless = 0
                position = Position(geometry, mines[i], masks[i])
                yield first + i, format_moves(moves[i, : plies[i]], geometry), position
        first += _CANDIDATES


def rows_of_part(plan: DatasetPlan, part: Part) -> int:
    """Return the number of rows of a part.

    Parts of games have a row, and a twentieth more: rows of different parts may be equal.
    """
    total = plan.positions or 0
    of_games = max(total + total // 20, part.count)
    return len(part.share(range(total if plan.source == "random" else of_games)))


def _solved(found: Sequence[Candidate], solver: Solver) -> list[Row]:
    scores = solver.scores_many([position for _, _, position in found]).tolist()
    return [
        Row(number, moves, position, tuple(None if s == ILLEGAL else s for s in columns))
        for (number, moves, position), columns in zip(found, scores, strict=True)
    ]


def _new_rows(played: Iterable[list[Row]], seen: set[int], limit: int) -> Iterator[list[Row]]:
    """Yield the new rows of each game, until `limit` games in a row have none."""
    fruitless = 0
    for game in played:
        rows = []
        for row in game:
            if row.position.canonical_key not in seen:
                seen.add(row.position.canonical_key)
                rows.append(row)
        fruitless = 0 if rows else fruitless + 1
        if rows:
            yield rows
        elif fruitless == limit:
            return


def _keys_of(journal: DatasetJournal, geometry: Geometry) -> set[int]:
    keys = set()
    for _, cells in journal.rows():
        try:
            position = Position(geometry, *discs_in(cells, geometry))
        except InvalidPosition:
            raise journal.corrupt() from None
        if position.canonical_key in keys:
            raise journal.corrupt()
        keys.add(position.canonical_key)
    return keys


def merge_datasets(path: str | Path, paths: Sequence[str | Path]) -> DatasetResult:
    """Write the rows of parts to a new data set; return how many rows it has.

    Parts of games end at different games, so there may be fewer rows than `plan.positions`: all
    of the first games, as a run for this number of positions writes. Raises `InvalidDatasetFile`
    for a file that exists or is not a part, and `InvalidParts` unless the files are all parts of
    one data set, and complete.
    """
    path = Path(path)
    headers = [_header_of(each) for each in paths]
    check_target(path)
    if journal_path(path).exists():
        raise InvalidDatasetFile(f"{journal_path(path)} is in the way: finish it or remove it")
    parts = check_parts(paths, headers)
    first = headers[0]
    plan = DatasetPlan.of_header(first)
    is_all = plan.source == "all"
    fields: Sequence[str] = SOLVED if is_all else field_names(plan.geometry, plan.optimal_only)
    with ExitStack() as stack:
        journals = [
            stack.enter_context(closing(DatasetJournal(path, header, fields, Path(each))))
            for each, header in zip(paths, headers, strict=True)
        ]
        ends = list(map(_end_of, itertools.repeat(plan), parts, journals))
        found: Iterator[tuple[int, Cells]] = heapq.merge(
            *(each.rows() for each in journals), key=itemgetter(0)
        )
        if not is_all and plan.source != "random":
            found = _first_rows(found, min(ends), plan.geometry)
        with closing(DatasetJournal(path, plan.header(), fields)) as merged:
            rows = itertools.islice(found, plan.positions)
            merged.append(enumerate(map(itemgetter(1), rows)) if is_all else rows)
            if plan.positions is not None:
                plan = replace(plan, positions=merged.count)
    with provenance.of_command(first.get("command")):
        return make_dataset(path, plan, Solver(plan.geometry, 1, 1, None), split=first.get("split"))


def _header_of(path: str | Path) -> dict[str, Any]:
    with reading(path, InvalidDatasetFile), Path(path).open("rb") as stream:
        header = header_in(stream.readline(1 << 20))
    if header is None:
        raise InvalidDatasetFile(f"{path} is not a part of a data set")
    return header


def _end_of(plan: DatasetPlan, part: Part, journal: DatasetJournal) -> int:
    """Return the number of the last game. Raises `InvalidParts` if rows are missing."""
    count, last = 0, -1
    for numbers, _ in journal.lines():
        count, last = count + len(numbers), int(numbers[-1])
    is_all = plan.source == "all"
    total = len(part.share(keys_by_ply(plan)[-1])) if is_all else rows_of_part(plan, part)
    check_complete(journal.path, count, total)
    return last


def _first_rows(
    rows: Iterator[tuple[int, Cells]], last: int, geometry: Geometry
) -> Iterator[tuple[int, Cells]]:
    """Yield the new rows of the games up to the last one that all parts have reached."""
    seen: set[int] = set()
    for number, cells in rows:
        if number > last:
            return
        key = Position(geometry, *discs_in(cells, geometry)).canonical_key
        if key not in seen:
            seen.add(key)
            yield number, cells
