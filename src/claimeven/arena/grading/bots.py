"""The bots of a class: their files, read before any of them runs."""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from claimeven.agents.fingerprint import dependencies_of
from claimeven.agents.source_snapshot import DEFAULT_FILES, refusal_of
from claimeven.errors import ClaimevenError

#: Endings of submissions; files that are not Python are reported as such.
_ENDINGS = (".py", ".ipynb", ".zip", ".pyc")


class InvalidGrading(ClaimevenError):
    """A class that cannot be graded as asked."""


@dataclass(frozen=True)
class Bot:
    """A bot: its file `main` among its `files`, and the other bots that its code names."""

    label: str
    main: str
    files: dict[str, bytes]
    named: tuple[str, ...]

    @property
    def digest(self) -> str:
        """A digest of all files."""
        text = repr((self.main, sorted(self.files.items()))).encode()
        return hashlib.blake2b(text, digest_size=12).hexdigest()

    def uses(self, forbidden: Sequence[str]) -> list[str]:
        """Return the forbidden names that its code uses, such as `claimeven.solver` or `exec`.

        Code may find objects in other ways, so a name that is missing proves nothing.
        """
        found = set()
        for data in (data for name, data in self.files.items() if name.endswith(".py")):
            try:
                code = ast.unparse(ast.parse(data))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            for module, alias in re.findall(r"^ *import ([\w.]+) as (\w+)", code, re.MULTILINE):
                code = re.sub(rf"\b{alias}\.", f"{module}.", code)
            for name in forbidden:
                package, _, last = map(re.escape, name.rpartition("."))
                if package:
                    sign = rf"\b{re.escape(name)}\b|\bfrom {package} import (.*\b{last}\b|\*)"
                else:
                    sign = rf"(?<![\w.]){last}[(.]|\bimport {last}\b|\bfrom {last}\b"
                found |= {name} if re.search(sign, code) else set()
        return sorted(found)


def find_bots(paths: Sequence[str | Path]) -> list[Bot]:
    """Return the bots in a folder, or of several files and folders; each folder in it is one bot.

    Names with a leading dot or underscore are left out. Neighbors that a file imports or reads
    belong to the bot, except other bots. Raises `InvalidGrading`.
    """
    places = [Path(path) for path in paths]
    for place in places:
        if not place.exists():
            raise InvalidGrading(str(refusal_of(str(place))))
    if len(places) == 1 and places[0].is_dir():
        places = [each for each in sorted(places[0].iterdir()) if _is_bot(each)]
    if not places:
        raise InvalidGrading(
            f"{paths[0]} has no bots: expected files such as ann.py, or a folder for each bot"
        )
    stems = Counter(place.stem.casefold() for place in places)
    labels = [each.stem if stems[each.stem.casefold()] == 1 else each.name for each in places]
    if twice := [label for label, n in Counter(map(str.casefold, labels)).items() if n > 1]:
        raise InvalidGrading(f"two bots are called {twice[0]}: rename one of them")
    mains = [_main_of(place).resolve() for place in places]
    return [
        _read(place, main, dict(zip(mains, labels, strict=True)))
        for place, main in zip(places, mains, strict=True)
    ]


def _is_bot(place: Path) -> bool:
    if place.name.startswith((".", "_")):
        return False
    return place.suffix in _ENDINGS if place.is_file() else any(place.rglob("*.py"))


def _main_of(place: Path) -> Path:
    """Return the file of a bot: in a folder one with a usual name, or its only one."""
    names = [place / name for name in (*DEFAULT_FILES, f"{place.name}.py", "__init__.py")]
    usual, files = [path for path in names if path.is_file()], [*place.rglob("*.py")]
    return usual[0] if usual else files[0] if len(files) == 1 else place


def _read(place: Path, main: Path, label_of: dict[Path, str]) -> Bot:
    needed = dependencies_of(main) if main.suffix == ".py" else [main]
    named = tuple(label_of[path] for path in needed if path in label_of and path != main)
    root = main.parent
    if place.is_dir():
        root, needed = place.resolve().parent, sorted(place.resolve().rglob("*"))
    files = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in needed
        if path == main or (path.suffix != ".pyc" and path not in label_of)
        if path.is_file() and path.is_relative_to(root)
    }
    return Bot(label_of[main], main.relative_to(root).as_posix(), files, named)
