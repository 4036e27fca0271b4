"""`claimeven ladder`: the standing pool from random to perfect, and a new agent's place on it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain

import click

from claimeven.agents import Limit
from claimeven.arena.api import placement_plan
from claimeven.arena.options import LadderOptions
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.results import Meeting, Placement, pool_dict
from claimeven.arena.tournaments.run import players_of, run, store_of
from claimeven.arena.tournaments.standings import Standings
from claimeven.cli.common.executor_options import play_shown
from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import (
    json_option,
    option_group,
    refuse_beside,
    refuse_given,
    tell_unbounded,
)
from claimeven.cli.common.output import fitted, left, remark_lines, table_width, text_size
from claimeven.cli.common.progress import say, say_interrupted, say_when_compiling
from claimeven.cli.common.streams import clean_stdout, printable
from claimeven.cli.main import INTERRUPTED
from claimeven.errors import ClaimevenError
from claimeven.parallel.cores import usable_cores
from claimeven.ratings.ladder import Ladder, Rating

_HEADS = ("elo", "95 % interval", "games", "score")


@click.command("ladder")
@click.argument("agent", metavar="[AGENT]", required=False)
@click.option("--published", is_flag=True, help="Print the ladder of the bundled games; play none.")
@option_group(LadderOptions, "options")
@json_option
@click.pass_context
def command(
    ctx: click.Context, agent: str | None, published: bool, options: LadderOptions, as_json: bool
) -> None:
    """Place AGENT on the ladder of the standing pool, from random to perfect.

    The pool is a dozen agents whose budgets no clock decides; their games come along, so only those
    of AGENT are played: pairs against each of them, from openings where play decides. Without AGENT
    the pool itself is played, some two thousand games. Ratings are in Elo, 0 is an agent of the
    middle; 400 more means ten games won for one lost. The limits are those of AGENT alone. After
    Ctrl-C, --resume goes on with the file of --out.

    \b
    Examples:
      claimeven ladder --published
      claimeven ladder my_agent.py
      claimeven ladder my_agent.py --seconds 1 --out mine.db
      claimeven ladder uct:iterations=300 --rounds 4 --json
      claimeven ladder --out pool.db
      claimeven ladder my_agent.py --executor ray --address auto
    """
    if published:
        refuse_beside(ctx, "--published", ("published", "agent", "as_json"))
        _publish(agent, as_json)
        return
    if agent is None and options.limit != Limit():
        raise ClaimevenError(
            "the agents of the pool have budgets of their own: limits are for AGENT"
        )
    if agent is None:
        why = "{} is for AGENT: the agents of the pool play as they are"
        refuse_given(ctx, ("isolate", "memory", "load_seconds"), why)
    else:
        tell_unbounded((agent,), options.isolation)
    say_when_compiling()
    rounds, begin = options.rounds, time.perf_counter()
    plan = placement_plan(agent, options) if agent else reference_pool.pool_plan(rounds)
    with clean_stdout() as stdout:
        with store_of(plan, options.out, options.resume) as store:
            games = run(plan, players_of(options, usable_cores(), say), store, say)
            ended = play_shown(games, plan.games, len(store))
            standings = Standings.of_store(store)
        spent = time.perf_counter() - begin
        if agent:
            placement = Placement(plan, standings, spent)
            told, lines = placement.as_dict(), placement_lines(placement)
        else:
            told, lines = pool_told(standings, spent), pool_lines(standings)
        if as_json:
            write_json(told, stdout)
        else:
            remarks = remark_lines(standings.remarks, table_width())
            stdout.writelines(text + "\n" for text in chain(_fitted(lines), remarks))
    if ended is not None:
        say_interrupted(f"{len(standings.games)} of {plan.games} games", options.out)
        ctx.exit(INTERRUPTED)


def _publish(agent: str | None, as_json: bool) -> None:
    if agent is not None:
        raise ClaimevenError("--published shows the games that come along: name no agent with it")
    standings = reference_pool.pool_standings()
    with clean_stdout() as stdout:
        if as_json:
            write_json(pool_told(standings, 0.0), stdout)
        else:
            stdout.writelines(text + "\n" for text in _fitted(pool_lines(standings)))


def pool_told(standings: Standings, seconds: float) -> dict[str, object]:
    """Return what games of the pool come to as plain data for JSON."""
    return {
        "pool": pool_dict(),
        "games": len(standings.games),
        "same_games": reference_pool.same_games(standings.games),
        "unique_games": standings.unique_games,
        "ratings": reference_pool.ladder_of(standings).as_dict() if standings.games else None,
        "seconds": seconds,
    }


def pool_lines(standings: Standings) -> Iterator[str]:
    """Yield what games of the pool come to."""
    played, same = len(standings.games), reference_pool.same_games(standings.games)
    digest, games = reference_pool.pool_digest(), _count(played, "game")
    yield f"pool {reference_pool.VERSION}, digest {digest}, {games}"
    if not played:
        return
    yield ""
    yield from _table(reference_pool.ladder_of(standings))
    yield ""
    yield from _scale(reference_pool.ladder_of(standings))
    if same != played:
        other = _count(played - same, "game")
        yield f"{other} not as those that come along: another machine or version"


def placement_lines(placement: Placement) -> Iterator[str]:
    """Yield an agent's place, the ladder around it, and what it made of each agent."""
    name, rating, place = printable(placement.agent.label), placement.rating, placement.place
    if rating is None or place is None:
        yield f"{name} has played no game"
        return
    yield (
        f"{name}: place {place} of {len(placement.ladder.ratings)}, {rating.elo.value:+z.0f} Elo"
        f" (95 % interval {rating.elo.low:+z.0f} to {rating.elo.high:+z.0f})"
    )
    yield ""
    yield from _table(placement.ladder, placement)
    yield ""
    verdicts = [meeting.verdict for meeting in placement.meetings]
    beaten = sum((meeting.record.share or 0) > 0.5 for meeting in placement.meetings)
    yield (
        f"It took more than half the points off {beaten} of {len(verdicts)}; it is stronger than"
        f" {verdicts.count('stronger')} and weaker than {verdicts.count('weaker')}, 95 % sure"
    )
    yield from _scale(placement.ladder)
    for kind, count in placement.standings.records[placement.agent.id].forfeits.most_common():
        yield f"forfeits: {count} x {kind}"
    pool_games = len(reference_pool.pool_standings().games)
    yield (
        f"{_count(len(placement.standings.games), 'game')} in {placement.seconds:.1f} s, rated with"
        f" the {pool_games} of pool {reference_pool.VERSION}, digest {reference_pool.pool_digest()}"
    )


