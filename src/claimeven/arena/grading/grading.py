"""Grades of a class: its bots, their measurements and points, files for teacher and students.

Each measurement is made on a fresh copy of the bot's files. The results are plain data without
folders and without times, except the median time of a move.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from claimeven.agents.base import Limit
from claimeven.agents.fingerprint import dependencies_of, digests_of
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.agent import LATE_SECONDS, ProcessAgent
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.registry import AgentLike, make_agent
from claimeven.agents.sanitize import without_address
from claimeven.agents.source_snapshot import DEFAULT_FILES, refusal_of
from claimeven.arena.accuracy.measure import measure_accuracy
from claimeven.arena.accuracy.stored_games import JUDGE_MB
from claimeven.arena.api import play_match
from claimeven.arena.copies import find_copies
from claimeven.arena.grading.rubric import CHECK, EXAMPLE, Rubric, read_rubric
from claimeven.arena.options import CopyOptions
from claimeven.arena.results import fault_texts
from claimeven.arena.validate import check_agent
from claimeven.atomic_io import make_folder, scratch_folder, text_file, write_text
from claimeven.blocks import Sections, Table
from claimeven.errors import ClaimevenError
from claimeven.game.position import Position
from claimeven.game.svg import draw_svg
from claimeven.messages import report
from claimeven.parallel.jobs import Calls, PoolError, made
from claimeven.parallel.pool import LocalWorkers
from claimeven.provenance import version_here
from claimeven.solver.solver import Solver

#: Endings of submissions; files that are not Python are reported as such.
_ENDINGS = (".py", ".ipynb", ".pyc", ".zip", ".7z", ".rar", ".tar", ".gz", ".tgz")
#: Seconds that a measurement waits for a bot that hung in its check; it may hang at least once.
_WAITING = 13.0
#: Plies of the openings of matches.
OPENING_PLIES = 4
_FIGURES = re.compile(r"\d[\d.,e+-]*")
#: The templates of the files of each bot: the names of their folders, and their endings.
_TEMPLATES = {"feedback": ".html", "gradescope": ".json"}
_ENDED = '{"failure": "it ended the process that measured it, three times", "median": null}'

Result = dict[str, Any]


@dataclass(frozen=True)
class Bot:
    """A bot: its file `main` among its `files`, and notes for the teacher, which are no proofs.

    Measurements by a rubric are files in a folder, `store`, so that none is made twice.
    """

    label: str
    main: str
    files: dict[str, bytes]
    notes: tuple[str, ...]
    rubric: Rubric
    store: Path

    def place(self, work: Result = CHECK) -> Path:
        """Return the file of a measurement; its name depends on all that decides the result."""
        rubric, opponent = self.rubric, digests_of(work.get("against", "random"))
        decides = work, opponent, rubric.seed, rubric.seconds, rubric.memory_limit, version_here()
        files = _digest((self.main, sorted(self.files.items())))
        return self.store / self.label / files / f"{_digest(decides)}.json"

    def known(self, work: Result = CHECK) -> Result:
        """Return a stored measurement, or an empty result."""
        with suppress(OSError, ValueError):
            return dict(json.loads(self.place(work).read_bytes()))
        return {}

    def add(self, work: Result, text: str) -> None:
        """Store a measurement as JSON."""
        make_folder(self.place(work).parent)
        write_text(self.place(work), text)

    def uses(self, forbidden: Sequence[str]) -> list[str]:
        """Return the forbidden names that its code uses, such as `claimeven.solver` or `exec`.

        Code may find objects in other ways, so a name that is missing proves nothing.
        """
        code, found = "", []
        for data in (data for name, data in self.files.items() if name.endswith(".py")):
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                code += ast.unparse(ast.parse(data)) + "\n"
        for module, alias in re.findall(r"^ *import ([\w.]+) as (\w+)", code, re.MULTILINE):
            code = re.sub(rf"\b{alias}\.", f"{module}.", code)
        for name in forbidden:
            whole, (package, _, last) = re.escape(name), map(re.escape, name.rpartition("."))
            sign = rf"(?<![\w.]){whole}" + (r"\b" if package else "[(.]")
            sign += rf"|\b(import|from) {whole}\b|\bfrom {package} import (.*\b{last}\b|\*)"
            found += [name] if re.search(sign, code) else []
        return found


def find_bots(paths: Sequence[str | Path], rubric: Rubric, store: Path) -> list[Bot]:
    """Return the bots in a folder, or of several files and folders; each folder in it is one bot.

    Names with a leading dot or underscore are left out. Neighbors that a file imports or reads
    belong to the bot, except other bots. Notes name files that are alike. Raises `InvalidSpec`.
    """
    places = [Path(path) for path in paths]
    for place in places:
        if not place.exists():
            raise InvalidSpec(str(refusal_of(str(place))))
    if len(places) == 1 and places[0].is_dir():
        places = [each for each in sorted(places[0].iterdir()) if _is_bot(each)]
    if not places:
        raise InvalidSpec(
            f"{paths[0]} has no bots: expected files such as ann.py, or a folder for each bot"
        )
    stems = Counter(place.stem.casefold() for place in places)
    labels = [each.stem if stems[each.stem.casefold()] == 1 else each.name for each in places]
    if twice := [label for label, n in Counter(map(str.casefold, labels)).items() if n > 1]:
        raise InvalidSpec(f"two bots are called {twice[0]}: rename one of them")
    mains = [_main_of(place).resolve() for place in places]
    label_of, bots = dict(zip(mains, labels, strict=True)), []
    code = [str(main) for main in mains if main.suffix == ".py"]
    given = [rubric.template] * bool(rubric.template)
    alike = find_copies(code, CopyOptions(positions=0), given).findings if code[1:] else ()
    for place, main in zip(places, mains, strict=True):
        root, needed = main.parent, dependencies_of(main) if main.suffix == ".py" else [main]
        named = [label_of[path] for path in needed if path in label_of and path != main]
        named[3:] = [f"{len(named) - 3} more"] * (len(named) > 3)
        notes = [f"its code names bots that it could not find: {', '.join(named)}"] * bool(named)
        for each in (each for each in alike if str(main) in each.agents):
            others = [label_of[Path(name)] for name in each.agents if name != str(main)]
            notes.append(f"{each.kind} with {', '.join(others)} ({each.share:.0%})")
        if place.is_dir():
            root, needed = place.resolve().parent, sorted(place.resolve().rglob("*"))
            rest = [name for name in DEFAULT_FILES if (main.parent / name).is_file()][1:]
            notes += [f"{main.name} plays, and not {' or '.join(rest)}"] * bool(rest)
        files = {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in needed
            if path == main or (path.suffix != ".pyc" and path not in label_of)
            if path.is_file() and path.is_relative_to(root)
        }
        name = main.relative_to(root).as_posix()
        bots.append(Bot(label_of[main], name, files, tuple(notes), rubric, store))
    return bots


def _is_bot(place: Path) -> bool:
    files = [place] if place.is_file() else [each for each in place.rglob("*") if each.is_file()]
    has_code = not files or any(each.suffix in _ENDINGS for each in files)
    return has_code and not place.name.startswith((".", "_"))


def _main_of(place: Path) -> Path:
    """Return the file of a bot: in a folder one with a common name, or its only one."""
    names = [place / name for name in (*DEFAULT_FILES, f"{place.name}.py", "__init__.py")]
    named, files = (
        [path for path in names if path.is_file()],
        [*place.rglob("*.py")] or [*place.rglob("*.ipynb")],
    )
    return named[0] if named else files[0] if len(files) == 1 else place


def measure_bot(solver: Solver, bot: Bot) -> None:
    """Make the missing measurements of a bot; a bot that never answered plays no games."""
    calls = {"check": _check, "match": _match, "accuracy": _accuracy}
    rubric = bot.rubric
    for work in (CHECK, *(each.work for each in rubric.criteria)):
        if not bot.known(work):
            with scratch_folder() as folder:
                for name, data in bot.files.items():
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (folder / name).write_bytes(data)
                # Relative paths lead to the copy, unless the opponent is a file.
                place = Path.cwd() if digests_of(work.get("against", "random")) else folder
                kinds = [each["kind"] for each in bot.known().get("faults", ())]
                try:
                    with chdir(place), _agent_of(bot, folder, "stall" in kinds) as agent:
                        result = calls[work["test"]](rubric, work, agent, solver)
                except ClaimevenError as error:  # no Python file, or it loads only sometimes
                    result = {"failure": str(error), "median": None}
            # Texts are the same in every folder and process.
            text = json.dumps(result).replace(json.dumps(f"{folder}{os.sep}")[1:-1], "")
            bot.add(work, without_address(text))
        if bot.known()["median"] is None:
            return


@contextmanager
def _agent_of(bot: Bot, folder: Path, is_hanging: bool) -> Iterator[AgentLike]:
    """Yield the spec of a bot, or an agent that is not asked again after a few stalls.

    One that hung in its check would cost its limit again in each game and position.
    """
    place, rubric = folder / bot.main, bot.rubric
    if not place.is_file():
        found = ", ".join([name for name in bot.files if name.endswith(_ENDINGS)][:5]) or "none"
        wanted = f"one Python file, or {bot.main}/agent.py"
        raise InvalidSpec(f"{bot.main} must have {wanted}, got {found}")
    if not is_hanging:
        yield str(place)
        return
    limit = Limit(seconds=rubric.seconds)
    sandbox = Sandbox(memory_limit_mb=rubric.memory_limit, quiet=True)
    with closing(make_agent(str(place), None, limit, sandbox)) as agent:
        if isinstance(agent, ProcessAgent):
            agent.stalls_left = max(1, int(_WAITING // (limit.deadline + LATE_SECONDS)))
            agent.patience = agent.patience or _WAITING
        yield agent


def _check(rubric: Rubric, work: Result, agent: Any, solver: Solver) -> Result:
    found: Result = check_agent(
        agent, limit=Limit(seconds=rubric.seconds), memory_limit_mb=rubric.memory_limit,
        seed=rubric.seed, is_timeless=True,
    ).as_dict()  # fmt: skip
    for each in found["faults"]:
        if each["moves"] is None:  # figures of memory and of processes differ from run to run
            each["reason"] = _FIGURES.sub("N", each["reason"])
    names = "plays", "failure", "traceback", "advice", "faults", "notes"
    return {**{name: found[name] for name in names}, "median": found["seconds_median"]}


def _match(rubric: Rubric, work: Result, agent: Any, solver: Solver) -> Result:
    found = play_match(
        agent, work["against"], games=work["games"], seed=rubric.seed, seconds=rubric.seconds,
        memory_limit=rubric.memory_limit, quiet=True, keep_decisions=False,
        openings="balanced", opening_plies=OPENING_PLIES,
    )  # fmt: skip
    lost = [game.all_moves for game in found.games if game.points(0) == 0 and game.fault is None]
    return {
        "score": found.scores[0], "wins": found.wins, "draws": found.draws, "lost": lost[:1],
        "forfeits": [*fault_texts(found.faults[0])],
    }  # fmt: skip


def _accuracy(rubric: Rubric, work: Result, agent: Any, solver: Solver) -> Result:
    found = measure_accuracy(
        agent, count=work["positions"], limit=Limit(seconds=rubric.seconds), seed=rubric.seed,
        sandbox=Sandbox(memory_limit_mb=rubric.memory_limit, quiet=True),
    )  # fmt: skip
    accuracy, worst = found.accuracy, list[Result]()
    tallies = {"perfect": accuracy.all, "wins": accuracy.wins, "blocks": accuracy.blocks}
    means = {name: tally.mean("perfect") for name, tally in tallies.items()}
    means["keeps"] = accuracy.decisive.mean("keeps_result")
    for each in accuracy.blunders(1):
        texts = [column.text(each.move.position) for column in each.explained(solver)]
        worst.append({**each.as_dict(), "texts": texts})
    # A position without an answer counts as a wrong one; after many faults no more are asked.
    answered = 0 if found.stopped else found.answered / max(1, found.asked)
    return {
        **{name: (mean or 0.0) * answered for name, mean in means.items()},
        "faults": [*fault_texts(found.failed)], "stopped": found.stopped,
        "worst": worst,
    }  # fmt: skip


def _digest(value: object) -> str:
    return hashlib.blake2b(repr(value).encode(), digest_size=12).hexdigest()


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
    points, texts = dict[str, float](), dict[str, str]()
    notes = [*filter(None, [check["failure"]]), *bot.notes]
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
    while True:
        try:
            results = calls.results(bots, LocalWorkers(jobs, on_message))
            for done, _ in enumerate(results, start=1):
                on_progress(done, len(bots))
            break
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
