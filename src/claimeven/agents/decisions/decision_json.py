"""A decision as plain data for JSON, the same wherever one is told: columns count from 1 there."""

from __future__ import annotations

from typing import Any

from claimeven.agents.base import Decision, TreeView
from claimeven.game.notation import format_moves
from claimeven.game.position import Position


def decision_json(
    decision: Decision, position: Position, view: TreeView | None = None
) -> dict[str, Any]:
    """Return what an agent decided in a position, with the tree behind it where there is one.

    Keys: `column` (from 1), `value`, `policy`, `score`, `depth`, `nodes`, `visits`, `iterations`,
    `seconds`, `line` (the principal variation as a move string), `tree`, `details`; None where
    the agent does not tell.

    >>> decision_json(Decision(3, details={"line": [3, 3]}), Position())["line"]
    '44'
    """
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
        "iterations": decision.iterations,
        "seconds": decision.seconds,
        "line": None if line is None else format_moves(line, position.geometry),
        "tree": None if view is None else dict(view.data),
        "details": details,
    }