def _table(ladder: Ladder, placement: Placement | None = None) -> Iterator[str]:
    """Yield the ladder; with a placement the new agent's score against each in its last column."""
    heads, rows = [*_HEADS], [_cells(rating) for rating in ladder.ratings]
    names = [printable(rating.agent) for rating in ladder.ratings]
    if placement is not None:
        heads = ["elo", "95 % interval", "its score", "it is"]
        met = {meeting.opponent: _met(meeting) for meeting in placement.meetings}
        rows = [
            [*row[:2], *met.get(rating.agent, ("", ""))]
            for row, rating in zip(rows, ladder.ratings, strict=True)
        ]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    cells = [
        "".join(f"  {cell:>{size}}" for cell, size in zip(row, widths, strict=True))
        for row in (heads, *rows)
    ]
    place = len(str(len(names)))
    room = max(map(text_size, ["agent", *names]))
    # Where a line does not fit, the name stands on one of its own: nothing is cut.
    beside = place + 3 + room + len(cells[0]) <= table_width()
    blank = " " * (place + 3)
    yield f"{blank}{'agent':<{room}}{cells[0]}" if beside else f"{blank}agent"
    if not beside:
        yield cells[0]
    for number, (name, row) in enumerate(zip(names, cells[1:], strict=True), start=1):
        new = placement is not None and placement.place == number
        line = f"{'>' if new else ' '} {number:>{place}} {left(name, room)}" + (
            row if beside else ""
        )
        yield line.rstrip()
        if not beside:
            yield row.rstrip()


def _cells(rating: Rating) -> list[str]:
    elo = rating.elo
    return [
        f"{elo.value:+z.0f}",
        f"{elo.low:+z.0f} to {elo.high:+z.0f}" if elo.low < elo.high else "-",
        f"{rating.games}",
        f"{rating.share:.1%}",
    ]


def _met(meeting: Meeting) -> tuple[str, str]:
    share = meeting.record.share
    return "" if share is None else f"{share:.1%}", meeting.verdict


def _scale(ladder: Ladder) -> Iterator[str]:
    first, draws = ladder.first_player, ladder.draws
    yield (
        f"0 is {ladder.anchor or 'the mean'}; moving first is worth {first.value:+z.0f} Elo"
        f" ({first.low:+z.0f} to {first.high:+z.0f}), equals draw {draws.value:.1%}"
    )


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def _fitted(lines: Iterator[str]) -> Iterator[str]:
    for text in lines:
        yield from fitted(text, table_width()).split("\n")
