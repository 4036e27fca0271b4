"""Positions with exact scores of every column, in bulk, for learning and for statistics.

Three sources, all determined by the seed alone:

- `random`: each position is the end of a game of random moves to a random ply (see
  `sampling_kernel`); games that are over by then are dropped.
- `selfplay`: positions of games in which both sides know the exact scores and err a little (see
  `solver.erring` and `games`). The first moves, before the plies asked for, are random. Every
  position of a game from there on is taken.
- `mixed`: positions of games in which each move is random by a given chance, else one of the best.
  All positions of a game are taken, or one.

A position and its mirror image are the same: only the first one met is taken. Rows go to a journal
beside the file as they are made, so work that was ended goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from claimeven.dataset.errors import InvalidDataset
from claimeven.dataset.files import Journal, write_table
from claimeven.dataset.games import games
from claimeven.dataset.plan import DatasetPlan
from claimeven.dataset.rows import Row, field_names
from claimeven.dataset.sampling_kernel import random_positions
from claimeven.game.arrays import canonical_keys
from claimeven.game.errors import InvalidPosition
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.game.tactics_kernel import board_vector
from claimeven.solver.solver import ILLEGAL, Solver

#: Candidates made at a time, and positions solved between two writes to the journal.
CANDIDATES, BATCH = 4096, 64
#: Candidates or games in a row without a new position after which there are taken to be no more.
PATIENCE = {"random": 300_000, "selfplay": 3_000, "mixed": 3_000}


@dataclass(frozen=True)
class DatasetProgress:
    """How far the work is: `done` of `total` rows, `resumed` of them from an earlier run."""

    done: int
    total: int
    resumed: int
    seconds: float


def make_dataset(
    path: Path,
    plan: DatasetPlan,
    solver: Solver,
    progress: Callable[[DatasetProgress], None] | None = None,
) -> int:
    """Write a data set to a .csv or .parquet file; return how many rows it has.

    Work that was ended, Ctrl-C and kill included, is kept in `path` + ".partial" and goes on from
    there when the same is asked again; more or fewer positions may be asked. Raises
    `InvalidDataset` when the file is there already, cannot be written or is of another kind, when
    the partial file is of other options or damaged, or when there are fewer positions than asked.
    """
    begin = time.perf_counter()
    geometry = plan.geometry
    with Journal(path, plan.header(), field_names(geometry)) as journal:
        seen = _keys_of(journal, geometry)
        resumed = min(len(seen), plan.positions)
        first = journal.last_number
        for rows in _batches(plan, solver, seen, first, plan.positions - resumed):
            journal.append((row.number, row.cells()) for row in rows)
            if progress is not None:
                done = min(len(journal.rows), plan.positions)
                seconds = time.perf_counter() - begin
                progress(DatasetProgress(done, plan.positions, resumed, seconds))
        found = len(journal.rows)
        if found < plan.positions:
            raise InvalidDataset(
                f"only {found:,} different positions were found at plies {plan.lowest} to"
                f" {plan.highest}, not {plan.positions:,}: ask for at most that many"
            )
        write_table(path, field_names(geometry), journal.rows[: plan.positions], plan.header())
        journal.done()
    return plan.positions


def _batches(
    plan: DatasetPlan, solver: Solver, seen: set[int], first: int, wanted: int
) -> Iterator[list[Row]]:
    """Yield new rows, `wanted` in all or fewer where there are no more; `seen` takes their keys."""
    make = _random_rows if plan.source == "random" else _new_rows_of_games
    for rows in make(plan, solver, seen, first):
        yield rows[:wanted]
        wanted -= len(rows)
        if wanted <= 0:
            return


def _random_rows(
    plan: DatasetPlan, solver: Solver, seen: set[int], first: int
) -> Iterator[list[Row]]:
    """Yield rows from candidate `first` on; an end without a row means that there are no more."""
    waiting: list[tuple[int, str, Position]] = []
    for found in _random_candidates(plan, seen, first):
        waiting.append(found)
        if len(waiting) == BATCH:
            yield _solved(waiting, solver)
            waiting = []
    if waiting:
        yield _solved(waiting, solver)


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


def _new_rows_of_games(
    plan: DatasetPlan, solver: Solver, seen: set[int], first: int
) -> Iterator[list[Row]]:
    """Yield the new rows of one game after the other."""
    in_vain = 0
    with closing(games(plan, solver, first)) as played:
        for game in played:
            rows = []
            for row in game:
                if row.position.canonical_key not in seen:
                    seen.add(row.position.canonical_key)
                    rows.append(row)
            in_vain = 0 if rows else in_vain + 1
            if rows:
                yield rows
            elif in_vain == PATIENCE[plan.source]:
                return


def _keys_of(journal: Journal, geometry: Geometry) -> set[int]:
    """Return the canonical keys of the positions of an earlier run."""
    keys = set()
    for line, cells in enumerate(journal.rows, start=2):
        try:
            position = Position(geometry, int(cells[3] or 0), int(cells[4] or 0))
        except InvalidPosition:
            raise journal.damaged(line) from None
        keys.add(position.canonical_key)
    return keys
