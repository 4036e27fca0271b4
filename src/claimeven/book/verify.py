"""Checking a book, and counting its positions by outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from claimeven.book.book import Book, InvalidBook
from claimeven.book.enumerate import back_up_scores, layers
from claimeven.game.batch import has_win, image_counts
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.parallel.jobs import Executor
from claimeven.solver.solver import Solver, scores_by


@dataclass(frozen=True)
class WrongEntry:
    """An incorrect entry of a book."""

    ply: int
    key: int
    score: int
    correct_score: int


@dataclass
class Verification:
    """The result of the check of a book.

    `missing` counts missing and extra positions in the first ply that has any; then the check ends.
    `backed` entries were compared with their children, and `solved` entries were solved again.
    `wrong` lists the entries with other scores.
    """

    entries: int
    missing: int = 0
    backed: int = 0
    solved: int = 0
    wrong: list[WrongEntry] = field(default_factory=list)

    @property
    def is_correct(self) -> bool:
        return not self.missing and not self.wrong


def verify_book(
    book: Book,
    *,
    sample: int | None = None,
    seed: int = 0,
    table_mb: float = 128,
    threads: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> Verification:
    """Check that a book has all positions, with the correct scores.

    Every entry before the last ply is compared with the greatest of minus its children. Of the last
    ply `sample` entries, drawn with `seed`, are solved again without the book; None means all.
    `on_progress(done, total)` is called after each of these. The workers of an `executor`, if
    given, solve them in place of this process, each with a table of `table_mb`.
    """
    found = Verification(len(book))
    geometry = book.geometry
    for layer, keys in zip(layers(geometry, book.plies), book.keys, strict=True):
        found.missing = len(np.setxor1d(layer.keys, keys))
        if found.missing:
            return found
    for ply in range(book.plies):
        keys, scores = book.keys[ply], book.scores[ply]
        correct = back_up_scores(keys, book.keys[ply + 1], book.scores[ply + 1], geometry)
        found.backed += len(keys)
        for place in np.flatnonzero(scores != correct):
            found.wrong.append(
                WrongEntry(ply, int(keys[place]), int(scores[place]), int(correct[place]))
            )
    keys, scores = book.keys[-1], book.scores[-1]
    places = np.arange(len(keys))
    if sample is not None and sample < len(keys):
        drawn = np.random.default_rng(seed).choice(len(keys), sample, replace=False)
        places = np.sort(drawn)
    discs = discs_of_keys(keys[places], geometry)
    wrong: dict[int, WrongEntry] = {}
    make = partial(Solver, geometry, table_mb, threads, None)
    with closing(scores_by(executor, make, geometry, discs)) as answers:
        for number, (score, _, _) in answers:
            key, stored = int(keys[places[number]]), int(scores[places[number]])
            found.solved += 1
            if score != stored:
                wrong[number] = WrongEntry(book.plies, key, stored, score)
            if on_progress is not None:
                on_progress(found.solved, len(places))
    found.wrong += (wrong[number] for number in sorted(wrong))
    return found


@dataclass(frozen=True)
class PlyCounts:
    """Positions of a ply by their outcome under best play, as (win, draw, loss).

    `positions` counts all distinct positions, with mirror images as two and including the `over`
    finished ones, by the outcome for the first player. `quiet` counts the unfinished positions in
    which neither side can complete a line with its next disc, with mirror images as one.
    """

    ply: int
    positions: tuple[int, int, int]
    over: int
    quiet: tuple[int, int, int]


def ply_counts(book: Book) -> Iterator[PlyCounts]:
    """Yield the counts of each ply of a book; finished games are enumerated.

    Raises `InvalidBook` at a ply with missing positions.
    """
    geometry = book.geometry
    for layer, keys, scores in zip(
        layers(geometry, book.plies), book.keys, book.scores, strict=True
    ):
        ply = layer.ply
        if not np.array_equal(layer.keys, keys):
            raise InvalidBook(f"the book does not have the positions of ply {ply}")
        for_first = np.sign(scores) if ply % 2 == 0 else -np.sign(scores)
        images = image_counts(keys, geometry)
        totals = [int(images[for_first == sign].sum()) for sign in (1, 0, -1)]
        # The last disc of a decided game was the first player's after an odd number of plies.
        totals[0 if ply % 2 else 2] += layer.decided
        totals[1] += layer.drawn
        mine, mask = discs_of_keys(keys, geometry)
        quiet = ~(has_win(mine, mask, geometry) | has_win(mine ^ mask, mask, geometry))
        quiet_totals = [int((quiet & (for_first == sign)).sum()) for sign in (1, 0, -1)]
        yield PlyCounts(
            ply,
            (totals[0], totals[1], totals[2]),
            layer.decided + layer.drawn,
            (quiet_totals[0], quiet_totals[1], quiet_totals[2]),
        )
