"""Positions with exact scores, in bulk, for learning and for statistics.

Four sources, three of them determined by the seed alone:

- `random`: each position is the end of a game of random moves to a random ply (see
  `sampling_kernel`); games that are over by then are dropped.
- `selfplay`: positions of games in which both sides know the exact scores and err a little (see
  `solver.erring` and `games`). The first moves, before the plies asked for, are random. Every
  position of a game from there on is taken.
- `mixed`: positions of games in which each move is random by a given chance, else one of the best.
  All positions of a game are taken, or one. What columns are worth that are not right may be left
  out.
- `all`: every position of the plies (see `exhaustive`).

A position and its mirror image are the same: only the first one met is taken. Rows go to a journal
beside the file as they are made, so work that was ended goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from claimeven.atomic_io import binary_file, binary_files
from claimeven.dataset.config import DatasetPlan
from claimeven.dataset.errors import InvalidDataset
from claimeven.dataset.exhaustive import make_all
from claimeven.dataset.files import check_target, write_table
from claimeven.dataset.games import Games
from claimeven.dataset.journal import Journal, rows_of
from claimeven.dataset.progress import DatasetProgress, Made, held_out_path
from claimeven.dataset.rows import Row, field_names
from claimeven.dataset.sampling_kernel import random_positions
from claimeven.dataset.split import check_share, is_for_training
from claimeven.game.batch import canonical_keys
from claimeven.game.bitboard_kernel import board_vector
from claimeven.game.errors import InvalidPosition
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.solver.solver import ILLEGAL, Solver

#: Candidates made at a time, and positions solved between two writes to the journal at most.
CANDIDATES, BATCH = 4096, 64
#: Seconds that a batch is to take: what is lost where work is ended.
SECONDS = 1.0
#: Candidates or games in a row without a new position after which there are taken to be no more.
PATIENCE = {"random": 300_000, "selfplay": 3_000, "mixed": 3_000}


def make_dataset(
    path: str | Path,
    plan: DatasetPlan,
    solver: Solver,
    progress: Callable[[DatasetProgress], None] | None = None,
    *,
    split: float | None = None,
) -> Made:
    """Write a data set to a .csv or .parquet file; return how many rows it has.

    With `split` about this share of all games is written there and the rest to `held_out_path`: no
    game lies on both sides, and no position with it or its mirror image.

    Work that was ended, Ctrl-C and kill included, is kept in `path` + ".partial" and goes on from
    there when the same is asked again; more or fewer positions may be asked. Raises
    `InvalidDataset` when the file is there already, cannot be written or is of another kind, when
    the partial file is of other options or damaged, or when there are fewer positions than asked.
    """
    begin, path = time.perf_counter(), Path(path)
    if split is not None:
        check_share(split)
        check_target(held_out_path(path))
    wanted = plan.positions
    if wanted is None:
        return make_all(path, plan, solver, progress, split=split)
    geometry = plan.geometry
    fields = field_names(geometry, plan.right_only)
    with Journal(path, plan.header(), fields) as journal:
        seen = _keys_of(journal, geometry)
        resumed = min(len(seen), wanted)
        source = _Source(plan, solver)

        def keep(found: Iterator[list[Row]]) -> None:
            for rows in _first(found, wanted - resumed):
                journal.append((row.number, row.cells(plan.right_only)) for row in rows)
                if progress is not None:
                    done = min(journal.count, wanted)
                    seconds = time.perf_counter() - begin
                    progress(DatasetProgress(done, wanted, resumed, seconds, source.nodes))

        source.hand_out(seen, journal.last_number, keep)
        if journal.count < wanted:
            what = "one position was" if journal.count == 1 else f"{journal.count:,} were"
            raise InvalidDataset(
                f"only {what} found at plies {plan.lowest} to {plan.highest}, not {wanted:,}"
                " different positions: ask for at most that many"
            )
        made = _write(path, journal, plan, wanted, split)
        journal.done()
    return made


def _write(
    path: Path, journal: Journal, plan: DatasetPlan, wanted: int, split: float | None
) -> Made:
    """Write the first rows of a journal."""
    header = plan.header()
    if split is None:
        rows = (rows_of(lines)[1] for lines in journal.chunks(wanted))
        with binary_file(path) as stream:
            write_table(stream, path.suffix, journal.fields, rows, header)
        return Made(wanted)
    counts = [0, 0]

    def rows_of_side(training: bool) -> Iterator[list[bytes]]:
        for lines in journal.chunks(wanted):
            numbers, rows = rows_of(lines)
            sides = is_for_training(np.array(numbers), split, plan.seed)
            picked = [row for row, side in zip(rows, sides, strict=True) if side == training]
            counts[training] += len(picked)
            yield picked

    other, header = held_out_path(path), {**header, "split": split}
    with binary_files(path, other) as streams:
        for stream, is_training in zip(streams, (True, False), strict=True):
            write_table(stream, path.suffix, journal.fields, rows_of_side(is_training), header)
    return Made(counts[True], counts[False], other)


def _first(found: Iterable[list[Row]], wanted: int) -> Iterator[list[Row]]:
    """Yield the first rows, `wanted` in all or fewer where there are no more."""
    if wanted <= 0:
        return
    for rows in found:
        yield rows[:wanted]
        wanted -= len(rows)
        if wanted <= 0:
            return


class _Source:
    """Where rows come from, by the source of a plan."""

    def __init__(self, plan: DatasetPlan, solver: Solver) -> None:
        self._plan = plan
        self._solver = solver
        self._games = None if plan.source == "random" else Games(plan, solver)

    @property
    def nodes(self) -> int:
        """Positions visited."""
        return (self._solver.statistics if self._games is None else self._games).nodes

    def hand_out(
        self, seen: set[int], first: int, use: Callable[[Iterator[list[Row]]], None]
    ) -> None:
        """Call use(rows) with new rows from the candidate or game `first` on; `seen` takes their
        keys. The end of the rows comes when there are no more.
        """
        if self._games is None:
            use(_random_rows(self._plan, self._solver, seen, first))
            return
        patience = PATIENCE[self._plan.source]
        self._games.hand_out(first, lambda played: use(_new_rows(played, seen, patience)))


def _random_rows(
    plan: DatasetPlan, solver: Solver, seen: set[int], first: int
) -> Iterator[list[Row]]:
    """Yield rows from candidate `first` on; an end without a row means that there are no more."""
    waiting: list[tuple[int, str, Position]] = []
    batch = 4  # of positions that may take minutes each
    for found in _random_candidates(plan, seen, first):
        waiting.append(found)
        if len(waiting) >= batch:
            begin = time.perf_counter()
            yield _solved(waiting, solver)
            batch = _next_batch(batch, time.perf_counter() - begin, solver.threads)
            waiting = []
    if waiting:
        yield _solved(waiting, solver)


def _next_batch(batch: int, seconds: float, threads: int) -> int:
    """Return how many positions to solve before the next write, after a batch that took so long.

    >>> _next_batch(64, 0.1, 1), _next_batch(64, 30.0, 1), _next_batch(4, 0.1, 1)
    (64, 2, 8)
    """
    if seconds < SECONDS / 2:
        return min(2 * batch, BATCH)
    return max(threads, min(BATCH, int(batch * SECONDS / seconds)))


def _random_candidates(
    plan: DatasetPlan, seen: set[int], first: int
) -> Iterator[tuple[int, str, Position]]:
    """Yield (number, moves, position) of candidates that are new and not over."""
    geometry = plan.geometry
    mines, masks = np.zeros((2, CANDIDATES), dtype=np.uint64)
    plies = np.zeros(CANDIDATES, dtype=np.int64)
    moves = np.zeros((CANDIDATES, geometry.cells), dtype=np.int64)
    in_vain = 0
    while in_vain < PATIENCE["random"]:
        random_positions(
            board_vector(geometry), geometry.columns, np.uint64(plan.seed), first,
            plan.lowest, plan.highest, mines, masks, plies, moves,
        )  # fmt: skip
        in_vain += CANDIDATES
        going_on = np.flatnonzero(plies >= 0)
        keys = canonical_keys(mines[going_on] + masks[going_on], geometry)
        for i, key in zip(going_on.tolist(), keys.tolist(), strict=True):
            if key not in seen:
                seen.add(key)
                in_vain = 0
                position = Position(geometry, mines[i], masks[i])
                yield first + i, format_moves(moves[i, : plies[i]], geometry), position
        first += CANDIDATES


def _solved(found: Sequence[tuple[int, str, Position]], solver: Solver) -> list[Row]:
    scores = solver.scores_many([position for _, _, position in found]).tolist()
    return [
        Row(number, moves, position, tuple(None if s == ILLEGAL else s for s in columns))
        for (number, moves, position), columns in zip(found, scores, strict=True)
    ]


def _new_rows(played: Iterable[list[Row]], seen: set[int], patience: int) -> Iterator[list[Row]]:
    """Yield the new rows of one game after the other, until there are no more."""
    in_vain = 0
    for game in played:
        rows = []
        for row in game:
            if row.position.canonical_key not in seen:
                seen.add(row.position.canonical_key)
                rows.append(row)
        in_vain = 0 if rows else in_vain + 1
        if rows:
            yield rows
        elif in_vain == patience:
            return


def _keys_of(journal: Journal, geometry: Geometry) -> set[int]:
    """Return the canonical keys of the positions of an earlier run."""
    keys = set()
    mine, mask = (journal.fields.index(name) for name in ("mine", "mask"))
    for cells in journal.take_up():
        try:
            position = Position(geometry, int(cells[mine] or 0), int(cells[mask] or 0))
        except InvalidPosition:
            raise journal.damaged() from None
        if position.canonical_key in keys:
            raise journal.damaged()
        keys.add(position.canonical_key)
    return keys
