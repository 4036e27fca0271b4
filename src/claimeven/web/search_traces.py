"""The steps of a search, from the trace of the textbook search, and its trees.

All values and windows are for the side to move at the root.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

import numpy as np

from claimeven.agents.base import AgentFault, Limit
from claimeven.agents.codec import MAX_LINES
from claimeven.agents.families.classic import DEFAULT_DEPTH, SearchAgent
from claimeven.agents.families.montecarlo import TRACE_ITERATIONS, MonteCarloAgent, step_line
from claimeven.agents.options import InvalidSpec
from claimeven.agents.registry import build
from claimeven.arena.games.safe_call import checked_trace
from claimeven.evaluation.registry import WINDOWS, Evaluation
from claimeven.evaluation.windows import WindowWeights
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.minimax import types
from claimeven.minimax.inspection import build_tree, tree_json, value_text
from claimeven.montecarlo.textbook import Step
from claimeven.montecarlo.tree_text import tree_json as forest_json

#: Maximum numbers of positions in a minimax search, of iterations in a Monte Carlo search, and of
#: nodes in all trees of one response.
MAX_POSITIONS, MAX_ITERATIONS, MAX_NODES = 100_000, 5_000, 60_000
#: A line of `visits.visit_lines`; any other line of a trace is a note.
_LINE: Final = re.compile(r"(?:root|([\da-p]+)) (-|-?inf|-?[\d.]+(?:e[+-]?\d+)?)(?: (.*))?")
#: The fields of a bot's step without a value.
_UNKNOWN: Final = {
    "kind": "enter", "depth": 1, "alpha": None, "beta": None, "window": None, "plies_to_end": None,
    "value": None, "words": None, "skipped": 0, "evaluations": 0, "cutoffs": 0, "table_hits": 0,
}  # fmt: skip


def minimax(
    state: Any,
    position: Position,
    agent: str,
    depth: int | None,
    first_step: int,
    steps: int,
    tree_depth: int,
    tree_nodes: int,
) -> dict[str, Any]:
    """Return steps of a minimax agent's search, from `first_step` (0-based), and its tree.

    Raises `InvalidSpec` for an agent of another family, `InvalidSearch` for over `MAX_POSITIONS`.
    """
    player = build(agent)
    if not isinstance(player, SearchAgent):
        raise InvalidSpec(
            f"agent must be a minimax search such as minimax, alphabeta or negamax, got {agent}"
        )
    empty = position.geometry.cells - position.ply
    deepest = depth or player.own.depth or (empty if player.to_the_end else DEFAULT_DEPTH)
    window = _Window(position, first_step, steps)
    search = player.search
    root = build_tree(
        types.report_events(search.trace(position, deepest), window.record), tree_depth, tree_nodes
    )
    return {
        "agent": agent,
        "algorithm": search.algorithm,
        "evaluation": search.evaluation.name,
        "evaluation_description": description_of(search.evaluation, position.geometry.connect),
        "depth": min(deepest, empty),
        "first_step": first_step,
        "total_steps": window.count,
        "steps": window.steps,
        "counters": window.counters,
        "tree": tree_json(root, position),
    }


def shown(
    state: Any, position: Position, agent: str, first_step: int, steps: int, **others: object
) -> dict[str, Any]:
    """Return the positions that a bot's search shows, in the form of `minimax`.

    A fault is the last step's reason. Raises `InvalidSpec` for a bot that shows no positions.
    """
    player, limit = state.agent(agent, position.geometry, Limit()), Limit(seconds=state.seconds)
    found: list[dict[str, Any]] = []
    entered, visits, fault = set[str](), 0, "shows no steps: its function must yield positions"
    try:
        for line in checked_trace(player, position, limit, np.random.default_rng(0), MAX_LINES):
            known = _LINE.fullmatch(line)
            moves, words, note = known.groups("") if known else ("", "-", line)
            step: dict[str, Any] = {**_UNKNOWN, "step": len(found), "moves": moves, "reason": note}
            if words != "-":
                step |= {"kind": "return", "value": float(words), "words": words}
            visits += words == "-" or moves not in entered
            entered.add(moves)
            found.append({**step, "nodes": visits})
    except AgentFault as error:
        fault = str(error)
        if found:
            found[-1]["reason"] = fault
    if not found:
        raise InvalidSpec(f"{agent} {fault}")
    return {
        "agent": agent, "algorithm": "own", "evaluation": "", "evaluation_description": None,
        "depth": 0, "first_step": first_step, "total_steps": len(found), "counters": found[-1],
        "steps": found[first_step : first_step + steps], "tree": {},
    }  # fmt: skip


def description_of(evaluation: Evaluation, connect: int) -> str:
    """Return the meaning of the numbers of an evaluation."""
    if evaluation.kernel != WINDOWS:
        return evaluation.summary
    weights = WindowWeights(*evaluation.weights)
    return (
        f"each {connect} cells in a line with discs of only one side count {weights.two} with two"
        f" cells empty and {weights.three} with one, or {weights.their_two} and"
        f" {weights.their_three} if they are the other side's; discs in the middle column count"
        f" {weights.center}"
    )


class _Window:
    """Stores some steps of a search, and counts all of them."""

    def __init__(self, position: Position, first_step: int, steps: int) -> None:
        self.geometry = position.geometry
        self.first_step, self.last = first_step, first_step + steps
        self.count = 0
        self.steps: list[dict[str, Any]] = []
        self.counters = {"nodes": 0, "evaluations": 0, "cutoffs": 0, "table_hits": 0}

    def record(self, event: types.Event) -> None:
        counters, returns = self.counters, event.kind == "return"
        counters["nodes"] += event.kind == "enter"
        counters["cutoffs"] += event.kind == "cut"
        counters["evaluations"] += returns and event.reason == types.EVALUATED
        counters["table_hits"] += returns and event.reason == types.FROM_TABLE
        if counters["nodes"] > MAX_POSITIONS:
            raise types.InvalidSearch(
                f"the search visits more than {MAX_POSITIONS:,} positions: choose a lower depth"
            )
        if self.first_step <= self.count < self.last:
            self.steps.append(self._json(event))
        self.count += 1

    def _json(self, event: types.Event) -> dict[str, Any]:
        turned = event.view == "mover" and len(event.columns) % 2 == 1
        alpha, beta = (-event.beta, -event.alpha) if turned else (event.alpha, event.beta)
        value = event.value
        if value is not None and turned:
            value = -value + 0
        return {
            "step": self.count,
            "kind": event.kind,
            "moves": format_moves(event.columns, self.geometry),
            "depth": event.depth,
            "alpha": alpha if math.isfinite(alpha) else None,
            "beta": beta if math.isfinite(beta) else None,
            "window": [value_text(alpha), value_text(beta)],
            "value": value,
            "words": None if value is None else value_text(value),
            "plies_to_end": None if value is None else types.plies_to_end(value),
            "reason": event.reason,
            "skipped": event.skipped,
            **self.counters,
        }


def montecarlo(
    state: Any,
    position: Position,
    agent: str,
    iterations: int | None,
    seed: int,
    first_step: int,
    steps: int,
    trees: bool,
    tree_depth: int,
    tree_nodes: int,
) -> dict[str, Any]:
    """Return the iterations of a Monte Carlo agent's search, phase by phase, and its tree.

    The result has `steps` iterations from `first_step` (1-based); `trees` adds the tree after each
    of them, with the path of that iteration. Raises `InvalidSpec` for an agent of another family,
    `InvalidSearch` for more than `MAX_ITERATIONS` iterations or `MAX_NODES` nodes of trees.
    """
    player = build(agent)
    if not isinstance(player, MonteCarloAgent):
        raise InvalidSpec(
            f"agent must be a Monte Carlo search such as uct, flat or breadth, got {agent}"
        )
    wanted = iterations or player.own.iterations or TRACE_ITERATIONS
    if wanted > MAX_ITERATIONS:
        raise types.InvalidSearch(f"iterations must be at most {MAX_ITERATIONS:,}, got {wanted:,}")
    requested = max(0, min(steps, wanted + 1 - first_step))
    if trees and requested * tree_nodes > MAX_NODES:
        raise types.InvalidSearch(
            f"trees of {requested:,} iterations with {tree_nodes:,} nodes each are too large: ask"
            f" for at most {MAX_NODES // tree_nodes:,} iterations, or for smaller trees"
        )
    found, forest = player.search.follow(position, np.random.default_rng(seed), wanted)
    step_list: list[dict[str, Any]] = []
    count = 0
    for count, step in enumerate(found, start=1):
        if first_step <= count < first_step + steps:
            step_list.append(_step_json(step, position))
            if trees:
                branch = forest.branch(tree_depth, tree_nodes, step.path)
                step_list[-1]["tree"] = forest_json(branch, position)
    return {
        "agent": agent,
        "seed": seed,
        "method": player.search.options.method,
        "c": player.search.options.c,
        "scale": player.search.options.scale,
        "first_step": first_step,
        "total_steps": count,
        "steps": step_list,
        "tree": forest_json(forest.branch(tree_depth, tree_nodes), position),
    }


def _step_json(step: Step, position: Position) -> dict[str, Any]:
    geometry = position.geometry
    return {
        "iteration": step.iteration,
        "selected": format_moves(step.path, geometry),
        "expanded": [column + 1 for column in step.expanded],
        "simulated": format_moves(step.simulated, geometry),
        # The trace has it for the player of the last selected move.
        "result": step.result if len(step.path) % 2 else -step.result,
        "from_model": step.is_evaluated,
        "proven": list(step.proofs),
        "text": step_line(step, position).strip(),
    }
