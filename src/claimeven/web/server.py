"""Running the server until it is stopped. An idle client cannot occupy a connection forever."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import sys
import webbrowser
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from claimeven.web.app import create_app
from claimeven.web.pool import WorkerPool
from claimeven.web.settings import InvalidSettings, ServerSettings, is_loopback
from claimeven.web.transport import WorkerLost, WorkFailed, WorkTooLong

#: Hosts that mean all addresses of the machine.
_ALL_ADDRESSES = ("0.0.0.0", "::", "")
#: Errors of the system if too many connections are open.
_TOO_MANY_CONNECTIONS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
#: Seconds for the head of a request, for its body, and for a client to read pending data.
HEAD_SECONDS, BODY_SECONDS, READ_SECONDS = 15.0, 60.0, 60.0
_TIMEOUT_BODY = b'{"error":"the request did not arrive within its time limit"}'
_TIMEOUT_RESPONSE = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(_TIMEOUT_BODY), _TIMEOUT_BODY)
)


def serve(
    settings: ServerSettings, on_message: Callable[[str], None], browse: bool = False
) -> None:
    """Serve until Ctrl-C (which raises KeyboardInterrupt) or SIGTERM (which ends the process).

    `on_message` receives the address once the server is up, and other messages; `browse` opens a
    browser. Raises `InvalidSettings` for an address that cannot be used.
    """
    _allow_connections()
    with contextlib.closing(_bind(settings)) as listener:
        asyncio.run(_serve(settings, listener, on_message, browse))


async def _serve(
    settings: ServerSettings,
    listener: socket.socket,
    on_message: Callable[[str], None],
    browse: bool,
) -> None:
    pool = WorkerPool(settings.workers, settings.table_mb, settings.max_waiting, on_message)
    starting = asyncio.ensure_future(pool.start())
    compiling = asyncio.ensure_future(pool.compiling.wait())
    try:
        # The server starts when a worker is usable, or shows the progress of the first compilation.
        await asyncio.wait((starting, compiling), return_when=asyncio.FIRST_COMPLETED)
        _check_started(starting)
        server = _Server(create_app(settings, pool), settings, on_message, browse)
        starting.add_done_callback(server.end_if_failed)
        await server.serve(sockets=[listener])
        _check_started(starting)
    finally:
        compiling.cancel()
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await starting
        await pool.stop()


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Whether a record belongs in the log: cancelled requests are not errors."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def _check_started(starting: asyncio.Future[None]) -> None:
    """Raise `InvalidSettings` if no worker could be started."""
    if starting.done() and not starting.cancelled():
        error = starting.exception()
        if isinstance(error, (WorkerLost, WorkFailed, WorkTooLong)):
            raise InvalidSettings(f"no worker could be started: {error}")


def _allow_connections() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - POSIX only

        _, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (maximum, maximum))


class ClientConnection(H11Protocol):
    """A connection that is closed after a deadline, even if data trickles in."""

    _phase: Any = None
    _request: asyncio.TimerHandle | None = None
    _reader: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._restart_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._restart_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._restart_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._request, self._reader):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the time in which the client must read."""
        super().pause_writing()
        self._reader = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._reader is not None:
            self._reader.cancel()

    def shutdown(self) -> None:
        """Close with the server, also in the middle of a request."""
        super().shutdown()
        if self._phase is h11.SEND_BODY:
            self.transport.close()

    def _restart_timer(self) -> None:
        """Start the time for a part of a request, if the part has changed."""
        phase = self.conn.their_state
        if phase is self._phase:
            return
        self._phase = phase
        if self._request is not None:
            self._request.cancel()
        seconds = {h11.IDLE: HEAD_SECONDS, h11.SEND_BODY: BODY_SECONDS}.get(phase)
        self._request = self.loop.call_later(seconds, self._end) if seconds else None

    def _end(self) -> None:
        """End the connection; a client that has sent a part of a request gets a reason."""
        has_sent = self._phase is h11.SEND_BODY or bool(self.conn.trailing_data[0])
        is_free = self.cycle is None or not self.cycle.response_started
        if has_sent and (is_free or self.cycle.response_complete):
            self.transport.write(_TIMEOUT_RESPONSE)
        self.transport.close()


