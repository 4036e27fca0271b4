"""What a worker does for a server: functions of plain data that return plain data.

Each takes the worker's `Tools`, a function `tell` for what is known on the way, and arguments as
`claimeven.agents.codec` writes them. Nothing here knows of HTTP. Columns count from 1 in
results.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from claimeven.agents import codec
from claimeven.agents.base import Agent, Limit, TreeView
from claimeven.agents.decisions import decision_json
from claimeven.agents.families.montecarlo import MonteCarloAgent
from claimeven.agents.families.perfect import SolverAgent
from claimeven.agents.options import InvalidSpec
from claimeven.agents.registry import make_agent
from claimeven.arena.games.safe_call import begin_game, checked_decision, checked_tree
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.line import Line
from claimeven.game.position import Position
from claimeven.parallel.cores import step_back
from claimeven.practice.hints import hints_for, position_at, verdict_on
from claimeven.practice.select import numbered, shipped_puzzles
from claimeven.review.analysis import analyze
from claimeven.review.explain import explain
from claimeven.solver import SearchStopped, SolveProgress, Solver
from claimeven.solver.protocols import USUAL_BOOK, book_for
from claimeven.solver.transposition_table import usual_table_mb
from claimeven.web import search_traces
from claimeven.web.score_responses import scores_json, told_columns
from claimeven.web.warming import STEPS

Tell = Callable[[str, Any], None]
Task = Callable[..., Any]
Scores = tuple["int | None", ...]

#: Boards whose solver is kept, and agents that are kept, the ones used last.
MOST_SOLVERS, MOST_AGENTS = 2, 2
#: A position that the book does not know and that is solved at once.
WARM_MOVES = "4444413226712433"
#: Most MB of the table of a worker's solver where none are asked for, and for another board than
#: the usual one.
OWN_TABLE_MB, OTHER_TABLE_MB = 64, 16
TREE_DEPTH: Final = 4
#: Seconds between two reports of how far a search is.
TICK: Final = 0.1


class Tools:
    """The solvers by board, agents by spec and board, and standings that a worker keeps."""

    def __init__(self) -> None:
        self.table_mb: float | None = None
        self.standings: Any = None
        self._solvers: OrderedDict[Geometry, Solver] = OrderedDict()
        self._agents: OrderedDict[tuple[str, Geometry], Agent] = OrderedDict()

    def solver(self, geometry: Geometry) -> Solver:
        """Return the solver of a board. Raises `InvalidSolve` for boards of over 64 bits."""
        solver = self._solvers.get(geometry)
        if solver is None:
            book = book_for(geometry, USUAL_BOOK)
            size = self.table_mb or min(OWN_TABLE_MB, usual_table_mb(geometry, book))
            if geometry != STANDARD:
                size = min(size, OTHER_TABLE_MB)
            solver = self._solvers[geometry] = Solver(geometry, size, book=book)
            while len(self._solvers) > MOST_SOLVERS:
                oldest = next(board for board in self._solvers if board != STANDARD)
                del self._solvers[oldest]
        self._solvers.move_to_end(geometry)
        return solver

    def agent(self, spec: str, geometry: Geometry, limit: Limit) -> Agent:
        """Return the agent of a spec, ready for a game. Raises `InvalidSpec`, `InvalidLimit`."""
        agent = self._agents.get((spec, geometry))
        if agent is None:
            agent = make_agent(spec)
            if isinstance(agent, SolverAgent):
                agent.share(self.solver(geometry))
            self._agents[spec, geometry] = agent
            while len(self._agents) > MOST_AGENTS:
                self._agents.popitem(last=False)[1].close()
        self._agents.move_to_end((spec, geometry))
        make_agents_ready(agent, geometry, limit)
        begin_game(agent)
        return agent

    def forget_agents(self) -> None:
        """Let go of the agents, which a job may have left in the middle of something."""
        self._agents.clear()

    def forget(self) -> None:
        """Let go of everything that takes memory."""
        self._agents.clear()
        self._solvers.clear()
        self.standings = None


class TimedSolver:
    """A solver that gives up when the time of a job is over.

    What it finds out about a whole position goes to `tell` as `scores`.
    """

    def __init__(self, solver: Solver, seconds: float, tell: Tell | None = None) -> None:
        self.solver = solver
        self.deadline = time.monotonic() + seconds
        self.tell = tell

    @property
    def geometry(self) -> Geometry:
        """The board that is solved."""
        return self.solver.geometry

    def score(self, position: Position) -> int:
        """Return the score of a position. Raises `SearchStopped`."""
        return self.solver.score(position, seconds=self._left())

    def scores(self, position: Position) -> Scores:
        """Return the score of every column. Raises `SearchStopped`."""
        scores = self.solver.scores(position, seconds=self._left())
        if self.tell is not None:
            self.tell("scores", {"ply": position.ply, "scores": list(scores)})
        return scores

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Return best play to the end. Raises `SearchStopped`."""
        return self.solver.principal_variation(position, seconds=self._left())

    def _left(self) -> float:
        return max(0.0, self.deadline - time.monotonic())


