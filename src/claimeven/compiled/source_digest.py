"""The sources of a module and their digest, which names the compiled code.

The sources of a module are its file and the files of all modules of the package that it imports,
directly or indirectly. They are found in the text of the import statements, including imports in
functions and for type checkers: rather a file too many than one too few. An edit in these files
changes the digest, an edit elsewhere does not.
"""

from __future__ import annotations

import hashlib
import re
import sys
from functools import cache
from pathlib import Path

PACKAGE = __name__.partition(".")[0]
_ROOT = Path(__file__).parent.parent

_NAMES = r"\([^)]*\)|[^\n#]*"
_IMPORT = re.compile(
    rf"^[ \t]*(?:from[ \t]+({PACKAGE}(?:\.\w+)*)[ \t]+import[ \t]*({_NAMES})"
    rf"|import[ \t]+({PACKAGE}[\w., \t]*))",
    re.MULTILINE,
)


def sources(module: str) -> dict[str, bytes]:
    """Return the sources of a module by module name. Raises OSError if one cannot be read."""
    found: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name], imported = _read(name)
            waiting.extend(imported)
    return found


@cache
def sources_digest(module: str) -> bytes:
    """Return a digest of the sources of a module. Raises OSError if one cannot be read."""
    digest = hashlib.blake2b(digest_size=16)
    for name, text in sorted(sources(module).items()):
        digest.update(f"{name} {len(text)}\n".encode() + text)
    return digest.digest()


def imported_by(text: str) -> set[str]:
    """Return the modules of the package that a source text imports.

    A package is not one of them if only modules are imported from it.

    >>> sorted(imported_by("from claimeven.game import bitboard"))
    ['claimeven.game.bitboard']
    """
    found: set[str] = set()
    for base, names, plain in _IMPORT.findall(text):
        if plain:
            found.update(re.findall(rf"{PACKAGE}(?:\.\w+)*", plain))
            continue
        for name in re.findall(r"\w+", re.sub(r"\bas\s+\w+", "", names)):
            if not _is_module(f"{base}.{name}") or _speaks_of(base, name):
                found.add(base)
            found.add(f"{base}.{name}")
    return {name for name in found if _is_module(name)}


@cache
def _is_module(name: str) -> bool:
    return _in_package(name).is_file()


def _speaks_of(package: str, name: str) -> bool:
    """Whether the name of a module might mean something else in its package."""
    return re.search(rf"\b{name}\b", _in_package(package).read_text("utf-8")) is not None


@cache
def _read(module: str) -> tuple[bytes, frozenset[str]]:
    source = _path_of(module).read_bytes()
    return source, frozenset(imported_by(source.decode("utf-8", "replace")))


def _in_package(name: str) -> Path:
    """Return the path of a module of the package, if it exists."""
    path = _ROOT.joinpath(*name.split(".")[1:])
    package = path / "__init__.py"
    return package if package.is_file() else path.with_suffix(".py")


def _path_of(name: str) -> Path:
    """Return the path of a module; a module outside the package must be imported already."""
    if name.partition(".")[0] == PACKAGE:
        return _in_package(name)
    path = getattr(sys.modules.get(name), "__file__", None)
    if path is None:
        raise FileNotFoundError(f"the module {name} has no file")
    return Path(path)