class _Server(uvicorn.Server):
    """A server that reports its address, and stops its searches before its connections."""

    def __init__(
        self,
        app: FastAPI,
        settings: ServerSettings,
        on_message: Callable[[str], None],
        browse: bool,
    ) -> None:
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http=ClientConnection,
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
            backlog=128,
        )
        super().__init__(config)
        logging.getLogger("uvicorn.error").addFilter(_is_worth_logging)
        self._services, self._host = app.state.services, settings.host
        self._on_message, self._browse = on_message, browse
        self._is_crowded = False

    def end_if_failed(self, starting: asyncio.Future[None]) -> None:
        if not starting.cancelled() and starting.exception() is not None:
            self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._handle)
        await super().startup(sockets)
        if self.started and sockets:
            port = sockets[0].getsockname()[1]
            for line in address_lines(self._host, port):
                self._on_message(line)
            if self._browse:
                loop.run_in_executor(None, open_browser, url(self._host, port))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the searches, then the requests that wait for them."""
        await self._services.stop()
        await super().shutdown(sockets)

    def _handle(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Report once that there are too many connections; pass other errors to the loop."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in _TOO_MANY_CONNECTIONS:
            if not self._is_crowded:
                self._on_message(f"too many open connections: some must wait ({error.strerror})")
            self._is_crowded = True
        elif not (self.should_exit and self._is_crowded):
            # A crowded server still accepts connections while it stops.
            loop.default_exception_handler(context)


def _bind(settings: ServerSettings) -> socket.socket:
    """Return a socket at the address, not listening yet. Raises `InvalidSettings`."""
    host, port = settings.host, settings.port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise InvalidSettings(
            f"unknown host {host!r}: choose a name or an address of this machine"
        ) from None
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        # A port may be reused after old connections, but never shared, as Windows would allow.
        option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
        listener.setsockopt(socket.SOL_SOCKET, option, 1)
        listener.bind(address)
        listener.set_inheritable(False)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            reason = f"port {port} of {host} is in use: choose another with --port, or 0 for any"
        elif error.errno == errno.EACCES:
            reason = f"port {port} needs more rights: choose one above 1023 with --port"
        else:
            reason = f"{host} port {port} cannot be listened on: {error.strerror}"
        raise InvalidSettings(reason) from None
    return listener


def address_lines(host: str, port: int) -> list[str]:
    """Return messages about the address of a server.

    >>> address_lines("127.0.0.1", 8000)
    ['claimeven is at http://127.0.0.1:8000/ (Ctrl-C stops it)']
    """
    lines = [f"claimeven is at {url(host, port)} (Ctrl-C stops it)"]
    if is_loopback(host):
        return lines
    if host in _ALL_ADDRESSES and (outside := outer_address()) is not None:
        lines.append(f"other machines reach it at {url(outside, port)}")
    return [*lines, "everyone with access to this machine can use it: there is no password"]


def outer_address() -> str | None:
    """Return this machine's address in its network, None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a reserved address, without sending data
        except OSError:
            return None
        address: str = probe.getsockname()[0]
    return address


def url(host: str, port: int) -> str:
    """Return the address of the page.

    >>> url("::1", 8000), url("0.0.0.0", 80)
    ('http://[::1]:8000/', 'http://localhost:80/')
    """
    name = "localhost" if host in _ALL_ADDRESSES else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/"


def open_browser(address: str) -> None:
    """Open a page in a browser; print a message if that fails."""
    try:
        is_open = webbrowser.open(address)
    except webbrowser.Error:
        is_open = False
    if not is_open:
        print(f"no browser could be opened: open {address} yourself", file=sys.stderr)
