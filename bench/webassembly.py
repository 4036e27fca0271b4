"""The WebAssembly modules in Chromium, and the kernels here: `python -m bench.webassembly`.

    python -m bench.webassembly                   sizes, scores, searches
    python -m bench.webassembly --positions DIR   every file NAME.txt of DIR, lines "moves score"
    python -m bench.webassembly --full            the complete sets, with all slow positions

Both run on one thread, one after the other, from an empty table. The script asserts the published
scores, and that both visit the same nodes and grow the same trees. It needs Chromium and the extra
test-all.
"""

from __future__ import annotations

import argparse
import gzip
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tests.browser import launched
from tests.compiled.modules import FOLDER, Module, open_page

from bench.sets import OWN_POSITIONS, SIGNATURE_MB
from bench.solver import FIRST, QUICK, REPEATS
from bench.timing import machine
from claimeven import Geometry, Position
from claimeven.minimax import MinimaxSearch
from claimeven.minimax.kernel import NODES, search_slice
from claimeven.montecarlo import MonteCarloOptions
from claimeven.montecarlo.tree.engine import TreeEngine
from claimeven.montecarlo.tree.kernel import grow_tree
from claimeven.solver import layout
from claimeven.solver.kernel import solve_many
from claimeven.solver.search_thread import SearchThread
from claimeven.solver.transposition_table import bucket_bits_for, new_entries

#: Depth of alpha-beta, iterations of UCT.
DEPTH, ITERATIONS = 12, 200_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("--positions", type=Path, metavar="DIR", default=OWN_POSITIONS)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not among the tests' packages

    print(machine())
    sizes()
    with sync_playwright() as playwright:
        page = open_page(launched(playwright))
        for path in sorted(options.positions.glob("*.txt")):
            position_set(page, path, options.full)
        alphabeta(page)
        uct(page)


def sizes() -> None:
    for path in sorted(FOLDER.glob("*.wasm")):
        content = path.read_bytes()
        print(
            f"{path.name:14s} {len(content):7,} bytes, {len(gzip.compress(content)):6,} with gzip"
        )


def position_set(page: Any, path: Path, full: bool) -> None:
    lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
    lines = lines if full else lines[: FIRST.get(path.stem)]
    expected = [int(score) for _, score in lines]
    found = [Position.from_moves(moves) for moves, _ in lines]
    words = [(position.mine, position.mask) for position in found]
    mines, masks = (np.array(each, dtype=np.uint64) for each in zip(*words, strict=True))

    def arguments() -> tuple[Any, ...]:
        bucket_bits = bucket_bits_for(Geometry(), SIGNATURE_MB)
        thread = SearchThread(Geometry(), new_entries(bucket_bits), bucket_bits, 0)
        thread.control[layout.BUDGET] = 1 << 60
        thread.arrays.entries[:] = 0  # the first use of a page of memory takes time
        return (thread.arrays, mines, masks, -99, 99, *np.zeros((2, len(lines)), dtype=np.int64))

    here, there, seconds, page_seconds = both(page, "solver.wasm", solve_many, arguments)
    assert here[-2].tolist() == there[-2].tolist() == expected
    assert here[-1].tolist() == there[-1].tolist()
    scale = 1000 / len(lines)
    each = f"{scale * page_seconds:.4f} ms, here {scale * seconds:.4f} ms"
    print(f"{path.stem:14s} {len(lines)} positions, each in the page {each}", end="")
    report(page_seconds / seconds)


def alphabeta(page: Any) -> None:
    def arguments() -> tuple[Any, ...]:
        search = MinimaxSearch("alphabeta", "windows")
        state = search.compiled_state(Position.from_moves("4455"), DEPTH)
        return state.rows, state.rules, state.progress, state.table, 1 << 60

    here, there, seconds, page_seconds = both(page, "searches.wasm", search_slice, arguments)
    assert here[2].counts.tolist() == there[2].counts.tolist()
    report_rate("alphabeta", "nodes", here[2].counts[NODES], page_seconds, seconds)


def uct(page: Any) -> None:
    def arguments() -> tuple[Any, ...]:
        engine = TreeEngine(Geometry(), MonteCarloOptions(capacity=200_000))
        engine.start(Position(), 1)
        return engine.records, engine.work, engine.setup, engine.formula, ITERATIONS

    here, there, seconds, page_seconds = both(page, "searches.wasm", grow_tree, arguments)
    assert np.array_equal(here[0], there[0])
    report_rate("uct", "iterations", ITERATIONS, page_seconds, seconds)


def both(
    page: Any, module: str, kernel: Any, arguments: Callable[[], tuple[Any, ...]]
) -> tuple[tuple[Any, ...], tuple[Any, ...], float, float]:
    """Return the arguments after a call here and in the page, and the seconds of both.

    Of quick calls the fastest of `REPEATS` counts, in the page and here.
    """
    kernel.load()
    seconds = page_seconds = math.inf
    for _ in range(REPEATS):
        here, there = arguments(), arguments()
        start = time.perf_counter()
        kernel(*here)
        seconds = min(seconds, time.perf_counter() - start)
        page_seconds = min(page_seconds, Module(page, module).timed(kernel.__name__, *there)[1])
        if page_seconds > QUICK:
            break
    return here, there, seconds, page_seconds


def report_rate(name: str, unit: str, count: int, page_seconds: float, seconds: float) -> None:
    page, here = (count / each / 1e6 for each in (page_seconds, seconds))
    print(f"{name:14s} million {unit}/s: in the page {page:.2f}, here {here:.2f}", end="")
    report(page_seconds / seconds)


def report(ratio: float) -> None:
    print(f"; the page takes {ratio:.2f} times as long", flush=True)


if __name__ == "__main__":
    main()
