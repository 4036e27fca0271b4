"""The agents that know exact scores."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.agents import Limit, make_agent
from claimeven.agents.families.perfect import (
    LEVELS,
    LINES,
    FullAgent,
    NamedLevel,
    PerfectAgent,
    Scores,
    SolverAgent,
    best_known,
    draw_column,
    lines_left,
)
from claimeven.solver import InvalidSolve, Solver
from tests import forks
from tests.agents.support import decided
from tests.positions import position_after, random_positions

SMALL = Geometry(5, 4, 4)
#: Seconds beyond a limit that a busy machine may take; a few milliseconds are normal.
GRACE = 1.0


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def positions(count: int, geometry: Geometry = SMALL, seed: int = 1) -> list[Position]:
    return list(random_positions(geometry, count, seed, ongoing=True))


def perfect(**options: Any) -> PerfectAgent:
    default: Mapping[str, Any] = {"pick": "center", "quick": True, "level": 10, "table_mb": 1}
    return PerfectAgent(**{**default, **options})


def test_the_most_central_best_column_is_played() -> None:
    solver, agent = Solver(SMALL, table_mb=1), perfect()
    for position in positions(60):
        decision = decided(agent, position)
        assert decision.column == solver.best_columns(position)[0]
        assert decision.score == solver.score(position)
        assert decision.details["values"] == list(solver.scores(position))
        assert decision.value == np.sign(decision.score)
        assert decision.policy is not None and decision.policy[decision.column] == 1


def _wins(position: Position) -> set[int]:
    """The columns with which the side to move wins in one move."""
    return {c for c in position.legal_columns if position.play(c).winner is not None}


def _threats(position: Position) -> set[int]:
    """The columns in which the other side would win."""
    other = position.mine ^ position.mask
    return _wins(Position.unchecked(position.geometry, other, position.mask))


def _to_see(position: Position) -> tuple[str, set[int]]:
    """The kind of position, and the columns to see: a win in one move, or a block."""
    if wins := _wins(position):
        return "wins", wins
    threats = _threats(position)
    is_stopped = len(threats) == 1 and not _wins(position.play(min(threats)))
    return "blocks", threats if is_stopped else set()


def test_the_named_levels_see_their_stated_shares() -> None:
    """The shares of each kind, over games of each level against itself, with room for chance."""
    solver, agents = Solver(), {name: perfect(level=n.level) for name, n in LEVELS.items()}
    chances: dict[tuple[str, str], list[float]] = {}
    for seed in range(28):
        now, draw = Position(), random.Random(seed)
        player = agents[[*agents][seed % 7]]
        while not now.is_over:
            columns: Sequence[int] = now.legal_columns
            if now.ply >= 12:
                scores = solver.scores(now)
                kind, seen = _to_see(now)
                for name, agent in agents.items() if seen else ():
                    shares = agent.policy(scores, now.geometry)
                    chances.setdefault((name, kind), []).append(sum(shares[c] for c in seen))
                columns = draw.choices(range(7), player.policy(scores, now.geometry))
            now = now.play(draw.choice(columns))
    for (name, kind), found in chances.items():
        assert len(found) >= 20, kind
        assert 100 * np.mean(found) == pytest.approx(getattr(LEVELS[name], kind), abs=9), (
            name,
            kind,
        )
    for kind in NamedLevel._fields:
        shown = [getattr(level, kind) for level in LEVELS.values()]
        assert shown == sorted(set(shown))


def test_random_picks_all_best_columns_and_no_other() -> None:
    solver, agent = Solver(SMALL, table_mb=1), perfect(pick="random")
    source = rng()
    for position in positions(20):
        best = solver.best_columns(position)
        policy = agent.choose(position, Limit(), source).policy
        assert policy == pytest.approx([(c in best) / len(best) for c in range(5)])
    empty = Position(SMALL)
    chosen = {agent.choose(empty, Limit(), source).column for _ in range(100)}
    assert chosen == set(solver.best_columns(empty))


def test_without_quick_any_column_of_the_same_outcome_is_good() -> None:
    solver, agent = Solver(SMALL, table_mb=1), perfect(pick="random", quick=False)
    for position in positions(40):
        scores = solver.scores(position)
        outcome = solver.outcome(position)
        policy = decided(agent, position).policy
        assert policy is not None
        for score, chance in zip(scores, policy, strict=True):
            assert (chance > 0) == (score is not None and np.sign(score) == outcome)


@pytest.mark.parametrize("level", range(11))
def test_levels_follow_their_formula(level: int) -> None:
    scores = (None, 2, 2, -1, -6)
    policy = perfect(level=level, pick="random").policy(scores, SMALL)
    rare = np.exp(-np.array([np.inf, 0, 0, 3, 8]) / (12 - level))
    expected = level / 10 * np.array([0, 0.5, 0.5, 0, 0]) + (1 - level / 10) * rare / rare.sum()
    assert policy == pytest.approx(expected)
    assert sum(policy) == pytest.approx(1)


def test_draws_follow_the_policy_and_the_seed() -> None:
    source = rng(3)
    counts = np.bincount([draw_column((0.25, 0.0, 0.5, 0.25), source) for _ in range(4000)])
    assert counts[1] == 0
    assert counts / 4000 == pytest.approx([0.25, 0, 0.5, 0.25], abs=0.05)
    untouched = rng(3)
    assert draw_column((0.0, 1.0), untouched) == 1
    assert untouched.random() == rng(3).random()
    agent = perfect(level=3)
    columns = [[agent.choose(p, Limit(), rng(7)).column for p in positions(30)] for _ in range(2)]
    assert columns[0] == columns[1]


@pytest.mark.parametrize("spec", ["perfect:table_mb=16", "full:table_mb=16"])
@pytest.mark.parametrize(
    ("geometry", "moves"), [(Geometry(8, 7), "1234567153"), (Geometry(7, 6), "2316333731")], ids=str
)
@pytest.mark.parametrize("seconds", [0.001, 0.1])
def test_a_time_limit_is_kept_at_a_hard_position(
    spec: str, geometry: Geometry, moves: str, seconds: float
) -> None:
    """`load` compiles and reads everything; the time beyond the limit is very short."""
    agent = make_agent(spec)
    position = Position.from_moves(moves, geometry)
    begin = time.perf_counter()
    decision = decided(agent, position, Limit(seconds=seconds))
    taken = time.perf_counter() - begin
    assert decision.score is None and decision.details["complete"] is False
    assert decision.column in geometry.center_order
    assert decision.seconds <= taken < seconds + GRACE


SHARED_BY_THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from claimeven import Position
from claimeven.agents import Limit, make_agent
asked = [Position.from_moves(moves) for moves in sys.argv[1:]]
def ask(agent, number):
    position = asked[number % len(asked)]
    decision = agent.choose(position, Limit(), np.random.default_rng(number))
    return decision.column, decision.score, decision.policy
for spec in ("perfect:pick=center,table_mb=8", "full:table_mb=8"):
    expected = [ask(make_agent(spec), number) for number in range(len(asked))]
    shared = make_agent(spec)
    with ThreadPoolExecutor(3) as pool:
        told = list(pool.map(lambda number: ask(shared, number), range(24)))
    print(sum(one != expected[number % len(asked)] for number, one in enumerate(told)), "wrong")
"""


