"""Decisions for readers: as rows of short texts, as plain data for JSON, and for notebooks."""

from __future__ import annotations

from typing import Any

from claimeven import markup
from claimeven.agents.base import Decision, TreeView
from claimeven.game.geometry import MAX_SIDE
from claimeven.game.notation import column_names, format_moves
from claimeven.game.position import Position


def decision_rows(decision: Decision) -> list[tuple[str, list[str]]]:
    """Return the rows of a decision, each with its name and a text a column.

    The first is named by the kind of its values (`eval`, `mean`, `score` ...). Then follow
    `visits`, `prior` (the model's policy before search) and `share` (the policy).
    """
    details = decision.details
    rows: list[tuple[str, list[str]]] = []
    name = str(details.get("values_are", "value"))
    if details.get("value_words"):
        rows.append((name, list(details["value_words"])))
    elif details.get("values") is not None:
        rows.append((name, [_cell(amount) for amount in details["values"]]))
    if details.get("visits") is not None:
        rows.append(("visits", [_cell(amount) for amount in details["visits"]]))
    if details.get("priors") is not None:
        rows.append(("prior", [f"{share:.1%}" for share in details["priors"]]))
    if decision.policy is not None and ("visits" in details or "values" not in details):
        rows.append(("share", [f"{share:.1%}" for share in decision.policy]))
    return rows


def _cell(amount: float | None) -> str:
    if amount is None:
        return "."
    if isinstance(amount, float) and not amount.is_integer():
        return f"{amount:.3f}"
    text = f"{int(amount)}"
    return text if len(text) <= 8 else f"{amount:.2g}"


def decision_facts(decision: Decision) -> list[str]:
    """Return the value of a decision and its cost as short texts."""
    facts = {
        "score {}": decision.score,
        "value {:+.3f}": decision.value,
        "{:,} ply deep" if decision.depth == 1 else "{:,} plies deep": decision.depth,
        "{:,} nodes": decision.nodes,
        "{:,} iterations": decision.iterations,
        "{:.4f} s": decision.seconds,
    }
    return [text.format(number) for text, number in facts.items() if number is not None]


def decision_json(
    decision: Decision, position: Position, view: TreeView | None = None
) -> dict[str, Any]:
    """Return a decision in a position, with the tree behind it if there is one.

    Keys: `column` (from 1), `value`, `policy`, `score`, `depth`, `nodes`, `visits`, `iterations`,
    `seconds`, `line` (a principal variation as a move string), `tree`, `details`; None if unknown.

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


def decision_html(decision: Decision) -> str:
    """Return the choice, its worth and cost, and the valid details as rows, for a notebook."""
    try:
        rows = [(name, [*map(str, cells)]) for name, cells in decision_rows(decision)]
    except (TypeError, ValueError):
        rows = []
    if any(len(cells) > MAX_SIDE for _, cells in rows):
        rows = []
    line = decision.details.get("line")
    if not isinstance(line, (list, tuple)) or not all(
        type(column) is int and 0 <= column < MAX_SIDE for column in line
    ):
        line = []
    chosen = decision.column if 0 <= decision.column < MAX_SIDE else -1
    widths = [len(cells) for _, cells in rows]
    names = column_names(max([1, chosen + 1, *widths, *(column + 1 for column in line)]))
    column = names[chosen] if chosen >= 0 else f"{decision.column} (counted from 0), of no board"
    facts = ", ".join(decision_facts(decision))
    parts = [markup.line(markup.strong(f"Column {column}"), f": {facts}")]
    if rows:
        table = [[name, *_with_bars(decision, name, cells)] for name, cells in rows]
        parts.append(markup.table(["column", *names], table))
    if line:
        parts.append(markup.line(f"Principal variation: {''.join(names[c] for c in line)}"))
    return markup.below(*parts)


def _with_bars(decision: Decision, name: str, cells: list[str]) -> list[markup.Part]:
    if name != "share" or decision.policy is None or len(cells) != len(decision.policy):
        return list(cells)
    return [markup.bar(*each) for each in zip(cells, decision.policy, strict=True)]
