"""The compiled twin of the textbook searches: one loop on plain integers for all three.

`search_slice` works on the arrays of `layout` until the search is done or a number of nodes is
reached, so a caller can look at the clock, or at Ctrl-C, between two slices.

Contract: values are those of the side to move at each ply (negamax), and the same positions are
entered in the same order as in the textbook; minimax is the same loop with pruning off.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Word, boolean, inlined, int64, kernel, void
from claimeven.evaluation.dispatch import evaluate_discs
from claimeven.game.bitboard_kernel import (
    BOARD,
    BOTTOM,
    CONNECT,
    HEIGHT,
    ONE,
    ZERO,
    has_line,
    playable_cells,
)
from claimeven.minimax.layout import (
    ALPHA,
    ALPHA_IN,
    BEST,
    BETA,
    BOUNDED,
    CUTOFFS,
    DEEPEST,
    DEPTH_LIMIT,
    DONE,
    EVALUATION,
    EVALUATIONS,
    EXPANDED,
    INFINITY,
    IS_EXACT,
    MASK,
    MINE,
    NODES,
    PLACE,
    PLY,
    PROGRESS,
    PRUNE,
    ROOT_STATE,
    ROOT_VALUE,
    ROOT_VIEW,
    ROWS,
    RULES,
    TABLE_BITS,
    TABLE_HITS,
    TODO,
    TRYING,
    Progress,
    Rows,
    Rules,
)
from claimeven.minimax.transpositions import EXACT, LOWER, UPPER
from claimeven.minimax.transpositions_kernel import (
    NO_TABLE,
    TABLE,
    Table,
    best_column,
    from_root,
    probe,
    store,
)
from claimeven.minimax.types import MOST, WIN


@inlined
def open_row(rows: Rows, ply: Int, rules: Rules, alpha: Int, beta: Int, first: Int) -> None:
    """Begin the position of a row whose MINE and MASK are set; `first` is tried first, if >= 0."""
    discs, numbers, board = rows.discs, rows.numbers, rules.board
    discs[ply, TODO] = playable_cells(discs[ply, MASK], board[BOTTOM], board[BOARD])
    numbers[ply, ALPHA_IN] = alpha
    numbers[ply, ALPHA] = alpha
    numbers[ply, BETA] = beta
    numbers[ply, BEST] = -INFINITY
    numbers[ply, PLACE] = 0 if first < 0 else -1
    numbers[ply, TRYING] = first


@kernel(void(ROWS, RULES, PROGRESS, TABLE))
def start_search(rows: Rows, rules: Rules, progress: Progress, table: Table) -> None:
    """Enter the root, whose discs stand in row 0."""
    progress.counts[NODES] = 1
    progress.counts[EXPANDED] = 1
    first = np.int64(-1)
    bits = progress.registers[TABLE_BITS]
    if bits != NO_TABLE and progress.registers[PRUNE] != 0:
        first = best_column(table, bits, rows.discs[0, MINE] + rows.discs[0, MASK])
    open_row(rows, 0, rules, -INFINITY, INFINITY, first)


@inlined
def _store_searched(table: Table, bits: Int, rows: Rows, ply: Int, depth: Int) -> None:
    """Keep the position of a row whose columns are done."""
    discs, numbers = rows.discs, rows.numbers
    value = numbers[ply, BEST]
    bound = EXACT
    if value <= numbers[ply, ALPHA_IN]:
        bound = UPPER
    elif value >= numbers[ply, BETA]:
        bound = LOWER
    key = discs[ply, MINE] + discs[ply, MASK]
    store(table, bits, key, from_root(value, -ply), depth, bound, rows.lines[ply, 1])


@inlined
def next_column(rows: Rows, rules: Rules, ply: Int, todo: Word) -> tuple[Int, Word]:
    """Return the next column of the order with a cell to do, and that cell; note it in the row."""
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
def keep_best(rows: Rows, ply: Int, column: Int, value: Int) -> None:
    """Note the value of a column if it is the best so far, and the line that leads to it."""
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


@kernel(boolean(ROWS, RULES, PROGRESS, TABLE, int64))
def search_slice(rows: Rows, rules: Rules, progress: Progress, table: Table, pause: Int) -> Int:
    """Go on with a search until it is done (returns True) or has looked at `pause` nodes."""
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
            # Step 1. No column left: the position's value is known, hand it to its parent.
            value = numbers[ply, BEST]
            if bits != NO_TABLE:
                _store_searched(table, bits, rows, ply, depth_limit - ply)
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
            deepest = max(deepest, below)
            rows.lines[below, 0] = 0

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
                    key = theirs + mask
                    settled, value, first = probe(table, bits, key, below, depth, alpha, beta)
                    if settled:
                        counts[TABLE_HITS] += 1
                if not prune:
                    first = np.int64(-1)
                if not settled and depth == 0:
                    settled = True
                    evaluations += 1
                    swapped = root_view and below & 1 != 0
                    seen = mover if swapped else theirs
                    value = evaluate_discs(which, seen, mask, rules.board, rules.weights)
                    value = max(-MOST, min(MOST, -value if swapped else value))
                    if bits != NO_TABLE:
                        store(table, bits, theirs + mask, value, 0, EXACT, -1)
                if not settled:
                    # Step 4. Otherwise it gets a row of its own and is searched next.
                    discs[below, MINE] = theirs
                    discs[below, MASK] = mask
                    open_row(rows, below, rules, alpha, beta, first)
                    counts[EXPANDED] += 1
                    ply = below
                    continue
                value = -value

        # Step 5. A column's value is known: keep the best, and cut where the bounds meet.
        if ply == 0:
            exact = (not prune) or value > numbers[0, ALPHA]
            roots[column, ROOT_VALUE] = value
            roots[column, ROOT_STATE] = IS_EXACT if exact else BOUNDED
        keep_best(rows, ply, column, value)
        if prune and numbers[ply, ALPHA] >= numbers[ply, BETA] and discs[ply, TODO] != ZERO:
            counts[CUTOFFS] += 1
            discs[ply, TODO] = ZERO
    registers[PLY] = DONE if done else ply
    counts[NODES], counts[EVALUATIONS], counts[DEEPEST] = nodes, evaluations, deepest
    return done
