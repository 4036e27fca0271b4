"""The worker process of a server: it runs one task at a time, which can be stopped at any moment.

A task is a function of the worker's `WorkerState` and named arguments that returns plain data. The
module does not use HTTP. Columns count from 1 in results.
"""

from __future__ import annotations

import io
import sys
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, Final

import numpy as np

from claimeven.agents.base import Agent, Limit, decision_json
from claimeven.agents.families.montecarlo import MonteCarloAgent
from claimeven.agents.families.perfect import SolverAgent
from claimeven.agents.fingerprint import paths_of
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.agent import ProcessAgent
from claimeven.agents.registry import make_agent
from claimeven.agents.validation import plain
from claimeven.arena.games.safe_call import begin_game, checked_tree, timed_decision
from claimeven.atomic_io import DATABASE
from claimeven.errors import ClaimevenError
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.parallel import executors
from claimeven.parallel.connection import JobWorker, Parent, Send
from claimeven.parallel.system import backend
from claimeven.puzzles.puzzle import bundled_puzzles, puzzle_by_number
from claimeven.puzzles.solutions import hints_for, position_after, try_column
from claimeven.records import InvalidRecord, guess_by_lines, tried_records
from claimeven.review.analysis import analyze
from claimeven.review.explain import explain
from claimeven.solver import SearchStopped, SolveProgress, Solver
from claimeven.solver.transposition_table import DEFAULT_MB
from claimeven.web.jobs import MEMORY_MB, WARMUP_STEPS, new_columns, scores_json

#: Maximum numbers of solvers and agents; the most recent ones are stored.
MAX_SOLVERS, MAX_AGENTS = 2, 2
#: A position outside the book that is solved quickly.
WARM_MOVES = "4444413226712433"
#: Maximum MB of the table of a worker's solver for other boards than 7x6.
OTHER_TABLE_MB = 16
TREE_DEPTH: Final = 4
#: Seconds between two reports of progress.
PROGRESS_SECONDS: Final = 0.1
#: Maximum number of values in an event, their maximum depth, and maximum number of games of a file.
MAX_VALUES, MAX_DEPTH, MAX_GAMES = 3_000_000, 600, 500
#: Start of the file of a tournament, decoded as text.
_DATABASE = DATABASE.decode().rstrip("\0")


class WorkerState:
    """Solvers, agents and standings of a worker; `seconds` of its job, and `send` for events."""

    def __init__(self) -> None:
        self.table_mb: float | None = None
        self.standings: Any = None
        self.seconds: float = 60.0
        self.send: Callable[[str, Any], None] = lambda event, data: None
        self._solvers: OrderedDict[Geometry, Solver] = OrderedDict()
        self._agents: OrderedDict[tuple[object, ...], Agent] = OrderedDict()

    def solver(self, geometry: Geometry) -> Solver:
        """Return the solver of a board. Raises `InvalidSolve` for boards of over 128 bits."""
        solver = self._solvers.get(geometry)
        if solver is None:
            size = self.table_mb or DEFAULT_MB
            if geometry != STANDARD:
                size = min(size, OTHER_TABLE_MB)
            solver = self._solvers[geometry] = Solver(geometry, size)
            while len(self._solvers) > MAX_SOLVERS:
                oldest = next(board for board in self._solvers if board != STANDARD)
                del self._solvers[oldest]
        self._solvers.move_to_end(geometry)
        return solver

    def agent(self, spec: str, geometry: Geometry, limit: Limit) -> Agent:
        """Return the agent of a spec, ready for a game; a new one if its files have changed.

        Raises `InvalidSpec`, `InvalidLimit` and `AgentFault`.
        """
        files = [(path, path.stat()) for path in paths_of(spec).values() if path.exists()]
        changes = tuple((path, stat.st_mtime_ns, stat.st_size) for path, stat in files)
        key = spec, geometry, changes
        agent = self._agents.get(key)
        if agent is None:
            agent = make_agent(spec)
            if isinstance(agent, SolverAgent):
                agent.share(self.solver(geometry))
            self._agents[key] = agent
            while len(self._agents) > MAX_AGENTS:
                self._agents.popitem(last=False)[1].close()
        self._agents.move_to_end(key)
        make_agent(agent, geometry, limit)  # raises if it cannot play, loads its files
        begin_game(agent)
        return agent

    def forget_agents(self) -> None:
        """Remove the agents: an interrupted job may leave them in an invalid state."""
        while self._agents:
            self._agents.popitem()[1].close()

    def forget(self) -> None:
        self.forget_agents()
        self._solvers.clear()
        self.standings = None


