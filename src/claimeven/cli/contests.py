"""`claimeven match`, `tournament`, `ladder` and `sprt`: games of agents, and what they show."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import click
from click.core import ParameterSource

from claimeven.agents import InvalidSpec, Limit, Sandbox
from claimeven.agents.files import file_of
from claimeven.agents.registry import find_broken_agents
from claimeven.arena import results
from claimeven.arena.api import (
    match_plan,
    match_store,
    placement_plan,
    resume_test,
    sprt_plan,
    tournament_plan,
)
from claimeven.arena.games.game import Forfeit, Game
from claimeven.arena.games.openings import Opening
from claimeven.arena.options import LadderOptions, MatchOptions, SprtOptions, TournamentOptions
from claimeven.arena.store.query import result_in_words
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.results import (
    MatchResult,
    Placement,
    SequentialResult,
    TournamentResult,
    game_of_match,
    pool_dict,
)
from claimeven.arena.tournaments.run import in_order, numbers_of, run, store_of
from claimeven.arena.tournaments.standings import Standings
from claimeven.cli.common import games, progress
from claimeven.cli.common.experiments import ExperimentCommand, command_line, write_run_file
from claimeven.cli.common.move_inputs import position_option, read_one
from claimeven.cli.common.options import (
    AGENT,
    json_option,
    option_group,
    reject_options,
    reject_other_options,
    report_option,
    warn_unbounded,
)
from claimeven.cli.common.output import board_text, write_result
from claimeven.cli.common.streams import clean_stdout, one_line, print_error
from claimeven.errors import ClaimevenError
from claimeven.game.outcome import PLAYER_NAMES
from claimeven.game.position import Position
from claimeven.ratings.sprt import SprtVerdict
from claimeven.review.analysis import signed

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
def match(
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


@click.command("tournament", cls=ExperimentCommand)
@click.argument("specs", metavar="[AGENT...]", nargs=-1, type=AGENT)
@option_group(TournamentOptions, "options")
@report_option
@click.option("--skip-broken", is_flag=True, help="Play without files that cannot be loaded.")
@click.option("--verbose", is_flag=True, help="Show the output of agents from files.")
@json_option
@click.pass_context
def tournament(
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
        players = options.workers(None, progress.notify)
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


@click.command("ladder", cls=ExperimentCommand, arguments="agent")
@click.argument("agent", metavar="[AGENT]", required=False, type=AGENT)
@click.option("--published", is_flag=True, help="Print the bundled ladder without playing.")
@option_group(LadderOptions, "options")
@json_option
@click.pass_context
def ladder(
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
    progress.announce_compilation()
    rounds, begin = options.rounds, time.perf_counter()
    plan = placement_plan(agent, options) if agent else reference_pool.pool_plan(rounds)
    with clean_stdout() as stdout:
        with store_of(plan, options.out, options.resume) as store:
            store.set_meta("command", command_line(ctx))
            write_run_file(options.out)
            players = options.workers(None, progress.notify)
            playing = run(plan, players, store, progress.notify)
            ended = games.play_with_progress(playing, plan.games, len(store))
            standings = Standings.of_store(store)
        spent = time.perf_counter() - begin
        if agent:
            placement = Placement(plan, standings, spent)
            data, sections = placement.as_dict(), results.placement(placement)
        else:
            data, sections = pool_data(standings, spent), results.pool(standings)
        write_result(as_json, data, [*sections, list(standings.remarks)], stdout)
    if ended is not None:
        progress.exit_interrupted(f"{len(standings.games)} of {plan.games} games", options.out)


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


@click.command("sprt", cls=ExperimentCommand)
@click.argument("first_agent", metavar="A", type=AGENT)
@click.argument("second_agent", metavar="B", type=AGENT)
@option_group(SprtOptions, "options")
@json_option
@click.pass_context
def sprt(
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
    games.reject_opening_plies(ctx, source)
    warn_unbounded((first_agent, second_agent), options.sandbox)
    test = options.test
    progress.announce_compilation()
    plan = sprt_plan(first_agent, second_agent, options)
    begin = time.monotonic()
    with clean_stdout() as stdout:
        with store_of(plan, options.out, options.resume, of_test=True) as store:
            state, resumed = resume_test(plan, test, store), len(store)
            low, high = test.bounds
            store.set_meta("command", command_line(ctx))
            write_run_file(options.out)

            def note(game: Game) -> bool:
                return state.add_game(game.number, game.points(0)) is not SprtVerdict.UNDECIDED

            def status(done: int) -> str:
                spent = time.monotonic() - begin
                pairs = done // 2, plan.games // 2, "pairs", spent, resumed // 2
                reached = f"ratio {state.ratio:+z.2f} ({low:+.2f} to {high:+.2f})"
                return f"{reached}, {progress.count_text(*pairs)}"

            ended = None
            if state.verdict is SprtVerdict.UNDECIDED:
                players = options.workers(None, progress.notify)
                playing = run(plan, players, store, progress.notify)
                ended = games.play_with_progress(playing, plan.games, resumed, note, status)
            standings = Standings.of_store(store)
        result = SequentialResult(plan, test, standings, time.monotonic() - begin)
        cure = games.more_openings(source, options.opening_plies, plan.openings)
        write_result(as_json, result.as_dict(), results.sequential(result, cure), stdout)
    if ended is not None:
        progress.exit_interrupted(f"{len(standings.games)} games", options.out)
