"""What a kind of foreign agent is: a prefix, and how the text after its colon makes an agent."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimeven.agents.options import AgentKind, InvalidSpec, split_options
from claimeven.suggestions import no_such

if TYPE_CHECKING:
    from claimeven.agents.base import Agent
    from claimeven.agents.process.sandbox import Isolation


def _no_files(text: str) -> tuple[Path, ...]:
    return ()


@dataclass(frozen=True)
class ForeignKind:
    """A kind of agent of other programs, by the prefix of its specs: `prefix:text`.

    The text is all that follows the first colon and may hold spaces, commas and colons; what it
    means is the kind's own. `build` makes the agent of a text, its whole spec and what is allowed
    to processes; `check` raises `InvalidSpec` for a text that can be told wrong before that. With
    `own_process` the agent plays in a process of its own, as agents from files do: for code that
    runs inside ours, and not for programs and servers that are asked from here.

    `files` are those that the agent comes from, to be digested; `brief` makes a short name of the
    agent for tables. `agents` are those that have a name after the prefix; `extra` is the extra of
    the package that is needed, with the name of a module of it.
    """

    prefix: str
    form: str
    summary: str
    build: Callable[[str, str, Isolation], Agent]
    examples: tuple[str, ...]
    notes: tuple[str, ...] = ()
    own_process: bool = False
    check: Callable[[str], object] | None = None
    files: Callable[[str], tuple[Path, ...]] = _no_files
    brief: Callable[[str], str] | None = None
    agents: tuple[AgentKind, ...] = ()
    extra: tuple[str, str] | None = None

    def short_name(self, text: str) -> str:
        """Return a short name for the agent of a text."""
        return f"{self.prefix}:{text}" if self.brief is None else self.brief(text)

    def check_text(self, text: str) -> None:
        """Raise `InvalidSpec` where no agent can be made of a text, as far as that is soon told."""
        if not text.strip():
            raise InvalidSpec(f"nothing stands after {self.prefix}: give {self.form}")
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
        """Read `name,option=value,...` of one of `agents`. Raises `InvalidSpec`.

        The name may be followed by a colon too, as with agents of the package.
        """
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
