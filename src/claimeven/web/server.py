"""Running the server until it is told to end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import sys
import webbrowser
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn

from claimeven.web.app import create_app
from claimeven.web.connections import Connection
from claimeven.web.errors import WorkerLost, WorkFailed, WorkTooLong
from claimeven.web.pool import WorkerPool
from claimeven.web.security import is_loopback
from claimeven.web.services import Services
from claimeven.web.settings import InvalidSettings, ServerSettings

#: Seconds that answers have to end once the server is told to.
_FAREWELL = 1
#: Hosts that stand for every address of the machine.
_ANY = ("0.0.0.0", "::", "")
#: Connections that wait to be taken; where no more files can be open, each is told of.
_BACKLOG = 128
#: Errors of a system that has no room for another connection.
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


def serve(settings: ServerSettings, tell: Callable[[str], None], browse: bool = False) -> None:
    """Serve until Ctrl-C (which raises KeyboardInterrupt) or SIGTERM (which ends the process).

    `tell` is told where the server is once it answers, and what else a person should know;
    `browse` opens a browser there. Raises `InvalidSettings` for an address that cannot be used.
    """
    _allow_connections()
    with contextlib.closing(_bound(settings)) as listener:
        asyncio.run(_serve(settings, listener, tell, browse))


async def _serve(
    settings: ServerSettings,
    listener: socket.socket,
    tell: Callable[[str], None],
    browse: bool,
) -> None:
    pool = WorkerPool(settings.workers, settings.table_mb, settings.waiting, tell)
    starting = asyncio.ensure_future(pool.start())
    compiling = asyncio.ensure_future(pool.compiling.wait())
    try:
        # A worker can be asked before the first request; only while code is compiled for the first
        # time, which takes long, the page is up already, says so, and searches wait.
        await asyncio.wait((starting, compiling), return_when=asyncio.FIRST_COMPLETED)
        _check_started(starting)
        app = create_app(settings, pool)
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http=Connection,
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_FAREWELL,
            backlog=_BACKLOG,
        )
        logging.getLogger("uvicorn.error").addFilter(_is_news)
        server = _Server(config, app.state.services)
        server.when_listening = lambda: _told(settings, listener, tell, browse)
        asyncio.get_running_loop().set_exception_handler(partial(_handle, server, tell))
        starting.add_done_callback(server.end_if_failed)
        await server.serve(sockets=[listener])
        _check_started(starting)
    finally:
        compiling.cancel()
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await starting
        await pool.stop()


def _is_news(record: logging.LogRecord) -> bool:
    """Whether the log should hold this: not that a request was given up, which is no failure."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def _check_started(starting: asyncio.Future[None]) -> None:
    """Raise `InvalidSettings` where no worker could be started."""
    if starting.done() and not starting.cancelled():
        error = starting.exception()
        if isinstance(error, (WorkerLost, WorkFailed, WorkTooLong)):
            raise InvalidSettings(f"no worker could be started: {error}")


def _allow_connections() -> None:
    """Let this process have as many connections open as the system lets it ask for."""
    try:
        import resource  # noqa: PLC0415 - POSIX only
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _handle(
    server: _Server,
    tell: Callable[[str], None],
    loop: asyncio.AbstractEventLoop,
    context: dict[str, Any],
) -> None:
    """Say once that there are too many connections; leave other errors to the loop."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        if not server.is_crowded:
            tell(f"too many connections at once: some wait ({error.strerror})")
        server.is_crowded = True
    elif not (server.should_exit and server.is_crowded):
        # Where it was crowded, it tries to go on taking connections when it has ended.
        loop.default_exception_handler(context)


class _Server(uvicorn.Server):
    """A server whose searches end before its connections do."""

    when_listening: Callable[[], None]
    is_crowded = False

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self._services = services

    def end_if_failed(self, starting: asyncio.Future[None]) -> None:
        """End the server where no worker could be started."""
        if not starting.cancelled() and starting.exception() is not None:
            self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        if self.started:
            self.when_listening()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the searches, then what waits for them."""
        await self._services.stop()
        await super().shutdown(sockets)


def _bound(settings: ServerSettings) -> socket.socket:
    """Return a socket at the address, not listening yet. Raises `InvalidSettings`."""
    host, port = settings.host, settings.port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise InvalidSettings(f"there is no host {host!r} to listen on") from None
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        # A port is taken over from connections of before, but never shared, as Windows would.
        option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
        listener.setsockopt(socket.SOL_SOCKET, option, 1)
        listener.bind(address)
        listener.set_inheritable(False)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            reason = f"port {port} of {host} is in use: choose another with --port, or 0 for any"
        elif error.errno == errno.EACCES:
            reason = f"port {port} may not be used by you: choose one above 1023 with --port"
        else:
            reason = f"{host} port {port} cannot be listened on: {error.strerror}"
        raise InvalidSettings(reason) from None
    return listener


def _told(
    settings: ServerSettings, listener: socket.socket, tell: Callable[[str], None], browse: bool
) -> None:
    port = listener.getsockname()[1]
    address = url(settings.host, port)
    for line in told(settings.host, port):
        tell(line)
    if browse:
        asyncio.get_running_loop().run_in_executor(None, open_browser, address)


def told(host: str, port: int) -> list[str]:
    """Return what a person should know of where a server is, as lines.

    >>> told("127.0.0.1", 8000)
    ['claimeven is at http://127.0.0.1:8000/ (Ctrl-C ends it)']
    """
    lines = [f"claimeven is at {url(host, port)} (Ctrl-C ends it)"]
    if is_loopback(host):
        return lines
    if host in _ANY and (outside := outer_address()) is not None:
        lines.append(f"other machines reach it at {url(outside, port)}")
    return [*lines, "everyone who reaches this machine can use it: there is no password"]


def outer_address() -> str | None:
    """Return this machine's address in its network, None where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address of nobody: only the way there is looked up
        except OSError:
            return None
        address: str = probe.getsockname()[0]
    return address


def url(host: str, port: int) -> str:
    """Return the address of the page.

    >>> url("::1", 8000), url("0.0.0.0", 80)
    ('http://[::1]:8000/', 'http://localhost:80/')
    """
    name = "localhost" if host in _ANY else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/"


def open_browser(address: str) -> None:
    """Open a page in a browser; say so where there is none, or none that opens."""
    try:
        is_open = webbrowser.open(address)
    except webbrowser.Error:
        is_open = False
    if not is_open:
        print(f"no browser could be opened: go to {address} in one", file=sys.stderr)
