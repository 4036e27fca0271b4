"""Descriptions of the origin of results, in every file and every JSON result.

The page `docs/files.md` lists the kinds, their schemas and the fields. A description has no clock
times, paths or numbers of processes, so the same run gives the same bytes on the same machine.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from claimeven.errors import ClaimevenError

#: The newest schema of each kind that this version reads and writes.
SCHEMAS = {"store": 1, "data set": 1, "model": 1, "book": 3, "run": 1, "result": 1, "options": 1}
#: Packages whose versions may change results, and further ones of trained models.
_PACKAGES = ("numpy", "numba")
LEARNING = ("jax", "jaxlib", "optax")
#: Bytes of the digest of a list.
_SIZE = 12
#: Returns the running command with its options; the command line sets it.
running_command: Callable[[], dict[str, Any]] = dict


@contextmanager
def of_command(command: dict[str, Any] | None) -> Iterator[None]:
    """Describe results as results of another command: the command that made their parts."""
    global running_command  # noqa: PLW0603 - it is replaced by the command line too
    before, running_command = running_command, lambda: command or {}
    try:
        yield
    finally:
        running_command = before


def describe(
    kind: str,
    *,
    board: Mapping[str, int] | None = None,
    limit: Mapping[str, Any] | None = None,
    openings: Sequence[str] | None = None,
    seed: int | None = None,
    files: Any = None,
    packages: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the description of a result as plain data; `kind` is one of `SCHEMAS`.

    `files` are digests by name, one dictionary for each agent or one for all. `packages` are
    further packages whose versions matter. Settings that do not apply are left out.
    """
    listed = "\n".join(openings or ()).encode()
    digest = hashlib.blake2b(listed, digest_size=_SIZE).hexdigest()
    settings = {
        "command": running_command() or None,
        "board": board,
        "limit": limit and {name: value for name, value in limit.items() if value is not None},
        "openings": openings and {"count": len(openings), "digest": digest},
        "seed": seed,
        "files": files,
    }
    versions = {}
    for package in (*_PACKAGES, *packages):
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return {
        "kind": kind,
        "schema": SCHEMAS[kind],
        "claimeven": version_here(),
        "python": platform.python_version(),
        "packages": versions,
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
        raise error(
            f"{name} has schema {schema}, and claimeven {version_here()} reads {SCHEMAS[kind]} or"
            f" less: {f'claimeven {made_by}' if made_by else 'a newer claimeven'} reads it"
        )


def version_here() -> str:
    version: str = sys.modules["claimeven"].__version__  # the package imports all others, lazily
    return version


@cache
def machine() -> str:
    """Return the system, the processor and its cores."""
    model = platform.processor() or platform.machine()
    with suppress(OSError):
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        names = [line for line in info.splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    return f"{platform.system()} {platform.machine()}, {model}, {os.cpu_count()} cores"
