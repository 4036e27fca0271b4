"""`claimeven think`: what an agent makes of one position."""

from __future__ import annotations

import click
import numpy as np

from claimeven.agents import Decision, Limit, make_agent
from claimeven.arena.game import begin_game, checked_decision
from claimeven.cli.common import (
    board_options,
    board_text,
    clean_stdout,
    limit_options,
    say_when_compiling,
    start_position,
    write_json,
)
from claimeven.cli.thinking import decision_lines, trace_lines
from claimeven.game.errors import ClaimevenError
from claimeven.game.notation import format_moves
from claimeven.game.position import Position


@click.command("think")
@click.argument("moves", metavar="POSITION")
@click.option("--agent", "spec", default="alphabeta", show_default=True, help="Agent to ask.")
@click.option("--seed", default=0, show_default=True, help="Seed of the agent's randomness.")
@board_options
@limit_options
@click.option("--trace", is_flag=True, help="Tell the steps of the search too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    moves: str,
    spec: str,
    seed: int,
    columns: int,
    rows: int,
    connect: int,
    seconds: float | None,
    iterations: int | None,
    depth: int | None,
    nodes: int | None,
    trace: bool,
    as_json: bool,
) -> None:
    """Ask an agent about the position after a move string ("" is the empty board).

    Columns count from 1, in JSON too; the lists of JSON hold one entry a column, left to right.

    \b
    Examples:
      claimeven think 4455
      claimeven think "" --agent negamax --seconds 0.5
      claimeven think 112233 --agent alphabeta:depth=2 --trace
      claimeven think 4455 --agent alphabeta --json
    """
    position = start_position(columns, rows, connect, moves)
    if position.is_over:
        raise ClaimevenError(f"the game is over after {moves}: {position.outcome}")
    if seed < 0:
        raise ClaimevenError(f"a seed is 0 or more, not {seed}")
    limit = Limit(seconds, iterations, depth, nodes)
    say_when_compiling()
    with clean_stdout() as out:
        agent = make_agent(spec)
        begin_game(agent)
        decision = checked_decision(agent, position, limit, np.random.default_rng(seed))
        if as_json:
            write_json(_as_dict(decision, position), out)
            return
        out.write(board_text(position, out) + "\n")
        if trace:
            for text in trace_lines(agent, position, limit, np.random.default_rng(seed)):
                out.write(text + "\n")
        for text in decision_lines(decision, position):
            out.write(text + "\n")


def _as_dict(decision: Decision, position: Position) -> dict[str, object]:
    details = dict(decision.details)
    line = details.pop("line", None)
    return {
        "column": decision.column + 1,
        "value": decision.value,
        "policy": None if decision.policy is None else list(decision.policy),
        "score": decision.score,
        "depth": decision.depth,
        "nodes": decision.nodes,
        "visits": details.pop("visits", None),
        "iterations": details.pop("iterations", None),
        "seconds": decision.seconds,
        "line": None if line is None else format_moves(line, position.geometry),
        "tree": details.pop("tree", None),
        "details": details,
    }
