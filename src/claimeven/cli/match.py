"""`claimeven match`: many games of two agents."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TextIO

import click

from claimeven.agents import InvalidSpec, Isolation, Limit
from claimeven.arena import MatchPlan, MatchResult, Opening, PlayedGame, play_games
from claimeven.arena.api import BALANCED_PLIES, make_schedule
from claimeven.arena.tournaments.stored_match import play_kept
from claimeven.cli.common.executor_options import players_options
from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.move_inputs import position_option, read_one
from claimeven.cli.common.openings import OPENINGS_HELP, refuse_plies_of_file
from claimeven.cli.common.options import (
    command_line,
    geometry_options,
    isolation_options,
    json_option,
    keeping_options,
    page_option,
    seed_option,
    tell_unbounded,
    time_control_options,
)
from claimeven.cli.common.output import board_text, text_width
from claimeven.cli.common.progress import say_interrupted, say_when_compiling, status_line
from claimeven.cli.common.report_output import check_page, write_after
from claimeven.cli.common.streams import clean_stdout
from claimeven.cli.main import INTERRUPTED, complain
from claimeven.cli.parts.match_report import forfeit_line, game_lines, match_lines
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.parallel.jobs import Executor


@click.command("match")
@click.argument("first_agent", metavar="A")
@click.argument("second_agent", metavar="B")
@click.option("--games", default=100, show_default=True, help="Games to play.")
@seed_option
@players_options(alone=True)
@position_option
@click.option("--openings", "source", default="random", show_default=True, help=OPENINGS_HELP)
@click.option(
    "--opening-plies",
    type=int,
    show_default=f"0; balanced: {BALANCED_PLIES}",
    help="Plies before each pair of games, the same for both seats.",
)
@click.option(
    "--swap/--no-swap",
    default=True,
    show_default=True,
    help="Swap seats after each game, or let A begin always.",
)
@keeping_options
@page_option
@geometry_options
@time_control_options
@isolation_options
@click.option(
    "--show",
    is_flag=True,
    help="Print opening, moves and final board of every game; with --json a list of the games.",
)
@click.option("--verbose", is_flag=True, help="Show the traceback of an agent that fails.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    first_agent: str,
    second_agent: str,
    games: int,
    seed: int,
    players: Executor | None,
    moves: str,
    source: str,
    opening_plies: int | None,
    swap: bool,
    out: Path | None,
    resume: bool | str,
    page: Path | None,
    geometry: Geometry,
    limit: Limit,
    isolation: Isolation,
    show: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Play A against B and print wins, draws, losses and what a move cost.

    Two games make a pair: the same opening with the seats swapped; with --no-swap A begins every
    game. An agent that fails, whatever
    it does, loses that game and the match goes on; so does one that takes a quarter of a second
    longer for a move than --seconds and what is left of --bank. A limit that an agent does not
    know is refused: give it to the other one in its spec, as in alphabeta:depth=3. Ctrl-C prints
    what has been played so far. With --out games are kept in a file as they end; --resume plays
    the rest, and with more --games it adds to them.

    \b
    Examples:
      claimeven match alphabeta:depth=3,eval=sequences random --games 500
      claimeven match alphabeta negamax --seconds 0.05 --opening-plies 4
      claimeven match my_agent.py:agent greedy --jobs 2 --json
      claimeven match kaggle:main.py uct --seconds 2 --bank 60 --memory 1024
      claimeven match alphabeta random --games 1 --show
      claimeven match my_agent.py random --games 2 --verbose
      claimeven match uct perfect --games 1000 --opening-plies 4 --out match.db
      claimeven match perfect puct --openings balanced --opening-plies 8
      claimeven match alphabeta uct --games 200 --no-swap
      claimeven match uct perfect --games 1000 --executor ray --address auto
    """
    refuse_plies_of_file(ctx, source)
    if page is not None:
        if out is None:
            raise ClaimevenError("--report is written on the games of a file: name it with --out")
        check_page(page, out)
    tell_unbounded((first_agent, second_agent), isolation)
    record = read_one(moves, geometry)
    start, geometry = record.position, record.geometry
    opening = Opening(Position(geometry), record.columns)
    assert opening.position == start
    plan = MatchPlan(
        (first_agent, second_agent),
        make_schedule(games, seed, opening, source, opening_plies, swap),
        limit,
        isolation,
    )
    say_when_compiling()
    with clean_stdout() as stdout:
        with closing(_games(ctx, plan, players, out, resume)) as played:
            result, ended = _play(plan, played, stdout if show and not as_json else None, verbose)
        if as_json:
            told = result.as_dict()
            if show:
                told["played"] = [played.as_dict() for played in result.games]
            write_json(told, stdout)
        else:
            stdout.writelines(line + "\n" for line in match_lines(result, text_width(stdout)))
        if page is not None and out is not None and ended is None:
            stdout.flush()
            write_after(out, page, out)
    if isinstance(ended, KeyboardInterrupt):
        say_interrupted(f"{len(result.games)} of {games} games", out)
        ctx.exit(INTERRUPTED)
    if ended is not None:
        ctx.exit(complain(str(ended)))


