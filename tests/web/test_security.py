"""Who may ask: hosts, origins, bodies; and what every answer carries."""

from __future__ import annotations

import pytest

from claimeven.web.security import Guard, is_loopback
from tests.web.conftest import Server


async def nothing(scope: object, receive: object, send: object) -> None:
    """An application that does nothing."""


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
    assert Guard(nothing, ["board.lab"], False, 10).knows(host) is on_loopback
    assert Guard(nothing, ["board.lab"], True, 10).knows(host) is public


def test_what_is_the_loopback() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "lab")] == [
        True, True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
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
    assert server.ask("GET", "/", **link, **{"Sec-Fetch-Dest": "document"}).status == 200


@pytest.mark.parametrize("path", ["/", "/api", "/api/status", "/api/nothing", "/static/api.css"])
def test_every_answer_is_marked(server: Server, path: str) -> None:
    headers = server.get(path).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


@pytest.mark.parametrize("path", ["/api/move", "/play", "/lund/move", "/api/status", "/"])
def test_long_bodies_are_refused(server: Server, path: str) -> None:
    answer = server.ask("POST", path, b"x" * 10_000_000)
    assert answer.status == 413
    assert "65,536 bytes" in answer.error


def test_long_bodies_of_no_told_length_are_refused(server: Server) -> None:
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


def test_files_are_asked_about_again(server: Server) -> None:
    answer = server.get("/static/api.css")
    assert answer.headers["cache-control"] == "no-cache"
    for part in ("bytes=0-9", "bytes=x"):
        whole = server.ask("GET", "/static/api.css", Range=part)
        assert (whole.status, whole.body) == (200, answer.body)
    again = server.ask("GET", "/static/api.css", If_None_Match=answer.headers["etag"])
    assert (again.status, again.body) == (304, b"")
