"""Agents behind a server: they get the position as JSON and answer with a column.

The protocol for servers in any language is a `POST` of

    {"board": "7x6", "connect": 4, "position": "......./......./...", "turn": 1,
     "legal": [1, 2, 3, 4, 5, 6, 7], "limit": {"seconds": 1.0}, "seed": 123}

answered by `{"column": 4}`. `position` has the rows from the top, divided by `/`: X is a disc of
the first player, O of the second, a dot an empty cell. `turn` is 1 or 2, columns count from 1,
`limit` has the quantities that are limited, and `seed` is for servers that use randomness.
`claimeven serve` answers like this at `/play?agent=SPEC`.

A server may be slow, unreachable or faulty: each call ends in time, with an answer of bounded size.
Only the standard library is used. Redirections are not followed, and proxies are not used.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import socket
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

import numpy as np

from claimeven.agents.base import LIMITS, Agent, AgentFault, Decision, FaultKind, Limit
from claimeven.agents.options import InvalidSpec
from claimeven.agents.sanitize import described, printable, shown
from claimeven.agents.validation import illegal
from claimeven.errors import ClaimevenError
from claimeven.game.encodings import to_characters
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

if TYPE_CHECKING:  # it takes a seventh of the program's start, and is rarely needed
    import http.client

#: Seconds to reach the server, and maximum bytes of an answer.
REACH_SECONDS, MAX_ANSWER = 10.0, 1 << 20
#: Limit of seeds: a number that every language can represent.
_SEEDS = 2**53
_PORTS = {"http": 80, "https": 443}


class CallFailed(ClaimevenError):
    """A server could not be reached, or its answer is not valid."""


class CallLate(ClaimevenError):
    """A server has not answered in time."""


class HttpAgent(Agent):
    """The agent behind an address. Raises `InvalidSpec` for an invalid address.

    All limits are sent to the server; time is measured here. The fault is `crash` for an error or
    an unreachable server, `stall` for a late answer, and `illegal` for an illegal column.
    """

    limits: frozenset[str] = frozenset(LIMITS)

    def __init__(self, url: str) -> None:
        self.name = url
        self._endpoint = Endpoint(url, keep=True)

    def load(self, geometry: Geometry) -> None:
        """Raise `InvalidSpec` if no server answers there."""
        try:
            self._endpoint.reach(REACH_SECONDS)
        except CallFailed as error:
            raise InvalidSpec(str(error)) from None

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Ask the server for a move. Raises `AgentFault` if anything fails."""
        begin = time.perf_counter()
        message = json.dumps(request_of(position, limit, int(rng.integers(_SEEDS)))).encode()
        seconds, late = limit.patience
        try:
            answer = self._endpoint.post(message, "application/json", seconds).data()
        except CallFailed as error:
            raise AgentFault(str(error)) from None
        except CallLate:
            raise AgentFault(late, kind=FaultKind.STALL) from None
        column = answer.get("column")
        if not isinstance(column, int) or isinstance(column, bool):
            raise illegal(f"answered with column {shown(column)}, which is not a number from 1")
        if column - 1 not in position.legal_columns:
            why = "is full" if 1 <= column <= position.geometry.columns else "is not on the board"
            legal = ", ".join(str(legal + 1) for legal in position.legal_columns)
            raise illegal(
                f"answered with column {shown(column)} (counted from 1), which {why}: legal were"
                f" {legal}"
            )
        return Decision(column - 1, seconds=time.perf_counter() - begin)

    def close(self) -> None:
        self._endpoint.close()


def request_of(position: Position, limit: Limit, seed: int) -> dict[str, Any]:
    """Return the request for a move.

    >>> request_of(Position.from_moves("44"), Limit(seconds=1), 5)["legal"]
    [1, 2, 3, 4, 5, 6, 7]
    """
    geometry = position.geometry
    return {
        "board": f"{geometry.columns}x{geometry.rows}",
        "connect": geometry.connect,
        "position": "/".join("".join(row) for row in to_characters(position)),
        "turn": position.turn + 1,
        "legal": [column + 1 for column in position.legal_columns],
        "limit": {name: getattr(limit, name) for name in LIMITS if getattr(limit, name)},
        "seed": seed,
    }


