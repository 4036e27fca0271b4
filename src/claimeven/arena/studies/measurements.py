"""The measurements of studies: of the games of their matches, and by other functions."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from statistics import fmean, stdev
from timeit import Timer

import numpy as np

from claimeven.agents.base import Limit
from claimeven.agents.registry import make_agents
from claimeven.arena.games.game import Game
from claimeven.arena.studies.study import Finding, Findings
from claimeven.evaluation.counting import COUNTERS, line_table
from claimeven.evaluation.registry import weighted_windows
from claimeven.evaluation.windows import WindowWeights
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.minimax.search import MinimaxSearch
from claimeven.montecarlo.playouts.textbook import blocking_columns, winning_columns
from claimeven.ratings.pentanomial import NORMAL_95, PairCounts, wilson_interval
from claimeven.solver.solver import Solver

#: Quantities that a store has of each move.
_QUANTITIES = ("evaluations", "seconds", "iterations", "nodes", "depth", "branching", "stored")
#: Seconds that each way to count is timed for, and into how many runs they are divided.
_COUNTING, _RUNS = 0.2, 7
#: Seeds of a search whose numbers are averaged, and positions of a share.
SEEDS = 100


def of_games(games: Sequence[Game], seconds: float) -> Findings:
    """Return the findings of the games of two agents, by quantity and agent ("0" or "1").

    Shares are in per cent. Games equal move for move count once for the width of an interval.
    """
    if not games:
        return {}
    found: dict[tuple[str, str], Finding] = {
        ("seconds_per_game", "0"): Finding(seconds / len(games))
    }
    different = len({(game.first, game.all_moves) for game in games})
    draws = sum(game.winner is None for game in games)
    for agent in (0, 1):
        key = str(agent)
        won = [game.winning_agent == agent for game in games]
        counts = {"wins": sum(won), "draws": draws, "losses": len(games) - sum(won) - draws}
        for quantity, count in counts.items():
            found[quantity, key] = share_of(count / len(games), different)
        found["score", key] = _score(games, agent, different)
        for first in range(0, len(games) - 9, 10):
            found["wins_in_ten", f"{key}:{first + 1}"] = Finding(sum(won[first : first + 10]))
        # Moves of one game depend on each other: the sum or mean of a game is one observation.
        own = {name: [game.figures(agent, name) for game in games] for name in _QUANTITIES}
        steps = "iterations" if any(own["iterations"]) else "nodes"
        observed = {
            "evaluations_per_game": [sum(each) for each in own["evaluations"] if each],
            "seconds_per_move": _means(own["seconds"]),
            "steps_per_move": _means(own[steps]),
            "depth": _means(own["depth"]),
            "branching": _means(own["branching"]),
            "depth_from_one": [mean + 2 for mean in _means(own["depth"])],
            "inner": _means(
                [(n - 1) / b for n, b in zip(nodes, branching, strict=False) if b]
                for nodes, branching in zip(own["nodes"], own["branching"], strict=True)
            ),
        }
        for quantity, each in observed.items():
            if each:
                found[quantity, key] = mean_of(each)
        if any(own["stored"]):
            found["stored", key] = Finding(max(map(max, filter(None, own["stored"]))))
    return found


def _means(games: Iterable[Sequence[float]]) -> list[float]:
    return [fmean(each) for each in games if each]


def _score(games: Sequence[Game], agent: int, different: int) -> Finding:
    """The share of the points; with swapped seats its interval is measured between pairs."""
    share = fmean(game.points(agent) for game in games)
    by_pair: dict[int | None, list[Game]] = {}
    for game in games:
        by_pair.setdefault(game.pair, []).append(game)
    pairs = [pair for pair in by_pair.values() if len({game.first for game in pair}) == 2]
    if 2 * len(pairs) < len(games):
        return share_of(share, different)
    unique = len({tuple((game.first, game.all_moves) for game in pair) for pair in pairs})
    counts = PairCounts.of(sum(game.points(agent) for game in pair) for pair in pairs)
    low, high = counts.interval_of(unique)
    return Finding(100 * share, 100 * low, 100 * high)


def share_of(share: float, different: int) -> Finding:
    """A share in per cent with its 95 % interval, of that many different games."""
    low, high = wilson_interval(share, different)
    return Finding(100 * share, 100 * low, 100 * high)


def mean_of(numbers: Sequence[float], lowest: float = 0.0) -> Finding:
    """The mean with its normal 95 % interval, from `lowest` on; none if all numbers are equal."""
    mean = fmean(numbers)
    if len(set(numbers)) < 2:
        return Finding(numbers[0])
    half = NORMAL_95 * stdev(numbers) / math.sqrt(len(numbers))
    return Finding(mean, max(lowest, mean - half), mean + half)


def decision(agent: str, moves: str, seconds: float, geometry: Geometry = STANDARD) -> Findings:
    """Have an agent decide under a limit on the clock: iterations, and column from 1."""
    limit = Limit(seconds=seconds)
    (player,) = make_agents([agent], geometry, limit)
    position = Position.from_moves(moves, geometry)
    made = player.choose(position, limit, np.random.default_rng(1))
    return {
        ("iterations", "0"): Finding(float(made.iterations or 0)),
        ("column", "0"): Finding(float(made.column + 1)),
    }


@cache
def _lund_search() -> MinimaxSearch:
    weights = WindowWeights(their_line=-100001, their_three=-1000, their_two=-100)
    even = weighted_windows("windows-even", weights, "windows, both sides alike", 2000.0)
    return MinimaxSearch("alphabeta", even, "left", view="root")


def lund_without_blocks(position: Position) -> int:
    """Play as `alphabeta-lund` if blocks weigh no more than own threats."""
    return _lund_search().search(position, depth=5).column


def columns(agent: str, moves: str, iterations: int, geometry: Geometry) -> Findings:
    """Mean value and visits of each column, from 1, over the searches of `SEEDS` seeds."""
    (player,) = make_agents([agent], geometry, limit := Limit(iterations=iterations))
    position = Position.from_moves(moves, geometry)
    found: dict[tuple[str, str], list[float]] = {}
    for seed in range(SEEDS):
        player.reset()
        details = player.choose(position, limit, np.random.default_rng(seed)).details
        for quantity, key in (("value", "values"), ("visits", "visits")):
            for column, number in enumerate(details[key], start=1):
                if number is not None:
                    found.setdefault((quantity, str(column)), []).append(number)
    return {key: mean_of(numbers, -1.0) for key, numbers in found.items()}


def blocks(agent: str, budgets: Sequence[int]) -> Findings:
    """Share of `SEEDS` random positions with one threat of the opponent in which it is blocked."""
    rng, positions = random.Random(1), list[tuple[Position, int]]()
    while len(positions) < SEEDS:
        position = Position()
        for _ in range(rng.randrange(6, 20)):
            if not position.is_over:
                position = position.play(rng.choice(position.legal_columns))
        threats = () if position.is_over else blocking_columns(position)
        if len(threats) == 1 and not winning_columns(position):
            positions.append((position, threats[0]))
    found: dict[tuple[str, str], Finding] = {}
    for budget in budgets:
        (player,) = make_agents([agent], STANDARD, limit := Limit(iterations=budget))
        right = [
            player.choose(position, limit, np.random.default_rng(1)).column == block
            for position, block in positions
        ]
        found["share", str(budget)] = share_of(sum(right) / SEEDS, SEEDS)
    return found


def rounds(games: int = 1000, most: int = 21) -> Findings:
    """Share of random games that are over after some rounds, of two moves each."""
    rng, ended = random.Random(1), list[int]()
    for _ in range(games):
        position = Position()
        while not position.is_over:
            position = position.play(rng.choice(position.legal_columns))
        ended.append((position.ply + 1) // 2)
    return {
        ("share", str(count)): share_of(sum(end <= count for end in ended) / games, games)
        for count in range(1, most + 1)
    }


def one_line() -> Findings:
    """Time three ways to see whether a line of six cells has a run of four: microseconds."""
    line, ones, table = np.zeros(6, dtype=np.int8), np.ones(4), line_table(6, 4)
    ways: dict[str, Callable[[], object]] = {
        "scan": lambda: any(all(line[i + j] == 1 for j in range(4)) for i in range(3)),
        "convolution": lambda: np.any(np.convolve(ones, line) == 4),
        "table": lambda: table[int("".join(map(str, line.tolist())), 2)] > 0,
    }
    found = {("microseconds", way): Finding(1e6 * _seconds_of(work)) for way, work in ways.items()}
    scan, looked_up = (found["microseconds", way].value for way in ("scan", "table"))
    return {**found, ("ratio", "table"): Finding(scan / looked_up)}


def counting(moves: str, geometry: Geometry, length: int) -> Findings:
    """Time each way to count the first player's runs, in microseconds and relative to the scan."""
    discs = Position.from_moves(moves, geometry).discs[0]
    ways = {name: partial(count, discs, geometry, length) for name, count in COUNTERS.items()}
    assert len({count() for count in ways.values()}) == 1
    times = {name: 1e6 * _seconds_of(count) for name, count in ways.items()}
    found = {("microseconds", name): Finding(took) for name, took in times.items()}
    ratios = {("ratio", name): Finding(times["scan"] / took) for name, took in times.items()}
    return {**found, **ratios}


