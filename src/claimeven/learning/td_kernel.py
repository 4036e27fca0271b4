"""Temporal-difference learning of n-tuple networks by self-play, compiled.

One call plays a number of games and learns from each as it ends; what is learnt is told in
`ntuple_training`. Game `i` of a seed draws from a generator of its own, so that the same games come
out however many a call plays, and a run that was broken off goes on as if it had not been.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from claimeven.compiled import (
    Int,
    Ints,
    Word,
    Words,
    float32,
    float64,
    inlined,
    int64,
    kernel,
    named_tuple,
    uint64,
    void,
)
from claimeven.compiled import trailing_zeros as lowest_bit
from claimeven.compiled.splitmix64 import STEP, draw_below, mixed
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
from claimeven.networks.ntuple import TUPLES, TupleArrays
from claimeven.networks.ntuple_kernel import drop_disc, value_of

_WORD_SHARE = 1.0 / (1 << 53)
_MANTISSA = np.uint64(11)
#: More than any position is worth: a won game.
_WON, _NOTHING = 2.0, -3.0

#: Slots of `rates`, as `NTupleConfig` tells them; FADING is what the logarithm of the step size
#: changes by a game.
STEP_SIZE, FADING, STEEPNESS, TRACE, EXPLORING, RATES = range(6)
#: Slots of `totals`: games, those the first player won, drawn games, discs played.
GAMES, FIRST_WINS, DRAWS, PLIES, TOTALS = range(5)


class Lesson(NamedTuple):
    """The game being played: one row a ply.

    `indices` of the slots in each position (plies, slots), its `values` for the first player,
    and whether the move from it was `random` (1) or chosen (0). `before` and `seen` are room to
    work in, one entry a slot: the weights looked up before a disc is tried, and a mark of the disc
    for which a slot was looked up again.
    """

    indices: Ints
    values: Words
    random: Ints
    before: Words
    seen: Ints


LESSON: Final = named_tuple(
    Lesson, int64[:, ::1], float64[::1], int64[::1], float64[::1], int64[::1]
)


@inlined
def _share(state: Word) -> float:
    """Return a number from [0, 1) of a state that the caller has advanced."""
    return np.float64(mixed(state) >> _MANTISSA) * _WORD_SHARE


@inlined
def _look_up(weights: Words, indices: Ints, turn: Int, tuples: TupleArrays, lesson: Lesson) -> Any:
    """Note the weights of all slots for a side to move; return their sum."""
    begin = turn * (weights.shape[0] // 2)
    total = 0.0
    for slot in range(tuples.slot_tables.shape[0]):
        weight = np.float64(weights[begin + tuples.slot_tables[slot] + indices[slot]])
        lesson.before[slot] = weight
        total += weight
    return total


@inlined
def _changed_sum(
    weights: Words, indices: Ints, move: Word, turn: Int, mark: Int,
    tuples: TupleArrays, lesson: Lesson,
) -> Any:  # fmt: skip
    """Return by how much the sum noted changes with the disc of `move`, which lies in `indices`."""
    begin = turn * (weights.shape[0] // 2)
    bit = np.int64(lowest_bit(move))
    change = 0.0
    for use in range(tuples.places[bit], tuples.places[bit + 2]):
        slot = tuples.use_slots[use]
        if lesson.seen[slot] != mark:
            lesson.seen[slot] = mark
            change += np.float64(weights[begin + tuples.slot_tables[slot] + indices[slot]])
            change -= lesson.before[slot]
    return change


@kernel(
    void(
        uint64[::1], int64, TUPLES, float32[::1], float32[:, ::1], float64[::1],
        LESSON, uint64, int64, int64, int64[::1],
    )
)  # fmt: skip
def learn_by_playing(
    board_words: Words,
    columns: Int,
    tuples: TupleArrays,
    weights: Words,
    changes: Words,
    rates: Words,
    lesson: Lesson,
    seed: Word,
    first_game: Int,
    last_game: Int,
    totals: Ints,
) -> None:
    """Play the games first_game, ..., last_game - 1 of a seed and learn from each.

    The board is its `board_words` (a board vector) and its number of `columns`. `tuples` says which
    weight each slot looks up in a position: `slot_tables[slot]` plus the slot's index, and half of
    all `weights` more where the second player is to move.

    Read only are `rates`, the numbers of a config in the order STEP_SIZE, FADING, STEEPNESS, TRACE,
    EXPLORING: shares from 0 to 1 but for FADING, which is at most 0 where steps grow smaller. Game
    `g` learns with the step size `rates[STEP_SIZE] * exp(rates[FADING] * g)`.

    Written to are `weights`; `changes`, shape (weights, 2): for each weight the sum of the changes
    it was recommended, and the sum of their absolute values; and `totals`, which are added to. The
    `lesson`, with room for one ply more than the board has cells, holds the last game at the end;
    what it holds at the beginning is of no account.
    """
    height, connect = board_words[HEIGHT], board_words[CONNECT]
    bottom, board = board_words[BOTTOM], board_words[BOARD]
    column_cells = (ONE << height) - ONE
    slots = tuples.slot_tables.shape[0]
    values = lesson.values
    mark = 0
    for slot in range(slots):
        lesson.seen[slot] = 0
    for game in range(first_game, last_game):
        # Step 1: a generator of its own, and the empty board.
        state = mixed(seed * STEP + ONE) + mixed(np.uint64(game) + STEP)
        mine = ZERO
        mask = ZERO
        ply = 0
        for slot in range(slots):
            lesson.indices[0, slot] = tuples.start_indices[slot]
        values[0] = value_of(weights, lesson.indices[0], 0, tuples)
        result = 0.0
        is_over = False
        while not is_over:
            # Step 2: choose a column, each side the value that is best for it, or any.
            player = ply & 1
            sign = 1.0 - 2.0 * player
            indices = lesson.indices[ply + 1]
            for slot in range(slots):
                indices[slot] = lesson.indices[ply, slot]
            state += STEP
            is_random = _share(state) < rates[EXPLORING]
            playable = playable_cells(mask, bottom, board)
            chosen = ZERO
            best = _NOTHING
            equals = ZERO
            total = 0.0
            if not is_random:
                total = _look_up(weights, indices, 1 - player, tuples, lesson)
            for column in range(columns):
                move = playable & (column_cells << (np.uint64(column) * height))
                if move == ZERO:
                    continue
                value = 0.0
                if not is_random:
                    if has_line(mine | move, height, connect):
                        value = _WON
                    elif mask | move != board:
                        drop_disc(indices, move, player, 1, tuples)
                        mark += 1
                        value = sign * np.tanh(
                            total
                            + _changed_sum(weights, indices, move, 1 - player, mark, tuples, lesson)
                        )
                        drop_disc(indices, move, player, -1, tuples)
                if value > best:
                    best = value
                    chosen = move
                    equals = ONE
                elif value == best:
                    equals += ONE
                    state += STEP
                    if draw_below(state, equals) == ZERO:
                        chosen = move
            lesson.random[ply] = is_random
            # Step 3: play it.
            drop_disc(indices, chosen, player, 1, tuples)
            mover = mine | chosen
            mask |= chosen
            mine = mover ^ mask
            ply += 1
            if has_line(mover, height, connect):
                is_over = True
                result = sign
            elif mask == board:
                is_over = True
            else:
                values[ply] = value_of(weights, indices, 1 - player, tuples)
        totals[GAMES] += 1
        totals[FIRST_WINS] += result > 0.0
        totals[DRAWS] += result == 0.0
        totals[PLIES] += ply
        # Step 4: learn, from the last position to the first.
        values[ply] = result
        target = result
        step_size = rates[STEP_SIZE] * np.exp(rates[FADING] * game)
        for at in range(ply - 1, -1, -1):
            if lesson.random[at] and at < ply - 1:
                target = values[at]
                continue
            target = (1.0 - rates[TRACE]) * values[at + 1] + rates[TRACE] * target
            value = value_of(weights, lesson.indices[at], at & 1, tuples)
            change = np.float32((target - value) * (1.0 - value * value))
            begin = (at & 1) * (weights.shape[0] // 2)
            for slot in range(slots):
                place = begin + tuples.slot_tables[slot] + lesson.indices[at, slot]
                rate = step_size
                if changes[place, 1] > 0.0:
                    steady = abs(changes[place, 0]) / changes[place, 1]
                    rate *= np.exp(rates[STEEPNESS] * (steady - 1.0))
                weights[place] += np.float32(rate * change)
                changes[place, 0] += change
                changes[place, 1] += abs(change)