@dataclass(frozen=True)
class HttpReply:
    """The answer of a server: HTTP status and body."""

    status: int
    body: bytes

    def data(self) -> dict[str, Any]:
        """Return the body as a JSON object. Raises `CallFailed` for any other body or an error."""
        try:
            data = json.loads(self.body)
        except (ValueError, RecursionError):
            data = None
        if self.status != 200:
            error = data.get("error") if isinstance(data, dict) else None
            words = f": {printable(error, 160)}" if isinstance(error, str) else ""
            raise CallFailed(f"answered with status {self.status}{words}")
        if not isinstance(data, dict):
            raise CallFailed("answered with data that is not a JSON object")
        return data


def is_address(text: str) -> bool:
    """Whether a text is the address of a server."""
    return text.lower().startswith(("http://", "https://"))


class Endpoint:
    """An address to post to. Raises `InvalidSpec` for an invalid address.

    With `keep` the connection stays open if the server allows it. It is for one thread at a time.
    """

    def __init__(self, url: str, keep: bool = False) -> None:
        self.url = url
        self.keep = keep
        parts = _parts(url)
        assert parts.hostname is not None
        self.host, self.is_secret = parts.hostname, parts.scheme.lower() == "https"
        self.port: int = parts.port or _PORTS[parts.scheme.lower()]
        self.path: str = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._connection: http.client.HTTPConnection | None = None
        importlib.import_module("http.client")  # before any clock runs

    def below(self, name: str) -> Endpoint:
        """Return an address with one more part of the path and the same query."""
        parts = urlsplit(self.url)
        return Endpoint(parts._replace(path=f"{parts.path.rstrip('/')}/{name}").geturl())

    def reach(self, seconds: float) -> None:
        """Raise `CallFailed` if no server answers there."""
        try:
            socket.create_connection((self.host, self.port), seconds).close()
        except OSError as error:
            raise CallFailed(f"cannot be reached: {_reason(error)}") from None

    def post(self, body: bytes, content_type: str, seconds: float) -> HttpReply:
        """Send a body, return the answer. Raises `CallFailed`, and `CallLate` after `seconds`."""
        import http.client  # noqa: PLC0415 - see above

        deadline = time.monotonic() + seconds
        is_reused = self._connection is not None
        try:
            try:
                return self._post(body, content_type, deadline)
            except (BrokenPipeError, ConnectionResetError) as error:  # RemoteDisconnected is one
                if not is_reused:
                    raise CallFailed(f"went away: {_reason(error)}") from None
            return self._post(body, content_type, deadline)
        except (OSError, http.client.HTTPException) as error:
            raise CallFailed(f"cannot be reached: {_reason(error)}") from None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _post(self, body: bytes, content_type: str, deadline: float) -> HttpReply:
        import http.client  # noqa: PLC0415 - see above

        connection, self._connection = self._connection, None
        if connection is None:
            kind = http.client.HTTPSConnection if self.is_secret else http.client.HTTPConnection
            connection = kind(self.host, self.port, timeout=max(1e-3, deadline - time.monotonic()))
            try:
                connection.connect()
            except TimeoutError:
                raise CallLate("did not answer in time") from None
        # A response without a length takes the socket away from the connection.
        is_cut, used = threading.Event(), connection.sock

        def cut() -> None:
            is_cut.set()
            with contextlib.suppress(OSError):
                used.shutdown(socket.SHUT_RDWR)

        # A timeout of the socket starts again with every byte.
        timer = threading.Timer(max(0.0, deadline - time.monotonic()), cut)
        timer.daemon = True
        timer.start()
        stays_open = False
        try:
            connection.request("POST", self.path, body, {"content-type": content_type})
            with connection.getresponse() as response:
                data = response.read(MAX_ANSWER + 1)
            if len(data) > MAX_ANSWER:
                raise CallFailed(f"answered with more than {MAX_ANSWER:,} bytes")
            stays_open = self.keep and not response.will_close
        except BaseException as error:
            if is_cut.is_set() or isinstance(error, TimeoutError):
                raise CallLate("did not answer in time") from None
            raise
        finally:
            timer.cancel()
            if stays_open and not is_cut.is_set():
                self._connection = connection
            else:
                connection.close()
        if is_cut.is_set():
            raise CallLate("did not answer in time")
        return HttpReply(response.status, data)


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_valid = parts.port != 0 and bool(parts.hostname) and is_address(url)
    except ValueError:
        is_valid = False
    if not is_valid:
        raise InvalidSpec(f"{printable(url) or repr(url)} is not the address of a server")
    if parts.username or parts.password:
        raise InvalidSpec("an address must not contain a user name or password")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise InvalidSpec(f"{printable(url)} has characters that are not allowed in an address")
    return parts


def _reason(error: BaseException) -> str:
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return described(error)
