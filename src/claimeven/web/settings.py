"""Settings of a server: its address, its workers, its limits, and the agents of its clients.

Only bundled agents and trusted agents of installed packages are allowed, without files, modules,
programs or servers, so that no client can make this machine run code or send requests. The only
exceptions are the agents of the command line, by exactly these specs (`ServerSettings.bots`).
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from claimeven.agents.external import FOREIGN
from claimeven.agents.families.perfect import LEVELS
from claimeven.agents.options import AgentKind, InvalidSpec, name_in, split_limit
from claimeven.agents.registry import AGENTS, build, installed_agents
from claimeven.errors import ClaimevenError
from claimeven.evaluation.registry import EVALUATIONS
from claimeven.game.geometry import Geometry
from claimeven.montecarlo.layout import PLAYOUTS
from claimeven.parallel.executors import usable_cores
from claimeven.suggestions import no_such

#: Maximum number of workers, and greatest time limit of a search in seconds.
MAX_WORKERS, MAX_SECONDS = 64, 3_600
#: Options for memory or processors, and their greatest values.
CAPS = {"threads": 1, "table_mb": 256, "capacity": 4_000_000, "table": 20}
#: Options that also accept a function from a file, and the names that are allowed.
_NAMES = {"eval": list(EVALUATIONS), "playout": list(PLAYOUTS)}
#: Parts of names of files, modules, programs and servers.
_FOREIGN = ("/", "\\", ".py", "://", "lund:", *(f"{prefix}:" for prefix in FOREIGN))

#: The allowed agents by name.
ALLOWED_AGENTS = {name: kind for name, kind in AGENTS.items() if name != "human"}


class InvalidSettings(ClaimevenError):
    """Settings with which a server cannot be started."""


def is_loopback(host: str) -> bool:
    """Whether an address can be reached only from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def default_workers() -> int:
    """Return one worker for each core, at least 3: for scores, a move and a review of one page."""
    return min(MAX_WORKERS, max(3, usable_cores()))


def _origin_of(url: str) -> str:
    """Return the origin of an address as browsers write it. Raises `InvalidSettings`."""
    try:
        parts = urlsplit(url.strip().lower())
        port = {"http": 80, "https": 443}[parts.scheme]
        is_bare = parts.path in ("", "/") and not (parts.query or parts.fragment or "@" in url)
        if is_bare and parts.hostname:
            name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
            return f"{parts.scheme}://{name}" + f":{parts.port}" * (parts.port not in (None, port))
    except (KeyError, ValueError):
        pass
    raise InvalidSettings(
        f"root-url must be the scheme and the host of a page, such as https://c4.example.org,"
        f" without a path, got {url!r}"
    )


@dataclass(frozen=True)
class ServerSettings:
    """The address of a server and its limits.

    `host` and `port` are the address (port 0: any free one). There are `workers` processes, each
    with a transposition table of `table_mb` MB, by default 16. `seconds` is the time limit of a
    search; an explanation has twice, a review six times as long. `iterations` and `nodes` limit an
    agent's move, `max_body_bytes` and `max_waiting` the requests. `store` is the file of a
    tournament, `hosts` are additional host names, `bot` is the default agent of `/play` and
    `/lund`, `root_urls` are addresses of proxies (https://host or https://host:port), `trust` are
    the agents of installed packages that clients may use. `bots` are specs of agents from files;
    with them only this machine can connect.

    Raises `InvalidSettings` for an invalid value.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = field(default_factory=default_workers)
    table_mb: float | None = None
    seconds: float = 10.0
    iterations: int = 2_000_000
    nodes: int = 100_000_000
    max_body_bytes: int = 1 << 16
    max_waiting: int = 1024
    store: Path | None = None
    hosts: tuple[str, ...] = ()
    bot: str = "uct:iterations=200"
    root_urls: tuple[str, ...] = ()
    trust: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, low, high in (
            ("port", 0, 65_535),
            ("workers", 1, MAX_WORKERS),
            ("table_mb", 4, 1 << 16),
            ("seconds", 0.1, MAX_SECONDS),
        ):
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise InvalidSettings(f"{name} must be {low:g} to {high:g}, got {value:.12g}")
        object.__setattr__(self, "root_urls", tuple(map(_origin_of, self.root_urls)))
        if not self.host:
            raise InvalidSettings("host must be a name or an address, such as 127.0.0.1")
        if self.bots and (self.hosts or self.root_urls or not is_loopback(self.host)):
            raise InvalidSettings(
                f"{self.bots[0]} runs its code on this machine, so only this machine may use it:"
                " leave out --host, --allow-host and --root-url"
            )

    @property
    def caps(self) -> dict[str, Any]:
        """The limits of an agent for a move."""
        return {"seconds": self.seconds, "iterations": self.iterations, "nodes": self.nodes}

    @property
    def explain_seconds(self) -> float:
        return 2 * self.seconds

    @property
    def review_seconds(self) -> float:
        return 6 * self.seconds


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
