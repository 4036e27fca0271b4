"""Agents and evaluations of other installed packages, found by their entry points.

A package lists them in its `pyproject.toml` as `NAME = "package.module:OBJECT"`, under
`[project.entry-points."claimeven.agents"]` and `[project.entry-points."claimeven.evaluations"]`.
The entry points are read on first use; a package is imported when one of its objects is needed.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Any, Final

from claimeven.errors import ClaimevenError

AGENTS: Final = "claimeven.agents"
EVALUATIONS: Final = "claimeven.evaluations"
_NAME: Final = re.compile(r"[^\W\d][\w-]*")
_PLACE: Final = re.compile(r"[^\W\d][\w.]*:[^\W\d]\w*")


class BrokenPackage(ClaimevenError):
    """An installed package whose agent or evaluation cannot be used."""


@dataclass(frozen=True)
class Plugin:
    """An agent or evaluation of another package, by the `group` of its entry point.

    `place` is the object, `package.module:OBJECT`; `package` the name and version of its package;
    `problem` a reason why it cannot be used, or empty.
    """

    group: str
    name: str
    place: str
    package: str
    problem: str = ""

    def load(self) -> Any:
        """Import the object. Raises `BrokenPackage`."""
        if self.problem:
            raise BrokenPackage(self.problem)
        module, _, name = self.place.partition(":")
        try:
            return getattr(importlib.import_module(module), name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            reason = f"{type(error).__name__}: {error}".partition("\n")[0]
            raise BrokenPackage(
                f"{self.name} of {self.package} cannot be loaded: {reason}"
            ) from error


@cache
def installed(group: str) -> dict[str, Plugin]:
    """Return the agents or evaluations of installed packages by name; nothing is imported."""
    return {plugin.name: plugin for plugin in _offered() if plugin.group in (group, "")}


@cache
def _offered() -> tuple[Plugin, ...]:
    found: dict[tuple[str, str], Plugin] = {}
    seen: set[str] = set()
    for package in metadata.distributions():
        try:
            entries = [e for e in package.entry_points if e.group in (AGENTS, EVALUATIONS)]
            title, version = (package.name, package.version) if entries else ("", "")
        except Exception as error:  # corrupt metadata of a package
            title = str(getattr(package, "_path", package))
            problem = f"the entry points in {title} cannot be read: {type(error).__name__}: {error}"
            found["", title] = Plugin("", title, "", title, problem)
            continue
        for entry in entries if title not in seen else ():  # the first on the path counts
            key, place = (entry.group, entry.name), entry.value.strip()
            by, other, problem = f"{title} {version}", found.get(key), ""
            if not _NAME.fullmatch(entry.name) or not _PLACE.fullmatch(place):
                got = f"{entry.name!r} as {place!r}"
                problem = f"{by} must offer a NAME as package.module:OBJECT, got {got}"
            elif other is not None:
                both = f"{other.package} and by {by}: give {other.place} or {place}"
                problem = f"{entry.name} is offered by {both}"
            found[key] = Plugin(*key, place, by, problem)
        seen.add(title)
    return tuple(found.values())
