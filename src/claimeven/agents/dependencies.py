"""The files on which Python code depends, found by reading it: nothing is run.

A file depends on the modules that it imports from around it, and on the files that its text names:
`np.load("weights.npz")`, `Path(__file__).parent / "data" / "table.json"`, `glob("*.bin")`. A name
that is put together while the code runs is not found.
"""

from __future__ import annotations

import ast
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

#: Files found, files of one folder or pattern, characters of a name, bytes of a text that is read.
MAX_FILES, MAX_IN_FOLDER, MAX_NAME, MAX_TEXT = 500, 100, 300, 1 << 22
#: Packages that are not the author's.
_FOREIGN: Final = sys.stdlib_module_names | {"claimeven"}
#: Where files are not stored, and may have no end.
NO_FILES = ("/proc/", "/sys/", "/dev/")
#: Modes of `open` that do not read.
_WRITES: Final = frozenset("wax")
#: Signs that modules are found in other ways than by an import statement.
_SEARCHES, _CALLS = b"sys.path", (b"import_module", b"__import__")


def dependencies_of(path: Path) -> list[Path]:
    """Return a Python file and the files it depends on, its own first; at most `MAX_FILES`.

    >>> [file.name for file in dependencies_of(Path("nowhere.py"))]
    ['nowhere.py']
    """
    search = _Search(path.resolve())
    waiting, found = [search.main], dict[Path, None]()
    while waiting and len(found) < MAX_FILES:
        file = waiting.pop(0)
        if file not in found:
            found[file] = None
            waiting += search.named_in(file)
    return list(found)


class _Search:
    """Finds what Python files name, in the folders that Python would look into."""

    def __init__(self, main: Path) -> None:
        self.main = main
        package = main.parent
        while (package / "__init__.py").is_file() and package != package.parent:
            package = package.parent
        paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        self._folders = [main.parent, package, Path.cwd(), *(Path(p) for p in paths if p)]
        self._data = [main.parent, Path.cwd()]

    def named_in(self, file: Path) -> list[Path]:
        """Return the files that a Python file names, there or not yet read."""
        if file.suffix != ".py":
            return []
        try:
            with file.open("rb") as stream:
                text = stream.read(MAX_TEXT)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the author's code
                nodes = list(ast.walk(ast.parse(text)))
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
            return []
        if _SEARCHES in text:
            self._folders.append(file.parent.parent)
        written = {id(argument) for node in nodes for argument in _written(node)}
        words = [
            node.value
            for node in nodes
            if isinstance(node, ast.Constant)
            and type(node.value) is str
            and id(node) not in written
        ]
        found = [path for word in words for path in self._files(word, file.parent)]
        for node in nodes:
            found += self._imported(node, file)
        if any(call in text for call in _CALLS):
            found += [path for word in words for path in self._modules(word, self._folders)]
        return [path.resolve() for path in found]

    def _imported(self, node: ast.AST, file: Path) -> Iterator[Path]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from self._modules(alias.name, self._folders)
        elif isinstance(node, ast.ImportFrom):
            folders: Iterable[Path] = self._folders
            if node.level:
                folders = [file.parents[min(node.level, len(file.parents)) - 1]]
            start = f"{node.module}." if node.module else ""
            for alias in node.names:
                yield from self._modules(f"{start}{alias.name}", folders)

    def _modules(self, name: str, folders: Iterable[Path]) -> list[Path]:
        """Return the files of a module and of the packages it is in, from the first such folder."""
        parts = name.split(".")
        if parts[0] in _FOREIGN or not all(part.isidentifier() or part == "*" for part in parts):
            return []
        for folder in folders:
            found, place = [], folder
            for part in parts:
                place /= part
                found += [place / "__init__.py", place.with_name(f"{part}.py")]
                if part != "*" and place.parent.is_dir():
                    found += place.parent.glob(f"{part}.*so")
                    found += place.parent.glob(f"{part}.*pyd")
            found = [path for path in found if path.is_file()]
            if found:
                return found
        return []

    def _files(self, word: str, folder: Path) -> Iterator[Path]:
        """Yield the files that a text in the code may name: a file, a folder, a pattern."""
        if not 1 < len(word) <= MAX_NAME or not word.isprintable() or not word.strip("./\\"):
            return
        if word.startswith(NO_FILES):
            return
        with suppress(OSError, ValueError, RuntimeError):  # a name of no file, pattern or user
            for base in dict.fromkeys((folder, *self._data)):
                place = base / Path(word).expanduser()
                inside = base / word.lstrip("/\\")  # of f"{folder}/weights.npz"
                if "*" in word and "**" not in word and base == folder:
                    yield from _some(inside.parent.glob(inside.name))
                elif place.is_dir():
                    self._folders.append(place)
                    if ".." not in place.parts and not Path(word).is_absolute() and base == folder:
                        self._data.append(place)
                        yield from _some(place.iterdir())
                else:
                    yield from (path for path in (place, inside) if path.is_file())


def _some(paths: Iterable[Path]) -> list[Path]:
    """Return the files among some paths, in the order of their names, if they are not too many."""
    files = sorted(path for path in paths if path.is_file() and not path.name.startswith("."))
    return files if len(files) <= MAX_IN_FOLDER else []


def _written(node: ast.AST) -> list[ast.expr]:
    """Return the arguments of a call that opens a file for writing."""
    if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("open")):
        return []
    words = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
    modes = [word.value for word in words if isinstance(word, ast.Constant)]
    writes = any(isinstance(mode, str) and _WRITES & set(mode) for mode in modes)
    return node.args[:1] if writes else []
