"""`claimeven accuracy`: how well agents play, measured against exact scores."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TextIO

import click

from claimeven.agents import Limit
from claimeven.agents.external.registry import split_foreign
from claimeven.agents.process.isolation import Isolation
from claimeven.agents.registry import AGENTS
from claimeven.arena.accuracy.measure import (
    MOST_FAULTS,
    SetAccuracy,
    measured,
)
from claimeven.arena.accuracy.query_agents import SetPlan
from claimeven.arena.accuracy.stored_games import JUDGE_MB, GamesAccuracy, accuracy_of
from claimeven.arena.diagnostics import COLD_ADVICE
from claimeven.arena.games.provenance import setting_of
from claimeven.arena.store.import_games import import_games
from claimeven.arena.store.store import Store
from claimeven.atomic_io import holds_games, scratch_folder
from claimeven.cli.common.faults import fault_texts
from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import (
    LIMIT_PARAMETERS,
    FilePath,
    check_seed,
    geometry_options,
    isolation_options,
    json_option,
    limit_options,
    refuse_given,
    seed_option,
    solver_options,
    tell_unbounded,
)
from claimeven.cli.common.progress import say, say_when_compiling, status_line
from claimeven.cli.common.solver_options import SolverChoice
from claimeven.cli.common.streams import clean_stdout, printable, table_width, text_width
from claimeven.cli.common.tables import fitted
from claimeven.cli.main import INTERRUPTED
from claimeven.cli.parts.accuracy_report import (
    Row,
    agent_lines,
    blunder_lines,
    check_answers_file,
    comparison_lines,
    detail_lines,
    explained_dict,
    write_answers,
)
from claimeven.cores import usable_cores
from claimeven.dataset.scored_sets import USUAL, usable_set, usual_tactics
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.solver import Solver

#: Endings of files of games that are taken for one even where there is none.
_ENDINGS = (".db", ".sqlite", ".sqlite3")

LEGEND = (
    "perfect: keeps the exact score; loss: points of score given away a move. decisive: moves where"
    " a column throws the outcome away; keeps: those that do not. floor: what random moves get"
    " there. wins, blocks: shares of wins at hand that are taken, and of the opponent's that are"
    " blocked. Moves where all columns are worth the same do not count."
)


@click.command("accuracy")
@click.argument("names", metavar="FILE|AGENT...", nargs=-1, required=True)
@click.option("--agent", "label", help="Of the games of FILE, judge this agent's moves alone.")
@click.option(
    "--positions",
    type=FilePath(path_type=Path),
    help="File of positions, or data set, to ask agents in; usually a set that comes along.",
)
@click.option("--set", "which", help="Bundled set: usual (the default), hard, easy or tactics.")
@click.option("--count", type=int, help="Ask in so many of the positions, evenly picked.")
@click.option(
    "--answers",
    type=FilePath(path_type=Path),
    help="Write each answer, with what it is worth, to this file: .csv or .jsonl.",
)
@click.option("--worst", default=3, show_default=True, help="Blunders to draw and explain.")
@seed_option
@click.option("--jobs", type=int, help="Processes that ask agents; usually one a core.")
@json_option
@limit_options
@isolation_options
@partial(solver_options, threads=None, table_mb=JUDGE_MB)
@geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    label: str | None,
    positions: Path | None,
    which: str | None,
    count: int | None,
    answers: Path | None,
    worst: int,
    seed: int,
    jobs: int | None,
    as_json: bool,
    limit: Limit,
    isolation: Isolation,
    solving: SolverChoice,
    geometry: Geometry,
) -> None:
    """Tell how well agents play: how often they find the best move, and where they err.

    With a FILE of games (of `tournament --out`, or any that `games` imports) every move of every
    game is judged against exact scores. A file of stored games keeps those, so judging again takes
    no time, and after Ctrl-C it goes on where it was.

    With AGENTs each is asked in every position of a set, the same for everybody, so figures
    compare: 4,500 positions of the usual board come along, one a line of your own file with
    --positions. --set hard and --set easy are 3,000 positions each for agents that learn, of games
    in which half the moves are random, or one in ten, and the others perfect. By default 400 more
    positions have a win to take or to block; they count for the columns wins and blocks alone. Two
    agents or more are also compared position by position. An agent from a file plays in a process
    of its own, under the limits given.

    \b
    Examples:
      claimeven accuracy class.db
      claimeven accuracy class.db --agent ann --worst 10
      claimeven accuracy my_agent.py greedy alphabeta:depth=4
      claimeven accuracy uct --iterations 200 --count 500 --jobs 2
      claimeven accuracy my_agent.py old_agent.py --answers answers.csv
      claimeven accuracy ntuple greedy --set hard
      claimeven accuracy my_agent.py --positions endings.txt --seconds 1
    """
    check_seed(seed)
    if worst < 0:
        raise ClaimevenError(f"--worst is 0 or more, not {worst}")
    solver_of = cache(solving.solver)  # made when it is first needed
    if _is_file_of_games(names):
        refuse_given(ctx, _OF_AGENTS, "{} goes with agents, not with a file of games")
        with _stored(Path(names[0]), geometry) as path:
            _judge_games(path, label, worst, solver_of, geometry, as_json)
        return
    if label is not None:
        raise ClaimevenError("--agent goes with a file of games: name the agents alone")
    if positions is not None and which is not None:
        raise ClaimevenError("--positions and --set do not go together: give one of them")
    if answers is not None:
        check_answers_file(answers)
    tell_unbounded(names, isolation)
    asked = usable_set(
        positions, geometry, count, lambda: solver_of(geometry), USUAL if which is None else which
    )
    tactics = usual_tactics(geometry, count) if positions is None and which is None else None
    plan = SetPlan(names, asked, seed, limit, isolation, tactics)
    if solving.book is not None:
        solver_of(plan.geometry)  # that there is no such book is told before agents are asked
    jobs = usable_cores() if jobs is None else jobs
    interrupted = _ask_agents(plan, jobs, worst, solver_of, as_json, answers)
    if interrupted:
        ctx.exit(INTERRUPTED)


#: Options that say how agents are asked, which games that were played are not.
_OF_AGENTS = (
    "positions", "which", "count", "answers", "seed", "jobs", "isolate", "memory", "load_seconds",
    *LIMIT_PARAMETERS,
)  # fmt: skip


def _is_file_of_games(names: tuple[str, ...]) -> bool:
    """Whether the arguments are a file of games; `ClaimevenError` for a file among agents."""
    files = [name for name in names if _is_file(name)]
    if files and len(names) > 1:
        raise ClaimevenError(
            f"{files[0]} is a file of games: give it alone, or agents such as greedy or my_agent.py"
        )
    return bool(files)


def _is_file(name: str) -> bool:
    prefix = name.partition(":")[0]
    if prefix in AGENTS or prefix.endswith(".py") or split_foreign(name) is not None:
        return False
    return name.endswith(_ENDINGS) or Path(name).exists()


@contextmanager
def _stored(path: Path, geometry: Geometry) -> Iterator[Path]:
    """Yield a file of stored games: the one given, or one with the games of a file of records."""
    if not path.is_file() or holds_games(path):
        yield path
        return
    with scratch_folder() as folder:
        import_games(folder / path.name, path, "first player", "second player", geometry)
        yield folder / path.name


def _judge_games(
    path: Path,
    label: str | None,
    worst: int,
    solver_of: Callable[[Geometry], Solver],
    geometry: Geometry,
    as_json: bool,
) -> None:
    say_when_compiling()
    begin = time.monotonic()
    with Store.read(path) as store, status_line() as line:
        board = store.start.geometry
        if geometry not in (STANDARD, board):
            raise ClaimevenError(f"the games of {path} are of {board}, not {geometry}")
        try:
            found = accuracy_of(
                store, agent=label, solver=solver_of, progress=line.report, tell=say
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt("interrupted; run the same again to go on from there") from None
    seconds = time.monotonic() - begin
    blunders = found.worst(worst)
    solver = solver_of(found.geometry)
    if as_json:
        told = {
            **found.as_dict(),
            "seconds": seconds,
            "blunders": [explained_dict(blunder, solver) for blunder in blunders],
        }
        write_json(told, sys.stdout)
        return
    out = sys.stdout
    out.write(fitted(_games_headline(found, seconds), text_width()) + "\n\n")
    rows = [Row(name, found[name]) for name in found.ranking]
    _print(rows, out)
    if len(rows) == 1:
        out.writelines(line + "\n" for line in detail_lines(rows[0], table_width()))
    for blunder in blunders:
        out.writelines(line + "\n" for line in blunder_lines(blunder, solver, out))


def _games_headline(found: GamesAccuracy, seconds: float) -> str:
    games = len(found.judged)
    return (
        f"{games:,} game{'s' * (games != 1)} on {found.geometry}, {found.moves:,} moves in"
        f" {found.positions:,} different positions, {seconds:.1f} s"
    )


def _ask_agents(
    plan: SetPlan,
    jobs: int,
    worst: int,
    solver_of: Callable[[Geometry], Solver],
    as_json: bool,
    kept: Path | None,
) -> bool:
    """Ask the agents and tell what they answered; whether Ctrl-C ended it early."""
    say_when_compiling()
    interrupted = False
    with clean_stdout() as out:
        answers = measured(plan, jobs)
        found = next(answers)
        with status_line() as line:
            try:
                for found in answers:
                    line.count(found.asked, plan.questions, "answers")
            except KeyboardInterrupt:
                interrupted = True
        if kept is not None:
            write_answers(kept, found.answer_rows())
        blunders = [] if interrupted else found.worst(worst)
        if as_json:
            solver = solver_of(plan.geometry)
            told = {
                **setting_of(plan.agents, plan.geometry, plan.limit),
                **found.as_dict(),
                "blunders": [explained_dict(blunder, solver) for blunder in blunders],
            }
            write_json(told, out)
        else:
            _print_set(found, out)
            for blunder in blunders:
                solver = solver_of(plan.geometry)
                out.writelines(line + "\n" for line in blunder_lines(blunder, solver, out))
    if interrupted:
        click.echo(f"interrupted after {found.asked:,} of {plan.questions:,} answers", err=True)
    return interrupted


def _print_set(found: SetAccuracy, out: TextIO) -> None:
    positions = found.plan.positions
    tactics = found.plan.tactics
    told = (
        f"{len(positions.positions):,} positions ({positions.name}), digest {positions.digest},"
        f" seed {found.plan.seed}, {found.seconds:.1f} s"
    )
    if tactics is not None:
        told += f"\nand {len(tactics.positions):,} for wins and blocks ({tactics.name})"
    out.write(fitted(told, text_width()) + "\n\n")
    agents = [found[name] for name in found.ranking]
    rows = [Row(each.agent, each.accuracy, each.seconds_a_move, each.by_band) for each in agents]
    _print(rows, out)
    out.writelines(line + "\n" for line in comparison_lines(found.comparisons(), found.ranking))
    for agent in agents:
        for text in fault_texts(agent.failed):
            told = printable(f"{agent.agent} gave no answer: {text}")
            out.write("\n" + fitted(told, text_width()) + "\n")
        if len(agent.failed) > agent.answered:
            told = f"Each position is asked by itself, without the game before it: {COLD_ADVICE}."
            out.write(fitted(f"{told} claimeven check says more.", text_width()) + "\n")
        if agent.stopped:
            out.write(f"After {MOST_FAULTS} faults {printable(agent.agent)} was asked no more.\n")
    if len(rows) == 1:
        out.writelines(line + "\n" for line in detail_lines(rows[0], table_width()))


def _print(rows: list[Row], out: TextIO) -> None:
    out.writelines(line + "\n" for line in agent_lines(rows, table_width()))
    out.write("\n" + fitted(LEGEND, text_width()) + "\n")