def test_threads_may_share_an_agent() -> None:
    """In a separate process, since it would crash the tests too."""
    moves = ["4444443265123", "22674451533712", "4445555422177", "47577272232"]
    done = forks.run_program(
        [sys.executable, "-c", SHARED_BY_THREADS, *moves],
        env=forks.environment(), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n" * 2, "")


def test_a_limit_that_is_not_reached_has_no_effect() -> None:
    for spec in ("perfect:table_mb=1", "full:table_mb=1"):
        for position in positions(8):
            free = decided(spec, position)
            limited = decided(spec, position, Limit(seconds=600))
            assert limited.details["complete"] is True
            assert (limited.column, limited.score) == (free.column, free.score)


def test_columns_not_solved_in_time_are_taken_with_care() -> None:
    position = Position.from_moves("3344")  # no threat yet
    assert best_known(position, (None,) * 7) == 3
    assert best_known(position, (None, None, 4, None, None, None, None)) == 2
    assert best_known(position, (None, None, None, -3, None, None, None)) == 2
    must_block = Position.from_moves("12131")  # the first player has three in column 1
    assert best_known(must_block, (None,) * 7) == 0


def test_full_agrees_with_the_solver_whichever_engine_answers() -> None:
    agent, solver = make_agent("full:table_mb=1"), Solver(SMALL, table_mb=1)
    engines = set()
    for position in positions(25):
        decision = decided(agent, position)
        assert decision.score == solver.score(position)
        assert decision.column == solver.best_columns(position)[0]
        assert decision.details["values"] == list(solver.scores(position))
        engine = decision.details["engine"]
        assert (engine == "minimax") == (lines_left(position) <= LINES)
        engines.add(engine)
    assert engines == {"minimax", "solver"}


def test_full_looks_at_every_line_of_a_tiny_board() -> None:
    decision = decided("full", Position(Geometry(3, 3, 3)))
    assert decision.details["engine"] == "minimax"
    assert decision.score == Solver(Geometry(3, 3, 3), table_mb=1).score(
        Position(Geometry(3, 3, 3))
    )
    assert lines_left(Position(Geometry(3, 3, 3))) == 1680
    limited = decided("full", Position(Geometry(3, 3, 3)), Limit(seconds=600))
    assert limited.details["engine"] == "solver"  # minimax knows of no time


@pytest.mark.parametrize(("known", "column"), [(-2, 1), (3, 2)])
def test_a_search_out_of_time_reports_no_score(known: int, column: int) -> None:
    """The score of one column is not the position's: another may be better."""
    scores = (None, None, known, None, None)

    class Stopped(SolverAgent):
        def solve(self, position: Position, seconds: float | None) -> tuple[Scores, int, bool]:
            return scores, 10, False

    class Full(Stopped, FullAgent):
        pass

    class Perfect(Stopped, PerfectAgent):
        pass

    for agent in (Full(), Perfect("center", True, 10)):
        decision = decided(agent, Position.from_moves("12", SMALL), Limit(seconds=1))
        assert (decision.score, decision.value, decision.details["complete"]) == (None, None, False)
        assert decision.column == column
        assert decision.details["values"] == list(scores)


def test_boards_beyond_the_solver_are_refused() -> None:
    board = Geometry(13, 9, 8)
    late = position_after(random.Random(1), board, 112)
    assert lines_left(late) <= LINES
    for position in (Position(board), late):
        for spec in ("perfect", "full"):
            with pytest.raises(InvalidSolve, match="the solver supports boards of"):
                decided(spec, position)


@pytest.mark.skipif(sys.platform != "linux", reason="the system reports the memory of a process")
def test_the_memory_of_its_table_is_there_before_its_first_move() -> None:
    script = (
        "import re, pathlib\n"
        "from claimeven import make_agent\n"
        "status = pathlib.Path('/proc/self/status')\n"
        "held = lambda: int(re.search(r'VmRSS:\\s+(\\d+)', status.read_text())[1])\n"
        "make_agent('perfect:table_mb=1')\n"
        "before = held()\n"
        "agent = make_agent('perfect:table_mb=64')\n"
        "print(held() - before)\n"
    )
    ended = forks.run_program(
        [sys.executable, "-c", script],
        env=forks.environment(), capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    assert int(ended.stdout) > 50_000


def test_a_solver_that_others_use_keeps_its_table() -> None:
    solver = Solver(SMALL, table_mb=1)
    solver.score(Position(SMALL))
    nodes = solver.statistics.nodes
    agent = make_agent("perfect")
    assert isinstance(agent, SolverAgent)
    agent.share(solver)
    agent.load(SMALL)
    solver.score(Position(SMALL))
    assert solver.statistics.nodes - nodes < nodes / 10
