"""The compiled search: one null window, iterative, on plain words (readable: `reference`).

`search` is a test of the kind "is the score more than alpha?"; `windows` finds a score by a row of
them. Contract of a test of (position, alpha) that returns v: if v > alpha the score is at least v,
otherwise it is at most v. What the steps take for granted is proved in `bounds`.

**Nodes.** A position is entered as a node only if the mover can do more than one thing: positions
where a win is at hand, where every move loses at once, or where a single move does not, are
played on inside the node above. So the children of a node are the next positions with a choice,
one or more plies below. What a node needs of its position:

- `mine`, `mask`: the mover's discs, all discs;
- `threats`: the empty cells that complete a line for the waiting side (none is playable);
- `replies`: the moves that do not lose at once, at least two.

**Stack.** One array of words: first `REGISTERS` words to lay down a search that pauses, then one
frame for each node on the path:

```text
    ALPHA BEST HASH ENTERED PLIES LEFT PLY | order key of each child left | children
```

ENTERED is the node count at entry, PLIES how far below the child is that is being searched, LEFT
the number of children left. A child is six words: MINE MASK THREATS REPLIES HASH PLIES.

**Control** (int64, one array a thread): `BUDGET` nodes at which to pause, `NODES` visited so far,
`RESUME` not 0 if a paused search is laid down; `STEP`, `GUESS`, `ALPHA_NOW` and `DONE` are for
`windows`.

**Shared** (int64, one array for all threads at one position): `STOP` not 0 pauses everybody; `LOW`
and `HIGH` are the bounds found so far; `TOGETHER` is not 0 if several threads are at work, which
then mark the positions they are at in `MARK_COUNT` places from `MARKS` on. A thread goes to a
position that another is at only if there is no other to go to.
"""

from __future__ import annotations

import numpy as np

from claimeven.compiled import Int, Ints, Word, Words, inlined, kernel, popcount
from claimeven.compiled.intrinsics import leading_zeros, prefetch
from claimeven.game.tactics_kernel import mirrored
from claimeven.solver.bounds import NO_BOUND, Fixed, completing_cells, fixed_words, static_bound
from claimeven.solver.layout import (
    BOARD,
    BOTTOM,
    BUCKET_SHIFT,
    CELLS,
    COLUMNS,
    HEIGHT,
    KEY_MASK,
    MIRROR_PLIES,
    MULTIPLIER,
    REST_MASK,
    WEIGHT,
)
from claimeven.solver.transpositions import high_bound, look_up, low_bound, store

BUDGET, NODES, RESUME, STEP, GUESS, ALPHA_NOW, DONE, CONTROLS = range(8)
STOP, LOW, HIGH, TOGETHER, MARKS = range(5)
#: Number of marks, a power of two.
MARK_COUNT = 1024
SHARED = MARKS + MARK_COUNT

#: Returned instead of a score when the search pauses, and inside when its window is settled.
PAUSED = 2000
MOOT = 2001
#: Positions with this many empty cells or fewer do without the table.
NO_TABLE = 10
#: Positions with this many empty cells or fewer are not worth asking whether another thread is
#: at them or has been there meanwhile.
NO_SHARING = 16
#: Nodes between two looks at `STOP` and at the other threads' bounds.
LOOK_EVERY = 4096

ALPHA, BEST, HASH, ENTERED, PLIES, LEFT, PLY, ORDER = range(8)
MAX_CHILDREN = 16
CHILDREN = ORDER + MAX_CHILDREN
C_MINE, C_MASK, C_THREATS, C_REPLIES, C_HASH, C_PLIES, CHILD = range(7)
FRAME = CHILDREN + MAX_CHILDREN * CHILD
R_MINE, R_MASK, R_THREATS, R_REPLIES, R_HASH, R_PLY, R_ALPHA, R_DEPTH, REGISTERS = range(9)
#: Words of a stack: no path has more nodes than a board has cells.
STACK = REGISTERS + 65 * FRAME

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_TOP = np.uint64(63)
#: Order keys: winning cells after the move, then few replies, then column weight; child number.
_WINS_SHIFT, _REPLIES_SHIFT, _WEIGHT_SHIFT = np.uint64(24), np.uint64(16), np.uint64(8)
_CHILD_NUMBER = np.uint64(255)
_MANY = np.uint64(63)
_MARK_SHIFT = np.uint64(20)
_CHILDREN, _CHILD, _FRAME, _ORDER = (np.uint64(n) for n in (CHILDREN, CHILD, FRAME, ORDER))
_NONE = -1000


