"""`claimeven play`: games on the terminal."""

from __future__ import annotations

import sys

import click
import numpy as np

from claimeven.agents import Agent, Limit, make_agent, make_agents
from claimeven.agents.registry import check_limit
from claimeven.arena.games.plan import setting_of
from claimeven.cli.common.decision_report import LEVELS
from claimeven.cli.common.move_inputs import position_option, read_one
from claimeven.cli.common.options import AGENT, WordChoice, geometry_options, limit_options
from claimeven.cli.common.progress import announce_compilation
from claimeven.cli.common.streams import clean_stdout, one_line, write_json
from claimeven.cli.main import INTERRUPTED
from claimeven.cli.terminal.game_session import GameSession
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
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
    is_random_seed = seed is None
    seed = (
        int(np.random.SeedSequence().generate_state(1)[0]) % MAX_DRAWN_SEED
        if seed is None
        else seed
    )
    seed_number(seed)
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
