"""The assumptions of the search, checked on every position of a board.

The proofs are in `claimeven.solver.bounds`; each function here checks one of its sections, as
compiled, against the scores of plain minimax. The tests run them on boards whose positions are
counted out in seconds; any other board by hand: `python -m tests.solver.exhaustive 5 4 4`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.compiled import Int, for_bits, int64, kernel, uint64, void
from claimeven.compiled.wide import WideWords, words
from claimeven.game.geometry import Geometry
from claimeven.solver import layout
from claimeven.solver.bounds import NO_BOUND, completing_cells, static_bound
from claimeven.solver.kernel import search
from claimeven.solver.layout import ARRAYS, Arrays, fixed_of
from claimeven.solver.search import ExactSearch
from claimeven.solver.steps import decided_value, play_forced, position_hash
from tests.solver.plain import all_scores, as_arrays

Boards = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]


def _run(check: Callable[..., None], setup: Any, *given: Any) -> None:
    """Run a kernel; with a wide setup in wide words, which replace the uint64 arrays."""
    if not isinstance(setup, WideWords):
        check(*given)
        return
    found = [_widened(each) for each in given]
    for_bits(check, 128)(*found)
    for each, wide in zip(given, found, strict=True):
        if wide is not each:
            each[...] = wide.view(np.ndarray)["low"]


def _widened(array: Any) -> Any:
    if not isinstance(array, np.ndarray) or array.dtype != np.uint64:
        return array
    wide = words(array.shape, 128)
    wide.view(np.ndarray)["low"] = array
    return wide


@kernel(void(uint64[::1], uint64[::1], uint64[::1], uint64[::1]))
def _write_winning(setup: Boards, discs: Boards, masks: Boards, found: Boards) -> None:
    fixed = fixed_of(setup)
    for i in range(len(discs)):
        found[i] = completing_cells(fixed, discs[i], masks[i])


def winning(setup: Boards, discs: Boards, masks: Boards) -> Boards:
    """Return the empty cells that complete a line for `discs`, of each position."""
    found = np.zeros_like(discs)
    _run(_write_winning, setup, setup, discs, masks, found)
    return found


@kernel(void(uint64[::1], uint64[::1], uint64[::1], uint64[:, ::1], int64[::1]))
def _play_on(setup: Boards, mines: Boards, masks: Boards, boards: Boards, plies: Numbers) -> None:
    fixed = fixed_of(setup)
    for i in range(len(mines)):
        threats = completing_cells(fixed, masks[i] ^ mines[i], masks[i])
        mine, mask, threats, replies, played = play_forced(
            fixed, mines[i], masks[i], threats, np.int64(0)
        )
        boards[0, i], boards[1, i], boards[2, i], boards[3, i] = mine, mask, threats, replies
        plies[i] = played


def played_on(
    setup: Boards, mines: Boards, masks: Boards
) -> tuple[Boards, Boards, Boards, Boards, Numbers]:
    """Return what `play_forced` makes of each position: mines, masks, threats, replies, plies."""
    boards = np.zeros((4, len(mines)), dtype=np.uint64)
    plies = np.zeros(len(mines), dtype=np.int64)
    _run(_play_on, setup, setup, mines, masks, boards, plies)
    return boards[0], boards[1], boards[2], boards[3], plies


@kernel(void(uint64[::1], uint64[::1], int64[::1], int64[::1], int64[::1]))
def _write_decided(
    setup: Boards, masks: Boards, empties: Numbers, plies: Numbers, values: Numbers
) -> None:
    fixed = fixed_of(setup)
    for i in range(len(masks)):
        values[i] = decided_value(fixed, masks[i], empties[i], plies[i])


def decided_values(setup: Boards, masks: Boards, empties: Numbers, plies: Numbers) -> Numbers:
    """Return the value of each decided position for the side that had `empties`, `plies` ago."""
    values = np.zeros(len(masks), dtype=np.int64)
    _run(_write_decided, setup, setup, masks, empties, plies, values)
    return values


@kernel(void(uint64[::1], uint64[::1], uint64[::1], uint64[::1], int64[::1], int64, int64[::1]))
def _write_static(
    setup: Boards,
    mines: Boards,
    masks: Boards,
    threats: Boards,
    empties: Numbers,
    alpha: Int,
    values: Numbers,
) -> None:
    fixed = fixed_of(setup)
    for i in range(len(mines)):
        values[i] = static_bound(fixed, setup, mines[i], masks[i], threats[i], empties[i], alpha)


def static_bounds(
    setup: Boards,
    mines: Boards,
    masks: Boards,
    threats: Boards,
    empties: Numbers,
    alpha: int,
) -> Numbers:
    """Return the static bound of each position for one window."""
    values = np.zeros(len(mines), dtype=np.int64)
    _run(_write_static, setup, setup, mines, masks, threats, empties, np.int64(alpha), values)
    return values


@kernel(void(uint64[::1], uint64[::1], uint64[::1], int64[::1], uint64[::1]))
def _write_hashes(
    setup: Boards, mines: Boards, masks: Boards, plies: Numbers, places: Boards
) -> None:
    fixed = fixed_of(setup)
    for i in range(len(mines)):
        places[i] = position_hash(fixed, mines[i], masks[i], plies[i])


def hashes(setup: Boards, mines: Boards, masks: Boards, plies: Numbers) -> Boards:
    """Return the slot of each position in the table."""
    places = np.zeros_like(mines)
    _run(_write_hashes, setup, setup, mines, masks, plies, places)
    return places


class Nodes(NamedTuple):
    """Positions in which the mover has a choice, one row an array, and their scores."""

    mines: Boards
    masks: Boards
    threats: Boards
    replies: Boards
    empties: Numbers
    scores: Numbers


class Everything:
    """Every position of a board without a win, with its score."""

    def __init__(self, columns: int, rows: int, connect: int) -> None:
        self.size = (columns, rows, connect)
        self.geometry = Geometry(columns, rows, connect)
        self.engine = ExactSearch(self.geometry, table_mb=1)
        self.setup = self.engine.workers[0].arrays.setup
        mines, masks, scores = as_arrays(*self.size)
        order = np.argsort(mines + masks)
        self.mines, self.masks, self.scores = mines[order], masks[order], scores[order]
        self.keys = self.mines + self.masks
        self.playable = (self.masks + np.uint64(self.geometry.bottom)) & np.uint64(
            self.geometry.board
        )
        self.empties = self.geometry.cells - np.bitwise_count(self.masks).astype(np.int64)
        wins = winning(self.setup, self.mines, self.masks) & self.playable
        self.wins_at_hand = wins != 0
        self.is_full = self.empties == 0

    def score_of(self, mines: Boards, masks: Boards) -> Numbers:
        """Return the scores of positions of this board."""
        keys = mines + masks
        places = np.searchsorted(self.keys, keys)
        np.testing.assert_array_equal(self.keys[places], keys)
        return self.scores[places]

    @property
    def quiet(self) -> npt.NDArray[np.bool_]:
        """Positions that are neither full nor have a win at hand."""
        quiet: npt.NDArray[np.bool_] = ~(self.wins_at_hand | self.is_full)
        return quiet

    @cached_property
    def nodes(self) -> Nodes:
        """Positions that the search enters as nodes."""
        mines, masks = self.mines[self.quiet], self.masks[self.quiet]
        *_, threats, replies, plies = played_on(self.setup, mines, masks)
        chosen = (plies == 0) & (replies != 0)
        return Nodes(
            mines[chosen],
            masks[chosen],
            threats[chosen],
            replies[chosen],
            self.empties[self.quiet][chosen],
            self.scores[self.quiet][chosen],
        )

    def moves(self, masks: Boards, column: int) -> Boards:
        """Return the cell of a disc dropped into a column, 0 if the column is full."""
        within = np.uint64(self.geometry.column_mask(column))
        return (masks + np.uint64(self.geometry.bottom)) & within


# -- one check for each section of the proofs


def range_of_scores(board: Everything) -> int:
    """The bound from the number of discs, and whether a win is at hand."""
    won, quiet = board.wins_at_hand, board.quiet
    np.testing.assert_array_equal(board.scores[won], (board.empties[won] + 1) // 2)
    np.testing.assert_array_equal(board.scores[board.is_full], 0)
    assert (board.scores[quiet] >= -(board.empties[quiet] // 2)).all()
    assert (board.scores[quiet] <= (board.empties[quiet] - 1) // 2).all()
    return int(quiet.sum())


def forced_replies(board: Everything) -> int:
    """Lines of forced replies end in a decided position or one with a choice of the same value."""
    mines, masks = board.mines[board.quiet], board.masks[board.quiet]
    empties, scores = board.empties[board.quiet], board.scores[board.quiet]
    ends, end_masks, threats, replies, plies = played_on(board.setup, mines, masks)
    decided = replies == 0
    values = decided_values(board.setup, end_masks, empties, plies)
    np.testing.assert_array_equal(values[decided], scores[decided])
    assert (np.bitwise_count(replies[~decided]) >= 2).all()
    below = board.score_of(ends, end_masks)
    np.testing.assert_array_equal(np.where(plies % 2, -below, below)[~decided], scores[~decided])
    theirs = winning(board.setup, ends ^ end_masks, end_masks)
    np.testing.assert_array_equal(threats, theirs)
    return int((plies > 0).sum()) + int(decided.sum())


def choices(board: Everything) -> int:
    """At a node the omitted replies lose immediately, and the best of the others is the score."""
    node = board.nodes
    best = np.full(len(node.mines), -1000)
    left_out = 0
    for column in range(board.geometry.columns):
        move = board.moves(node.masks, column)
        for is_reply in (True, False):
            chosen = (move != 0) & (((move & node.replies) != 0) == is_reply)
            theirs = (node.mines ^ node.masks)[chosen]
            values = -board.score_of(theirs, node.masks[chosen] | move[chosen])
            if is_reply:
                best[chosen] = np.maximum(best[chosen], values)
            else:
                np.testing.assert_array_equal(values, -(node.empties[chosen] // 2))
                left_out += len(values)
    np.testing.assert_array_equal(best, node.scores)
    return left_out


def range_at_a_node(board: Everything) -> int:
    """Neither side wins with its next disc."""
    node = board.nodes
    low, high = -((node.empties - 2) // 2), (node.empties - 1) // 2
    assert ((low <= node.scores) & (node.scores <= high)).all()
    return int(((node.scores == low) | (node.scores == high)).sum())


def nearest_win(board: Everything) -> int:
    """A node with a child left and no decided win has no win with the mover's second disc."""
    node = board.nodes
    best = np.full(len(node.mines), -1000)
    left = np.zeros(len(node.mines), dtype=bool)
    for column in range(board.geometry.columns):
        move = board.moves(node.masks, column) & node.replies
        chosen = move != 0
        theirs = (node.mines ^ node.masks)[chosen]
        _, masks, _, replies, plies = played_on(board.setup, theirs, (node.masks | move)[chosen])
        decided = replies == 0
        values = decided_values(board.setup, masks, node.empties[chosen], plies + 1)
        best[chosen] = np.maximum(best[chosen], np.where(decided, values, -1000))
        left[chosen] |= ~decided
    second = (node.empties - 1) // 2
    np.testing.assert_array_equal(node.scores[best == second], second[best == second])
    bounded = left & (best < second)
    assert (node.scores[bounded] <= (node.empties[bounded] - 3) // 2).all()
    assert (node.empties[bounded] >= 3).all()
    return int(bounded.sum())


def static(board: Everything) -> int:
    """Every bound that needs no search, in every window."""
    node = board.nodes
    most = (board.geometry.cells + 1) // 2
    decided = 0
    for alpha in range(-most, most):
        values = static_bounds(
            board.setup, node.mines, node.masks, node.threats, node.empties, alpha
        )
        known = values != NO_BOUND
        values, scores = values[known], node.scores[known]
        assert np.where(values > alpha, values <= scores, scores <= values).all()
        decided += len(values)
    return decided


def mirror_images(board: Everything) -> int:
    """A position and its mirror image share score and place; no other two share a place."""
    geometry, width = board.geometry, np.uint64(board.geometry.height)
    column = np.uint64((1 << geometry.height) - 1)
    mines, masks = np.zeros_like(board.mines), np.zeros_like(board.masks)
    for number in range(geometry.columns):
        there = np.uint64(geometry.columns - 1 - number) * width
        mines |= (board.mines >> np.uint64(number) * width & column) << there
        masks |= (board.masks >> np.uint64(number) * width & column) << there
    np.testing.assert_array_equal(board.score_of(mines, masks), board.scores)
    plies = geometry.cells - board.empties
    places = hashes(board.setup, board.mines, board.masks, plies)
    images = hashes(board.setup, mines, masks, plies)
    early = plies <= geometry.cells // 3
    np.testing.assert_array_equal(places[early], images[early])
    keys = np.where(early, np.minimum(board.keys, mines + masks), board.keys)
    kinds, firsts, kind_of = np.unique(places, return_index=True, return_inverse=True)
    assert len(kinds) == len(np.unique(keys))
    np.testing.assert_array_equal(keys[firsts][kind_of], keys)
    return int(early.sum())


def windows(board: Everything) -> int:
    """Each alpha from 3 below the score to 2 above it, while the table fills up."""
    worker = board.engine.workers[0]
    worker.control[layout.BUDGET] = 1 << 62
    worker.shared[:3] = (0, -99, 99)
    board.engine.clear()
    before = board.engine.nodes
    order = np.random.default_rng(1).permutation(np.flatnonzero(~board.is_full))
    for offset in (0, -1, 1, -2, -3, 2):
        alphas = board.scores[order] + offset
        values = tested(worker.arrays, board.mines[order], board.masks[order], alphas)
        scores = board.scores[order]
        is_low = values > alphas
        np.testing.assert_array_equal(is_low, scores > alphas)
        assert np.where(is_low, values <= scores, scores <= values).all()
    return board.engine.nodes - before


@kernel(void(ARRAYS, uint64[::1], uint64[::1], int64[::1], int64[::1]))
def _test(arrays: Arrays, mines: Boards, masks: Boards, alphas: Numbers, values: Numbers) -> None:
    for i in range(len(mines)):
        values[i] = search(arrays, mines[i], masks[i], alphas[i])


def tested(arrays: Arrays, mines: Boards, masks: Boards, alphas: Numbers) -> Numbers:
    """Return the result of the search for each position and its window."""
    values = np.zeros(len(mines), dtype=np.int64)
    _run(_test, arrays.setup, arrays, mines, masks, alphas, values)
    return values


#: Returns how many positions, moves, windows or nodes it bore upon.
Check = Callable[[Everything], int]

CHECKS: tuple[Check, ...] = (
    range_of_scores,
    forced_replies,
    choices,
    range_at_a_node,
    nearest_win,
    static,
    mirror_images,
    windows,
)


def main() -> None:
    columns, rows, connect = map(int, sys.argv[1:])
    start = time.perf_counter()
    found = len(all_scores(columns, rows, connect))
    print(f"{found:,} positions of {columns}x{rows} connect {connect}")
    board = Everything(columns, rows, connect)
    print(f"scored by plain minimax in {time.perf_counter() - start:.0f} s")
    for check in CHECKS:
        print(f"{check.__name__:16s} holds, {check(board):,}", flush=True)


if __name__ == "__main__":
    main()
