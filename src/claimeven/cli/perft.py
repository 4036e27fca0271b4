"""`claimeven perft`: count positions and move sequences, ply by ply."""

from __future__ import annotations

import sys

import click

from claimeven.cli.common.move_inputs import position_option, read_one
from claimeven.cli.common.options import geometry_options, json_option
from claimeven.cli.common.output import show_table
from claimeven.cli.common.progress import announce_compilation, status_line
from claimeven.cli.common.streams import write_json
from claimeven.game import perft
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry


@click.command("perft")
@click.argument("plies", type=int)
@position_option
@geometry_options
@json_option
def command(plies: int, moves: str, geometry: Geometry, as_json: bool) -> None:
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
            for ply, positions in enumerate(perft.distinct_by_ply(start, last)):
                counts.append((perft.perft(start, ply), positions))
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
