"""What a minimax search found, as notebooks show it."""

from __future__ import annotations

from claimeven import markup
from claimeven.game.notation import column_names
from claimeven.minimax.inspection import value_text
from claimeven.minimax.types import MinimaxResult


def result_html(result: MinimaxResult) -> str:
    """Return the choice and its line, the value of each column and what was counted."""
    names = column_names(len(result.columns))
    counters = result.counters
    values = [
        "." if known is None else f"{'' if known.exact else '<='}{value_text(known.value)}"
        for known in result.columns
    ]
    line = "".join(names[column] for column in result.line)
    counted = (
        f"{counters.nodes:,} positions looked at, {counters.evaluations:,} evaluated,"
        f" {counters.cutoffs:,} cut-offs, depth {result.depth}"
    )
    return markup.below(
        markup.line(
            markup.strong(f"Column {names[result.column]}"),
            f": value {value_text(result.value)} for the side to move, best line {line}",
        ),
        markup.table(["column", *names], [["value", *values]]),
        markup.line(counted),
    )
