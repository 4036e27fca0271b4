"""The tasks of a server's worker: functions that take a position and return plain data.

Each takes the worker's `Tools` and named arguments. The module does not depend on HTTP. Columns
count from 1 in results.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from claimeven.agents.base import Agent, Limit
from claimeven.agents.decisions import decision_json
from claimeven.agents.families.montecarlo import MonteCarloAgent
from claimeven.agents.families.perfect import SolverAgent
from claimeven.agents.options import InvalidSpec
from claimeven.agents.registry import make_agent
from claimeven.arena.games.safe_call import begin_game, checked_decision, checked_tree
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.parallel.cores import lower_priority as step_behind
from claimeven.puzzles.hints import hints_for, position_after, try_column
from claimeven.puzzles.sets import bundled_puzzles, puzzle_by_number
from claimeven.review.analysis import analyze
from claimeven.review.explain import explain
from claimeven.solver import SearchStopped, SolveProgress, Solver
from claimeven.solver.protocols import DEFAULT_BOOK, book_for
from claimeven.solver.transposition_table import default_table_mb
from claimeven.web.jobs import STEPS
from claimeven.web.score_responses import new_columns, scores_json

#: Boards whose solver is kept, and agents that are kept, the ones used last.
MAX_SOLVERS, MAX_AGENTS = 2, 2
#: A position that the book does not know and that is solved at once.
WARM_MOVES = "4444413226712433"
#: MB of the table of a worker's solver: at most by default, and at most for another board than the
#: usual one.
OWN_TABLE_MB, OTHER_TABLE_MB = 64, 16
TREE_DEPTH: Final = 4
#: Seconds between two reports of how far a search is.
TICK: Final = 0.1


class Tools:
    """What a worker keeps: solvers by board, agents by spec and board, standings.

    Its job has `seconds`, and `send` sends an event of it: a name and plain data.
    """

    def __init__(self) -> None:
        self.table_mb: float | None = None
        self.standings: Any = None
        self.seconds: float = 60.0
        self.send: Callable[[str, Any], None] = lambda event, data: None
        self._solvers: OrderedDict[Geometry, Solver] = OrderedDict()
        self._agents: OrderedDict[tuple[str, Geometry], Agent] = OrderedDict()

    def solver(self, geometry: Geometry) -> Solver:
        """Return the solver of a board. Raises `InvalidSolve` for boards of over 64 bits."""
        solver = self._solvers.get(geometry)
        if solver is None:
            book = book_for(geometry, DEFAULT_BOOK)
            size = self.table_mb or min(OWN_TABLE_MB, default_table_mb(geometry, book))
            if geometry != STANDARD:
                size = min(size, OTHER_TABLE_MB)
            solver = self._solvers[geometry] = Solver(geometry, size, book=book)
            while len(self._solvers) > MAX_SOLVERS:
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
            while len(self._agents) > MAX_AGENTS:
                self._agents.popitem(last=False)[1].close()
        self._agents.move_to_end((spec, geometry))
        make_agent(agent, geometry, limit)  # raises if it cannot play, loads what it needs
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
    """A worker's solver of a board, which gives up when the time of the job is over.

    It sends what it finds of a whole position as `scores`, if the job `reports` it.
    """

    def __init__(self, tools: Tools, geometry: Geometry, reports: bool = False) -> None:
        self.geometry = geometry
        self._solver = tools.solver(geometry)
        self._deadline = time.monotonic() + tools.seconds
        self._send = tools.send if reports else None

    def score(self, position: Position) -> int:
        """Return the score of a position. Raises `SearchStopped`."""
        return self._solver.score(position, seconds=self._left())

    def scores(self, position: Position) -> tuple[int | None, ...]:
        """Return the score of every column. Raises `SearchStopped`."""
        scores = self._solver.scores(position, seconds=self._left())
        if self._send is not None:
            self._send("scores", {"ply": position.ply, "scores": list(scores)})
        return scores

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Return best play to the end. Raises `SearchStopped`."""
        return self._solver.principal_variation(position, seconds=self._left())

    def _left(self) -> float:
        return max(0.0, self._deadline - time.monotonic())


def warm(tools: Tools, table_mb: float | None, agent: str | None = None) -> None:
    """Compile, or load, what the agent of a step of `STEPS` needs, and touch the memory it will
    use; do all steps if none is given.

    The event `compiling` is sent once a process, if code is compiled that is not on disk.
    """
    from claimeven.compiled import when_compiling  # noqa: PLC0415 - this once

    position = Position.from_moves(WARM_MOVES)
    for spec in [step.agent for step in STEPS] if agent is None else [agent]:
        if spec == STEPS[0].agent:
            when_compiling(lambda: tools.send("compiling", None))
            tools.table_mb = table_mb
            solver = tools.solver(STANDARD)
            solver.load()
            solver.clear()
            if solver.book is not None:  # looking up many plies has its own kernel
                solver.book.look_up_many(*np.zeros((2, 0), dtype=np.uint64))
            solver.scores(position)
        tools.agent(spec, STANDARD, Limit()).choose(position, Limit(), np.random.default_rng(0))
    tools.forget_agents()


