"""What a worker does and keeps, without a process around it."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from claimeven import Geometry, Limit, Position
from claimeven.agents import codec
from claimeven.agents.families.perfect import SolverAgent
from claimeven.compiled.decorators import PLAIN
from claimeven.game.geometry import STANDARD
from claimeven.montecarlo import MonteCarloSearch
from claimeven.parallel.connection import unpack
from claimeven.web import tasks
from claimeven.web.tasks import OTHER_TABLE_MB, TASKS, Tools, move, scores
from claimeven.web.worker import Worker
from tests import forks
from tests.web.conftest import PATIENCE

HARD = codec.from_position(Position.from_moves("4", Geometry(8, 7)))
FREE = [None] * 5


def nothing(event: str, data: Any) -> None:
    """A task's `tell` that nobody listens to."""


@pytest.fixture
def tools() -> Tools:
    tools = Tools()
    tools.table_mb = 32
    return tools


def test_the_solver_of_the_usual_board_is_kept_and_those_of_others_in_turn(tools: Tools) -> None:
    small, other = Geometry(5, 4), Geometry(4, 4)
    usual, first = tools.solver(STANDARD), tools.solver(small)
    assert (usual.table_mb, first.table_mb) == (32, OTHER_TABLE_MB)
    assert (tools.solver(STANDARD), tools.solver(small)) == (usual, first)
    second = tools.solver(other)
    assert (tools.solver(other), tools.solver(STANDARD)) == (second, usual)
    assert tools.solver(small) is not first
    tools.forget()
    first, second = tools.solver(small), tools.solver(other)
    assert tools.solver(small) is first
    tools.solver(STANDARD)
    assert tools.solver(small) is first
    assert tools.solver(other) is not second


