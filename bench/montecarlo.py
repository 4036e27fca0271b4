"""Speed of the Monte Carlo searches: `python -m bench.montecarlo [--decisions N] [PART ...]`.

Parts: playouts, trees, peer, threads, memory, shallow, clock, curve (default: all). Each part also
measures a peer in the same run: OpenSpiel's C++ MCTSBot (extra `bench`; skipped if not installed),
the textbook, one thread, or the published figure. Every part asserts a signature: visits or results
that follow from the seed. `clock` asserts only legal moves; other load on the machine changes its
figures.
"""

from __future__ import annotations

import argparse
import importlib
import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench.timing import best_of, machine
from claimeven import Geometry, Position
from claimeven.compiled.splitmix64 import Stream
from claimeven.montecarlo import (
    PLAYOUTS,
    PRESETS,
    MonteCarloOptions,
    MonteCarloResult,
    MonteCarloSearch,
    preset,
)
from claimeven.montecarlo.graph.kernel import graph_arrays
from claimeven.montecarlo.playouts.kernel import playout_results
from claimeven.montecarlo.playouts.textbook import RULES
from claimeven.montecarlo.tree.kernel import tree_records
from claimeven.solver import Solver

#: UCT as in most libraries: random playouts, UCB1 with 2 under the root and c = 1.
PLAIN = MonteCarloOptions(formula="ucb1", c=1.0, first_play="random", capacity=2_000_000)
ITERATIONS = 200_000
MILLION = 1_000_000
#: Seconds of a decision in the notebook of Politecnico di Torino (2021): 66 s a game.
POLITO_DECISION = 5.0
#: Visits of the columns of the empty board by PLAIN from seed 1, in ITERATIONS. A change of these,
#: or of any signature below, is a change of behavior.
SIGNATURE = (1531, 4586, 44238, 112040, 18362, 18684, 559)
#: The same of every preset, in PRESET_ITERATIONS.
PRESET_ITERATIONS = 20_000
PRESET_SIGNATURES = {
    "uct": (168, 1913, 1997, 9268, 2681, 1283, 2690),
    "flat": (2863, 2857, 2856, 2856, 2856, 2856, 2856),
    "breadth": (3193, 2801, 2801, 2801, 2801, 2801, 2801),
    "uct-polito": (899, 980, 2761, 12345, 1662, 616, 737),
    "uct-menary": (257, 627, 1246, 15620, 1277, 508, 465),
    "uct-aifour": (10, 306, 2358, 15863, 1128, 262, 73),
    "uct-aifour-code": (214, 307, 1070, 16844, 804, 665, 96),
    "uct-aifour-greedy": (1, 2, 2, 1, 19954, 38, 2),
    "uct-itu": (605, 594, 657, 16464, 796, 583, 301),
    "uct-itu-table": (431, 852, 1085, 15309, 1269, 601, 453),
}
#: Losses and draws of the first player by each rule in SIGNED_PLAYOUTS from seed 1.
SIGNED_PLAYOUTS = 20_000
PLAYOUT_SIGNATURES = {
    "random": (8830, 53),
    "wins-and-blocks": (8995, 736),
    "careful": (8381, 2137),
    "greedy": (3484, 0),
    "alphabeta1": (6719, 0),
    "alphabeta2": (8489, 2203),
    "replies": (8811, 1024),
}
#: Visits of the columns by two threads in 9,999 iterations, and by alpha-beta playouts in 50.
THREADS_SIGNATURE = (243, 629, 1041, 6098, 888, 776, 324)
SHALLOW_SIGNATURE = (7, 6, 6, 10, 6, 9, 6)
#: Columns that `uct` chooses by 100 iterations in the first positions of `curve`.
CURVE_SIGNATURE = (1, 3, 2, 4, 3)
CURVE = (100, 1_000, 10_000, 100_000)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def visits_of(result: MonteCarloResult) -> tuple[int, ...]:
    """Visits of the columns, left to right."""
    return tuple(child.visits for child in result.root.children)


def playouts() -> None:
    """Playouts without a tree from the empty board, and the first player's results."""
    for name in PLAYOUTS:
        losses, draws, _ = playout_results(Position(), name, 0, 1, SIGNED_PLAYOUTS)
        assert (losses, draws) == PLAYOUT_SIGNATURES[name], (name, losses, draws)
        count = 40_000 if "alphabeta" in name else 1_000_000
        seconds, results = best_of(
            5,
            partial(playout_results, Position(), name, 0, 1, count),
        )
        assert sum(results) == count
        if name == "random":
            assert 0.553 < results[2] / count < 0.559, results
        print(
            f"playouts {name}: {count / seconds / 1e6:.2f} M/s,"
            f" first player {results[2] / count:.1%} won, {results[1] / count:.1%} drawn"
        )


