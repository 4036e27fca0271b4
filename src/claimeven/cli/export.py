"""`claimeven export`: write an agent as one file for Kaggle ConnectX, or a net as ONNX."""

from __future__ import annotations

import sys

import click

from claimeven.adapters.kaggle import export_submission, submission
from claimeven.agents.families.trained import DEFAULT
from claimeven.agents.options import InvalidSpec
from claimeven.agents.registry import parse_spec
from claimeven.atomic_io import STDOUT, check_output
from claimeven.cli.common.options import AGENT, json_option, seed_option
from claimeven.cli.common.output import print_result
from claimeven.cli.common.streams import as_file
from claimeven.errors import ClaimevenError
from claimeven.game.validation import seed_number
from claimeven.networks.loading import BUNDLED_NET
from claimeven.networks.net import read_net, write_onnx
from claimeven.networks.own_models import ONNX


@click.command("export")
@click.argument("spec", type=AGENT)
@click.option(
    "-o", "--out", required=True, help="File: main.py for Kaggle (- for stdout), or .onnx."
)
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
    random, greedy, flat         any column; the longest run; playouts only

    The file is readable plain Python. It plays on any board within Kaggle's time limit: it searches
    until about 0.6 s before the end of a move, unless its options stop it earlier. `perfect` may
    also use the time bank of the game. Agents with own functions, threads or tables of positions
    cannot be exported.

    `-o FILE.onnx` writes the net of `net` with its features as an ONNX file. The input `planes`,
    float32 (n, 2, rows, columns), top row first, has the discs of the side to move and of the
    other side. The outputs are `policy`, `value` and, if the net knows them, `scores`. Needs
    the package onnx: pip install 'claimeven[onnx]'.

    \b
    Examples:
      claimeven export perfect -o main.py
      claimeven export uct:playout=wins-and-blocks -o main.py --seed 3
      claimeven export ntuple-alphabeta:seconds=1.4 -o main.py
      claimeven export puct:model=my_net.npz -o main.py
      claimeven export net:model=my_net.npz -o my_net.onnx
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
    is_onnx = out.endswith(ONNX)
    size = _write_onnx(spec, out) if is_onnx else export_submission(spec, out, seed)
    data = {"agent": spec, "out": out, "bytes": size, "seed": seed}
    what = "as ONNX" if is_onnx else "for Kaggle ConnectX"
    print_result(as_json, data, f"{out}: {spec} {what}, {size:,} bytes")


def _write_onnx(spec: str, out: str) -> int:
    """Write the net of a spec, and return the size of the file."""
    kind, options = parse_spec(spec.strip())
    if kind.name != "net":
        raise InvalidSpec(f"only net and net:model=FILE can be written as ONNX, got {spec}")
    model = options["model"]
    return write_onnx(out, read_net(BUNDLED_NET if model == DEFAULT else model))
