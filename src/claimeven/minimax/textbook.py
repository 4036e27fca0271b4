"""Minimax, alpha-beta and negamax in readable Python, for any board size.

Each is a generator that yields an `Event` at every step and returns a `Variation`. The compiled
twin in `kernel` visits the same positions in the same order.

A win is worth `WIN` minus the plies to it, so faster wins and slower losses are better. At depth
0 the heuristic decides, for the side to move or, with `view` "root", for the side at the root.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from claimeven.evaluation.registry import Evaluation
from claimeven.game.position import Position
from claimeven.minimax.transpositions import EXACT, LOWER, UPPER, TranspositionTable
from claimeven.minimax.types import (
    EVALUATED,
    FROM_TABLE,
    WIN,
    Counters,
    Event,
    Trace,
    Variation,
    clip,
)


class LimitReached(Exception):
    """Ends a textbook search from inside when a limit is reached."""


@dataclass
class SearchContext:
    """The heuristic, the order of columns, the counters and the options of a textbook search.

    `view` is the view of the heuristic, one of `types.VIEWS`. With `prune` negamax cuts off and
    tries the best column of its table first. `stop(nodes)` is called before a position is entered,
    with the number of nodes so far.
    """

    evaluation: Evaluation
    order: Sequence[int]
    counters: Counters = field(default_factory=Counters)
    table: TranspositionTable | None = None
    view: str = "mover"
    prune: bool = True
    stop: Callable[[int], bool] = lambda nodes: False

    def enter(self, path: tuple[int, ...]) -> None:
        """Count a position. Raises `LimitReached` instead when a limit is reached."""
        if self.stop(self.counters.nodes):
            raise LimitReached
        self.counters.enter(len(path))

    def evaluate(self, position: Position, ply: int) -> float:
        """Return the heuristic's value for the side to move, `ply` moves below the root."""
        self.counters.evaluations += 1
        if self.view == "root" and ply % 2:
            return -clip(self.evaluation(position.with_sides_swapped()))
        return clip(self.evaluation(position))


def minimax(
    position: Position,
    depth: int,
    context: SearchContext,
    path: tuple[int, ...] = (),
    turn: int = 1,
) -> Trace:
    """Search every line `depth` plies deep; values are for the side to move at the root.

    `turn` is 1 if that side moves, which takes the greatest value, and -1 if its opponent moves,
    which takes the least. Source: Shannon, "Programming a computer for playing chess", 1950.
    """
    context.enter(path)
    yield Event("enter", path, depth, -math.inf, math.inf)
    known = _value_at_rest(position, depth, context, len(path))
    if known is not None:
        yield Event("return", path, depth, -math.inf, math.inf, turn * known[0], known[1])
        return Variation(turn * known[0])

    context.counters.expanded += 1
    best = Variation(-turn * math.inf)
    for column in _columns(position, context.order):
        child = yield from minimax(
            position.play_unchecked(column), depth - 1, context, (*path, column), -turn
        )
        if turn * child.value > turn * best.value:
            best = Variation(child.value, (column, *child.line))
    yield Event("return", path, depth, -math.inf, math.inf, best.value, "best of all columns")
    return best


def alphabeta(
    position: Position,
    depth: int,
    context: SearchContext,
    path: tuple[int, ...] = (),
    turn: int = 1,
    alpha: float = -math.inf,
    beta: float = math.inf,
) -> Trace:
    """Minimax that skips irrelevant columns; the value at the root is the same.

    The side at the root can already get `alpha` and its opponent `beta`. If the value of a
    position reaches the bound of the other side, that side avoids it: its other columns are cut.
    Fail-soft: the value returned may be outside (alpha, beta), and bounds the true one.
    Source: Knuth and Moore, "An analysis of alpha-beta pruning", 1975.
    """
    context.enter(path)
    yield Event("enter", path, depth, alpha, beta)
    known = _value_at_rest(position, depth, context, len(path))
    if known is not None:
        yield Event("return", path, depth, alpha, beta, turn * known[0], known[1])
        return Variation(turn * known[0])

    context.counters.expanded += 1
    best = Variation(-turn * math.inf)
    columns = _columns(position, context.order)
    for place, column in enumerate(columns, start=1):
        child = yield from alphabeta(
            position.play_unchecked(column), depth - 1, context, (*path, column), -turn, alpha, beta
        )
        if turn * child.value > turn * best.value:
            best = Variation(child.value, (column, *child.line))
        if turn == 1:
            alpha = max(alpha, best.value)
        else:
            beta = min(beta, best.value)
        if alpha >= beta and place < len(columns):
            context.counters.cutoffs += 1
            skipped = len(columns) - place
            reason = _cut_reason(turn, skipped)
            yield Event("cut", path, depth, alpha, beta, best.value, reason, skipped=skipped)
            break
    yield Event("return", path, depth, alpha, beta, best.value, "best of the columns tried")
    return best


