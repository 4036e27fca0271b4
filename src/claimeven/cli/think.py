"""`claimeven think`: show how an agent chooses its move in a position."""

from __future__ import annotations

import click
import numpy as np

from claimeven.agents import InvalidSpec, Limit, make_agent
from claimeven.agents.base import decision_json
from claimeven.arena.games.plan import setting_of
from claimeven.arena.games.safe_call import begin_game, checked_tree, timed_decision
from claimeven.atomic_io import check_output, write_text
from claimeven.cli.common.decision_report import (
    TREE_DEPTH,
    TREE_NODES,
    decision_lines,
    legend_lines,
    naming_agent,
    trace_lines,
)
from claimeven.cli.common.move_inputs import is_ongoing, read_one
from claimeven.cli.common.options import AGENT, geometry_options, json_option, limit_options
from claimeven.cli.common.output import board_text, text_width
from claimeven.cli.common.progress import announce_compilation
from claimeven.cli.common.streams import clean_stdout, write_json
from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.validation import seed_number


@click.command("think")
@click.argument("moves", metavar="POSITION")
@click.option("--agent", "spec", default="alphabeta", type=AGENT, help="Agent to ask.")
@click.option("--seed", default=0, help="Seed of the agent.")
@geometry_options
@limit_options
@click.option("--trace", is_flag=True, help="Also print the steps of the search.")
@click.option(
    "--trace-lines",
    "trace_limit",
    type=click.IntRange(0),
    default=0,
    help="Maximum number of lines of the trace; 0: all.",
)
@click.option("--tree", is_flag=True, help="Print the most important part of the search tree.")
@click.option(
    "--tree-depth",
    type=click.IntRange(0, 256),
    default=TREE_DEPTH,
    help="Depth of the printed tree in plies.",
)
@click.option(
    "--tree-nodes",
    type=click.IntRange(1, 100_000),
    default=TREE_NODES,
    help="Number of printed nodes: the most visited, or the nearest to the root.",
)
@click.option("--svg", "svg_file", help="Write a drawing of the tree to this SVG file.")
@json_option
def command(
    moves: str,
    spec: str,
    seed: int,
    geometry: Geometry,
    limit: Limit,
    trace: bool,
    trace_limit: int,
    tree: bool,
    tree_depth: int,
    tree_nodes: int,
    svg_file: str | None,
    as_json: bool,
) -> None:
    """Ask an agent about a position: moves ("" is the empty board), a board, or a file with one.

    Columns are numbered from 1, also in JSON. JSON lists have one entry per column, left to right.

    \b
    Examples:
      claimeven think 4455
      claimeven think "" --agent negamax --seconds 0.5
      claimeven think 112233 --agent alphabeta:depth=2 --trace
      claimeven think 4455 --agent alphabeta:depth=3 --tree --tree-depth 3
      claimeven think 44 --agent uct:iterations=5000 --tree --svg tree.svg
      claimeven think 4455 --agent alphabeta --tree --json
    """
    record = read_one(moves, geometry)
    is_ongoing(record)
    position, geometry = record.position, record.geometry
    seed_number(seed)
    if trace_limit and not trace:
        raise ClaimevenError("--trace-lines needs --trace: give both")
    for name, is_given in (
        ("--tree-depth", tree_depth != TREE_DEPTH),
        ("--tree-nodes", tree_nodes != TREE_NODES),
    ):
        if is_given and not tree and svg_file is None:
            raise ClaimevenError(f"{name} needs a tree: add --tree or --svg")
    if svg_file is not None:
        check_output(svg_file)
    announce_compilation()
    with clean_stdout() as out:
        agent = make_agent(spec, geometry, limit)
        with naming_agent(agent):
            rng = np.random.default_rng(seed)
            begin_game(agent, rng)
            before = np.random.default_rng(seed)
            steps = trace_lines(agent, position, limit, before, trace_limit) if trace else iter(())
            decision = timed_decision(agent, position, limit, rng)[0]
            wanted = tree or svg_file is not None
            view = checked_tree(agent, tree_depth, tree_nodes) if wanted else None
        if view is None and wanted:
            raise InvalidSpec(f"{agent.name} has no tree for this decision")
        if svg_file is not None and view is not None:
            write_text(svg_file, view.svg)
        if as_json:
            setting = {**setting_of([spec], geometry, limit, seed), "agent": spec, "seed": seed}
            result = decision_json(decision, position, view)
            write_json({**setting, **result, "trace": list(steps) if trace else None}, out)
            return
        out.write(board_text(position, out) + "\n")
        out.writelines(text + "\n" for text in steps)
        width = text_width(out)
        for lines in (decision_lines(decision, position, width), legend_lines(decision, width)):
            out.writelines(text + "\n" for text in lines)
        if tree and view is not None:
            out.write(view.text.rstrip("\n") + "\n")
