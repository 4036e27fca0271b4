"""Which agents may be asked for through the server, and how much they may take.

Only agents of the package, with options within bounds: nothing that names a file, a module,
another program or another server, so that nobody makes this machine run code or send requests.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from claimeven.agents.external import FOREIGN
from claimeven.agents.families.perfect import LEVEL_NAMES
from claimeven.agents.options import InvalidSpec
from claimeven.agents.registry import AGENTS, build, options_in, parse_spec
from claimeven.errors import ClaimevenError
from claimeven.evaluation.registry import EVALUATIONS
from claimeven.game.geometry import Geometry
from claimeven.montecarlo.layout import PLAYOUTS
from claimeven.suggestions import no_such
from claimeven.web.settings import ServerSettings

#: Options that take memory or processors, and how much of it may be asked for.
_CAPS = {"threads": 1, "table_mb": 256, "capacity": 4_000_000, "table": 20}
#: Options that take a function from a file too, with the names that may be asked for.
_NAMES = {"eval": list(EVALUATIONS), "playout": list(PLAYOUTS)}
#: Parts of the names of files, modules, programs and servers.
_FOREIGN = ("/", "\\", ".py", "://", "lund:", *(f"{prefix}:" for prefix in FOREIGN))

#: Agents by name that may be asked for: all but people.
OFFERED = {name: kind for name, kind in AGENTS.items() if name != "human"}


def allowed(spec: str, settings: ServerSettings) -> str:
    """Return a spec that may be asked for, stripped.

    Raises `InvalidSpec` for agents from files, programs and servers, unknown ones, options out of
    range, and options that take more than the server gives.
    """
    text = spec.strip()
    name = text.partition(":")[0]
    if name == "human":
        raise InvalidSpec(f"{name} plays at a terminal, not through a server")
    if name not in OFFERED:
        if ":" in text or name in FOREIGN or any(mark in text for mark in _FOREIGN):
            raise InvalidSpec(
                f"agents from files, modules, other programs and other servers cannot be asked for"
                f" through this one: choose from {', '.join(OFFERED)}"
            )
        raise InvalidSpec(no_such("agent", name, OFFERED))
    kind, options = parse_spec(text)
    if kind.runs_user_code(options) or any(
        mark in str(value) for value in options.values() for mark in _FOREIGN
    ):
        raise InvalidSpec("functions from files and modules cannot be asked for through a server")
    files = [option for option in kind.options if option.kind == "file"]
    if any(options[option.name] != option.default for option in files):
        raise InvalidSpec("models from files cannot be asked for through a server")
    caps = {**_CAPS, **settings.caps}
    _, given = options_in(text)
    for option in [name for name in options if name in given and name in caps]:
        value, cap = options[option], caps[option]
        if isinstance(value, int | float) and value > cap:
            raise InvalidSpec(
                f"{option} of an agent is at most {cap:,} on this server, not {value:,}"
            )
    return text


@lru_cache(maxsize=64)
def offered_agents(geometry: Geometry) -> list[dict[str, Any]]:
    """Return every agent that may be asked for as plain data, and whether it plays on a board.

    Options that name files are left out; those that take a name or a function of a file choose from
    the names.
    """
    found = []
    for name, offered in OFFERED.items():
        kind, reason = offered.as_dict(), None
        options = [option for option in kind["options"] if option["type"] != "file"]
        for option in options:
            if (names := _NAMES.get(option["name"])) is not None:
                about = option["help"].partition(":")[0]
                option |= {"choices": names, "takes": ", ".join(names), "help": about}
        try:
            build(name).check_board(geometry)
        except ClaimevenError as error:
            reason = str(error)
        found.append({**kind, "options": options, "plays": reason is None, "reason": reason})
    return found


def levels() -> list[dict[str, Any]]:
    """Return the levels of the perfect agent that have a name."""
    return [
        {"name": name, "level": level, "agent": f"perfect:level={level}"}
        for name, level in LEVEL_NAMES.items()
    ]