@inlined
def position_hash(fixed: Fixed, mine: Word, mask: Word, ply: Int) -> Word:
    """Return the key times the multiplier: of the position or its mirror, whichever is less."""
    key = mine + mask
    if ply <= np.int64(fixed[MIRROR_PLIES]):
        key = min(key, mirrored(key, fixed[COLUMNS], fixed[HEIGHT]))
    return (key * fixed[MULTIPLIER]) & fixed[KEY_MASK]


@inlined
def play_forced(
    fixed: Fixed, mine: Word, mask: Word, threats: Word, plies: Int
) -> tuple[Word, Word, Word, Word, Int]:
    """Play on while the mover has a single reply; return (mine, mask, threats, replies, plies).

    The mover must have no win at hand. `replies` comes back as 0 if the game is decided: drawn if
    the board is full, otherwise won by the waiting side with its next disc.
    """
    while True:
        playable = (mask + fixed[BOTTOM]) & fixed[BOARD]
        replies = playable & ~(threats >> _ONE)
        forced = playable & threats
        if forced != _ZERO:
            replies &= forced
            if forced & (forced - _ONE) != _ZERO:
                replies = _ZERO
        if replies == _ZERO or replies & (replies - _ONE) != _ZERO:
            return mine, mask, threats, replies, plies
        mine |= replies
        waiting = mask ^ (mine & ~replies)
        mask |= replies
        threats = completing_cells(fixed, mine, mask)
        mine = waiting
        plies += 1


@inlined
def decided_value(fixed: Fixed, mask: Word, empties: Int, plies: Int) -> Int:
    """Value, for the side that moved `plies` plies ago, of a line that `play_forced` decided.

    `empties` is the number of empty cells of that side's position.
    """
    if mask == fixed[BOARD]:
        return 0
    value = (empties - plies) // 2
    return value if plies & 1 else -value


@inlined
def heaviest(stack: Words, base: Word) -> Word:
    """Return the greatest order key of the children left of a frame, 0 if none is left."""
    best = _ZERO
    for i in range(base + _ORDER, base + _ORDER + stack[base + np.uint64(LEFT)]):
        best = max(best, stack[np.uint64(i)])
    return best


@inlined
def mark_place(hashed: Word) -> Word:
    """Return where in `shared` a position is marked as being searched."""
    return np.uint64(MARKS) + (hashed ^ (hashed >> _MARK_SHIFT)) % np.uint64(MARK_COUNT)


@inlined
def heaviest_unmarked(stack: Words, base: Word, shared: Ints, key: Word) -> Word:
    """Return the greatest order key of the children that no other thread is at, else `key`."""
    best = _ZERO
    for i in range(stack[base + np.uint64(LEFT)]):
        other = stack[base + _ORDER + np.uint64(i)]
        child = base + _CHILDREN + (other & _CHILD_NUMBER) * _CHILD
        hashed = stack[child + np.uint64(C_HASH)]
        if other > best and np.uint64(shared[mark_place(hashed)]) != hashed:
            best = other
    return best if best != _ZERO else key


@inlined
def take(stack: Words, base: Word, key: Word) -> None:
    """Remove an order key from a frame."""
    place = base + _ORDER
    while stack[place] != key:
        place += _ONE
    left = stack[base + np.uint64(LEFT)] - _ONE
    stack[place] = stack[base + _ORDER + left]
    stack[base + np.uint64(LEFT)] = left


