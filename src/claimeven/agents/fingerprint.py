"""Digests of the files behind agents: whether an agent is still the one that played."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from claimeven.agents.dependencies import NO_FILES, dependencies_of
from claimeven.agents.external.registry import split_foreign
from claimeven.agents.files import files_of, split_file_spec
from claimeven.agents.options import InvalidSpec
from claimeven.agents.registry import AGENTS, parse_spec

#: Bytes of a digest.
_SIZE = 12
#: Folders above that of an agent's file that the name of a file may go up through.
_MAX_ABOVE = 2


def digest_of_files(spec: str) -> str | None:
    """Return a digest of the files that a spec names, in options too, None if it names none.

    >>> digest_of_files("alphabeta:depth=3") is None
    True
    """
    files = tuple(_of_options(spec)) if spec.partition(":")[0] in AGENTS else files_of(spec)
    digests = [bytes.fromhex(_digest(path)) for path in files]
    if len(digests) > 1:
        digests = [hashlib.blake2b(b"".join(digests), digest_size=_SIZE).digest()]
    return digests[0].hex() if digests else None


def digests_of(spec: str) -> dict[str, str]:
    """Return the digests of all files on which an agent's play depends, by the files' names.

    They are the files that its spec names, in its options too, and for Python code the modules and
    files it depends on (see `dependencies`). Of an agent that another package has, its version.

    >>> digests_of("alphabeta:depth=3")
    {}
    """
    paths = paths_of(spec)
    found = {name: _digest(path) for name, path in paths.items()}
    foreign = split_foreign(spec)
    if foreign is not None and foreign[0].extra is not None:
        module = foreign[0].extra[1]
        for package in importlib.metadata.packages_distributions().get(module, ())[:1]:
            found[f"package {package}"] = importlib.metadata.version(package)
    return found


def paths_of(spec: str) -> dict[str, Path]:
    """Return the files on which an agent's play depends, by names without the way to them."""
    found: dict[str, Path] = {}
    for start in _named(spec.strip()):
        folder = start.resolve().parent
        for path in dependencies_of(start) if start.suffix == ".py" else [start.resolve()]:
            name = Path(os.path.relpath(path, folder)).as_posix()
            if name.count("../") > _MAX_ABOVE:
                name = path.name
            while found.get(name, path) != path:
                name += "'"  # of two files that would be called the same
            found[name] = path
    return found


def held_file(spec: str) -> str | None:
    """Return the name of the file whose text an agent's processes keep, if there is one.

    >>> held_file("bots/ann.py:agent"), held_file("net:model=m.npz")
    ('ann.py', None)
    """
    foreign = split_foreign(spec)
    if foreign is not None:
        place = foreign[1] if foreign[0].own_process else ""
    else:
        place = (split_file_spec(spec) or ("",))[0] if spec.partition(":")[0] not in AGENTS else ""
    return Path(place).name if place.endswith(".py") else None


def _named(spec: str) -> Iterator[Path]:
    """Yield the files that a spec names."""
    if spec.partition(":")[0] in AGENTS:
        yield from _of_options(spec)
        return
    yield from files_of(spec)
    foreign = split_foreign(spec)
    if foreign is not None:
        with suppress(ValueError):  # quotation marks of no command
            yield from _files(word.rpartition("=")[2] for word in shlex.split(foreign[1]))


def _of_options(spec: str) -> Iterator[Path]:
    """Yield the files that options of an agent of this package name."""
    with suppress(InvalidSpec):
        for value in parse_spec(spec)[1].values():
            if isinstance(value, str) and value not in AGENTS:
                parts = split_file_spec(value) if ":" in value or value.endswith(".py") else None
                yield from _files([value]) if parts is None else files_of(value)


def _files(words: Iterable[str]) -> Iterator[Path]:
    return (Path(word) for word in words if os.path.isfile(word))  # noqa: PTH113 - takes any text


def _digest(path: Path) -> str:
    """Return the digest of a file, or a word for one that cannot be read, or has no end."""
    if str(path).startswith(NO_FILES):
        return "unreadable"
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(
                stream, lambda: hashlib.blake2b(digest_size=_SIZE)
            ).hexdigest()
    except OSError:
        return "unreadable"