def rate(options: MonteCarloOptions, iterations: int = ITERATIONS, runs: int = 5) -> float:
    """Iterations a second on the empty board, the best of some runs."""
    search = MonteCarloSearch(options.with_changes(reuse=False))
    search.search(Position(), rng(), iterations=iterations)  # touches the memory first
    seconds, result = best_of(runs, lambda: search.search(Position(), rng(), iterations=iterations))
    assert result.iterations == iterations == result.root.visits
    return iterations / seconds


def trees() -> None:
    """Iterations a second of every preset, and of the plain search against its textbook."""
    plain = MonteCarloSearch(PLAIN).search(Position(), rng(), iterations=ITERATIONS)
    assert visits_of(plain) == SIGNATURE, plain.root
    compiled = rate(PLAIN)
    textbook = MonteCarloSearch(PLAIN, "python")
    seconds, slow = best_of(1, lambda: textbook.search(Position(), rng(), iterations=2000))
    fast = MonteCarloSearch(PLAIN).search(Position(), rng(), iterations=2000)
    assert fast.forest.branch(3) == slow.forest.branch(3)
    print(
        f"UCT, random playouts, {ITERATIONS:,} iterations: {compiled / 1e6:.2f} M/s;"
        f" textbook {2000 / seconds:,.0f}/s, ratio {compiled * seconds / 2000:,.0f}"
    )
    for name, options in PRESETS.items():
        signed = MonteCarloSearch(options).search(Position(), rng(), iterations=PRESET_ITERATIONS)
        assert visits_of(signed) == PRESET_SIGNATURES[name], (name, visits_of(signed))
        print(f"{name}: {rate(options, runs=3) / 1e6:.2f} M iterations/s")


def peer() -> None:
    """The plain search and OpenSpiel's, in turns."""
    try:
        pyspiel: Any = importlib.import_module("pyspiel")
    except ImportError:
        print("OpenSpiel is not installed; skipped. Install it: pip install 'claimeven[bench]'")
        return
    game = pyspiel.load_game("connect_four")
    simulations = 20_000
    theirs = ours = 0.0
    for _ in range(3):
        bot = pyspiel.MCTSBot(
            game, pyspiel.RandomRolloutEvaluator(1, 1), 1.0, simulations, 1000, False, 1, False
        )
        state = game.new_initial_state()
        seconds, action = best_of(1, partial(bot.step, state))
        assert action in range(7)
        theirs = max(theirs, simulations / seconds)
        ours = max(ours, rate(PLAIN, runs=2))
    print(
        f"UCT, one thread: {ours / 1e6:.2f} M iterations/s, OpenSpiel's MCTSBot"
        f" {theirs / 1e3:.0f} k/s, ratio {ours / theirs:.1f}"
    )


def threads() -> None:
    """Two threads and one, in turns; two threads decide alike from the same seed."""
    one = two = 0.0
    for _ in range(4):
        one = max(one, rate(PLAIN, runs=2))
        two = max(two, rate(PLAIN.with_changes(threads=2), 2 * ITERATIONS, runs=2))
    again = [
        MonteCarloSearch(PLAIN.with_changes(threads=2)).search(Position(), rng(), iterations=9999)
        for _ in range(2)
    ]
    assert again[0].root == again[1].root
    assert visits_of(again[0]) == THREADS_SIGNATURE, visits_of(again[0])
    print(f"two threads: {two / 1e6:.2f} M iterations/s, {two / one:.2f} x one")


def memory() -> None:
    """Bytes of a million nodes, of a tree and of a table of positions."""
    tree = tree_records(MILLION).nbytes
    arrays = graph_arrays(MILLION, 7, Geometry().bits)
    table = arrays.nodes.nbytes + arrays.edges.nbytes + arrays.slots.nbytes
    assert tree <= 64 * 2**20
    assert table <= 64 * 2**20
    print(f"a million nodes: tree {tree / 2**20:.1f} MiB, table {table / 2**20:.1f} MiB")


def shallow() -> None:
    """A decision of 50 iterations with alpha-beta playouts of depth 2."""
    search = MonteCarloSearch(preset("uct-polito", playout="alphabeta2"))
    seconds, result = best_of(20, lambda: search.search(Position(), rng(), iterations=50))
    assert visits_of(result) == SHALLOW_SIGNATURE, visits_of(result)
    print(
        f"50 iterations with alphabeta2 playouts: {seconds * 1e3:.2f} ms a decision;"
        f" the notebook of 2021 some {POLITO_DECISION:.0f} s,"
        f" ratio {POLITO_DECISION / seconds:,.0f}"
    )


