"""The services that all routes share: settings, workers, recent scores, the tournament."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from secrets import randbelow
from typing import Annotated, Any

from fastapi import Depends, Request

from claimeven.game.geometry import STANDARD
from claimeven.game.position import Position
from claimeven.web.jobs import book_scores, new_columns, scores_json
from claimeven.web.pool import WorkerPool
from claimeven.web.requests import MAX_SEED, PositionFields
from claimeven.web.settings import ServerSettings, allowed_agents
from claimeven.web.store_view import StoreView
from claimeven.web.transport import Event

#: Maximum number of positions with cached scores.
MAX_CACHED_SCORES = 2_048


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
        """Return the exact scores of a position that is not over."""
        async with self.score_events(query, with_progress=False) as events:
            return dict([event async for event in events][-1]["data"])

    @asynccontextmanager
    async def score_events(
        self, query: PositionFields, with_progress: bool = True
    ) -> AsyncIterator[AsyncIterator[Event]]:
        """Open the events of a position's scores: column, progress, and finally done."""
        position, moves = query.ongoing(), query.line.moves
        known = self._known_scores(position)
        if known is not None:
            yield _known_events(position, known, moves)
            return
        arguments = {"position": position, "with_progress": with_progress}
        async with self.pool.job("scores", arguments, self.settings.seconds) as events:
            yield self._cache_scores(position, events, moves)

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

    async def _cache_scores(
        self, position: Position, events: AsyncIterator[Event], moves: str
    ) -> AsyncIterator[Event]:
        """Pass events on; cache the result."""
        async for event in events:
            if event["event"] != "done":
                yield event
                continue
            scores = event["data"]
            if scores["complete"]:
                self._cached_scores[position] = scores
                if len(self._cached_scores) > MAX_CACHED_SCORES:
                    self._cached_scores.popitem(last=False)
            yield {"event": "done", "data": {**scores, "moves": moves}}


async def _known_events(
    position: Position, known: dict[str, Any], moves: str
) -> AsyncIterator[Event]:
    for column in new_columns(position, known["scores"], set()):
        yield {"event": "column", "data": column}
    yield {"event": "done", "data": {**known, "moves": moves}}


async def services_of(request: Request) -> Services:
    """Return the services of the server of a request."""
    services: Services = request.app.state.services
    return services


Shared = Annotated[Services, Depends(services_of)]
