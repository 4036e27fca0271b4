"""The bots of a class, and measurements of them, each on a fresh copy of the bot's files.

The results are plain data without folders and without times, except the median time of a move.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import chdir, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimeven.agents.base import Limit
from claimeven.agents.fingerprint import dependencies_of, digests_of
from claimeven.agents.options import InvalidSpec
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.sanitize import without_address
from claimeven.agents.source_snapshot import DEFAULT_FILES, refusal_of
from claimeven.arena.accuracy.measure import measure_accuracy
from claimeven.arena.api import play_match
from claimeven.arena.copies import find_copies
from claimeven.arena.grading.rubric import CHECK, Rubric
from claimeven.arena.options import CopyOptions
from claimeven.arena.results import fault_texts
from claimeven.arena.validate import check_agent
from claimeven.atomic_io import make_folder, scratch_folder, write_text
from claimeven.errors import ClaimevenError
from claimeven.provenance import version_here
from claimeven.solver.solver import Solver

#: Endings of submissions; files that are not Python are reported as such.
_ENDINGS = (".py", ".ipynb", ".zip", ".pyc")
#: Plies of the openings of matches.
OPENING_PLIES = 4
_FIGURES = re.compile(r"\d[\d.,e+-]*")

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
    has_code = place.suffix in _ENDINGS if place.is_file() else any(place.rglob("*.py"))
    return has_code and not place.name.startswith((".", "_"))


def _main_of(place: Path) -> Path:
    """Return the file of a bot: in a folder one with a common name, or its only one."""
    names = [place / name for name in (*DEFAULT_FILES, f"{place.name}.py", "__init__.py")]
    named, files = [path for path in names if path.is_file()], [*place.rglob("*.py")]
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
                try:
                    with chdir(place):
                        result = calls[work["test"]](rubric, work, str(folder / bot.main), solver)
                except ClaimevenError as error:  # no Python file, or it loads only sometimes
                    result = {"failure": str(error), "median": None}
            # Texts are the same in every folder and process.
            text = json.dumps(result).replace(json.dumps(f"{folder}{os.sep}")[1:-1], "")
            bot.add(work, without_address(text))
        if bot.known()["median"] is None:
            return


def _check(rubric: Rubric, work: Result, spec: str, solver: Solver) -> Result:
    limit, memory = Limit(seconds=rubric.seconds), rubric.memory_limit
    found: Result = check_agent(
        spec, limit=limit, memory_limit_mb=memory, seed=rubric.seed, is_timeless=True
    ).as_dict()
    for each in found["faults"]:
        if each["moves"] is None:  # figures of memory and of processes differ from run to run
            each["reason"] = _FIGURES.sub("N", each["reason"])
    names = "plays", "failure", "traceback", "advice", "faults", "notes"
    return {**{name: found[name] for name in names}, "median": found["seconds_median"]}


def _match(rubric: Rubric, work: Result, spec: str, solver: Solver) -> Result:
    found = play_match(
        spec, work["against"], games=work["games"], seed=rubric.seed, seconds=rubric.seconds,
        memory_limit=rubric.memory_limit, quiet=True, keep_decisions=False,
        openings="balanced", opening_plies=OPENING_PLIES,
    )  # fmt: skip
    lost = [game.all_moves for game in found.games if game.points(0) == 0 and game.fault is None]
    return {
        "score": found.scores[0], "wins": found.wins, "draws": found.draws, "lost": lost[:1],
        "forfeits": [*fault_texts(found.faults[0])],
    }  # fmt: skip


def _accuracy(rubric: Rubric, work: Result, spec: str, solver: Solver) -> Result:
    found = measure_accuracy(
        spec, count=work["positions"], limit=Limit(seconds=rubric.seconds), seed=rubric.seed,
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