def warm(tools: Tools, tell: Tell, table_mb: float | None, agent: str | None = None) -> None:
    """Compile, or load, what the agent of a step of `STEPS` needs, and touch the memory it will
    use; do all steps if none is given.

    `tell` gets `compiling` once a process, if code is compiled that is not on disk.
    """
    from claimeven.compiled import when_compiling  # noqa: PLC0415 - this once

    position = Position.from_moves(WARM_MOVES)
    for spec in [step.agent for step in STEPS] if agent is None else [agent]:
        if spec == STEPS[0].agent:
            when_compiling(lambda: tell("compiling", None))
            tools.table_mb = table_mb
            solver = tools.solver(STANDARD)
            solver.load()
            solver.clear()
            if solver.book is not None:  # one of many plies has a kernel of its own
                solver.book.look_up_many(*np.zeros((2, 0), dtype=np.uint64))
            solver.scores(position)
        tools.agent(spec, STANDARD, Limit()).choose(position, Limit(), np.random.default_rng(0))
    tools.forget_agents()


def load(tools: Tools, task: str, arguments: dict[str, Any]) -> None:
    """Compile, or load, what a job needs, before its time runs. Raises why it cannot run."""
    if task in ("move", "montecarlo"):
        board = codec.to_position(arguments["position"]).geometry
        tools.agent(arguments["agent"], board, codec.to_limit(arguments.get("limit", [])))
    elif task in SOLVED:
        tools.solver(STANDARD).load()


def scores(
    tools: Tools, tell: Tell, position: list[int], seconds: float, events: bool = False
) -> dict[str, Any]:
    """Return the exact scores of a position; with `events` tell each column as it is solved, and
    how far the search is.

    When the time is over the columns not known yet are None and `complete` is false.
    """
    asked = codec.to_position(position)
    solver = tools.solver(asked.geometry)
    before = solver.statistics
    told: set[int] = set()
    begin = told_at = time.perf_counter()

    def report(at: SolveProgress) -> None:
        nonlocal told_at
        for event in told_columns(asked, at.scores, told):
            tell("column", event)
        now = time.perf_counter()
        if now - told_at >= TICK:
            told_at = now
            tell("progress", {"nodes": at.nodes, "rate": round(at.rate), "seconds": now - begin})

    try:
        found = solver.scores(asked, seconds=seconds, progress=report if events else None)
        complete = True
    except SearchStopped as stopped:
        found, complete = stopped.scores, False
    took = time.perf_counter() - begin
    nodes = solver.statistics.nodes - before.nodes
    return scores_json(asked, found, nodes=nodes, seconds=took, complete=complete)


