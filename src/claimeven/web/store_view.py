"""The standings and the report of a store, made by separate workers and kept.

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

from claimeven.web.errors import NotFound, WorkerLost, WorkTooLong
from claimeven.web.pool import WorkerPool

#: Seconds that standings, or a report, may take.
MAX_SECONDS = 600.0
#: Seconds that a request waits for standings if there are none yet, and if there are older ones.
FIRST_SECONDS, NEXT_SECONDS = 10.0, 0.3
#: Seconds after which standings that are not asked for are given up.
IDLE_SECONDS = 30.0
#: Standings take one part in so many of a worker's time while games come.
SHARE = 4
#: Seconds without a change after which a file is not being written.
SETTLED = 1.0

Version = tuple[tuple[int, int, int], ...]


class StoreView:
    """The standings and the report of a file of games; `NotFound` is raised if there is no file."""

    def __init__(self, path: Path | None, waiting: int) -> None:
        self._path = path
        # A worker that is to stop is ended: a cancelled import would stay half made.
        self._pools = [WorkerPool(1, None, waiting, stop_seconds=0.0, steps=()) for _ in range(2)]
        self._report: tuple[Version | None, bytes] = None, b""
        self._making: asyncio.Task[bytes] | None = None
        self._readers = 0
        self._counting: asyncio.Task[None] | None = None
        self._body, self._tag = b"", ""
        self._version: Version | None = None
        self._is_final = False
        self._asked_at = self._rests_until = 0.0
        self._error: Exception | None = None
        self._news = asyncio.Event()

    def start(self) -> None:
        """Make standings of the file, if there is one, before anybody asks for them."""
        if self._path is not None:
            self._asked_at = time.monotonic()
            self._counting = asyncio.ensure_future(self._count(version_of(self._path), final=False))

    async def stop(self) -> None:
        """End the workers, and what they do."""
        tasks = [each for each in (self._counting, self._making) if each is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for pool in self._pools:
            await pool.stop()

    async def report(self) -> bytes:
        """Return the report; it is given up when all who asked for it have gone away."""
        version = version_of(self._file)
        if version is not None and self._report[0] == version:
            return self._report[1]
        if self._making is None or self._making.done():
            self._making = asyncio.ensure_future(self._make_report(version))
        making = self._making
        self._readers += 1
        try:
            return await asyncio.shield(making)
        finally:
            self._readers -= 1
            if not self._readers and not making.done():
                making.cancel()
                self._making = None

    async def _make_report(self, version: Version | None) -> bytes:
        await self._pools[1].start()
        with TemporaryDirectory() as folder:
            out = Path(folder, "report.html")
            arguments = {"path": str(self._file), "out": str(out)}
            await self._pools[1].result("store_tasks.report", arguments, MAX_SECONDS)
            self._report = version, out.read_bytes()
        return self._report[1]

    async def standings(self) -> tuple[bytes, str]:
        """Return the standings known by now as JSON, and the ETag of that.

        If the file has changed newer ones are made, and waited for a little.
        """
        version, self._asked_at = version_of(self._file), time.monotonic()
        is_known = version is not None and version == self._version
        is_due = self._counting is None and time.monotonic() >= self._rests_until
        if is_due and not (is_known and self._is_final):
            self._error = None
            self._counting = asyncio.ensure_future(self._count(version, final=is_known))
        if self._counting is not None and not is_known:
            self._news.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(NEXT_SECONDS if self._body else FIRST_SECONDS):
                    await self._news.wait()
        if self._error is not None:
            raise self._error.with_traceback(None)
        if not self._body:
            self._show({"store": self._file.name, "read": 0, "stored": None, "standings": None})
        return self._body, self._tag

    async def _count(self, version: Version | None, final: bool) -> None:
        """Make standings of the file as it is, and show on the way what was read by then."""
        took = 0.0
        try:
            await self._pools[0].start()
            task, arguments = "store_tasks.standings", {"path": str(self._file), "final": final}
            async with self._pools[0].job(task, arguments, MAX_SECONDS) as events:
                async for event in events:
                    took = event["data"].pop("took", 0.0)
                    self._show(event["data"])
                    if time.monotonic() - self._asked_at > IDLE_SECONDS:
                        return
            self._version, self._is_final = version, final
        except WorkTooLong:
            self._version, self._is_final = version, True  # those without good intervals stay
        except Exception as error:
            self._version = None
            if not (self._body and isinstance(error, WorkerLost)):
                self._body, self._error = b"", error
        finally:
            self._rests_until = 0.0 if final else time.monotonic() + (SHARE - 1) * took
            self._counting = None
            self._news.set()

    def _show(self, known: dict[str, Any]) -> None:
        """Answer requests with this from now on."""
        digest = hashlib.blake2b(json.dumps(known).encode(), digest_size=8).hexdigest()
        self._body = json.dumps({**known, "version": digest}).encode()
        self._tag = f'"{digest}"'
        self._news.set()

    @property
    def _file(self) -> Path:
        if self._path is None:
            raise NotFound("there is no tournament to show: start the server with --store FILE")
        return self._path


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
