"""Who may ask and what goes out: hosts, origins, the size of bodies, and headers of every answer.

A page of another site that is open in the same browser can send requests to this machine. It is
kept from using the server in three ways: the Host must be a name of this machine (a foreign name
that was made to point here is refused), an Origin must be the server's own, and what the browser
says comes from another site is answered only where a person follows a link.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import socket
from collections.abc import Iterable, Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Headers of every answer: only the server's own files, no guessing of types, no frames.
HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none';"
        b" form-action 'self'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
BAD_REQUEST, FORBIDDEN, TOO_LARGE = 400, 403, 413
#: Bytes of a body that is refused which are read all the same, and seconds for that.
MAX_FORGOTTEN, MAX_SECONDS = 1 << 26, 10.0
_OTHER_SITE = (
    "pages of other sites cannot use this server;"
    " behind a proxy start it with --root-url and the address of the page"
)
#: Ways in which a browser says that a request comes from elsewhere.
_FOREIGN = ("cross-site", "same-site")


class Guard:
    """The outermost part of the application: refuses what must not come in, marks what goes out.

    `hosts` are the names, besides the addresses and names of this machine, that the server may be
    asked under; `is_public` says that it listens on more than the loopback, so that it is asked for
    by whatever address it has there. `body` is the longest body in bytes, `bodies` that of some
    paths. `origins` are of pages, besides its own, that may use it: of a proxy before it.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Iterable[str],
        is_public: bool,
        body: int,
        bodies: Mapping[str, int] | None = None,
        origins: Iterable[str] = (),
    ) -> None:
        self.app = app
        self.origins = frozenset(origins)
        self.names = {"localhost", *(host.lower() for host in hosts)}
        if is_public:
            self.names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        self.is_public = is_public
        self.body = body
        self.bodies = bodies or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it in a sentence."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        marked = _marking(send)
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            if headers.get("expect", "").lower() != "100-continue":
                await _read_on(receive)
            await _refuse(marked, *refusal)
            return
        await _Bounded(self.app, self._longest(scope))(scope, receive, marked)

    def _longest(self, scope: Scope) -> int:
        return self.bodies.get(scope["path"], self.body)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if "transfer-encoding" in headers and (
            "content-length" in headers or scope["http_version"] == "1.0"
        ):  # what follows would be a request to some and a part of this one's body to others
            return BAD_REQUEST, "the request gives its length in two ways"
        if not self.knows(host):
            return FORBIDDEN, (
                "this server is not asked for under that Host;"
                " start it with --allow-host NAME if that is its name"
            )
        origin = headers.get("origin")
        own = (f"{scope['scheme']}://{host}".lower(), *self.origins)
        if origin is not None and origin.lower() not in own:
            return FORBIDDEN, _OTHER_SITE
        if headers.get("sec-fetch-site") in _FOREIGN and not _is_followed_link(scope, headers):
            return FORBIDDEN, _OTHER_SITE
        length, most = headers.get("content-length", ""), self._longest(scope)
        if length.isascii() and length.isdigit() and int(length[:18]) > most:
            return TOO_LARGE, _too_large(most)
        return None

    def knows(self, host: str) -> bool:
        """Whether a Host, with its port, means this machine."""
        name = host.lower().rpartition(":")[0] if _has_port(host) else host.lower()
        if name in self.names:
            return True
        try:
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return self.is_public or address.is_loopback


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Bounded:
    """Reads no more of a body than is allowed."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        read = 0
        refused = False

        async def counted() -> Message:
            nonlocal read, refused
            message = await receive()
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                if read > self.most:
                    refused = True
                    if message.get("more_body", False):
                        await _read_on(receive)
                    await _refuse(send, TOO_LARGE, _too_large(self.most))
                    raise _TooLarge
            return message

        async def unless_refused(message: Message) -> None:
            if not refused:
                await send(message)

        try:
            await self.app(scope, counted, unless_refused)
        except _TooLarge:
            return


class _TooLarge(BaseException):
    """Ends the reading of a body that is too long; no handler of errors is to answer it again."""


def _too_large(most: int) -> str:
    return f"the body is longer than {most:,} bytes, the most this server reads"


def _has_port(host: str) -> bool:
    """Whether a Host ends in a port; an address in brackets holds colons of its own."""
    return ":" in host.rpartition("]")[2] and not host.endswith("]")


def _is_followed_link(scope: Scope, headers: Headers) -> bool:
    return (
        scope["method"] == "GET"
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )


def _marking(send: Send) -> Send:
    """Return a `send` that adds the headers."""

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name for name, _ in message["headers"]}
            added = [header for header in HEADERS if header[0] not in there]
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return marked


async def _read_on(receive: Receive) -> None:
    """Read what is still being sent, within reason, and forget it: a client that is cut off while
    it sends does not see the answer.
    """
    read = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(MAX_SECONDS):
            more = True
            while more and read < MAX_FORGOTTEN:
                message = await receive()
                read += len(message.get("body", b""))
                more = message["type"] == "http.request" and message.get("more_body", False)


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