@kernel(
    "int64(uint64[::1], uint64[::1], uint64[::1], int64[::1], int64[::1], uint64, uint64, int64)"
)
def search(
    words: Words,
    entries: Words,
    stack: Words,
    control: Ints,
    shared: Ints,
    mine: Word,
    mask: Word,
    alpha: Int,
) -> Int:
    """Test whether the score of a position is more than `alpha`; see the contract above.

    The position must not be finished. Returns `PAUSED` when the budget is used up or `STOP` is
    set, and goes on from there when called again with the same arguments; `MOOT` if other threads
    have settled the window meanwhile.
    """
    fixed = fixed_words(words)
    cells = np.int64(fixed[CELLS])
    root_alpha = alpha
    nodes = control[NODES]
    look_at = nodes
    base = np.uint64(REGISTERS)
    depth = np.int64(0)
    best = np.int64(_NONE)
    value = np.int64(0)
    root_ply = np.int64(popcount(mask))
    # Step 1: take up a paused search, or find the first position with a choice.
    if control[RESUME] != 0:
        control[RESUME] = 0
        mine, mask = stack[R_MINE], stack[R_MASK]
        threats, replies = stack[R_THREATS], stack[R_REPLIES]
        place = stack[R_HASH]
        ply = np.int64(stack[R_PLY])
        alpha = np.int64(stack[R_ALPHA])
        depth = np.int64(stack[R_DEPTH])
        base += np.uint64(depth) * _FRAME
        plies = np.int64(0)
    else:
        playable = (mask + fixed[BOTTOM]) & fixed[BOARD]
        if completing_cells(fixed, mine, mask) & playable != _ZERO:
            return (cells + 1 - root_ply) // 2
        threats = completing_cells(fixed, mask ^ mine, mask)
        mine, mask, threats, replies, plies = play_forced(fixed, mine, mask, threats, np.int64(0))
        if replies == _ZERO:
            return decided_value(fixed, mask, cells - root_ply, plies)
        ply = root_ply + plies
        if plies & 1:
            alpha = -alpha - 1
        place = position_hash(fixed, mine, mask, ply)
    while True:
        # Step 2: enter a node. Now and then look whether to pause.
        if nodes >= look_at:
            control[NODES] = nodes
            if shared[LOW] > root_alpha or shared[HIGH] <= root_alpha:
                return MOOT
            if nodes >= control[BUDGET] or shared[STOP] != 0:
                stack[R_MINE], stack[R_MASK] = mine, mask
                stack[R_THREATS], stack[R_REPLIES] = threats, replies
                stack[R_HASH] = place
                stack[R_PLY] = np.uint64(ply)
                stack[R_ALPHA] = np.uint64(alpha)
                stack[R_DEPTH] = np.uint64(depth)
                control[RESUME] = 1
                return PAUSED
            look_at = min(control[BUDGET], nodes + LOOK_EVERY)
        nodes += 1
        best = np.int64(_NONE)
        empties = cells - ply
        # Step 3: neither side can win sooner than this; what the table knows by now.
        ended = True
        low, high = -((empties - 2) // 2), (empties - 1) // 2
        if empties > NO_SHARING:
            entry = look_up(
                entries, (place >> fixed[BUCKET_SHIFT]) << _ONE, place & fixed[REST_MASK]
            )
            low, high = max(low, low_bound(entry)), min(high, high_bound(entry))
        if high <= alpha:
            value = high
        elif low > alpha:
            value = low
        else:
            ended = False
            # Step 4: make the children, playing forced replies out; ask for their entries.
            theirs = mask ^ mine
            left = _ZERO
            moves = replies
            while moves != _ZERO:
                move = moves & (~moves + _ONE)
                moves ^= move
                wins = completing_cells(fixed, mine | move, mask | move)
                child_mine, child_mask, child_threats, child_replies, plies = play_forced(
                    fixed, theirs, mask | move, wins, np.int64(1)
                )
                if child_replies == _ZERO:
                    best = max(best, decided_value(fixed, child_mask, empties, plies))
                    if best > alpha:
                        break
                    continue
                child = base + _CHILDREN + left * _CHILD
                stack[child + np.uint64(C_MINE)] = child_mine
                stack[child + np.uint64(C_MASK)] = child_mask
                stack[child + np.uint64(C_THREATS)] = child_threats
                stack[child + np.uint64(C_REPLIES)] = child_replies
                stack[child + np.uint64(C_PLIES)] = np.uint64(plies)
                if empties - plies > NO_TABLE:
                    child_hash = position_hash(fixed, child_mine, child_mask, ply + plies)
                    stack[child + np.uint64(C_HASH)] = child_hash
                    prefetch(entries, (child_hash >> fixed[BUCKET_SHIFT]) << _ONE)
                stack[base + _ORDER + left] = (
                    (popcount(wins) << _WINS_SHIFT)
                    | ((_MANY - popcount(child_replies)) << _REPLIES_SHIFT)
                    | (words[np.uint64(WEIGHT) + _TOP - leading_zeros(move)] << _WEIGHT_SHIFT)
                    | left
                )
                left += _ONE
            # Step 5: a move decided it, or no win is as near as the window wants it.
            if best > alpha or left == _ZERO:
                value = best
                ended = True
            elif (empties - 3) // 2 <= alpha:
                value = (empties - 3) // 2
                ended = True
            else:
                # Step 6: what the table and the bounds know of the children.
                kept = _ZERO
                for number in range(left):
                    key = stack[base + _ORDER + np.uint64(number)]
                    child = base + _CHILDREN + np.uint64(number) * _CHILD
                    plies = np.int64(stack[child + np.uint64(C_PLIES)])
                    turned = plies & 1
                    if empties - plies > NO_TABLE:
                        child_hash = stack[child + np.uint64(C_HASH)]
                        entry = look_up(
                            entries,
                            (child_hash >> fixed[BUCKET_SHIFT]) << _ONE,
                            child_hash & fixed[REST_MASK],
                        )
                        low, high = low_bound(entry), high_bound(entry)
                        if turned:
                            low, high = -high, -low
                        if low > alpha:
                            best = low
                            break
                        if high <= alpha:
                            best = max(best, high)
                            continue
                    value = static_bound(
                        fixed,
                        words,
                        stack[child + np.uint64(C_MINE)],
                        stack[child + np.uint64(C_MASK)],
                        stack[child + np.uint64(C_THREATS)],
                        empties - plies,
                        -alpha - 1 if turned else alpha,
                    )
                    if value != NO_BOUND:
                        best = max(best, -value if turned else value)
                        if best > alpha:
                            break
                        continue
                    stack[base + _ORDER + kept] = key
                    kept += _ONE
                if best > alpha or kept == _ZERO:
                    value = best
                    ended = True
                else:
                    stack[base + np.uint64(ALPHA)] = np.uint64(alpha)
                    stack[base + np.uint64(BEST)] = np.uint64(best)
                    stack[base + np.uint64(HASH)] = place
                    stack[base + np.uint64(ENTERED)] = np.uint64(nodes)
                    stack[base + np.uint64(LEFT)] = kept
                    stack[base + np.uint64(PLY)] = np.uint64(ply)
        # Step 7: while nodes end, hand their values to the nodes above them.
        key = _ZERO
        while ended:
            if depth == 0:
                control[NODES] = nodes
                turned = (ply - root_ply) & 1
                return -value if turned else value
            if shared[TOGETHER] != 0 and cells - ply > NO_SHARING:
                mark = mark_place(place)
                if shared[mark] == np.int64(place):
                    shared[mark] = 0
            depth -= 1
            base -= _FRAME
            if stack[base + np.uint64(PLIES)] & _ONE:
                value = -value
            alpha = np.int64(stack[base + np.uint64(ALPHA)])
            ply = np.int64(stack[base + np.uint64(PLY)])
            value = max(value, np.int64(stack[base + np.uint64(BEST)]))
            if value <= alpha:
                key = heaviest(stack, base)
                if key != _ZERO:
                    stack[base + np.uint64(BEST)] = np.uint64(value)
                    break
            # Step 8: the node is done: into the table with it.
            if cells - ply > NO_TABLE:
                place = stack[base + np.uint64(HASH)]
                store(
                    entries,
                    (place >> fixed[BUCKET_SHIFT]) << _ONE,
                    place & fixed[REST_MASK],
                    value,
                    value > alpha,
                    np.uint64(nodes) - stack[base + np.uint64(ENTERED)],
                )
        # Step 9: go down to the most promising child left, of those where no other thread is.
        if key == _ZERO:
            key = heaviest(stack, base)
        together = shared[TOGETHER] != 0 and cells - ply > NO_SHARING + 1
        if together:
            key = heaviest_unmarked(stack, base, shared, key)
        take(stack, base, key)
        child = base + _CHILDREN + (key & _CHILD_NUMBER) * _CHILD
        mine = stack[child + np.uint64(C_MINE)]
        mask = stack[child + np.uint64(C_MASK)]
        threats = stack[child + np.uint64(C_THREATS)]
        replies = stack[child + np.uint64(C_REPLIES)]
        place = stack[child + np.uint64(C_HASH)]
        if together:
            shared[mark_place(place)] = np.int64(place)
        plies = np.int64(stack[child + np.uint64(C_PLIES)])
        stack[base + np.uint64(PLIES)] = np.uint64(plies)
        ply += plies
        if plies & 1:
            alpha = -alpha - 1
        base += _FRAME
        depth += 1
