"""What a server is started with: its address, its workers, and the most it does for a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from claimeven.errors import ClaimevenError
from claimeven.parallel.cores import usable_cores

#: Greatest number of a port.
MAX_PORT = 65_535
#: Workers at least: one page asks for scores, a move and a review at once.
MIN_WORKERS = 3
#: Workers at most.
MAX_WORKERS = 64
#: Seconds at most that a server may be told to spend on a search.
MAX_SECONDS = 3_600


class InvalidSettings(ClaimevenError):
    """A server that cannot be started as asked."""


def usual_workers() -> int:
    """Return how many workers a server has where nothing is said: one a core, and 3 at least."""
    return min(MAX_WORKERS, max(MIN_WORKERS, usable_cores()))


def _origin(url: str) -> str:
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
        f" without a path, not {url!r}"
    )


@dataclass(frozen=True)
class ServerSettings:
    """Where a server listens and how much it does.

    `host` and `port` are the address (port 0: any free one). `workers` search, each with a
    transposition table of `table_mb` MB, None for 64, or 8 beside a deep book. A search has
    `seconds` at most, an explanation twice and a review of a game six times as long; an agent may
    make `iterations` and look at `nodes` at most for a move. `body` is the longest request body in
    bytes, `waiting` the most requests that wait for a worker. `store` is a file of games to show.
    `hosts` are names, besides those of this machine, under which the server may be asked for,
    `root_urls` addresses of proxies before it: https://host or https://host:port. `bot` is the
    agent that plays where a request names none.

    Raises `InvalidSettings` for what cannot be.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = field(default_factory=usual_workers)
    table_mb: float | None = None
    seconds: float = 10.0
    iterations: int = 2_000_000
    nodes: int = 100_000_000
    body: int = 1 << 16
    waiting: int = 1024
    store: Path | None = None
    hosts: tuple[str, ...] = ()
    bot: str = "uct:iterations=200"
    root_urls: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, low, high in (
            ("port", 0, MAX_PORT),
            ("workers", 1, MAX_WORKERS),
            ("table_mb", 4, 1 << 16),
            ("seconds", 0.1, MAX_SECONDS),
        ):
            given = getattr(self, name)
            if given is None:
                continue
            if not low <= given <= high:
                raise InvalidSettings(f"{name} must be {low:g} to {high:g}, not {given:.12g}")
        object.__setattr__(self, "root_urls", tuple(map(_origin, self.root_urls)))
        if not self.host:
            raise InvalidSettings("host must be a name or an address, such as 127.0.0.1")

    @property
    def caps(self) -> dict[str, Any]:
        """The most that an agent may do for a move."""
        return {"seconds": self.seconds, "iterations": self.iterations, "nodes": self.nodes}

    @property
    def explain_seconds(self) -> float:
        """Seconds that an explanation may take."""
        return 2 * self.seconds

    @property
    def review_seconds(self) -> float:
        """Seconds that the review of a game may take."""
        return 6 * self.seconds
