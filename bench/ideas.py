"""The effect of each idea of the exact search: `python -m bench.solver --without IDEA`.

The script switches off one idea: it replaces the idea's step of the search (in
`claimeven.solver.steps`, `bounds` or `kernel`) and compiles the search again, in a separate process
with a separate folder for compiled code. All searches then solve the same positions from an empty
table, and the script asserts every score.

    python -m bench.ideas [IDEA]     the nodes and the CPU time of one search, as JSON
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from bench.sets import OWN_POSITIONS, SIGNATURE_MB, SIGNATURES
from claimeven import Position
from claimeven.compiled import Int, Word, Words, inlined, popcount
from claimeven.game.geometry import Geometry
from claimeven.solver import ExactSearch, bounds, kernel, steps
from claimeven.solver.bounds import NO_BOUND
from claimeven.solver.layout import Arrays, Fixed

#: The complete sets of positions.
SETS = ("begin-easy", "middle-medium", "begin-medium")
#: The best of several runs counts; a run of more seconds than `QUICK` is not repeated.
RUNS, QUICK = 3, 2.0

#: With fewer empty cells forced replies are always played out: the bounds of a node require it.
ALWAYS_FORCED = 4

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_ROOM = [steps, bounds, kernel]


# -- steps without an idea


@inlined
def no_lines_counted(fixed: Fixed, mine: Word, mask: Word, empties: Int, alpha: Int) -> bool:
    return False


@inlined
def no_follow_up(
    fixed: Fixed, mine: Word, mask: Word, later: Word, high_enough: Word, alpha: Int
) -> Int:
    return NO_BOUND


@inlined
def no_zugzwang(
    fixed: Fixed,
    mine: Word,
    mask: Word,
    threats: Word,
    later: Word,
    high_enough: Word,
    empties: Int,
) -> Int:
    return NO_BOUND


@inlined
def no_static_bound(
    fixed: Fixed, setup: Words, mine: Word, mask: Word, threats: Word, empties: Int, alpha: Int
) -> Int:
    return NO_BOUND


@inlined
def no_nearest_win(empties: Int) -> Int:
    """Return a bound above every window, which never decides."""
    return NO_BOUND


@inlined
def nothing_found(entries: Words, place: Word, rest: Word) -> Word:
    return _ZERO


@inlined
def nothing_stored(
    entries: Words, place: Word, rest: Word, value: Int, is_low: bool, nodes: Word
) -> None:
    pass


@inlined
def nothing_fetched(entries: Words, place: Word) -> None:
    pass


@inlined
def not_mirrored(key: Word, columns: Word, height: Word) -> Word:
    return key


@inlined
def order_without_wins(wins: Word, replies: Word, weight: Word) -> Word:
    return ((steps._MAX_REPLIES - popcount(replies)) << steps._REPLIES_SHIFT) | (
        weight << steps._WEIGHT_SHIFT
    )


@inlined
def order_without_replies(wins: Word, replies: Word, weight: Word) -> Word:
    return (popcount(wins) << steps._WINS_SHIFT) | (weight << steps._WEIGHT_SHIFT)


@inlined
def order_without_weight(wins: Word, replies: Word, weight: Word) -> Word:
    """Order equal moves from the right; a key is never 0."""
    return (popcount(wins) << steps._WINS_SHIFT) | (
        (steps._MAX_REPLIES - popcount(replies)) << steps._REPLIES_SHIFT
    )


@inlined
def one_reply_at_a_time(
    fixed: Fixed, mine: Word, mask: Word, threats: Word, plies: Int
) -> tuple[Word, Word, Word, Word, Int]:
    """Return the replies like `steps.play_forced`, but leave a single reply to a separate node."""
    while True:
        playable = (mask + fixed.bottom) & fixed.board
        replies = playable & ~(threats >> _ONE)
        forced = playable & threats
        if forced != _ZERO:
            replies &= forced
            if forced & (forced - _ONE) != _ZERO:
                replies = _ZERO
        is_single = replies != _ZERO and replies & (replies - _ONE) == _ZERO
        if not is_single or fixed.cells - popcount(mask) > np.uint64(ALWAYS_FORCED):
            return mine, mask, threats, replies, plies
        mine |= replies
        waiting = mask ^ (mine & ~replies)
        mask |= replies
        threats = bounds.completing_cells(fixed, mine, mask)
        mine = waiting
        plies += 1


_static_bound = bounds.static_bound
_known_bounds = steps.known_bounds
_table_bounds = steps.table_bounds


@inlined
def bound_unless_forced(
    fixed: Fixed, setup: Words, mine: Word, mask: Word, threats: Word, empties: Int, alpha: Int
) -> Int:
    """The proofs of the bounds require that the waiting side has no playable winning cell."""
    if threats & (mask + fixed.bottom) & fixed.board != _ZERO:
        return NO_BOUND
    return _static_bound(fixed, setup, mine, mask, threats, empties, alpha)


@inlined
def all_children_kept(
    fixed: Fixed, arrays: Arrays, base: Word, empties: Int, alpha: Int, best: Int, left: Word
) -> tuple[Int, Word]:
    return best, left


@inlined
def expand_one(
    fixed: Fixed, arrays: Arrays, base: Word, node: steps.Node, alpha: Int, nodes: Int
) -> tuple[bool, Int]:
    """Ask table and bounds about the node itself, and not about its children."""
    empties = np.int64(fixed.cells) - node.ply
    low, high = _known_bounds(fixed, arrays.entries, node, empties)
    if empties > steps.NO_TABLE:
        table_low, table_high = _table_bounds(fixed, arrays.entries, node.hash)
        low, high = max(low, table_low), min(high, table_high)
    if high <= alpha:
        return True, high
    if low > alpha:
        return True, low
    value = _static_bound(fixed, arrays.setup, node.mine, node.mask, node.threats, empties, alpha)
    if value != NO_BOUND:
        return True, value
    best, left = steps.make_children(fixed, arrays, base, node, alpha)
    if best > alpha or left == _ZERO:
        return True, best
    if steps.nearest_win(empties) <= alpha:
        return True, steps.nearest_win(empties)
    steps.open_frame(arrays.stack, base, node, alpha, best, left, nodes)
    return False, steps.NONE


# -- ideas


@dataclass(frozen=True)
class Idea:
    """An idea in words, and the replacements of its steps.

    `sets` are the sets of positions that the search solves in some seconds without the idea.
    """

    words: str
    instead: dict[str, Any]
    sets: tuple[str, ...] = SETS


IDEAS = {
    "bounds": Idea("all static bounds", {"static_bound": no_static_bound}),
    "lines": Idea("no line left", {"is_out_of_lines": no_lines_counted}),
    "follow-up": Idea("follow-up bound", {"follow_up_bound": no_follow_up}),
    "zugzwang": Idea("zugzwang bound", {"zugzwang_bound": no_zugzwang}),
    "nearest-win": Idea("nearest win", {"nearest_win": no_nearest_win}),
    "forced": Idea(
        "chains of forced replies played out",
        {"play_forced": one_reply_at_a_time, "static_bound": bound_unless_forced},
    ),
    "children": Idea("table and bounds asked of all children first", {"expand": expand_one}),
    "wins": Idea("most winning cells first", {"order_key": order_without_wins}),
    "replies": Idea("then fewest replies", {"order_key": order_without_replies}),
    "center": Idea("then the center", {"order_key": order_without_weight}),
    "far-windows": Idea("two windows far out first", {"FAR_APART": 1000}),
    "table": Idea(
        "the table",
        {"look_up": nothing_found, "store": nothing_stored, "prefetch": nothing_fetched},
        ("middle-medium",),
    ),
    "prefetch": Idea("entries asked for ahead", {"prefetch": nothing_fetched}),
    "mirror": Idea("mirror images share an entry", {"mirrored": not_mirrored}),
}


@contextmanager
def switched_off(name: str) -> Iterator[None]:
    """Replace the steps of an idea; code compiled in this context never has the idea."""
    before: list[tuple[ModuleType, str, Any]] = []
    for step, instead in IDEAS[name].instead.items():
        places = [module for module in _ROOM if step in vars(module)]
        assert places, f"the search has no {step}"
        for module in places:
            before.append((module, step, getattr(module, step)))
            setattr(module, step, instead)
    try:
        yield
    finally:
        for module, step, was in before:
            setattr(module, step, was)


# -- measuring


def measure(sets: tuple[str, ...]) -> dict[str, tuple[int, float]]:
    """Return the nodes and the CPU seconds for each set, from an empty table."""
    search = ExactSearch(Geometry(), table_mb=SIGNATURE_MB)
    search.load()
    measured = {}
    for name in sets:
        lines = (OWN_POSITIONS / f"{name}.txt").read_text().splitlines()
        positions = [Position.from_moves(line.split()[0]) for line in lines]
        mines = np.array([position.mine for position in positions], dtype=np.uint64)
        masks = np.array([position.mask for position in positions], dtype=np.uint64)
        taken = []
        search.score_many(mines[:1], masks[:1])
        for _ in range(RUNS):
            search.clear()
            start = time.thread_time()
            scores, nodes = search.score_many(mines, masks)
            taken.append(time.thread_time() - start)
            assert scores.tolist() == [int(line.split()[1]) for line in lines], name
            if taken[-1] > QUICK:
                break
        measured[name] = int(nodes.sum()), min(taken)
    return measured


def measured_apart(idea: str | None) -> dict[str, tuple[int, float]]:
    """Return the result of `measure` in a separate process, without an idea or with all ideas."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ if idea is None else {**os.environ, "CLAIMEVEN_CACHE_DIR": folder}
        words = [] if idea is None else [idea]
        done = subprocess.run(
            [sys.executable, "-m", "bench.ideas", *words],
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
        )
    answer: dict[str, tuple[int, float]] = json.loads(done.stdout)
    return answer


def report(names: list[str]) -> None:
    """Compare the search without each idea with the full search, a line for each set."""
    full = measured_apart(None)
    for name, (nodes, seconds) in full.items():
        assert nodes == SIGNATURES[name], f"{name} took {nodes:,} nodes"
        print(f"all ideas    {name:14s} {nodes:11,} nodes {seconds:7.2f} s")
    for idea in names:
        print(f"without {idea} ({IDEAS[idea].words}):")
        for name, (nodes, seconds) in measured_apart(idea).items():
            ratio, slower = nodes / full[name][0], seconds / full[name][1]
            print(
                f"             {name:14s} {nodes:11,} nodes {seconds:7.2f} s"
                f"  nodes x {ratio:.2f}  time x {slower:.2f}"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument(
        "idea", nargs="?", choices=IDEAS, metavar="IDEA", help="the idea to switch off"
    )
    without = parser.parse_args().idea
    if without is None:
        print(json.dumps(measure(SETS)))
    else:
        with switched_off(without):
            print(json.dumps(measure(IDEAS[without].sets)))
