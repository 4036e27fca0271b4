"""The agents that clients of the server may use, and the limits of their options.

Only bundled agents and trusted agents of installed packages are allowed, without files, modules,
programs or servers, so that no client can make this machine run code or send requests. The only
exceptions are the agents of the command line, by exactly these specs (`ServerSettings.bots`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from claimeven.agents.external import FOREIGN
from claimeven.agents.families.perfect import LEVELS
from claimeven.agents.options import AgentKind, InvalidSpec, name_in, split_limit
from claimeven.agents.registry import AGENTS, build, installed_agents
from claimeven.errors import ClaimevenError
from claimeven.evaluation.registry import EVALUATIONS
from claimeven.game.geometry import Geometry
from claimeven.montecarlo.layout import PLAYOUTS
from claimeven.suggestions import no_such
from claimeven.web.settings import ServerSettings

#: Options for memory or processors, and their greatest values.
CAPS = {"threads": 1, "table_mb": 256, "capacity": 4_000_000, "table": 20}
#: Options that also accept a function from a file, and the names that are allowed.
_NAMES = {"eval": list(EVALUATIONS), "playout": list(PLAYOUTS)}
#: Parts of names of files, modules, programs and servers.
_FOREIGN = ("/", "\\", ".py", "://", "lund:", *(f"{prefix}:" for prefix in FOREIGN))

#: The allowed agents by name.
ALLOWED_AGENTS = {name: kind for name, kind in AGENTS.items() if name != "human"}


@lru_cache(maxsize=8)
def kinds_on(trust: tuple[str, ...]) -> dict[str, AgentKind]:
    """Return the allowed agents by name. Raises `InvalidSpec` for a missing or broken package."""
    plugins, broken = installed_agents(trust) if trust else ({}, {})
    for name in trust:
        if name not in plugins:
            raise InvalidSpec(broken.get(name) or no_such("installed agent", name, plugins))
    return {**ALLOWED_AGENTS, **plugins}


def check_allowed(spec: str, settings: ServerSettings) -> str:
    """Return a stripped spec. Raises `InvalidSpec` if the agent or an option is not allowed."""
    text = spec.strip()
    if text in settings.bots:
        return text
    name = name_in(text)
    if split_limit(text)[1]:
        raise InvalidSpec("a server has its own limits: leave out the limit after @")
    kinds = kinds_on(settings.trust)
    if name == "human":
        raise InvalidSpec(f"{name} plays at a terminal, not through a server")
    if name not in kinds:
        if ":" in text or name in FOREIGN or any(mark in text for mark in _FOREIGN):
            raise InvalidSpec(
                f"this server runs only bundled agents, not agents from files, modules, programs or"
                f" servers: choose from {', '.join(kinds)}"
            )
        raise InvalidSpec(no_such("agent", name, kinds))
    kind = kinds[name]
    given = kind.split(text.partition(":")[2], text)
    options = kind.parse(given)
    if kind.runs_user_code(options) or any(
        mark in str(value) for value in options.values() for mark in _FOREIGN
    ):
        raise InvalidSpec("a server runs no functions from files and modules")
    files = [option for option in kind.options if option.kind == "file"]
    if any(options[option.name] != option.default for option in files):
        raise InvalidSpec("a server loads no models from files")
    caps = {**CAPS, **settings.caps}
    for option in [name for name in options if name in given and name in caps]:
        value, cap = options[option], caps[option]
        if isinstance(value, int | float) and value > cap:
            raise InvalidSpec(
                f"{option} of an agent must be at most {cap:,} on this server, got {value:,}"
            )
    return text


@lru_cache(maxsize=64)
def allowed_agents(geometry: Geometry, trust: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Return every agent as plain data, without options of files, and whether it plays."""
    agents = []
    for name, agent in kinds_on(trust).items():
        kind, reason = agent.as_dict(), None
        options = [option for option in kind["options"] if option["type"] != "file"]
        for option in options:
            names = _NAMES.get(option["name"])
            if names is not None and name in ALLOWED_AGENTS:
                about = option["help"].partition(":")[0]
                option |= {"choices": names, "takes": ", ".join(names), "help": about}
        try:
            if name in ALLOWED_AGENTS:  # others are asked in their process
                build(name).check_board(geometry)
        except ClaimevenError as error:
            reason = str(error)
        agents.append(
            {**kind, "options": options, "plays": reason is None, "unsupported_reason": reason}
        )
    return agents


def levels() -> list[dict[str, Any]]:
    """Return the named levels of the perfect agent, and their sight in percent."""
    return [
        {"name": name, "agent": f"perfect:level={each.level}", **each._asdict()}
        for name, each in LEVELS.items()
    ]
