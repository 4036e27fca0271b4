"""Exported submissions under Kaggle's own runner: `python -m bench.submissions faults`.

`faults` plays games of every family with `make("connectx").run` and `evaluate`. It asserts that no
side ends as INVALID, ERROR or TIMEOUT, and prints the minimum of the remaining bank. `perfect`
plays the exported solver as first player from the empty board against `perfect`, at 2 s a move with
the bank, and asserts that it never loses. `negamax` plays it against the package's player and
asserts that it wins 98 % of the games. `solver` measures the solver in plain Python: nodes a
second, and the first ply at which it solves 95 of 100 random positions in 2 s.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from claimeven import Limit, Position, Solver, make_agent
from claimeven.adapters.kaggle import export_submission
from claimeven.adapters.kaggle.template.board import Board
from claimeven.adapters.kaggle.template.kaggle_api import Clock
from claimeven.adapters.kaggle.template.perfect import Perfect
from claimeven.adapters.kaggle.template.windows import Windows
from claimeven.game.encodings import from_kaggle

#: One agent of each family, and each evaluation.
SPECS = (
    "perfect",
    "uct",
    "alphabeta:eval=windows",
    "alphabeta:eval=windows-symmetric",
    "negamax:eval=sequences",
    "alphabeta:eval=streaks",
    "negamax:eval=triples",
    "ntuple",
    "ntuple-alphabeta",
    "net",
    "puct",
)
#: Share of games that the exported solver must win against the package's negamax.
WINS = 0.98


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("what", choices=list(JOBS))
    parser.add_argument("--games", type=int, default=50, help="games, or positions a ply")
    parser.add_argument("--seconds", type=float, default=2.0, help="for a move")
    parser.add_argument("--spec", action="append", help="for `faults` (default: every family)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    JOBS[arguments.what](arguments)


def faults(arguments: argparse.Namespace) -> None:
    from kaggle_environments import evaluate  # noqa: PLC0415 - no part of the tests' packages

    with tempfile.TemporaryDirectory() as folder:
        for spec in arguments.spec or SPECS:
            path = exported(spec, folder)
            began, results, bank = time.perf_counter(), Counter[str](), 60.0
            for number in range(arguments.games):
                opponent = ("negamax", "random")[number // 2 % 2]
                steps, seat = played(path, opponent, number % 2, arguments.seconds)
                results[word(steps[-1][seat].reward)] += 1
                bank = min(bank, steps[-1][seat].observation.remainingOverageTime)
            rewards = evaluate(
                "connectx",
                ["negamax", path],
                {"actTimeout": arguments.seconds},
                num_episodes=arguments.games,
            )
            assert len(rewards) == arguments.games and not any(None in pair for pair in rewards)
            results.update(word(pair[1]) for pair in rewards)
            seconds = time.perf_counter() - began
            print(
                f"{spec:34} {2 * arguments.games} games {dict(results)}, bank {bank:.1f} s,"
                f" {seconds:.0f} s",
                flush=True,
            )


def perfect(arguments: argparse.Namespace) -> None:
    """Play from the empty board as first player against exact play; print the share by ply."""
    solver = Solver(table_mb=256)
    perfect_moves: dict[int, list[bool]] = {}
    results = Counter[str]()
    min_bank = 60.0
    with tempfile.TemporaryDirectory() as folder:
        path = exported("perfect", folder)
        for number in range(arguments.games):
            spec = "perfect" if number == 0 else "perfect:pick=random"
            opponent = function_of(spec, arguments.seed + number)
            steps, _ = played(path, opponent, 0, arguments.seconds)
            results[word(steps[-1][0].reward)] += 1
            min_bank = min(min_bank, steps[-1][0].observation.remainingOverageTime)
            position = Position()
            for step, sides in enumerate(steps[1:]):
                column = sides[step % 2].action
                if step % 2 == 0:
                    scores = [score for score in solver.scores(position) if score is not None]
                    own = solver.scores(position)[column]
                    perfect_moves.setdefault(step, []).append(own == max(scores))
                position = position.play(column)
            print(f"game {number + 1}: {dict(results)}, bank {min_bank:.1f} s", flush=True)
    for ply, moves in sorted(perfect_moves.items()):
        print(f"ply {ply:2}: {sum(moves)} of {len(moves)} moves perfect")
    assert not results["lost"]


def negamax(arguments: argparse.Namespace) -> None:
    results = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        path = exported("perfect", folder)
        for number in range(arguments.games):
            steps, seat = played(path, "negamax", number % 2, arguments.seconds)
            results[word(steps[-1][seat].reward)] += 1
    print(f"perfect against negamax, {arguments.games} games: {dict(results)}")
    assert results["won"] >= WINS * arguments.games


def solver(arguments: argparse.Namespace) -> None:
    board = Board(7, 6, 4)
    rng = random.Random(arguments.seed)
    for ply in range(8, 27, 2):
        times: list[float] = []
        nodes = 0
        while len(times) < arguments.games:
            position = Position()
            while position.ply < ply and not position.is_over:
                position = position.play(rng.choice(position.legal_columns))
            if position.is_over:
                continue
            player = Perfect(board, Windows(board))
            columns = player.root_columns(position.mine, position.mask)
            began = time.process_time()
            player.settle(columns, Clock(2 * arguments.seconds))
            times.append(time.process_time() - began)
            nodes += player.solver.nodes
        times.sort()
        exact = sum(seconds <= arguments.seconds for seconds in times) / len(times)
        print(
            f"ply {ply:2}: {len(times)} positions, {100 * exact:.0f} % exact in"
            f" {arguments.seconds:g} s; median {np.median(times):.3f} s, 95 of 100 in"
            f" {np.percentile(times, 95):.3f} s; {nodes / sum(times):,.0f} nodes/s",
            flush=True,
        )


def exported(spec: str, folder: str) -> str:
    path = Path(folder) / f"main-{spec.partition(':')[0]}.py"
    export_submission(spec, path)
    return str(path)


def played(
    path: str, opponent: Callable[..., int] | str, seat: int, seconds: float
) -> tuple[list[Any], int]:
    from kaggle_environments import make  # noqa: PLC0415 - no part of the tests' packages

    environment = make("connectx", configuration={"actTimeout": seconds})
    environment.run([opponent, path] if seat else [path, opponent])
    statuses = [side.status for side in environment.steps[-1]]
    assert statuses == ["DONE", "DONE"], statuses
    return environment.steps, seat


def function_of(spec: str, seed: int) -> Callable[..., int]:
    agent, rng = make_agent(spec), np.random.default_rng(seed)

    def function(observation: Any, configuration: Any) -> int:
        return agent.choose(from_kaggle(observation.board), Limit(), rng).column

    return function


def word(reward: float) -> str:
    return {1: "won", 0: "drawn", -1: "lost"}[int(reward)]


JOBS = {"faults": faults, "perfect": perfect, "negamax": negamax, "solver": solver}


if __name__ == "__main__":
    main()
