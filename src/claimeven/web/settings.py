"""Settings of a server: its address, its workers, and its limits for a request."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from claimeven.errors import ClaimevenError
from claimeven.parallel.executors import usable_cores

#: Maximum number of workers, and greatest time limit of a search in seconds.
MAX_WORKERS, MAX_SECONDS = 64, 3_600


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
        """Time limit of an explanation in seconds."""
        return 2 * self.seconds

    @property
    def review_seconds(self) -> float:
        """Time limit of a review in seconds."""
        return 6 * self.seconds
