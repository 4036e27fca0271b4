"""The tasks and caches of a worker, without a process around it."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
from typing import Any

import pytest

from claimeven import Geometry, Limit, Position
from claimeven.agents.families.perfect import SolverAgent
from claimeven.compiled.decorators import PLAIN
from claimeven.game.geometry import STANDARD
from claimeven.montecarlo import MonteCarloSearch
from claimeven.web import search_traces, tasks
from claimeven.web.tasks import OTHER_TABLE_MB, WorkerState, do, move, scores
from tests import forks
from tests.web.conftest import PATIENCE

HARD = Position.from_moves("4", Geometry(8, 7))


@pytest.fixture
def state() -> WorkerState:
    state = WorkerState()
    state.table_mb = 32
    return state


def test_the_solver_of_the_default_board_is_kept_and_others_in_turn(
    state: WorkerState,
) -> None:
    small, other = Geometry(5, 4), Geometry(4, 4)
    default, first = state.solver(STANDARD), state.solver(small)
    assert (default.table_mb, first.table_mb) == (32, OTHER_TABLE_MB)
    assert (state.solver(STANDARD), state.solver(small)) == (default, first)
    second = state.solver(other)
    assert (state.solver(other), state.solver(STANDARD)) == (second, default)
    assert state.solver(small) is not first
    state.forget()
    first, second = state.solver(small), state.solver(other)
    assert state.solver(small) is first
    state.solver(STANDARD)
    assert state.solver(small) is first
    assert state.solver(other) is not second


def test_the_agents_asked_last_are_kept(
    state: WorkerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[object] = []
    perfect = state.agent("perfect", STANDARD, Limit())
    assert isinstance(perfect, SolverAgent)
    assert perfect.solver(STANDARD) is state.solver(STANDARD)
    greedy = state.agent("greedy", STANDARD, Limit())
    monkeypatch.setattr(greedy, "close", lambda: closed.append(greedy), raising=False)
    assert state.agent("perfect", STANDARD, Limit()) is perfect
    other = state.agent("greedy", Geometry(5, 4), Limit())
    assert closed == [greedy]
    assert state.agent("greedy", Geometry(5, 4), Limit()) is other is not greedy
    assert state.agent("perfect", STANDARD, Limit()) is perfect
    state.forget_agents()
    assert state.agent("perfect", STANDARD, Limit()) is not perfect


def test_a_watched_search_reports_progress(
    state: WorkerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "PROGRESS_SECONDS", 0.01)
    solver = state.solver(HARD.geometry)
    solver.load()
    output: list[tuple[str, Any]] = []

    def send(*event: Any) -> None:
        output.append(event)
        if sum(name == "progress" for name, _ in output) == 3:
            solver.stop()

    state.send, state.seconds = send, PATIENCE
    found = scores(state, HARD, with_progress=True)
    assert (found["complete"], found["score"], found["best"]) == (False, None, [])
    at = [0.0, *(data["seconds"] for name, data in output if name == "progress")]
    assert len(at) == 4
    assert all(later - sooner >= 0.01 for sooner, later in itertools.pairwise(at))
    output.clear()
    state.seconds = 0.1
    again = scores(state, HARD)
    assert output == []
    assert again["nodes"] < solver.statistics.nodes


def test_an_agent_that_asks_the_solver_has_no_more_time_than_the_server_gives(
    state: WorkerState,
) -> None:
    given_up = threading.Timer(PATIENCE, state.solver(Geometry(8, 7)).stop)
    given_up.start()
    state.seconds = 0.1
    decision = move(state, HARD, "perfect", Limit(), 1)
    assert given_up.is_alive()
    given_up.cancel()
    assert decision["score"] is None
    assert decision["column"] in range(1, 9)


def test_a_worker_without_memory_clears_its_caches(
    state: WorkerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hungry(state: WorkerState) -> None:
        raise MemoryError

    monkeypatch.setattr(tasks, "hungry", hungry, raising=False)
    board = Geometry(4, 4)
    solver, agent = state.solver(board), state.agent("greedy", board, Limit())
    sent: list[tuple[str, Any]] = []
    message = {"task": "hungry", "seconds": 60, "arguments": {}}
    event, data = do(state, message, lambda *event: sent.append(event))
    assert (sent, event, data["status"]) == ([("started", None)], "failed", 503)
    assert data["error"].startswith("the worker has too little memory")
    assert state.solver(board) is not solver
    assert state.agent("greedy", board, Limit()) is not agent


def test_a_search_of_too_many_positions_cannot_be_watched(
    state: WorkerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_traces, "MAX_POSITIONS", 400)
    asked = {"depth": 3, "first_step": 0, "steps": 9, "tree_depth": 2, "tree_nodes": 9}
    assert search_traces.minimax(state, Position(), "minimax", **asked)["counters"]["nodes"] == 400
    with pytest.raises(ValueError, match="the search visits more than 400 positions"):
        search_traces.minimax(state, Position(), "minimax", **{**asked, "depth": 4})


def test_a_cached_agent_starts_again_each_time(state: WorkerState) -> None:
    asked = Position.from_moves("44")
    first, again = (move(state, asked, "uct:iterations=60,reuse=yes", Limit(), 7) for _ in range(2))
    assert (again["visits"], again["value"]) == (first["visits"], first["value"])


#: A worker that has warmed up does every task, and reports the kernels that it compiles or
#: loads only then.
ASKED = """
import gc, sys
from claimeven import Limit, Position
from claimeven.agents.registry import build
from claimeven.compiled.decorators import Kernel
from claimeven.web.settings import ALLOWED_AGENTS
from claimeven.web import search_traces, tasks