def main(parent: Parent) -> None:
    sys.argv = [""]
    backend.limit_memory(MEMORY_MB)
    state = WorkerState()
    JobWorker(parent, partial(do, state), state.forget_agents).serve()


def do(state: WorkerState, message: dict[str, Any], send: Send) -> tuple[str, Any]:
    """Run the task of a message; return the name and the data of its last event.

    A task is a function of this module, or "module.function" of another module of this package.
    """
    state.send, state.seconds = send, message["seconds"]
    try:
        arguments = message["arguments"]
        module, _, name = message["task"].rpartition(".")
        task = getattr(import_module(f"claimeven.web.{module or 'tasks'}"), name)
        load(state, message["task"], arguments)
        send("started", None)  # the time of the job starts
        return "done", plain(task(state, **arguments), MAX_VALUES, MAX_DEPTH)
    except ClaimevenError as error:
        kind, trace = getattr(error, "kind", None), getattr(error, "traceback", "")
        return _failure(str(error), 422, kind=kind, traceback=trace)
    except SearchStopped:
        return _failure("the search exceeded its time limit", 422)
    except MemoryError:
        state.forget()
        return _failure("the worker has too little memory: ask for a smaller table or tree", 503)
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return _failure("claimeven failed at this request; its log has the details", 500)


def _failure(sentence: str, status: int, **fault: Any) -> tuple[str, Any]:
    return "failed", {"error": " ".join(sentence.split()), "status": status, **fault}


class TimedSolver:
    """A solver that raises `SearchStopped` when the time of the job is over.

    If it `reports`, it sends the scores of each position.
    """

    def __init__(self, state: WorkerState, geometry: Geometry, reports: bool = False) -> None:
        self.geometry = geometry
        self._solver = state.solver(geometry)
        self._deadline = time.monotonic() + state.seconds
        self._send = state.send if reports else None

    def score(self, position: Position) -> int:
        return self._solver.score(position, seconds=self._remaining())

    def scores(self, position: Position) -> tuple[int | None, ...]:
        scores = self._solver.scores(position, seconds=self._remaining())
        if self._send is not None:
            self._send("scores", {"ply": position.ply, "scores": list(scores)})
        return scores

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        return self._solver.principal_variation(position, seconds=self._remaining())

    def _remaining(self) -> float:
        return max(0.0, self._deadline - time.monotonic())


def warm(state: WorkerState, table_mb: float | None, agent: str) -> None:
    """Compile or load the code of a warm-up step's agent, and touch its memory.

    The event `compiling` is sent once for each process, if code must be compiled.
    """
    from claimeven.compiled import when_compiling  # noqa: PLC0415 - only here

    position = Position.from_moves(WARM_MOVES)
    if agent == WARMUP_STEPS[0].agent:
        when_compiling(lambda: state.send("compiling", None))
        state.table_mb = table_mb
        solver = state.solver(STANDARD)
        solver.load()
        solver.clear()
        if solver.book is not None:  # has its own kernel
            solver.book.look_up_many(*np.zeros((2, 0), dtype=np.uint64))
        solver.scores(position)
    state.agent(agent, STANDARD, Limit()).choose(position, Limit(), np.random.default_rng(0))
    state.forget_agents()


def lower_priority(state: WorkerState) -> None:
    """Let all other processes go before this one from now on."""
    executors.lower_priority()


def load(state: WorkerState, task: str, arguments: dict[str, Any]) -> None:
    """Compile or load the code of a job before its time starts. Raises the errors of its agent."""
    if task in ("move", "search_traces.montecarlo", "search_traces.shown"):
        board, limit = arguments["position"].geometry, arguments.get("limit", Limit())
        state.agent(arguments["agent"], board, limit)
    elif task in SOLVER_TASKS:
        state.solver(STANDARD).load()


