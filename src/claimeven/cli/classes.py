"""`claimeven copies` and `grade`: the bots of a class."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path

import click

from claimeven.arena.copies import CHOICES, CODE, SHARED, CopyReport, find_copies
from claimeven.arena.grading.grading import grade_agents
from claimeven.arena.grading.rubric import EXAMPLE
from claimeven.arena.options import CopyOptions
from claimeven.arena.tournaments.run import brief_labels
from claimeven.blocks import Sections, Table
from claimeven.cli.common import options
from claimeven.cli.common.output import write_result
from claimeven.cli.common.progress import announce_compilation, notify, resumable_file, status_line
from claimeven.cli.common.streams import clean_stdout
from claimeven.errors import ClaimevenError
from claimeven.parallel.executors import usable_cores
from claimeven.provenance import describe
from claimeven.review.claims import join_words

_CARE = (
    "This is evidence and no verdict: teams, given code (--template) and textbooks have the same"
    " effect. Compare the files side by side. The chance is for one pair of independent agents that"
    " agree with the others as much as these do."
)
#: Units of the extents, and the lines below which equal code is no surprise.
_UNITS = {SHARED: "runs of nodes", CHOICES: "positions"}
_SHORT = 6


@click.command("copies")
@click.argument("specs", metavar="FILE...", nargs=-1, required=True, type=options.AGENT)
@click.option(
    "--template", "templates", type=options.FilePath(), multiple=True,
    help="Code that the class was given: it does not count.",
)  # fmt: skip
@options.option_group(CopyOptions, "asked")
@options.json_option
@click.pass_context
def copies(
    ctx: click.Context,
    specs: tuple[str, ...],
    templates: tuple[str, ...],
    asked: CopyOptions,
    as_json: bool,
) -> None:
    """Look for agents that may be copies, by their files and by the columns they choose.

    Files are compared as texts, as code up to names, comments, layout and order, and by the share
    of their code that is in both. Then all agents choose columns in positions without an obvious
    one. Equal choices are reported with their probability for independent agents, or with the
    bundled agent that both play like. An agent that fails is named, and compared only by its file.

    The exit status is 0 without evidence, 1 with evidence, and 2 for bad input.

    \b
    Examples:
      claimeven copies bots/*.py
      claimeven copies bots/*.py --template given.py
      claimeven copies bots/*.py --positions 0
      claimeven copies bots/*.py --seconds 1 --jobs 4 --json
    """
    announce_compilation()
    with clean_stdout() as out:
        with status_line() as line:
            found = find_copies(
                specs, asked, templates, lambda done, of: line.count(done, of, "answers")
            )
        data = {**asdict(found), "provenance": describe("result", seed=asked.seed)}
        write_result(as_json, data, _sections(found), out)
    ctx.exit(any(each.like is None for each in found.findings))


def _sections(found: CopyReport) -> Sections:
    label = dict(zip(found.agents, brief_labels(found.agents), strict=True))
    rows, notes = list[list[str]](), list[str]()
    for each in found.findings:
        names = [label[spec] for spec in each.agents]
        extent = f"{each.share:.0%} of {each.total:,} {_UNITS.get(each.kind, 'lines')}"
        chance = f"1 in {min(1 / each.chance, 1e6):,.0f}" if each.chance else "-"
        rows.append([", ".join(names), each.kind, extent, chance])
        if each.like is not None:
            notes.append(f"{join_words(names)} play like {each.like}: they agree without copying.")
        elif each.kind == CODE and each.total < _SHORT:
            notes.append(f"The code of {join_words(names)} is so short that it may be independent.")
    pairs = math.comb(len(label), 2)
    head = f"{len(label)} agents, {pairs:,} pair{'s' * (pairs > 1)}, {found.positions} positions"
    table = Table(["agents", "evidence", "extent", "by chance"], rows)
    return Sections([
        [head],
        [table] if rows else ["No agents are more alike than independent agents may be."],
        notes + [_CARE] * bool(rows),
        [f"{label[spec]}: choices not compared: {why}" for spec, why in found.left_out.items()],
    ])  # fmt: skip


@click.command("grade")
@click.argument("paths", metavar="[FOLDER|FILE...]", nargs=-1, type=options.FilePath())
@options.file_option("--rubric", metavar="FILE.toml", help="The criteria.  [default: built in]")
@click.option("--rubric-example", is_flag=True, help="Print the default rubric and exit.")
@options.file_option("--out", metavar="DIR", help="Folder for the grades.", default=Path("grades"))
@click.option("--jobs", type=click.IntRange(1), help="Worker processes.  [default: one per core]")
@options.json_option
def grade(
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
    announce_compilation()
    with clean_stdout() as stdout:
        with status_line() as line, resumable_file(out / "measured"):
            found = grade_agents(
                paths, rubric or EXAMPLE, out=out, jobs=jobs or usable_cores(),
                on_progress=line.reporter("{} of {} bots"), on_message=notify,
            )  # fmt: skip
        written = f"written to {out}: grades.csv, junit.xml, gradescope, feedback"
        data = {"out": str(out), "of": found.most, "bots": found.rows()}
        write_result(as_json, data, [*found.sections(), [written]], stdout)
