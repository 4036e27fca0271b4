"""The digests of the files behind agents, and words for their changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from claimeven.agents.base import Limit
from claimeven.agents.fingerprint import digests_of, paths_of, snapshot_file
from claimeven.agents.options import split_limit
from claimeven.agents.registry import AgentLike
from claimeven.agents.sanitize import printable
from claimeven.game.geometry import Geometry
from claimeven.provenance import describe

#: The start of an absolute path, on Windows too; not the address of a server.
_ROOT = r"(?:[A-Za-z]:[\\/]|/(?!/))"
#: Such a path among the words of a spec.
_ABSOLUTE = re.compile(rf"(?<![^\s:=,'\"]){_ROOT}[^\s:=,'\"]+")
#: Maximum parts of an absolute path in a name.
_MAX_PARTS = 20
#: How to resume a file of games although something has changed.
REMEDY = "--resume-changed adds to it anyway, another file of --out starts again"
#: Differences that one sentence names.
_MAX_NAMED = 3


@dataclass
class AgentFiles:
    """The digests of the files behind each agent."""

    specs: tuple[str | None, ...]
    files: tuple[dict[str, str], ...]
    _signs: dict[Path, object] = field(default_factory=dict, repr=False)
    _changed: list[str] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, agents: Iterable[AgentLike]) -> AgentFiles:
        """Return the files of agents as they are now."""
        specs = tuple(_spec_of(agent) for agent in agents)
        signs = {path: _sign(path) for spec in specs if spec for path in paths_of(spec).values()}
        files = tuple(digests_of(spec) if spec else {} for spec in specs)
        return cls(specs, files, signs)

    def changed(self) -> list[str]:
        """Return the files that have changed, each with its agent.

        An agent's own Python file is left out if its processes continue with the old text.
        """
        signs = {path: _sign(path) for path in self._signs}
        if signs != self._signs:
            self._signs = signs
            found = (
                f"{words} of {spec}"
                for spec, before in zip(self.specs, self.files, strict=True)
                for name, words in _differing(before, digests_of(spec or ""))
                if spec and name != snapshot_file(spec)
            )
            self._changed = list(dict.fromkeys(found))
        return self._changed


def _spec_of(agent: AgentLike) -> str | None:
    """Return the spec of an agent as it was given; None of an object that no spec made."""
    spec = agent if isinstance(agent, str) else getattr(agent, "name", None)
    return spec.strip() if isinstance(spec, str) else None


def differences(
    before: Mapping[str, Any], now: Mapping[str, Any], names: Sequence[str]
) -> Iterator[str]:
    """Yield what differs between two descriptions, in words that "has changed" ends.

    `names` are the names of the agents.
    """
    if before.get("claimeven") != now["claimeven"]:
        yield f"claimeven ({before.get('claimeven')}, now {now['claimeven']})"
    for name, old, new in zip(names, before.get("files") or (), now["files"], strict=False):
        if isinstance(old, dict):
            yield from (f"{words} of {name}" for _, words in _differing(old, new))


def change_of(found: Sequence[str]) -> str:
    """Say in one clause that some things have changed.

    >>> change_of(["claimeven (0.1, now 0.2)", "the file of ann.py"])
    'claimeven (0.1, now 0.2) and the file of ann.py have changed'
    """
    named = list(dict.fromkeys(found))
    return f"{_joined(named)} {'have' if len(named) > 1 else 'has'} changed"


def _joined(names: Sequence[str]) -> str:
    names = [printable(name) for name in names]
    if len(names) > _MAX_NAMED + 1:
        names = [*names[:_MAX_NAMED], f"{len(names) - _MAX_NAMED} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _differing(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the files that differ: their names, and words for them that "of AGENT" ends."""
    for place, name in enumerate({**before, **now}):
        if before.get(name) != now.get(name):
            yield name, name if place else "the file"


def _sign(path: Path) -> object:
    """Return what changes when a file is written."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def brief_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of agents in which absolute paths are as short as keeps the names apart.

    >>> brief_names(["/home/ann/bots/a.py:agent", "ugi:/opt/c4/engine", "bots/b.py"])
    ('a.py:agent', 'ugi:engine', 'bots/b.py')
    """
    for parts in range(1, _MAX_PARTS):
        brief = tuple(_brief_name(name, parts) for name in names)
        if len(set(brief)) == len(set(names)):
            return brief
    return tuple(names)  # such as /bot.py and bot.py


def _brief_name(name: str, parts: int) -> str:
    """Return a name with the last `parts` parts of each absolute path in it."""
    spec = split_limit(name)[0]
    place = spec.rpartition(":")[0] if not spec.endswith(".py") else spec
    if place.endswith(".py") and re.match(_ROOT, place):  # there may be spaces in it
        return _last_parts(place, parts) + name[len(place) :]
    return _ABSOLUTE.sub(lambda found: _last_parts(found[0], parts), name)


def _last_parts(path: str, parts: int) -> str:
    return "/".join(re.split(r"[\\/]" if path[1:2] == ":" else "/", path)[1:][-parts:])


def setting_of(
    agents: Iterable[AgentLike], geometry: Geometry, limit: Limit, seed: int | None = None
) -> dict[str, Any]:
    """Return board, limit and description as plain data, for results as JSON."""
    board, limits, files = asdict(geometry), asdict(limit), list(AgentFiles.of(agents).files)
    about = describe("result", board=board, limit=limits, seed=seed, files=files)
    return {**board, "limit": limits, "provenance": about}
