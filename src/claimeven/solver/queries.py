"""Scores of positions in a session, by the rules, the book or a search; arrays of positions."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.compiled.types import is_narrow
from claimeven.compiled.wide import WideWords, words, words_of
from claimeven.game.batch import Boards, canonical_keys, disc_counts, has_line, moves
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position, check_position
from claimeven.game.validation import items_of
from claimeven.solver.call_kernel import NEVER, UNPLAYABLE
from claimeven.solver.errors import InvalidSolve, SearchStopped
from claimeven.solver.kernel import PAUSED
from claimeven.solver.progress import OnProgress, narrow_on_stop, reporter
from claimeven.solver.protocols import MISSING, OpeningBook
from claimeven.solver.scores import final_score, win_score
from claimeven.solver.search import ExactSearch
from claimeven.solver.search_thread import ChildTask
from claimeven.solver.session import Session


def inconsistent_book(position: Position, score: int) -> InvalidSolve:
    """Return the error for a position whose score in a book is impossible."""
    return InvalidSolve(
        f"the book is wrong: no column leads to its score {score} of a position with"
        f" {position.ply} discs"
    )


class BestMoves(NamedTuple):
    """The score of a position, for its side to move, and the columns that keep it.

    `columns` count from 0, the most central one first.
    """

    score: int
    columns: tuple[int, ...]


class Queries:
    """The queries of a solver within a session of its search.

    `searched` counts searched positions, `book_hits` positions found in the book. `loading` is the
    time for compiling or loading the search, in seconds.
    """

    def __init__(self, geometry: Geometry, book: OpeningBook | None, search: ExactSearch) -> None:
        self.geometry = geometry
        self.book = book
        self.searched = 0
        self.book_hits = 0
        self.loading = 0.0
        self._search = search
        self._is_loaded = False
        #: Later positions are not looked up.
        self._book_plies = -1 if book is None else book.plies

    def _load(self) -> None:
        """Compile or load the search if needed; the time does not count as solving."""
        if not self._is_loaded:
            start_time = time.perf_counter()
            self._search.load()
            self.loading += time.perf_counter() - start_time
            self._is_loaded = True

    def playable(self, position: Position) -> Iterator[int]:
        """Yield the columns that can be played, the most central one first."""
        legal = position.legal_columns
        return (column for column in self.geometry.center_order if column in legal)

    def _book_score(self, position: Position) -> int | None:
        if self.book is None or position.ply > self._book_plies:
            return None
        return self.book.look_up(position)

    def _short_search(
        self, session: Session, position: Position, floor: int, ceiling: int, enough: int = NEVER
    ) -> tuple[list[int | None], bool]:
        """Score the columns of an unfinished position beyond the book, see `solve_columns`.

        Return the scores, None if unknown, and whether the search is complete. If not, a search of
        the first column without a score continues it.
        """
        leader, columns = session.workers[0], self.geometry.columns
        if session.is_limited or position.ply <= self._book_plies:
            return [None] * columns, False
        self._load()
        mine, mask, scores = position.mine, position.mask, leader.columns
        solve_columns = leader.solve_columns
        searched = solve_columns(leader.arrays, mine, mask, floor, ceiling, enough, scores)
        session.continues = searched >= PAUSED
        self.searched += searched % PAUSED
        known = [s if s > UNPLAYABLE else None for s in scores[:columns].tolist()]
        return known, not session.continues

    def score(
        self,
        session: Session,
        position: Position,
        floor: int | None = None,
        ceiling: int | None = None,
        report: OnProgress = None,
    ) -> int:
        """Return the score of a position; a searched score is cut off to floor .. ceiling."""
        if position.is_over:
            return final_score(position)
        known = self._book_score(position)
        if known is not None:
            self.book_hits += 1
            return known
        self.searched += 1
        self._load()
        return session.score(
            position.mine, position.mask, floor=floor, ceiling=ceiling, on_progress=report
        )

    def scores(
        self, session: Session, position: Position, on_progress: OnProgress
    ) -> tuple[int | None, ...]:
        """Return the scores of all columns, or raise `SearchStopped` with the known scores.

        After the end of the session the scores that need no search are still found.
        """
        scores, is_complete = self._short_search(session, position, *session.score_range())
        if is_complete:
            return tuple(scores)
        # The score of the position is an upper bound for every column.
        known = self._book_score(position)
        low, high = session.score_range(known, known)
        children: dict[int, Position] = {}
        for column in self.playable(position):
            child = position.play_unchecked(column)
            score = scores[column]
            if score is not None:
                low = max(low, score)
                continue
            known_score = final_score(child) if child.is_over else self._book_score(child)
            if known_score is None:
                children[column] = child
                continue
            self.book_hits += not child.is_over
            scores[column] = -known_score
            low = max(low, -known_score)
        if not children:
            return tuple(scores)
        images = images_among(children, position)
        floors = column_floors(self.book, children, known)

        def solved(column: int, score: int) -> None:
            self.searched += 1
            scores[column] = -score

        # With a deadline the columns are searched one by one, for bounds of the unsolved ones.
        if len(self._search.workers) > 1 and session.deadline == math.inf:
            self._load()
            tasks = [ChildTask(c, children[c], floors.get(c)) for c in children if c not in images]
            report = reporter(self.geometry, on_progress, tuple(scores))
            session.score_children(tasks, solved, report)
        ceilings: list[int] = []
        for column, child in children.items():
            image = scores[images.get(column, column)]
            if image is None:
                report = reporter(self.geometry, on_progress, tuple(scores))
                try:
                    image = -self.score(session, child, floors.get(column), report=report)
                except SearchStopped as stopped:
                    low = max(low, -stopped.high)
                    ceilings.append(-stopped.low)
                    continue
            scores[column] = image
            low = max(low, image)
        if ceilings:
            high = min(high, max(low, *ceilings))
            raise SearchStopped(low, high, tuple(scores))
        return tuple(scores)

    def best(self, session: Session, position: Position, on_progress: OnProgress) -> BestMoves:
        """Return a position's score and the columns that keep it.

        If the session ends after the score is known, `SearchStopped` has the score as both bounds.
        Raises `InvalidSolve` if a book has a score that no column leads to.
        """
        score = self.score(session, position, report=reporter(self.geometry, on_progress))
        report = reporter(self.geometry, on_progress, known=score)
        with narrow_on_stop(score):
            columns = self.keeping(session, position, score, report, first_only=False)
        if not columns:
            raise inconsistent_book(position, score)
        return BestMoves(score, tuple(columns))

    def keeping(
        self, session: Session, position: Position, score: int, report: OnProgress, first_only: bool
    ) -> list[int]:
        """Return the columns that keep the score of a position, the most central one first."""
        enough = score if first_only else NEVER
        known, is_complete = self._short_search(session, position, score - 1, score, enough)
        if is_complete:
            return [column for column in self.geometry.center_order if known[column] == score]
        children = {column: position.play_unchecked(column) for column in self.playable(position)}
        images = images_among(children, position)
        at_edge = position.ply == self._book_plies
        ongoing = {column: child for column, child in children.items() if not child.is_over}
        floors = column_floors(self.book, ongoing, self._book_score(position) if at_edge else None)
        keeping: list[int] = []
        for column, child in children.items():
            if known[column] is not None:
                keeps_score = known[column] == score
            elif column in images:
                keeps_score = images[column] in keeping
            else:
                may = floors.get(column, -score) == -score
                keeps_score = (
                    may and self.score(session, child, -score, 1 - score, report) == -score
                )
            if keeps_score:
                keeping.append(column)
                if first_only:
                    break
        return keeping

    def score_many(
        self, session: Session, mine: Boards, mask: Boards, on_progress: OnProgress
    ) -> npt.NDArray[np.int8]:
        """Return the scores of many positions; equal ones are solved once."""
        scores = final_scores(mine, mask, self.geometry)
        open_ones = unfinished(mine, mask, self.geometry)
        mine, mask = mine[open_ones], mask[open_ones]
        keys, first, back = np.unique(
            canonical_keys(mine + mask, self.geometry), return_index=True, return_inverse=True
        )
        mine, mask = mine[first], mask[first]
        found = np.full(len(keys), MISSING, dtype=np.int8)
        if self.book is not None:
            found = self.book.look_up_many(keys, disc_counts(mask))
        left = np.flatnonzero(found == MISSING)
        self.book_hits += len(keys) - len(left)
        self.searched += len(left)
        if len(left):
            self._load()
            solved, _ = session.score_many(
                mine[left], mask[left], on_progress=reporter(self.geometry, on_progress)
            )
            found[left] = solved
        scores[open_ones] = found[back.reshape(-1)]
        return scores


def images_among(children: Mapping[int, Position], parent: Position) -> dict[int, int]:
    """Return the earlier mirror column of columns, if the position is its own mirror image."""
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
    """Return lower bounds of positions after columns, one ply beyond a book.

    `known` is the score of the parent, None if it is not in the book: then the result is empty.
    Several positions in the book may lead to a child, one for each top disc of the side that moved
    last. The score of the child is at least minus the score of each of them.
    """
    if book is None or known is None or not children:
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
    bits = next(iter(children.values())).geometry.bits
    found = book.look_up_many(words_of(keys, bits), plies).tolist()
    floors = dict.fromkeys(children, -known)
    for column, score in zip(columns, found, strict=True):
        if score != MISSING:
            floors[column] = max(floors[column], -score)
    return floors


# --- arrays of positions: checks, results of finished games, children -----------------------------


def as_boards(
    positions: Sequence[Position] | tuple[Boards, Boards], geometry: Geometry
) -> tuple[Boards, Boards]:
    """Return `mine` and `mask` of positions, arrays of shape (n,) as in `game.batch`, checked.

    Raises `InvalidSolve` for positions of another board, arrays of other shapes, and invalid discs:
    floating, miscounted, or with a line for the side to move.
    """
    if (
        isinstance(positions, tuple)
        and len(positions) == 2
        and isinstance(positions[0], np.ndarray)
    ):
        found = [_words(each, geometry) for each in positions]
        kind = words(0, geometry.bits)
        if any(w.dtype != kind.dtype or w.ndim != 1 or len(w) != len(found[0]) for w in found):
            name = "WideWords" if isinstance(kind, WideWords) else "uint64"
            raise InvalidSolve(f"mine and mask must be {name} arrays of one shape (n,)")
        mine, mask = found
        bad = is_invalid_position(mine, mask, geometry)
        if bad.any():
            raise InvalidSolve(f"entry {int(np.argmax(bad))} is not a valid position of {geometry}")
        return mine, mask
    listed = items_of(positions, "positions", InvalidSolve)
    for position in listed:
        check_position(position, InvalidSolve, geometry)
    return (
        words_of([position.mine for position in listed], geometry.bits),
        words_of([position.mask for position in listed], geometry.bits),
    )


def _words(given: npt.NDArray[Any], geometry: Geometry) -> Boards:
    """Return an array, contiguous; integers of a wide board (dtype object) as its words."""
    if given.dtype == object and not is_narrow(geometry.bits):
        numbers = given.tolist()
        if all(isinstance(each, int) and not each >> geometry.bits for each in numbers):
            given = words_of(numbers, geometry.bits)
    return np.require(given, requirements="C")


def is_invalid_position(mine: Boards, mask: Boards, geometry: Geometry) -> npt.NDArray[np.bool_]:
    """Return which positions have discs that float, wrong counts, or a line of the side to move."""
    own, others = disc_counts(mine), disc_counts(mine ^ mask)
    return np.asarray(
        (mask & geometry.board != mask)
        | (mine & ~mask != 0)
        | (mask & (mask + geometry.bottom) != 0)
        | (others - own != (others + own) % 2)
        | has_line(mine, geometry)
    )


def unfinished(mine: Boards, mask: Boards, geometry: Geometry) -> npt.NDArray[np.intp]:
    """Return which positions are not over yet."""
    is_open = mask != geometry.board
    return np.flatnonzero(~has_line(mine ^ mask, geometry) & is_open)


def final_scores(mine: Boards, mask: Boards, geometry: Geometry) -> npt.NDArray[np.int8]:
    """Return the scores of finished games for the side that would be to move, 0 for others."""
    lost = has_line(mine ^ mask, geometry)
    return np.where(lost, -win_score(geometry, disc_counts(mask) - 1), 0).astype(np.int8)


def children(
    mine: Boards, mask: Boards, geometry: Geometry
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Boards, Boards]:
    """Return every move of the unfinished positions: (which position, column, mine, mask)."""
    places = unfinished(mine, mask, geometry)
    parts = [
        (places[can], np.full(len(can), column), child_mine, child_mask)
        for column, (can, child_mine, child_mask) in enumerate(
            moves(mine[places], mask[places], geometry)
        )
    ]
    which, columns, child_mine, child_mask = (
        np.concatenate(part) for part in zip(*parts, strict=True)
    )
    return which, columns, child_mine, child_mask
