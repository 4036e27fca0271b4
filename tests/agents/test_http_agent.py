"""Agents behind servers: requests, answers, and faults of servers."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from claimeven import Geometry, Limit, Position, make_agent, play_match
from claimeven.agents import AgentFault, InvalidSpec
from claimeven.agents.base import FaultKind
from claimeven.agents.http_agent import MAX_ANSWER
from tests.agents.support import decided

Answer = Callable[[BaseHTTPRequestHandler, bytes], None]


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """A server on a free port that answers every post so; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            answer(self, self.rfile.read(int(self.headers["content-length"])))

        def log_message(self, *words: Any) -> None:
            """Log no line."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/move"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def saying(data: object, status: int = 200) -> Answer:
    """Answer always the same."""
    body = data if isinstance(data, bytes) else json.dumps(data).encode()

    def answer(handler: BaseHTTPRequestHandler, asked: bytes) -> None:
        handler.send_response(status)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def choose(url: str, position: Position | None = None, limit: Limit | None = None) -> int:
    """Ask the agent behind an address for a column."""
    agent = make_agent(url)
    try:
        return decided(agent, position or Position(), limit or Limit(), seed=1).column
    finally:
        agent.close()


def test_the_position_goes_out_and_a_column_comes_back() -> None:
    seen: list[Any] = []

    def answer(handler: BaseHTTPRequestHandler, asked: bytes) -> None:
        seen.append((handler.path, handler.headers["content-type"], json.loads(asked)))
        saying({"column": 3, "anything": "else"})(handler, asked)

    board = Geometry(5, 4, 3)
    with serving(answer) as url:
        position = Position.from_moves("3322", board)
        assert choose(f"{url}?who=me", position, Limit(seconds=30, depth=4)) == 2
    ((path, kind, output),) = seen
    assert (path, kind) == ("/move?who=me", "application/json")
    assert 0 <= output.pop("seed") < 2**53
    assert output == {
        "board": "5x4", "connect": 3, "position": "...../...../.OO../.XX..", "turn": 1,
        "legal": [1, 2, 3, 4, 5], "limit": {"seconds": 30, "depth": 4},
    }  # fmt: skip


def test_a_match_through_a_server_is_the_same_from_the_same_seed() -> None:
    def answer(handler: BaseHTTPRequestHandler, asked: bytes) -> None:
        output = json.loads(asked)
        saying({"column": output["legal"][output["seed"] % len(output["legal"])]})(handler, asked)

    with serving(answer) as url:
        one, two = (play_match(url, "greedy", games=4, seed=3) for _ in range(2))
    assert [game.all_moves for game in one.games] == [game.all_moves for game in two.games]
    assert not any(one.forfeits)


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (saying({"column": "4"}), FaultKind.ILLEGAL, "answered with column '4'"),
        (saying({"column": True}), FaultKind.ILLEGAL, "answered with column True"),
        (saying({}), FaultKind.ILLEGAL, "answered with column None"),
        (saying([4]), FaultKind.CRASH, "answered with data that is not a JSON object"),
        (saying(b"<html>"), FaultKind.CRASH, "answered with data that is not a JSON object"),
        (saying(b"[" * 100_000), FaultKind.CRASH, "answered with data that is not a JSON object"),
        (saying({"error": "no,\x1b[2J no"}, 422), FaultKind.CRASH, "answered with status 422: no"),
        (saying(b"", 302), FaultKind.CRASH, "answered with status 302"),
        (saying(b"x" * (MAX_ANSWER + 1)), FaultKind.CRASH, "answered with more than"),
    ],
)  # fmt: skip
def test_invalid_responses_are_faults(answer: Answer, kind: FaultKind, reason: str) -> None:
    with serving(answer) as url, pytest.raises(AgentFault) as fault:
        choose(url)
    assert fault.value.kind == kind
    assert str(fault.value).startswith(reason)
    assert str(fault.value).isprintable()


@pytest.mark.parametrize("column", [0, 8, -3, 10**30])
def test_a_column_that_is_not_there_loses_the_game(column: int) -> None:
    with serving(saying({"column": column})) as url:
        result = play_match(url, "random", games=2)
    assert result.wins == (0, 2)
    (reason,) = result.forfeits[0]
    assert reason.startswith("answered with column ")
    assert "(counted from 1), which is not on the board: legal were 1, 2" in reason


@pytest.mark.parametrize("column", [1, 3, 7])
def test_a_full_column_is_reported_in_the_servers_numbers(column: int) -> None:
    with serving(saying({"column": column})) as url:
        result = play_match(url, "random", games=1, start=str(column) * 6)
    (reason,) = result.forfeits[0]
    legal = ", ".join(str(other) for other in range(1, 8) if other != column)
    assert reason == (
        f"answered with column {column} (counted from 1), which is full: legal were {legal}"
    )


def test_servers_that_are_late_are_left() -> None:
    go_on = threading.Event()

    def silent(handler: BaseHTTPRequestHandler, asked: bytes) -> None:
        go_on.wait(60)

    def dripping(
        handler: BaseHTTPRequestHandler, asked: bytes, head: bytes = b"content-length: 100000"
    ) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n")
        while not go_on.wait(0.05):
            try:
                handler.wfile.write(b" ")
            except OSError:
                return

    try:
        for answer in (silent, dripping, partial(dripping, head=b"connection: close")):
            with serving(answer) as url:
                begin = time.monotonic()
                with pytest.raises(AgentFault, match=r"more than the 0\.1 s it had") as fault:
                    choose(url, limit=Limit(seconds=0.1))
                assert fault.value.kind == FaultKind.STALL
                assert time.monotonic() - begin < 30
                go_on.set()
            go_on.clear()
    finally:
        go_on.set()


def test_only_a_server_that_hangs_up_during_a_move_is_a_fault() -> None:
    def hanging_up(handler: BaseHTTPRequestHandler, asked: bytes) -> None:
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True

    with serving(hanging_up) as url, pytest.raises(AgentFault, match="went away"):
        choose(url)

    def letting_go(handler: BaseHTTPRequestHandler, asked: bytes) -> None:
        saying({"column": json.loads(asked)["legal"][0]})(handler, asked)
        handler.close_connection = True  # without a word

    with serving(letting_go) as url:
        assert not any(play_match(url, "random", games=2).forfeits)


def test_a_missing_server_is_reported_before_the_match() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/play"
        with pytest.raises(InvalidSpec, match="cannot be reached: connection refused"):
            make_agent(url, Geometry())


@pytest.mark.parametrize(
    "url",
    ["http://", "http:///play", "https://host:port/", "http://h:99999/", "http://[::1/", "http://h:0/",
     "http://me:secret@host/", "http://a b/", "http://hö/", "http://h/\n"],
)  # fmt: skip
def test_invalid_addresses_are_refused(url: str) -> None:
    with pytest.raises(InvalidSpec):
        make_agent(f"{url}x" if url.endswith("\n") else url)


def test_an_address_with_a_password_is_not_called() -> None:
    """Specs are stored and shown, as a password should not be."""
    with serving(saying({"column": 4})) as url:
        assert choose(url) == 3
        for name in ("me:secret", "me", ":secret"):
            with pytest.raises(InvalidSpec, match="must not contain a user name or password"):
                make_agent(url.replace("//", f"//{name}@"))
