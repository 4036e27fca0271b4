"""The application: its routes, its guard, its workers, and the reference of the API as a page."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse
from jinja2 import Environment, PackageLoader
from markupsafe import Markup
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from claimeven import __version__
from claimeven.web import lund, routes, transport
from claimeven.web.pool import WorkerPool
from claimeven.web.requests import RECORDS_BODY
from claimeven.web.security import Guard
from claimeven.web.services import Services
from claimeven.web.settings import ServerSettings, is_loopback

#: The files of the page.
STATIC = Path(__file__).parent / "static"
_ABOUT = (
    "Connect Four: positions, exact scores, agents, explanations, reviews, steps of searches."
    " Columns count from 1; scores are for the side to move. Errors are returned as"
    ' {"error": "one sentence"}.'
)


def create_app(settings: ServerSettings | None = None, pool: WorkerPool | None = None) -> FastAPI:
    """Return the application, for any ASGI server. It starts its workers unless `pool` has some."""
    settings = settings or ServerSettings()
    workers = pool or WorkerPool(settings.workers, settings.table_mb, settings.max_waiting)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await workers.start()
        try:
            await asyncio.to_thread(app.state.services.warm_up)
            app.openapi()
            app.state.services.store.start()
            yield
        finally:
            await app.state.services.stop()

    app = FastAPI(
        title="claimeven",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,  # it would load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.services = Services(settings, workers)
    app.state.lund = lund.LundGames()
    for module in (routes, lund):
        app.include_router(module.router, dependencies=[Depends(routes.only_known)])
    transport.add_handlers(app)
    _add_page(app, settings.bots)
    app.add_middleware(
        Guard,
        hosts=(*settings.hosts, *(urlsplit(each).hostname or "" for each in settings.root_urls)),
        origins=settings.root_urls,
        is_public=not is_loopback(settings.host),
        body=settings.max_body_bytes,
        bodies={"/api/records": max(settings.max_body_bytes, RECORDS_BODY)},
    )
    return app


def _add_page(app: FastAPI, bots: tuple[str, ...]) -> None:
    """Serve the page, which names the bots, and the reference of the API."""

    @app.get("/api", include_in_schema=False)
    async def api(request: Request) -> Response:
        return HTMLResponse(api_page(app.openapi()), headers={"cache-control": "no-cache"})

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def page(request: Request) -> Response:
        headers = {"cache-control": "no-cache"}
        if not bots:
            return FileResponse(STATIC / "index.html", headers=headers)
        text = (STATIC / "index.html").read_text("utf-8")
        meta = f'<meta name="bots" content="{escape(json.dumps(bots))}">'
        return HTMLResponse(text.replace("<title>", f"{meta}\n<title>", 1), headers=headers)

    app.mount("/static", _PageFiles(directory=STATIC, check_dir=False), name="static")


class _PageFiles(StaticFiles):
    """The files of the page."""

    #: Browsers validate each file every time, so that an upgrade is visible immediately.
    cache_control = "no-cache"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Ranges are not supported: the whole file is sent.
        headers = [header for header in scope["headers"] if header[0] != b"range"]
        await super().__call__({**scope, "headers": headers}, receive, send)

    def file_response(self, *arguments: object, **named: object) -> Response:
        """Return a file with its cache-control."""
        response: Response = super().file_response(*arguments, **named)  # type: ignore[arg-type]  # as given
        response.headers["cache-control"] = self.cache_control
        return response


def api_page(document: dict[str, Any]) -> str:
    def fields(route: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """Return the parameters of a route and the fields of its body, each with its schema."""
        found = [(each["name"], {**each["schema"], **each}) for each in route.get("parameters", ())]
        for kind in route.get("requestBody", {}).get("content", {}).values():
            schema = kind["schema"]
            if "$ref" in schema:
                schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            found += schema.get("properties", {}).items()
        return found

    return _ENVIRONMENT.get_template("api.html").render(document, fields=fields)


def _prose(text: str) -> Markup:
    """Return a description as HTML; backticks mark code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)))


_ENVIRONMENT = Environment(
    loader=PackageLoader("claimeven.web", "template"),
    autoescape=True, trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip
_ENVIRONMENT.filters["prose"] = _prose
