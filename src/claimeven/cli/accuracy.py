"""`claimeven accuracy`: measure agents by exact scores."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, TextIO

import click
from click.core import ParameterSource

from claimeven.agents import Limit
from claimeven.agents.external import split_foreign
from claimeven.agents.options import name_in
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.registry import AGENTS
from claimeven.arena import accuracy_results
from claimeven.arena.accuracy.answers import AnswerFile, SetAnswer, SetPlan
from claimeven.arena.accuracy.measure import SetAccuracy, ask
from claimeven.arena.accuracy.metrics import Blunder
from claimeven.arena.accuracy.stored_games import JUDGE_MB, accuracy_of
from claimeven.arena.games.plan import setting_of
from claimeven.arena.store.import_games import import_games
from claimeven.arena.store.store import Store
from claimeven.atomic_io import holds_games, scratch_folder
from claimeven.blocks import Sections
from claimeven.cli.common import options
from claimeven.cli.common.experiments import ExperimentCommand, write_run_file
from claimeven.cli.common.output import write_sections
from claimeven.cli.common.progress import announce_compilation, notify, status_line
from claimeven.cli.common.streams import clean_stdout, write_json
from claimeven.cli.main import INTERRUPTED
from claimeven.dataset.scored_sets import DEFAULT, bundled_tactics, load_set
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.validation import seed_number
from claimeven.parallel.executors import ExecutorOptions
from claimeven.parallel.jobs import Executor
from claimeven.provenance import describe
from claimeven.solver import Solver

#: Endings that mean a file of games, even if the file is missing.
_ENDINGS = (".db", ".sqlite", ".sqlite3")


@click.command("accuracy", cls=ExperimentCommand)
@click.argument("names", metavar="FILE|AGENT...", nargs=-1, required=True, type=options.AGENT)
@click.option("--agent", "label", help="Judge only this agent's moves in the games of FILE.")
@options.file_option(
    "--positions",
    help="File of positions, or data set, to ask agents about.  [default: a bundled set]",
)
@click.option("--set", "which", help="Bundled set: default, hard, easy or tactics.")
@click.option("--count", type=int, help="Number of positions, evenly spread.  [default: all]")
@options.file_option(
    "--answers", help="Store each answer with its scores in this .csv or .jsonl file."
)
@click.option("--show-worst", default=3, help="Blunders to draw and explain.")
@options.seed_option
@options.option_group(ExecutorOptions, "players")
@options.json_option
@options.limit_options
@options.sandbox_options
@options.option_group(options.SolverChoice, "solver_choice", threads=None, table_mb=JUDGE_MB)
@options.geometry_options
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    label: str | None,
    positions: Path | None,
    which: str | None,
    count: int | None,
    answers: Path | None,
    show_worst: int,
    seed: int,
    players: ExecutorOptions,
    as_json: bool,
    limit: Limit,
    sandbox: Sandbox,
    solver_choice: options.SolverChoice,
    geometry: Geometry,
) -> None:
    """Measure how often agents find the best move, and where they err.

    With a FILE of games (of `tournament --out`, or in a format that `games` imports) every move is
    judged by exact scores, by the threads of this process or by the workers of --jobs or
    --executor. A file of stored games keeps the scores, so a second run is immediate and an
    interrupted one continues.

    With AGENTs, each is asked about every position of the same set: 4,500 bundled positions of the
    7x6 board, or your own file with --positions. The sets hard and easy have 3,000 positions each,
    from games in which half or a tenth of the moves are random and the others perfect. By default
    400 more positions test wins and blocks; they count only for these two columns. Several agents
    are also compared position by position. Agents from files run in separate processes.

    \b
    Examples:
      claimeven accuracy class.db
      claimeven accuracy class.db --agent ann --show-worst 10
      claimeven accuracy my_agent.py greedy alphabeta:depth=4
      claimeven accuracy my_agent.py old_agent.py --answers answers.csv
      claimeven accuracy ntuple greedy --set hard
      claimeven accuracy my_agent.py --positions endings.txt --seconds 1
      claimeven accuracy uct perfect --executor ray --address auto
    """
    seed_number(seed)
    if show_worst < 0:
        raise ClaimevenError(f"--show-worst must be 0 or more, got {show_worst}")
    solver_of = cache(solver_choice.solver)  # made when needed
    if _is_file_of_games(names):
        options.reject_options(ctx, _AGENT_PARAMETERS, "{} is for agents, not for a file of games")
        workers = players.workers(1, notify)
        given = ctx.get_parameter_source("threads") == ParameterSource.COMMANDLINE
        options.check_workers(workers, solver_choice.threads * given)
        with _stored(Path(names[0]), geometry) as path:
            _judge_games(path, label, show_worst, solver_of, workers, geometry, as_json)
        return
    if label is not None:
        raise ClaimevenError("--agent is for a file of games: leave it out")
    if positions is not None and which is not None:
        raise ClaimevenError("give --positions or --set, not both")
    options.warn_unbounded(names, sandbox)
    questions = load_set(
        positions, geometry, count, lambda: solver_of(geometry), DEFAULT if which is None else which
    )
    tactics = bundled_tactics(geometry, count) if positions is None and which is None else None
    plan = SetPlan(names, questions, seed, limit, sandbox, tactics)
    if solver_choice.book is not None:
        solver_of(plan.geometry)  # a missing book is reported before agents are asked
    workers = players.workers(None, notify)
    with nullcontext() if answers is None else closing(AnswerFile(answers, plan)) as file:
        interrupted = _ask_agents(plan, workers, show_worst, solver_of, as_json, file)
    write_run_file(answers)
    if interrupted:
        ctx.exit(INTERRUPTED)


#: Parameters for asking agents; they do not go with a file of games.
_AGENT_PARAMETERS = (
    "positions", "which", "count", "answers", "seed", "isolate", "memory_limit",
    "load_timeout", *options.LIMIT_PARAMETERS,
)  # fmt: skip


def _is_file_of_games(names: tuple[str, ...]) -> bool:
    """Whether the argument is a file of games; `ClaimevenError` for a file and agents."""
    files = [name for name in names if _is_file(name)]
    if files and len(names) > 1:
        raise ClaimevenError(f"{files[0]} is a file of games: give only this file, or only agents")
    return bool(files)


def _is_file(name: str) -> bool:
    prefix = name_in(name)
    if prefix in AGENTS or prefix.endswith(".py") or split_foreign(name) is not None:
        return False
    return name.endswith(_ENDINGS) or Path(name).exists()


@contextmanager
def _stored(path: Path, geometry: Geometry) -> Iterator[Path]:
    """Yield a file of stored games: the file itself, or an import of its records."""
    if not path.is_file() or holds_games(path):
        yield path
        return
    with scratch_folder() as folder:
        stored = folder / f"{path.name}.db"
        import_games(stored, path, "first player", "second player", geometry)
        yield stored


def _judge_games(
    path: Path,
    label: str | None,
    show_worst: int,
    solver_of: Callable[[Geometry], Solver],
    workers: Executor | None,
    geometry: Geometry,
    as_json: bool,
) -> None:
    announce_compilation()
    begin = time.monotonic()
    with Store.read(path) as store, status_line() as line:
        options.check_board(path, store.start.geometry, geometry)
        try:
            found = accuracy_of(
                store, agent=label, solver=solver_of, executor=workers, on_progress=line.report,
                on_message=notify,
            )  # fmt: skip
        except KeyboardInterrupt:
            raise KeyboardInterrupt("interrupted; run the same command to continue") from None
    seconds = time.monotonic() - begin
    about = describe("result", board=found.geometry.as_dict())
    data = {**found.as_dict(), "seconds": seconds, "provenance": about} if as_json else None
    sections = accuracy_results.games_accuracy(found, seconds)
    _write(data, sections, found.worst(show_worst), lambda: solver_of(found.geometry), sys.stdout)


def _ask_agents(
    plan: SetPlan,
    workers: Executor | None,
    show_worst: int,
    solver_of: Callable[[Geometry], Solver],
    as_json: bool,
    file: AnswerFile | None,
) -> bool:
    """Ask the agents and print the result; return whether Ctrl-C interrupted them."""
    announce_compilation()
    interrupted, begin, answers = False, time.perf_counter(), list[SetAnswer]()
    resumed = 0 if file is None else len(file.answers)
    with clean_stdout() as out:
        with status_line() as line:
            try:
                for answer in ask(plan, workers, file):
                    answers.append(answer)
                    line.count(len(answers), plan.questions, "answers", resumed)
            except KeyboardInterrupt:
                interrupted = True
        found = SetAccuracy.of(plan, answers, time.perf_counter() - begin)
        if file is not None:
            file.write(found.answer_rows(), not interrupted)
        blunders = [] if interrupted else found.worst(show_worst)  # explanations take time
        setting = setting_of(plan.agents, plan.geometry, plan.limit, plan.seed)
        data = {**setting, **found.as_dict()} if as_json else None
        sections = accuracy_results.set_accuracy(found)
        _write(data, sections, blunders, lambda: solver_of(plan.geometry), out)
    if interrupted:
        more = "" if file is None else "; run the same command to continue"
        done = f"{found.asked:,} of {plan.questions:,} answers"
        click.echo(f"interrupted after {done}{more}", err=True)
    return interrupted


def _write(
    data: dict[str, Any] | None,
    sections: Sections,
    blunders: list[Blunder],
    solver: Callable[[], Solver],
    out: TextIO,
) -> None:
    """Write a result and explain its blunders: as JSON if there is data, else in sections."""
    rows = []
    for each in blunders:
        played, right = _explanation(each, solver())
        rows.append({**each.as_dict(), "played_text": played, "right_text": right})
        sections += accuracy_results.blunder(each, (played, right))
    if data is not None:
        write_json({**data, "blunders": rows}, out)
    else:
        write_sections(sections, out)


def _explanation(blunder: Blunder, solver: Solver) -> tuple[str, str]:
    """Return the sentences on the column played and on the right one."""
    move = blunder.move
    found = solver.scores(move.position)
    if found != move.scores:
        wrong = f"The set gives other scores than the solver: {options.scores_text(found)}."
        return wrong, wrong
    played, right = (column.text(move.position) for column in blunder.explained(solver))
    return played, right
