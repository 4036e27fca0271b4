"""`claimeven match`: many games between two agents."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import click

from claimeven.agents import InvalidSpec
from claimeven.arena import results
from claimeven.arena.api import match_plan, match_store
from claimeven.arena.games.game import Forfeit, Game
from claimeven.arena.games.openings import Opening
from claimeven.arena.options import MatchOptions
from claimeven.arena.store.query import result_in_words
from claimeven.arena.tournaments.results import MatchResult, game_of_match
from claimeven.arena.tournaments.run import in_order, numbers_of, run
from claimeven.cli.common import games, progress
from claimeven.cli.common.experiments import ExperimentCommand, command_line, write_run_file
from claimeven.cli.common.move_inputs import position_option, read_one
from claimeven.cli.common.options import (
    AGENT,
    json_option,
    option_group,
    report_option,
    warn_unbounded,
)
from claimeven.cli.common.output import board_text, write_result
from claimeven.cli.common.streams import clean_stdout, print_error
from claimeven.game.errors import ClaimevenError
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position
from claimeven.review.marks import signed

#: Maximum number of printed lines shown for each agent.
MAX_LINES = 20


@click.command("match", cls=ExperimentCommand)
@click.argument("first_agent", metavar="A", type=AGENT)
@click.argument("second_agent", metavar="B", type=AGENT)
@option_group(MatchOptions, "options")
@position_option
@report_option
@click.option("--show", is_flag=True, help="Also print every game.")
@click.option("--verbose", is_flag=True, help="Show the traceback of an agent that fails.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    first_agent: str,
    second_agent: str,
    options: MatchOptions,
    moves: str,
    report: Path | None,
    show: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Play A against B; print wins, draws, losses and the cost of a move.

    Two games make a pair: the same opening with the seats swapped; with --no-swap A starts every
    game. An agent that fails loses that game. It also loses if a move takes a quarter of a second
    longer than --seconds and the rest of --time-bank. Limits that one agent does not support are
    rejected: set them in the spec of the other, such as alphabeta:depth=3. Ctrl-C prints the result
    so far. With --out games are stored as they end; --resume plays the rest, and with more --games
    it adds to them.

    \b
    Examples:
      claimeven match alphabeta:depth=3,eval=sequences random --games 500
      claimeven match alphabeta negamax --seconds 0.05 --opening-plies 4
      claimeven match my_agent.py:agent greedy --jobs 2 --json
      claimeven match kaggle:main.py uct --seconds 2 --time-bank 60
      claimeven match my_agent.py random --games 2 --verbose
      claimeven match my_agent.py:Player,depth=4@seconds=2 uct@iterations=500
      claimeven match uct perfect --games 1000 --opening-plies 4 --out match.db
      claimeven match alphabeta uct --games 200 --no-swap
      claimeven match uct perfect --games 1000 --executor ray --address auto
    """
    games.reject_opening_plies(ctx, str(options.openings))
    out = options.out
    if report is not None:
        if out is None:
            raise ClaimevenError("--report needs a file of games: name it with --out")
        games.check_page(report, Path(out))
    record = read_one(moves, options.geometry)
    start = Opening(Position(record.geometry), record.columns)
    plan = match_plan(first_agent, second_agent, replace(options, start=start))
    plan = replace(plan, sandbox=replace(plan.sandbox, max_lines=MAX_LINES))
    warn_unbounded((first_agent, second_agent), plan.sandbox)
    progress.announce_compilation()
    played: list[Game] = []
    failed: set[tuple[int, str]] = set()
    begin = time.perf_counter()
    with clean_stdout() as stdout:

        def note(game: Game) -> None:
            played.append(game)
            if show and not as_json:
                _print_game(game, plan.names, stdout)
            if verbose:
                _show_failure(game, plan.names, failed)

        with match_store(plan, options) as store:
            if store is not None:
                store.set_meta("command", command_line(ctx))
                write_run_file(out)
            playing = run(plan, options.workers(1, progress.notify), store, progress.notify)
            try:
                ended = games.play_with_progress(
                    in_order(plan, playing, store), len(numbers_of(plan, store)), on_game=note,
                    returned=(KeyboardInterrupt, ClaimevenError),
                )  # fmt: skip
            except InvalidSpec as error:
                if verbose and error.traceback:
                    print(error.traceback.rstrip(), file=sys.stderr)
                raise
        result = MatchResult(plan, tuple(played), time.perf_counter() - begin)
        shown = {"played": [game_of_match(game) for game in played]} if show and as_json else {}
        write_result(as_json, {**result.as_dict(), **shown}, results.match(result), stdout)
        if report is not None and out is not None and ended is None:
            stdout.flush()
            games.write_page_after(Path(out), report, Path(out))
    if isinstance(ended, KeyboardInterrupt):
        progress.exit_interrupted(f"{len(played)} of {plan.games} games", out)
    if ended is not None:
        ctx.exit(print_error(str(ended)))


def _print_game(game: Game, names: Sequence[str], out: TextIO) -> None:
    first, second = (names[agent] for agent in game.agents)
    out.write(f"game {game.number + 1}: {PLAYER_NAMES[0]} {first}, {PLAYER_NAMES[1]} {second}\n")
    if game.opening:
        out.write(f"opening {game.opening}\n")
    out.write(f"moves {game.all_moves}\n{board_text(game.final, out)}\n")
    if game.forfeit is not None:
        out.write(_forfeit_line(game.forfeit, game, names) + "\n")
    if game.adjudicated is not None:
        out.write(f"{result_in_words(game)}: {signed(game.adjudicated)} for the side to move\n")
    out.write("\n")


def _forfeit_line(forfeit: Forfeit, game: Game, names: Sequence[str]) -> str:
    return f"{names[game.agents[forfeit.seat]]} forfeits: {forfeit.reason}"


def _show_failure(game: Game, names: Sequence[str], failed: set[tuple[int, str]]) -> None:
    """Show the traceback of a forfeit, once for each agent and reason."""
    forfeit = game.forfeit
    if forfeit is None or (game.agents[forfeit.seat], forfeit.reason) in failed:
        return
    failed.add((game.agents[forfeit.seat], forfeit.reason))
    print(f"game {game.number + 1}: {_forfeit_line(forfeit, game, names)}", file=sys.stderr)
    if forfeit.traceback:
        print(forfeit.traceback.rstrip(), file=sys.stderr)