def negamax(
    position: Position,
    depth: int,
    context: SearchContext,
    path: tuple[int, ...] = (),
    alpha: float = -math.inf,
    beta: float = math.inf,
) -> Trace:
    """Alpha-beta from the view of the side to move, with a table of evaluated positions.

    The table settles a position that was reached by another order of moves, or in an earlier
    search, if it was searched at least as deep. Otherwise its best column is tried first. Without
    `prune` every window is open, and the order of columns does not change.
    """
    context.enter(path)
    yield Event("enter", path, depth, alpha, beta, view="mover")
    window = (alpha, beta)
    if position.outcome is not None:
        value, reason = _finished_value(position, len(path))
        yield Event("return", path, depth, *window, value, reason, "mover")
        return Variation(value)
    entry = context.table.find(position.key) if context.table is not None else None
    if entry is not None and path and entry.settles(depth, len(path), alpha, beta):
        context.counters.table_hits += 1
        value = entry.value_at(len(path))
        yield Event("return", path, depth, *window, value, FROM_TABLE, "mover")
        return Variation(value)
    if depth == 0:
        value = context.evaluate(position, len(path))
        if context.table is not None:
            context.table.put(position.key, value, depth, EXACT, -1, len(path))
        yield Event("return", path, depth, *window, value, EVALUATED, "mover")
        return Variation(value)

    context.counters.expanded += 1
    best = Variation(-math.inf)
    known = -1 if entry is None or not context.prune else entry.column
    columns = _columns(position, context.order, known)
    lower, upper = window
    for place, column in enumerate(columns, start=1):
        child = yield from negamax(
            position.play_unchecked(column), depth - 1, context, (*path, column), -upper, -lower
        )
        if -child.value > best.value:
            best = Variation(-child.value, (column, *child.line))
        if not context.prune:
            continue
        lower = max(lower, best.value)
        if lower >= upper and place < len(columns):
            context.counters.cutoffs += 1
            skipped = len(columns) - place
            reason = f"{_skipped(skipped)}: the opponent has better elsewhere"
            yield Event("cut", path, depth, lower, upper, best.value, reason, "mover", skipped)
            break
    if context.table is not None:
        bound = EXACT
        if best.value <= window[0]:
            bound = UPPER
        elif best.value >= window[1]:
            bound = LOWER
        context.table.put(position.key, best.value, depth, bound, best.line[0], len(path))
    yield Event("return", path, depth, *window, best.value, "best of the columns tried", "mover")
    return best


def _value_at_rest(
    position: Position, depth: int, context: SearchContext, ply: int
) -> tuple[float, str] | None:
    """Return the value for the side to move and its reason; None if the search continues."""
    if position.outcome is not None:
        return _finished_value(position, ply)
    if depth == 0:
        return context.evaluate(position, ply), EVALUATED
    return None


def _finished_value(position: Position, ply: int) -> tuple[float, str]:
    """Return the value of a finished game for the side to move, which cannot have won it."""
    assert position.outcome is not None
    if position.outcome.winner is None:
        return 0, "draw"
    return ply - WIN, f"{position.outcome}"


def _columns(position: Position, order: Sequence[int], first: int = -1) -> list[int]:
    """Return the legal columns in the order of the search, with column `first`, if any, first."""
    mask, height, top = position.mask, position.geometry.height, position.geometry.rows - 1
    legal = [column for column in order if not mask >> (column * height + top) & 1]
    if first >= 0:
        legal.remove(first)
        legal.insert(0, first)
    return legal


def _skipped(count: int) -> str:
    return f"{count} column{'s' if count > 1 else ''} skipped"


def _cut_reason(turn: int, count: int) -> str:
    side, bound = ("the opponent", "beta") if turn == 1 else ("the root's side", "alpha")
    return f"{_skipped(count)}: {side} can already get {bound}"
