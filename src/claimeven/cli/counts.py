"""`claimeven bench` and `perft`: counts of nodes and positions, which never change."""

from __future__ import annotations

import sys

import click

from claimeven import __version__
from claimeven.agents import benchmark
from claimeven.agents.benchmark import SearchTotals
from claimeven.cli.common.move_inputs import position_option, read_one
from claimeven.cli.common.options import geometry_options, json_option
from claimeven.cli.common.output import named_lines, show, show_table, text_width
from claimeven.cli.common.progress import announce_compilation, status_line
from claimeven.cli.common.streams import write_json
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.perft import distinct_by_ply
from claimeven.game.perft import perft as sequences_of
from claimeven.provenance import describe, machine

LEGEND = "The total number of nodes changes only if a search changes. UCT: nodes stored."


@click.command("bench")
@json_option
def bench(as_json: bool) -> None:
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


@click.command("perft")
@click.argument("plies", type=int)
@position_option
@geometry_options
@json_option
def perft(plies: int, moves: str, geometry: Geometry, as_json: bool) -> None:
    """Count the move sequences and distinct positions of each ply up to PLIES.

    Games stop at a complete line. The counts test the rules against published values.

    \b
    Examples:
      claimeven perft 9
      claimeven perft 16 --columns 4 --rows 4
      claimeven perft 6 --position 4455 --json
    """
    if plies < 0:
        raise ClaimevenError(f"PLIES must be 0 or more, got {plies}")
    record = read_one(moves, geometry)
    start, moves = record.position, record.moves
    announce_compilation()
    ended: BaseException | None = None
    counts: list[tuple[int, int]] = []
    last = min(plies, start.geometry.cells - start.ply)
    try:
        with status_line() as line:
            for ply, positions in enumerate(distinct_by_ply(start, last)):
                counts.append((sequences_of(start, ply), positions))
                line.reporter("counted ply {} of {}")(ply, last)
    except (KeyboardInterrupt, MemoryError) as error:
        ended = error
    sequences, distinct = ([pair[side] for pair in counts] for side in (0, 1))
    if as_json:
        sums = {"sequences": sequences, "positions": distinct, "total_positions": sum(distinct)}
        write_json({**start.geometry.as_dict(), "moves": moves, **sums}, sys.stdout)
    else:
        rows = [[str(ply), f"{one:,}", f"{two:,}"] for ply, (one, two) in enumerate(counts)]
        rows.append(["sum", "", f"{sum(distinct):,}"])
        show_table(["ply", "sequences", "distinct positions"], rows)
    if isinstance(ended, MemoryError):
        raise ClaimevenError(f"there is not enough memory for ply {len(counts)}: use fewer plies")
    if ended is not None:
        raise KeyboardInterrupt(f"interrupted at ply {len(counts)}") from None
