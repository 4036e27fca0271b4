"""What a Monte Carlo search found, as notebooks show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimeven import markup
from claimeven.game.notation import column_names
from claimeven.montecarlo.drawing import tree_svg
from claimeven.montecarlo.inspection import PROOF_NAMES, Branch, Forest

if TYPE_CHECKING:
    from claimeven.montecarlo.search import MonteCarloResult

#: Moves and nodes of a tree that is shown.
_DEPTH, _NODES = 2, 40


def result_html(result: MonteCarloResult) -> str:
    """Return the choice, and mean, visits and proof of each column."""
    names = column_names(len(result.policy))
    rows = [
        [
            names[child.column],
            f"{child.mean:+.3f}" if child.visits else ".",
            f"{child.visits:,}",
            markup.bar(f"{child.share:.1%}", child.share),
            _ending(child),
        ]
        for child in result.root.children
    ]
    line = "".join(names[column] for column in result.line)
    return markup.below(
        markup.line(
            markup.strong(f"Column {names[result.column]}"),
            f": value {result.value:+.3f} for the side to move, likeliest line {line}",
        ),
        markup.table(["column", "mean", "visits", "share of visits", ""], rows),
        markup.line(
            f"{result.iterations:,} iterations in {result.seconds:.3f} s,"
            f" {result.stored:,} nodes stored, depth {result.depth}"
        ),
    )


def forest_html(forest: Forest) -> str:
    """Return the most visited part of the trees as a drawing."""
    return markup.drawing(tree_svg(forest.branch(_DEPTH, _NODES), forest.position))


def _ending(child: Branch) -> str:
    proof = PROOF_NAMES[child.proof]
    return f"{proof} in {child.distance}" if proof else ""
