"""Requests to servers that may be slow, gone or strange: one answer, of bounded size, in time.

Only the standard library is used. Redirections are not followed and no proxy is asked.
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

from claimeven.agents.options import InvalidSpec
from claimeven.agents.sanitize import described, printable
from claimeven.errors import ClaimevenError

if TYPE_CHECKING:  # it takes a seventh of the program's start, and few call a server
    import http.client

#: What addresses of servers begin with.
SCHEMES = ("http://", "https://")
#: The status of an answer that is one.
_OK = 200
#: Bytes of an answer that are read.
MOST_ANSWER = 1 << 20
#: Characters of what a server says that a message repeats.
_MOST_SAID = 160
_PORTS = {"http": 80, "https": 443}


class CallFailed(ClaimevenError):
    """A server that could not be reached, or did not answer as it should."""


class CallLate(ClaimevenError):
    """A server that has not answered in time."""


@dataclass(frozen=True)
class Reply:
    """What a server answered: a status of HTTP and the body."""

    status: int
    body: bytes

    def data(self) -> dict[str, Any]:
        """Return the body as a JSON object. Raises `CallFailed` for any other answer, saying what
        it was.
        """
        try:
            told = json.loads(self.body)
        except (ValueError, RecursionError):
            told = None
        if self.status != _OK:
            said = told.get("error") if isinstance(told, dict) else None
            words = f": {printable(said, _MOST_SAID)}" if isinstance(said, str) else ""
            raise CallFailed(f"answered with status {self.status}{words}")
        if not isinstance(told, dict):
            raise CallFailed("answered with what is no JSON object")
        return told


def is_address(text: str) -> bool:
    """Whether a text is the address of a server."""
    return text.lower().startswith(SCHEMES)


class Endpoint:
    """An address to post to. Raises `InvalidSpec` for one that cannot be.

    The connection is kept from call to call where `keep` is set and the server does so too. Not to
    be used by two threads at once.
    """

    def __init__(self, url: str, keep: bool = False) -> None:
        self.url = url
        self.keep = keep
        parts = _parts(url)
        assert parts.hostname is not None
        self.host, self.is_secret = parts.hostname, parts.scheme.lower() == "https"
        self.port = parts.port or _PORTS[parts.scheme.lower()]
        self.path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._connection: http.client.HTTPConnection | None = None
        importlib.import_module("http.client")  # before any clock runs

    def below(self, name: str) -> Endpoint:
        """Return the address of something below this one; the query stays."""
        parts = urlsplit(self.url)
        return Endpoint(parts._replace(path=f"{parts.path.rstrip('/')}/{name}").geturl())

    def reach(self, seconds: float) -> None:
        """Raise `CallFailed` if nobody listens there."""
        try:
            socket.create_connection((self.host, self.port), seconds).close()
        except OSError as error:
            raise CallFailed(f"cannot be reached: {_reason(error)}") from None

    def post(self, body: bytes, content_type: str, seconds: float) -> Reply:
        """Send a body and return the answer. Raises `CallFailed`, and `CallLate` after `seconds`.

        A connection that was kept and that the server has let go of meanwhile is made anew.
        """
        import http.client  # noqa: PLC0415 - see above

        deadline = time.monotonic() + seconds
        kept = self._connection is not None
        try:
            return self._post(body, content_type, deadline)
        except (BrokenPipeError, ConnectionResetError) as error:  # RemoteDisconnected is one
            if not kept:
                raise CallFailed(f"went away: {_reason(error)}") from None
        except (OSError, http.client.HTTPException) as error:
            raise CallFailed(f"cannot be reached: {_reason(error)}") from None
        try:
            return self._post(body, content_type, deadline)
        except (OSError, http.client.HTTPException) as error:
            raise CallFailed(f"cannot be reached: {_reason(error)}") from None

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _post(self, body: bytes, content_type: str, deadline: float) -> Reply:
        connection = self._connection or self._connected(deadline)
        self._connection = None
        with _Cut(connection, deadline) as cut:
            try:
                connection.request("POST", self.path, body, {"content-type": content_type})
                response = connection.getresponse()
                data = response.read(MOST_ANSWER + 1)
            except BaseException as error:
                connection.close()
                if cut.has_cut or isinstance(error, TimeoutError):
                    raise CallLate("did not answer in time") from None
                raise
        if cut.has_cut:
            connection.close()
            raise CallLate("did not answer in time")
        if len(data) > MOST_ANSWER:
            connection.close()
            raise CallFailed(f"answered with more than {MOST_ANSWER:,} bytes")
        if self.keep and not response.will_close:
            self._connection = connection
        else:
            connection.close()
        return Reply(response.status, data)

    def _connected(self, deadline: float) -> http.client.HTTPConnection:
        import http.client  # noqa: PLC0415 - see above

        kind = http.client.HTTPSConnection if self.is_secret else http.client.HTTPConnection
        connection = kind(self.host, self.port, timeout=max(1e-3, deadline - time.monotonic()))
        try:
            connection.connect()
        except TimeoutError:
            raise CallLate("did not answer in time") from None
        return connection


class _Cut:
    """Cuts a connection off at a moment, whatever it is doing: each byte of an answer may be slow.

    A timeout of the socket alone would begin anew with every byte.
    """

    def __init__(self, connection: http.client.HTTPConnection, deadline: float) -> None:
        self.connection = connection
        self.has_cut = False
        self._timer = threading.Timer(max(0.0, deadline - time.monotonic()), self._cut)
        self._timer.daemon = True

    def __enter__(self) -> _Cut:
        self._timer.start()
        return self

    def __exit__(self, *ended: object) -> None:
        self._timer.cancel()

    def _cut(self) -> None:
        self.has_cut = True
        if self.connection.sock is not None:
            with contextlib.suppress(OSError):
                self.connection.sock.shutdown(socket.SHUT_RDWR)


def _parts(url: str) -> SplitResult:
    """Return the parts of an address. Raises `InvalidSpec`."""
    try:
        parts = urlsplit(url)
        port_is_fit = parts.port != 0
    except ValueError:
        raise InvalidSpec(f"{printable(url) or repr(url)} is no address of a server") from None
    if not is_address(url) or not parts.hostname or not port_is_fit:
        raise InvalidSpec(f"{printable(url) or repr(url)} is no address of a server")
    if parts.username or parts.password:
        raise InvalidSpec("an address with a name and a password is not taken")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise InvalidSpec(f"{printable(url)} holds characters that no address has")
    return parts


def _reason(error: BaseException) -> str:
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return described(error)
