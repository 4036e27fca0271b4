"""`claimeven study`: the experiments of the originals, run here and set beside what they told."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claimeven.cli.json_lines import write_json
from claimeven.cli.main import INTERRUPTED
from claimeven.cli.options import Command, check_seed, cores, json_option
from claimeven.cli.progress import StatusLine, count_text, say_when_compiling, status_line
from claimeven.cli.streams import clean_stdout, text_width
from claimeven.cli.study_report import list_lines, study_lines
from claimeven.cli.verbs import Verbs

if TYPE_CHECKING:
    from claimeven.arena.studies import Study, StudyResult


@click.group("study", cls=Verbs)
def command() -> None:
    """The classic studies: what the originals reported, run here and set beside it.

    \b
    Examples:
      claimeven study list
      claimeven study run polito-alphabeta
      claimeven study all --games 20
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
    from claimeven.arena.studies import STUDIES  # noqa: PLC0415 - for a quick start

    if as_json:
        told = [
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
            write_json({"studies": told}, out)
        return
    for line in list_lines(STUDIES, text_width()):
        click.echo(line)


def running_options(run: Command) -> Command:
    """Add the options of what runs studies."""
    for option in (
        json_option,
        click.option("--seed", default=1, show_default=True, help="Decides all but the clock."),
        click.option("--resume", is_flag=True, help="Play what the files of --out do not hold."),
        click.option(
            "--out",
            "folder",
            type=click.Path(path_type=Path, file_okay=False),
            help="Folder to keep the games in, a file a match.",
        ),
        click.option("--jobs", type=int, help="Processes that play games; usually one a core."),
        click.option("--games", type=int, help="Games of a match at most, for a quick look."),
    ):
        run = option(run)
    return run


@command.command("run")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@running_options
@click.pass_context
def run_named(
    ctx: click.Context,
    names: tuple[str, ...],
    games: int | None,
    jobs: int | None,
    folder: Path | None,
    resume: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Run studies by name; each figure stands beside the one reported then.

    Matches that tell of speed are played by one process, the others by --jobs. With --out the
    games are kept; after Ctrl-C, or a crash, --resume plays the rest.

    \b
    Examples:
      claimeven study run polito-alphabeta
      claimeven study run aifour-match itu-flat --games 20
      claimeven study run lund-peer --out studies --json
    """
    from claimeven.arena.studies import study_of  # noqa: PLC0415 - for a quick start

    studies = [study_of(name) for name in dict.fromkeys(names)]
    _run(ctx, studies, games, jobs, folder, resume, seed, as_json)


@command.command("all")
@running_options
@click.pass_context
def run_all(
    ctx: click.Context,
    games: int | None,
    jobs: int | None,
    folder: Path | None,
    resume: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Run all studies: some ten minutes on two cores, most of it at 3 s a move.

    \b
    Examples:
      claimeven study all
      claimeven study all --games 10
      claimeven study all --out studies
      claimeven study all --out studies --resume --json
    """
    from claimeven.arena.studies import STUDIES  # noqa: PLC0415 - for a quick start

    _run(ctx, STUDIES, games, jobs, folder, resume, seed, as_json)


def _run(
    ctx: click.Context,
    studies: Sequence[Study],
    games: int | None,
    jobs: int | None,
    folder: Path | None,
    resume: bool,
    seed: int,
    as_json: bool,
) -> None:
    from claimeven.arena.studies.machine import machine  # noqa: PLC0415 - for a quick start

    check_seed(seed)
    say_when_compiling()
    begin = time.monotonic()
    results: list[StudyResult] = []
    interrupted = False
    jobs = cores() if jobs is None else jobs
    with clean_stdout() as out, status_line() as line:
        try:
            for result in _results(studies, games, jobs, folder, resume, seed, line):
                results.append(result)
                if not as_json:
                    line.clear()
                    out.writelines(text + "\n" for text in study_lines(result, text_width(out)))
                    out.write("\n")
                    out.flush()
        except KeyboardInterrupt:
            interrupted = True
        seconds = time.monotonic() - begin
        line.clear()
        if as_json:
            told = {
                "studies": [result.as_dict() for result in results],
                "seed": seed,
                "jobs": jobs,
                "machine": machine(),
                "seconds": seconds,
            }
            write_json(told, out)
        elif results:
            out.write(f"{len(results)} of {len(studies)} studies, {seconds:.1f} s\n")
    if interrupted:
        told_how = f"; go on with: --out {folder} --resume" if folder is not None else ""
        click.echo(
            f"interrupted after {len(results)} of {len(studies)} studies{told_how}", err=True
        )
        ctx.exit(INTERRUPTED)


def _results(
    studies: Sequence[Study],
    games: int | None,
    jobs: int,
    folder: Path | None,
    resume: bool,
    seed: int,
    line: StatusLine,
) -> Iterator[StudyResult]:
    """Yield each study as it is finished, showing how far the match at hand is."""
    from claimeven.arena.studies import Bench  # noqa: PLC0415 - for a quick start

    for number, study in enumerate(studies, start=1):
        begin = time.monotonic()
        where = f"study {number} of {len(studies)}, {study.name}"

        def watch(done: int, planned: int, where: str = where, begin: float = begin) -> None:
            line.show(
                lambda: f"{where}: {count_text(done, planned, 'games', time.monotonic() - begin)}"
            )

        yield Bench(folder, resume, jobs, games, seed, watch).run(study)
