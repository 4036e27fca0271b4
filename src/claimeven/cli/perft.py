"""`claimeven perft`: positions and move sequences, ply by ply."""

from __future__ import annotations

import sys

import click

from claimeven.cli.shared.json_lines import write_json
from claimeven.cli.shared.options import geometry_options, json_option
from claimeven.cli.shared.progress import say_when_compiling
from claimeven.cli.shared.streams import table_width
from claimeven.cli.shared.tables import table_lines
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position


@click.command("perft")
@click.argument("plies", type=int)
@click.option("--position", "moves", default="", help="Start after these moves, such as 4455.")
@geometry_options
@json_option
def command(plies: int, moves: str, geometry: Geometry, as_json: bool) -> None:
    """Count the move sequences and the distinct positions of each ply up to PLIES.

    Play stops when a line is complete. The counts test the rules: they are published.

    \b
    Examples:
      claimeven perft 9
      claimeven perft 16 --columns 4 --rows 4
      claimeven perft 6 --position 4455 --json
    """
    if plies < 0:
        raise ClaimevenError(f"PLIES is 0 or more, not {plies}")
    start = Position.from_moves(moves, geometry)
    say_when_compiling()
    from claimeven.game.perft import distinct, perft  # noqa: PLC0415 - for a quick start

    plies = min(plies, start.geometry.cells - start.ply)
    positions = distinct(start, plies)
    lines = [perft(start, ply) for ply in range(plies + 1)]
    if as_json:
        write_json(
            {
                "columns": geometry.columns,
                "rows": geometry.rows,
                "connect": geometry.connect,
                "moves": moves,
                "sequences": lines,
                "positions": list(positions),
                "total_positions": sum(positions),
            },
            sys.stdout,
        )
        return
    rows = [
        [str(ply), f"{line_count:,}", f"{position_count:,}"]
        for ply, (line_count, position_count) in enumerate(zip(lines, positions, strict=True))
    ]
    rows.append(["sum", "", f"{sum(positions):,}"])
    for line in table_lines(["ply", "sequences", "distinct positions"], rows, table_width()):
        click.echo(line)
