"""Descriptions of the origin of results, in every file and every JSON result.

The page `docs/files.md` lists the kinds, their schemas and the fields. A description has no clock
times, paths or numbers of processes, so the same run gives the same bytes on the same machine.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from claimeven.errors import ClaimevenError

#: The newest schema of each kind that this version reads and writes.
SCHEMAS = {"store": 1, "data set": 1, "model": 1, "book": 3, "run": 1, "result": 1}
#: Packages whose versions may change results, and further ones of trained models.
_PACKAGES = ("numpy", "numba")
LEARNING = ("jax", "jaxlib", "optax")
#: Hexadecimal digits of the digest of a list.
_DIGITS = 24


#: Returns the running command with its options; the command line sets it.
running_command: Callable[[], dict[str, Any]] = dict


def describe(
    kind: str,
    *,
    board: Mapping[str, int] | None = None,
    limit: Mapping[str, Any] | None = None,
    openings: Sequence[str] | None = None,
    seed: int | None = None,
    files: Any = None,
    packages: Iterable[str] = (),
) -> dict[str, Any]:
    """Return the description of a result as plain data; `kind` is one of `SCHEMAS`.

    `files` are digests by name, one dictionary for each agent or one for all. `packages` are
    further packages whose versions matter. Settings that do not apply are left out.
    """
    settings = {
        "command": running_command() or None,
        "board": board,
        "limit": limit and {name: value for name, value in limit.items() if value is not None},
        "openings": None if openings is None else _summary(openings),
        "seed": seed,
        "files": files,
    }
    return {
        "kind": kind,
        "schema": SCHEMAS[kind],
        "claimeven": version_here(),
        "python": platform.python_version(),
        "packages": _versions((*_PACKAGES, *packages)),
        "machine": machine(),
        **{name: value for name, value in settings.items() if value is not None},
    }


def check_schema(
    kind: str, schema: object, name: object, about: object, error: type[ClaimevenError]
) -> None:
    """Raise an error if a file has a newer schema than this version reads.

    `about` is the description of the file, if it has one: it names the version that reads it.
    """
    if type(schema) is int and schema > SCHEMAS[kind]:
        made_by = about.get("claimeven") if isinstance(about, dict) else None
        remedy = f"claimeven {made_by}" if isinstance(made_by, str) else "a newer claimeven"
        raise error(
            f"{name} is a {kind} of schema {schema}, and claimeven {version_here()} reads"
            f" {SCHEMAS[kind]} or less: {remedy} reads it"
        )


def version_here() -> str:
    """Return the version of claimeven."""
    version: str = sys.modules["claimeven"].__version__  # the package imports all others, lazily
    return version


@cache
def machine() -> str:
    """Return the system, the processor and its cores."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{platform.system()} {platform.machine()}, {model}, {os.cpu_count()} cores"


def digest_of_file(path: str | Path) -> str:
    """Return the SHA-256 digest of a file. Raises `OSError`."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _summary(texts: Sequence[str]) -> dict[str, Any]:
    """Return the number of some texts, and the digest of their list."""
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:_DIGITS]
    return {"count": len(texts), "digest": digest}


def _versions(packages: Iterable[str]) -> dict[str, str]:
    found = {}
    for name in packages:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
