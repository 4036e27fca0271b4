"""Decisions as text, for `play --thinking` and `think`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from claimeven.agents import Agent, Decision
from claimeven.agents.base import AgentFault, decision_facts, decision_rows
from claimeven.arena.games.safe_call import checked_trace, checked_tree
from claimeven.cli.common.output import WIDTH, wrap
from claimeven.game.notation import column_name, format_moves
from claimeven.game.position import Position

LEVELS = ("mute", "low", "high")
#: Default plies and nodes of a printed search tree.
TREE_DEPTH, TREE_NODES = 2, 60
#: Maximum number of lines of a trace in a game.
MAX_TRACE_LINES = 400

#: Counters of a decision with their texts, in the order of output.
_COUNTERS = (
    ("evaluations", "positions evaluated"),
    ("cutoffs", "cut-offs"),
    ("table_hits", "found in the table"),
    ("stored", "nodes stored"),
)
#: Meanings of the numbers of a row, for the player to move.
_LEGENDS = {
    "eval": "eval: heuristic value; W3 wins in 3 plies, L4 loses in 4, <= is an upper bound",
    "score": "score: exact; 0 is a draw, above 0 a win, the higher the sooner",
    "mean": "mean: mean result of the iterations through a column; win, draw, loss are proven",
    "run": "run: longest line of own discs through the new disc",
    "visits": "visits: iterations that went through a column",
    "guess": "guess: the exact score of a column as estimated by the net",
    "prior": "prior: rating of a column by the model, before any search",
    "share": "share: probability that the column is played, or its share of the visits",
}
_LABEL = 7


def decision_lines(decision: Decision, position: Position, width: int = WIDTH) -> Iterator[str]:
    """Yield column values, choice and counters in lines of at most `width` characters."""
    details, geometry = decision.details, position.geometry
    yield from _column_table(decision, position, width)
    texts = [choice_line(decision, position)]
    counters = [f"{details[key]:,} {word}" for key, word in _COUNTERS if details.get(key)]
    if details.get("branching") is not None:
        counters.append(f"{details['branching']:.2f} columns tried in a position on average")
    if counters:
        texts.append(", ".join(counters))
    if details.get("full") is True:
        texts.append(f"the tree is full ({details['stored']:,} nodes)")
    if details.get("line"):
        texts.append(f"principal variation {format_moves(details['line'], geometry)}")
    for text in texts:
        yield from wrap(text, width, subsequent_indent="  ")


def legend_lines(decision: Decision, width: int = WIDTH) -> Iterator[str]:
    names = [name for name, _ in decision_rows(decision)]
    texts = [_LEGENDS[name] for name in names if name in _LEGENDS]
    if decision.value is not None:
        texts.append("value: from -1 (lost) to +1 (won), for the player to move")
    for text in texts:
        yield from wrap(text, width, subsequent_indent="  ")


def _column_table(decision: Decision, position: Position, width: int) -> Iterator[str]:
    """Yield the table of the columns, in parts that fit the width."""
    geometry = position.geometry
    values = decision_rows(decision)
    if not values:
        return
    rows = [("column", [column_name(c, geometry) for c in range(geometry.columns)]), *values]
    cell_width = 1 + max(len(cell) for _, cells in rows for cell in cells)
    size = max(1, (width - _LABEL) // cell_width)
    for start in range(0, geometry.columns, size):
        for word, cells in rows:
            part = cells[start : start + size]
            yield f"{word:<{_LABEL}}" + "".join(f"{cell:>{cell_width}}" for cell in part)


def choice_line(decision: Decision, position: Position) -> str:
    """Return the chosen column, its value and its cost as text."""
    name = column_name(decision.column, position.geometry)
    return f"plays column {name}: " + ", ".join(decision_facts(decision))


@contextmanager
def naming_agent(agent: Agent) -> Iterator[None]:
    """Add the name of an agent to its faults."""
    try:
        yield
    except AgentFault as fault:
        raise AgentFault(f"{agent.name} {fault}") from fault


def trace_lines(
    agent: Agent, position: Position, limit: Any, rng: Any, max_lines: int = MAX_TRACE_LINES
) -> Iterator[str]:
    """Return the steps of the next decision, at most `max_lines` (0: all), and its fault.

    Call it before the decision, with the current state of the generator; read it afterwards.
    """
    more = f"... the trace continues; the first {max_lines} lines are shown"

    def shown() -> Iterator[str]:
        try:
            for number, line in enumerate(lines):
                yield more if max_lines and number == max_lines else line
        except AgentFault as fault:
            yield f"... the trace ends: it {fault}"

    try:
        most = max_lines + 1 if max_lines else sys.maxsize
        lines = checked_trace(agent, position, limit, rng, most)
    except AgentFault as fault:
        return iter((f"... the trace ends: it {fault}",))
    return shown()


def tree_lines(agent: Agent, depth: int, nodes: int) -> Iterator[str]:
    """Yield the tree of the last decision, or its fault."""
    try:
        view = checked_tree(agent, depth, nodes)
        yield from () if view is None else view.text.rstrip("\n").splitlines()
    except AgentFault as fault:
        yield f"... no tree: it {fault}"
