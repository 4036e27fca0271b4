"""A tree as an SVG drawing: the root on top, wider edges where more iterations went."""

from __future__ import annotations

import math
from typing import Final

from claimeven.game import Position, column_name
from claimeven.game.tree_svg import DrawnNode, draw_tree, edge_width
from claimeven.markup import Svg
from claimeven.montecarlo.inspection import PROOF_NAMES, Branch
from claimeven.montecarlo.layout import PROOF_RESULTS

_WORTHS: Final = ((-1.0, "lost"), (0.0, "even"), (1.0, "won, for the player who makes the move"))
_LEGEND: Final = (
    "in a circle: the column played; below it: N, its visits",
    "width of an edge: share of the visits; thick border: proven",
    "root: the position, as the player to move sees it",
)


def tree_svg(branch: Branch, position: Position) -> Svg:
    """Draw a tree (see `Forest.branch`, whose `limit` keeps it readable) as an SVG document.

    A circle holds the column of a move and its visits stand below it; its colour goes from red
    (bad for the player who makes the move, at the root for the player to move) to blue (good); a
    proven node has a thick border. The width of an edge grows with the share of its parent's
    visits. A legend says so. Titles, shown by browsers on hovering, give all numbers.
    """

    def drawn(node: Branch, name: str) -> DrawnNode:
        return DrawnNode(
            name,
            _short(node.visits),
            _title(node),
            float(PROOF_RESULTS[node.proof]) if node.proof else node.plain_mean,
            edge_width(node.share),
            heavy=bool(node.proof),
            children=tuple(
                drawn(child, column_name(child.column, position.geometry))
                for child in node.children
            ),
        )

    return draw_tree(drawn(branch, "root"), _WORTHS, _LEGEND)


def _title(node: Branch) -> str:
    told = "" if node.prior is None else f"P {node.prior:.3f}, "
    told += f"N {node.visits}, T {node.total:.1f}"
    if node.visits:
        told += f", Q {node.mean:.3f}"
    if node.selection is not None and math.isfinite(node.selection):
        told += f", E {node.selection:.3f}"
    if node.proof:
        told += f", {PROOF_NAMES[node.proof]} in {node.distance}"
    if node.left_out:
        told += f", {node.left_out} moves not drawn"
    return told


def _short(visits: int) -> str:
    """Visits in few characters: 12345 -> 12k."""
    if visits < 10_000:
        return str(visits)
    return f"{visits // 1000}k" if visits < 10_000_000 else f"{visits // 1_000_000}M"
