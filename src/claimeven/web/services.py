"""The services that all routes share: settings, workers, recent scores, the tournament.

One job computes the standings of the tournament, and one the report, for all clients; the results
are cached until the file changes. A report is cancelled when its last client is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from secrets import randbelow
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import Depends, Request

from claimeven.game.geometry import STANDARD
from claimeven.game.position import Position
from claimeven.web.jobs import book_scores, new_columns, scores_json
from claimeven.web.pool import WorkerPool
from claimeven.web.requests import MAX_SEED, PositionFields
from claimeven.web.responses import RunningGame
from claimeven.web.settings import ServerSettings, allowed_agents
from claimeven.web.transport import Event, NotFound, WorkerLost, WorkTooLong

#: Maximum number of positions with cached scores.
MAX_CACHED_SCORES = 2_048
#: Time limit of standings, and of a report, in seconds.
MAX_SECONDS = 600.0
#: Seconds that a request waits for newer standings: an answer takes less than 0.1 s.
NEXT_SECONDS = 0.02
#: Seconds without a request until the computation stops, without a change until a file is complete.
IDLE_SECONDS, SETTLED_SECONDS = 30.0, 1.0
#: Seconds after which a running game is no longer shown: see `RunningGameFile`.
RUNNING_SECONDS = 30.0
#: Inverse of the share of time that a worker spends on standings while games are added.
WORK_SHARE = 4

Version = tuple[tuple[int, int, int], ...]


class Services:
    """The services of a server."""

    def __init__(self, settings: ServerSettings, pool: WorkerPool) -> None:
        self.settings = settings
        self.pool = pool
        pool.bots = settings.bots
        self.started_at: float = time.monotonic()
        self.store: StoreView = StoreView(settings.store, settings.max_waiting)
        self._cached_scores: OrderedDict[Position, dict[str, Any]] = OrderedDict()

    def warm_up(self) -> None:
        """Read the book and the agents, which would delay the first request."""
        book_scores(Position())
        allowed_agents(STANDARD, self.settings.trust)

    async def stop(self) -> None:
        await asyncio.gather(self.pool.stop(), self.store.stop())

    async def ask(self, task: str, seconds: float, **arguments: Any) -> Any:
        """Return the result of a worker's task with a time limit."""
        return await self.pool.result(task, arguments, seconds)

    async def scores(self, query: PositionFields) -> dict[str, Any]:
        async with aclosing(self.score_events(query, with_progress=False)) as events:
            return dict([event async for event in events][-1]["data"])

    async def score_events(
        self, query: PositionFields, with_progress: bool = True
    ) -> AsyncGenerator[Event]:
        """Yield the events of a position's scores: column, progress, and finally done."""
        position = query.ongoing()
        known = self._known_scores(position)
        if known is not None:
            for column in new_columns(position, known["scores"], set()):
                yield {"event": "column", "data": column}
        else:
            arguments = {"position": position, "with_progress": with_progress}
            async with self.pool.job("scores", arguments, self.settings.seconds) as events:
                async for event in events:
                    if event["event"] == "done":
                        known = event["data"]
                    else:
                        yield event
            assert known is not None
            if known["complete"]:
                self._cached_scores[position] = known
                if len(self._cached_scores) > MAX_CACHED_SCORES:
                    self._cached_scores.popitem(last=False)
        yield {"event": "done", "data": {**known, "moves": query.line.moves}}

    def seed(self, seed: int | None) -> int:
        """Return the seed, by default a random one."""
        return randbelow(MAX_SEED) if seed is None else seed

    def _known_scores(self, position: Position) -> dict[str, Any] | None:
        """Return scores without a search: from the book, or from the cache."""
        start = time.perf_counter()
        scores = book_scores(position)
        if all(scores[column] is not None for column in position.legal_columns):
            took = time.perf_counter() - start
            return scores_json(position, scores, seconds=took, from_book=True)
        found = self._cached_scores.get(position)
        if found is not None:
            self._cached_scores.move_to_end(position)
        return found


