"""The guard of the server: hosts, origins, bodies, cancelled requests, headers of every response.

A page of another site in the same browser can send requests to this machine. The guard
rejects them. The Host must be a name of this machine, so that no foreign name can point here. An
Origin must be the server's own. A cross-site request must be a click on a link.
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

#: Headers of every response: only the server's own files, no guessing of types, no frames.
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
#: Maximum number of bytes of a rejected body that are read, and of seconds for reading them.
MAX_DISCARDED_BYTES, MAX_DISCARD_SECONDS = 1 << 26, 10.0
_OTHER_SITE = (
    "pages of other sites cannot use this server;"
    " behind a proxy start it with --root-url and the address of the page"
)
#: Values of Sec-Fetch-Site for requests of other sites.
_FOREIGN = ("cross-site", "same-site")


class Guard:
    """The outermost layer: rejects and cancels requests, and adds headers to responses.

    `hosts` are host names of the server in addition to the names and addresses of this machine. If
    `is_public`, it listens not only on the loopback, and any address may be its own. `body` is the
    maximum size of a body in bytes, `bodies` of some paths; `origins` are pages behind a proxy.
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
        self.is_public, self.body = is_public, body
        self.bodies: Mapping[str, int] = bodies or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request with its whole body, or reject it with a sentence.

        The work for a request is cancelled when its client disconnects.
        """
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers, limit = Headers(scope=scope), self.bodies.get(scope["path"], self.body)
        refusal = self._refusal(scope, headers, limit)
        body, more, is_answered = bytearray(), True, False
        while refusal is None and more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > limit:
                refusal = 413, _too_large(limit)

        async def send_with_headers(message: Message) -> None:
            nonlocal is_answered
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                added = [header for header in HEADERS if header[0] not in present]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)
            is_answered = message["type"] == "http.response.body" and not message.get("more_body")

        if refusal is not None:
            if more and (body or headers.get("expect", "").lower() != "100-continue"):
                await _discard_body(receive)
            status, sentence = refusal
            answer = JSONResponse({"error": sentence}, status, {"connection": "close"})
            await answer(scope, receive, send_with_headers)
            return
        messages: list[Message] = [{"type": "http.request", "body": bytes(body)}]
        watching = asyncio.ensure_future(receive())  # now only a disconnect can be received

        async def receive_again() -> Message:
            return messages.pop() if messages else await asyncio.shield(watching)

        working = asyncio.ensure_future(self.app(scope, receive_again, send_with_headers))
        try:
            await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
            if is_answered or working.done():
                await working
        finally:
            for task in (working, watching):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task

    def _refusal(self, scope: Scope, headers: Headers, limit: int) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if "transfer-encoding" in headers and (
            "content-length" in headers or scope["http_version"] == "1.0"
        ):  # a proxy could take the rest for a separate request
            return 400, "the request gives its length in two ways"
        if not self.is_own_host(host):
            return 403, (
                "the Host of the request is not a name of this server;"
                " start it with --allow-host NAME if it should be one"
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
            return 403, _OTHER_SITE
        length = headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length[:18]) > limit:
            return 413, _too_large(limit)
        return None

    def is_own_host(self, host: str) -> bool:
        """Whether a Host, with or without a port, is this machine."""
        name = host.lower()
        if ":" in host.rpartition("]")[2]:  # of a port, not of an IPv6 address
            name = name.rpartition(":")[0]
        if name in self.names:
            return True
        try:
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return self.is_public or address.is_loopback


def _too_large(limit: int) -> str:
    return f"the body must be at most {limit:,} bytes"


async def _discard_body(receive: Receive) -> None:
    """Read and discard a body: a client that is cut off while sending misses the response."""
    read, more = 0, True
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(MAX_DISCARD_SECONDS):
            while more and read < MAX_DISCARDED_BYTES:
                message = await receive()
                read += len(message.get("body", b""))
                more = message["type"] == "http.request" and message.get("more_body", False)
