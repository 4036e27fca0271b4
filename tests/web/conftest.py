"""A real server on a free port, and a plain client for it."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from claimeven.web.site import write_site
from tests import forks
from tests.browser import watched
from tests.cli.conftest import process, run  # noqa: F401
from tests.forks import command, environment
from tests.web.pages import DESKTOP

#: Seconds that anything may take before a test gives up: generous, for machines under load.
PATIENCE = 120


@dataclass(frozen=True)
class Answer:
    """The answer of a server."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as data."""
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The sentence of an error, which is all that an error holds."""
        assert self.status >= 400
        assert list(self.json) == ["error"]
        sentence: str = self.json["error"]
        assert sentence
        assert "\n" not in sentence
        assert "Traceback" not in sentence
        return sentence


class Server:
    """A server that runs, from the side of a client."""

    def __init__(self, started: subprocess.Popen[str], port: int) -> None:
        self.process = started
        self.port = port

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Send a request and return the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            output = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, output, response.read())
        finally:
            connection.close()

    def get(self, path: str, **query: object) -> Answer:
        """Ask for a path."""
        return self.ask("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, data: object) -> Answer:
        """Post JSON."""
        body = json.dumps(data).encode()
        return self.ask("POST", path, body, content_type="application/json")

    def form(self, path: str, **fields: object) -> Answer:
        """Post a form."""
        body = urlencode(fields, doseq=True).encode()
        return self.ask("POST", path, body, content_type="application/x-www-form-urlencoded")

    def events(self, path: str, **query: object) -> list[tuple[str, Any]]:
        """Read a stream of events to its end."""
        answer = self.get(path, **query)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        return events_of(answer.body)

    @contextmanager
    def waiting_for(self, path: str, **form: object) -> Iterator[socket.socket]:
        """Send a request, with a form if one is given, and do not wait for the answer; go away at
        the end of the block.
        """
        body = urlencode(form)
        lines = [f"{'POST' if form else 'GET'} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        if form:
            lines += ["Content-Type: application/x-www-form-urlencoded"]
            lines += [f"Content-Length: {len(body)}"]
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall("\r\n".join([*lines, "Connection: close", "", body]).encode())
            yield connection

    def status(self) -> dict[str, Any]:
        """How it is."""
        output: dict[str, Any] = self.get("/api/status").json
        return output


def whole_answer(connection: socket.socket) -> str:
    """Read an answer to its end."""
    return b"".join(iter(lambda: connection.recv(1 << 16), b"")).decode()


def events_of(body: bytes) -> list[tuple[str, Any]]:
    """Read server-sent events."""
    found = []
    for part in body.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in part.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def eventually(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


#: The program, whose page a browser keeps without validating it: 40 requests less for each visit.
_KEEPING = """
from claimeven.web import app
app._PageFiles.cache_control = "max-age=3600"
from claimeven.__main__ import main
main()
"""


@contextmanager
def running(*options: str, keeping: bool = False) -> Iterator[Server]:
    """A server in its own process; stopped at the end of the block.

    With `keeping` browsers keep the files of the page.
    """
    arguments = command("serve", "--port", "0", "--table-mb", "8", *options)
    if keeping:
        arguments[1:3] = ["-c", _KEEPING]
    with forks.program(
        arguments, stdout=subprocess.PIPE, stderr=sys.stderr, text=True, env=environment()
    ) as started:
        try:
            yield Server(started, port_of(started))
        finally:
            started.send_signal(signal.SIGTERM)
            started.wait(PATIENCE)


def port_of(started: subprocess.Popen[str]) -> int:
    """Wait until a server prints its address."""
    assert started.stdout is not None
    for line in started.stdout:
        if line.startswith("claimeven is at http://127.0.0.1:"):
            return int(line.split(":")[2].split("/")[0])
    raise AssertionError("the server ended before it started")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with one worker, for all tests that leave it as it was."""
    with running("--workers", "1", "--seconds", "60", keeping=True) as server:
        yield server


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page as a site, for all tests that leave its files as they are."""
    return write_site(tmp_path_factory.mktemp("site")).folder


def drawn(*rows: str) -> str:
    """Return a drawing as a query takes it."""
    return quote("/".join(rows))


@pytest.fixture(scope="module")
def context(browser: Any, server: Server) -> Iterator[Any]:
    """A browser's session; its pages may not fail, warn, or ask another host.

    It asks for less motion, so that no test waits for discs to fall; others use `lively_page`.
    """
    context = browser.new_context(viewport=DESKTOP, base_url=server.url, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE * 1000)
    yield context
    context.close()


@pytest.fixture(scope="module")
def tab(context: Any) -> Any:
    """A tab that tests share: each goes to its own address, as a user would."""
    return context.new_page()


@pytest.fixture
def page(tab: Any, server: Server) -> Iterator[Any]:
    """A page with checks: its console stays empty, and it asks only this server."""
    with watched(tab, server.url):
        yield tab


@pytest.fixture
def lively_page(page: Any) -> Iterator[Any]:
    """A page on which things move."""
    page.emulate_media(reduced_motion="no-preference")
    yield page
    page.emulate_media(reduced_motion="reduce")
