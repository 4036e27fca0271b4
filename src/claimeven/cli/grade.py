"""`claimeven grade`: grade the bots of a class by a rubric."""

from __future__ import annotations

from pathlib import Path

import click

from claimeven.arena.grading.grading import grade_agents
from claimeven.arena.grading.rubric import EXAMPLE
from claimeven.cli.common import options, progress
from claimeven.cli.common.output import write_result
from claimeven.cli.common.streams import clean_stdout
from claimeven.errors import ClaimevenError
from claimeven.parallel.executors import usable_cores


@click.command("grade")
@click.argument("paths", metavar="[FOLDER|FILE...]", nargs=-1, type=options.FilePath())
@options.file_option("--rubric", metavar="FILE.toml", help="The criteria.  [default: built in]")
@click.option("--rubric-example", is_flag=True, help="Print the default rubric and exit.")
@options.file_option("--out", metavar="DIR", help="Folder for the grades.", default=Path("grades"))
@click.option("--jobs", type=click.IntRange(1), help="Worker processes.  [default: one per core]")
@options.json_option
def command(
    paths: tuple[str, ...],
    rubric: Path | None,
    rubric_example: bool,
    out: Path,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Grade the bots of a class: a table, files for other programs, a page for each student.

    A bot is a Python file in FOLDER, or a folder in it. The rubric has points for loading, faults,
    scores against agents, accuracy, time and imports. The folder of --out gets grades.csv,
    junit.xml, gradescope/BOT.json (Gradescope's results.json) and feedback/BOT.html.

    After Ctrl-C or a kill the same command continues. A changed bot is graded again. Grades are the
    same in every run, except for moves close to a limit of time.

    \b
    Examples:
      claimeven grade bots/
      claimeven grade --rubric-example > rubric.toml
      claimeven grade bots/ --rubric rubric.toml --out grades-1
      claimeven grade ann.py bob.py --json
    """
    if rubric_example:
        click.echo(EXAMPLE.read_text("utf-8"), nl=False)
        return
    if not paths:
        raise ClaimevenError("name the folder of the bots, such as: claimeven grade bots/")
    progress.announce_compilation()
    with clean_stdout() as stdout:
        with progress.status_line() as line, progress.resumable_file(out / "measured"):
            found = grade_agents(
                paths, rubric or EXAMPLE, out=out, jobs=jobs or usable_cores(),
                on_progress=line.reporter("{} of {} bots"), on_message=progress.notify,
            )  # fmt: skip
        written = f"written to {out}: grades.csv, junit.xml, gradescope, feedback"
        data = {"out": str(out), "of": found.most, "bots": found.rows()}
        write_result(as_json, data, [*found.sections(), [written]], stdout)
