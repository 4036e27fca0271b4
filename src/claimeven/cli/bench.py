"""`claimeven bench`: one number that tells whether a search has changed, and how fast it is."""

from __future__ import annotations

import sys

import click

from claimeven import __version__
from claimeven.agents import benchmark
from claimeven.agents.benchmark import SearchTotals
from claimeven.arena.studies.runner import machine
from claimeven.cli.common.json_lines import write_json
from claimeven.cli.common.options import json_option
from claimeven.cli.common.output import named_lines, show, text_width
from claimeven.cli.common.progress import announce_compilation, status_line

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
    announce_compilation()
    searches: list[SearchTotals] = []
    with status_line() as line:
        for totals in benchmark.run_benchmark():
            searches.append(totals)
            line.count(len(searches), benchmark.SEARCHES, "searches")
    nodes, seconds = (sum(getattr(row, name) for row in searches) for name in ("nodes", "seconds"))
    every = SearchTotals("total", "", nodes, seconds)
    if as_json:
        run = {"version": __version__, "machine": machine(), "positions": len(benchmark.POSITIONS)}
        rows = [{"search": row.search, "limit": row.limit, **_measures(row)} for row in searches]
        write_json({**run, **_measures(every), "searches": rows}, sys.stdout)
        return
    show(f"{len(benchmark.POSITIONS)} positions, claimeven {__version__}, {machine()}\n")
    searches.append(every)
    cells = [
        [row.limit, f"{row.nodes:,}", f"{row.seconds:.2f}", f"{row.rate / 1e6:.2f} M"]
        for row in searches
    ]
    headings = ["a position", "nodes", "seconds", "nodes/s"]
    names = [row.search for row in searches]
    click.echo("\n".join(named_lines("search", headings, names, cells, text_width())))
    show(f"\n{LEGEND}")


def _measures(totals: SearchTotals) -> dict[str, float]:
    return {"nodes": totals.nodes, "seconds": totals.seconds, "nodes_per_second": totals.rate}