gc.unfreeze()  # a launch hides the modules of its template

def loaded():
    kernels = [each for each in gc.get_objects() if isinstance(each, Kernel)]
    return {each.__qualname__ for each in kernels if each._compiled is not None}

state = tasks.WorkerState()
for step in tasks.WARMUP_STEPS:
    tasks.warm(state, 16, step.agent)
before = loaded()
start, early = Position(), Position.from_moves("44")
game = "44444132267124331"
late = Position.from_moves(game)
state.seconds = 0.1
for agent in ALLOWED_AGENTS:
    knows = build(agent).limits
    for limit in (Limit(iterations=20), Limit(depth=2), Limit()):
        if not limit.unsupported(knows):
            tasks.move(state, early, agent, limit, 1)
            break
state.seconds = 60
tasks.scores(state, late)
tasks.explanation(state, late)
tasks.puzzle_hints(state, 1, 0)
tasks.review(state, late, late.legal_columns[:2])
tasks.games_json(state, game, "x.txt", start.geometry)
search_traces.minimax(state, early, "alphabeta", 3, 0, 9, 2, 9)
search_traces.montecarlo(state, early, "puct", 9, 1, 1, 9, False, 2, 9)
print(len(before), *sorted(loaded() - before))
"""


@pytest.mark.skipif(PLAIN, reason="kernels are plain Python")
def test_a_warm_worker_has_all_that_it_needs() -> None:
    output = forks.run_program(
        [sys.executable, "-c", ASKED], env=forks.environment(), text=True,
        stdout=subprocess.PIPE, timeout=600,
    ).stdout.split()  # fmt: skip
    assert int(output[0]) > 10
    assert output[1:] == []


@pytest.mark.parametrize(
    ("agent", "limit", "most"),
    [
        ("uct-itu", Limit(), 2.0),  # by itself it takes 3 s
        ("uct-itu", Limit(2.5), 2.0),
        ("uct-itu", Limit(1.5), 1.5),
        ("uct-itu:seconds=1", Limit(), 1.0),
        ("uct:iterations=9", Limit(), None),
        ("uct", Limit(iterations=9), None),
    ],
)
def test_an_agent_takes_no_more_time_than_the_server_gives(
    state: WorkerState,
    monkeypatch: pytest.MonkeyPatch,
    agent: str,
    limit: Limit,
    most: float | None,
) -> None:
    asked: list[float | None] = []

    def search(
        self: MonteCarloSearch, position: Position, rng: Any, iterations: Any, seconds: Any
    ) -> Any:
        asked.append(seconds)
        return default(self, position, rng, 9)

    default = MonteCarloSearch.search
    monkeypatch.setattr(MonteCarloSearch, "search", search)
    state.seconds = 2.0
    move(state, Position(), agent, limit, 1)
    assert asked == [most]
