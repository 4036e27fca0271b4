"""The board in a notebook: click to play, scores above the columns, an agent as the other side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, Limit, check_is_limit
from claimeven.agents.function_agent import name_of
from claimeven.agents.registry import AgentLike, make_agents
from claimeven.arena.games.safe_call import begin_game, timed_decision
from claimeven.errors import ClaimevenError
from claimeven.game.encodings import to_characters
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import STANDARD, Geometry, check_geometry
from claimeven.game.notation import parse_moves
from claimeven.game.position import Position, check_position
from claimeven.game.svg import draw_svg
from claimeven.game.validation import instance, real_number, seed_number, whole_number
from claimeven.notebook.bundle import bundle
from claimeven.notebook.latest_task import IsWanted, LatestTask
from claimeven.parallel import interrupts
from claimeven.records import read_text
from claimeven.solver import SearchStopped, Solver
from claimeven.solver.progress import SolveProgress
from claimeven.solver.scores import column_in_words

try:
    import anywidget
    from traitlets import Bool, Dict, Enum, Instance, Int, TraitError, Unicode, observe, validate
except ImportError:
    raise ImportError(
        "the board in notebooks needs anywidget: pip install 'claimeven[notebook]'"
    ) from None

Scores = Sequence["int | None"]

#: The board's module, with all it needs in it.
MODULE = bundle(Path(__file__).parent / "static" / "widget.js")


class BoardWidget(anywidget.AnyWidget):
    """A board to play on in a notebook, linked to Python.

    `game` is its start: moves (a move string, or 0-based columns) on the board `geometry` (default
    7x6), or a `GameLine` or a `Position`, which have a board.
    `agent`, as in `play_match`, plays the seat of that number (0 moves first) under `limit`; all
    its randomness comes from `seed`. With `show_scores` the exact score of every column is above
    it, solved in the background for up to `seconds` a position, by `solver` if it is for this
    board, or by the widget's own.

    Traits to observe (`board.observe(on_change, "moves")`) and set:

    - `position`: the position shown; setting another one starts a new game (as `new_game` does);
    - `moves`: the move string from the start of the board; setting it plays it;
    - `show_scores`, `flipped` (colors swapped), `theme` ("auto", "light" or "dark"), `width` (most
      pixels).

    Traits to observe only: `decision`, the agent's last answer; `thinking`, whether it thinks;
    `known`, the known scores of the columns; `problem`, a sentence on an error.

    Raises `InvalidNotation` and `IllegalMove` for moves that cannot be played, and `InvalidSpec`
    and `InvalidLimit` for an agent that cannot play. Raises `ClaimevenError` for an invalid seat
    and for a board other than the board of `game` or `solver`.

    >>> board = BoardWidget("4455")
    >>> board.observe(lambda change: print("moves:", change.new), "moves")
    >>> _ = board.play(2)
    moves: 44553
    >>> board.position == Position.from_moves("44553")
    True
    """

    _esm = MODULE
    _is_ready = False  # until it is made, and after a failure

    size: Unicode[str, str | bytes] = Unicode("7x6").tag(sync=True)
    connect: Int[int, int] = Int(4).tag(sync=True)
    start: Unicode[str, str | bytes] = Unicode("").tag(sync=True)
    moves: Unicode[str, str | bytes] = Unicode("").tag(sync=True)
    undone = Unicode("").tag(sync=True)
    show_scores: Bool[bool, bool | int] = Bool(False).tag(sync=True)
    flipped: Bool[bool, bool | int] = Bool(False).tag(sync=True)
    theme: Enum[str] = Enum(("auto", "light", "dark"), "auto").tag(sync=True)
    width: Int[int, int] = Int(420, min=120).tag(sync=True)
    seat: Int[int | None, int | None] = Int(None, allow_none=True, read_only=True).tag(sync=True)
    agent_name: Unicode[str, str | bytes] = Unicode("", read_only=True).tag(sync=True)
    thinking = Bool(False).tag(sync=True)
    known = Dict().tag(sync=True)
    problem: Unicode[str, str | bytes] = Unicode("").tag(sync=True)
    position = Instance(Position)
    decision: Instance[Decision | None] = Instance(Decision, allow_none=True)

    def __init__(
        self,
        game: str | Iterable[int] | GameLine | Position = "",
        geometry: Geometry | None = None,
        *,
        agent: AgentLike | None = None,
        seat: int = 1,
        limit: Limit | None = None,
        seed: int = 0,
        show_scores: bool = False,
        seconds: float = 10.0,
        solver: Solver | None = None,
        theme: str = "auto",
        width: int = 420,
    ) -> None:
        line = _game_line(game, geometry)
        _check_arguments(line.start.geometry, seat, limit, seed, solver)
        self.limit: Limit = limit or Limit()
        self.seconds: float = real_number(seconds, "seconds", low=0, finite=False)
        self._origin = line.start
        self._given_solver = solver
        self._own_solver: Solver | None = None
        self._rng = np.random.default_rng(seed)
        self._is_new_game = True
        self._whole = line.moves  # with moves that were taken back
        self._changing = interrupts.Lock()
        self._agent_task = LatestTask("claimeven agent")
        self._solver_task = LatestTask("claimeven scores")
        self.agent: Agent | None = None
        if agent is not None:
            [self.agent] = make_agents([agent], line.start.geometry, self.limit)
            if not self.agent.timed:
                raise ClaimevenError("human plays by clicks: leave the agent out")
        self._owns_agent = isinstance(agent, str)
        super().__init__(
            **_board_traits(line.start),
            moves=line.moves,
            position=line.position,
            show_scores=show_scores,
            theme=theme,
            width=width,
        )
        if agent is not None:
            self.set_trait("seat", seat)
            self.set_trait("agent_name", name_of(agent))
        self._is_ready = True
        self._continue()

    # Actions of the user, from Python

    def play(self, column: int) -> BoardWidget:
        """Drop a disc in a 0-based column, for the side to move. Raises `IllegalMove`."""
        with self._changing:
            line = self.line.play(column)
            is_again = self.undone.startswith(line.moves[-1])
            self._put(undone=self.undone[is_again:], moves=line.moves)
        return self

    def undo(self) -> BoardWidget:
        """Take back moves to your last turn; without a move of yours do nothing."""
        with self._changing:
            count = next(filter(self._is_yours, range(len(self.moves) - 1, -1, -1)), None)
            if count is not None:
                self._put(undone=self.moves[count:] + self.undone, moves=self.moves[:count])
        return self

    def redo(self) -> BoardWidget:
        """Play the moves again that were taken back, up to your next turn, if there are any."""
        with self._changing:
            line, played = self.moves + self.undone, len(self.moves)
            ends = (*filter(self._is_yours, range(played + 1, len(line) + 1)), len(line))
            self._put(undone=line[ends[0] :], moves=line[: ends[0]])
        return self

    def new_game(self, position: Position | None = None) -> BoardWidget:
        """Start a new game, from a position or from the start of this game.

        Raises `ClaimevenError` for an object that is not a position.
        """
        if position is not None:
            check_position(position)
        with self._changing, self.hold_sync(), ExitStack() as setters:
            self._origin = self._origin if position is None else position
            self._is_new_game, self._whole = True, ""
            if not self.moves:
                setters.callback(self._follow)
            self._put(**_board_traits(self._origin), undone="", problem="", moves="")
        return self

    def _put(self, **values: object) -> None:
        """Set traits, all of them in this order, also if an observer raises an error."""
        with ExitStack() as setters:
            for name in reversed(values):
                setters.callback(setattr, self, name, values[name])

    def wait(self, seconds: float = 60.0) -> BoardWidget:
        """Wait until the agent has moved and the scores are there. Raises `TimeoutError`.

        An observer is called while the board changes, and cannot wait for it: `RuntimeError`.
        """
        if self._changing._is_owned():  # type: ignore[attr-defined]  # of C
            raise RuntimeError("an observer cannot wait for the board, which waits for it")
        deadline = time.monotonic() + seconds
        if not (self._agent_task.wait(deadline) and self._solver_task.wait(deadline)):
            raise TimeoutError(f"the board is still busy after {seconds:g} s")
        return self

    # State

    @property
    def geometry(self) -> Geometry:
        return self._origin.geometry

    @property
    def line(self) -> GameLine:
        """The moves from the start of the board; changes of this line do not change the board."""
        return GameLine(self._origin, parse_moves(self.moves, self.geometry))

    @property
    def scores(self) -> tuple[int | None, ...] | None:
        """The exact score of each column, None for a full one; None while unknown."""
        known = self.known
        is_so = known.get("done") and known.get("moves") == self.moves
        return tuple(known["scores"]) if is_so else None

    def close(self) -> None:
        """Take the board away, and end its agent: now, or when it has made the move it is at."""
        if self._is_ready:
            self._agent_task.submit(None)
            self._solver_task.submit(None)
            agent = self.agent
            if agent is not None and self._owns_agent:
                if self._agent_task.wait(time.monotonic()):
                    agent.close()
                else:  # which may take long, and the collector does not wait
                    self._agent_task.submit(lambda is_wanted: agent.close())
        super().close()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Return the widget for notebooks, and a drawing for places without widgets."""
        content = super()._repr_mimebundle_(**kwargs)
        data = content[0] if isinstance(content, tuple) else content
        if data is not None:
            data["image/svg+xml"] = draw_svg(self.position, self.line.last_column)
        return content

    # Changes and their effects

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take the changes of the page; invalid ones are undone there."""
        try:
            super().set_state(sync_data)
        except TraitError:
            self.send_state(list(sync_data))

    @validate("moves")
    def _validate_moves(self, proposal: Any) -> str:
        try:
            columns = parse_moves(proposal["value"], self.geometry)
            return GameLine(self._origin, columns).moves
        except ClaimevenError as error:
            raise TraitError(str(error)) from None

    @observe("moves")
    def _moves_changed(self, change: Any) -> None:
        if self._is_ready:
            with self._changing:
                if self.moves + self.undone != self._whole:
                    self.undone = ""  # it was taken back from another line
                self._whole = self.moves + self.undone
                self._is_new_game |= not self._whole
                self._follow()

    @observe("position")
    def _position_changed(self, change: Any) -> None:
        if self._is_ready and change.new != self.line.position:
            self.new_game(change.new)

    @observe("show_scores")
    def _scores_wanted(self, change: Any) -> None:
        if self._is_ready:
            self._ask_solver()

    def _follow(self) -> None:
        """Show the position after the moves, and continue from there."""
        with ExitStack() as setters:
            setters.callback(self._continue)
            setters.callback(setattr, self, "problem", "")
            self.position = self.line.position

    def _continue(self) -> None:
        """Start the work for the position: the agent's move, the scores."""
        with self._changing, ExitStack() as setters:
            setters.callback(self._ask_solver)
            self._ask_agent()

    def _is_yours(self, count: int) -> bool:
        """Whether you are to move after `count` of the moves, taken back ones included."""
        return (self._origin.ply + count) % 2 != self.seat

    # The agent

    def _ask_agent(self) -> None:
        position, agent = self.position, self.agent
        if agent is None or position.is_over or position.turn != self.seat:
            self._agent_task.submit(None)
            self.thinking = False
            return
        self._agent_task.submit(lambda is_wanted: self._let_play(agent, position, is_wanted))
        self.thinking = True

    def _let_play(self, agent: Agent, position: Position, is_wanted: IsWanted) -> None:
        decision, problem = None, ""
        try:
            if self._is_new_game:
                begin_game(agent, self._rng)
                self._is_new_game = False
            decision, _ = timed_decision(agent, position, self.limit, self._rng)
        except AgentFault as fault:
            problem = f"{self.agent_name} cannot continue: {fault}"
        except KeyboardInterrupt:  # its own: the notebook's comes to the main thread
            problem = f"{self.agent_name} cannot continue: raised KeyboardInterrupt"
        steps: list[Callable[[], object]] = [
            lambda: self._put(thinking=False),
            lambda: self._put(problem=problem),
        ]
        if decision is not None:
            column = decision.column
            steps += [lambda: self._put(decision=decision), lambda: self.play(column)]
        with self._changing, ExitStack() as setters:
            for step in reversed(steps):
                # An observer of the step before may have started another game.
                setters.callback(lambda do: is_wanted() and do(), step)

    # The scores

    def _ask_solver(self) -> None:
        position, moves = self.position, self.moves
        if not self.show_scores or position.is_over:
            self._solver_task.submit(None)
            self.known = {}
            return
        self._set_known(position, moves, (None,) * self.geometry.columns)
        self._solver_task.submit(lambda is_wanted: self._solve(position, moves, is_wanted))

    def _solve(self, position: Position, moves: str, is_wanted: IsWanted) -> None:
        def publish(scores: Scores, done: bool = False, problem: str = "") -> None:
            with self._changing:
                if is_wanted():
                    self._set_known(position, moves, scores, done, problem)

        def on_progress(progress: SolveProgress) -> None:
            if not is_wanted():
                solver.stop()
            elif any(score is not None for score in progress.scores):
                publish(progress.scores)

        nothing = (None,) * position.geometry.columns
        try:
            solver = self._solver_for(position.geometry)
            solver.load()
            publish(
                solver.scores(position, seconds=self.seconds, on_progress=on_progress), done=True
            )
        except SearchStopped as stopped:
            left = f"Not all columns could be solved in {self.seconds:g} s."
            publish(stopped.scores, problem=left)
        except ClaimevenError as error:
            publish(nothing, problem=f"No scores: {error}.")
        except MemoryError:
            publish(nothing, problem="No scores: there is no memory for the solver.")

    def _solver_for(self, geometry: Geometry) -> Solver:
        if self._given_solver is not None and self._given_solver.geometry == geometry:
            return self._given_solver
        if self._own_solver is None or self._own_solver.geometry != geometry:
            self._own_solver = Solver(geometry, table_mb=32)
        return self._own_solver

    def _set_known(
        self, position: Position, moves: str, scores: Scores, done: bool = False, problem: str = ""
    ) -> None:
        self.known = {
            "moves": moves,
            "scores": list(scores),
            "words": [None if s is None else column_in_words(position, s) for s in scores],
            "done": done,
            "problem": problem,
        }


