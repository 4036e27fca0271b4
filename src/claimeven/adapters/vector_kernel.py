"""Thousands of games, compiled: moves, opponents' answers, new games and observations.

A game is two words and its own generator, so games do not depend on each other, on their order or
on the thread that steps them:

```text
mines[i]    discs of the player that observes game i
masks[i]    all discs
randoms[i]  state of its random numbers (splitmix64), uint64 for every board
seats[i]    the observer: the learner's seat (0 or 1), for self-play the side to move
over[i]     whether it ended in the last step and has not restarted
```

`vector` describes the results in words; a step is a move of the observer and, against an
opponent, the answer.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, inlined, kernel, popcount
from claimeven.compiled.splitmix64 import STEP, draw_below
from claimeven.compiled.types import (
    bits64,
    boolean,
    float32,
    int8,
    int64,
    read_only,
    uint16,
    uint64,
    void,
)  # fmt: skip
from claimeven.game.bitboard_kernel import (
    BOARD,
    BOTTOM,
    CONNECT,
    HEIGHT,
    has_line,
    playable_cells,
    winning_cells,
)

_0, _1 = np.uint64(0), np.uint64(1)
_8 = np.uint64(8)

#: Slots of the `setup` of an environment, uint64.
COLUMNS, MODE, OPPONENT, SEAT, OPENING_PLIES, START_MINE, START_MASK, SETUP = range(8)
#: The restart of a game that is over: in the next step, in the same step, or by `reset`.
NEXT_STEP, SAME_STEP, DISABLED = range(3)
#: The opponent: none (self-play), any column at random, or wins and blocks first.
NOBODY, RANDOM, WINS_AND_BLOCKS = range(3)
#: The seat of the learner.
FIRST_SEAT, SECOND_SEAT, RANDOM_SEAT = range(3)
#: Starts that end the game before a kernel reports that no start exists.
IN_VAIN = 10_000


@inlined
def draw_cell(cells: Word, rng: Word, words: Words, columns: Word) -> tuple[Word, Word]:
    """Draw one of `cells` (one or more, at most one a column)."""
    height = words[HEIGHT]
    while True:
        rng += STEP
        cell = cells & (((_1 << height) - _1) << (draw_below(rng, np.uint64(columns)) * height))
        if cell != _0:
            return cell, rng


@inlined
def answered(mine: Word, mask: Word, rng: Word, words: Words, setup: Words) -> tuple[Word, Word]:
    """Choose the opponent's cell, `mine` being its discs. The board is not full."""
    cells = playable_cells(mask, words[BOTTOM], words[BOARD])
    if setup[OPPONENT] == WINS_AND_BLOCKS:
        height, connect, board = words[HEIGHT], words[CONNECT], words[BOARD]
        forced = cells & winning_cells(mine, mask, height, connect, board)
        if forced == _0:
            forced = cells & winning_cells(mine ^ mask, mask, height, connect, board)
        if forced != _0:
            cells = forced
    return draw_cell(cells, rng, words, setup[COLUMNS])


@inlined
def start_game(rng: Word, words: Words, setup: Words) -> tuple[Word, Word, Word, Word]:
    """Start a game that is not over: the observer's discs, all discs, its seat, and `rng`.

    The mask is full if no such game was found.
    """
    height, connect, board = words[HEIGHT], words[CONNECT], words[BOARD]
    for _ in range(IN_VAIN):
        # Step 1: random moves from the start.
        mine, mask, is_open = setup[START_MINE], setup[START_MASK], True
        for _ in range(np.int64(setup[OPENING_PLIES])):
            cells = playable_cells(mask, words[BOTTOM], board)
            cell, rng = draw_cell(cells, rng, words, setup[COLUMNS])
            mine |= cell
            mask |= cell
            if has_line(mine, height, connect) or mask == board:
                is_open = False
                break
            mine ^= mask
        # Step 2: the observer; the opponent moves if it is its turn.
        seat = popcount(mask) & _1
        if is_open and setup[OPPONENT] != NOBODY:
            turn, seat = seat, setup[SEAT]
            if seat == RANDOM_SEAT:
                rng += STEP
                seat = draw_below(rng, np.uint64(2))
            if seat != turn:
                cell, rng = answered(mine, mask, rng, words, setup)
                mine |= cell
                mask |= cell
                is_open = not has_line(mine, height, connect) and mask != board
                mine ^= mask
        if is_open:
            return mine, mask, seat, rng
    return _0, board, _0, rng


@inlined
def write_planes(planes: Words, i: Int, mine: Word, mask: Word, shifts: Words) -> None:
    """Write both planes of a game: a cell is the octets of the observer's and the other's disc."""
    theirs = mine ^ mask
    for cell in range(planes.shape[1]):
        shift = shifts[cell]
        own, other = (mine >> shift) & _1, (theirs >> shift) & _1
        planes[i, cell] = np.uint64(own | other << _8)


@inlined
def write_playable(playable: Ints, i: Int, mask: Word, words: Words) -> None:
    """Write which columns have room; all 0 if the mask is full."""
    height = words[HEIGHT]
    for column in range(playable.shape[1]):
        top = mask >> (np.uint64(column) * height + height - np.uint64(2))
        playable[i, column] = np.uint64((top & _1) ^ _1)


