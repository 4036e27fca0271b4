"""Grades of a class: the points of its bots by a rubric, and the files for teacher and students."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from claimeven.agents.registry import make_agent
from claimeven.arena.accuracy.stored_games import JUDGE_MB
from claimeven.arena.grading.bots import Bot, find_bots
from claimeven.arena.grading.measure import BotJob, Result, measure_bot
from claimeven.arena.grading.rubric import Criterion, Rubric, read_rubric
from claimeven.atomic_io import make_folder, text_file, write_text
from claimeven.blocks import Sections, Table
from claimeven.game.position import Position
from claimeven.game.svg import draw_svg
from claimeven.messages import report
from claimeven.parallel.jobs import Calls, PoolError, made
from claimeven.parallel.pool import LocalWorkers
from claimeven.solver.solver import Solver

#: The files of a bot: folders, and their endings.
_OF_BOT = {"feedback": ".html", "gradescope": ".json"}
_ENDED = {"failure": "it ended the process that measured it, three times", "median": None}


@dataclass(frozen=True)
class Grade:
    """The grade of a bot: what was found by its check, and the result for each criterion."""

    bot: Bot
    check: Result
    results: tuple[tuple[Criterion, Result], ...]

    @cached_property
    def points(self) -> list[tuple[Criterion, float, str]]:
        """The points for each criterion, and the reason in words."""
        found = []
        for each, result in self.results:
            numbers = {
                "loads": 1, "faults": len(self.check.get("faults", ())),
                "match": result.get("score"), "time": self.check["median"],
            }  # fmt: skip
            value = (
                None if self.check["failure"] else numbers.get(each.test, result.get(each.measure))
            )
            used = self.bot.uses(each.forbid)
            value = len(used) if each.test == "imports" else value
            text = _ENVIRONMENT.get_template("outcome.txt").render(
                of=each, value=value, check=self.check, result=result, used=used
            )
            found.append((each, each.points_for(value), " ".join(text.split())))
        return found

    @property
    def total(self) -> float:
        """The sum of its points, with bonus."""
        return sum(points for _, points, _ in self.points)

    @property
    def notes(self) -> list[str]:
        """Observations for the teacher: reasons to look at the file, no proofs."""
        named = [f"its code names {each}, which it could not find" for each in self.bot.named]
        hidden = [text for of, _, text in self.points if text and not of.most]
        return [*named, *hidden, *self.check.get("notes", ())]


@dataclass(frozen=True)
class Grades:
    """The grades of a class."""

    rubric: Rubric
    bots: tuple[Grade, ...]

    def final(self, grade: Grade) -> float:
        """Return the total of a bot, on the scale of the rubric."""
        return round(grade.total * self.rubric.scaled / (self.rubric.most or 1), 2)

    def rows(self) -> list[dict[str, Any]]:
        """Return the row of each bot in grades.csv."""
        return [
            {
                "bot": each.bot.label,
                "grade": self.final(each),
                **{of.label: points for of, points, _ in each.points},
                "notes": "; ".join(each.notes),
            }
            for each in self.bots
        ]

    @property
    def most(self) -> dict[str, float]:
        """The greatest grade, and the most points for each criterion."""
        return {
            "grade": self.rubric.scaled, **{of.label: of.most for of in self.rubric.criteria}
        }  # fmt: skip

    def sections(self) -> Sections:
        """Return the table of points, and the notes."""
        rows, most = self.rows(), self.most
        table = [[row["bot"], *(f"{row[name]:g}" for name in most)] for row in rows]
        table.append(["of", *(f"{number:g}" for number in most.values())])
        notes = [f"- {row['bot']}: {row['notes']}" for row in rows if row["notes"]]
        return Sections([[Table(["bot", *most], table)], notes])

    def write(self, folder: Path) -> None:
        """Write grades.csv, junit.xml, and for each bot a page and a file of JSON."""
        rows = self.rows()
        with text_file(folder / "grades.csv") as stream:
            writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        junit = _ENVIRONMENT.get_template("junit.xml").render(grades=self)
        write_text(folder / "junit.xml", junit)
        for name, ending in _OF_BOT.items():
            make_folder(folder / name)
            template = _ENVIRONMENT.get_template(name + ending)
            for each in self.bots:
                text = template.render(grades=self, grade=each)
                write_text(folder / name / f"{each.bot.label}{ending}", text)


def grade_agents(
    paths: Sequence[str | Path],
    rubric: str | Path | None = None,
    *,
    out: str | Path = "grades",
    jobs: int = 1,
    on_progress: Callable[[int, int], object] = lambda done, total: None,
    on_message: Callable[[str], object] | None = None,
) -> Grades:
    """Grade the bots in a folder, or of several files, by a rubric in a file; write the grades.

    Measurements are stored in the folder `out`, so an interrupted run continues, and only a changed
    bot is measured again. The same files and rubric give the same bytes. Each bot runs in separate
    processes, on a copy of its files. `on_progress` gets the bots done, and all. Raises
    `InvalidGrading`, `InvalidRubric`, `CannotWrite`, and `InvalidSpec` for an opponent.
    """
    chosen = read_rubric(rubric)
    for opponent in filter(None, (each.against for each in chosen.criteria)):
        make_agent(opponent).close()
    work = [BotJob(chosen, bot, Path(out) / "measured") for bot in find_bots(paths)]
    make_folder(out)
    for job in work:
        place = job.place(job.rubric.works[0]).parent
        if place.parent.exists() and not place.exists():
            report(on_message, f"{job.bot.label} has changed, so it is measured again")
    calls = Calls(measure_bot, partial(made, partial(Solver, table_mb=JUDGE_MB)), "bot")
    left = work
    while left:
        try:
            for done, _ in enumerate(calls.results(left, LocalWorkers(jobs, on_message))):
                on_progress(len(work) - len(left) + done + 1, len(work))
            break
        except PoolError as error:
            if error.job is None:
                raise
            job = left[error.job]
            job.add(next(each for each in chosen.works if not job.known(each)), _ENDED)
    found = Grades(chosen, tuple(
        Grade(job.bot, job.known(chosen.works[0]), tuple(
            (each, job.known(each.work)) for each in chosen.criteria
        )) for job in work
    ))  # fmt: skip
    found.write(Path(out))
    return found


def _board(moves: str, column: int | None = None, scores: list[int | None] | None = None) -> Markup:
    position = Position.from_moves(moves)
    after = position if column is None else position.play(column)
    return Markup(draw_svg(after, column, scores, bare=True))


_ENVIRONMENT = Environment(
    loader=PackageLoader("claimeven.arena.grading", "template"),
    autoescape=lambda name: str(name).endswith(("html", "xml")),
    trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
)  # fmt: skip
_ENVIRONMENT.globals["board"] = _board
