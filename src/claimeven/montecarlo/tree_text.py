"""A tree that is looked into, written down: as a table, as lines for its columns, as JSON."""

from __future__ import annotations

import math
from typing import Any, Final

from claimeven.game import Position, column_name
from claimeven.montecarlo.inspection import PROOF_NAMES, Branch


def tree_json(branch: Branch, position: Position) -> dict[str, Any]:
    """A tree as plain data for JSON: null where a number is not defined.

    Keys: `move` (as in move strings; null at the root), `visits`, `total`, `mean`, `bonus`,
    `selection`, `share`, `proof` (win, loss, draw or null), `distance`, `left_out`, `children`,
    and of a search with priors `prior`, each as in `Branch`.
    """
    with_priors = _has_priors(branch)

    def data(node: Branch, root: bool) -> dict[str, Any]:
        return {
            "move": None if root else column_name(node.column, position.geometry),
            "visits": node.visits,
            "total": node.total,
            "mean": _number(node.mean),
            "bonus": None if node.bonus is None else _number(node.bonus),
            "selection": None if node.selection is None else _number(node.selection),
            "share": node.share,
            "proof": PROOF_NAMES[node.proof],
            "distance": node.distance if node.proof else None,
            "left_out": node.left_out,
            **({"prior": node.prior} if with_priors else {}),
            "children": [data(child, False) for child in node.children],
        }

    return data(branch, True)


#: What stands above a tree in text.
LEGEND: Final = (
    "N visits, T sum of their results, Q = T / N, E = Q + bonus; a dot: none yet.",
    "T, Q and proofs: as the player sees them who makes the move, at the root the",
    "player to move; win in 3: proven, three moves with this one.",
)


#: The same of a search with priors.
_LEGEND_WITH_PRIORS: Final = (
    "P what the model thinks of the move; N visits, T sum of their values, Q = T / N,",
    "E = Q + bonus, what selection goes by; a dot: none yet.",
    *LEGEND[1:],
)


def legend(branch: Branch) -> tuple[str, ...]:
    """What stands above a tree in text."""
    return _LEGEND_WITH_PRIORS if _has_priors(branch) else LEGEND


def tree_text(branch: Branch, position: Position) -> str:
    """A tree as a table under a legend: N visits, T total, Q mean and E = Q + bonus of each, and
    with a model P, the prior.
    """
    return "\n".join([*legend(branch), *tree_lines(branch, position)])


def tree_lines(branch: Branch, position: Position) -> list[str]:
    """The lines of `tree_text` without its legend."""
    rows: list[tuple[str, ...]] = [("move", "P", "N", "T", "E", "Q", "")]

    def write(node: Branch, depth: int, name: str) -> None:
        rows.append(
            (
                "    " * depth + name,
                "" if node.prior is None else f"{node.prior:.3f}",
                str(node.visits),
                f"{node.total:.1f}",
                "" if node.selection is None else _text(node.selection),
                _text(node.mean),
                _ending(node),
            )
        )
        for child in node.children:
            write(child, depth + 1, column_name(child.column, position.geometry))
        if node.left_out:
            rows.append(("    " * (depth + 1) + f"({node.left_out} more)", *[""] * 6))

    write(branch, 0, "root")
    for place in (1, 4):
        if not any(row[place] for row in rows[1:]):
            rows = [(*row[:place], "", *row[place + 1 :]) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    lines = []
    for name, *numbers, ending in rows:
        cells = [
            f"{number:>{width}}" for number, width in zip(numbers, widths[1:], strict=True) if width
        ]
        lines.append("  ".join([f"{name:<{widths[0]}}", *cells, ending]).rstrip())
    return lines


def _ending(node: Branch) -> str:
    """Write the proof of a node, nothing where it has none."""
    proof = PROOF_NAMES[node.proof]
    return f"{proof} in {node.distance}" if proof else ""


def columns_text(branch: Branch, position: Position) -> str:
    """A line for each child of a root: mean, visits, share and proof; dots where not visited."""
    rows = []
    for child in branch.children:
        ending = _ending(child)
        mean = f"{child.mean:+.3f}" if child.visits else "."
        rows.append(
            f"{column_name(child.column, position.geometry)}  {mean:>7}  {child.visits:>9}"
            f"  {child.share:6.1%}{f'  {ending}' if ending else ''}"
        )
    return "\n".join(["column  mean     visits   share", *rows]) if rows else ""


def _has_priors(branch: Branch) -> bool:
    """Whether a tree is that of a search with priors."""
    return branch.prior is not None or any(_has_priors(child) for child in branch.children)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _text(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "."
