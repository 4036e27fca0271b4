"""`claimeven play`: a game on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

import click
import numpy as np

from claimeven.agents import Agent, Limit, make_agents
from claimeven.agents.human import HumanAgent
from claimeven.arena.game import begin_game, checked_decision
from claimeven.cli.boards import board_text
from claimeven.cli.json_lines import write_json
from claimeven.cli.options import WordChoice, check_seed, geometry_options, limit_options
from claimeven.cli.progress import say_when_compiling
from claimeven.cli.streams import clean_stdout
from claimeven.cli.thinking import (
    LEVELS,
    TREE_DEPTH,
    TREE_NODES,
    blaming,
    choice_line,
    decision_lines,
    trace_lines,
)
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.line import Line
from claimeven.game.notation import column_choices, column_name, parse_column
from claimeven.game.position import PLAYER_NAMES, Position

HELP = """\
  {choices}   play that column
  u        take your last move back       r  play it again
  h        a hint                         q  quit
  ?        this help"""


@dataclass
class Session:
    """A game in progress: the two seats, the line of play, and where to talk."""

    seats: tuple[Agent, Agent]
    line: Line
    limit: Limit
    rng: np.random.Generator
    thinking: str
    helper: Agent
    out: TextIO
    forfeit: str | None = None
    quit: bool = False

    @property
    def position(self) -> Position:
        """The position now."""
        return self.line.position

    def say(self, text: str = "") -> None:
        """Write a line."""
        self.out.write(text + "\n")
        self.out.flush()

    def show_board(self) -> None:
        """Draw the position with the last move marked."""
        self.say()
        self.say(board_text(self.position, self.out, self.line.last_column))

    def run(self) -> None:
        """Play until the game ends or the player leaves."""
        self.show_board()
        while not self.position.is_over and not self.quit and self.forfeit is None:
            agent = self.seats[self.position.turn]
            if isinstance(agent, HumanAgent):
                self._human_turn()
            else:
                self._agent_turn(agent)

    def _agent_turn(self, agent: Agent) -> None:
        position = self.position
        who = f"{PLAYER_NAMES[position.turn]} {agent.name}"
        if self.thinking == "high":
            for text in trace_lines(agent, position, self.limit, self._spare_rng()):
                self.say(text)
        try:
            decision = checked_decision(agent, position, self.limit, self.rng)
        except ClaimevenError as fault:
            self.forfeit = f"{who} forfeits: {fault}"
            self.say(self.forfeit)
            return
        if self.thinking == "mute":
            self.say(f"{who} {choice_line(decision, position).partition(',')[0]}")
        else:
            self.say(who)
            for text in decision_lines(decision, position):
                self.say(f"  {text}")
        view = agent.tree(TREE_DEPTH, TREE_NODES) if self.thinking == "high" else None
        for text in view.text.splitlines() if view is not None else ():
            self.say(f"  {text}")
        self.line.play(decision.column)
        self.show_board()

    def _human_turn(self) -> None:
        position = self.position
        choices = column_choices(position.geometry)
        self.out.write(f"column {choices}, or ?: ")
        self.out.flush()
        text = sys.stdin.readline()
        if not sys.stdin.isatty():
            self.say()
        command = text.strip().lower()
        if not text or (command == "q" and not self._names_column(command)):
            self.quit = True
        elif command == "?":
            self.say(HELP.format(choices=choices))
        elif command in ("u", "r"):
            self._step_back_or_forth(command)
        elif command == "h" and not self._names_column(command):
            self._give_hint()
        elif command:
            try:
                self.line.play(parse_column(command, position.geometry))
            except ClaimevenError as error:
                self.say(f"{error}.")
                return
            self.show_board()

    def _names_column(self, command: str) -> bool:
        """Whether a letter is a column here: on boards of more than nine columns `h` may be."""
        geometry = self.position.geometry
        return any(command == column_name(c, geometry) for c in range(geometry.columns))

    def _step_back_or_forth(self, command: str) -> None:
        """Undo or redo up to the last position in which a person was to move."""
        step = self.line.undo if command == "u" else self.line.redo
        before = self.line.columns
        try:
            step()
            while not isinstance(self.seats[self.position.turn], HumanAgent):
                step()
        except ClaimevenError as error:
            if self.line.columns == before or command == "u":
                self._restore(len(before))
                self.say(f"{error}.")
                return
        self.show_board()

    def _restore(self, length: int) -> None:
        while len(self.line.columns) < length:
            self.line.redo()

    def _give_hint(self) -> None:
        try:
            with blaming(self.helper):
                decision = checked_decision(self.helper, self.position, Limit(), self._spare_rng())
        except ClaimevenError as fault:
            self.say(f"{fault}.")
            return
        for text in decision_lines(decision, self.position):
            self.say(f"  {text}")

    def _spare_rng(self) -> np.random.Generator:
        """Return a generator for side questions, so that asking does not change the game."""
        return np.random.default_rng(self.position.ply)


def _usual_helper(geometry: Geometry) -> str:
    """Spec of the agent for hints: exact where the solver can hold the board."""
    return "perfect" if geometry.fits_word else "uct:seconds=1"


@click.command("play")
@click.option("--first", "first_spec", default="human", show_default=True, help="Moves first.")
@click.option("--second", "second_spec", default="alphabeta", show_default=True, help="Second.")
@click.option("--position", "moves", default="", help="Start after these moves, such as 4455.")
@click.option(
    "--thinking",
    type=WordChoice(*LEVELS),
    default="mute",
    show_default=True,
    help="What the agents tell: low column values and counters, high the trace too.",
)
@click.option(
    "--hint", metavar="SPEC", help="Agent for hints: by default perfect, or uct on larger boards."
)
@click.option("--seed", default=0, show_default=True, help="Seed of the agents' randomness.")
@geometry_options
@limit_options
@click.option("--json", "as_json", is_flag=True, help="Print the game as JSON at the end.")
def command(
    first_spec: str,
    second_spec: str,
    moves: str,
    thinking: str,
    hint: str | None,
    seed: int,
    geometry: Geometry,
    limit: Limit,
    as_json: bool,
) -> None:
    """Play on the terminal against an agent, another person, or watch two agents.

    At your turn type a column, u to take back, r to play again what was taken back, h for a
    hint, q to quit, ? for help.

    \b
    Examples:
      claimeven play
      claimeven play --first alphabeta:depth=6 --second human --thinking low
      claimeven play --first alphabeta --second random --thinking high --depth 2
      claimeven play --columns 5 --rows 4 --connect 3 --second negamax:depth=full
    """
    start = Position.from_moves(moves, geometry)
    if start.is_over:
        raise ClaimevenError(f"the game is over in the start position: {start.outcome}")
    check_seed(seed)
    say_when_compiling()
    with clean_stdout() as out:
        specs = (first_spec, second_spec, hint or _usual_helper(geometry))
        *players, helper = make_agents(specs, geometry)
        seats = (players[0], players[1])
        for agent in (*seats, helper):
            with blaming(agent):
                begin_game(agent)
        # With --json the conversation moves to stderr, so that stdout holds the object alone.
        talk = sys.stderr if as_json else out
        session = Session(
            seats, Line(start), limit, np.random.default_rng(seed), thinking, helper, talk
        )
        session.run()
        if as_json:
            write_json(_as_dict(session, moves), out)
        else:
            for text in _farewell(session):
                session.say(text)


def _farewell(session: Session) -> Iterator[str]:
    if session.position.is_over:
        yield f"{session.position.outcome}, moves {session.line.moves}"
    elif session.line.moves:
        yield f"game left after moves {session.line.moves}"


def _as_dict(session: Session, moves: str) -> dict[str, object]:
    outcome, geometry = session.position.outcome, session.position.geometry
    return {
        "agents": [agent.name for agent in session.seats],
        "columns": geometry.columns,
        "rows": geometry.rows,
        "connect": geometry.connect,
        "position": moves,
        "moves": session.line.moves,
        "winner": None if outcome is None or outcome.winner is None else outcome.winner + 1,
        "outcome": None if outcome is None else str(outcome),
        "forfeit": session.forfeit,
    }
