"""The compiled twin of the textbook searches: one loop on plain integers for all three.

A search is a `SearchState`: arrays that `search_slice` works on until the search is done or a
number of nodes is reached, so a caller can look at the clock, or at Ctrl-C, between two slices.
The loop keeps one row for each ply below the root:

```text
    discs   (cells + 1, 3) uint64   MINE, MASK, TODO: playable cells not tried yet
    numbers (cells + 1, 6) int64    ALPHA_IN, ALPHA, BETA, BEST, PLACE, TRYING
    lines   (cells + 1, cells + 2)  row p: length of the best line below p, then its columns
```

Contract: values are those of the side to move at each ply (negamax), and the same positions are
entered in the same order as in the textbook; minimax is the same loop with pruning off.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, inlined, kernel
from claimeven.evaluation.dispatch import evaluate_discs
from claimeven.evaluation.registry import Evaluation
from claimeven.game.position import Position
from claimeven.game.tactics_kernel import (
    BOARD,
    BOTTOM,
    CONNECT,
    HEIGHT,
    ONE,
    ZERO,
    board_vector,
    has_line,
    playable_cells,
)
from claimeven.minimax.rules import MOST, PROVEN, WIN, ColumnValue, Counters, column_order
from claimeven.minimax.transpositions import (
    BOUND,
    COLUMN,
    DEPTH,
    EXACT,
    LOWER,
    MULTIPLIER,
    UPPER,
    VALUE,
    CompiledTranspositionTable,
)

MINE, MASK, TODO = range(3)
ALPHA_IN, ALPHA, BETA, BEST, PLACE, TRYING = range(6)
#: Registers: where the loop stands, and the search's options.
PLY, DEPTH_LIMIT, PRUNE, TABLE_BITS, EVALUATION, ROOT_VIEW, REGISTERS = range(7)
NODES, EVALUATIONS, CUTOFFS, EXPANDED, TABLE_HITS, DEEPEST, COUNTERS = range(7)
#: Root rows: value of each column and whether it is exact; UNSEEN where not searched.
UNSEEN, BOUNDED, IS_EXACT = range(3)

INFINITY = 1 << 62
NO_TABLE = -1
DONE = -1
_HASH = np.uint64(MULTIPLIER)
_WORD = np.uint64(64)


class SearchState:
    """The arrays of one search of one position, ready for `run`."""

    def __init__(
        self,
        position: Position,
        depth: int,
        algorithm: str,
        evaluation: Evaluation,
        order: str,
        table: CompiledTranspositionTable | None,
        view: str,
    ) -> None:
        geometry = position.geometry
        plies = geometry.cells - position.ply + 1
        self.words = board_vector(geometry)
        self.order = np.array(column_order(geometry, order), dtype=np.int64)
        self.discs = np.zeros((plies, 3), dtype=np.uint64)
        self.numbers = np.zeros((plies, 6), dtype=np.int64)
        self.lines = np.zeros((plies + 1, plies + 1), dtype=np.int64)
        self.roots = np.zeros((geometry.columns, 2), dtype=np.int64)
        self.counts = np.zeros(COUNTERS, dtype=np.int64)
        self.weights = evaluation.kernel_weights(geometry)
        self.keys = table.keys if table is not None else _NO_KEYS
        self.entries = table.entries if table is not None else _NO_ENTRIES
        self.registers = np.array(
            [
                0,
                depth,
                algorithm != "minimax",
                table.bits if table is not None else NO_TABLE,
                evaluation.kernel,
                view == "root",
            ],
            dtype=np.int64,
        )
        self.discs[0, :2] = (position.mine, position.mask)
        start_search(
            self.words,
            self.discs,
            self.numbers,
            self.registers,
            self.counts,
            self.keys,
            self.entries,
        )

    def run(self, nodes: int) -> bool:
        """Search on until the node count reaches `nodes`; return whether the search is done."""
        return bool(
            search_slice(
                self.words,
                self.order,
                self.discs,
                self.numbers,
                self.lines,
                self.roots,
                self.registers,
                self.counts,
                self.weights,
                self.keys,
                self.entries,
                nodes,
            )
        )

    @property
    def nodes(self) -> int:
        """Positions looked at so far."""
        return int(self.counts[NODES])

    @property
    def value(self) -> int:
        """Value at the root, for the side to move; meaningful once done."""
        return int(self.numbers[0, BEST])

    @property
    def line(self) -> tuple[int, ...]:
        """The principal variation as 0-based columns; meaningful once done."""
        return tuple(self.lines[0, 1 : 1 + self.lines[0, 0]].tolist())

    @property
    def columns(self) -> tuple[ColumnValue | None, ...]:
        """What is known of each root column."""
        return tuple(
            None if state == UNSEEN else ColumnValue(value, state == IS_EXACT)
            for value, state in self.roots.tolist()
        )

    @property
    def counters(self) -> Counters:
        """The counts so far."""
        counts = self.counts.tolist()
        return Counters(
            counts[NODES],
            counts[EVALUATIONS],
            counts[CUTOFFS],
            counts[EXPANDED],
            counts[TABLE_HITS],
            counts[DEEPEST],
        )


_NO_KEYS = np.zeros(1, dtype=np.uint64)
_NO_ENTRIES = np.zeros((1, 4), dtype=np.int64)


@inlined
def _slot(key: Word, bits: Int) -> Int:
    """Slot of a key in a table of 2^bits entries, as `table.slot_of`."""
    if bits == 0:
        return np.int64(0)
    return np.int64((key * _HASH) >> (_WORD - np.uint64(bits)))


@inlined
def _from_root(value: Int, ply: Int) -> Int:
    """Count a stored proven result's plies from the root of this search."""
    if value > PROVEN:
        return value - ply
    return value + ply if value < -PROVEN else value


