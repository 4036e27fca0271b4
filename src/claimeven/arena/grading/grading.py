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
from claimeven.arena.grading.bots import Bot, Result, find_bots, measure_bot
from claimeven.arena.grading.rubric import CHECK, Criterion, Rubric, read_rubric
from claimeven.atomic_io import make_folder, text_file, write_text
from claimeven.blocks import Sections, Table
from claimeven.game.position import Position
from claimeven.game.svg import draw_svg
from claimeven.messages import report
from claimeven.parallel.jobs import Calls, PoolError, made
from claimeven.parallel.pool import LocalWorkers
from claimeven.solver.solver import Solver

#: The templates of the files of each bot: the names of their folders, and their endings.
_TEMPLATES = {"feedback": ".html", "gradescope": ".json"}
_ENDED = {"failure": "it ended the process that measured it, three times", "median": None}


@dataclass(frozen=True)
class Grade:
    """The grade of a bot: its check, and the measurement for each criterion, empty if not made."""

    bot: Bot
    check: Result
    results: tuple[tuple[Criterion, Result], ...]

    @cached_property
    def points(self) -> list[tuple[Criterion, float, str]]:
        """The points for each criterion, and the reason in words."""
        return [self._judged(*each) for each in self.results]

    def _judged(self, of: Criterion, result: Result) -> tuple[Criterion, float, str]:
        value, used = None, self.bot.uses(of.forbid)
        if of.test == "imports":
            value = len(used)
        elif not self.check["failure"]:
            faults, measured = self.check["faults"], {"match": "score", "time": "median"}
            counts = {"loads": 1, "faults": len(faults)}
            value = counts.get(of.test, result.get(measured.get(of.test, of.measure)))
        template = _ENVIRONMENT.get_template("outcome.txt")
        text = template.render(of=of, value=value, check=self.check, result=result, used=used)
        return of, of.points_for(value), " ".join(text.split())

    @property
    def total(self) -> float:
        """The sum of its points, with bonus."""
        return sum(points for _, points, _ in self.points)

    @property
    def notes(self) -> list[str]:
        """Observations for the teacher: reasons to look at the file, no proofs."""
        names = self.bot.named
        named = [f"its code names bots that it could not find: {', '.join(names)}"] * bool(names)
        hidden = [text for of, _, text in self.points if text and not of.most]
        return [*named, *hidden, *self.check.get("notes", ())]


@dataclass(frozen=True)
class Grades:
    """The grades of a class."""

    rubric: Rubric
    bots: tuple[Grade, ...]

    @property
    def most(self) -> dict[str, float]:
        """The best grade, and the most points for each criterion."""
        best = self.rubric.out_of or self.rubric.most
        return {"grade": best, **{each.label: each.most for each in self.rubric.criteria}}

    def final(self, grade: Grade) -> float:
        """Return the total of a bot, on the scale of the rubric."""
        return round(grade.total * self.most["grade"] / (self.rubric.most or 1), 2)

    def rows(self) -> list[dict[str, Any]]:
        """Return the row of each bot in grades.csv."""
        rows = []
        for each in self.bots:
            points = {of.label: number for of, number, _ in each.points}
            name = {"name": self.rubric.names.get(each.bot.label, "")} if self.rubric.names else {}
            row = {"bot": each.bot.label, **name, "grade": self.final(each), **points}
            rows.append({**row, "notes": "; ".join(each.notes)})
        return rows

    def sections(self) -> Sections:
        """Return the table of points, and the notes."""
        heads, rows = ["bot", *self.most], [*self.rows(), {"bot": "of", **self.most}]
        table = [[row["bot"], *(f"{row[name]:g}" for name in self.most)] for row in rows]
        notes = [f"- {row['bot']}: {row['notes']}" for row in rows if row.get("notes")]
        return Sections([[Table(heads, table)], notes])

    def write(self, folder: Path) -> None:
        """Write grades.csv, junit.xml, and for each bot a page and a file of JSON."""
        rows = self.rows()
        with text_file(folder / "grades.csv") as stream:
            writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        junit = _ENVIRONMENT.get_template("junit.xml").render(grades=self)
        write_text(folder / "junit.xml", junit)
        for name, ending in _TEMPLATES.items():
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
    `InvalidRubric`, `InvalidSpec` for a folder without bots or an unknown agent, `CannotWrite`.
    """
    chosen = read_rubric(rubric)
    for opponent in filter(None, (each.against for each in chosen.criteria)):
        make_agent(opponent).close()
    bots = find_bots(paths, chosen, Path(out) / "measured")
    make_folder(out)
    if missing := sorted({*chosen.names} - {bot.label for bot in bots}):
        report(on_message, f"no file of {', '.join(missing)}, named in the rubric")
    for bot in bots:
        files = bot.place().parent
        if files.parent.exists() and not files.exists():
            report(on_message, f"{bot.label} has changed, so it is measured again")
    calls = Calls(measure_bot, partial(made, partial(Solver, table_mb=JUDGE_MB)), "bot")
    is_done = False
    while not is_done:
        try:
            results = calls.results(bots, LocalWorkers(jobs, on_message))
            for done, _ in enumerate(results, start=1):
                on_progress(done, len(bots))
            is_done = True
        except PoolError as error:
            if error.job is None:
                raise
            works = [CHECK, *(each.work for each in chosen.criteria)]
            bot = bots[error.job]
            bot.add(next(work for work in works if not bot.known(work)), _ENDED)
    found = Grades(chosen, tuple(
        Grade(bot, bot.known(), tuple((each, bot.known(each.work)) for each in chosen.criteria))
        for bot in bots
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
