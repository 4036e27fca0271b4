"""`claimeven sprt`: a sequential test of which of two agents is stronger."""

from __future__ import annotations

import time

import click

from claimeven.arena import results
from claimeven.arena.api import resume_test, sprt_plan
from claimeven.arena.games.game import Game
from claimeven.arena.options import SprtOptions
from claimeven.arena.tournaments.results import SequentialResult
from claimeven.arena.tournaments.run import run, store_of
from claimeven.arena.tournaments.standings import Standings
from claimeven.cli.common.experiments import ExperimentCommand, write_run_file
from claimeven.cli.common.games import more_openings, play_with_progress, reject_opening_plies
from claimeven.cli.common.options import AGENT, json_option, option_group, warn_unbounded
from claimeven.cli.common.output import write_result
from claimeven.cli.common.progress import announce_compilation, count_text, exit_interrupted, notify
from claimeven.cli.common.streams import clean_stdout
from claimeven.parallel.executors import usable_cores
from claimeven.ratings.sprt import SprtVerdict


@click.command("sprt", cls=ExperimentCommand)
@click.argument("first_agent", metavar="A", type=AGENT)
@click.argument("second_agent", metavar="B", type=AGENT)
@option_group(SprtOptions, "options")
@json_option
@click.pass_context
def command(
    ctx: click.Context, first_agent: str, second_agent: str, options: SprtOptions, as_json: bool
) -> None:
    """Play A against B until a test decides whether A leads by elo1 or by elo0.

    Two games make a pair: the same opening with the seats swapped. After each pair the test
    computes how much likelier all pairs are under elo1 than under elo0, and stops when the ratio is
    decisive. Agents far apart need few games, agents between the hypotheses need many. An agent
    that fails loses that game. After Ctrl-C, --resume continues with the file of --out.

    \b
    Examples:
      claimeven sprt alphabeta:depth=4 alphabeta:depth=3 --elo1 50
      claimeven sprt my_agent.py old_agent.py --seconds 0.1 --out test.db
      claimeven sprt my_agent.py old_agent.py --seconds 0.1 --out test.db --resume
      claimeven sprt uct:c=0.7 uct --iterations 500 --model logistic --json
      claimeven sprt uct:c=0.7 uct --executor ray --address auto --out test.db
    """
    source = str(options.openings)
    reject_opening_plies(ctx, source)
    warn_unbounded((first_agent, second_agent), options.sandbox)
    test = options.test
    announce_compilation()
    plan = sprt_plan(first_agent, second_agent, options)
    begin = time.monotonic()
    with clean_stdout() as stdout:
        with store_of(plan, options.out, options.resume, of_test=True) as store:
            state, resumed = resume_test(plan, test, store), len(store)
            low, high = test.bounds
            write_run_file(options.out)

            def note(game: Game) -> bool:
                return state.add_game(game.number, game.points(0)) is not SprtVerdict.UNDECIDED

            def progress(done: int) -> str:
                spent = time.monotonic() - begin
                return (
                    f"ratio {state.ratio:+z.2f} ({low:+.2f} to {high:+.2f}),"
                    f" {count_text(done // 2, plan.games // 2, 'pairs', spent, resumed // 2)}"
                )

            ended = None
            if state.verdict is SprtVerdict.UNDECIDED:
                games = run(plan, options.workers(usable_cores(), notify), store, notify)
                ended = play_with_progress(games, plan.games, resumed, note, progress)
            standings = Standings.of_store(store)
        result = SequentialResult(plan, test, standings, time.monotonic() - begin)
        cure = more_openings(source, options.opening_plies, plan.openings)
        write_result(as_json, result.as_dict(), results.sequential(result, cure), stdout)
    if ended is not None:
        exit_interrupted(f"{len(standings.games)} games", options.out)