@inlined
def _open_row(
    discs: Words, numbers: Ints, ply: Int, words: Words, alpha: Int, beta: Int, first: Int
) -> None:
    """Begin the position of a row whose MINE and MASK are set; `first` is tried first, if >= 0."""
    discs[ply, TODO] = playable_cells(discs[ply, MASK], words[BOTTOM], words[BOARD])
    numbers[ply, ALPHA_IN] = alpha
    numbers[ply, ALPHA] = alpha
    numbers[ply, BETA] = beta
    numbers[ply, BEST] = -INFINITY
    numbers[ply, PLACE] = 0 if first < 0 else -1
    numbers[ply, TRYING] = first


_WORDS = "Array(uint64, 1, 'C', readonly=True)"


@kernel(f"void({_WORDS}, uint64[:, ::1], int64[:, ::1], int64[::1], int64[::1], uint64[::1],"
        " int64[:, ::1])")  # fmt: skip
def start_search(
    words: Words,
    discs: Words,
    numbers: Ints,
    registers: Ints,
    counts: Ints,
    keys: Words,
    entries: Ints,
) -> None:
    """Enter the root, whose discs stand in row 0."""
    counts[NODES] = 1
    counts[EXPANDED] = 1
    first = np.int64(-1)
    if registers[TABLE_BITS] != NO_TABLE:
        key = discs[0, MINE] + discs[0, MASK]
        slot = _slot(key, registers[TABLE_BITS])
        if keys[slot] == key:
            first = entries[slot, COLUMN]
    _open_row(discs, numbers, 0, words, -INFINITY, INFINITY, first)


@inlined
def _probe(
    keys: Words, entries: Ints, bits: Int, key: Word, ply: Int, depth: Int, alpha: Int, beta: Int
) -> tuple[bool, Int, Int]:
    """Ask the table: whether it settles the position, its value if so, its best column or -1."""
    slot = _slot(key, bits)
    if keys[slot] != key:
        return False, np.int64(0), np.int64(-1)
    value = _from_root(entries[slot, VALUE], ply)
    bound = entries[slot, BOUND]
    settled = entries[slot, DEPTH] >= depth and (
        bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)
    )
    return settled, value, entries[slot, COLUMN]


@inlined
def _store(
    keys: Words,
    entries: Ints,
    bits: Int,
    key: Word,
    value: Int,
    depth: Int,
    bound: Int,
    column: Int,
) -> None:
    """Keep a position in the table; `value` counts a proven result's plies from the position."""
    slot = _slot(key, bits)
    keys[slot] = key
    entries[slot, VALUE] = value
    entries[slot, DEPTH] = depth
    entries[slot, BOUND] = bound
    entries[slot, COLUMN] = column


@inlined
def _store_searched(
    keys: Words, entries: Ints, bits: Int, discs: Words, numbers: Ints, ply: Int, depth: Int,
    column: Int,
) -> None:  # fmt: skip
    """Keep the position of a row whose columns are done."""
    value = numbers[ply, BEST]
    bound = EXACT
    if value <= numbers[ply, ALPHA_IN]:
        bound = UPPER
    elif value >= numbers[ply, BETA]:
        bound = LOWER
    key = discs[ply, MINE] + discs[ply, MASK]
    _store(keys, entries, bits, key, _from_root(value, -ply), depth, bound, column)


