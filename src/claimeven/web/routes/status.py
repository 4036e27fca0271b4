"""How the server is."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter

from claimeven import __version__
from claimeven.web.responses import StatusAnswer
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Shared

router = APIRouter(prefix="/api", tags=["status"], responses=PROBLEMS)


@router.get("/status", response_model=StatusAnswer)
async def status(services: Shared) -> dict[str, Any]:
    """Tell whether the server is ready, what its workers do, and how many requests wait."""
    pool, store = services.pool, services.settings.store
    is_ready = pool.ready == pool.size
    made, steps = pool.steps_made, len(pool.steps)
    waits_for = "its workers to start" if made == steps else pool.steps[made].name
    return {
        "version": __version__,
        "workers": pool.size,
        "warm": pool.ready,
        "ready": is_ready,
        "compiling": pool.compiling.is_set() and made < steps,
        "waits_for": None if is_ready else waits_for,
        "steps_made": made,
        "steps": steps,
        "busy": pool.busy,
        "waiting": pool.waiting,
        "jobs_done": pool.jobs_done,
        "workers_lost": pool.workers_lost,
        "seconds": time.monotonic() - services.began,
        "store": None if store is None else store.name,
    }
