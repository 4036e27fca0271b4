"""A decision as notebooks show it."""

from __future__ import annotations

from claimeven import markup
from claimeven.agents.contract import Decision
from claimeven.agents.decision_rows import decision_facts, decision_rows
from claimeven.game.notation import column_names


def decision_html(decision: Decision) -> str:
    """Return the choice, what it is worth and cost, and what is told of each column."""
    rows = decision_rows(decision)
    columns = max([decision.column + 1, *(len(cells) for _, cells in rows)])
    names = column_names(columns)
    facts = ", ".join(decision_facts(decision))
    parts = [markup.line(markup.strong(f"Column {names[decision.column]}"), f": {facts}")]
    if rows:
        told = [[name, *_with_bars(decision, name, cells)] for name, cells in rows]
        parts.append(markup.table(["column", *names], told))
    if line := decision.details.get("line"):
        played = "".join(column_names(columns)[column] for column in line)
        parts.append(markup.line(f"Principal variation: {played}"))
    return markup.below(*parts)


def _with_bars(decision: Decision, name: str, cells: list[str]) -> list[markup.Part]:
    if name != "share" or decision.policy is None:
        return list(cells)
    return [markup.bar(*each) for each in zip(cells, decision.policy, strict=True)]
