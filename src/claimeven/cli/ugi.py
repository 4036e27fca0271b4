"""`claimeven ugi`: run an agent as an engine for other programs."""

from __future__ import annotations

import sys
from functools import partial

import click

from claimeven import __version__
from claimeven.adapters.ugi import UgiEngine, serve
from claimeven.cli.common.options import AGENT, geometry_options
from claimeven.cli.common.progress import announce_compilation
from claimeven.cli.common.streams import clean_stdout, reader_is_gone
from claimeven.game.geometry import Geometry
from claimeven.game.validation import seed_number


@click.command("ugi")
@click.argument("spec", metavar="[AGENT]", default="perfect", type=AGENT)
@click.option("--seed", default=0, help="Seed of the agent.")
@geometry_options
def command(spec: str, seed: int, geometry: Geometry) -> None:
    """Run AGENT (default: perfect) as an engine with the UGI protocol on stdin and stdout.

    UGI, the Universal Game Interface, is the protocol of chess engines for any game: ugi, isready,
    setoption, uginewgame, position, go, stop, query, quit. Columns are letters from a or numbers
    from 1, as the other program writes them. Options of the agent and the board are options of the
    engine.

    \b
    Examples:
      claimeven ugi
      claimeven ugi uct:iterations=20000
      claimeven match "ugi:claimeven ugi alphabeta:depth=4" greedy --games 10
      printf 'position startpos moves d\\ngo movetime 100\\n' | claimeven ugi
    """
    seed_number(seed)
    announce_compilation()
    with clean_stdout() as out:

        def write(line: str) -> None:
            out.write(line + "\n")
            out.flush()

        engine = UgiEngine(
            spec, write, geometry=geometry, seed=seed, title=f"claimeven {__version__}"
        )
        serve(engine, sys.stdin, partial(reader_is_gone, out))
