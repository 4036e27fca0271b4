"""The guard of the server: hosts, origins, the size of bodies, and headers of every answer.

A page of another site that is open in the same browser can send requests to this machine. It cannot
use the server for three reasons: the Host must be a name of this machine (a foreign name that was
made to point here is refused), an Origin must be the server's own, and a request that the browser
marks as coming from another site is answered only if a person follows a link.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Iterable, Mapping

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
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
    """The outermost part of the application: refuses requests, marks answers.

    `hosts` are the names, besides the addresses and names of this machine, that the server may be
    asked under; `is_public` says that it listens on more than the loopback, so that any address may
    be its own. `body` is the longest body in bytes, `bodies` that of some paths. `origins` are of
    pages, besides its own, that may use it: of a proxy before it.
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
        self.origins: frozenset[str] = frozenset(origins)
        self.names = {"localhost", *(host.lower() for host in hosts)}
        if is_public:
            self.names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        self.is_public = is_public
        self.body = body
        self.bodies: Mapping[str, int] = bodies or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it in a sentence."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers, longest = Headers(scope=scope), self.bodies.get(scope["path"], self.body)
        refusal = self._refusal(scope, headers, longest)
        read, is_refused = 0, False

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name for name, _ in message["headers"]}
                added = [header for header in HEADERS if header[0] not in there]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        async def refuse(status: int, sentence: str) -> None:
            answer = JSONResponse({"error": sentence}, status, {"connection": "close"})
            await answer(scope, receive, marked)

        async def counted() -> Message:
            nonlocal read, is_refused
            message = await receive()
            read += len(message.get("body", b""))
            if read > longest:
                is_refused = True
                if message.get("more_body", False):
                    await _read_on(receive)
                await refuse(TOO_LARGE, _too_large(longest))
                raise _TooLarge
            return message

        async def marked_unless_refused(message: Message) -> None:
            if not is_refused:
                await marked(message)

        if refusal is None:
            with contextlib.suppress(_TooLarge):
                await self.app(scope, counted, marked_unless_refused)
            return
        if headers.get("expect", "").lower() != "100-continue":
            await _read_on(receive)
        await refuse(*refusal)

    def _refusal(self, scope: Scope, headers: Headers, longest: int) -> tuple[int, str] | None:
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
        origin, own = headers.get("origin"), f"{scope['scheme']}://{host}".lower()
        is_foreign = origin is not None and origin.lower() not in (own, *self.origins)
        if headers.get("sec-fetch-site") in _FOREIGN:
            is_foreign |= not (
                scope["method"] == "GET"
                and headers.get("sec-fetch-mode") == "navigate"
                and headers.get("sec-fetch-dest") == "document"
            )
        if is_foreign:
            return FORBIDDEN, _OTHER_SITE
        length = headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length[:18]) > longest:
            return TOO_LARGE, _too_large(longest)
        return None

    def knows(self, host: str) -> bool:
        """Whether a Host, with its port, means this machine."""
        name = host.lower()
        if ":" in host.rpartition("]")[2]:  # of a port, not of an address in brackets
            name = name.rpartition(":")[0]
        if name in self.names:
            return True
        try:
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return self.is_public or address.is_loopback


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _TooLarge(BaseException):
    """Ends the reading of a body that is too long; no handler of errors is to answer it again."""


def _too_large(longest: int) -> str:
    return f"the body is longer than {longest:,} bytes, the most this server reads"


async def _read_on(receive: Receive) -> None:
    """Read what is still being sent, within reason, and forget it: a client that is cut off while
    it sends does not see the answer.
    """
    read, more = 0, True
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(MAX_SECONDS):
            while more and read < MAX_FORGOTTEN:
                message = await receive()
                read += len(message.get("body", b""))
                more = message["type"] == "http.request" and message.get("more_body", False)
