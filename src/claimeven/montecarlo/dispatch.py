"""The choice of an engine by the options, and running several engines within a budget."""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Event
from typing import Any, Final

from claimeven.compiled import for_bits, load
from claimeven.game import Geometry
from claimeven.montecarlo.engine import (
    CompiledEngine,
    Engine,
    LeafTurns,
    ReadableTree,
    TextbookEngine,
)
from claimeven.montecarlo.flat import engine as flat
from claimeven.montecarlo.graph import engine as graph
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.tree import engine as tree
from claimeven.parallel.interrupts import run_in_threads

#: Flat search divides its time into this number of parts; a leaf gets at most one.
TIME_PARTS: Final = 40

#: Seconds between two checks of the clock in a timed search, approximately.
_SLICE: Final = 0.001


def compiled_engine(geometry: Geometry, options: MonteCarloOptions) -> CompiledEngine:
    """Engine on arrays, for a board of at most 128 bits."""
    return _kinds(options)[0](geometry, options)


def textbook_engine(options: MonteCarloOptions) -> TextbookEngine[Any]:
    """Engine on positions, for any board."""
    return _kinds(options)[1](options)


def load_kernels(options: MonteCarloOptions, bits: int) -> None:
    """Compile the kernels of a search on boards of `bits` bits, or load them from the cache."""
    load(*(for_bits(each, bits) for each in _kinds(options)[0].kernels))


def _kinds(options: MonteCarloOptions) -> tuple[type[CompiledEngine], type[TextbookEngine[Any]]]:
    if options.method == "flat":
        return flat.FlatEngine, flat.TextbookFlatEngine
    if options.method == "breadth":
        return flat.BreadthEngine, flat.TextbookBreadthEngine
    if options.transpositions != "off":
        return graph.GraphEngine, graph.TextbookGraphEngine
    return tree.TreeEngine, tree.TextbookTreeEngine


def branching(trees: Sequence[ReadableTree]) -> float | None:
    """Return the mean number of moves of the expanded nodes of all trees."""
    counts = [tree.expansion_counts() for tree in trees]
    expanded = sum(nodes for nodes, _ in counts)
    return sum(moves for _, moves in counts) / expanded if expanded else None


def run_all(
    engines: Sequence[Engine],
    iterations: int | None,
    started: float,
    seconds: float | None,
    first: int,
) -> list[list[int]]:
    """Run each engine on a thread. Return the iterations, in a timed flat search of each leaf."""
    count = len(engines)
    shares = [
        None if iterations is None else iterations // count + (i < iterations % count)
        for i in range(count)
    ]
    totals: list[list[int]] = [[] for _ in engines]
    stop = Event()

    def work(i: int) -> None:
        engine, share = engines[i], shares[i]
        if share is None and seconds is not None and isinstance(engine, LeafTurns):
            totals[i] = _run_leaf_by_leaf(engine, started, seconds, first, stop)
        else:
            deadline = None if seconds is None else started + seconds
            totals[i] = [_run(engine, share, deadline, first, stop)]

    run_in_threads(work, count, stop.set)
    return totals


def _run_leaf_by_leaf(
    engine: Engine, started: float, seconds: float, first: int, stop: Event
) -> list[int]:
    """Give every leaf the same share of the time: a part of `TIME_PARTS`, or less if there are more
    leaves. Return the iterations of each leaf. If the time is too short for one iteration of each
    leaf, the last leaves get no iteration.
    """
    assert isinstance(engine, LeafTurns)
    leaves = engine.leaves()
    share = seconds / max(TIME_PARTS, leaves)
    engine.hold_leaf()
    totals, first_slice, before = list[int](), 1, time.perf_counter()
    for leaf in range(1, leaves + 1):
        done = _run(engine, None, started + leaf * share, first_slice, stop)
        totals.append(done)
        engine.next_leaf_turn()
        now = time.perf_counter()
        each = (now - before) / max(done, 1)
        first_slice, before = max(1, min(first, int(share / max(each, 1e-7)))), now
        if now + each > started + seconds:
            break
    return totals


def _run(
    engine: Engine, iterations: int | None, deadline: float | None, first: int, stop: Event
) -> int:
    """Run an engine in slices of about `_SLICE` seconds and return the iterations made."""
    total, size = 0, first
    while not stop.is_set():
        if iterations is not None:
            size = min(size, iterations - total)
        if size < 1:
            break
        before = time.perf_counter()
        done = engine.run(size)
        now = time.perf_counter()
        total += done
        remaining = _SLICE if deadline is None else min(_SLICE, deadline - now)
        if done < size or remaining <= 0:
            break
        size = max(1, min(4 * size, int(size * remaining / max(now - before, 1e-7))))
    return total
