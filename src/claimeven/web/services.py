"""What all routes share: the settings, the pool of workers, scores found lately, games going on."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from secrets import randbelow
from typing import Annotated, Any

from fastapi import Depends, Request

from claimeven.agents import codec
from claimeven.game.geometry import STANDARD
from claimeven.game.position import Position
from claimeven.web.allowed_agents import offered_agents
from claimeven.web.lund_games import LundGames
from claimeven.web.pool import WorkerPool
from claimeven.web.requests import MOST_SEED
from claimeven.web.score_responses import book_scores, scores_json, told_columns
from claimeven.web.settings import ServerSettings
from claimeven.web.store_view import StoreView
from claimeven.web.streaming import unless_gone
from claimeven.web.worker_process import Event

#: Positions whose scores are kept.
MOST_KEPT = 2_048


class Services:
    """The server's parts, made once."""

    def __init__(self, settings: ServerSettings, pool: WorkerPool) -> None:
        self.settings = settings
        self.pool = pool
        self.began = time.monotonic()
        self.lund = LundGames()
        self.store = StoreView(settings.store, settings.waiting)
        self._kept: OrderedDict[Position, dict[str, Any]] = OrderedDict()

    def warm(self) -> None:
        """Read the book, and do once what the first request would wait for."""
        book_scores(Position())
        offered_agents(STANDARD)

    async def stop(self) -> None:
        """End the searches, and all else that runs."""
        await asyncio.gather(self.pool.stop(), self.store.stop())

    async def ask(
        self, request: Request, task: str, within: float, **arguments: Any
    ) -> dict[str, Any]:
        """Return what a worker makes of a task `within` so many seconds, unless the client goes
        away first.
        """
        result: dict[str, Any] = await unless_gone(
            request, self.pool.result(task, arguments, within)
        )
        return result

    async def scores(self, request: Request, position: Position) -> dict[str, Any]:
        """Return the exact scores of a position that is not over."""
        known = self.known_scores(position)
        if known is None:
            known = await self.ask(
                request,
                "scores",
                self.settings.seconds,
                position=codec.from_position(position),
                seconds=self.settings.seconds,
            )
            self._keep(position, known)
        return known

    @asynccontextmanager
    async def score_events(
        self, position: Position, moves: str
    ) -> AsyncIterator[AsyncIterator[Event]]:
        """Open the events of a position's scores: column, progress, and done in the end, which
        names the moves.
        """
        known = self.known_scores(position)
        if known is not None:
            yield _told_at_once(position, known, moves)
            return
        seconds = self.settings.seconds
        arguments = {
            "position": codec.from_position(position),
            "seconds": seconds,
            "events": True,
        }
        async with self.pool.job("scores", arguments, seconds) as events:
            yield self._seen(position, events, moves)

    def known_scores(self, position: Position) -> dict[str, Any] | None:
        """Return scores that take no search: from the book, or found lately."""
        begin = time.perf_counter()
        from_book = book_scores(position)
        if from_book is not None:
            took = time.perf_counter() - begin
            return scores_json(position, from_book, seconds=took, book=True)
        found = self._kept.get(position)
        if found is not None:
            self._kept.move_to_end(position)
        return found

    def seed(self, given: int | None) -> int:
        """Return the seed given, or a new one."""
        return randbelow(MOST_SEED) if given is None else given

    def _keep(self, position: Position, scores: dict[str, Any]) -> None:
        if scores["complete"]:
            self._kept[position] = scores
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    async def _seen(
        self, position: Position, events: AsyncIterator[Event], moves: str
    ) -> AsyncIterator[Event]:
        """Pass events on; keep the result."""
        async for event in events:
            if event["event"] != "done":
                yield event
                continue
            self._keep(position, event["data"])
            yield {"event": "done", "data": {**event["data"], "moves": moves}}


async def _told_at_once(
    position: Position, known: dict[str, Any], moves: str
) -> AsyncIterator[Event]:
    for column in told_columns(position, known["scores"], set()):
        yield {"event": "column", "data": column}
    yield {"event": "done", "data": {**known, "moves": moves}}


def services_of(request: Request) -> Services:
    """Return the parts of the server that a request came to."""
    services: Services = request.app.state.services
    return services


Shared = Annotated[Services, Depends(services_of)]
