"""Speed of the classic searches: `python -m bench.classics`.

The script times the compiled search and its textbook in the same run, and asserts all answers.
`claimeven study` compares with the times of the originals.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from functools import partial

from bench.timing import best_of, machine
from claimeven import Position
from claimeven.minimax import MinimaxSearch

#: Nodes of alpha-beta on the empty board at each depth: a change here is a change of behavior.
SIGNATURE = {4: 263, 6: 2255, 8: 16541}


def main() -> None:
    argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0]).parse_args()
    print(machine())
    evaluations()
    depth_eight()
    starts()


def evaluations() -> None:
    search = MinimaxSearch("minimax", "windows")
    compiled, result = best_of(3, lambda: search.search(Position(), depth=8))
    readable = MinimaxSearch("minimax", "windows", backend="python")
    slow, slow_result = best_of(1, lambda: readable.search(Position(), depth=4))
    assert result.column == slow_result.column == 3
    fast_rate = result.counters.evaluations / compiled
    slow_rate = slow_result.counters.evaluations / slow
    print(
        f"minimax windows: {fast_rate / 1e6:.1f} M evaluations/s compiled,"
        f" {slow_rate / 1e3:.1f} k/s textbook, ratio {fast_rate / slow_rate:,.0f}"
    )


def depth_eight() -> None:
    for depth, nodes in SIGNATURE.items():
        search = MinimaxSearch("alphabeta", "windows")
        seconds, result = best_of(3, partial(search.search, Position(), depth=depth))
        assert result.counters.nodes == nodes, result.counters
        rate = result.counters.evaluations / seconds
        print(
            f"alphabeta windows depth {depth}: {seconds * 1e3:.2f} ms, {nodes:,} nodes,"
            f" {rate / 1e6:.1f} M evaluations/s"
        )
    deep = MinimaxSearch("alphabeta", "windows")
    seconds, result = best_of(1, lambda: deep.search(Position(), depth=12))
    print(
        f"alphabeta windows depth 12: {seconds:.3f} s,"
        f" {result.counters.evaluations / seconds / 1e6:.1f} M evaluations/s"
    )


def starts() -> None:
    """Time whole commands: help, a first match with an empty cache, and a second match."""
    command = [sys.executable, "-m", "claimeven"]
    match = [*command, "match", "alphabeta:depth=3,eval=sequences", "random", "--games", "2"]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CLAIMEVEN_CACHE_DIR": folder}
        for what, words in (
            ("claimeven --help", [*command, "--help"]),
            ("first match, compiling", match),
            ("later match", match),
        ):
            start = time.perf_counter()
            subprocess.run(words, env=environment, check=True, capture_output=True)
            print(f"{what}: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