def test_the_agents_asked_last_are_kept(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[object] = []
    perfect = tools.agent("perfect", STANDARD, Limit())
    assert isinstance(perfect, SolverAgent)
    assert perfect.solver(STANDARD) is tools.solver(STANDARD)
    greedy = tools.agent("greedy", STANDARD, Limit())
    monkeypatch.setattr(greedy, "close", lambda: closed.append(greedy), raising=False)
    assert tools.agent("perfect", STANDARD, Limit()) is perfect
    other = tools.agent("greedy", Geometry(5, 4), Limit())
    assert closed == [greedy]
    assert tools.agent("greedy", Geometry(5, 4), Limit()) is other is not greedy
    assert tools.agent("perfect", STANDARD, Limit()) is perfect
    tools.forget_agents()
    assert tools.agent("perfect", STANDARD, Limit()) is not perfect


def test_a_search_that_is_watched_tells_now_and_then_how_far_it_is(
    tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "TICK", 0.01)
    tools.solver(Geometry(8, 7)).load()
    told: list[tuple[str, Any]] = []
    found = scores(tools, lambda *event: told.append(event), HARD, 2, events=True)
    assert (found["complete"], found["score"], found["best"]) == (False, None, [])
    at = [0.0, *(data["seconds"] for name, data in told if name == "progress")]
    assert len(at) > 1
    assert all(later - sooner >= 0.01 for sooner, later in itertools.pairwise(at))
    told.clear()
    again = scores(tools, lambda *event: told.append(event), HARD, 0.1)
    assert told == []
    assert again["nodes"] < tools.solver(Geometry(8, 7)).statistics.nodes


def test_an_agent_that_asks_the_solver_has_no_more_time_than_the_server_gives(
    tools: Tools,
) -> None:
    given_up = threading.Timer(PATIENCE, tools.solver(Geometry(8, 7)).stop)
    given_up.start()
    decision = move(tools, nothing, HARD, "perfect", FREE, 1, 0.1)
    assert given_up.is_alive()
    given_up.cancel()
    assert decision["score"] is None
    assert decision["column"] in range(1, 9)


@pytest.fixture
def sent() -> list[bytes]:
    return []


@pytest.fixture
def worker(sent: list[bytes]) -> Iterator[Worker]:
    before = signal.getsignal(signal.SIGINT)
    yield Worker(sent.append)
    signal.signal(signal.SIGINT, before)


def test_a_worker_that_lacks_memory_lets_go_of_what_it_keeps(
    worker: Worker, sent: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def hungry(tools: Tools, tell: object) -> None:
        raise MemoryError

    monkeypatch.setitem(TASKS, "hungry", hungry)
    board = Geometry(4, 4)
    solver, agent = worker.tools.solver(board), worker.tools.agent("greedy", board, Limit())
    worker.do(1, "hungry", {})
    begun, message = map(unpack, sent)
    assert begun["event"] == "begun"
    assert (message["job"], message["event"], message["data"]["status"]) == (1, "failed", 503)
    assert message["data"]["error"].startswith("there is not enough memory for this")
    assert worker.tools.solver(board) is not solver
    assert worker.tools.agent("greedy", board, Limit()) is not agent


@pytest.mark.parametrize("begins", [False, True])
def test_a_job_is_cancelled_once(
    worker: Worker, sent: list[bytes], monkeypatch: pytest.MonkeyPatch, begins: bool
) -> None:
    """The message is seen before its signal comes, which then finds a job that is ending."""
    ended: list[str] = []

    def long(tools: Tools, tell: Any) -> None:
        worker._unwanted = 1
        try:
            tell("column", 1)
            ended.append("went on")
        finally:
            signal.raise_signal(signal.SIGINT)
            ended.append("cleaned up")

    monkeypatch.setitem(TASKS, "long", long)
    if begins:
        worker._unwanted = 1
    worker.do(1, "long", {})
    events = [unpack(data)["event"] for data in sent]
    assert events == (["cancelled"] if begins else ["begun", "column", "cancelled"])
    assert ended == ([] if begins else ["cleaned up"])
    signal.raise_signal(signal.SIGINT)  # between two jobs
    worker.do(2, "scores", {"position": codec.from_position(Position()), "seconds": 60})
    assert unpack(sent[-1])["event"] == "done"


def test_an_agent_that_is_kept_begins_each_time_anew(tools: Tools) -> None:
    asked = codec.from_position(Position.from_moves("44"))
    first, again = (
        move(tools, nothing, asked, "uct:iterations=60,reuse=yes", FREE, 7, 60) for _ in range(2)
    )
    assert (again["visits"], again["value"]) == (first["visits"], first["value"])


#: A worker that has warmed up does whatever it can be asked for, and tells what it compiles or
#: loads only then.
ASKED = """
import gc, sys
from claimeven import Limit, Position
from claimeven.agents import codec
from claimeven.agents.registry import build
from claimeven.compiled.decorators import Kernel
from claimeven.web.allowed_agents import OFFERED
from claimeven.web.tasks import TASKS, Tools, warm

def loaded():
    kernels = [each for each in gc.get_objects() if isinstance(each, Kernel)]
    return {each.__qualname__ for each in kernels if each._compiled is not None}

def nothing(event, data):
    pass

tools = Tools()
warm(tools, nothing, 16)
before = loaded()
start, early = codec.from_position(Position()), codec.from_position(Position.from_moves("44"))
game = "44444132267124331"
late = codec.from_position(Position.from_moves(game))
for agent in OFFERED:
    knows = build(agent).limits
    for limit in (Limit(iterations=20), Limit(depth=2), Limit()):
        if not limit.refused(knows):
            TASKS["move"](tools, nothing, early, agent, codec.from_limit(limit), 1, 0.1)
            break
for task, arguments in {
    "scores": (late, 60), "explanation": (late, 60), "puzzle_hints": (1, 0, 60),
    "review": (start, [int(column) - 1 for column in game], 60),
    "records": (codec.from_geometry(Position().geometry), game, "x.txt"),
    "minimax": (early, "alphabeta", 3, 0, 9, 2, 9),
    "montecarlo": (early, "puct", 9, 1, 1, 9, False, 2, 9),
}.items():
    TASKS[task](tools, nothing, *arguments)
print(len(before), *sorted(loaded() - before))
"""


@pytest.mark.skipif(PLAIN, reason="kernels are plain Python")
def test_a_warm_worker_has_all_that_it_needs() -> None:
    told = subprocess.run(
        [sys.executable, "-c", ASKED], env=forks.environment(), check=True, text=True,
        stdout=subprocess.PIPE, timeout=600,
    ).stdout.split()  # fmt: skip
    assert int(told[0]) > 10
    assert told[1:] == []


@pytest.mark.parametrize(
    ("agent", "limit", "most"),
    [
        ("uct-itu", [None, None, None, None, None], 2.0),  # by itself it takes 3 s
        ("uct-itu", [2.5, None, None, None, None], 2.0),
        ("uct-itu", [1.5, None, None, None, None], 1.5),
        ("uct-itu:seconds=1", [None, None, None, None, None], 1.0),
        ("uct:iterations=9", [None, None, None, None, None], None),
        ("uct", [None, 9, None, None, None], None),
    ],
)
def test_an_agent_takes_no_more_time_than_the_server_gives(
    tools: Tools, monkeypatch: pytest.MonkeyPatch, agent: str, limit: list[Any], most: float | None
) -> None:
    asked: list[float | None] = []

    def search(
        self: MonteCarloSearch, position: Position, rng: Any, iterations: Any, seconds: Any
    ) -> Any:
        asked.append(seconds)
        return usual(self, position, rng, 9)

    usual = MonteCarloSearch.search
    monkeypatch.setattr(MonteCarloSearch, "search", search)
    start = codec.from_position(Position())
    move(tools, nothing, start, agent, limit, 1, 2.0)
    assert asked == [most]
