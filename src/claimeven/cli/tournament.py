"""`claimeven tournament`: games of many agents, and their ladder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from claimeven.agents import Sandbox
from claimeven.agents.files import file_of
from claimeven.agents.registry import find_broken_agents
from claimeven.arena import results
from claimeven.arena.api import tournament_plan
from claimeven.arena.options import TournamentOptions
from claimeven.arena.tournaments.results import TournamentResult
from claimeven.arena.tournaments.run import numbers_of, run, store_of
from claimeven.arena.tournaments.standings import Standings
from claimeven.cli.common import games, progress
from claimeven.cli.common.experiments import ExperimentCommand, command_line, write_run_file
from claimeven.cli.common.options import (
    AGENT,
    json_option,
    option_group,
    report_option,
    warn_unbounded,
)
from claimeven.cli.common.output import write_result
from claimeven.cli.common.streams import clean_stdout, one_line, print_error
from claimeven.errors import ClaimevenError
from claimeven.parallel.executors import usable_cores


@click.command("tournament", cls=ExperimentCommand)
@click.argument("specs", metavar="[AGENT...]", nargs=-1, type=AGENT)
@option_group(TournamentOptions, "options")
@report_option
@click.option("--skip-broken", is_flag=True, help="Play without files that cannot be loaded.")
@click.option("--verbose", is_flag=True, help="Show the output of agents from files.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    specs: tuple[str, ...],
    options: TournamentOptions,
    report: Path | None,
    skip_broken: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Play agents against each other in pairs of games; print the ladder.

    Two games make a pair: the same opening with the seats swapped. Without --openings round 1 is on
    the empty board. Ratings are in Elo with a 95 % interval; 0 is the mean of all agents. An agent
    that fails loses that game. It also loses if a move takes a quarter of a second longer than
    --seconds and the rest of --time-bank. With --out games are stored as they end; after Ctrl-C or
    a crash, --resume plays the rest, and with more --rounds it adds to them.

    With --executor ray all cores of a Ray cluster, or --jobs of them, play the same games. It needs
    pip install 'claimeven[cluster]' on each machine.

    All agents are loaded before the first game. If some cannot be loaded, all of them are reported
    and no game is played; with --skip-broken the others play.

    \b
    Examples:
      claimeven tournament random greedy alphabeta:depth=4 uct:iterations=200
      claimeven tournament bots/*.py greedy --seconds 1 --out class.db
      claimeven tournament bots/*.py greedy --seconds 1 --out class.db --resume
      claimeven tournament uct flat greedy --kind gauntlet --openings balanced
      claimeven tournament kaggle:main.py uct greedy --seconds 2 --time-bank 60
      claimeven tournament --file class.toml --rounds 20
      claimeven tournament uct perfect --rounds 5000 --executor ray --address auto
    """
    if not specs:
        raise ClaimevenError("name the agents, or a file of agents with --file")
    out = None if options.out is None else Path(options.out)
    if report is not None:
        games.check_page(report, out)
    progress.announce_compilation()
    sandbox = replace(options.sandbox, quiet=not verbose)
    specs, left_out = _entrants(specs, options, sandbox, skip_broken)
    warn_unbounded(specs, sandbox)
    ctx.params["specs"] = specs  # the agents that play, from either source
    ctx.set_parameter_source("specs", ParameterSource.COMMANDLINE)
    source = str(options.openings)
    games.reject_opening_plies(ctx, source)
    plan = replace(tournament_plan(specs, options), sandbox=sandbox)
    begin = time.perf_counter()
    with clean_stdout() as stdout, store_of(plan, out, options.resume, part=options.part) as store:
        store.set_meta("command", command_line(ctx))
        write_run_file(out)
        players = options.workers(usable_cores(), progress.notify)
        playing = run(plan, players, store, progress.notify, forfeit_unloadable=skip_broken)
        ended = games.play_with_progress(playing, len(numbers_of(plan, store)), len(store))
        result = TournamentResult(plan, Standings.of_store(store), time.perf_counter() - begin)
        reasons = [{"spec": spec, "reason": reason} for spec, reason in left_out.items()]
        cure = games.more_openings(source, options.opening_plies, plan.openings)
        data, sections = result.as_dict(), results.tournament(result, cure)
        write_result(as_json, {**data, "left_out": reasons}, sections, stdout)
        if report is not None and ended is None:
            stdout.flush()
            games.write_page_after(store, report, out)
    if ended is not None:
        unwritten = "" if report is None else f"; {report} was not written"
        progress.exit_interrupted(
            f"{len(result.standings.games)} of {plan.games} games{unwritten}", out
        )


def _entrants(
    specs: Sequence[str], options: TournamentOptions, sandbox: Sandbox, skip_broken: bool
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the agents that can play, and the reasons of the agents left out.

    With `skip_broken` files that cannot be loaded are left out. Otherwise all agents that cannot
    play are reported on stderr and `ClaimevenError` is raised. Unknown names and a broken
    first agent of a gauntlet, the opponent of all others, are always errors.
    """
    challenger = specs[0] if options.kind == "gauntlet" else None
    with progress.status_line() as line:
        loading: list[str] = []

        def watch(spec: str) -> None:
            loading.append(spec)
            line.show(lambda: f"loading {one_line(spec)}, {len(loading)} of {len(specs)}")

        broken = find_broken_agents(specs, options.geometry, options.limit, sandbox, watch)
    files = [spec for spec in broken if file_of(spec) is not None and spec != challenger]
    rejected = [spec for spec in broken if not (skip_broken and spec in files)]
    only_files = set(rejected) <= set(files)
    if len(rejected) == 1:
        hint = "; --skip-broken leaves it out" * only_files
        raise ClaimevenError(f"{broken[rejected[0]]}{hint}")
    for spec in rejected:
        print_error(str(broken[spec]))
    if rejected:
        hint = "; claimeven check explains a file, --skip-broken plays without them" * only_files
        raise ClaimevenError(f"{len(rejected)} of {len(specs)} agents cannot play{hint}")
    for error in broken.values():
        print_error(f"left out: {error}")
    entrants = tuple(spec for spec in specs if spec not in broken)
    return entrants, {spec: str(error) for spec, error in broken.items()}
