"""`claimeven ladder`: rate an agent on the ladder from random to perfect."""

from __future__ import annotations

import time

import click

from claimeven.agents import Limit
from claimeven.arena import results
from claimeven.arena.api import placement_plan
from claimeven.arena.options import LadderOptions
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.results import Placement, pool_dict
from claimeven.arena.tournaments.run import run, store_of
from claimeven.arena.tournaments.standings import Standings
from claimeven.cli.common.experiments import ExperimentCommand, write_run_file
from claimeven.cli.common.games import play_with_progress
from claimeven.cli.common.options import (
    AGENT,
    json_option,
    option_group,
    reject_options,
    reject_other_options,
    warn_unbounded,
)
from claimeven.cli.common.output import write_result
from claimeven.cli.common.progress import announce_compilation, exit_interrupted, notify
from claimeven.cli.common.streams import clean_stdout
from claimeven.errors import ClaimevenError
from claimeven.parallel.executors import usable_cores


@click.command("ladder", cls=ExperimentCommand, arguments="agent")
@click.argument("agent", metavar="[AGENT]", required=False, type=AGENT)
@click.option("--published", is_flag=True, help="Print the bundled ladder without playing.")
@option_group(LadderOptions, "options")
@json_option
@click.pass_context
def command(
    ctx: click.Context, agent: str | None, published: bool, options: LadderOptions, as_json: bool
) -> None:
    """Rate AGENT on the ladder of the reference pool, from random to perfect.

    The pool is a dozen agents with fixed budgets. Their games are bundled, so only the games of
    AGENT are played: pairs against each pool agent, from balanced openings. Without AGENT the pool
    itself plays, some two thousand games. Ratings are in Elo; 0 is an agent in the middle, and 400
    more means ten wins for each loss. Limits apply only to AGENT. After Ctrl-C, --resume continues
    with the file of --out.

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
        reject_other_options(ctx, "--published", ("published", "agent", "as_json"))
        if agent is not None:
            raise ClaimevenError("--published shows the bundled games: leave the agent out")
        standings = reference_pool.pool_standings()
        with clean_stdout() as stdout:
            write_result(as_json, pool_data(standings, 0.0), results.pool(standings), stdout)
        return
    if agent is not None:
        warn_unbounded((agent,), options.sandbox)
    elif options.limit != Limit():
        raise ClaimevenError("limits are for AGENT: the agents of the pool have fixed budgets")
    else:
        why = "{} is for AGENT: it does not change the agents of the pool"
        reject_options(ctx, ("isolate", "memory_limit", "load_timeout"), why)
    announce_compilation()
    rounds, begin = options.rounds, time.perf_counter()
    plan = placement_plan(agent, options) if agent else reference_pool.pool_plan(rounds)
    with clean_stdout() as stdout:
        with store_of(plan, options.out, options.resume) as store:
            write_run_file(options.out)
            games = run(plan, options.workers(usable_cores(), notify), store, notify)
            ended = play_with_progress(games, plan.games, len(store))
            standings = Standings.of_store(store)
        spent = time.perf_counter() - begin
        if agent:
            placement = Placement(plan, standings, spent)
            data, sections = placement.as_dict(), results.placement(placement)
        else:
            data, sections = pool_data(standings, spent), results.pool(standings)
        write_result(as_json, data, [*sections, list(standings.remarks)], stdout)
    if ended is not None:
        exit_interrupted(f"{len(standings.games)} of {plan.games} games", options.out)


def pool_data(standings: Standings, seconds: float) -> dict[str, object]:
    """Return the result of games of the pool as plain data for JSON."""
    return {
        "pool": pool_dict(),
        "games": len(standings.games),
        "same_games": reference_pool.same_games(standings.games),
        "unique_games": standings.unique_games,
        "ratings": reference_pool.ladder_of(standings).as_dict() if standings.games else None,
        "seconds": seconds,
    }
