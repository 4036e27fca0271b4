"""The final choice: from the children of a root to a column and a policy.

Positions that need no search have a small proven tree instead of a searched one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from claimeven.game import Position
from claimeven.montecarlo.inspection import Branch
from claimeven.montecarlo.layout import PROVEN_LOSS, PROVEN_WIN
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.playouts.textbook import blocking_columns, safe_columns, winning_columns
from claimeven.montecarlo.tree.engine import NodesView
from claimeven.montecarlo.tree.textbook import TreeNode


def choose(
    root: Branch, position: Position, options: MonteCarloOptions, rng: np.random.Generator
) -> Branch:
    """Return the child of a root to play, one with visits if possible.

    With the solver the nearest proven win comes first, and proven losses come last, the farthest
    first. Ties go to the better mean (or to more visits), then to a random child or, with
    `first_play=order`, to the leftmost.
    """
    children = [child for child in root.children if child.visits] or list(root.children)
    wins, others = list[Branch](), children
    if options.solver:
        wins = [child for child in children if child.proof == PROVEN_WIN]
        others = [child for child in children if child.proof != PROVEN_LOSS]

    def rank(child: Branch) -> tuple[float, ...]:
        if wins:
            return -child.distance, 0.0
        if not others:
            return child.distance, 0.0
        if options.final_choice == "visits":
            return child.visits, child.plain_mean
        if options.final_choice == "mean":
            # In flat search a column that ends the game is a single leaf with few visits.
            ends = options.method == "flat" and child.proof == PROVEN_WIN
            return child.final_mean, ends, child.visits
        # A child without visits has no mean.
        return (child.mean + (child.bonus or 0.0), child.visits) if child.visits else (0.0, 0.0)

    ranks = [(rank(child), child) for child in wins or others or children]
    best = max(order for order, _ in ranks)
    return _pick([child for order, child in ranks if order == best], options, rng)


def _pick(
    children: Sequence[Branch], options: MonteCarloOptions, rng: np.random.Generator
) -> Branch:
    """Return a random one of equal children, or with `first_play=order` the leftmost."""
    if len(children) == 1 or options.first_play == "order":
        return children[0]
    return children[int(rng.integers(len(children)))]


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


def choose_immediate(
    root: Branch, position: Position, options: MonteCarloOptions, rng: np.random.Generator
) -> Branch:
    """Return an immediate win or else a block if possible, with the ties of `choose`."""
    wins = [child for child in root.children if child.proof == PROVEN_WIN]
    blocks = blocking_columns(position)
    defenses = [child for child in root.children if child.column in blocks]
    return _pick(wins or defenses or root.children, options, rng)


def policy(root: Branch, chosen: Branch, columns: int) -> tuple[float, ...]:
    """Return the policy: shares of visits, 1 for a proven win, 0 for avoidable losses."""
    shares = [0.0] * columns
    live = [child for child in root.children if child.proof != PROVEN_LOSS]
    total = sum(child.visits for child in live)
    if chosen.proof == PROVEN_WIN or not total:
        shares[chosen.column] = 1.0
        return tuple(shares)
    for child in live:
        shares[child.column] = child.visits / total
    return tuple(shares)
