"""A tournament that is being played, or has been: its standings and its report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from claimeven.arena.report import write_report
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments.standings import Standings
from claimeven.errors import ClaimevenError
from claimeven.web.answers import Problem
from claimeven.web.errors import NotFound
from claimeven.web.routes.common import PROBLEMS
from claimeven.web.services import Services, Shared

router = APIRouter(tags=["live"], responses=PROBLEMS)
_NO_STORE: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "No file of games."}
}
#: A report has a style and one script inside, which its own policy allows by their digests.
_REPORT_POLICY = "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


@router.get("/api/live", responses=_NO_STORE)
def live(services: Shared) -> dict[str, Any]:
    """Tell the standings of the tournament whose file the server was started with."""
    path = _store_of(services)
    with _told_by_name(path), Store.read(path) as store:
        standings = Standings.of_store(store)
        return {"store": path.name, "standings": standings.as_dict()}


@router.get("/report", include_in_schema=False)
def report(services: Shared) -> HTMLResponse:
    """Show the report of its games as they stand, without judging them."""
    path = _store_of(services)
    with TemporaryDirectory() as folder, _told_by_name(path):
        page = Path(folder, "report.html")
        write_report(path, page, judge=0)
        text = page.read_text(encoding="utf-8")
    return HTMLResponse(text, headers={"content-security-policy": _REPORT_POLICY})


def _store_of(services: Services) -> Path:
    path = services.settings.store
    if path is None:
        raise NotFound("there is no tournament to show: start the server with --store FILE")
    return path


@contextmanager
def _told_by_name(path: Path) -> Iterator[None]:
    """Tell what is wrong with a file by its name: where it lies is nothing for whoever asks."""
    try:
        yield
    except ClaimevenError as error:
        raise ClaimevenError(str(error).replace(str(path), path.name)) from None
