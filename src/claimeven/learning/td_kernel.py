"""Temporal-difference learning of n-tuple networks by self-play, compiled.

A call plays a number of games and learns from each; `ntuple_training` explains the method. Each
game of a seed has a separate generator, so the games are independent of the number that a call
plays, and an interrupted run continues with the same games.
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
#: Values of a won game, above all positions, and of no move, below all positions.
_WON, _NO_MOVE = 2.0, -3.0

#: Indices of `rates`, as in `NTupleConfig`; LOG_RATIO is the logarithm of the step size of a game
#: divided by the step size of the game before.
STEP_SIZE, LOG_RATIO, STEP_DECAY, LAMBDA, EPSILON = range(5)
#: Indices of `totals`: games, games that the first player won, drawn games, discs played.
GAMES, FIRST_WINS, DRAWS, PLIES, TOTALS = range(5)


class EpisodeArrays(NamedTuple):
    """The present game, a row for each ply.

    `indices` of the slots in each position (plies, slots), its `values` for the first player,
    and whether the move from it was `random` (1) or the best (0). `before` and `seen` are work
    space with an entry for each slot: the weights before a disc is tried, and a mark of the disc
    for which a slot was looked up again.
    """

    indices: Ints
    values: Words
    random: Ints
    before: Words
    seen: Ints


EPISODE: Final = named_tuple(
    EpisodeArrays, int64[:, ::1], float64[::1], int64[::1], float64[::1], int64[::1]
)


@inlined
def _share(state: Word) -> float:
    """Return a number in [0, 1) from a state that the caller has advanced."""
    return np.float64(mixed(state) >> _MANTISSA) * _WORD_SHARE


@inlined
def _look_up(
    weights: Words, indices: Ints, turn: Int, tuples: TupleArrays, record: EpisodeArrays
) -> Any:
    """Store the weights of all slots for a side to move; return their sum."""
    start = turn * (weights.shape[0] // 2)
    total = 0.0
    for slot in range(tuples.slot_tables.shape[0]):
        weight = np.float64(weights[start + tuples.slot_tables[slot] + indices[slot]])
        record.before[slot] = weight
        total += weight
    return total


@inlined
def _changed_sum(
    weights: Words, indices: Ints, move: Word, turn: Int, mark: Int,
    tuples: TupleArrays, record: EpisodeArrays,
) -> Any:  # fmt: skip
    """Return the change of the stored sum by the disc of `move`, which `indices` include."""
    start = turn * (weights.shape[0] // 2)
    bit = np.int64(lowest_bit(move))
    change = 0.0
    for use in range(tuples.places[bit], tuples.places[bit + 2]):
        slot = tuples.use_slots[use]
        if record.seen[slot] != mark:
            record.seen[slot] = mark
            change += np.float64(weights[start + tuples.slot_tables[slot] + indices[slot]])
            change -= record.before[slot]
    return change


@kernel(
    void(
        uint64[::1], int64, TUPLES, float32[::1], float32[:, ::1], float64[::1],
        EPISODE, uint64, int64, int64, int64[::1],
    )
)  # fmt: skip
def learn_by_playing(
    board_words: Words,
    columns: Int,
    tuples: TupleArrays,
    weights: Words,
    changes: Words,
    rates: Words,
    record: EpisodeArrays,
    seed: Word,
    first_game: Int,
    last_game: Int,
    totals: Ints,
) -> None:
    """Play the games first_game, ..., last_game - 1 of a seed and learn from each.

    The board is its `board_words` (a board vector) and its number of `columns`. `tuples` says which
    weight each slot looks up in a position: `slot_tables[slot]` plus the index of the slot, plus
    half the number of `weights` if the second player is to move.

    `rates` are constant, in the order STEP_SIZE, LOG_RATIO, STEP_DECAY, LAMBDA, EPSILON: game `g`
    learns with the step size `rates[STEP_SIZE] * exp(rates[LOG_RATIO] * g)`.

    The function changes `weights`, `changes` and `totals`. `changes`, shape (weights, 2), has the
    sum of the recommended changes of each weight and the sum of their absolute values. `record` has
    one row more than the board has cells, and contains the last game at the end.
    """
    height, connect = board_words[HEIGHT], board_words[CONNECT]
    bottom, board = board_words[BOTTOM], board_words[BOARD]
    column_cells = (ONE << height) - ONE
    slots = tuples.slot_tables.shape[0]
    values = record.values
    mark = 0
    for slot in range(slots):
        record.seen[slot] = 0
    for game in range(first_game, last_game):
        # Step 1: the generator of this game, and the empty board.
        state = mixed(seed * STEP + ONE) + mixed(np.uint64(game) + STEP)
        mine = ZERO
        mask = ZERO
        ply = 0
        for slot in range(slots):
            record.indices[0, slot] = tuples.start_indices[slot]
        values[0] = value_of(weights, record.indices[0], 0, tuples)
        result = 0.0
        is_over = False
        while not is_over:
            # Step 2: choose the column with the best value for the side to move, or a random one.
            player = ply & 1
            sign = 1.0 - 2.0 * player
            indices = record.indices[ply + 1]
            for slot in range(slots):
                indices[slot] = record.indices[ply, slot]
            state += STEP
            is_random = _share(state) < rates[EPSILON]
            playable = playable_cells(mask, bottom, board)
            choice = ZERO
            best = _NO_MOVE
            equals = ZERO
            total = 0.0
            if not is_random:
                total = _look_up(weights, indices, 1 - player, tuples, record)
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
                            + _changed_sum(weights, indices, move, 1 - player, mark, tuples, record)
                        )
                        drop_disc(indices, move, player, -1, tuples)
                if value > best:
                    best = value
                    choice = move
                    equals = ONE
                elif value == best:
                    equals += ONE
                    state += STEP
                    if draw_below(state, equals) == ZERO:
                        choice = move
            record.random[ply] = is_random
            # Step 3: play it.
            drop_disc(indices, choice, player, 1, tuples)
            mover = mine | choice
            mask |= choice
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
        step_size = rates[STEP_SIZE] * np.exp(rates[LOG_RATIO] * game)
        for at in range(ply - 1, -1, -1):
            if record.random[at] and at < ply - 1:
                target = values[at]
                continue
            target = (1.0 - rates[LAMBDA]) * values[at + 1] + rates[LAMBDA] * target
            value = value_of(weights, record.indices[at], at & 1, tuples)
            change = np.float32((target - value) * (1.0 - value * value))
            start = (at & 1) * (weights.shape[0] // 2)
            for slot in range(slots):
                place = start + tuples.slot_tables[slot] + record.indices[at, slot]
                rate = step_size
                if changes[place, 1] > 0.0:
                    steady = abs(changes[place, 0]) / changes[place, 1]
                    rate *= np.exp(rates[STEP_DECAY] * (steady - 1.0))
                weights[place] += np.float32(rate * change)
                changes[place, 0] += change
                changes[place, 1] += abs(change)