_BOARD = (read_only(uint64[::1]), read_only(uint64[::1]), int64, int64)
_GAMES = (uint64[::1], uint64[::1], bits64[::1], int8[::1], boolean[::1])
_SEEN = (read_only(bits64[::1]), uint16[:, ::1], int8[:, ::1])


@kernel(int64(*_BOARD, read_only(boolean[::1]), *_GAMES, *_SEEN))
def begin_games(
    words: Words,
    setup: Words,
    first: Int,
    last: Int,
    which: Ints,
    mines: Words,
    masks: Words,
    randoms: Words,
    seats: Ints,
    over: Ints,
    shifts: Words,
    planes: Words,
    playable: Ints,
) -> Int:
    """Start the games of first..last-1 that `which` names; write the observations of all.

    Return the number of games without a start.
    """
    failed = 0
    for i in range(first, last):
        if which[i]:
            mine, mask, seat, randoms[i] = start_game(randoms[i], words, setup)
            failed += mask == words[BOARD]
            mines[i], masks[i], seats[i], over[i] = mine, mask, np.int8(seat), False
        if planes.shape[0] > 0:
            write_planes(planes, i, mines[i], masks[i], shifts)
        if playable.shape[0] > 0:
            write_playable(playable, i, words[BOARD] if over[i] else masks[i], words)
    return failed


@kernel(
    int64(
        *(*_BOARD, read_only(int64[::1]), *_GAMES, *_SEEN),
        *(float32[::1], boolean[::1], uint16[:, ::1]),
    )
)
def step_games(
    words: Words,
    setup: Words,
    first: Int,
    last: Int,
    actions: Ints,
    mines: Words,
    masks: Words,
    randoms: Words,
    seats: Ints,
    over: Ints,
    shifts: Words,
    planes: Words,
    playable: Ints,
    rewards: Ints,
    terminated: Ints,
    finals: Words,
) -> Int:
    """Step the games first..last-1: `actions` are columns of the board, full ones included.

    A game that is `over` restarts, and its action is ignored. `planes`, `playable` and `finals`
    (the last planes of games that restart in the same step) are written if they have rows. Return
    the number of games without a start.
    """
    height, connect, board, bottom = words[HEIGHT], words[CONNECT], words[BOARD], words[BOTTOM]
    column_bits = (_1 << (height - _1)) - _1
    alone, at_once = setup[OPPONENT] == NOBODY, setup[MODE] == SAME_STEP
    failed = 0
    for i in range(first, last):
        mine, mask = mines[i], masks[i]
        reward, ended = np.float32(0), False
        if over[i]:
            # Step 1: a new game.
            mine, mask, seat, randoms[i] = start_game(randoms[i], words, setup)
            seats[i] = np.int8(seat)
            failed += mask == board
        else:
            # Step 2: the observer's move; a full column loses.
            cell = (mask + bottom) & (column_bits << (np.uint64(actions[i]) * height))
            mine |= cell
            mask |= cell
            if cell == _0:
                reward, ended = np.float32(-1), True
            elif has_line(mine, height, connect):
                reward, ended = np.float32(1), True
            elif mask == board:
                ended = True
            if alone:
                # Step 3: the other side observes now.
                if cell != _0:
                    mine ^= mask
                    seats[i] = np.int8(1) - seats[i]
            elif not ended:
                # Step 4: the opponent's answer.
                theirs = mine ^ mask
                cell, randoms[i] = answered(theirs, mask, randoms[i], words, setup)
                theirs |= cell
                mask |= cell
                if has_line(theirs, height, connect):
                    reward, ended = np.float32(-1), True
                elif mask == board:
                    ended = True
            # Step 5: the next game, in the mode SAME_STEP.
            if ended and at_once:
                if finals.shape[0] > 0:
                    write_planes(finals, i, mine, mask, shifts)
                mine, mask, seat, randoms[i] = start_game(randoms[i], words, setup)
                seats[i] = np.int8(seat)
                failed += mask == board
        # Step 6: what came of it.
        mines[i], masks[i] = mine, mask
        rewards[i], terminated[i] = reward, ended
        over[i] = ended and not at_once
        if planes.shape[0] > 0:
            write_planes(planes, i, mine, mask, shifts)
        if playable.shape[0] > 0:
            write_playable(playable, i, board if over[i] else mask, words)
    return failed


@kernel(void(*_BOARD, uint64[::1], boolean[::1], bits64[::1], int64[::1]))
def random_columns(
    words: Words,
    setup: Words,
    first: Int,
    last: Int,
    masks: Words,
    over: Ints,
    randoms: Words,
    actions: Ints,
) -> None:
    """Draw a column with room for each of the games first..last-1; 0 for one that is over."""
    for i in range(first, last):
        rng, column = randoms[i], _0
        while not over[i]:
            rng += STEP
            column = draw_below(rng, np.uint64(setup[COLUMNS]))
            top = masks[i] >> (column * words[HEIGHT] + words[HEIGHT] - np.uint64(2))
            if top & _1 == _0:
                break
        actions[i] = np.int64(column)
        randoms[i] = rng
