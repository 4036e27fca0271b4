"""What the server shows of a store: standings and report, made by workers of their own and kept.

Requests for scores and moves never wait for these, and these never pile up: one job makes the
standings, and one the report, whoever asks for them; what was made stays until the file changes. A
report that nobody waits for any more is given up.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from claimeven.web.errors import NotFound
from claimeven.web.pool import WorkerPool
from claimeven.web.streaming import unless_gone
from claimeven.web.worker_process import WorkerLost, WorkTooLong

#: Seconds that standings, or a report, may take.
MOST_SECONDS = 600.0
#: Seconds that a request waits for standings: where there are none yet, and where older ones are.
FIRST_SECONDS, NEXT_SECONDS = 10.0, 0.3
#: Seconds after which standings that nobody asks for are given up.
IDLE_SECONDS = 30.0
#: Of the time of a worker that standings take while games come: one part in so many.
SHARE = 4
#: Seconds after which a file is taken for one that is not being written.
SETTLED = 1.0

Version = tuple[tuple[int, int, int], ...]


class StoreView:
    """The standings and the report of a file of games."""

    def __init__(self, path: Path | None, waiting: int) -> None:
        self.path = path
        # One that is to stop is ended: it may be amid an import, which would be half made for ever.
        self._pools = [WorkerPool(1, None, waiting, stop_seconds=0.0, steps=()) for _ in range(2)]
        self._standings = _Standings(self._pools[0], path)
        self._report: tuple[Version | None, bytes] | None = None
        self._making: asyncio.Task[bytes] | None = None
        self._readers = 0

    async def stop(self) -> None:
        """End the workers, and what they do."""
        tasks = [each for each in (self._standings.task, self._making) if each is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for pool in self._pools:
            await pool.stop()

    async def standings(self) -> tuple[bytes, str]:
        """Return the standings as JSON, and the ETag of that. Raises `NotFound` without a file."""
        self._named()
        return await self._standings.newest()

    async def report(self, request: Any) -> bytes:
        """Return the report; it is given up when all who asked for it have gone away."""
        path = self._named()
        version = version_of(path)
        if version is not None and self._report is not None and self._report[0] == version:
            return self._report[1]
        if self._making is None or self._making.done():
            self._making = asyncio.ensure_future(self._make_report(path, version))
        making = self._making
        self._readers += 1
        try:
            return await unless_gone(request, _result_of(making))
        finally:
            self._readers -= 1
            if not self._readers and not making.done():
                making.cancel()
                self._making = None

    async def _make_report(self, path: Path, version: Version | None) -> bytes:
        pool = self._pools[1]
        await pool.start()
        with TemporaryDirectory() as folder:
            out = Path(folder, "report.html")
            await pool.result("report", {"path": str(path), "out": str(out)}, MOST_SECONDS)
            page = out.read_bytes()
        self._report = version, page
        return page

    def _named(self) -> Path:
        if self.path is None:
            raise NotFound("there is no tournament to show: start the server with --store FILE")
        return self.path


class _Standings:
    """The standings known by now, and the task that makes newer ones."""

    def __init__(self, pool: WorkerPool, path: Path | None) -> None:
        self.pool = pool
        self.path = path
        self.task: asyncio.Task[None] | None = None
        self._body: bytes | None = None
        self._tag = ""
        self._version: Version | None = None
        self._is_final = False
        self._asked_at = self._rests_until = 0.0
        self._error: Exception | None = None
        self._news = asyncio.Event()

    async def newest(self) -> tuple[bytes, str]:
        """Return what is known; wait a little for what is being found out."""
        assert self.path is not None
        self._asked_at = time.monotonic()
        version = version_of(self.path)
        is_known = version is not None and version == self._version
        is_due = self.task is None and time.monotonic() >= self._rests_until
        if is_due and not (is_known and self._is_final):
            self._error = None
            self.task = asyncio.ensure_future(self._make(version, final=is_known))
        if self.task is not None and not is_known:
            self._news.clear()
            seconds = FIRST_SECONDS if self._body is None else NEXT_SECONDS
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._news.wait()
        if self._error is not None:
            raise self._error.with_traceback(None)
        if self._body is None:
            self._tell({"store": self.path.name, "read": 0, "stored": None, "standings": None})
        assert self._body is not None
        return self._body, self._tag

    async def _make(self, version: Version | None, final: bool) -> None:
        """Make standings of the file as it is, telling on the way what was read by then."""
        took = 0.0
        try:
            await self.pool.start()
            arguments = {"path": str(self.path), "final": final}
            async with self.pool.job("standings", arguments, MOST_SECONDS) as events:
                async for event in events:
                    took = event["data"].pop("took", 0.0)
                    self._tell(event["data"])
                    if time.monotonic() - self._asked_at > IDLE_SECONDS:
                        return
            self._version, self._is_final = version, final
        except WorkTooLong:
            self._version, self._is_final = version, True  # those without good intervals stay
        except Exception as error:
            self._version = None
            if self._body is None or not isinstance(error, WorkerLost):
                self._body, self._error = None, error
        finally:
            self._rests_until = 0.0 if final else time.monotonic() + (SHARE - 1) * took
            self.task = None
            self._news.set()

    def _tell(self, known: dict[str, Any]) -> None:
        """Let requests have this from now on."""
        digest = hashlib.blake2b(json.dumps(known).encode(), digest_size=8).hexdigest()
        self._body = json.dumps({**known, "version": digest}).encode()
        self._tag = f'"{digest}"'
        self._news.set()


def version_of(path: Path) -> Version | None:
    """Return what changes with a file of games, None while it may be being written."""
    found = []
    for name in (path, path.with_name(path.name + "-wal")):
        with contextlib.suppress(OSError):
            about = name.stat()
            if abs(time.time() - about.st_mtime) < SETTLED:
                return None
            found.append((about.st_ino, about.st_mtime_ns, about.st_size))
    return tuple(found)


async def _result_of(task: asyncio.Task[bytes]) -> bytes:
    """Wait for a task that goes on where the wait is given up."""
    return await asyncio.shield(task)
