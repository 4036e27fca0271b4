"""`claimeven export`: write an agent as one file for Kaggle ConnectX."""

from __future__ import annotations

import sys

import click

from claimeven.adapters.kaggle import export_submission, submission
from claimeven.atomic_io import STDOUT, check_output
from claimeven.cli.common.options import json_option, seed_option
from claimeven.cli.common.output import show
from claimeven.cli.common.streams import as_file, write_json
from claimeven.errors import ClaimevenError
from claimeven.game.validation import seed_number


@click.command("export")
@click.argument("spec")
@click.option("-o", "--out", required=True, help="File to write: main.py for Kaggle, - for stdout.")
@seed_option
@json_option
def command(spec: str, out: str, seed: int, as_json: bool) -> None:
    """Write an agent as a submission to Kaggle ConnectX: one file without claimeven.

    \b
    minimax, alphabeta, negamax  with every built-in evaluation; their presets
    uct                          with most of its options; some of its presets
    perfect                      a book of moves, then exact scores
    ntuple, ntuple-alphabeta     a trained network, without or with search
    net, puct                    a neural net, with or without search; NumPy

    The file is readable plain Python. It plays on any board within Kaggle's time limit: it searches
    until about 0.6 s before the end of a move, unless its options stop it earlier. `perfect` may
    also use the time bank of the game. Agents with own functions, threads or tables of positions
    cannot be exported.

    \b
    Examples:
      claimeven export perfect -o main.py
      claimeven export uct:playout=wins-and-blocks -o main.py --seed 3
      claimeven export ntuple-alphabeta:seconds=1.4 -o main.py
      claimeven export puct:model=my_net.npz -o main.py
      claimeven accuracy kaggle:main.py
      claimeven match kaggle:main.py kaggle:negamax --games 10
    """
    seed_number(seed)
    if out == STDOUT:
        if as_json:
            raise ClaimevenError("--json describes a file: name it with -o")
        as_file(sys.stdout).write(submission(spec, seed))
        return
    check_output(out)
    size = export_submission(spec, out, seed)
    if as_json:
        write_json({"agent": spec, "out": out, "bytes": size, "seed": seed}, sys.stdout)
    else:
        show(f"{out}: {spec} for Kaggle ConnectX, {size:,} bytes")
