"""The files that an agent's play depends on, and their digests, which identify the agent.

They are the files in its spec. For Python code they include the modules next to it that it imports
and files that its text names: `np.load("weights.npz")`, `Path(__file__).parent / "data"`,
`glob("*.bin")`. The code is read but not run, so names that it composes are not found.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from claimeven.agents.external import split_foreign
from claimeven.agents.external.line_process import split_command
from claimeven.agents.files import files_of, split_file_spec
from claimeven.agents.options import InvalidSpec, name_in
from claimeven.agents.registry import AGENTS, options_in
from claimeven.plugins import EVALUATIONS, installed

_distributions = cache(importlib.metadata.packages_distributions)  # takes long
#: Bytes of a digest.
_SIZE = 12
#: Limits: files, files of one folder or pattern, characters of a name, bytes of a text.
MAX_FILES, MAX_IN_FOLDER, MAX_NAME, MAX_TEXT = 500, 100, 300, 1 << 22
_FOREIGN: Final = sys.stdlib_module_names | {"claimeven"}
#: Folders of files that are not data on a disk, and may be endless.
NO_FILES = ("/proc/", "/sys/", "/dev/")
#: Modes of `open` that do not read.
_WRITES: Final = frozenset("wax")
#: Signs that modules are found in other ways than by an import statement.
_SEARCHES, _CALLS = b"sys.path", (b"import_module", b"__import__")


def digest_of_files(spec: str) -> str | None:
    """Return a digest of the files that a spec and its options name; None without files.

    >>> digest_of_files("alphabeta:depth=3") is None
    True
    """
    files = tuple(_of_options(spec)) if name_in(spec) in AGENTS else files_of(spec)
    digests = [bytes.fromhex(_digest(path)) for path in files]
    if len(digests) > 1:
        digests = [hashlib.blake2b(b"".join(digests), digest_size=_SIZE).digest()]
    return digests[0].hex() if digests else None


def digests_of(spec: str) -> dict[str, str]:
    """Return the digests of all files on which an agent's play depends, by the files' names.

    For an agent of another package the result has the version of the package.

    >>> digests_of("alphabeta:depth=3")
    {}
    """
    found = {name: _digest(path) for name, path in paths_of(spec).items()}
    foreign = split_foreign(spec)
    if foreign is not None and foreign[0].extra is not None:
        for package in _distributions().get(foreign[0].extra[1], ())[:1]:
            found[f"package {package}"] = importlib.metadata.version(package)
    return found


def paths_of(spec: str) -> dict[str, Path]:
    """Return the files on which an agent's play depends, by names relative to the first."""
    found: dict[str, Path] = {}
    for start in _named(spec.strip()):
        folder = start.resolve().parent
        for path in dependencies_of(start) if start.suffix == ".py" else [start.resolve()]:
            name = Path(os.path.relpath(path, folder)).as_posix()
            if name.count("../") > 2:
                name = path.name
            while found.get(name, path) != path:
                name += "'"  # another file has the same name
            found[name] = path
    return found


def snapshot_file(spec: str) -> str | None:
    """Return the name of the file whose content the agent's processes share; None without one.

    >>> snapshot_file("bots/ann.py:agent"), snapshot_file("net:model=m.npz")
    ('ann.py', None)
    """
    foreign = split_foreign(spec)
    if foreign is not None:
        place = foreign[1] if foreign[0].own_process else ""
    else:
        place = (split_file_spec(spec) or ("",))[0] if name_in(spec) not in AGENTS else ""
    return Path(place).name if place.endswith(".py") else None


def _named(spec: str) -> Iterator[Path]:
    if name_in(spec) in AGENTS:
        yield from _of_options(spec)
        return
    yield from files_of(spec)
    foreign = split_foreign(spec)
    if foreign is not None:
        with suppress(InvalidSpec):  # the text is not a command
            settings, words = split_command(foreign[1])
            yield from _files([*settings.values(), *(word.rpartition("=")[2] for word in words)])


def _of_options(spec: str) -> Iterator[Path]:
    with suppress(InvalidSpec):
        for name, value in options_in(spec)[1].items():
            if name == "eval" and value in installed(EVALUATIONS):
                yield from files_of(installed(EVALUATIONS)[value].place)
            elif value not in AGENTS:
                parts = split_file_spec(value) if ":" in value or value.endswith(".py") else None
                # An ONNX file may have its weights in another file.
                yield from _files([value, f"{value}.data"]) if parts is None else files_of(value)


def _files(words: Iterable[str]) -> Iterator[Path]:
    return (Path(word) for word in words if os.path.isfile(word))  # noqa: PTH113 - takes any text


def _digest(path: Path) -> str:
    """Return the digest of a file; "unreadable" for a device or a file that cannot be read."""
    if str(path).startswith(NO_FILES):
        return "unreadable"
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(
                stream, lambda: hashlib.blake2b(digest_size=_SIZE)
            ).hexdigest()
    except OSError:
        return "unreadable"


def dependencies_of(path: Path) -> list[Path]:
    """Return a Python file and the files it depends on, at most `MAX_FILES` in all.

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
    """Finds the files that Python code names, in the folders that Python would search."""

    def __init__(self, main: Path) -> None:
        self.main = main
        package = main.parent
        while (package / "__init__.py").is_file() and package != package.parent:
            package = package.parent
        paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        self._folders = [main.parent, package, Path.cwd(), *(Path(p) for p in paths if p)]
        self._data = [main.parent, Path.cwd()]

    def named_in(self, file: Path) -> list[Path]:
        """Return the files that a Python file names."""
        if file.suffix != ".py":
            return []
        try:
            with file.open("rb") as stream:
                text = stream.read(MAX_TEXT)
            with warnings.catch_warnings(action="ignore"):  # they are about the author's code
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
        """Return the files of a module and its packages, from the first folder that has them."""
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
        with suppress(OSError, ValueError, RuntimeError):  # not a valid file name, pattern or user
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
    """Return the files among some paths by name; an empty list for more than `MAX_IN_FOLDER`."""
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
