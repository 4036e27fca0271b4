"""A decision as notebooks show it."""

from __future__ import annotations

from claimeven import markup
from claimeven.agents.base import Decision
from claimeven.agents.decisions.decision_rows import decision_facts, decision_rows
from claimeven.game.geometry import MAX_SIDE
from claimeven.game.notation import column_names


def decision_html(decision: Decision) -> str:
    """Return the choice, what it is worth and cost, and what is told of each column."""
    rows = _rows(decision)
    line = _line(decision)
    chosen = decision.column if 0 <= decision.column < MAX_SIDE else -1
    columns = max([chosen + 1, *(len(cells) for _, cells in rows), *(c + 1 for c in line), 1])
    names = column_names(columns)
    column = names[chosen] if chosen >= 0 else f"{decision.column} (counted from 0), of no board"
    facts = ", ".join(decision_facts(decision))
    parts = [markup.line(markup.strong(f"Column {column}"), f": {facts}")]
    if rows:
        told = [[name, *_with_bars(decision, name, cells)] for name, cells in rows]
        parts.append(markup.table(["column", *names], told))
    if line:
        played = "".join(names[column] for column in line)
        parts.append(markup.line(f"Principal variation: {played}"))
    return markup.below(*parts)


def _rows(decision: Decision) -> list[tuple[str, list[str]]]:
    """Return what is told of each column; nothing where the details are not as they should be."""
    try:
        rows = [(name, [*map(str, cells)]) for name, cells in decision_rows(decision)]
        return rows if all(len(cells) <= MAX_SIDE for _, cells in rows) else []
    except (TypeError, ValueError):
        return []


def _line(decision: Decision) -> list[int]:
    """Return the principal variation, if there is one."""
    line = decision.details.get("line")
    if not isinstance(line, (list, tuple)):
        return []
    return [*line] if all(type(c) is int and 0 <= c < MAX_SIDE for c in line) else []


def _with_bars(decision: Decision, name: str, cells: list[str]) -> list[markup.Part]:
    if name != "share" or decision.policy is None or len(cells) != len(decision.policy):
        return list(cells)
    return [markup.bar(*each) for each in zip(cells, decision.policy, strict=True)]