def move(
    tools: Tools,
    tell: Tell,
    position: list[int],
    agent: str,
    limit: list[Any],
    seed: int,
    seconds: float,
    tree_nodes: int = 0,
) -> dict[str, Any]:
    """Return an agent's decision, with its tree of so many nodes at most if any are wanted.

    An agent of the solver or of Monte Carlo that would search for longer has `seconds`, whatever
    its spec and its limit say.
    """
    asked, bounds = codec.to_position(position), codec.to_limit(limit)
    player = tools.agent(agent, asked.geometry, bounds)
    if _may_take(player, bounds) > seconds:
        bounds = bounds.tighter(Limit(seconds=seconds))
    decision = checked_decision(player, asked, bounds, np.random.default_rng(seed))
    view: TreeView | None = None
    if tree_nodes:
        view = checked_tree(player, TREE_DEPTH, tree_nodes)
        if view is None:
            raise InvalidSpec(f"{agent} has no tree to show of this decision")
    return decision_json(decision, asked, view)


def _may_take(player: Agent, limit: Limit) -> float:
    """Return for how many seconds an agent may search, 0 where it goes by something else."""
    if isinstance(player, SolverAgent):
        return math.inf if limit.seconds is None else limit.seconds
    if isinstance(player, MonteCarloAgent):
        return player.budget(limit).seconds or 0.0
    return 0.0


def explanation(tools: Tools, tell: Tell, position: list[int], seconds: float) -> dict[str, Any]:
    """Return the explanation of a position."""
    asked = codec.to_position(position)
    return explain(asked, TimedSolver(tools.solver(asked.geometry), seconds)).as_dict()


def review(
    tools: Tools, tell: Tell, position: list[int], columns: list[int], seconds: float
) -> dict[str, Any]:
    """Return the review of a game from a position; tell the scores of each position on the way."""
    line = Line(codec.to_position(position), tuple(columns))
    solver = TimedSolver(tools.solver(line.start.geometry), seconds, tell)
    return analyze(line, solver).as_dict()


def puzzle_verdict(
    tools: Tools, tell: Tell, number: int, found: int, column: int, seconds: float
) -> dict[str, Any]:
    """Return what a 0-based column of a puzzle is worth after so many were found."""
    puzzle = numbered(shipped_puzzles().puzzles, number)
    solver = TimedSolver(tools.solver(puzzle.geometry), seconds)
    judged = verdict_on(puzzle, found, column, solver)
    return judged.as_dict(position_at(puzzle, found))


def puzzle_hints(
    tools: Tools, tell: Tell, number: int, found: int, seconds: float
) -> dict[str, Any]:
    """Return the hints for the next column of a puzzle."""
    puzzle = numbered(shipped_puzzles().puzzles, number)
    solver = TimedSolver(tools.solver(puzzle.geometry), seconds)
    return {"hints": [hint.as_dict() for hint in hints_for(puzzle, found, solver)]}


def records(tools: Tools, tell: Tell, board: list[int], text: str, name: str) -> dict[str, Any]:
    """Return the games of a file's text; those that name no board are on this one."""
    from claimeven.web.records import games_json  # noqa: PLC0415 - for those alone who open files

    return games_json(text, name, codec.board(*board))


def of_store(name: str) -> Task:
    """Return a task of `store_tasks`, whose module is loaded when it is first done."""

    def done(tools: Tools, tell: Tell, **arguments: Any) -> Any:
        from claimeven.web import store_tasks  # noqa: PLC0415 - for workers of their own alone

        return getattr(store_tasks, name)(tools, tell, **arguments)

    return done


def make_agents_ready(agent: Agent, geometry: Geometry, limit: Limit) -> None:
    """Raise what keeps an agent from playing on a board under a limit; load what it needs."""
    make_agent(agent, geometry, limit)


#: Tasks that ask the solver.
SOLVED = ("scores", "explanation", "review", "puzzle_verdict", "puzzle_hints")
TASKS: dict[str, Task] = {
    "warm": warm,
    "step_back": lambda tools, tell: step_back(),
    "scores": scores,
    "move": move,
    "explanation": explanation,
    "review": review,
    "records": records,
    "puzzle_verdict": puzzle_verdict,
    "puzzle_hints": puzzle_hints,
    "minimax": search_traces.minimax,
    "montecarlo": search_traces.montecarlo,
    "standings": of_store("standings"),
    "report": of_store("report"),
}
