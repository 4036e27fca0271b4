"""Positions that need no search, and the small proven tree that shows it."""

from __future__ import annotations

from claimeven.game import Position
from claimeven.montecarlo.layout import PROVEN_LOSS, PROVEN_WIN
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.playouts.textbook import blocking_columns, safe_columns, winning_columns
from claimeven.montecarlo.tree.engine import NodesView
from claimeven.montecarlo.tree.textbook import TreeNode


def immediate_tree(position: Position, options: MonteCarloOptions) -> TreeNode | None:
    """Return the tree of a position that the options decide without a search, else None.

    With `decisive_moves` an immediate win is a proven win. With `decisive_moves=tree`, if every
    column loses immediately, all are proven losses, with the opponent's winning replies below them.
    Its nodes have no visits.
    """
    if options.decisive_moves == "off":
        return None
    wins = winning_columns(position)
    if not wins and (options.decisive_moves != "tree" or safe_columns(position)):
        return None
    root = TreeNode(position, proof=PROVEN_LOSS if wins else PROVEN_WIN, distance=1 if wins else 2)
    root.children = [TreeNode(position.play(column), column) for column in position.legal_columns]
    for child in root.children:
        if wins and child.column in wins:
            child.proof = PROVEN_WIN
        elif not wins:
            child.proof, child.distance = PROVEN_LOSS, 1
            child.children = [
                TreeNode(child.position.play(reply), reply, proof=PROVEN_WIN)
                for reply in winning_columns(child.position)
            ]
    return root


def immediate_moves(position: Position) -> list[int]:
    """Return the next moves that need no search: immediate wins, blocks in lost positions."""
    columns: list[int] = []
    while not position.is_over:
        candidates = winning_columns(position)
        if not candidates and not safe_columns(position):
            candidates = blocking_columns(position) or position.legal_columns
        if not candidates:
            break
        columns.append(candidates[0])
        position = position.play(candidates[0])
    return columns


class ImmediateTree(NodesView):
    """A tree from `immediate_tree` for inspection."""

    depth = 0
    full = False

    def __init__(self, tree: TreeNode) -> None:
        self.tree = tree

    @property
    def used(self) -> int:
        return 1 + len(self.tree.children or ())

    def expansion_counts(self) -> tuple[int, int]:
        return 0, 0

    def root(self) -> TreeNode:
        return self.tree
