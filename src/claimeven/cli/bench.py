"""`claimeven bench`: time the searches and count their nodes."""

from __future__ import annotations

import sys

import click

from claimeven import __version__
from claimeven.agents import benchmark
from claimeven.agents.benchmark import SearchTotals
from claimeven.cli.common.options import json_option
from claimeven.cli.common.output import named_lines, show, text_width
from claimeven.cli.common.progress import announce_compilation, status_line
from claimeven.cli.common.streams import write_json
from claimeven.provenance import describe, machine

LEGEND = "The total number of nodes changes only if a search changes. UCT: nodes stored."


@click.command("bench")
@json_option
def command(as_json: bool) -> None:
    """Time the solver, the minimax family and UCT on fixed positions.

    Limits and node counts are fixed, on one thread, so only the time differs between runs. The
    total number of nodes shows whether a change of the program altered a search. The scores of the
    solver are checked.

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
        run |= {"provenance": describe("result")}
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
