"""The time that a deep book saves, compared with the bundled book: `python -m bench.deep_book`.

    python -m bench.deep_book               the default book
    python -m bench.deep_book --book FILE   another book
    python -m bench.deep_book --games N     every column at every ply of N random games (50)
    python -m bench.deep_book --alone       without the bundled book, which is slowest
    python -m bench.deep_book --cpu         CPU time, for a machine with other load
    python -m bench.deep_book --label N     scored positions of plies 4 to 36, as `dataset` writes

Both books answer for the same positions, each with an empty table at the start of every game. The
script asserts equal scores. Behind ply 9 the bundled book needs a search. The solver chooses the
size of the table, which is smaller with a deep book. A new process is timed from opening the book
to its first answer, which is asserted too.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.timing import machine
from claimeven import Geometry, Position
from claimeven.book.locations import default_path, load_book
from claimeven.dataset import Dataset, DatasetPlan, make_dataset, read_dataset
from claimeven.solver import Solver
from claimeven.solver.protocols import SHIPPED_BOOK

#: Plies in one line of the table; plies that differ much in difficulty have separate lines.
GROUPS = ((0, 8), (9, 11), (12, 12), (13, 13), (14, 14), (15, 16), (17, 20), (21, 41))
FIRST_LOOK_UP = """
import sys, time
from claimeven import Position
from claimeven.book import load_book
started = time.perf_counter()
score = load_book(sys.argv[1]).look_up(Position.from_moves(sys.argv[2]))
print(score, time.perf_counter() - started)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("--book", type=Path, default=default_path(Geometry()))
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--table-mb", type=float, help="default: the solver's choice")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--label", type=int, default=2000)
    options = parser.parse_args()
    print(machine())
    book = load_book(options.book)
    size = options.book.stat().st_size
    print(f"plies 0 to {book.plies}, {len(book):,} positions, {size:,} bytes, from {book.source}")
    first_look_up(options.book)
    games = random_games(options.games, options.seed)
    answers = []
    for name, which in ((SHIPPED_BOOK, SHIPPED_BOOK), ("deep", options.book)):
        if which == SHIPPED_BOOK and options.alone:
            continue
        solver = Solver(threads=options.threads, table_mb=options.table_mb, book=which)
        solver.load()
        clock = time.process_time if options.cpu else time.perf_counter
        answers.append(timed(name, solver, games, clock))
    assert all(found == answers[0] for found in answers), "the books do not agree"
    if options.label:
        label(options.label, options.book, options.threads)


def first_look_up(path: Path) -> None:
    """Time a lookup by a process that has just imported the package, the best of three."""
    taken = []
    for _ in range(3):
        words = [sys.executable, "-c", FIRST_LOOK_UP, str(path), "444444"]
        ran = subprocess.run(words, capture_output=True, text=True, check=True)
        score, seconds = ran.stdout.split()
        assert score == "1"
        taken.append(float(seconds))
    print(f"a fresh process opens the book and looks up a position in {1e3 * min(taken):.1f} ms")
    assert min(taken) < 0.05


def random_games(games: int, seed: int) -> list[list[Position]]:
    """Return the unfinished positions of random games."""
    rng = random.Random(seed)
    found = []
    for _ in range(games):
        position, met = Position(), []
        while not position.is_over:
            met.append(position)
            position = position.play(rng.choice(position.legal_columns))
        found.append(met)
    return found


def timed(
    name: str, solver: Solver, games: list[list[Position]], clock: Callable[[], float]
) -> list[list[tuple[int | None, ...]]]:
    """Solve every column at every ply, print the time, and return the scores."""
    by_ply: dict[int, list[float]] = {}
    worst, slowest = 0.0, Position()
    answers = []
    for game in games:
        solver.clear()
        scores = []
        for position in game:
            started = clock()
            scores.append(solver.scores(position))
            taken = clock() - started
            by_ply.setdefault(position.ply, []).append(taken)
            if taken > worst:
                worst, slowest = taken, position
        answers.append(scores)
    print(f"\n{name}: scores of all columns at every ply of {len(games)} random games")
    print(f"{'plies':>8}{'positions':>11}{'50 %':>10}{'90 %':>10}{'99 %':>10}{'worst':>10}   ms")
    for low, high in (*GROUPS, (0, 41)):
        times = [t for ply in range(low, high + 1) for t in by_ply.get(ply, [])]
        if times:
            cuts = [*np.percentile(times, [50, 90, 99]), max(times)]
            figures = "".join(f"{1e3 * cut:10.2f}" for cut in cuts)
            print(f"{f'{low}-{high}':>8}{len(times):>11,}{figures}")
    statistics = solver.statistics
    print(
        f"{statistics.nodes:,} nodes; slowest: ply {slowest.ply}, mine {slowest.mine},"
        f" mask {slowest.mask}",
        flush=True,
    )
    return answers


def label(count: int, book: Path, threads: int) -> None:
    """Time `claimeven dataset` for positions of plies 4 to 36 of each kind, and the time that
    `optimal_only` saves. The right columns are asserted to be equal.

    """
    plans = [DatasetPlan(count, 4, 36)]
    plans += [DatasetPlan(count, 4, 36, source="mixed", random_moves=share) for share in (0.5, 0.1)]
    for plan in plans:
        labelled = [labels(plan, book, threads)]
        if plan.source == "mixed":
            labelled.append(labels(replace(plan, optimal_only=True), book, threads))
        for data in labelled:
            assert np.array_equal(data.keys, labelled[0].keys)
            assert np.array_equal(data.optimal, labelled[0].optimal)
            assert np.array_equal(data.best, labelled[0].best)


def labels(plan: DatasetPlan, book: Path, threads: int) -> Dataset:
    """Make a data set, print the time, and return it."""
    solver = Solver(threads=threads, table_mb=16, book=book)
    solver.scores_many([Position()])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        started, cpu = time.perf_counter(), time.process_time()
        count = make_dataset(path, plan, solver).positions
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        found = read_dataset(path)
    kind = plan.source
    if plan.source == "mixed":
        kind += f", {plan.random_moves:g} of the moves random"
    kind += ", right columns only" * plan.optimal_only
    print(
        f"\n{kind}: {count:,} positions of plies {plan.lowest} to {plan.highest}"
        f" in {seconds:.2f} s: {count / seconds:.0f} a second, {count / cpu:.0f} a second of CPU"
        " time",
        flush=True,
    )
    return found


if __name__ == "__main__":
    main()
