"""`claimeven play`: games on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TextIO

import click
import numpy as np

from claimeven.agents import Agent, Decision, Limit, make_agent, make_agents
from claimeven.agents.families.baselines import HumanAgent
from claimeven.agents.registry import check_limit
from claimeven.arena.games.plan import setting_of
from claimeven.arena.games.safe_call import begin_game, timed_decision
from claimeven.cli.common.decision_report import (
    LEVELS,
    TREE_DEPTH,
    TREE_NODES,
    choice_line,
    decision_lines,
    legend_lines,
    naming_agent,
    trace_lines,
    tree_lines,
)
from claimeven.cli.common.move_inputs import position_option, read_one
from claimeven.cli.common.options import AGENT, WordChoice, geometry_options, limit_options
from claimeven.cli.common.output import text_width
from claimeven.cli.common.progress import announce_compilation
from claimeven.cli.common.prompt import HELP, HINT, NEW, QUIT, REDO, UNDO, Prompt
from claimeven.cli.common.streams import clean_stdout, one_line, write_json
from claimeven.cli.main import INTERRUPTED
from claimeven.game.errors import ClaimevenError
from claimeven.game.game_line import GameLine
from claimeven.game.geometry import Geometry
from claimeven.game.notation import column_choices, column_name
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position
from claimeven.game.validation import seed_number

HUMAN = "human"
#: The default opponent: of medium strength, with different games.
OPPONENT = "uct:iterations=100"
#: The opponent at a level from 0 to 10, and the maximum time of its moves.
LEVEL_AGENT, LEVEL_SECONDS = "perfect:pick=random,level={}", 10.0
#: Maximum time of a hint by the default agent.
HINT_SECONDS = 5.0
#: Upper bound of drawn seeds: short enough to type.
MAX_DRAWN_SEED = 1_000_000
_MEANINGS = {
    "": "drop a disc in that column",
    UNDO: "take your last move back",
    REDO: "play it again",
    HINT: "the best column",
    NEW: "another game, seats swapped",
    QUIT: "leave",
    HELP: "this help",
}


@click.command("play")
@click.option(
    "--first",
    "first_spec",
    metavar="SPEC",
    type=AGENT,
    help="Yellow, who moves first.  [default: you]",
)
@click.option(
    "--second", "second_spec", metavar="SPEC", type=AGENT, help=f"Red.  [default: {OPPONENT}]"
)
@click.option(
    "--level",
    type=click.IntRange(0, 10),
    help="Play against `perfect` at this level: 10 never errs, 0 is nearly random.",
)
@position_option
@click.option(
    "--thinking",
    type=WordChoice(*LEVELS),
    default="mute",
    help="Show what agents think: low for column values, high for every step too.",
)
@click.option(
    "--hint", metavar="SPEC", type=AGENT, help="Agent for hints.  [default: perfect, or uct]"
)
@click.option("--seed", type=int, help="Seed of the agents.  [default: drawn]")
@geometry_options
@limit_options
@click.option("--json", "as_json", is_flag=True, help="Print each game as a JSON object.")
@click.pass_context
def command(
    ctx: click.Context,
    first_spec: str | None,
    second_spec: str | None,
    level: int | None,
    moves: str,
    thinking: str,
    hint: str | None,
    seed: int | None,
    geometry: Geometry,
    limit: Limit,
    as_json: bool,
) -> None:
    """Play on the terminal against an agent or a person, or watch two agents.

    At your turn type a column, or a word: undo takes your move back, redo plays it again, hint
    shows the result of each column, new starts a new game with the seats swapped, quit leaves, help
    lists the words. Ctrl-D and Ctrl-C leave too. Moves are printed from the empty board.

    The default opponent looks a few moves ahead and sometimes errs. Its games differ: --seed with
    the printed number repeats one.

    \b
    Examples:
      claimeven play
      claimeven play --level 3
      claimeven play --first alphabeta:depth=6 --second human --thinking low
      claimeven play --first alphabeta --second random --thinking high --depth 2
      claimeven play --columns 5 --rows 4 --connect 3 --second negamax:depth=full
    """
    given = read_one(moves, geometry)
    start, geometry = given.position, given.geometry
    if start.is_over:
        raise ClaimevenError(f"the game is over in the start position: {start.outcome}")
    if level is not None and limit.seconds is None:
        limit = limit.min_with(Limit(seconds=LEVEL_SECONDS))
    is_random_seed, drawn = seed is None, np.random.default_rng().integers(MAX_DRAWN_SEED)
    seed = int(drawn) if seed is None else seed_number(seed)
    specs = _seats(first_spec, second_spec, level)
    announce_compilation()
    with clean_stdout() as out:
        # With --json the conversation goes to stderr: stdout has only the objects.
        talk = sys.stderr if as_json else out
        first, second, *helpers = make_agents([*specs, *([] if hint is None else [hint])], geometry)
        for agent in (first, second):
            check_limit(agent, limit)

        def helper() -> Agent:
            default = "perfect" if geometry.fits_word else "uct:seconds=1"
            return helpers[0] if helpers else make_agent(default, geometry)

        hint_limit = Limit() if helpers else Limit(seconds=HINT_SECONDS)
        session = GameSession(
            (first, second), Position(geometry), given.columns, limit, seed,
            thinking, helper, hint_limit, talk,
        )  # fmt: skip
        if is_random_seed and not {*specs} <= {HUMAN}:
            names = [one_line(spec) for spec in specs]
            talk.write(f"{names[0]} plays Yellow, {names[1]} Red; repeat with --seed {seed}\n")
        was_interrupted = False
        try:
            session.run()
        except KeyboardInterrupt:
            was_interrupted = True
        if as_json:
            for record in session.records:
                write_json({**setting_of((first, second), geometry, limit), **record}, out)
    if was_interrupted:
        ctx.exit(INTERRUPTED)


def _seats(first: str | None, second: str | None, level: int | None) -> tuple[str, str]:
    if level is None:
        return HUMAN if first is None else first, OPPONENT if second is None else second
    opponent = LEVEL_AGENT.format(level)
    if first is None and second == HUMAN:
        return opponent, HUMAN
    if second is None:
        return HUMAN if first is None else first, opponent
    raise ClaimevenError(f"--level {level} sets the opponent: leave --second {second} out")


@dataclass
class GameSession:
    """Consecutive games of two seats.

    `board` is the empty board and `start` the columns that every game starts with. `helper` makes
    the agent for hints, which gets `hint_limit`. All output goes to `talk`.
    """

    seats: tuple[Agent, Agent]
    board: Position
    start: tuple[int, ...]
    limit: Limit
    seed: int
    thinking: str
    helper: Callable[[], Agent]
    hint_limit: Limit
    talk: TextIO
    records: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.line = GameLine(self.board, self.start)
        #: The fault by which an agent lost the game.
        self.forfeit: str | None = None
        self._helper: Agent | None = None
        self._is_open = False
        self._explained: list[Agent] = []
        self._prompt = Prompt(self.talk, _MEANINGS, self.board.geometry)

    @property
    def position(self) -> Position:
        return self.line.position

    @property
    def is_over(self) -> bool:
        """Whether the game is won, drawn or forfeited."""
        return self.position.is_over or self.forfeit is not None

    def run(self) -> None:
        """Play games until the user leaves; two agents play one game.

        Every game ends with a line of its moves, even after Ctrl-C.
        """
        plays_on = True
        while plays_on:
            try:
                self._begin()
                plays_on = self._play() and self._after()
            except KeyboardInterrupt:
                self._prompt.print()
                raise
            finally:
                self._close()
            self.seats = self.seats[::-1]

    def _begin(self) -> None:
        self.line = GameLine(self.board, self.start)
        self.forfeit = None
        self._is_open = True
        for agent in self.seats:
            with naming_agent(agent):
                begin_game(agent, self.rng)
        self._show_board()

    def _play(self) -> bool:
        """Play until the game is over; return False if the user leaves."""
        while not self.is_over:
            agent = self.seats[self.position.turn]
            if not isinstance(agent, HumanAgent):
                self._agent_turn(agent)
                continue
            typed = self._prompt.ask(f"column {column_choices(self.board.geometry)}, or help: ")
            if typed == QUIT:
                return False
            if typed == NEW:
                return True
            self._obey(typed)
        moves = f"moves {self.line.moves}" if self.line.moves else "no moves"
        self._prompt.print(f"{self._result()}, {moves}")
        return True

    def _after(self) -> bool:
        """Ask for the next step after a game; return whether there is another game."""
        while self.is_over:
            if not any(isinstance(agent, HumanAgent) for agent in self.seats):
                return False
            words = "new or quit" if self.forfeit is not None else "new, undo or quit"
            typed = self._prompt.ask_after(words)
            if typed in (NEW, QUIT):
                return typed == NEW
            if typed == UNDO and self.forfeit is None:
                self._step(UNDO)
            elif typed is not None:
                self._prompt.print(f"the game is over: type {words}.")
            if not self.is_over and not self._play():
                return False
        return True

    def _close(self) -> None:
        """Record the game, and print its moves if it is unfinished."""
        if not self._is_open:
            return
        self._is_open = False
        self.records.append(self._record())
        if not self.is_over and self.line.moves:
            self._prompt.print(f"unfinished game: moves {self.line.moves}")

    def _result(self) -> str:
        if self.forfeit is not None:
            return f"{PLAYER_NAMES[1 - self.position.turn]} wins by forfeit"
        return str(self.position.outcome)

    def _record(self) -> dict[str, Any]:
        outcome, turn, forfeit = self.position.outcome, self.position.turn, None
        winner = None if outcome is None else outcome.winner
        if self.forfeit is not None:
            winner, loser = 1 - turn, self.seats[turn].name
            forfeit = {"player": turn + 1, "agent": loser, "reason": self.forfeit}
        return {
            "agents": [agent.name for agent in self.seats],
            **self.board.geometry.as_dict(),
            "seed": self.seed,
            "position": GameLine(self.board, self.start).moves,
            "moves": self.line.moves,
            "winner": None if winner is None else winner + 1,
            "outcome": self._result() if self.is_over else None,
            "forfeit": forfeit,
        }

    def _agent_turn(self, agent: Agent) -> None:
        position = self.position
        who = f"{PLAYER_NAMES[position.turn]} {agent.name}"
        steps: Iterator[str] = iter(())
        if self.thinking == "high":
            steps = trace_lines(agent, position, self.limit, deepcopy(self.rng))
        try:
            decision = timed_decision(agent, position, self.limit, self.rng)[0]
        except ClaimevenError as fault:
            self._prompt.print_lines(steps)
            self.forfeit = str(fault)
            self._prompt.print(f"{who} forfeits: {fault}")
            return
        self._prompt.print_lines(steps)
        if self.thinking == "mute":
            self._prompt.print(f"{who} {choice_line(decision, position).partition(':')[0]}")
        else:
            self._prompt.print(who)
            width = text_width(self.talk) - 2
            self._prompt.print_lines(decision_lines(decision, position, width), "  ")
            if agent not in self._explained:
                self._prompt.print_lines(legend_lines(decision, width), "  ")
                self._explained.append(agent)
        if self.thinking == "high":
            self._prompt.print_lines(tree_lines(agent, TREE_DEPTH, TREE_NODES), "  ")
        self.line.play(decision.column)
        self._show_board()

    def _obey(self, typed: int | str | None) -> None:
        if typed in (UNDO, REDO):
            self._step(str(typed))
        elif typed == HINT:
            self._give_hint()
        elif isinstance(typed, int):
            try:
                self.line.play(typed)
            except ClaimevenError as error:
                self._prompt.print(f"{error}.")
                return
            self._show_board()

    def _step(self, word: str) -> None:
        """Undo or redo up to the next position in which a person is to move."""
        before = len(self.line.columns)
        while self.line.can_redo if word == REDO else len(self.line.columns) > len(self.start):
            (self.line.redo if word == REDO else self.line.undo)()
            if isinstance(self.seats[self.position.turn], HumanAgent):
                self._show_board()
                return
        if word == REDO and len(self.line.columns) > before:
            self._show_board()  # the last position, in which an agent is to move
            return
        while len(self.line.columns) < before:
            self.line.redo()
        self._prompt.print(f"there is no move to {'play again' if word == REDO else 'take back'}.")

    def _give_hint(self) -> None:
        position = self.position
        try:
            if self._helper is None:
                self._helper = self.helper()
            with naming_agent(self._helper):
                # A separate generator, so that hints do not change the game.
                rng = np.random.default_rng(position.ply)
                decision = timed_decision(self._helper, position, self.hint_limit, rng)[0]
            lines = list(hint_lines(decision, position, self._helper.name))
        except ClaimevenError as fault:
            self._prompt.print(f"{fault}.")
            return
        for text in lines:
            self._prompt.print(text, "  ")

    def _show_board(self) -> None:
        self._prompt.draw(self.position, self.line.last_column)


def hint_lines(decision: Decision, position: Position, helper: str) -> Iterator[str]:
    """Yield a decision as a hint. Moves are counted for the winner."""
    details = decision.details
    name = column_name(decision.column, position.geometry)
    scores = details.get("values") if details.get("values_are") == "score" else None
    if scores is not None and decision.score is not None and scores[decision.column] is not None:
        yield from _exact_lines(decision.column, scores, position)
        return
    worth = "" if decision.value is None else f", at {decision.value:+.2f} (-1 lost, +1 won)"
    yield f"{helper} would play column {name}{worth}"
    if scores is not None:
        yield "the time was too short to solve all columns"


def _exact_lines(best: int, scores: Sequence[int | None], position: Position) -> Iterator[str]:
    best_score = scores[best]
    assert best_score is not None
    name = column_name(best, position.geometry)
    if best_score < 0:
        yield f"every column loses; column {name} loses latest: {_when(best_score, position)}"
    else:
        yield f"column {name} {_verdict(best_score, position)}"
    known = [(score, c) for c, score in enumerate(scores) if score is not None and c != best]
    others = [
        f"{column_name(column, position.geometry)} {_verdict(score, position)}"
        for score, column in sorted(known, key=lambda pair: (-pair[0], pair[1]))
    ]
    if others:
        yield "others: " + ", ".join(others)


def _verdict(score: int, position: Position) -> str:
    if score == 0:
        return "draws"
    return f"{'wins' if score > 0 else 'loses'} {_when(score, position)}"


def _when(score: int, position: Position) -> str:
    from claimeven.solver import plies_to_end  # noqa: PLC0415 - for a quick start

    moves = (plies_to_end(position, score) + 1) // 2
    return f"in {moves} move{'s' * (moves != 1)}"