def _check_arguments(
    geometry: Geometry, seat: object, limit: object, seed: object, solver: Any
) -> None:
    """Raise `ClaimevenError` for arguments of a board that cannot be."""
    if whole_number(seat, "a seat") not in (0, 1):
        raise ClaimevenError(f"a seat must be 0 (moves first) or 1, got {seat}")
    if limit is not None:
        check_is_limit(limit)
    seed_number(seed)
    if solver is not None:
        instance(solver, "a solver", Solver)
    if solver is not None and solver.geometry != geometry:
        raise ClaimevenError(f"the solver is for {solver.geometry}, and the board is {geometry}")


def _game_line(game: object, geometry: Geometry | None) -> GameLine:
    """Return the line that a board starts with."""
    if geometry is not None:
        check_geometry(geometry)
    if isinstance(game, Position | GameLine):
        line = GameLine(game) if isinstance(game, Position) else GameLine(game.start, game.columns)
        if geometry not in (None, line.start.geometry):
            raise ClaimevenError(f"the game is on {line.start.geometry}, not on {geometry}")
        return line
    if not isinstance(game, Iterable):
        raise ClaimevenError(f"a game must be moves, a GameLine or a Position, got {game!r}")
    board = geometry or STANDARD
    if isinstance(game, str):
        record = read_text(game, board)
        return GameLine(Position(record.geometry), record.columns)
    return GameLine(Position(board), game)


def _board_traits(start: Position) -> dict[str, Any]:
    """Return the traits of the position that a board starts from."""
    geometry = start.geometry
    rows = "/".join("".join(row) for row in to_characters(start))
    return {
        "size": f"{geometry.columns}x{geometry.rows}",
        "connect": geometry.connect,
        "start": rows if start.ply else "",
    }
