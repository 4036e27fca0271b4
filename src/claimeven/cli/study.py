"""`claimeven study`: the experiments of the originals, and their figures of today."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any, TextIO

import click

from claimeven.arena.studies import (
    STUDIES,
    ExperimentResult,
    Study,
    StudyResult,
    StudyRunner,
    study_of,
)
from claimeven.arena.studies.format import study_sections
from claimeven.arena.studies.runner import machine
from claimeven.cli.common.groups import CommandGroup
from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import Command, FilePath, json_option, resume_options
from claimeven.cli.common.output import fitted, text_width
from claimeven.cli.common.progress import (
    StatusLine,
    announce_compilation,
    count_text,
    print_interrupted,
    status_line,
)
from claimeven.cli.common.results import write_sections
from claimeven.cli.common.streams import clean_stdout
from claimeven.cli.main import INTERRUPTED
from claimeven.errors import ClaimevenError
from claimeven.game.validation import seed_number
from claimeven.parallel.cores import usable_cores


@click.group("study", cls=CommandGroup)
def command() -> None:
    """The classic studies: what the originals reported, next to runs here.

    \b
    Examples:
      claimeven study list
      claimeven study run polito-alphabeta
      claimeven study all --games 2
      claimeven study all --out studies --json
    """


@command.command("list")
@json_option
def list_studies(as_json: bool) -> None:
    """List the studies: name, original, games, what is compared.

    \b
    Examples:
      claimeven study list
      claimeven study list --json
    """
    if as_json:
        data = [
            {
                "study": study.name,
                "title": study.title,
                "source": study.source.name,
                "games": study.games,
                "settings": [experiment.setting for experiment in study.experiments],
            }
            for study in STUDIES
        ]
        with clean_stdout() as out:
            write_json({"studies": data}, out)
        return
    room = max(len(study.name) for study in STUDIES)
    for study in STUDIES:
        games = f"{study.games:,} games" if study.games else "no games"
        click.echo(f"{study.name:<{room}}  {study.source.name}, {games}")
        click.echo(fitted(f"  {study.title}", text_width()))


def running_options(run: Command) -> Command:
    """Add the options of what runs studies; the command gets them as one `laboratory`."""

    @wraps(run)
    def with_laboratory(
        games: int | None, jobs: int | None, folder: Path | None, resume: bool | str, seed: int,
        seconds: float | None, seats: str, server: str | None, **others: Any,
    ) -> Any:  # fmt: skip
        seed_number(seed)
        jobs = usable_cores() if jobs is None else jobs
        swap = True if seats == "swapped" else None
        laboratory = StudyRunner(folder, resume, jobs, games, seed, seconds, swap, server)
        return run(laboratory=laboratory, **others)

    decorated: Command = with_laboratory
    for option in (
        json_option,
        click.option("--seed", default=1, show_default=True, help="Decides all but the clock."),
        partial(resume_options, what="what the files of --out do"),
        click.option(
            "--out",
            "folder",
            type=FilePath(path_type=Path, file_okay=False),
            help="Folder to keep the games in, a file a match.",
        ),
        click.option("--jobs", type=int, help="Processes that play games; usually one a core."),
        click.option("--server", metavar="URL", help="The server that lund-server plays."),
        click.option(
            "--seats",
            type=click.Choice(("original", "swapped")),
            default="original",
            show_default=True,
            help="Who moves first: as in the original, or each in turn.",
        ),
        click.option("--seconds", type=float, help="Limit of what is limited by the clock."),
        click.option("--games", type=int, help="Games of each match, for a quick or a long look."),
    ):
        decorated = option(decorated)
    return decorated


@command.command("run")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@running_options
@click.pass_context
def run_named(
    ctx: click.Context, names: tuple[str, ...], laboratory: StudyRunner, as_json: bool
) -> None:
    """Run studies by name; each figure is next to the one reported then.

    Matches that measure speed are played by one process, the others by --jobs. With --out the
    games are kept; after Ctrl-C, or a crash, --resume plays the rest.

    \b
    Examples:
      claimeven study run polito-alphabeta
      claimeven study run aifour-match itu-flat --games 20
      claimeven study run itu-uct --seconds 5 --seats swapped
      claimeven study run lund-server --server "http://127.0.0.1:8000/play?agent=uct"
      claimeven study run lund-peer --out studies --json
    """
    _run(ctx, [study_of(name) for name in dict.fromkeys(names)], laboratory, as_json)


@command.command("all")
@running_options
@click.pass_context
def run_all(ctx: click.Context, laboratory: StudyRunner, as_json: bool) -> None:
    """Run all studies: some nine minutes on two cores, six of them at 3 s a move.

    \b
    Examples:
      claimeven study all
      claimeven study all --games 2
      claimeven study all --out studies
      claimeven study all --out studies --resume --json
    """
    some = [study for study in STUDIES if laboratory.server or not study.needs_server]
    _run(ctx, some, laboratory, as_json)


def _run(
    ctx: click.Context, studies: Sequence[Study], laboratory: StudyRunner, as_json: bool
) -> None:
    if laboratory.seconds is not None and not any(study.is_timed for study in studies):
        raise ClaimevenError("--seconds changes studies with a limit on the clock; these have none")
    announce_compilation()
    begin = time.monotonic()
    results: list[StudyResult] = []
    with clean_stdout() as out, status_line() as line:
        interrupted = _collect(results, studies, laboratory, line, None if as_json else out)
        seconds = time.monotonic() - begin
        whole = sum(result.is_whole for result in results)
        if as_json:
            data = {
                "studies": [result.as_dict() for result in results],
                "asked": laboratory.asked,
                "seed": laboratory.seed,
                "jobs": laboratory.jobs,
                "machine": machine(),
                "seconds": seconds,
            }
            write_json(data, out)
        elif results:
            out.write(f"{whole} of {len(studies)} studies, {seconds:.1f} s\n")
    if interrupted:
        print_interrupted(f"{whole} of {len(studies)} studies", laboratory.folder)
        ctx.exit(INTERRUPTED)


def _collect(
    results: list[StudyResult],
    studies: Sequence[Study],
    laboratory: StudyRunner,
    line: StatusLine,
    out: TextIO | None,
) -> bool:
    """Run studies and collect their results, printing each; return whether Ctrl-C ended it early.

    Of a study that was interrupted the experiments that were finished are kept.
    """
    for place, study in enumerate(studies, start=1):
        finished: list[ExperimentResult] = []
        where = f"study {place} of {len(studies)}, {study.name}: "
        interrupted = False
        try:
            for number in range(len(study.experiments)):
                finished.append(laboratory.experiment(study, number, _progress(line, where)))
        except KeyboardInterrupt:
            interrupted = True
        if finished:
            results.append(StudyResult(study, tuple(finished)))
            line.clear()
            if out is not None:
                write_sections(study_sections(results[-1]), out)
                out.write("\n")
                out.flush()
        if interrupted:
            return True
    return False


def _progress(line: StatusLine, where: str) -> Callable[[int, int, bool], None]:
    """Return a function that shows how far the current match is."""
    begin, resumed = 0.0, 0

    def show(done: int, planned: int, starts: bool) -> None:
        nonlocal begin, resumed
        if starts:
            begin, resumed = time.monotonic(), done
        spent = time.monotonic() - begin
        line.show(lambda: where + count_text(done, planned, "games", spent, resumed))

    return show
