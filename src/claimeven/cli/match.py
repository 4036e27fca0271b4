"""`claimeven match`: many games of two agents."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TextIO

import click

from claimeven.agents import Limit
from claimeven.arena import MatchPlan, MatchResult, Opening, PlayedGame, Schedule, play_games
from claimeven.cli.boards import board_text
from claimeven.cli.json_lines import write_json
from claimeven.cli.main import INTERRUPTED, complain
from claimeven.cli.options import geometry_options, json_option, limit_options
from claimeven.cli.progress import counting, say_when_compiling
from claimeven.cli.streams import clean_stdout, table_width
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_moves
from claimeven.game.position import Position


@click.command("match")
@click.argument("first_agent", metavar="A")
@click.argument("second_agent", metavar="B")
@click.option("--games", default=100, show_default=True, help="Games to play; seats alternate.")
@click.option("--seed", default=0, show_default=True, help="Decides everything but the clock.")
@click.option("--jobs", default=1, show_default=True, help="Processes that play games.")
@click.option("--position", "moves", default="", help="Start after these moves, such as 4455.")
@click.option(
    "--opening-plies",
    default=0,
    show_default=True,
    help="Random plies before each pair of games, the same for both seats.",
)
@geometry_options
@limit_options
@click.option("--show", is_flag=True, help="Print the moves and the final board of every game.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    first_agent: str,
    second_agent: str,
    games: int,
    seed: int,
    jobs: int,
    moves: str,
    opening_plies: int,
    geometry: Geometry,
    limit: Limit,
    show: bool,
    as_json: bool,
) -> None:
    """Play A against B and print wins, draws, losses and what a move cost.

    Two games make a pair: the same opening with the seats swapped. An agent that fails loses
    that game and the match goes on. Ctrl-C prints what has been played so far.

    \b
    Examples:
      claimeven match alphabeta:depth=3,eval=sequences random --games 500
      claimeven match alphabeta negamax --seconds 0.05 --opening-plies 4
      claimeven match my_agent.py:agent greedy --jobs 2 --json
      claimeven match alphabeta random --games 1 --show
    """
    Position.from_moves(moves, geometry)
    start = Opening(Position(geometry), tuple(parse_moves(moves, geometry)))
    plan = MatchPlan(
        (first_agent, second_agent),
        Schedule(games, seed, start, opening_plies),
        limit,
    )
    say_when_compiling()
    with clean_stdout() as out:
        result, ended = _play(plan, jobs, out if show else None, as_json)
        if as_json:
            write_json(result.as_dict(), out)
        else:
            _print_result(result, out)
    if isinstance(ended, KeyboardInterrupt):
        print(f"interrupted after {len(result.games)} of {games} games", file=sys.stderr)
        ctx.exit(INTERRUPTED)
    if ended is not None:
        ctx.exit(complain(str(ended)))


def _play(
    plan: MatchPlan, jobs: int, out: TextIO | None, as_json: bool
) -> tuple[MatchResult, BaseException | None]:
    """Play the games; return the result so far and what ended the match early, if anything."""
    played: dict[int, PlayedGame] = {}
    ended: BaseException | None = None
    begin = time.perf_counter()
    games = play_games(plan, jobs)
    try:
        first = next(games, None)  # a spec that is wrong is told before any result
    except KeyboardInterrupt as error:
        first, ended = None, error
    if first is not None:
        with counting(plan.schedule.games, "games") as tick:
            try:
                for game in _chain(first, games):
                    played[game.number] = game
                    tick(len(played))
                    if out is not None and not as_json:
                        _print_game(game, plan, out)
            except (KeyboardInterrupt, ClaimevenError) as error:
                ended = error
    in_order = tuple(played[number] for number in sorted(played))
    return MatchResult(plan, in_order, time.perf_counter() - begin), ended


def _chain(first: PlayedGame, rest: Iterator[PlayedGame]) -> Iterator[PlayedGame]:
    yield first
    yield from rest


def _print_game(played: PlayedGame, plan: MatchPlan, out: TextIO) -> None:
    game = played.game
    seats = plan.names if played.first == 0 else plan.names[::-1]
    out.write(
        f"game {played.number + 1}: first player {seats[0]}, second player {seats[1]}\n"
        f"moves {game.moves}\n{board_text(game.final, out)}\n"
    )
    if game.forfeit is not None:
        out.write(f"{seats[game.forfeit.seat]} forfeits: {game.forfeit.reason}\n")
    out.write("\n")


def _print_result(result: MatchResult, out: TextIO) -> None:
    from rich.console import Console  # noqa: PLC0415 - costs start-up time
    from rich.table import Table  # noqa: PLC0415 - for a quick start
    from rich.text import Text  # noqa: PLC0415 - for a quick start

    console = Console(file=out, width=min(table_width(), 100), highlight=False)
    plan, played = result.plan, len(result.games)
    opening = f", {plan.schedule.opening_plies} random plies" * bool(plan.schedule.opening_plies)
    console.print(
        f"{played} game{'s' * (played != 1)} on {plan.schedule.opening.root.geometry}, seed"
        f" {plan.schedule.seed}{opening}, {result.seconds:.2f} s"
    )
    totals = Table("", title_justify="left", box=None, pad_edge=False, expand=False)
    totals.columns[0].overflow = "fold"
    for heading in ("wins", "draws", "losses", "score", "95 % interval"):
        totals.add_column(heading, justify="right", no_wrap=True)
    low, high = result.interval
    for agent, interval in ((0, (low, high)), (1, (1 - high, 1 - low))):
        totals.add_row(
            Text(plan.names[agent]),
            str(result.wins[agent]),
            str(result.draws),
            str(result.wins[1 - agent]),
            f"{result.scores[agent]:.1%}",
            f"{interval[0]:.1%} to {interval[1]:.1%}",
        )
    console.print(totals)
    console.print()
    costs = Table("mean for one move", box=None, pad_edge=False)
    costs.columns[0].overflow = "fold"
    for heading in ("moves", "seconds", "nodes", "depth", "branching"):
        costs.add_column(heading, justify="right", no_wrap=True)
    for agent in (0, 1):
        measures = result.measures(agent)
        costs.add_row(
            Text(plan.names[agent]),
            str(measures.moves),
            _number(measures.mean("seconds"), ".6f"),
            _number(measures.mean("nodes"), ",.1f"),
            _number(measures.mean("depth"), ".2f"),
            _number(measures.mean("branching"), ".2f"),
        )
    console.print(costs)
    for agent in (0, 1):
        if stored := result.measures(agent).most_stored:
            console.print(f"most nodes stored by {plan.names[agent]}: {stored:,}", markup=False)
    if played:
        console.print(f"\nunique games: {result.unique_games} ({result.unique_games / played:.0%})")
    for agent, reasons in enumerate(result.forfeits):
        for reason, count in reasons.most_common():
            console.print(f"forfeits of {plan.names[agent]}: {count} x {reason}", markup=False)


def _number(amount: float | None, style: str) -> str:
    return "-" if amount is None else format(amount, style)
