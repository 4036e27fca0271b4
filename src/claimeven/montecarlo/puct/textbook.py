"""Monte Carlo tree search with priors and values, phase by phase: the readable version.

Each iteration selects a leaf, expands it, asks the model for its value and the priors of its moves,
and backs the value up: AlphaZero's search (Silver et al. 2017), with a bonus after Rosin's PUCB
(2011). It makes no playouts. `kernel` is the compiled twin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from claimeven.game.errors import IllegalMove
from claimeven.game.position import Position
from claimeven.montecarlo.layout import (
    PROOF_RESULTS,
    PROVEN_DRAW,
    PROVEN_LOSS,
    PROVEN_WIN,
    REUSE_PLIES,
    UNPROVEN,
)
from claimeven.montecarlo.puct.options import DEFAULT, MIN_WIN_PLIES, PuctOptions
from claimeven.montecarlo.puct.policy_value import PolicyValue, evaluate_checked
from claimeven.montecarlo.textbook import Step, StepSearch, prove_new
from claimeven.montecarlo.tree.textbook import prune_below

#: The default capacity of a tree, in nodes.
DEFAULT_CAPACITY = 1_000_000


@dataclass(eq=False)
class PuctNode:
    """A move and the position after it; totals and proofs from the view of the mover.

    `prior` is the model's prior among the moves without a proven loss. `children` is None before
    the node is expanded, then ordered from the center outwards. `distance` is the number of moves
    to the proven end of the game.
    """

    position: Position
    column: int = 0
    prior: float = 0.0
    visits: int = 0
    total: float = 0.0
    proof: int = UNPROVEN
    distance: int = 0
    children: list[PuctNode] | None = None


@dataclass
class PuctTree(StepSearch):
    """A search from an unfinished position.

    >>> from claimeven.montecarlo.puct.policy_value import UniformPolicyValue
    >>> tree = PuctTree(Position.from_moves("112233"), UniformPolicyValue())
    >>> tree.run(50)  # ends when the root is proven and no move could win sooner
    1
    >>> [child.column for child in tree.root.children if child.proof == PROVEN_WIN]
    [3]
    """

    position: Position
    model: PolicyValue
    options: PuctOptions = DEFAULT
    capacity: int = DEFAULT_CAPACITY
    iterations: int = 0
    depth: int = 0
    full: bool = False
    used: int = 1
    root: PuctNode = field(init=False)

    def __post_init__(self) -> None:
        self.root = PuctNode(self.position)
        prove_new(self.root, False)

    @property
    def is_done(self) -> bool:
        """Whether the root is finished, or (with `solver`) proven without a sooner win."""
        root = self.root
        if root.proof == UNPROVEN or self.position.is_over or not self.options.solver:
            return self.position.is_over
        is_open = any(child.proof == UNPROVEN for child in root.children or ())
        return root.proof != PROVEN_LOSS or root.distance <= MIN_WIN_PLIES or not is_open

    def step(self) -> Step:
        """Make one iteration: select, expand, evaluate, back up."""
        path = self.select()
        leaf = path[-1]
        self.depth = max(self.depth, len(path) - 1)
        expanded: tuple[int, ...] = ()
        if leaf.proof == UNPROVEN and leaf.children is None:
            expanded = self.expand(leaf)
        is_evaluated = leaf.proof == UNPROVEN
        result = -self.evaluate(leaf) if is_evaluated else float(PROOF_RESULTS[leaf.proof])
        proofs = self.back_up(path, result)
        self.iterations += 1
        columns = tuple(node.column for node in path[1:])
        return Step(self.iterations, columns, expanded, (), result, proofs, is_evaluated)

    def select(self) -> list[PuctNode]:
        """Follow the greatest bound down to a new or proven node; return the path."""
        node, path = self.root, [self.root]
        while node.visits and node.children:
            if self.options.solver and node.proof != UNPROVEN and node is not self.root:
                break
            node = self.best_child(node)
            path.append(node)
        return path

    def best_child(self, node: PuctNode) -> PuctNode:
        """Return the child with the greatest bound, the first of equals. With the solver proven
        losses are skipped and, at a proven win, all proven children.
        """
        assert node.children
        spread = self.options.c * math.sqrt(node.visits)
        untried = max(-1.0, -node.total / node.visits - self.options.fpu)
        best, chosen = -math.inf, node.children[0]
        for child in node.children:
            is_proven = child.proof == PROVEN_LOSS or UNPROVEN not in (child.proof, node.proof)
            if self.options.solver and is_proven:
                continue
            value = child.total / child.visits if child.visits else untried
            bound = value + spread * child.prior / (1 + child.visits)
            if bound > best:
                best, chosen = bound, child
        return chosen

    def expand(self, node: PuctNode) -> tuple[int, ...]:
        """Give a node a child for each legal column, with proofs of immediate wins and losses,
        which can prove the node. Without room the node stays unchanged. Returns the columns.
        """
        position = node.position
        columns = tuple(c for c in position.geometry.center_order if c in position.legal_columns)
        if self.used + len(columns) > self.capacity:
            self.full = True
            return ()
        self.used += len(columns)
        node.children = [PuctNode(position.play(column), column) for column in columns]
        for child in node.children:
            prove_new(child, self.options.solver)
        if self.options.solver:
            prove_from_children(node)
        return columns

    def evaluate(self, leaf: PuctNode) -> float:
        """Return the model's value of a leaf for its side to move, and give its children priors.

        Priors are raised to a power and normalized over the children without a proven loss.
        """
        mine, mask = (
            np.array([w], dtype=np.uint64) for w in (leaf.position.mine, leaf.position.mask)
        )
        values, priors = evaluate_checked(self.model, mine, mask)
        live = [child for child in leaf.children or () if child.proof != PROVEN_LOSS]
        powers = [float(priors[0, child.column]) ** self.options.prior_power for child in live]
        total = 0.0
        for prior in powers:
            total += prior
        for child, prior in zip(live, powers, strict=True):
            share = prior / total if total > 0.0 else 1.0 / len(live)
            child.prior = float(np.float32(share))
        return float(values[0])

    def back_up(self, path: list[PuctNode], result: float) -> tuple[int, ...]:
        """Count the result along the path, back up proofs, and return the proven depths."""
        proven = self.options.solver and path[-1].proof != UNPROVEN
        proofs = [len(path) - 1] if proven else []
        for depth in range(len(path) - 1, -1, -1):
            node = path[depth]
            if proven and depth < len(path) - 1:
                was_open = node.proof == UNPROVEN
                prove_from_children(node)
                proven = node.proof != UNPROVEN
                if proven:
                    result = float(PROOF_RESULTS[node.proof])
                if proven and was_open:
                    proofs.append(depth)
            node.visits += 1
            node.total += result
            result = -result
        return tuple(proofs)

    def advance(self, column: int) -> None:
        """Make a move at the root: keep its subtree and drop the other nodes.

        Raises `IllegalMove` for an unplayable column and after the end of the game.
        """
        if self.position.is_over:
            raise IllegalMove("the game is over")
        below = [child for child in self.root.children or () if child.column == column]
        self._start_at(below[0] if below else PuctNode(self.position.play(column), column))

    def move_to(self, position: Position, keep: int | None = None) -> None:
        """Make a position the root, with its subtree if it is up to 4 moves below the last root.

        At most `keep` nodes next to the root stay (None: all).
        """
        self._start_at(self._find(position) or PuctNode(position), keep)

    def _find(self, position: Position) -> PuctNode | None:
        if not 0 <= position.ply - self.position.ply <= REUSE_PLIES:
            return None
        waiting = [self.root]
        for node in waiting:  # the list grows in the loop
            if node.position == position:
                return node
            if node.position.ply < position.ply:
                waiting += node.children or ()
        return None

    def _start_at(self, node: PuctNode, keep: int | None = None) -> None:
        self.position, self.root = node.position, node
        self.iterations, self.depth, self.full = 0, 0, False
        self.used = prune_below(node, keep)
        if node.children is None:
            # The root needs children, which will prove it again if it was proven without them.
            node.proof, node.distance = UNPROVEN, 0
            prove_new(node, False)

    def add_noise(self, rng: np.random.Generator, fraction: float, alpha: float) -> None:
        """Mix noise into the priors at the root, so that self-play explores other moves.

        A `fraction` of the priors is replaced by a draw from a symmetric Dirichlet distribution
        with the parameter `alpha`, over the children without a proven loss. An unvisited or proven
        root stays unchanged.
        """
        live = [child for child in self.root.children or () if child.proof != PROVEN_LOSS]
        if self.root.visits and self.root.proof == UNPROVEN and live:
            noise = rng.dirichlet([alpha] * len(live))
            for child, draws in zip(live, noise, strict=True):
                child.prior = float(np.float32((1.0 - fraction) * child.prior + fraction * draws))


def prove_from_children(node: PuctNode) -> None:
    """Prove a node by its children if possible: lost if one is won, by the nearest win; else, if
    all are proven, drawn or won against the longest defense.
    """
    children: Sequence[PuctNode] = node.children or ()
    won = [child.distance for child in children if child.proof == PROVEN_WIN]
    draws = [child.distance for child in children if child.proof == PROVEN_DRAW]
    if won:
        node.proof, node.distance = PROVEN_LOSS, min(won) + 1
    elif children and all(child.proof != UNPROVEN for child in children):
        node.proof = PROVEN_DRAW if draws else PROVEN_WIN
        node.distance = 1 + max(draws or [child.distance for child in children])