def scores(state: WorkerState, position: Position, with_progress: bool = False) -> dict[str, Any]:
    """Return exact scores, None if unsolved in time; `with_progress` send columns and progress."""
    solver = state.solver(position.geometry)
    before = solver.statistics
    seen: set[int] = set()
    start = reported_at = time.perf_counter()

    def report(at: SolveProgress) -> None:
        nonlocal reported_at
        for column in new_columns(position, at.scores, seen):
            state.send("column", column)
        now = time.perf_counter()
        if now - reported_at >= PROGRESS_SECONDS:
            reported_at = now
            data = {"nodes": at.nodes, "rate": round(at.rate), "seconds": now - start}
            state.send("progress", data)

    complete = True
    try:
        progress = report if with_progress else None
        found = solver.scores(position, seconds=state.seconds, on_progress=progress)
    except SearchStopped as stopped:
        found, complete = stopped.scores, False
    took = time.perf_counter() - start
    nodes = solver.statistics.nodes - before.nodes
    return scores_json(position, found, nodes=nodes, seconds=took, complete=complete)


def move(
    state: WorkerState, position: Position, agent: str, limit: Limit, seed: int, tree_nodes: int = 0
) -> dict[str, Any]:
    """Return a decision within the time of the job, with a tree of at most `tree_nodes` nodes."""
    player = state.agent(agent, position.geometry, limit)
    is_timed = isinstance(player, (SolverAgent, ProcessAgent))
    if isinstance(player, MonteCarloAgent):
        is_timed = (player.budget(limit).seconds or 0.0) > state.seconds
    if is_timed:
        limit = limit.min_with(Limit(seconds=state.seconds))
    decision, seconds = timed_decision(player, position, limit, np.random.default_rng(seed))
    decision = replace(decision, seconds=decision.seconds or seconds)
    view = checked_tree(player, TREE_DEPTH, tree_nodes) if tree_nodes else None
    if tree_nodes and view is None:
        raise InvalidSpec(f"{agent} has no tree for this decision")
    return decision_json(decision, position, view)


def explanation(state: WorkerState, position: Position) -> dict[str, Any]:
    return explain(position, TimedSolver(state, position.geometry)).as_dict()


def review(state: WorkerState, position: Position, columns: Sequence[int]) -> dict[str, Any]:
    """Return the review of a game from a position; send the scores of each of its positions."""
    solver = TimedSolver(state, position.geometry, reports=True)
    return analyze(GameLine(position, columns), solver).as_dict()


def puzzle_attempt(state: WorkerState, number: int, found: int, column: int) -> dict[str, Any]:
    """Return the result of a 0-based column of a puzzle, after `found` columns."""
    puzzle = puzzle_by_number(bundled_puzzles().puzzles, number)
    attempt = try_column(puzzle, found, column, TimedSolver(state, puzzle.geometry))
    return attempt.as_dict(position_after(puzzle, found))


def puzzle_hints(state: WorkerState, number: int, found: int) -> dict[str, Any]:
    puzzle = puzzle_by_number(bundled_puzzles().puzzles, number)
    hints = hints_for(puzzle, found, TimedSolver(state, puzzle.geometry))
    return {"hints": [hint.as_dict() for hint in hints]}


def games_json(state: Any, text: str, name: str, geometry: Geometry) -> dict[str, Any]:
    """Return the games of a text as plain data; the extension of `name` helps to guess the format.

    `geometry` is the board of games without a board. Raises `InvalidRecord` if it has no game.
    """
    if text.startswith(_DATABASE):
        raise InvalidRecord(
            "this is the file of a tournament: show it with serve --store, or make a table of its"
            " games with claimeven convert FILE -o games.csv and open that here"
        )
    form, lines = guess_by_lines(name, io.StringIO(text))
    games: list[dict[str, Any]] = []
    unreadable, first_error, truncated = 0, None, False
    try:
        for number, each in enumerate(tried_records(lines, form, geometry)):
            if number == MAX_GAMES:
                truncated = True
                break
            record = each.record
            if record is None:
                unreadable += 1
                first_error = first_error or f"line {each.line}: {each.error}"
                continue
            game = {
                key: getattr(record, key) for key in ("moves", "first", "second", "result", "fault")
            }
            board = record.geometry
            size = {"board": f"{board.columns}x{board.rows}", "connect": board.connect}
            games.append({**size, **game, "has_move_order": record.is_ordered})
    except InvalidRecord as error:  # the rest cannot be read
        unreadable += 1
        first_error = first_error or str(error)
    if not games:
        raise InvalidRecord(first_error or "the file contains no games")
    errors = {"unreadable": unreadable, "first_error": first_error}
    return {"format": form.name, "games": games, **errors, "truncated": truncated}


#: Tasks that use the solver.
SOLVER_TASKS = ("scores", "explanation", "review", "puzzle_attempt", "puzzle_hints")
