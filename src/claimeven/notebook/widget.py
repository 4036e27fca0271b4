"""The board in a notebook: click to play, scores above the columns, an agent as the other side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, Limit
from claimeven.agents.function_agent import name_of
from claimeven.agents.registry import AgentLike
from claimeven.arena.games.safe_call import begin_game, timed_decision
from claimeven.errors import ClaimevenError
from claimeven.game.encodings import to_characters
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_moves
from claimeven.game.position import Position
from claimeven.game.svg import draw_svg
from claimeven.game.validation import real_number
from claimeven.notebook.bundle import bundled
from claimeven.notebook.latest_task import IsWanted, Lane
from claimeven.notebook.validation import check, line_of, opponent
from claimeven.parallel import interrupts
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
MODULE = bundled(Path(__file__).parent / "static" / "widget.js")
#: Size in MB of the table of a solver of the widget's own.
_TABLE_MB = 32
#: Seconds to wait where nothing else is said.
_PATIENCE = 60.0


class BoardWidget(anywidget.AnyWidget):
    """A board on which people play in a notebook, and Python looks on or plays along.

    `game` is where it begins: moves (a move string, or 0-based columns) on the board `geometry`
    (7x6 where none is given), or a `GameLine` or a `Position`, which have one.
    `agent`, as in `play_match`, plays the seat of that number (0 moves first) under `limit`; all
    its randomness comes from `seed`. With `show_scores` the exact score of every column stands
    above it, solved in the background for up to `seconds` a position, by a solver of the widget's
    own or, on the board that it is for, the one handed in.

    What may be observed (`board.observe(tell, "moves")`) and set:

    - `position`: the position shown; setting another one begins anew from there (as `begin` does);
    - `moves`: the move string from where the board began; setting it plays it out;
    - `show_scores`, `flipped` (colours swapped), `theme` ("auto", "light" or "dark"), `width` (most
      pixels).

    To be observed alone: `decision`, what the agent answered last; `thinking`, whether it is asked;
    `known`, what is known of the columns; `problem`, a sentence on what went wrong.

    Raises `InvalidNotation` and `IllegalMove` for moves that cannot be played, `InvalidSpec` and
    `InvalidLimit` for an agent that cannot, and `ClaimevenError` for a seat that is none and for a
    board other than that of `game` or `solver`.

    >>> board = BoardWidget("4455")
    >>> board.observe(lambda change: print("moves:", change.new), "moves")
    >>> _ = board.play(2)
    moves: 44553
    >>> board.position == Position.from_moves("44553")
    True
    """

    _esm = MODULE
    _is_ready = False  # as long as it is being made, and where that failed

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
        line = line_of(game, geometry)
        check(line.start.geometry, seat, limit, seed, solver)
        self.limit: Limit = limit or Limit()
        self.seconds: float = real_number(seconds, "seconds", low=0, finite=False)
        self._origin = line.start
        self._given_solver = solver
        self._own_solver: Solver | None = None
        self._rng = np.random.default_rng(seed)
        self._is_new_game = True
        self._whole = line.moves  # with what was taken back
        self._changing = interrupts.Lock()
        self._agent_lane, self._solver_lane = Lane("claimeven agent"), Lane("claimeven scores")
        self.agent: Agent | None = (
            None if agent is None else opponent(agent, line.start.geometry, self.limit)
        )
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
        self._go_on()

    # What people do, from Python

    def play(self, column: int) -> BoardWidget:
        """Drop a disc in a 0-based column, for whoever is to move. Raises `IllegalMove`."""
        with self._changing:
            line = self.line.play(column)
            is_again = self.undone.startswith(line.moves[-1])
            self._put(undone=self.undone[is_again:], moves=line.moves)
        return self

    def undo(self) -> BoardWidget:
        """Take back moves to where you were to move last; nothing if you have made none."""
        with self._changing:
            kept = next(filter(self._is_yours, range(len(self.moves) - 1, -1, -1)), None)
            if kept is not None:
                self._put(undone=self.moves[kept:] + self.undone, moves=self.moves[:kept])
        return self

    def redo(self) -> BoardWidget:
        """Play again what was taken back, to where you are to move; nothing if nothing was."""
        with self._changing:
            line, played = self.moves + self.undone, len(self.moves)
            ends = (*filter(self._is_yours, range(played + 1, len(line) + 1)), len(line))
            self._put(undone=line[ends[0] :], moves=line[: ends[0]])
        return self

    def begin(self, position: Position | None = None) -> BoardWidget:
        """Begin a new game, from a position or from where this one began.

        Raises `ClaimevenError` for what is no position.
        """
        if not isinstance(position, Position | None):
            raise ClaimevenError(f"a game begins from a Position, not from {position!r}")
        with self._changing, self.hold_sync(), ExitStack() as whatever_observers_raise:
            self._origin = self._origin if position is None else position
            self._is_new_game, self._whole = True, ""
            if not self.moves:
                whatever_observers_raise.callback(self._follow)
            self._put(**_board_traits(self._origin), undone="", problem="", moves="")
        return self

    def _put(self, **values: object) -> None:
        """Set traits, all of them in this order whatever those who observe one raise."""
        with ExitStack() as whatever_observers_raise:
            for name in reversed(values):
                whatever_observers_raise.callback(setattr, self, name, values[name])

    def wait(self, seconds: float = _PATIENCE) -> BoardWidget:
        """Wait until the agent has moved and the scores are there. Raises `TimeoutError`.

        What observes the board is called while it changes, and cannot wait for it: `RuntimeError`.
        """
        if self._changing._is_owned():  # type: ignore[attr-defined]  # of C
            raise RuntimeError("an observer cannot wait for the board, which waits for it")
        deadline = time.monotonic() + seconds
        if not (self._agent_lane.wait(deadline) and self._solver_lane.wait(deadline)):
            raise TimeoutError(f"the board is still busy after {seconds:g} s")
        return self

    # What it shows

    @property
    def geometry(self) -> Geometry:
        return self._origin.geometry

    @property
    def line(self) -> GameLine:
        """The moves from where the board began; playing on the line leaves the board as it is."""
        return GameLine(self._origin, parse_moves(self.moves, self.geometry))

    @property
    def scores(self) -> tuple[int | None, ...] | None:
        """The exact score of each column, None where none can be played; None while not known."""
        known = self.known
        is_so = known.get("done") and known.get("moves") == self.moves
        return tuple(known["scores"]) if is_so else None

    def close(self) -> None:
        """Take the board away, and end its agent: now, or when it has made the move it is at."""
        if self._is_ready:
            self._agent_lane.ask(None)
            self._solver_lane.ask(None)
            agent = self.agent
            if agent is not None and self._owns_agent:
                if self._agent_lane.wait(time.monotonic()):
                    agent.close()
                else:  # which may take long, and whoever takes boards away waits for none
                    self._agent_lane.ask(lambda is_wanted: agent.close())
        super().close()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Tell notebooks of the widget, and of a drawing for where none can run."""
        told = super()._repr_mimebundle_(**kwargs)
        data = told[0] if isinstance(told, tuple) else told
        if data is not None:
            data["image/svg+xml"] = draw_svg(self.position, self.line.last_column)
        return told

    # What follows from what

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the page changed; what cannot be is taken back there."""
        try:
            super().set_state(sync_data)
        except TraitError:
            self.send_state(list(sync_data))

    @validate("moves")
    def _checked_moves(self, proposal: Any) -> str:
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
            self.begin(change.new)

    @observe("show_scores")
    def _scores_wanted(self, change: Any) -> None:
        if self._is_ready:
            self._ask_solver()

    def _follow(self) -> None:
        """Show the position that the moves lead to, and go on from there."""
        with ExitStack() as whatever_observers_raise:
            whatever_observers_raise.callback(self._go_on)
            whatever_observers_raise.callback(setattr, self, "problem", "")
            self.position = self.line.position

    def _go_on(self) -> None:
        """Ask for what the position needs: the agent's move, the scores."""
        with self._changing, ExitStack() as whatever_observers_raise:
            whatever_observers_raise.callback(self._ask_solver)
            self._ask_agent()

    def _is_yours(self, count: int) -> bool:
        """Whether nobody but you is to move after so many of the moves, taken back ones too."""
        return (self._origin.ply + count) % 2 != self.seat

    # The agent

    def _ask_agent(self) -> None:
        position, agent = self.position, self.agent
        if agent is None or position.is_over or position.turn != self.seat:
            self._agent_lane.ask(None)
            self.thinking = False
            return
        self._agent_lane.ask(lambda is_wanted: self._let_play(agent, position, is_wanted))
        self.thinking = True

    def _let_play(self, agent: Agent, position: Position, is_wanted: IsWanted) -> None:
        decision, problem = None, ""
        try:
            if self._is_new_game:
                begin_game(agent, self._rng)
                self._is_new_game = False
            decision, _ = timed_decision(agent, position, self.limit, self._rng)
        except AgentFault as fault:
            problem = f"{self.agent_name} cannot go on: {fault}"
        except KeyboardInterrupt:  # of its own: that of the notebook comes to the main thread
            problem = f"{self.agent_name} cannot go on: raised KeyboardInterrupt"
        steps: list[Callable[[], object]] = [
            lambda: self._put(thinking=False),
            lambda: self._put(problem=problem),
        ]
        if decision is not None:
            column = decision.column
            steps += [lambda: self._put(decision=decision), lambda: self.play(column)]
        with self._changing, ExitStack() as whatever_observers_raise:
            for step in reversed(steps):
                # An observer of the step before may have begun another game.
                whatever_observers_raise.callback(_if, is_wanted, step)

    # The scores

    def _ask_solver(self) -> None:
        position, moves = self.position, self.moves
        if not self.show_scores or position.is_over:
            self._solver_lane.ask(None)
            self.known = {}
            return
        self._tell_scores(position, moves, (None,) * self.geometry.columns)
        self._solver_lane.ask(lambda is_wanted: self._solve(position, moves, is_wanted))

    def _solve(self, position: Position, moves: str, is_wanted: IsWanted) -> None:
        def tell(scores: Scores, done: bool = False, problem: str = "") -> None:
            with self._changing:
                if is_wanted():
                    self._tell_scores(position, moves, scores, done, problem)

        def watch(progress: SolveProgress) -> None:
            if not is_wanted():
                solver.stop()
            elif any(score is not None for score in progress.scores):
                tell(progress.scores)

        nothing = (None,) * position.geometry.columns
        try:
            solver = self._usable_solver(position.geometry)
            solver.load()
            tell(solver.scores(position, seconds=self.seconds, on_progress=watch), done=True)
        except SearchStopped as stopped:
            left = f"Not all columns could be solved in {self.seconds:g} s."
            tell(stopped.scores, problem=left)
        except ClaimevenError as error:
            tell(nothing, problem=f"No scores: {error}.")
        except MemoryError:
            tell(nothing, problem="No scores: there is no memory for the solver.")

    def _usable_solver(self, geometry: Geometry) -> Solver:
        if self._given_solver is not None and self._given_solver.geometry == geometry:
            return self._given_solver
        if self._own_solver is None or self._own_solver.geometry != geometry:
            self._own_solver = Solver(geometry, table_mb=_TABLE_MB)
        return self._own_solver

    def _tell_scores(
        self, position: Position, moves: str, scores: Scores, done: bool = False, problem: str = ""
    ) -> None:
        self.known = {
            "moves": moves,
            "scores": list(scores),
            "words": [None if s is None else column_in_words(position, s) for s in scores],
            "done": done,
            "problem": problem,
        }


def _if(is_wanted: IsWanted, step: Callable[[], object]) -> None:
    if is_wanted():
        step()


def _board_traits(start: Position) -> dict[str, Any]:
    """Return what the page is told of the position that a board begins from."""
    geometry = start.geometry
    rows = "/".join("".join(row) for row in to_characters(start))
    return {
        "size": f"{geometry.columns}x{geometry.rows}",
        "connect": geometry.connect,
        "start": rows if start.ply else "",
    }