@inlined
def _next_column(
    order: Ints, numbers: Ints, ply: Int, todo: Word, height: Word
) -> tuple[Int, Word]:
    """Return the next column of the order with a cell to do, and that cell; note it in the row."""
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
def _keep_best(numbers: Ints, line_rows: Ints, ply: Int, column: Int, value: Int) -> None:
    """Note the value of a column if it is the best so far, and the line that leads to it."""
    if value <= numbers[ply, BEST]:
        return
    numbers[ply, BEST] = value
    length = line_rows[ply + 1, 0]
    line_rows[ply, 0] = length + 1
    line_rows[ply, 1] = column
    for i in range(length):
        line_rows[ply, i + 2] = line_rows[ply + 1, i + 1]
    numbers[ply, ALPHA] = max(numbers[ply, ALPHA], value)


@kernel(
    f"boolean({_WORDS}, int64[::1], uint64[:, ::1], int64[:, ::1], int64[:, ::1], int64[:, ::1],"
    " int64[::1], int64[::1], int64[::1], uint64[::1], int64[:, ::1], int64)"
)
def search_slice(
    words: Words, order: Ints, discs: Words, numbers: Ints, line_rows: Ints, roots: Ints,
    registers: Ints, counts: Ints, weights: Ints, keys: Words, entries: Ints, pause: Int,
) -> Int:  # fmt: skip
    """Go on with a search until it is done (returns True) or has looked at `pause` nodes."""
    height, connect, board = words[HEIGHT], words[CONNECT], words[BOARD]
    depth_limit, bits = registers[DEPTH_LIMIT], registers[TABLE_BITS]
    prune, which = registers[PRUNE] != 0, registers[EVALUATION]
    root_view = registers[ROOT_VIEW] != 0
    nodes, evaluations, deepest = counts[NODES], counts[EVALUATIONS], counts[DEEPEST]
    ply = registers[PLY]
    done = ply == DONE
    while not done:
        todo = discs[ply, TODO]
        if todo == ZERO:
            # Step 1. No column left: the position's value is known, hand it to its parent.
            value = numbers[ply, BEST]
            if bits != NO_TABLE:
                depth = depth_limit - ply
                _store_searched(keys, entries, bits, discs, numbers, ply, depth, line_rows[ply, 1])
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
            column, cell = _next_column(order, numbers, ply, todo, height)
            discs[ply, TODO] = todo ^ cell
            mover = discs[ply, MINE] | cell
            mask = discs[ply, MASK] | cell
            theirs = mover ^ mask
            below = ply + 1
            nodes += 1
            deepest = max(deepest, below)
            line_rows[below, 0] = 0

            # Step 3. Its value, if the game is over, the table knows it, or the depth is spent.
            if has_line(mover, height, connect):
                value = np.int64(WIN - below)
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
                if bits != NO_TABLE:
                    settled, value, first = _probe(
                        keys, entries, bits, theirs + mask, below, depth, alpha, beta
                    )
                    if settled:
                        counts[TABLE_HITS] += 1
                if not settled and depth == 0:
                    settled = True
                    evaluations += 1
                    swapped = root_view and below & 1 != 0
                    seen = mover if swapped else theirs
                    value = evaluate_discs(which, seen, mask, words, weights)
                    value = max(-MOST, min(MOST, -value if swapped else value))
                    if bits != NO_TABLE:
                        _store(keys, entries, bits, theirs + mask, value, 0, EXACT, -1)
                if not settled:
                    # Step 4. Otherwise it gets a row of its own and is searched next.
                    discs[below, MINE] = theirs
                    discs[below, MASK] = mask
                    _open_row(discs, numbers, below, words, alpha, beta, first)
                    counts[EXPANDED] += 1
                    ply = below
                    continue
                value = -value

        # Step 5. A column's value is known: keep the best, and cut where the bounds meet.
        if ply == 0:
            exact = (not prune) or value > numbers[0, ALPHA]
            roots[column, 0] = value
            roots[column, 1] = IS_EXACT if exact else BOUNDED
        _keep_best(numbers, line_rows, ply, column, value)
        if prune and numbers[ply, ALPHA] >= numbers[ply, BETA] and discs[ply, TODO] != ZERO:
            counts[CUTOFFS] += 1
            discs[ply, TODO] = ZERO
    registers[PLY] = DONE if done else ply
    counts[NODES], counts[EVALUATIONS], counts[DEEPEST] = nodes, evaluations, deepest
    return done
