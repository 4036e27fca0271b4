"""`claimeven sprt`: two agents, until it is clear whether one is stronger by so much."""

from __future__ import annotations

import time
from collections.abc import Iterator

import click

from claimeven.arena.api import begun_test, sprt_plan
from claimeven.arena.games.game import Game
from claimeven.arena.options import SprtOptions
from claimeven.arena.tournaments.results import SequentialResult
from claimeven.arena.tournaments.run import players_of, run, store_of
from claimeven.arena.tournaments.standings import Standings
from claimeven.cli.common.executor_options import play_shown
from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.openings import more_openings, refuse_plies_of_file
from claimeven.cli.common.options import json_option, option_group, tell_unbounded
from claimeven.cli.common.output import fitted, remark_lines, table_width
from claimeven.cli.common.progress import count_text, say, say_interrupted, say_when_compiling
from claimeven.cli.common.streams import clean_stdout, printable
from claimeven.cli.main import INTERRUPTED
from claimeven.parallel.cores import usable_cores
from claimeven.ratings.pentanomial import PairCounts
from claimeven.ratings.sprt import Verdict


@click.command("sprt")
@click.argument("first_agent", metavar="A")
@click.argument("second_agent", metavar="B")
@option_group(SprtOptions, "options")
@json_option
@click.pass_context
def command(
    ctx: click.Context, first_agent: str, second_agent: str, options: SprtOptions, as_json: bool
) -> None:
    """Play A against B until it is clear whether A leads by elo1 rather than by elo0.

    Two games make a pair: the same opening with the seats swapped. After each pair the test asks
    how much likelier all pairs are if A leads by elo1 than if it leads by elo0, and stops when the
    ratio says so. Agents far apart need few games, agents as close as the two hypotheses many. An
    agent that fails loses that game. After Ctrl-C, --resume goes on with the file of --out.

    \b
    Examples:
      claimeven sprt alphabeta:depth=4 alphabeta:depth=3 --elo1 50
      claimeven sprt my_agent.py old_agent.py --seconds 0.1 --out test.db
      claimeven sprt my_agent.py old_agent.py --seconds 0.1 --out test.db --resume
      claimeven sprt uct:c=0.7 uct --iterations 500 --model logistic --json
      claimeven sprt uct:c=0.7 uct --executor ray --address auto --out test.db
    """
    source = str(options.openings)
    refuse_plies_of_file(ctx, source)
    tell_unbounded((first_agent, second_agent), options.isolation)
    test = options.test
    say_when_compiling()
    plan = sprt_plan(first_agent, second_agent, options)
    begin = time.monotonic()
    with clean_stdout() as stdout:
        with store_of(plan, options.out, options.resume, of_test=True) as store:
            sofar, resumed = begun_test(plan, test, store), len(store)
            low, high = test.bounds

            def note(game: Game) -> bool:
                return sofar.add_game(game.number, game.points(0)) is not Verdict.UNDECIDED

            def progress(done: int) -> str:
                spent = time.monotonic() - begin
                return (
                    f"ratio {sofar.ratio:+z.2f} ({low:+.2f} to {high:+.2f}),"
                    f" {count_text(done // 2, plan.games // 2, 'pairs', spent, resumed // 2)}"
                )

            ended = None
            if sofar.verdict is Verdict.UNDECIDED:
                games = run(plan, players_of(options, usable_cores(), say), store, say)
                ended = play_shown(games, plan.games, resumed, note, progress)
            standings = Standings.of_store(store)
        result = SequentialResult(plan, test, standings, time.monotonic() - begin)
        if as_json:
            write_json(result.as_dict(), stdout)
        else:
            more = more_openings(source, options.opening_plies, plan.openings)
            stdout.writelines(line + "\n" for line in report_lines(result, table_width(), more))
    if ended is not None:
        say_interrupted(f"{len(standings.games)} games", options.out)
        ctx.exit(INTERRUPTED)


def report_lines(result: SequentialResult, width: int, more: str) -> Iterator[str]:
    """Yield what a test came to in lines of at most `width` characters.

    `more` says what would bring more openings.
    """
    for text in (*_headline(result), "", *_figures(result), *_remarks(result, more)):
        yield from fitted(text, width).split("\n")


def _headline(result: SequentialResult) -> Iterator[str]:
    test, run = result.test, result.run
    for letter, name in zip("AB", result.plan.names, strict=True):
        yield f"{letter} is {printable(name)}"
    claim = {
        Verdict.ELO0: f"elo0 accepted: a lead of {test.elo0:g} Elo fits better than one of"
        f" {test.elo1:g} (risk {test.beta:.2g})",
        Verdict.ELO1: f"elo1 accepted: a lead of {test.elo1:g} Elo fits better than one of"
        f" {test.elo0:g} (risk {test.alpha:.2g})",
        Verdict.UNDECIDED: f"undecided: {run.counts.pairs} pairs do not tell a lead of"
        f" {test.elo1:g} Elo from one of {test.elo0:g}",
    }
    yield claim[result.verdict]


def _figures(result: SequentialResult) -> Iterator[str]:
    test, run = result.test, result.run
    counts, played = run.counts, len(result.standings.games)
    low, high = test.bounds
    yield f"log ratio        {run.ratio:+z.2f}: elo0 at {low:+.2f}, elo1 at {high:+.2f}"
    yield f"kind of Elo      {test.model}, on {result.plan.geometry}, seed {result.plan.seed}"
    beyond = played - 2 * counts.pairs
    more = f" ({beyond} more played, not counted)" if beyond else ""
    yield f"games            {2 * counts.pairs} in {result.seconds:.1f} s{more}"
    yield f"pairs of A       {_pair_words(counts)}"
    for name, value, interval, style in (
        ("score of A", counts.share, counts.share_interval, ".1%"),
        ("Elo", counts.elo, counts.elo_interval, "+z.0f"),
        ("normalized Elo", counts.normalized_elo, counts.normalized_elo_interval, "+z.0f"),
    ):
        told = f"{interval[0]:{style}} to {interval[1]:{style}}"
        yield f"{name:<16} {value:{style}} (95 % interval {told})"
    yield f"{'A is stronger':<16} with likelihood {counts.superiority:.1%}"


def _pair_words(counts: PairCounts) -> str:
    names = ("lost", "lost and drawn", "split", "won and drawn", "won")
    return ", ".join(f"{count} {name}" for count, name in zip(counts.counts, names, strict=True))


def _remarks(result: SequentialResult, more: str) -> Iterator[str]:
    """Yield what casts doubt on the figures: repeated games, forfeits."""
    standings = result.counted
    played = len(standings.games)
    if played and 2 * standings.unique_games < played:
        yield ""
        yield (
            f"only {standings.unique_games} of {played} games differ: games played again are no new"
            f" evidence, so do not trust the risks. More openings tell more: {more}"
        )
    yield from remark_lines(result.standings.remarks, table_width())
    for letter, agent in zip("AB", standings.agents, strict=True):
        for kind, count in standings.records[agent.id].forfeits.most_common():
            yield f"forfeits of {letter}: {count} x {kind}"
