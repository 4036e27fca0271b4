"""`claimeven bench`: one number that tells whether a search has changed, and how fast it is."""

from __future__ import annotations

import sys

import click

from claimeven import __version__
from claimeven.cli.json_lines import write_json
from claimeven.cli.options import json_option
from claimeven.cli.progress import counting, say_when_compiling
from claimeven.cli.streams import text_width
from claimeven.cli.tables import fitted, named_lines

#: What the numbers say, below the table.
LEGEND = "The total changes only where a search does. Nodes of UCT: those it stores."


@click.command("bench")
@json_option
def command(as_json: bool) -> None:
    """Search fixed positions with the solver, the minimax family and UCT, and time it.

    The limits are fixed too, and so are the nodes, on one thread: only the time differs from run
    to run. The total of the nodes tells whether a change of the program has altered a search. The
    solver's scores are checked.

    \b
    Examples:
      claimeven bench
      claimeven bench --json
    """
    say_when_compiling()
    from claimeven.agents.benchmark import (  # noqa: PLC0415 - for a quick start
        POSITIONS,
        SEARCHES,
        run_benchmark,
    )
    from claimeven.arena.studies.machine import machine  # noqa: PLC0415

    searches = []
    with counting(SEARCHES, "searches") as tick:
        for totals in run_benchmark():
            searches.append(totals)
            tick(len(searches))
    nodes = sum(totals.nodes for totals in searches)
    seconds = sum(totals.seconds for totals in searches)
    if as_json:
        write_json(
            {
                "version": __version__,
                "machine": machine(),
                "positions": len(POSITIONS),
                "nodes": nodes,
                "seconds": seconds,
                "nodes_per_second": nodes / seconds,
                "searches": [
                    {
                        "search": totals.search,
                        "limit": totals.limit,
                        "nodes": totals.nodes,
                        "seconds": totals.seconds,
                        "nodes_per_second": totals.rate,
                    }
                    for totals in searches
                ],
            },
            sys.stdout,
        )
        return
    width = text_width()
    click.echo(fitted(f"{len(POSITIONS)} positions, claimeven {__version__}, {machine()}", width))
    click.echo()
    rows = [
        [totals.limit, f"{totals.nodes:,}", f"{totals.seconds:.2f}", _millions(totals.rate)]
        for totals in searches
    ]
    rows.append(["", f"{nodes:,}", f"{seconds:.2f}", _millions(nodes / seconds)])
    names = [*(totals.search for totals in searches), "total"]
    headings = ["a position", "nodes", "seconds", "nodes/s"]
    for line in named_lines("search", headings, names, rows, width):
        click.echo(line)
    click.echo()
    click.echo(fitted(LEGEND, width))


def _millions(rate: float) -> str:
    return f"{rate / 1e6:.2f} M"
