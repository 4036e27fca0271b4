"""The compiled twin of the textbook searches: one loop on integers for all three.

`search_slice` runs until the search is done or has visited a number of nodes, so that the caller
can check the clock and Ctrl-C between two slices. It uses these arrays, one row for each ply below
the root:

```text
    discs   (plies, 3) uint64      MINE, MASK, TODO: playable cells not tried yet
    numbers (plies, 6) int64       ALPHA_IN, ALPHA, BETA, BEST, PLACE, TRYING
    lines   (plies + 1, plies + 1) row p: length of the best line below p, then its columns
```

`plies` is the number of empty cells at the root plus one. All positions at a ply use the same row.

Contract: values are for the side to move at each ply (negamax). The kernel enters the same
positions in the same order as the textbook. Minimax is the same loop with pruning off.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from claimeven.compiled import RECORDING, for_bits, inlined, kernel, named_tuple, popcount
from claimeven.compiled.types import Int, Ints, Word, Words, boolean, int64, uint64, void
from claimeven.compiled.wide import words
from claimeven.evaluation.registry import Evaluation, evaluate_discs
from claimeven.game import bitboard_kernel
from claimeven.game.bitboard_kernel import BOARD, BOTTOM, CONNECT, HEIGHT, ONE, ZERO
from claimeven.game.position import Position
from claimeven.minimax import transpositions
from claimeven.minimax.transpositions import EXACT, LOWER, NO_TABLE, TABLE, UPPER, Slots
from claimeven.minimax.types import MAX_HEURISTIC, WIN, ColumnValue, Counters, column_order

#: Fields of a row. ALPHA_IN is alpha on entering the position, PLACE the next place in the order
#: of columns (-1: a column out of order comes first), TRYING the last column.
MINE, MASK, TODO, DISCS_FIELDS = range(4)
ALPHA_IN, ALPHA, BETA, BEST, PLACE, TRYING, NUMBERS_FIELDS = range(7)
#: Registers: the current ply (DONE at the end), and the options of the search.
PLY, DEPTH_LIMIT, PRUNE, TABLE_BITS, EVALUATION, ROOT_VIEW, REGISTERS = range(7)
DONE: Final = -1
#: The counts, in the order of `Counters`.
NODES, EVALUATIONS, CUTOFFS, EXPANDED, TABLE_HITS, DEEPEST, COUNTERS = range(7)
#: A root row: the value of a column and its state, UNSEEN if it was not searched.
ROOT_VALUE, ROOT_STATE, ROOT_FIELDS = range(3)
UNSEEN, BOUNDED, IS_EXACT = range(3)

#: The steps of a search, as in `types.Event`: behind the counts, their number, then the slots of
#: each. In modules for the page, kernels write them while the array has room.
STEPS: Final = COUNTERS
KIND, STEP_PLY, COLUMN, LOW, HIGH, VALUE, REASON, SKIPPED, STEP_SLOTS = range(9)
ENTERED, RETURNED, CUT = range(3)
BY_WIN, BY_DRAW, BY_EVALUATION, BY_TABLE, BY_COLUMNS = range(5)

INFINITY: Final = 1 << 62


class Rows(NamedTuple):
    """The arrays of a search, one row for each ply: see above."""

    discs: Words
    numbers: Ints
    lines: Ints


class Progress(NamedTuple):
    """The state of a search: `registers`, the `counts`, and a row of `roots` per root column.

    The steps of the search may be behind the counts.
    """

    registers: Ints
    counts: Ints
    roots: Ints


class Rules(NamedTuple):
    """The constants of a search: board vector, `order` of columns, weights of the evaluation."""

    board: Words
    order: Ints
    weights: Ints


ROWS: Final = named_tuple(Rows, uint64[:, ::1], int64[:, ::1], int64[:, ::1])
PROGRESS: Final = named_tuple(Progress, int64[::1], int64[::1], int64[:, ::1])
RULES: Final = named_tuple(Rules, uint64[::1], int64[::1], int64[::1])


@inlined
def open_row(rows: Rows, ply: Int, rules: Rules, alpha: Int, beta: Int, first: Int) -> None:
    """Start the position of a row with MINE and MASK set; try `first` first if it is >= 0."""
    discs, numbers, board = rows.discs, rows.numbers, rules.board
    discs[ply, TODO] = bitboard_kernel.playable_cells(discs[ply, MASK], board[BOTTOM], board[BOARD])
    numbers[ply, ALPHA_IN] = alpha
    numbers[ply, ALPHA] = alpha
    numbers[ply, BETA] = beta
    numbers[ply, BEST] = -INFINITY
    numbers[ply, PLACE] = 0 if first < 0 else -1
    numbers[ply, TRYING] = first


@inlined
def record_step(
    rows: Rows, counts: Ints, kind: Int, ply: Int, window: tuple[Int, Int], value: Int, reason: Int
) -> None:
    """Write a step at a position; its window and value are for the side to move there."""
    if counts.shape[0] <= STEPS:
        return
    place = STEPS + 1 + STEP_SLOTS * counts[STEPS]
    counts[STEPS] += 1
    if place + STEP_SLOTS > counts.shape[0]:
        return
    counts[place + KIND] = kind
    counts[place + STEP_PLY] = ply
    counts[place + COLUMN] = rows.numbers[ply - 1, TRYING] if ply > 0 else -1
    counts[place + LOW], counts[place + HIGH] = window
    counts[place + VALUE] = value
    counts[place + REASON] = reason
    counts[place + SKIPPED] = popcount(rows.discs[ply, TODO]) if kind == CUT else 0


@inlined
def record_return(rows: Rows, counts: Ints, registers: Ints, ply: Int) -> None:
    """Write that the columns of a position are done, with the window that its textbook reports."""
    numbers = rows.numbers
    window = numbers[ply, ALPHA], numbers[ply, BETA]
    if registers[PRUNE] == 0:
        window = np.int64(-INFINITY), np.int64(INFINITY)
    elif registers[TABLE_BITS] != NO_TABLE:  # negamax
        window = numbers[ply, ALPHA_IN], numbers[ply, BETA]
    record_step(rows, counts, RETURNED, ply, window, numbers[ply, BEST], BY_COLUMNS)


@inlined
def child_window(rows: Rows, ply: Int, prune: bool) -> tuple[Int, Int]:
    """Return the window of the next position, one ply below."""
    if not prune:
        return np.int64(-INFINITY), np.int64(INFINITY)
    return -rows.numbers[ply, BETA], -rows.numbers[ply, ALPHA]


@kernel(void(ROWS, RULES, PROGRESS, TABLE), trusting=True)
def start_search(rows: Rows, rules: Rules, progress: Progress, table: Slots) -> None:
    """Enter the root, whose discs are in row 0."""
    progress.counts[NODES] = 1
    progress.counts[EXPANDED] = 1
    first = np.int64(-1)
    bits = progress.registers[TABLE_BITS]
    if bits != NO_TABLE and progress.registers[PRUNE] != 0:
        first = transpositions.best_column(table, bits, rows.discs[0, MINE] + rows.discs[0, MASK])
    open_row(rows, 0, rules, -INFINITY, INFINITY, first)
    if RECORDING:
        window = np.int64(-INFINITY), np.int64(INFINITY)
        record_step(rows, progress.counts, ENTERED, np.int64(0), window, np.int64(0), np.int64(0))


@inlined
def _store_searched(table: Slots, bits: Int, rows: Rows, ply: Int, depth: Int) -> None:
    """Store the position of a row whose columns are done in the table."""
    discs, numbers = rows.discs, rows.numbers
    value = numbers[ply, BEST]
    bound = EXACT
    if value <= numbers[ply, ALPHA_IN]:
        bound = UPPER
    elif value >= numbers[ply, BETA]:
        bound = LOWER
    key = discs[ply, MINE] + discs[ply, MASK]
    transpositions.store(
        table, bits, key, transpositions.from_root(value, -ply), depth, bound, rows.lines[ply, 1]
    )


@inlined
def next_column(rows: Rows, rules: Rules, ply: Int, todo: Word) -> tuple[Int, Word]:
    """Return the next column of the order that is left to try, and its cell; update the row."""
    numbers, order, height = rows.numbers, rules.order, rules.board[HEIGHT]
    column_cells = (ONE << height) - ONE
    place = numbers[ply, PLACE]
    if place < 0:
        column = numbers[ply, TRYING]
        cell = todo & (column_cells << (np.uint64(column) * height))
        place = 0
    else:
        column = np.int64(0)
        cell = ZERO
        while cell == ZERO:
            column = order[place]
            cell = todo & (column_cells << (np.uint64(column) * height))
            place += 1
    numbers[ply, PLACE] = place
    numbers[ply, TRYING] = column
    return column, cell


@inlined
def update_best(rows: Rows, ply: Int, column: Int, value: Int) -> None:
    """Store the value of a column and its line if the value is the best so far."""
    numbers, lines = rows.numbers, rows.lines
    if value <= numbers[ply, BEST]:
        return
    numbers[ply, BEST] = value
    length = lines[ply + 1, 0]
    lines[ply, 0] = length + 1
    lines[ply, 1] = column
    for i in range(length):
        lines[ply, i + 2] = lines[ply + 1, i + 1]
    numbers[ply, ALPHA] = max(numbers[ply, ALPHA], value)


@kernel(boolean(ROWS, RULES, PROGRESS, TABLE, int64), trusting=True)
def search_slice(rows: Rows, rules: Rules, progress: Progress, table: Slots, pause: Int) -> Int:
    """Continue a search until it is done (returns True) or has visited `pause` nodes."""
    discs, numbers, roots = rows.discs, rows.numbers, progress.roots
    registers, counts = progress.registers, progress.counts
    height, connect, board = rules.board[HEIGHT], rules.board[CONNECT], rules.board[BOARD]
    depth_limit, bits = registers[DEPTH_LIMIT], registers[TABLE_BITS]
    prune, which = registers[PRUNE] != 0, registers[EVALUATION]
    root_view = registers[ROOT_VIEW] != 0
    nodes, evaluations, deepest = counts[NODES], counts[EVALUATIONS], counts[DEEPEST]
    ply = registers[PLY]
    done = ply == DONE
    while not done:
        todo = discs[ply, TODO]
        if todo == ZERO:
            # Step 1. No column is left: pass the value of the position to its parent.
            value = numbers[ply, BEST]
            if bits != NO_TABLE:
                _store_searched(table, bits, rows, ply, depth_limit - ply)
            if RECORDING:
                record_return(rows, counts, registers, ply)
            if ply == 0:
                done = True
                break
            ply -= 1
            value = -value
            column = numbers[ply, TRYING]
        else:
            # Step 2. Drop a disc in the next column of the order that is not full.
            if nodes >= pause:
                break
            column, cell = next_column(rows, rules, ply, todo)
            discs[ply, TODO] = todo ^ cell
            mover = discs[ply, MINE] | cell
            mask = discs[ply, MASK] | cell
            theirs = mover ^ mask
            below = ply + 1
            nodes += 1
            if RECORDING:
                reason = BY_DRAW
                window = child_window(rows, ply, prune)
                record_step(rows, counts, ENTERED, below, window, np.int64(0), np.int64(0))
            deepest = max(deepest, below)
            rows.lines[below, 0] = 0

            # Step 3. Its value, if the game is over, the table has it, or depth is 0.
            if bitboard_kernel.has_line(mover, height, connect):
                value = np.int64(WIN - below)
                if RECORDING:
                    reason = BY_WIN
            elif mask == board:
                value = np.int64(0)
            else:
                alpha, beta = -numbers[ply, BETA], -numbers[ply, ALPHA]
                if not prune:
                    alpha, beta = np.int64(-INFINITY), np.int64(INFINITY)
                depth = depth_limit - below
                settled = False
                first = np.int64(-1)
                value = np.int64(0)
                if RECORDING:
                    reason = BY_TABLE
                if bits != NO_TABLE:
                    key = theirs + mask
                    settled, value, first = transpositions.probe(
                        table, bits, key, below, depth, alpha, beta
                    )
                    if settled:
                        counts[TABLE_HITS] += 1
                if not prune:
                    first = np.int64(-1)
                if not settled and depth == 0:
                    settled = True
                    if RECORDING:
                        reason = BY_EVALUATION
                    evaluations += 1
                    is_swapped = root_view and below & 1 != 0
                    seen = mover if is_swapped else theirs
                    value = evaluate_discs(which, seen, mask, rules.board, rules.weights)
                    value = max(-MAX_HEURISTIC, min(MAX_HEURISTIC, -value if is_swapped else value))
                    if bits != NO_TABLE:
                        transpositions.store(table, bits, theirs + mask, value, 0, EXACT, -1)
                if not settled:
                    # Step 4. Otherwise it gets a row and is searched next.
                    discs[below, MINE] = theirs
                    discs[below, MASK] = mask
                    open_row(rows, below, rules, alpha, beta, first)
                    counts[EXPANDED] += 1
                    ply = below
                    continue
                value = -value
            if RECORDING:
                window = child_window(rows, ply, prune)
                record_step(rows, counts, RETURNED, below, window, -value, reason)

        # Step 5. The value of a column is known: update the best, cut if the bounds meet.
        if ply == 0:
            exact = (not prune) or value > numbers[0, ALPHA]
            roots[column, ROOT_VALUE] = value
            roots[column, ROOT_STATE] = IS_EXACT if exact else BOUNDED
        update_best(rows, ply, column, value)
        if prune and numbers[ply, ALPHA] >= numbers[ply, BETA] and discs[ply, TODO] != ZERO:
            counts[CUTOFFS] += 1
            if RECORDING:
                window = numbers[ply, ALPHA], numbers[ply, BETA]
                record_step(rows, counts, CUT, ply, window, numbers[ply, BEST], BY_COLUMNS)
            discs[ply, TODO] = ZERO
    registers[PLY] = DONE if done else ply
    counts[NODES], counts[EVALUATIONS], counts[DEEPEST] = nodes, evaluations, deepest
    return done


class SearchState:
    """The arrays of one search of one position, which `run` resumes where it paused."""

    def __init__(
        self,
        position: Position,
        depth: int,
        prune: bool,
        evaluation: Evaluation,
        order: str,
        table: transpositions.CompiledTranspositionTable | None,
        view: str,
    ) -> None:
        geometry = position.geometry
        plies = geometry.cells - position.ply + 1
        self.rows: Rows = Rows(
            words((plies, DISCS_FIELDS), geometry.bits),
            np.zeros((plies, NUMBERS_FIELDS), dtype=np.int64),
            np.zeros((plies + 1, plies + 1), dtype=np.int64),
        )
        self.rows.discs[0, MINE], self.rows.discs[0, MASK] = position.mine, position.mask
        self.rules: Rules = Rules(
            bitboard_kernel.board_vector(geometry).copy(),
            np.array(column_order(geometry, order), dtype=np.int64),
            evaluation.kernel_weights(geometry),
        )
        options = {
            DEPTH_LIMIT: depth,
            PRUNE: prune,
            TABLE_BITS: NO_TABLE if table is None else table.bits,
            EVALUATION: evaluation.kernel,
            ROOT_VIEW: view == "root",
        }
        registers = np.zeros(REGISTERS, dtype=np.int64)
        registers[list(options)] = list(options.values())
        self.progress: Progress = Progress(
            registers,
            np.zeros(COUNTERS, dtype=np.int64),
            np.zeros((geometry.columns, ROOT_FIELDS), dtype=np.int64),
        )
        self.table: Slots = (
            transpositions.no_arrays(geometry.bits) if table is None else table.arrays
        )
        for_bits(start_search, geometry.bits)(self.rows, self.rules, self.progress, self.table)
        self._slice = for_bits(search_slice, geometry.bits)

    def run(self, nodes: int) -> bool:
        """Search on until the node count reaches `nodes`; return whether the search is done."""
        return bool(self._slice(self.rows, self.rules, self.progress, self.table, nodes))

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return int(self.progress.counts[NODES])

    @property
    def value(self) -> int:
        """Value of the root for the side to move, once the search is done."""
        return int(self.rows.numbers[0, BEST])

    @property
    def line(self) -> tuple[int, ...]:
        """The principal variation as 0-based columns, once the search is done."""
        lines = self.rows.lines
        return tuple(lines[0, 1 : 1 + lines[0, 0]].tolist())

    @property
    def columns(self) -> tuple[ColumnValue | None, ...]:
        """The value of each root column, None if it was not searched."""
        return tuple(
            None if state == UNSEEN else ColumnValue(value, state == IS_EXACT)
            for value, state in self.progress.roots.tolist()
        )

    @property
    def counters(self) -> Counters:
        """The counts so far."""
        counters = Counters(*self.progress.counts.tolist())
        counters.searches = 1
        return counters
