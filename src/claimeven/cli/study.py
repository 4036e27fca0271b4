"""`claimeven study`: repeat the experiments of five older projects."""

from __future__ import annotations

import sys
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
from claimeven.arena.studies.runner import study_sections
from claimeven.atomic_io import make_folder
from claimeven.cli.common import options, progress
from claimeven.cli.common.experiments import ExperimentCommand, write_run_file
from claimeven.cli.common.output import show, write_sections
from claimeven.cli.common.streams import clean_stdout, write_json
from claimeven.cli.main import CommandGroup
from claimeven.errors import ClaimevenError
from claimeven.game.validation import seed_number
from claimeven.parallel.jobs import Executor
from claimeven.provenance import describe, machine


@click.group("study", cls=CommandGroup)
def command() -> None:
    """The classic studies: reported figures next to new ones.

    \b
    Examples:
      claimeven study list
      claimeven study run polito-alphabeta
      claimeven study all --out studies --json
    """


@command.command("list")
@options.json_option
def list_studies(as_json: bool) -> None:
    """List the studies: name, original project, games, title.

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
        write_json({"studies": data}, sys.stdout)
        return
    room = max(len(study.name) for study in STUDIES)
    for study in STUDIES:
        games = f"{study.games:,} games" if study.games else "no games"
        click.echo(f"{study.name:<{room}}  {study.source.name}, {games}")
        show(f"  {study.title}")


def running_options(run: options.Command) -> options.Command:
    """Add the options for running studies; the command gets a `runner`."""

    @wraps(run)
    def with_runner(
        games: int | None, players: Executor | None, folder: Path | None, resume: bool | str,
        seed: int, seconds: float | None, seats: str, server: str | None, **others: Any,
    ) -> Any:  # fmt: skip
        seed_number(seed)
        swap = True if seats == "swapped" else None
        runner = StudyRunner(folder, resume, 1, games, seed, seconds, swap, server, players)
        return run(runner=runner, **others)

    decorated: options.Command = with_runner
    for option in (
        options.json_option,
        click.option("--seed", default=1, help="Seed of all games."),
        partial(options.resume_options, what="the games missing in the files of --out"),
        click.option(
            "--out",
            "folder",
            type=options.FilePath(path_type=Path, file_okay=False),
            help="Folder for the games, one file per match.",
        ),
        options.players_options,
        click.option("--server", metavar="URL", help="Server for the study lund-server."),
        click.option(
            "--seats",
            type=click.Choice(("original", "swapped")),
            default="original",
            help="First player: as in the original, or alternating.",
        ),
        click.option("--seconds", type=float, help="Seconds for a move in timed studies."),
        click.option("--games", type=int, help="Games of each match.  [default: as reported]"),
    ):
        decorated = option(decorated)
    return decorated


@command.command("run", cls=ExperimentCommand, arguments="studies")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@running_options
def run_named(names: tuple[str, ...], runner: StudyRunner, as_json: bool) -> None:
    """Run studies by name; each figure is next to the reported one.

    Matches that measure speed are played by this process, the others by --jobs or --executor. With
    --out the games are stored; after Ctrl-C or a crash, --resume plays the rest.

    \b
    Examples:
      claimeven study run polito-alphabeta
      claimeven study run aifour-match itu-flat --games 20
      claimeven study run itu-uct --seconds 5 --seats swapped
      claimeven study run lund-server --server "http://127.0.0.1:8000/play?agent=uct"
      claimeven study run lund-peer --out studies --json
    """
    _run([study_of(name) for name in dict.fromkeys(names)], runner, as_json)


@command.command("all", cls=ExperimentCommand)
@running_options
def run_all(runner: StudyRunner, as_json: bool) -> None:
    """Run all studies: about nine minutes on two cores, six of them at 3 s a move.

    \b
    Examples:
      claimeven study all
      claimeven study all --games 2
      claimeven study all --out studies
      claimeven study all --out studies --resume --json
    """
    some = [study for study in STUDIES if runner.server or not study.needs_server]
    _run(some, runner, as_json)


def _run(studies: Sequence[Study], runner: StudyRunner, as_json: bool) -> None:
    if runner.seconds is not None and not any(study.is_timed for study in studies):
        raise ClaimevenError("--seconds is for studies with a limit on time, unlike these")
    progress.announce_compilation()
    if runner.folder is not None:
        make_folder(runner.folder)
    begin = time.monotonic()
    results: list[StudyResult] = []
    with clean_stdout() as out, progress.status_line() as line:
        interrupted = _collect(results, studies, runner, line, None if as_json else out)
        seconds = time.monotonic() - begin
        whole = sum(result.is_whole for result in results)
        if as_json:
            data = {
                "studies": [result.as_dict() for result in results],
                "asked": runner.asked,
                "seed": runner.seed,
                "jobs": getattr(runner.executor, "jobs", 1),
                "machine": machine(),
                "seconds": seconds,
                "provenance": describe("result", seed=runner.seed),
            }
            write_json(data, out)
        elif results:
            out.write(f"{whole} of {len(studies)} studies, {seconds:.1f} s\n")
    write_run_file(runner.folder)
    if interrupted:
        progress.exit_interrupted(f"{whole} of {len(studies)} studies", runner.folder)


def _collect(
    results: list[StudyResult],
    studies: Sequence[Study],
    runner: StudyRunner,
    line: progress.StatusLine,
    out: TextIO | None,
) -> bool:
    """Run studies, print their results, also of interrupted ones; return if Ctrl-C came."""
    for place, study in enumerate(studies, start=1):
        finished: list[ExperimentResult] = []
        where = f"study {place} of {len(studies)}, {study.name}: "
        interrupted = False
        try:
            for number in range(len(study.experiments)):
                finished.append(runner.experiment(study, number, _progress(line, where)))
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


def _progress(line: progress.StatusLine, where: str) -> Callable[[int, int, bool], None]:
    begin, resumed = 0.0, 0

    def show(done: int, planned: int, starts: bool) -> None:
        nonlocal begin, resumed
        if starts:
            begin, resumed = time.monotonic(), done
        spent = time.monotonic() - begin
        line.show(lambda: where + progress.count_text(done, planned, "games", spent, resumed))

    return show
