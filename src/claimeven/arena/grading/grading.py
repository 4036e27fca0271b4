"""Grades of a class: the points of its bots by a rubric, and the files for teacher and students."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from claimeven.agents.registry import make_agent
from claimeven.arena.accuracy.stored_games import JUDGE_MB
from claimeven.arena.grading.bots import Bot, Result, find_bots, measure_bot
from claimeven.arena.grading.rubric import CHECK, EXAMPLE, Rubric, read_rubric
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
_ENDED = '{"failure": "it ended the process that measured it, three times", "median": null}'


@dataclass(frozen=True)
class Grades:
    """The grades of a class: for each bot plain data, with all that its files show."""

    rubric: Rubric
    bots: tuple[Result, ...]

    @property
    def most(self) -> dict[str, float]:
        """The best grade, and the most points for each criterion."""
        best = self.rubric.out_of or self.rubric.most
        return {"grade": best, **{of.label: of.most for of in self.rubric.criteria if of.most}}

    def rows(self) -> list[Result]:
        """Return the row of each bot in grades.csv."""
        names = ["bot", *["name"] * bool(self.rubric.names), *self.most, "notes"]
        return [{name: ({**each, **each["points"]})[name] for name in names} for each in self.bots]

    def sections(self) -> Sections:
        """Return the table of points, and the notes."""
        rows: list[Result] = [*self.rows(), {"bot": "of", **self.most, "notes": ""}]
        table = [[row["bot"], *(f"{row[name]:g}" for name in self.most)] for row in rows]
        notes = [f"- {row['bot']}: {row['notes']}" for row in rows if row["notes"]]
        return Sections([[Table(["bot", *self.most], table)], notes])

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
                text = template.render(grades=self, **each)
                write_text(folder / name / f"{each['bot']}{ending}", text)


def _graded(bot: Bot) -> Result:
    """Return the grade of a bot: points, reasons in words, notes, and its measurements."""
    rubric, check = bot.rubric, bot.known()
    points, texts, notes = dict[str, float](), dict[str, str](), list(bot.notes)
    for each in rubric.criteria:
        result, used = bot.known(each.work), bot.uses(each.forbid)
        numbers = {
            "loads": 1, "faults": len(check.get("faults", ())), "match": result.get("score"),
            "time": check["median"],
        }  # fmt: skip
        value = None if check["failure"] else numbers.get(each.test, result.get(each.measure))
        value = len(used) if each.test == "imports" else value
        template = _ENVIRONMENT.get_template("outcome.txt")
        text = template.render(of=each, value=value, check=check, result=result, used=used)
        points[each.label], texts[each.label] = each.points_for(value), " ".join(text.split())
        notes += [texts[each.label]] * (not each.most and bool(used))
    total, name = sum(points.values()), rubric.names.get(bot.label, "")
    grade = round(total * (rubric.out_of or rubric.most) / (rubric.most or 1), 2)
    return {
        "bot": bot.label, "name": name, "grade": grade, "total": total, "points": points,
        "texts": texts, "notes": "; ".join([*notes, *check.get("notes", ())]), "check": check,
        "file": bot.main, "results": [(each, bot.known(each.work)) for each in rubric.criteria],
    }  # fmt: skip


def grade_agents(
    paths: Sequence[str | Path],
    rubric: str | Path = EXAMPLE,
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
    found = Grades(chosen, tuple(map(_graded, bots)))
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
