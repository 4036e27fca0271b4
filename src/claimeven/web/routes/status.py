"""How the server is."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter

from claimeven import __version__
from claimeven.web.answers import StatusAnswer
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Shared

router = APIRouter(prefix="/api", tags=["status"], responses=PROBLEMS)


@router.get("/status", response_model=StatusAnswer)
async def status(services: Shared) -> dict[str, Any]:
    """Tell how many workers there are, what they do, and how many requests wait."""
    pool, store = services.pool, services.settings.store
    return {
        "version": __version__,
        "workers": pool.size,
        "ready": pool.ready,
        "busy": pool.busy,
        "waiting": pool.waiting,
        "jobs_done": pool.jobs_done,
        "workers_lost": pool.workers_lost,
        "seconds": time.monotonic() - services.began,
        "store": None if store is None else store.name,
    }
