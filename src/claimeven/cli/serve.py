"""`claimeven serve`: the page and the API."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from claimeven.cli.common.options import FilePath
from claimeven.errors import ClaimevenError

#: What the extra brings.
_NEEDED = ("fastapi", "uvicorn")


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, help="Port; 0 takes a free one.")
@click.option("--open", "browse", is_flag=True, help="Open the page in a browser.")
@click.option(
    "--store",
    type=FilePath(path_type=Path),
    help="File of a tournament whose ladder to show, also while it is played.",
)
@click.option("--workers", type=int, help="Processes that search; usually one a core, 3 at least.")
@click.option(
    "--table-mb",
    type=float,
    show_default="64; beside a deep book 8",
    help="Table of each worker's solver, in MB.",
)
@click.option("--seconds", default=10.0, show_default=True, help="Most time a search may take.")
@click.option(
    "--agent",
    "bot",
    default="uct:iterations=200",
    show_default=True,
    help="Plays where a request to /play or /lund names none.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Name, besides this machine's own, to answer under; may be given again.",
)
@click.option(
    "--root-url",
    "root_urls",
    multiple=True,
    metavar="URL",
    help="Address that a proxy before the server has, such as https://c4.example.org.",
)
def command(
    browse: bool,
    store: Path | None,
    workers: int | None,
    bot: str,
    hosts: tuple[str, ...],
    **asked: Any,
) -> None:
    """Serve the page and the API until Ctrl-C.

    Only this machine can reach it unless --host says otherwise, and no page of another site can use
    it. Searches run in worker processes; each has --seconds at most. Agents from files cannot be
    asked for. /api lists what there is; /play plays for agents http://..., /lund by the contract of
    the Lund course.

    \b
    Examples:
      claimeven serve
      claimeven serve --port 0 --open
      claimeven serve --store class.db
      claimeven serve --host 0.0.0.0 --allow-host lab-12 --agent perfect:level=5
      claimeven serve --root-url https://c4.example.org
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ClaimevenError(
            f"the server needs {' and '.join(missing)}: install the extra, as in"
            " pip install 'claimeven[web]'"
        )
    from claimeven.arena.store.store import Store  # noqa: PLC0415 - for a quick start of other verbs
    from claimeven.web.allowed_agents import check_allowed  # noqa: PLC0415 - comes with it
    from claimeven.web.server import serve  # noqa: PLC0415 - the extra `web`
    from claimeven.web.settings import ServerSettings, default_workers  # noqa: PLC0415 - comes with it

    count = default_workers() if workers is None else workers
    settings = ServerSettings(store=store, workers=count, hosts=_named(hosts), bot=bot, **asked)
    check_allowed(bot, settings)
    if store is not None:
        with Store.read(store):
            pass
    serve(settings, click.echo, browse)


def _named(hosts: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of hosts. Raises `ClaimevenError` for an empty one, and for an address."""
    for host in hosts:
        if not host or any(mark in "/:" or mark.isspace() for mark in host):
            raise ClaimevenError(f"--allow-host takes the name of a host alone, not {host!r}")
    return hosts
