"""Allowed requests: hosts, origins, bodies; and the headers of every answer."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from claimeven.web import security
from claimeven.web.app import create_app
from claimeven.web.security import Guard
from claimeven.web.settings import ServerSettings, is_loopback
from tests.web.conftest import Answer, Server
from tests.web.test_app import asked


async def nothing(scope: object, receive: object, send: object) -> None:
    """An application without routes."""


@pytest.mark.parametrize(
    ("host", "on_loopback", "public"),
    [
        ("127.0.0.1:8000", True, True), ("localhost", True, True), ("LOCALHOST:80", True, True),
        ("[::1]:8000", True, True), ("[::1]", True, True), ("board.lab:8000", True, True),
        ("192.168.1.5:8000", False, True), ("[fe80::1]:8000", False, True),
        ("evil.example", False, False), ("127.0.0.1.evil.example:8000", False, False),
        ("localhost.evil.example", False, False), ("", False, False), ("[", False, False),
    ],
)  # fmt: skip
def test_hosts_are_names_of_this_machine(host: str, on_loopback: bool, public: bool) -> None:
    assert Guard(nothing, ["Board.lab"], False, 10).is_own_host(host) is on_loopback
    assert Guard(nothing, ["Board.lab"], True, 10).is_own_host(host) is public


def test_one_that_others_reach_is_known_by_the_name_of_the_machine() -> None:
    assert Guard(nothing, [], True, 10).is_own_host(f"{socket.gethostname()}:80".upper())


def test_loopback_addresses() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "lab")] == [
        True, True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "192.168.1.5"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "document"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    ],
)
@pytest.mark.parametrize("path", ["/api/status", "/", "/solve?pos=4"])
def test_other_sites_are_refused(server: Server, path: str, headers: dict[str, str]) -> None:
    answer = server.ask("GET", path, **headers)
    assert answer.status == 403
    assert answer.error


def test_its_own_page_and_links_are_let_in(server: Server) -> None:
    own = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    assert server.ask("GET", "/api/status", **own).status == 200
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    link["Sec-Fetch-Dest"] = "document"
    assert server.ask("GET", "/", **link).status == 200
    assert server.ask("POST", "/api/move", b"{}", **link).status == 403  # a form, not a link


@pytest.mark.parametrize("path", ["/", "/api", "/api/status", "/api/nothing", "/static/api.css"])
def test_every_answer_is_marked(server: Server, path: str) -> None:
    for headers in (server.get(path).headers, server.ask("GET", path, Host="evil").headers):
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert "server" not in headers


async def reads_all(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads the body, with its own policy."""
    while (await receive()).get("more_body", False):
        pass
    headers = [(b"content-security-policy", b"default-src 'none'")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize(
    ("chunks", "status"),
    [
        ((b"x" * 10,), 200),
        ((b"x" * 11,), 413),
        ((b"xxxxx",) * 2, 200),
        ((b"xxxxx", b"xxxxxx"), 413),
    ],
)
def test_bodies_may_be_so_long_and_no_longer(chunks: tuple[bytes, ...], status: int) -> None:
    guard = Guard(reads_all, [], False, 10)
    length = str(sum(map(len, chunks)))
    for output in ({}, {"content_length": length}):
        answer = asyncio.run(asked(guard, "/", *chunks, **output))
        assert answer.status == status
        if status == 413:
            assert answer.error == "the body must be at most 10 bytes"
            assert answer.headers["connection"] == "close"
            assert answer.headers["content-type"] == "application/json"
        else:
            assert answer.headers["content-security-policy"] == "default-src 'none'"
            assert answer.headers["x-frame-options"] == "DENY"


def test_refused_bodies_are_read_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = 0

    async def counting(scope: Any, receive: Any, send: Any) -> None:
        async def counted() -> Any:
            nonlocal reads
            reads += 1
            return await receive()

        await Guard(reads_all, [], False, 10)(scope, counted, send)

    monkeypatch.setattr(security, "MAX_DISCARDED_BYTES", 20)
    monkeypatch.setattr(security, "MAX_DISCARD_SECONDS", 3600)
    for output in ({}, {"content_length": "1000"}):
        reads = 0
        assert asyncio.run(asked(counting, "/", *[b"x" * 11] * 9, **output)).status == 413
        assert reads == (2 if output else 3)
    # A client that asks before it sends the body gets its answer immediately; a stalled one later.
    first = {"content_length": "1000", "expect": "100-Continue"}
    assert asyncio.run(asked(counting, "/", **first)).status == 413
    monkeypatch.setattr(security, "MAX_DISCARD_SECONDS", 0.01)
    assert asyncio.run(asked(counting, "/", content_length="1000")).status == 413


def test_half_a_body_reaches_no_application() -> None:
    came = [{"body": b"x", "more_body": True, "type": "http.request"}, {"type": "http.disconnect"}]

    async def receive() -> Any:
        return came.pop(0)

    async def reached(*_: object) -> None:
        raise AssertionError

    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http", "path": "/",
        "headers": [(b"host", b"localhost")],
    }  # fmt: skip
    asyncio.run(Guard(reached, [], False, 10)(scope, receive, reached))
    assert came == []


