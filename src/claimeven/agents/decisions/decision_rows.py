"""What a decision tells of each column, as rows of short texts."""

from __future__ import annotations

from claimeven.agents.base import Decision

#: Characters of a number; longer ones are rounded.
MOST_CELL = 8


def decision_rows(decision: Decision) -> list[tuple[str, list[str]]]:
    """Return the rows that a decision has, each with its name and a text a column.

    The first is named by what the values are (`eval`, `mean`, `score` ...), then come `visits`,
    `prior`, what a model thought before any search, and `share`, the policy.
    """
    details = decision.details
    rows: list[tuple[str, list[str]]] = []
    if details.get("value_words"):
        rows.append((str(details.get("values_are", "value")), list(details["value_words"])))
    elif details.get("values") is not None:
        cells = [_cell(amount) for amount in details["values"]]
        rows.append((str(details.get("values_are", "value")), cells))
    if details.get("visits") is not None:
        rows.append(("visits", [_cell(amount) for amount in details["visits"]]))
    if details.get("priors") is not None:
        rows.append(("prior", [f"{share:.1%}" for share in details["priors"]]))
    if decision.policy is not None and ("visits" in details or "values" not in details):
        rows.append(("share", [f"{share:.1%}" for share in decision.policy]))
    return rows


def decision_facts(decision: Decision) -> list[str]:
    """Return in a few words what a decision is worth and what it cost."""
    facts = []
    if decision.score is not None:
        facts.append(f"score {decision.score}")
    if decision.value is not None:
        facts.append(f"value {decision.value:+.3f}")
    if decision.depth is not None:
        facts.append(f"{decision.depth:,} {'ply' if decision.depth == 1 else 'plies'} deep")
    if decision.nodes is not None:
        facts.append(f"{decision.nodes:,} nodes")
    if decision.iterations is not None:
        facts.append(f"{decision.iterations:,} iterations")
    return [*facts, f"{decision.seconds:.4f} s"]


def _cell(amount: float | None) -> str:
    if amount is None:
        return "."
    if isinstance(amount, float) and not amount.is_integer():
        return f"{amount:.3f}"
    text = f"{int(amount)}"
    return text if len(text) <= MOST_CELL else f"{amount:.2g}"
