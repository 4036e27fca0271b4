"""Speed on boards of 65 to 128 bits: `python -m bench.boards [PART ...]`.

Parts: playouts, uct, alphabeta, scores, published (default: all). Rates are CPU time of one thread,
the best of some runs, next to those of 7x6 in the same run. Every part asserts its answers:
results, visits or nodes that follow from the seed, and of short searches the answers of the
textbook.

`scores` has random positions near their end, without a win at hand, each solved with an empty
transposition table. The readable solver must have the same score after the same number of nodes.

`published` has positions of 10x6 next to the mean times of Steininger's C++ solver, one thread and
a table of 1 GB, of other positions with the same numbers of empty cells. Here, positions of the
second group have a game of 15 plies or more ahead, so that each takes a search. Sums of scores and
nodes are fixed. The readable solver must have the same scores of the positions that take few nodes.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

from bench.timing import machine
from claimeven import Geometry, Position
from claimeven.game.bitboard import playable_cells, winning_cells
from claimeven.minimax import MinimaxSearch
from claimeven.montecarlo import MonteCarloSearch, preset
from claimeven.montecarlo.playouts.kernel import playout_results
from claimeven.solver import ExactSearch, plies_to_end
from claimeven.solver.textbook import TextbookSolver

#: 7x6, and the larger boards that are sold.
BOARDS = tuple(Geometry(*size) for size in ((7, 6), (9, 7), (10, 7), (8, 8)))
RUNS = 9
#: Boards of `scores`: 64 bits, then 70 to 80.
SOLVED = (Geometry(8, 7), Geometry(9, 7), Geometry(8, 8), Geometry(10, 6), Geometry(10, 7))
EMPTY, POSITIONS, SOLVED_RUNS = (10, 16), 200, 3
#: Groups of positions of 10x6: their empty cells, the fewest plies to the end, their number, the
#: mean time of Steininger's solver in ms, the sum of their scores, and the nodes that they take.
TEN = Geometry(10, 6)
PUBLISHED = (((1, 14), 1, 300, 0.85, -859, 488), ((15, 28), 15, 60, 2864.0, -12, 471_081))
#: The nodes for which the readable solver is affordable.
READABLE_NODES = 3000
#: Losses, draws and wins of the first player in 20,000 playouts from seed 1, by columns.
PLAYOUTS = {
    "random": {
        7: (8830, 53, 11117),
        9: (8969, 1, 11030),
        10: (8932, 0, 11068),
        8: (8855, 1, 11144),
    },
    "replies": {
        7: (8811, 1024, 10165),
        9: (9262, 72, 10666),
        10: (9176, 20, 10804),
        8: (9122, 57, 10821),
    },
}
#: Visits of the columns in 20,000 iterations from seed 1.
UCT = {
    "random": {
        7: (574, 1349, 1066, 14286, 1143, 677, 905),
        9: (477, 621, 933, 9723, 2580, 4205, 534, 559, 368),
        10: (110, 519, 751, 6136, 2524, 1457, 6275, 1077, 637, 514),
        8: (1055, 601, 1836, 5204, 8692, 1461, 880, 271),
    },
    "replies": {
        7: (168, 1913, 1997, 9268, 2681, 1283, 2690),
        9: (391, 1475, 4127, 996, 6727, 4452, 646, 871, 315),
        10: (344, 493, 3070, 8211, 1234, 1568, 1885, 1814, 776, 605),
        8: (483, 889, 1558, 7412, 7538, 913, 882, 325),
    },
}
#: Nodes of a search of depth 8.
NODES = {
    "windows": {7: 16541, 9: 53490, 10: 108966, 8: 39994},
    "triples": {7: 14378, 9: 46429, 10: 83972, 8: 27192},
}


def rate(count: int, work: Callable[[], Any]) -> float:
    """Units a second of CPU time, the best of some runs; the first loads kernels."""
    work()
    best = float("inf")
    for _ in range(RUNS):
        start = time.thread_time()
        work()
        best = min(best, time.thread_time() - start)
    return count / best


def show(name: str, rates: dict[Geometry, float]) -> None:
    """Print the rates of the boards, and their ratios to 7x6."""
    first = rates[BOARDS[0]]
    for geometry, each in rates.items():
        print(
            f"{name}, {geometry.columns}x{geometry.rows}: {each / 1e6:.2f} M/s,"
            f" {each / first:.2f} x 7x6"
        )


def playouts() -> None:
    """Playouts from the empty board."""
    for rule in ("random", "replies"):
        rates = {}
        for geometry in BOARDS:
            position = Position(geometry)
            answer = playout_results(position, rule, 0, 1, 20_000)
            assert answer == PLAYOUTS[rule][geometry.columns], (rule, geometry, answer)
            rates[geometry] = rate(20_000, partial(playout_results, position, rule, 0, 1, 20_000))
        show(f"playouts {rule}", rates)


def uct() -> None:
    """Iterations of `uct` and of its tree with random playouts."""
    for rule in ("random", "replies"):
        rates = {}
        for geometry in BOARDS:
            position = Position(geometry)
            options = preset("uct", playout=rule, reuse=False)
            twins = [
                MonteCarloSearch(options, backend).search(
                    position, np.random.default_rng(1), iterations=50
                )
                for backend in ("compiled", "python")
            ]
            assert twins[0].root == twins[1].root
            search = MonteCarloSearch(options)

            def run(search: MonteCarloSearch = search, at: Position = position) -> tuple[int, ...]:
                result = search.search(at, np.random.default_rng(1), iterations=20_000)
                return tuple(child.visits for child in result.root.children)

            assert run() == UCT[rule][geometry.columns], (rule, geometry, run())
            rates[geometry] = rate(20_000, run)
        show(f"uct, playouts {rule}", rates)


def alphabeta() -> None:
    """Nodes of alpha-beta from the empty board."""
    for evaluation in ("windows", "triples"):
        rates = {}
        for geometry in BOARDS:
            search, position = MinimaxSearch("alphabeta", evaluation), Position(geometry)
            twin = MinimaxSearch("alphabeta", evaluation, backend="python")
            one, other = (each.search(position, depth=4) for each in (search, twin))
            assert (one.counters, one.value) == (other.counters, other.value)
            nodes = search.search(position, depth=8).counters.nodes
            assert nodes == NODES[evaluation][geometry.columns], (evaluation, geometry, nodes)
            rates[geometry] = rate(nodes, partial(search.search, position, depth=8))
        show(f"alpha-beta, {evaluation}", rates)


def scores() -> None:
    """Exact scores of positions of each board."""
    for geometry in SOLVED:
        exact_scores(geometry)


def exact_scores(geometry: Geometry) -> None:
    """Print the mean time of the exact score of a position, of the fastest of several runs."""
    rng = random.Random(1)
    positions = [quiet_position(geometry, rng.randint(*EMPTY), rng) for _ in range(POSITIONS)]
    search = ExactSearch(geometry, table_mb=1)
    search.load()
    readable = TextbookSolver(geometry, search.bucket_bits)
    times = [float("inf")] * len(positions)
    for run in range(SOLVED_RUNS):
        for number, position in enumerate(positions):
            search.clear()
            start = time.perf_counter()
            score = search.score(position.mine, position.mask)
            times[number] = min(times[number], time.perf_counter() - start)
            if run == 0:
                readable.entries[:] = [0] * len(readable.entries)
                assert score == readable.solve(position.mine, position.mask, -99, 99)
                assert search.nodes == readable.nodes
    print(
        f"{geometry}, {geometry.bits} bits, {EMPTY[0]}-{EMPTY[1]} empty cells, exact score:"
        f" mean {1000 * fmean(times):.4f} ms, most {1000 * max(times):.3f} ms",
        flush=True,
    )


def published() -> None:
    """Mean times of exact scores on 10x6 next to published ones."""
    for cells, plies, count, theirs, total, nodes in PUBLISHED:
        rng = random.Random(1)
        search, readable = ExactSearch(TEN, table_mb=1024), TextbookSolver(TEN, 16)
        search.load()
        search.clear()
        scores: list[int] = []
        checked, seconds = 0, 0.0
        while len(scores) < count:
            position = quiet_position(TEN, rng.randint(*cells), rng)
            before, start = search.nodes, time.thread_time()
            score = search.score(position.mine, position.mask)
            taken = time.thread_time() - start
            if plies_to_end(position, score) < plies:
                continue
            scores.append(score)
            seconds += taken
            if search.nodes - before < READABLE_NODES:
                readable.entries[:] = [0] * len(readable.entries)
                assert score == readable.solve(position.mine, position.mask, -99, 99)
                checked += 1
        print(
            f"{TEN}, {cells[0]}-{cells[1]} empty cells, {count} positions, 1 GB: mean"
            f" {1000 * seconds / count:.4f} ms, Steininger {theirs} ms, {checked} checked;"
            f" {search.nodes:,} nodes, scores {sum(scores)}",
            flush=True,
        )
        assert (sum(scores), search.nodes) == (total, nodes)


def quiet_position(geometry: Geometry, empty: int, rng: random.Random) -> Position:
    """Return a random position with `empty` empty cells, without a win at hand."""
    while True:
        position, columns = Position(geometry), list(range(geometry.columns))
        while columns and geometry.cells - position.ply > empty:
            position = position.play(rng.choice(columns))
            wins = winning_cells(position.mine, position.mask, geometry)
            wins &= playable_cells(position.mask, geometry)
            legal = position.legal_columns
            columns = [c for c in legal if not wins & geometry.column_mask(c)]
        if columns == list(legal) and geometry.cells - position.ply == empty:
            return position


PARTS: dict[str, Callable[[], None]] = {
    "playouts": playouts,
    "uct": uct,
    "alphabeta": alphabeta,
    "scores": scores,
    "published": published,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART")
    parts = parser.parse_args().parts or PARTS
    print(machine())
    for name in parts:
        PARTS[name]()


if __name__ == "__main__":
    main()
