"""The steps of a search for those who want to watch it: the textbook's own trace, and its trees.

One rule for every number: values and windows are told as the side to move at the root sees them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from claimeven.agents.families.classic import DEFAULT_DEPTH, SearchAgent
from claimeven.agents.families.montecarlo import TRACE_ITERATIONS, MonteCarloAgent, step_line
from claimeven.agents.options import InvalidSpec
from claimeven.agents.registry import build
from claimeven.evaluation.registry import WINDOWS, Evaluation
from claimeven.evaluation.windows import WindowWeights
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.minimax.inspection import build_tree, tree_json, value_text
from claimeven.minimax.types import (
    EVALUATED,
    FROM_TABLE,
    Event,
    InvalidSearch,
    plies_to_end,
    report_events,
)
from claimeven.montecarlo.inspection import Forest
from claimeven.montecarlo.textbook import Step
from claimeven.montecarlo.tree_text import tree_json as forest_json

#: Positions that a search to be report_events may look at.
MAX_POSITIONS = 100_000
#: Iterations of a Monte Carlo search to be report_events.
MAX_ITERATIONS = 5_000
#: Nodes of all trees together that one answer holds.
MAX_NODES = 60_000


def minimax(
    tools: Any,
    position: Position,
    agent: str,
    depth: int | None,
    first: int,
    steps: int,
    tree_depth: int,
    tree_nodes: int,
) -> dict[str, Any]:
    """Return the steps `first`, `first` + 1, ... (from 0) of a minimax agent's search, at most
    `steps` of them, and its tree, `tree_depth` plies deep and of `tree_nodes` nodes at most.

    Raises `InvalidSpec` for an agent of another family, `InvalidSearch` for a search of over
    `MAX_POSITIONS` positions.
    """
    player = build(agent)
    if not isinstance(player, SearchAgent):
        raise InvalidSpec(
            f"{agent} is not a minimax search: choose minimax, alphabeta, negamax or their kind"
        )
    empty = position.geometry.cells - position.ply
    deepest = depth or player.own.depth or (empty if player.to_the_end else DEFAULT_DEPTH)
    window = _Window(position, first, steps)
    search = player.search
    root = build_tree(
        report_events(search.trace(position, deepest), window.see), tree_depth, tree_nodes
    )
    return {
        "agent": agent,
        "algorithm": search.algorithm,
        "evaluation": search.evaluation.name,
        "evaluation_about": _about(search.evaluation, position.geometry.connect),
        "depth": min(deepest, empty),
        "first": first,
        "total": window.seen,
        "steps": window.kept,
        "counters": window.counters,
        "tree": tree_json(root, position),
    }


def _about(evaluation: Evaluation, connect: int) -> str:
    """Say what the numbers of an evaluation count."""
    if evaluation.kernel != WINDOWS:
        return evaluation.summary
    weights = WindowWeights(*evaluation.weights)
    return (
        f"each {connect} cells in a line with discs of one side alone count {weights.two} with two"
        f" cells empty and {weights.three} with one, or {weights.their_two} and"
        f" {weights.their_three} if the other side holds them; discs in the middle column count"
        f" {weights.center}"
    )


class _Window:
    """Keeps some of the steps of a search that goes by, and counts all of them."""

    def __init__(self, position: Position, first: int, steps: int) -> None:
        self.geometry = position.geometry
        self.first, self.last = first, first + steps
        self.seen = 0
        self.kept: list[dict[str, Any]] = []
        self.counters = {"nodes": 0, "evaluations": 0, "cutoffs": 0, "table_hits": 0}

    def see(self, event: Event) -> None:
        """Count a step, and keep it if it is wanted."""
        counters, returns = self.counters, event.kind == "return"
        counters["nodes"] += event.kind == "enter"
        counters["cutoffs"] += event.kind == "cut"
        counters["evaluations"] += returns and event.reason == EVALUATED
        counters["table_hits"] += returns and event.reason == FROM_TABLE
        if counters["nodes"] > MAX_POSITIONS:
            raise InvalidSearch(
                f"this search looks at more than {MAX_POSITIONS:,} positions, too many to watch:"
                " choose a lower depth"
            )
        if self.first <= self.seen < self.last:
            self.kept.append(self._json(event))
        self.seen += 1

    def _json(self, event: Event) -> dict[str, Any]:
        turned = event.view == "mover" and len(event.columns) % 2 == 1
        alpha, beta = (-event.beta, -event.alpha) if turned else (event.alpha, event.beta)
        value = event.value
        if value is not None and turned:
            value = -value + 0
        return {
            "step": self.seen,
            "kind": event.kind,
            "moves": format_moves(event.columns, self.geometry),
            "depth": event.depth,
            "alpha": _finite(alpha),
            "beta": _finite(beta),
            "window": [value_text(alpha), value_text(beta)],
            "value": value,
            "words": None if value is None else value_text(value),
            "plies_to_end": None if value is None else plies_to_end(value),
            "reason": event.reason,
            "skipped": event.skipped,
            **self.counters,
        }


def montecarlo(
    tools: Any,
    position: Position,
    agent: str,
    iterations: int | None,
    seed: int,
    first: int,
    steps: int,
    trees: bool,
    tree_depth: int,
    tree_nodes: int,
) -> dict[str, Any]:
    """Return the iterations of a Monte Carlo agent's search, phase by phase, and its tree.

    `steps` iterations from `first` (counted from 1) on are told; `trees` adds the tree after
    each of them, the path of that iteration first. Raises `InvalidSpec` for an agent of another
    family, `InvalidSearch` for more than `MAX_ITERATIONS` iterations or trees of more than
    `MAX_NODES` nodes together.
    """
    player = build(agent)
    if not isinstance(player, MonteCarloAgent):
        raise InvalidSpec(
            f"{agent} is not a Monte Carlo search: choose uct, flat, breadth or their kind"
        )
    wanted = iterations or player.own.iterations or TRACE_ITERATIONS
    if wanted > MAX_ITERATIONS:
        raise InvalidSearch(
            f"{MAX_ITERATIONS:,} iterations can be report_events at most, not {wanted:,}"
        )
    told = max(0, min(steps, wanted + 1 - first))
    if trees and told * tree_nodes > MAX_NODES:
        raise InvalidSearch(
            f"the trees of {told:,} iterations of up to {tree_nodes:,} nodes are too much at once:"
            f" ask for {MAX_NODES // tree_nodes:,} iterations at most, or for smaller trees"
        )
    found, forest = player.search.follow(position, np.random.default_rng(seed), wanted)
    kept: list[dict[str, Any]] = []
    made = 0
    for made, step in enumerate(found, start=1):
        if first <= made < first + steps:
            kept.append(_step_json(step, position))
            if trees:
                kept[-1]["tree"] = _tree_json(forest, position, tree_depth, tree_nodes, step.path)
    return {
        "agent": agent,
        "seed": seed,
        "method": player.search.options.method,
        "c": player.search.options.c,
        "scale": player.search.options.scale,
        "first": first,
        "total": made,
        "steps": kept,
        "tree": _tree_json(forest, position, tree_depth, tree_nodes),
    }


def _step_json(step: Step, position: Position) -> dict[str, Any]:
    geometry = position.geometry
    return {
        "iteration": step.iteration,
        "selected": format_moves(step.path, geometry),
        "expanded": [column + 1 for column in step.expanded],
        "simulated": format_moves(step.simulated, geometry),
        # Told of the player who made the last move selected; here of the side to move at the root.
        "result": step.result if len(step.path) % 2 else -step.result,
        "judged": step.is_evaluated,
        "proven": list(step.proofs),
        "text": step_line(step, position).strip(),
    }


def _tree_json(
    forest: Forest, position: Position, depth: int, nodes: int, path: Sequence[int] = ()
) -> dict[str, Any]:
    return forest_json(forest.branch(depth, nodes, path), position)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
