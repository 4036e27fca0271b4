"""`claimeven serve` and `site`: the web page, from a server with the API or as static files."""

from __future__ import annotations

import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from claimeven.agents.files import split_file_spec
from claimeven.agents.options import InvalidSpec, name_in
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.registry import AGENTS, is_bounded, make_agents
from claimeven.agents.source_snapshot import refusal_of, run_file
from claimeven.cli.common.options import AGENT, FilePath, file_option, json_option
from claimeven.cli.common.streams import one_line, write_json
from claimeven.errors import ClaimevenError
from claimeven.web.site import write_site

#: The packages of the extra `web`.
_PACKAGES = ("fastapi", "uvicorn")


@click.command("serve")
@click.argument("bots", metavar="[BOT]...", nargs=-1, type=AGENT)
@click.option("--host", default="127.0.0.1", help="Address to listen on.")
@click.option("--port", default=8000, help="Port; 0 selects a free one.")
@click.option("--open", "browse", is_flag=True, help="Open the page in a browser.")
@file_option("--store", help="File of a tournament: show its ladder, also while it runs.")
@click.option("--workers", type=int, help="Processes.  [default: one per core, at least 3]")
@click.option(
    "--table-mb",
    type=float,
    show_default="16",
    help="Size of each worker's transposition table in MB.",
)
@click.option("--seconds", default=10.0, help="Maximum seconds of a search.")
@click.option(
    "--agent",
    "bot",
    default="uct:iterations=200",
    help="Default agent of requests to /play and /lund.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Additional host name of this server; may be repeated.",
)
@click.option(
    "--root-url",
    "root_urls",
    multiple=True,
    metavar="URL",
    help="Public address of a proxy for the server, such as https://c4.example.org.",
)
@click.option(
    "--trust",
    multiple=True,
    metavar="NAME",
    help="Agent of an installed package that clients may use; may be repeated.",
)
def serve(
    bots: tuple[str, ...],
    browse: bool,
    store: Path | None,
    workers: int | None,
    bot: str,
    hosts: tuple[str, ...],
    **asked: Any,
) -> None:
    """Serve the web page and the API until Ctrl-C.

    BOT is an agent with your own code, such as my_bot.py. The page shows its values, its faults
    and its search, and reads a changed file again. Two BOTs play each other. Not with --host.

    By default only this machine can connect (see --host), and pages of other sites cannot use the
    server. Searches run in worker processes for at most --seconds. Other agents from files are not
    available, and agents of installed packages only with --trust. /api lists the API; /play serves
    agents http://..., /lund the protocol of the Lund course.

    \b
    Examples:
      claimeven serve
      claimeven serve my_bot.py --open
      claimeven serve my_bot.py:Bot,depth=2 kaggle:main.py
      claimeven serve --port 0 --open
      claimeven serve --store class.db
      claimeven serve --trust their-agent
      claimeven serve --host 0.0.0.0 --allow-host lab-12 --agent perfect:level=5
      claimeven serve --root-url https://c4.example.org
    """
    for host in hosts:
        if not host or any(mark in "/:" or mark.isspace() for mark in host):
            raise ClaimevenError(
                f"--allow-host must be a host name without address or port, got {host!r}"
            )
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise ClaimevenError(
            f"the server needs {' and '.join(missing)}: pip install 'claimeven[web]'"
        )
    from claimeven.arena.store.store import Store  # noqa: PLC0415 - for a quick start
    from claimeven.web import server  # noqa: PLC0415 - the extra `web`
    from claimeven.web.settings import ServerSettings, check_allowed, default_workers  # noqa: PLC0415 - with it

    count = default_workers() if workers is None else workers
    bots = tuple(map(_checked_bot, bots))
    settings = ServerSettings(store=store, workers=count, hosts=hosts, bot=bot, bots=bots, **asked)
    check_allowed(bot, settings)
    if store is not None:
        with Store.read(store):
            pass
    server.serve(settings, click.echo, browse)


def _checked_bot(spec: str) -> str:
    """Return the spec of an agent with own code. Raises `InvalidSpec` for another or no file.

    A syntax error is reported: the page reads the file again after it is corrected.
    """
    if not is_bounded(spec, Sandbox()):
        raise InvalidSpec(f"BOT must have its own code, such as my_bot.py, got {spec}")
    make_agents([spec], lazy_start=True)[0].close()
    place = "" if name_in(spec) in AGENTS else (split_file_spec(spec) or ("",))[0]
    refusal = refusal_of(place) if place.endswith(".py") else None
    if refusal:
        raise InvalidSpec(refusal)
    if place.endswith(".py"):
        try:
            run_file(place, lambda: compile(Path(place).read_bytes(), place, "exec"))
        except InvalidSpec as error:
            click.echo(f"claimeven: {error}", err=True)
    return spec.strip()


@click.command("site")
@click.option(
    "-o",
    "--out",
    type=FilePath(path_type=Path),
    required=True,
    metavar="DIR",
    help="Folder to write: a new or empty one, or an earlier site.",
)
@json_option
def site(out: Path, as_json: bool) -> None:
    """Write the page as static files, for any web space.

    The site needs no server of claimeven. The solver and the agents run in the browser, also in a
    subfolder, and after the first visit also without a network. Reasons, files of games, trained
    models and tournaments are left out: they need Python.

    \b
    Examples:
      claimeven site --out public
      claimeven site --out public/connect-four --json
      python -m http.server --directory public
    """
    made = write_site(out)
    if as_json:
        write_json(asdict(made), sys.stdout)
        return
    sizes = f"{made.files} files, {made.bytes:,} bytes ({made.compressed_bytes:,} compressed)"
    click.echo(one_line(f"{made.folder} has the site: {sizes}."))
    click.echo(one_line(f"To look at it: python -m http.server --directory {made.folder}"))
    click.echo("To publish it: copy the folder to any web space.")