def clock(decisions: int, players: list[str], limits: list[float]) -> None:
    """The overshoot of timed decisions: percentiles over positions of random games."""
    generator = random.Random(1)
    for name in players:
        preset_name, _, playout = name.partition(":")
        options = preset(preset_name, **({"playout": playout} if playout else {}))
        for limit in limits:
            search = MonteCarloSearch(options)
            search.load(Geometry())
            over = []
            for i in range(decisions):
                position = some_position(generator, 1 + i % 20)
                start = time.perf_counter()
                result = search.search(position, rng(i), seconds=limit)
                over.append(time.perf_counter() - start - limit)
                assert result.column in position.legal_columns
            p50, p99 = np.percentile(np.array(over) * 1e3, (50, 99))
            print(
                f"{name} at {limit * 1e3:.0f} ms: overshoot median {p50:+.2f} ms,"
                f" 99th percentile {p99:+.2f} ms over {decisions} decisions",
                flush=True,
            )


def some_position(generator: random.Random, plies: int) -> Position:
    """Play moves that win and block, else random moves; the game is not finished."""
    stream = Stream(generator.getrandbits(64))
    while True:
        position = Position()
        for _ in range(plies):
            if position.is_over:
                break
            position = position.play(RULES["careful"](position, stream))
        if not position.is_over:
            return position


def curve(count: int) -> None:
    """Share of perfect moves, and of moves that keep the result, by iterations and by ply."""
    generator = random.Random(7)
    solver = Solver()
    bands = [(first, first + 3) for first in range(4, 24, 4)]
    labels = {band: labelled(solver, generator, band, count) for band in bands}
    signed = [position for position, _ in labels[bands[0]][: len(CURVE_SIGNATURE)]]
    quick = MonteCarloSearch(preset("uct", reuse=False))
    columns = [quick.search(position, rng(), iterations=100).column for position in signed]
    assert columns == list(CURVE_SIGNATURE[: len(columns)]), columns
    for name in ("uct", "uct-menary"):
        shares = []
        for iterations in CURVE:
            search = MonteCarloSearch(preset(name, capacity=400_000, reuse=False))
            perfect, keeping = [], []
            for found in labels.values():
                losses = [
                    loss(scores, search.search(position, rng(seed), iterations=iterations).column)
                    for seed, (position, scores) in enumerate(found)
                ]
                perfect.append(sum(points == 0 for points, _ in losses) / count)
                keeping.append(sum(same for _, same in losses) / count)
            shares.append(np.mean(perfect))
            print(
                f"{name}, {iterations:,} iterations: perfect {np.mean(perfect):.1%}"
                f" ({by_band(bands, perfect)}), result kept {np.mean(keeping):.1%}"
                f" ({by_band(bands, keeping)})",
                flush=True,
            )
        assert shares[0] < shares[-1], shares


def labelled(
    solver: Solver, generator: random.Random, band: tuple[int, int], count: int
) -> list[tuple[Position, tuple[int | None, ...]]]:
    """Return scored positions in which some move changes the result."""
    found: list[tuple[Position, tuple[int | None, ...]]] = []
    while len(found) < count:
        position = some_position(generator, generator.randint(*band))
        scores = solver.scores(position)
        if len({np.sign(score) for score in scores if score is not None}) > 1:
            found.append((position, scores))
    return found


def loss(scores: tuple[int | None, ...], column: int) -> tuple[int, bool]:
    """Return the loss of a column against the best score, and whether it keeps the result."""
    best = max(score for score in scores if score is not None)
    score = scores[column]
    assert score is not None
    return best - score, np.sign(score) == np.sign(best)


def by_band(bands: list[tuple[int, int]], shares: list[float]) -> str:
    parts = zip(bands, shares, strict=True)
    return ", ".join(f"plies {first}-{last} {share:.0%}" for (first, last), share in parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--decisions", type=int, default=1000, help="of each limit in `clock`")
    parser.add_argument(
        "--limits",
        nargs="+",
        type=float,
        default=[0.01, 0.1, 1.0],
        metavar="SECONDS",
        help="of a decision in `clock` (default: %(default)s)",
    )
    parser.add_argument(
        "--players",
        nargs="+",
        default=["uct", "uct-itu-table", "uct-polito:alphabeta2"],
        metavar="PRESET[:PLAYOUT]",
        help="of `clock` (default: %(default)s)",
    )
    parser.add_argument("--positions", type=int, default=100, help="of each band in `curve`")
    given = parser.parse_args()
    parts: dict[str, Callable[[], object]] = {
        "playouts": playouts,
        "trees": trees,
        "peer": peer,
        "threads": threads,
        "memory": memory,
        "shallow": shallow,
        "clock": lambda: clock(given.decisions, given.players, given.limits),
        "curve": lambda: curve(given.positions),
    }
    unknown = [part for part in given.parts if part not in parts]
    if unknown:
        parser.error(f"PART must be one of {', '.join(parts)}, got {unknown[0]!r}")
    print(machine())
    for name, part in parts.items():
        if not given.parts or name in given.parts:
            part()


if __name__ == "__main__":
    main()