def exact(moves: str, geometry: Geometry = STANDARD, table_mb: float = 128) -> Findings:
    """Solve a position from scratch, without an opening book: its score, and the seconds taken."""
    solver = Solver(geometry, table_mb, book=None)
    solver.load()
    begin = time.perf_counter()
    score = solver.score(Position.from_moves(moves, geometry))
    return {
        ("exact_score", "0"): Finding(float(score)),
        ("seconds", "0"): Finding(time.perf_counter() - begin),
    }


def evaluations(evaluation: str, depth: int, moves: str = "") -> Findings:
    """Count the evaluations of minimax and of alpha-beta, columns left to right, in a position."""
    found: dict[tuple[str, str], Finding] = {}
    answers = set()
    for name in ("minimax", "alphabeta"):
        result = MinimaxSearch(name, evaluation, order="left").search(
            Position.from_moves(moves), depth=depth
        )
        answers.add((result.column, result.value))
        found["evaluations", name] = Finding(float(result.counters.evaluations))
    assert len(answers) == 1, answers
    return found


def _seconds_of(work: Callable[[], object]) -> float:
    """Return the seconds of one call, the best of several runs of many calls."""
    timer = Timer(work)
    calls = max(1, int(_COUNTING / _RUNS / max(timer.timeit(1), 1e-7)))
    return min(timer.repeat(_RUNS, calls)) / calls
