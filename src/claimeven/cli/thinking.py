"""A decision in words: what `play --thinking` and `think` print."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from claimeven.agents import Agent, Decision
from claimeven.agents.contract import AgentFault
from claimeven.agents.files import describe
from claimeven.cli.streams import WIDTH
from claimeven.game.notation import column_name, format_moves
from claimeven.game.position import Position

LEVELS = ("mute", "low", "high")
#: Plies and nodes of a search tree shown where nothing else is asked for.
TREE_DEPTH, TREE_NODES = 2, 60
#: Lines of a trace shown in a game before the rest is left out.
TRACE_LINES = 400

#: Counters of a decision in the order they are told, with their words.
_COUNTERS = (
    ("evaluations", "evaluations"),
    ("cutoffs", "cut-offs"),
    ("table_hits", "found in table"),
    ("stored", "nodes stored"),
    ("tree_nodes", "nodes in tree"),
    ("proven", "proven"),
)
_CELL, _LABEL = 8, 7


def decision_lines(decision: Decision, position: Position) -> Iterator[str]:
    """Yield the column values, the choice and the counters of a decision."""
    details, geometry = decision.details, position.geometry
    names = [column_name(c, geometry) for c in range(geometry.columns)]
    rows: list[tuple[str, list[str]]] = [("column", names)]
    values_are = str(details.get("values_are", "value"))
    for key, word in (("values", values_are), ("visits", "visits")):
        if key == "values" and details.get("value_words"):
            rows.append((word, list(details["value_words"])))
        elif details.get(key) is not None:
            rows.append((word, [_cell(amount) for amount in details[key]]))
    if decision.policy is not None and ("visits" in details or "values" not in details):
        rows.append(("share", [f"{share:.1%}" for share in decision.policy]))
    if len(rows) > 1:
        width = min(_CELL + 2, 1 + max(len(cell) for _, cells in rows for cell in cells))
        most = max(1, (WIDTH - _LABEL) // width)
        for start in range(0, geometry.columns, most):
            for word, cells in rows:
                part = cells[start : start + most]
                yield f"{word:<{_LABEL}}" + "".join(f"{cell:>{width}}" for cell in part)
    yield choice_line(decision, position)
    counters = [f"{word} {details[key]:,}" for key, word in _COUNTERS if _is_count(details, key)]
    if details.get("branching") is not None:
        counters.append(f"branching {details['branching']:.2f}")
    if counters:
        yield ", ".join(counters)
    if details.get("full") is True:
        yield f"the tree is full ({details['stored']:,} nodes)"
    if details.get("line"):
        yield f"line {format_moves(details['line'], geometry)}"


def choice_line(decision: Decision, position: Position) -> str:
    """Say the column chosen, what it is worth and what that cost."""
    parts = [f"plays {column_name(decision.column, position.geometry)}"]
    if decision.score is not None:
        parts.append(f"score {decision.score}")
    if decision.value is not None:
        parts.append(f"value {decision.value:+.3f}")
    if decision.depth is not None:
        parts.append(f"depth {decision.depth}")
    if decision.nodes is not None:
        word = "iterations" if "iterations" in decision.details else "nodes"
        parts.append(f"{word} {decision.nodes:,}")
    return ", ".join([*parts, f"{decision.seconds:.4f} s"])


@contextmanager
def blaming(agent: Agent) -> Iterator[None]:
    """Let a fault say whose it is."""
    try:
        yield
    except AgentFault as fault:
        raise AgentFault(f"{agent.name} {fault}") from fault


def trace_lines(
    agent: Agent, position: Position, limit: Any, rng: Any, most: int = TRACE_LINES
) -> Iterator[str]:
    """Yield the steps of a decision, `most` lines of them (0: all), and how it failed if so."""
    try:
        trace = iter(agent.trace(position, limit, rng))
        yield from islice(trace, most or None)
        if next(trace, None) is not None:
            yield f"... the trace goes on; the first {most} lines are shown"
    except Exception as error:
        yield f"... the trace ends: {describe(error)}"


def _is_count(details: Any, key: str) -> bool:
    return isinstance(details.get(key), int) and not isinstance(details.get(key), bool)


def _cell(amount: float | None) -> str:
    if amount is None:
        return "."
    if isinstance(amount, float) and not amount.is_integer():
        return f"{amount:.3f}"
    text = f"{int(amount)}"
    return text if len(text) <= _CELL else f"{amount:.2g}"