def lower_priority(tools: Tools) -> None:
    """Let all other processes go before this one from now on."""
    step_behind()


def load(tools: Tools, task: str, arguments: dict[str, Any]) -> None:
    """Compile, or load, what a job needs, before its time runs. Raises why it cannot run."""
    if task in ("move", "search_traces.montecarlo"):
        board, limit = arguments["position"].geometry, arguments.get("limit", Limit())
        tools.agent(arguments["agent"], board, limit)
    elif task in SOLVED:
        tools.solver(STANDARD).load()


def scores(tools: Tools, position: Position, on_the_way: bool = False) -> dict[str, Any]:
    """Return the exact scores of a position; send each column as it is solved, and how far the
    search is, if these are wanted `on_the_way`.

    When the time is over the columns not known yet are None and `complete` is false.
    """
    solver = tools.solver(position.geometry)
    before = solver.statistics
    seen: set[int] = set()
    begin = reported_at = time.perf_counter()

    def report(at: SolveProgress) -> None:
        nonlocal reported_at
        for column in new_columns(position, at.scores, seen):
            tools.send("column", column)
        now = time.perf_counter()
        if now - reported_at >= TICK:
            reported_at = now
            data = {"nodes": at.nodes, "rate": round(at.rate), "seconds": now - begin}
            tools.send("progress", data)

    complete = True
    try:
        progress = report if on_the_way else None
        found = solver.scores(position, seconds=tools.seconds, on_progress=progress)
    except SearchStopped as stopped:
        found, complete = stopped.scores, False
    took = time.perf_counter() - begin
    nodes = solver.statistics.nodes - before.nodes
    return scores_json(position, found, nodes=nodes, seconds=took, complete=complete)


def move(
    tools: Tools, position: Position, agent: str, limit: Limit, seed: int, tree_nodes: int = 0
) -> dict[str, Any]:
    """Return an agent's decision, with its tree of so many nodes at most if any are wanted.

    An agent of the solver or of Monte Carlo that would search for longer has the time of the job,
    whatever its spec and its limit say.
    """
    player = tools.agent(agent, position.geometry, limit)
    if _may_take(player, limit) > tools.seconds:
        limit = limit.min_with(Limit(seconds=tools.seconds))
    decision = checked_decision(player, position, limit, np.random.default_rng(seed))
    view = checked_tree(player, TREE_DEPTH, tree_nodes) if tree_nodes else None
    if tree_nodes and view is None:
        raise InvalidSpec(f"{agent} has no tree to show of this decision")
    return decision_json(decision, position, view)


def _may_take(player: Agent, limit: Limit) -> float:
    """Return for how many seconds an agent may search, 0 if it goes by something else."""
    if isinstance(player, SolverAgent):
        return math.inf if limit.seconds is None else limit.seconds
    if isinstance(player, MonteCarloAgent):
        return player.budget(limit).seconds or 0.0
    return 0.0


def explanation(tools: Tools, position: Position) -> dict[str, Any]:
    """Return the explanation of a position."""
    return explain(position, TimedSolver(tools, position.geometry)).as_dict()


def review(tools: Tools, position: Position, columns: Sequence[int]) -> dict[str, Any]:
    """Return the review of a game from a position; send the scores of each of its positions."""
    solver = TimedSolver(tools, position.geometry, reports=True)
    return analyze(GameLine(position, columns), solver).as_dict()


def puzzle_attempt(tools: Tools, number: int, found: int, column: int) -> dict[str, Any]:
    """Return what a 0-based column of a puzzle is worth after so many were found."""
    puzzle = puzzle_by_number(bundled_puzzles().puzzles, number)
    attempt = try_column(puzzle, found, column, TimedSolver(tools, puzzle.geometry))
    return attempt.as_dict(position_after(puzzle, found))


def puzzle_hints(tools: Tools, number: int, found: int) -> dict[str, Any]:
    """Return the hints for the next column of a puzzle."""
    puzzle = puzzle_by_number(bundled_puzzles().puzzles, number)
    hints = hints_for(puzzle, found, TimedSolver(tools, puzzle.geometry))
    return {"hints": [hint.as_dict() for hint in hints]}


#: Tasks that ask the solver.
SOLVED = ("scores", "explanation", "review", "puzzle_attempt", "puzzle_hints")
