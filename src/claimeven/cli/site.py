"""`claimeven site`: the page as static files."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from claimeven.cli.common.options import FilePath, json_option
from claimeven.cli.common.streams import one_line, write_json
from claimeven.web.site import write_site


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
def command(out: Path, as_json: bool) -> None:
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
    site = write_site(out)
    if as_json:
        write_json(asdict(site), sys.stdout)
        return
    sizes = f"{site.files} files, {site.bytes:,} bytes ({site.compressed_bytes:,} compressed)"
    click.echo(one_line(f"{site.folder} has the site: {sizes}."))
    click.echo(one_line(f"To look at it: python -m http.server --directory {site.folder}"))
    click.echo("To publish it: copy the folder to any web space.")