@pytest.mark.parametrize("path", ["/api/move", "/play", "/lund/move", "/api/status", "/"])
def test_long_bodies_are_refused(server: Server, path: str) -> None:
    answer = server.ask("POST", path, b"x" * 10_000_000)
    assert answer.status == 413
    assert "65,536 bytes" in answer.error


def test_long_bodies_without_a_length_are_refused(server: Server) -> None:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    chunks = (b"x" * 30_000 for _ in range(3))
    connection.request("POST", "/api/move", chunks, {"content-type": "application/json"})
    response = connection.getresponse()
    assert response.status == 413
    connection.close()


def test_files_outside_the_page_are_not_served(server: Server) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/app.py"):
        assert server.ask("GET", path).status == 404


def test_files_are_asked_about_again() -> None:
    app = create_app(ServerSettings(workers=1))

    def style(**headers: str) -> Answer:
        return asyncio.run(asked(app, "/static/api.css", b"", **headers))

    answer = style()
    assert answer.headers["cache-control"] == "no-cache"
    for part in ("bytes=0-9", "bytes=x"):
        whole = style(range=part)
        assert (whole.status, whole.body) == (200, answer.body)
    again = style(if_none_match=answer.headers["etag"])
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("c4.example.org", "https://c4.example.org", 200),
        ("127.0.0.1:1234", "https://c4.example.org", 200),  # a proxy that passes no Host on
        ("c4.example.org", "http://c4.example.org", 200),
        ("c4.example.org", "https://c4.example.org.evil.org", 403),
        ("c4.example.org", "https://c4.example.org:8443", 403),
        ("c4.example.org", "null", 403),
        ("evil.org", "https://c4.example.org", 403),
        ("evil.org", "https://evil.org", 403),
    ],
)
def test_a_proxy_that_speaks_tls_is_known_by_its_address(
    host: str, origin: str, status: int
) -> None:
    behind = create_app(ServerSettings(workers=1, root_urls=("https://C4.example.org:443/",)))
    server = create_app(ServerSettings(workers=1))
    headers = {"method": "POST", "host": host, "origin": origin}
    for forwarded in ({}, {"x_forwarded_proto": "https", "x_forwarded_host": host}):
        headers |= forwarded
        answer = asyncio.run(asked(behind, "/lund/stats", b"stil_id=a", **headers))
        assert answer.status == status
        if status == 403:
            assert "--root-url" in answer.error or "--allow-host" in answer.error
        # Headers that anybody can send open no server that was started without the option.
        refused = asyncio.run(asked(server, "/lund/stats", b"stil_id=a", **headers))
        assert refused.status == 403