def _games(
    ctx: click.Context,
    plan: MatchPlan,
    players: Executor | None,
    out: Path | None,
    resume: bool | str,
) -> Generator[PlayedGame, None, None]:
    """Return the games as they are played, kept in a file if one is named."""

    def tell(text: str) -> None:
        print(text, file=sys.stderr)

    if out is None:
        return play_games(plan, tell=tell, executor=players)
    meta = {"command": command_line(ctx)}
    return play_kept(plan, out, resume, tell=tell, meta=meta, executor=players)


def _play(
    plan: MatchPlan, games: Iterator[PlayedGame], out: TextIO | None, verbose: bool
) -> tuple[MatchResult, BaseException | None]:
    """Play the games; return the result so far and what ended the match early, if anything."""
    played: list[PlayedGame] = []
    ended: BaseException | None = None
    failed: set[tuple[int, str]] = set()
    begin = time.perf_counter()
    try:
        first = next(games, None)  # a spec that is wrong is told before any result
    except KeyboardInterrupt as error:
        first, ended = None, error
    except InvalidSpec as error:
        _tell_traceback(error.traceback, verbose)
        raise
    if first is not None:
        with status_line() as line:
            try:
                for game in chain([first], games):
                    played.append(game)
                    line.count(len(played), plan.schedule.games, "games")
                    if out is not None:
                        _print_game(game, plan, out)
                    _tell_failure(game, plan, verbose, failed)
            except (KeyboardInterrupt, ClaimevenError) as error:
                ended = error
    return MatchResult(plan, tuple(played), time.perf_counter() - begin), ended


def _print_game(played: PlayedGame, plan: MatchPlan, out: TextIO) -> None:
    out.writelines(line + "\n" for line in game_lines(played, plan.names))
    out.write(board_text(played.game.final, out) + "\n")
    forfeit = forfeit_line(played, plan.names)
    if forfeit is not None:
        out.write(forfeit + "\n")
    out.write("\n")


def _tell_failure(
    played: PlayedGame, plan: MatchPlan, verbose: bool, failed: set[tuple[int, str]]
) -> None:
    """Show the traceback of a forfeit with --verbose, once for each agent and reason."""
    forfeit = played.game.forfeit
    if forfeit is None:
        return
    failure = (forfeit.seat ^ played.first, forfeit.reason)
    if verbose and failure not in failed:
        failed.add(failure)
        print(f"game {played.number + 1}: {forfeit_line(played, plan.names)}", file=sys.stderr)
        _tell_traceback(forfeit.traceback, verbose)


def _tell_traceback(traceback: str, verbose: bool) -> None:
    if verbose and traceback:
        print(traceback.rstrip(), file=sys.stderr)
