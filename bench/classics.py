"""Speed of the classic searches: `python -m bench.classics`.

Each figure stands beside its peer: the published one, or the slow twin timed in the same run. The
answers of everything timed are asserted.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

from bench.timing import best_of, machine
from claimeven import Position
from claimeven.arena import MatchPlan, MatchResult, Referee, Schedule
from claimeven.evaluation import COUNTERS
from claimeven.minimax import MinimaxSearch

#: Seconds the notebook of Politecnico di Torino (2021) took for the 500 games.
POLITO_SECONDS = 596.026520
#: Microseconds it gave for one row: scan, convolution, line table.
POLITO_ROW = {"scan": 60.9, "convolution": 8.52, "table": 0.617}
#: Nodes of alpha-beta on the empty board at each depth: a change here is a change of behaviour.
SIGNATURE = {4: 263, 6: 2255, 8: 16541}


def main() -> None:
    argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0]).parse_args()
    print(machine())
    main_job()
    evaluations()
    depth_eight()
    counting()
    starts()


def main_job() -> None:
    plan = MatchPlan(("alphabeta:depth=3,eval=sequences", "random"), Schedule(500, 0, Position()))
    referee = Referee(plan)
    seconds, games = best_of(3, lambda: tuple(referee.play(n) for n in range(plan.schedule.games)))
    result = MatchResult(plan, games, seconds)
    assert result.wins[0] >= 485, result.wins
    print(
        f"500 games alphabeta depth 3 sequences vs random: {seconds:.2f} s,"
        f" {result.wins[0] / 5:.1f} % wins; the notebook of 2021: {POLITO_SECONDS:.0f} s,"
        f" 99.4 %; ratio {POLITO_SECONDS / seconds:,.0f}"
    )


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
        seconds, result = best_of(3, lambda s=search, d=depth: s.search(Position(), depth=d))
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


def counting() -> None:
    rng = random.Random(1)
    positions = []
    for _ in range(50):
        position = Position()
        for _ in range(20):
            if position.is_over:
                break
            position = position.play(rng.choice(position.legal_columns))
        positions.append(position)
    answers = set()
    seconds = {}
    for name, count in COUNTERS.items():
        seconds[name], answer = best_of(
            3, lambda count=count: sum(count(p.mine, p.geometry, 3) for p in positions)
        )
        answers.add(answer)
    assert len(answers) == 1, answers
    for name, taken in seconds.items():
        row = POLITO_ROW.get(name)
        then = f"; a row then {row:g} us" if row else ""
        print(
            f"count_by_length by {name}: {taken / len(positions) * 1e6:.1f} us a board,"
            f" {seconds['scan'] / taken:.0f} x scan{then}"
        )


def starts() -> None:
    """Time whole commands: help, a first match with an empty cache, and a later one."""
    command = [sys.executable, "-m", "claimeven"]
    match = [*command, "match", "alphabeta:depth=3,eval=sequences", "random", "--games", "2"]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CLAIMEVEN_CACHE_DIR": folder}
        for what, words in (
            ("claimeven --help", [*command, "--help"]),
            ("first match, compiling", match),
            ("later match", match),
        ):
            begin = time.perf_counter()
            subprocess.run(words, env=environment, check=True, capture_output=True)
            print(f"{what}: {time.perf_counter() - begin:.2f} s")


if __name__ == "__main__":
    main()