async def services_of(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Shared = Annotated[Services, Depends(services_of)]


class StoreView:
    """The standings and the report of a file of games; `NotFound` is raised if there is no file."""

    def __init__(self, path: Path | None, waiting: int) -> None:
        self._path = path
        # A worker is killed to stop it: a cancelled import would be incomplete.
        self._pools = [WorkerPool(1, None, waiting, stop_seconds=0.0, steps=()) for _ in range(2)]
        self._report: tuple[Version | None, bytes] = None, b""
        self._report_task: asyncio.Task[bytes] | None = None
        self._waiting_for_report = 0
        self._standings_task: asyncio.Task[None] | None = None
        self._body = b""
        self._version: Version | None = None
        self._is_final = False
        self._requested_at = self._idle_until = 0.0
        self._error: Exception | None = None

    def start(self) -> None:
        """Compute the standings of the file, if there is one, before the first request."""
        if self._path is not None:
            self._requested_at = time.monotonic()
            update = self._update(version_of(self._path), final=False)
            self._standings_task = asyncio.ensure_future(update)

    async def stop(self) -> None:
        tasks = [each for each in (self._standings_task, self._report_task) if each is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for pool in self._pools:
            await pool.stop()

    async def report(self) -> bytes:
        """Return the report; it is cancelled when all its clients are gone."""
        version = version_of(self._file)
        if version is not None and self._report[0] == version:
            return self._report[1]
        if self._report_task is None or self._report_task.done():
            self._report_task = asyncio.ensure_future(self._make_report(version))
        making = self._report_task
        self._waiting_for_report += 1
        try:
            return await asyncio.shield(making)
        finally:
            self._waiting_for_report -= 1
            if not self._waiting_for_report and not making.done():
                making.cancel()
                self._report_task = None

    async def _make_report(self, version: Version | None) -> bytes:
        await self._pools[1].start()
        with TemporaryDirectory() as folder:
            out = Path(folder, "report.html")
            arguments = {"path": str(self._file), "out": str(out)}
            await self._pools[1].result("store_tasks.report", arguments, MAX_SECONDS)
            self._report = version, out.read_bytes()
        return self._report[1]

    async def standings(self) -> tuple[bytes, str]:
        """Return the standings as JSON, and their ETag; wait briefly if the file has changed."""
        version, self._requested_at = version_of(self._file), time.monotonic()
        is_known = version is not None and version == self._version
        is_due = self._standings_task is None and time.monotonic() >= self._idle_until
        if is_due and not (is_known and self._is_final):
            self._standings_task = asyncio.ensure_future(self._update(version, final=is_known))
        if self._standings_task is not None and not is_known:
            await asyncio.wait([self._standings_task], timeout=NEXT_SECONDS)
        if self._error is not None:
            raise self._error.with_traceback(None)
        if not self._body:
            games = {"games_read": 0, "games_stored": None}
            self._show({"store": self._file.name, **games, "standings": None})
        running, path = "null", Path(f"{self._file}.running")
        with contextlib.suppress(OSError, ValueError):  # no file, or a corrupt one
            if time.time() - path.stat().st_mtime < RUNNING_SECONDS:
                running = RunningGame.model_validate_json(path.read_bytes()).model_dump_json()
        body = self._body + f', "running": {running}'.encode()
        tag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
        return body + f', "version": {tag}}}'.encode(), tag

    async def _update(self, version: Version | None, final: bool) -> None:
        """Compute the standings of the file, and show drafts."""
        took = 0.0
        try:
            await self._pools[0].start()
            task, arguments = "store_tasks.standings", {"path": str(self._file), "final": final}
            async with self._pools[0].job(task, arguments, MAX_SECONDS) as events:
                async for event in events:
                    took = event["data"].pop("took", 0.0)
                    self._show(event["data"])
                    if time.monotonic() - self._requested_at > IDLE_SECONDS:
                        return
            self._version, self._is_final = version, final
        except WorkTooLong:
            self._version, self._is_final = version, True  # the approximate intervals stay
        except Exception as error:
            self._version = None
            if not (self._body and isinstance(error, WorkerLost)):
                self._body, self._error = b"", error
        finally:
            self._idle_until = 0.0 if final else time.monotonic() + (WORK_SHARE - 1) * took
            self._standings_task = None

    def _show(self, known: dict[str, Any]) -> None:
        self._error = None
        self._body = json.dumps(known)[:-1].encode()

    @property
    def _file(self) -> Path:
        if self._path is None:
            raise NotFound("the server has no tournament: start it with --store FILE")
        return self._path


def version_of(path: Path) -> Version | None:
    """Return the version of a file of games, None while it is being written."""
    found = []
    for name in (path, path.with_name(path.name + "-wal")):
        with contextlib.suppress(OSError):
            about = name.stat()
            if abs(time.time() - about.st_mtime) < SETTLED_SECONDS:
                return None
            found.append((about.st_ino, about.st_mtime_ns, about.st_size))
    return tuple(found)
