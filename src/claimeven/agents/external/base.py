"""Kinds of external agents, and the base class of agents that are programs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimeven.agents.base import Agent
from claimeven.agents.options import AgentKind, InvalidSpec, split_options
from claimeven.agents.process.sandbox import OutputRelay, Sandbox
from claimeven.suggestions import no_such


@dataclass(frozen=True)
class ForeignKind:
    """A kind of external agents, by the prefix of its specs: `prefix:text`.

    The text is the part after the first colon and may contain spaces, commas and colons; its
    meaning depends on the kind. `build` makes the agent from the text, the whole spec and the
    sandbox; `check` raises `InvalidSpec` for an invalid text. With `own_process` the agent plays in
    a separate process, like agents from files: for Python code, not for programs and servers.

    `files` returns the files of the agent for its digest; `brief` returns a short name for tables.
    `agents` are the named agents after the prefix, `extra` the required extra and its module.
    """

    prefix: str
    form: str
    summary: str
    build: Callable[[str, str, Sandbox], Agent]
    examples: tuple[str, ...]
    notes: tuple[str, ...] = ()
    own_process: bool = False
    check: Callable[[str], object] | None = None
    files: Callable[[str], tuple[Path, ...]] = lambda text: ()
    brief: Callable[[str], str] | None = None
    agents: tuple[AgentKind, ...] = ()
    extra: tuple[str, str] | None = None

    def short_name(self, text: str) -> str:
        """Return a short name for the agent of a text."""
        return f"{self.prefix}:{text}" if self.brief is None else self.brief(text)

    def check_text(self, text: str) -> None:
        """Raise `InvalidSpec` for an invalid text, without making the agent."""
        if not text.strip():
            raise InvalidSpec(f"{self.prefix}: is incomplete: give {self.form}")
        if self.check is not None:
            self.check(text)

    def need_extra(self) -> None:
        """Raise `InvalidSpec` if the package of the extra is not installed."""
        if self.extra is not None and importlib.util.find_spec(self.extra[1]) is None:
            raise InvalidSpec(
                f"{self.prefix}: needs the extra {self.extra[0]!r}:"
                f" pip install 'claimeven[{self.extra[0]}]'"
            )

    def parse(self, text: str) -> tuple[AgentKind, Mapping[str, Any]]:
        """Read `name,option=value,...` or `name:option=value,...`. Raises `InvalidSpec`."""
        name, _, rest = text.replace(":", ",", 1).partition(",")
        known = {kind.name: kind for kind in self.agents}
        if name.strip() not in known:
            raise InvalidSpec(no_such(f"agent of {self.prefix}", name.strip(), known))
        kind = known[name.strip()]
        return kind, kind.parse(split_options(rest, f"{self.prefix}:{text}"))

    def as_dict(self) -> dict[str, Any]:
        """Return the kind as plain data."""
        return {
            "prefix": self.prefix,
            "form": self.form,
            "summary": self.summary,
            "notes": list(self.notes),
            "examples": list(self.examples),
            "extra": None if self.extra is None else self.extra[0],
            "agents": [kind.as_dict() for kind in self.agents],
        }


class ProgramAgent(Agent):
    """The base of agents that are programs: the command, the spec, and the output of each game."""

    #: The attributes that a copy takes over.
    copied: tuple[str, ...] = ("name", "own_limit")

    def __init__(self, command: str, spec: str, sandbox: Sandbox) -> None:
        self.name = spec
        self._made_of = command, spec, sandbox
        self._load_timeout = sandbox.load_timeout
        self._output = OutputRelay(spec, sandbox)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_of, {name: getattr(self, name) for name in self.copied}

    def reset(self) -> None:
        self._output.start_game()
