"""Speed of the exact solver and of `bitbully`: `python -m bench.solver`.

    python -m bench.solver                   the six sets of positions in bench/positions
    python -m bench.solver --positions DIR   every file NAME.txt of DIR, lines "moves score"
    python -m bench.solver --full            the complete sets, with all slow positions
    python -m bench.solver --alone           without the peer
    python -m bench.solver --memory          memory of a process beyond its table
    python -m bench.solver --rows            published scores of whole rows of columns
    python -m bench.solver --boards          whole boards from scratch against published results
    python -m bench.solver --empty           the empty board from scratch, 2 threads
    python -m bench.solver --together        hard positions by one thread and by several
    python -m bench.solver --guide           any of these with guesses of the bundled net
    python -m bench.solver --without IDEA    the effect of an idea of the search; repeat for more
    python -m bench.solver --without list    the names of the ideas; "all" means all ideas

The script asserts every score, also of `bitbully` (extra `bench`; skipped with a message if not
installed), and with `--table-mb 64` the nodes of the project's sets. Times are CPU times of the
searching thread, so other load disturbs them little. Each set starts with an empty table of the
default size, which stays warm within the set. One thread, no book.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench import ideas
from bench.sets import OWN_POSITIONS, SIGNATURE_MB, SIGNATURES
from bench.timing import machine
from claimeven import Position
from claimeven.game.geometry import Geometry
from claimeven.networks import NetGuide
from claimeven.solver import ExactSearch, Solver
from claimeven.solver.transposition_table import DEFAULT_MB

#: The number of positions solved in slow sets, the first ones.
FIRST = {"begin-medium": 200, "begin-hard": 20}
#: Number of positions, and their minimum nodes, for one thread and several.
TOGETHER, TOGETHER_NODES = 20, 300_000
#: If a set takes fewer seconds, the best of `REPEATS` runs counts.
QUICK, REPEATS = 2.0, 3

#: The winner of the empty board (sign) and the winning disc, 0 for a draw: Tromp; Steininger.
BOARDS = {
    (4, 4): 0, (5, 4): 0, (6, 4): -24, (7, 4): 0, (8, 4): -32, (9, 4): -36, (10, 4): -40,
    (4, 5): 0, (5, 5): 0, (6, 5): 0, (7, 5): 0, (4, 6): 0, (5, 6): 0, (6, 6): -36,
    (4, 7): 0, (5, 7): 0, (4, 8): 0,
}  # fmt: skip
#: Scores of every column, published with the solver of Pons.
ROWS = {
    "": [-2, -1, 0, 1, 0, -1, -2],
    "4455": [-4, -3, 18, 2, 2, 18, -3],
    "226744515337": [-1, 0, -1, 7, 6, -2, 0],
    "475772722323": [-14, 4, 4, 3, 4, -3, 4],
    "44455554221": [-15] * 7,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("--positions", type=Path, metavar="DIR")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--boards", action="store_true")
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--guide", action="store_true")
    parser.add_argument(
        "--without", action="append", choices=("all", "list", *ideas.IDEAS), metavar="IDEA"
    )
    parser.add_argument("--table-mb", type=float, default=DEFAULT_MB)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if options.without and "list" in options.without:
        for name, idea in ideas.IDEAS.items():
            print(f"{name:12s} {idea.words}")
        return
    print(machine())
    if options.without:
        ideas.report(list(ideas.IDEAS) if "all" in options.without else options.without)
        return
    single = options.rows or options.boards or options.empty or options.memory
    guide = NetGuide() if options.guide else None
    if guide is not None:
        guide.load()
    own = not (single or options.together)
    if (own or options.positions or options.empty) and not options.alone:
        options.alone = is_without_peer()
    if options.positions or own:
        folder = options.positions or OWN_POSITIONS
        for path in sorted(folder.glob("*.txt")):
            position_set(path, options.table_mb, options.full, options.alone, guide)
    if options.memory:
        memory()
    if options.rows:
        rows(options.threads)
    if options.boards:
        boards(options.threads)
    if options.empty:
        empty_board(options.threads, options.table_mb, options.alone, guide)
    if options.together:
        together(options.threads, options.table_mb, guide)


def is_without_peer() -> bool:
    """Return whether `bitbully` is missing, with a message."""
    if importlib.util.find_spec("bitbully") is not None:
        return False
    print("bitbully is not installed; skipped. Install it: pip install 'claimeven[bench]'")
    return True


def position_set(
    path: Path, table_mb: float, full: bool, alone: bool, guide: NetGuide | None
) -> None:
    lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
    lines = lines if full else lines[: FIRST.get(path.stem)]
    positions = [Position.from_moves(moves) for moves, _ in lines]
    expected = [int(score) for _, score in lines]
    mines = np.array([position.mine for position in positions], dtype=np.uint64)
    masks = np.array([position.mask for position in positions], dtype=np.uint64)
    search = ExactSearch(Geometry(), table_mb=table_mb, guide=guide)
    nodes = np.zeros(0, dtype=np.int64)

    def ours() -> list[int]:
        nonlocal nodes
        scores, nodes = search.score_many(mines, masks)
        return [int(score) for score in scores]

    search.score_many(mines[:1], masks[:1])  # compiles
    seconds = timed(search.clear, ours, expected)
    is_signed = path.parent == OWN_POSITIONS and table_mb == SIGNATURE_MB and guide is None
    if is_signed and path.stem in SIGNATURES:
        assert nodes.sum() == SIGNATURES[path.stem], f"{path.stem} took {nodes.sum():,} nodes"
    count = len(lines)
    text = (
        f"{path.stem:14s} {count:5d} positions  ours {1e3 * seconds / count:10.5f} ms"
        f" {nodes.mean():12.1f} nodes {nodes.sum() / seconds / 1e6:6.2f} M/s"
    )
    peers = {} if alone else bitbully_seconds([moves for moves, _ in lines], expected)
    for driver, theirs in peers.items():
        text += (
            f"  bitbully.{driver} {1e3 * theirs / count:10.5f} ms  ratio {theirs / seconds:5.1f}"
        )
    print(text, flush=True)


def timed(forget: Callable[[], None], solve: Callable[[], list[int]], expected: list[int]) -> float:
    """Return the seconds of the best run, each from an empty table."""
    best = float("inf")
    for _ in range(REPEATS):
        forget()
        start = time.thread_time()
        scores = solve()
        taken = time.thread_time() - start
        wrong = [i for i, score in enumerate(scores) if score != expected[i]]
        assert not wrong, f"wrong at lines {wrong[:5]}"
        best = min(best, taken)
        if taken > QUICK:
            break
    return best


def bitbully_seconds(all_moves: list[str], expected: list[int]) -> dict[str, float]:
    """Return the time of each driver of `bitbully` for a set, without its book."""
    from bitbully import bitbully_core  # noqa: PLC0415 - an optional peer

    boards = []
    for moves in all_moves:
        board = bitbully_core.BoardCore()
        assert all(board.play(int(column) - 1) for column in moves)
        boards.append(board)
    peer = bitbully_core.BitBullyCore()

    def with_mtdf() -> list[int]:
        return [peer.mtdf(board, 0) for board in boards]

    def with_null_window() -> list[int]:
        return [peer.nullWindow(board) for board in boards]

    return {
        "mtdf": timed(peer.resetTranspositionTable, with_mtdf, expected),
        "null_window": timed(peer.resetTranspositionTable, with_null_window, expected),
    }


def memory() -> None:
    """The maximum memory of `claimeven solve`, with compiled code in the cache, by table."""
    for table_mb in (1, 64, 512):
        words = ("solve", "4445513", "--all", "--no-book", "--table-mb", str(table_mb))
        for _ in range(2):  # the first may compile
            with subprocess.Popen(
                [sys.executable, "-m", "claimeven", *words], stdout=subprocess.PIPE
            ) as process:
                assert process.stdout is not None
                assert process.stdout.read() == b"4445513 -7 -6 -4 -2 -3 -6 -6\n"
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            assert process.returncode == 0
        taken = used.ru_maxrss / 1024
        print(f"table of {table_mb} MB: {taken:.0f} MB at most, {taken - table_mb:.0f} beyond it")


def rows(threads: int) -> None:
    solver = Solver(table_mb=1024, threads=threads, book=None)
    for moves, expected in ROWS.items():
        position = Position.from_moves(moves)
        start = time.perf_counter()
        before = solver.statistics.nodes
        assert solver.scores(position) == tuple(expected)
        seconds = time.perf_counter() - start
        nodes = solver.statistics.nodes - before
        print(f"row {moves or '(empty)':14s} {seconds:8.2f} s {nodes:12,} nodes")


def boards(threads: int) -> None:
    for (columns, rows), disc in BOARDS.items():
        geometry = Geometry(columns, rows)
        search = ExactSearch(geometry, table_mb=1024, threads=threads)
        start = time.perf_counter()
        score = search.score(0, 0)
        seconds = time.perf_counter() - start
        size = (geometry.cells + 2 - abs(disc)) // 2 if disc else 0
        assert score == (size if disc > 0 else -size), (columns, rows, score)
        print(
            f"board {columns}x{rows} {disc:+4d} {seconds:8.2f} s {search.nodes:13,} nodes",
            flush=True,
        )


def empty_board(threads: int, table_mb: float, alone: bool, guide: NetGuide | None) -> None:
    search = ExactSearch(Geometry(), table_mb=table_mb, threads=threads, guide=guide)
    search.load()
    search.clear()
    start, cpu = time.perf_counter(), time.process_time()
    assert search.score(0, 0) == 1
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(
        f"empty board, {threads} threads, {table_mb:g} MB: {seconds:.1f} s wall, {cpu:.1f} s CPU,"
        f" {search.nodes:,} nodes, at most {max(s.nodes for s in search.workers):,} a thread",
        flush=True,
    )
    peers = {} if alone else bitbully_seconds([""], [1])
    for driver, theirs in peers.items():
        print(f"  bitbully.{driver}: {theirs:.1f} s, ratio {theirs / seconds:.1f}", flush=True)


def together(threads: int, table_mb: float, guide: NetGuide | None) -> None:
    """Solve hard positions one by one, from an empty table each, with one thread and several.

    The time of several threads is the CPU time of the busiest thread, in proportion to its nodes,
    so other load disturbs it little. The median of three runs counts.
    """
    lines = (OWN_POSITIONS / "begin-hard.txt").read_text().splitlines()
    searches = [
        ExactSearch(Geometry(), table_mb=table_mb, threads=count, guide=guide)
        for count in (1, threads)
    ]
    gains = []
    totals = np.zeros(2)

    def seconds(search: ExactSearch, position: Position, score: int) -> float:
        search.clear()
        before = [worker.nodes for worker in search.workers]
        start = time.process_time()
        assert search.score(position.mine, position.mask) == score
        cpu = time.process_time() - start
        visited = [worker.nodes - was for worker, was in zip(search.workers, before, strict=True)]
        return cpu * max(visited) / sum(visited)

    for line in lines:
        moves, score = line.split()
        position = Position.from_moves(moves)
        searches[0].clear()
        before = searches[0].nodes
        searches[0].score(position.mine, position.mask)
        if searches[0].nodes - before < TOGETHER_NODES:
            continue
        taken = [
            float(np.median([seconds(search, position, int(score)) for _ in range(REPEATS)]))
            for search in searches
        ]
        totals += taken
        gains.append(taken[0] / taken[1])
        print(f"{moves:16s} {taken[0]:6.3f} s {taken[1]:6.3f} s ratio {gains[-1]:.2f}", flush=True)
        if len(gains) == TOGETHER:
            break
    print(
        f"{len(gains)} positions, 1 and {threads} threads: {totals[0]:.2f} s, {totals[1]:.2f} s,"
        f" ratio {totals[0] / totals[1]:.2f}; of single positions {min(gains):.2f} to"
        f" {max(gains):.2f}, median {np.median(gains):.2f}"
    )


if __name__ == "__main__":
    main()
