"""The application inside this process: what no client of a whole server can bring about at will."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI

from claimeven.web import pool, services, transport
from claimeven.web.app import create_app
from claimeven.web.security import HEADERS
from claimeven.web.services import Services
from claimeven.web.settings import ServerSettings
from claimeven.web.transport import (
    Event,
    EventStream,
    NotFound,
    PoolBusy,
    PoolClosed,
    WorkerLost,
    WorkFailed,
)
from tests.web.conftest import PATIENCE, Answer, events_of
from tests.web.test_pool import eventually

#: Positions that take longer than their limit, and short ones that are not in the book.
HARD = "board=8x7&moves=4"
LATE, OTHER = "moves=4444413226712433", "moves=4444413226712435"

Asgi = Callable[[Any, Any, Any], Awaitable[None]]


async def asked(app: Asgi, path: str, *chunks: bytes, method: str = "GET", **names: str) -> Answer:
    """The answer of an application to a request from this machine whose sender then waits.

    Without any chunk the body never comes.
    """
    path, _, query = path.partition("?")
    headers = {"host": "localhost", **{n.replace("_", "-"): value for n, value in names.items()}}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": query.encode(),
        "root_path": "", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    parts = list(chunks)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if not parts:
            await asyncio.Event().wait()
        body = parts.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(parts)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async with asyncio.timeout(PATIENCE):
        await app(scope, receive, send)
    start, *rest = sent
    output = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], output, b"".join(part["body"] for part in rest))


@asynccontextmanager
async def served(**given: Any) -> AsyncIterator[FastAPI]:
    """An application with its own worker."""
    app = create_app(ServerSettings(workers=1, table_mb=8, **given))
    async with app.router.lifespan_context(app):
        yield app


def test_an_application_starts_a_worker_and_caches_scores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(services, "MAX_CACHED_SCORES", 1)
    monkeypatch.setattr(pool, "GRACE_SECONDS", PATIENCE)  # its answer may come late

    async def run() -> None:
        async with served(seconds=60, max_waiting=0) as app:
            parts: Services = app.state.services
            workers = parts.pool
            assert len(workers.processes) == 1

            async def solved(query: str, path: str = "/api/scores") -> Any:
                answer = await asked(app, f"{path}?{query}", b"")
                assert answer.status == 200
                return answer.json if path == "/api/scores" else events_of(answer.body)[-1][1]

            # A recent result is not solved again; a position without a result in time is.
            events = "/api/scores/events"
            for query, path, jobs in (
                (LATE, "/api/scores", 1), (LATE, "/api/scores", 1), (OTHER, events, 2),
                (OTHER, "/api/scores", 2), (LATE, events, 3), (LATE, "/api/scores", 3),
            ):  # fmt: skip
                output = await solved(query, path)
                assert (output["complete"], output["moves"]) == (True, query.removeprefix("moves="))
                assert workers.jobs_done == jobs
            parts.settings = replace(parts.settings, seconds=0.1)
            for jobs in (4, 5):
                output = await solved(HARD)
                assert (output["complete"], output["score"], output["best"]) == (False, None, [])
                assert workers.jobs_done == jobs
            async with workers.job("scores", {}, 60):
                busy = await asked(app, f"/api/scores?{HARD}", b"")
                assert (busy.status, busy.headers["retry-after"]) == (503, "1")
                assert busy.error == "0 searches are waiting already: try again soon"
                stream = await asked(app, f"/api/scores/events?{HARD}", b"")
                assert events_of(stream.body) == [("error", {"error": busy.error, "status": 503})]
        assert workers.processes == []
        closed = await asked(app, f"/api/scores?{HARD}", b"")
        assert (closed.status, closed.headers["retry-after"]) == (503, "5")

    asyncio.run(run())


def test_an_internal_error_is_only_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    app = create_app(ServerSettings())

    @app.get("/broken")
    def broken() -> None:
        raise KeyError("secret")

    async def run() -> None:
        async def catching(scope: Any, receive: Any, send: Any) -> None:
            with pytest.raises(KeyError):  # for the server that runs it
                await app(scope, receive, send)

        answer = await asked(catching, "/broken", b"")
        assert answer.status == 500
        assert answer.error == "claimeven failed at this request; its log has the details"
        assert {(name.decode(), value.decode()) for name, value in HEADERS} <= set(
            answer.headers.items()
        )

    asyncio.run(run())
    assert "KeyError: 'secret'" in capsys.readouterr().err


@asynccontextmanager
async def failing(error: Exception) -> AsyncIterator[AsyncIterator[Event]]:
    raise error
    yield


@pytest.mark.parametrize(
    ("error", "sentence", "status", "is_ours"),
    [
        (NotFound("no\n such thing"), "no such thing", 404, False),
        (WorkerLost("lost"), "lost", 503, False),
        (PoolBusy("busy"), "busy", 503, False),
        (PoolClosed("closed"), "closed", 503, False),
        (WorkFailed("not enough", 503), "not enough", 503, False),
        (WorkFailed("its log has the details", 500), "its log has the details", 500, False),
        (KeyError("x"), "claimeven failed at this request; its log has the details", 500, True),
    ],
)
def test_a_stream_reports_errors_like_a_response(
    error: Exception,
    sentence: str,
    status: int,
    is_ours: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = asyncio.run(asked(EventStream(lambda: failing(error)), "/"))
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert (answer.headers["cache-control"], answer.headers["x-accel-buffering"]) == (
        "no-store", "no",
    )  # fmt: skip
    assert "content-length" not in answer.headers
    assert events_of(answer.body) == [("error", {"error": sentence, "status": status})]
    assert ("KeyError: 'x'" in capsys.readouterr().err) is is_ours


def test_a_stream_shows_that_it_lives_while_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both in line for a worker and while the worker has no result."""
    monkeypatch.setattr(transport, "HEARTBEAT", 0.001)
    beats = 0

    async def run() -> Answer:
        @asynccontextmanager
        async def source() -> AsyncIterator[AsyncIterator[Event]]:
            await eventually(lambda: beats >= 2)
            yield events()

        async def events() -> AsyncIterator[Event]:
            before = beats
            await eventually(lambda: beats >= before + 2)
            yield {"event": "done", "data": 1}

        async def counting(scope: Any, receive: Any, send: Any) -> None:
            async def counted(message: Any) -> None:
                nonlocal beats
                beats += message.get("body", b"") == b": still here\n\n"
                await send(message)

            await EventStream(source)(scope, receive, counted)

        return await asked(counting, "/")

    assert events_of(asyncio.run(run()).body) == [("done", 1)]
