"""Monte Carlo tree search with the priors and values of a net (PUCT), and proven results.

A move is selected for the greatest Q + c * P * sqrt(N) / (1 + n): Q is the mean of the values of
its n visits, P its prior, N the visits of its parent. No game is played out: the net gives the
value of a leaf. Several leaves are evaluated together, since that takes little longer than one;
each is selected as if the leaves before it had been lost, so that they differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from claimeven.adapters.kaggle.template.board import Board
from claimeven.adapters.kaggle.template.kaggle_api import Clock

#: Moves after which a position is looked for in the tree of the decision before.
KEPT_MOVES = 4
#: Visits of the root for each leaf of a batch beyond the first: a young tree takes few.
VISITS_PER_LEAF = 64
#: Plies to the end of a win, at least, by a move that is not proven: sooner ones are seen at a
#: glance.
MIN_WIN_PLIES = 5

Judge = Callable[[list[tuple[int, int]]], tuple[Any, Any]]


@dataclass(eq=False, slots=True)
class PuctNode:
    """A move and the position after it.

    `total` and `proof` (1 a win, 0 a draw, -1 a loss, None unknown) are from the view of the player
    that made the move; `distance` is the number of moves to the end of the game behind a proof.
    `flight` counts iterations through it that wait for the net. `children` are ordered from the
    center outwards, None before the node is expanded.
    """

    mine: int
    mask: int
    column: int
    prior: float = 0.0
    visits: int = 0
    flight: int = 0
    distance: int = 0
    total: float = 0.0
    proof: int | None = None
    children: list[PuctNode] | None = None


@dataclass(eq=False)
class Puct:
    """A search on one board; `judge` returns the values and priors of positions.

    `c` is the constant of the bonus, `fpu` how much less than its parent an untried move is taken
    to be worth; `leaves` the most that are judged at a time. Priors are taken to the power of 1 /
    `prior_temperature`. With `solver` proven results are backed up. Of the priors at the root the
    part `noise` is drawn at random; with a `temperature` the move is, its chance going by its
    visits to the power of 1 / temperature. With `reuse` the tree stays from move to move.
    `iterations` and `seconds` limit a move, `capacity` the nodes; `seed` seeds the random numbers.
    """

    spends_bank = False

    board: Board
    judge: Judge
    c: float = 3.0
    fpu: float = 0.2
    prior_temperature: float = 1.0
    leaves: int = 8
    solver: bool = True
    noise: float = 0.0
    temperature: float = 0.0
    reuse: bool = True
    capacity: int = 4_000_000
    iterations: int | None = None
    seconds: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        self.prior_power: float = 1.0 / self.prior_temperature
        self.random = np.random.default_rng(self.seed)
        self.root = PuctNode(0, 0, -1)
        self.stored = 1

    def choose(self, mine: int, mask: int, clock: Clock) -> int:
        """Return the column to play; one batch is made however little time there is."""
        if self.seconds is not None:
            clock = Clock(min(clock.left, self.seconds))
        root = self.start(mine, mask)
        until = math.inf if self.iterations is None else root.visits + self.iterations
        if self.noise:
            if not root.visits:
                self.make_batch(1)
            self.add_noise()
        longest, left = 0.0, clock.left
        while self.make_batch(until):
            before, left = left, clock.left
            # The longest of the last batches; an odd one is forgotten slowly.
            longest = max(before - left, 0.9 * longest)
            if left < longest:
                break
        return self.best().column

    def start(self, mine: int, mask: int) -> PuctNode:
        """Make a position the root, and keep its part of the tree."""
        root = self.find(mine, mask) if self.reuse else None
        self.root = root or PuctNode(mine, mask, -1)
        if self.root.children is None:
            # Its children are needed here, and will prove it again.
            self.root.proof, self.root.distance = None, 0
        nodes = [self.root]
        for node in nodes:  # the list grows in the loop
            nodes += node.children or ()
        self.stored = len(nodes)
        return self.root

    def find(self, mine: int, mask: int) -> PuctNode | None:
        """Return the node of a position in the tree of the decision before, if it is there."""
        discs = mask.bit_count()
        if not 0 <= discs - self.root.mask.bit_count() <= KEPT_MOVES:
            return None
        waiting = [self.root]
        for node in waiting:  # the list grows in the loop
            if node.mask == mask and node.mine == mine:
                return node
            if not node.mask & ~mask and node.mask.bit_count() < discs:
                waiting += node.children or ()
        return None

    def make_batch(self, until: float) -> bool:
        """Make iterations, all but the net's part, then ask the net about their leaves; return
        whether there were any. The root gets no more than `until` visits.
        """
        root, before = self.root, self.root.visits
        waiting = []
        for _ in range(min(1 + root.visits // VISITS_PER_LEAF, self.leaves)):
            if root.visits + root.flight >= until or self.is_done():
                break
            path = self.select()
            leaf = path[-1]
            if leaf.proof is None:
                if leaf.flight:
                    break
                if leaf.children is None:
                    self.expand(leaf)
            if leaf.proof is not None:
                self.count_proven(path)
            else:
                waiting.append(path)
                for node in path:
                    node.flight += 1
        if waiting:
            values, priors = self.judge([(path[-1].mine, path[-1].mask) for path in waiting])
            for path, value, row in zip(waiting, values.tolist(), priors.tolist(), strict=True):
                self.count_judged(path, value, row)
        return root.visits > before

    def is_done(self) -> bool:
        """Whether, with `solver`, the root is proven, and no move that is not could win sooner."""
        root = self.root
        if not self.solver or root.proof is None:
            return False
        is_open = any(child.proof is None for child in root.children or ())
        return root.proof != -1 or root.distance <= MIN_WIN_PLIES or not is_open

    def select(self) -> list[PuctNode]:
        """Follow the greatest bound down to a node that is new, or proven; return the path."""
        node, path = self.root, [self.root]
        while node.visits and node.children:
            if self.solver and node.proof is not None and node is not self.root:
                break
            node = self.best_child(node)
            path.append(node)
        return path

    def best_child(self, node: PuctNode) -> PuctNode:
        """Return the child with the greatest bound, the first of equals. With `solver` proven
        losses are skipped, and all proven children if a win is proven. Iterations in flight count
        as lost.
        """
        children = node.children or []
        spread = self.c * math.sqrt(node.visits + node.flight)
        untried = max(-1.0, -node.total / node.visits - self.fpu)
        best, chosen = -math.inf, children[0]
        for child in children:
            is_proven = child.proof is not None and node.proof is not None
            if self.solver and (child.proof == -1 or is_proven):
                continue
            flight = child.flight
            tried = child.visits + flight
            value = (child.total - flight) / tried if tried else untried
            bound = value + spread * child.prior / (1 + tried)
            if bound > best:
                best, chosen = bound, child
        return chosen

    def expand(self, node: PuctNode) -> None:
        """Give a node a child for each column that is not full, with their immediate proofs,
        which may prove the node. A full tree stays as it is.
        """
        board, mask = self.board, node.mask
        playable = board.playable(mask)
        theirs = node.mine ^ mask
        if self.stored + playable.bit_count() > self.capacity:
            return
        wins = board.winning_cells(node.mine, mask)
        threats = board.winning_cells(theirs, mask)
        node.children = []
        for column in board.center_order:
            move = playable & board.column_masks[column]
            if move:
                child = PuctNode(theirs, mask | move, column)
                if move & wins:
                    child.proof = 1
                elif child.mask == board.all:
                    child.proof = 0
                elif self.solver:
                    self.glance(child, threats & ~move)
                node.children.append(child)
        self.stored += len(node.children)
        if self.solver:
            settle(node)

    def glance(self, child: PuctNode, wins: int) -> None:
        """Note whether the next move wins, at one of the cells `wins`, or all next moves lose."""
        if wins & self.board.playable(child.mask):
            child.proof, child.distance = -1, 1
        elif not self.board.safe_moves(child.mine, child.mask):
            child.proof, child.distance = 1, 2

    def count_proven(self, path: list[PuctNode]) -> None:
        """Count the result of a proven leaf in every node of the path, turned round from one to
        the next; with `solver` carry proofs up as far as they reach.
        """
        result, proven = path[-1].proof or 0, self.solver
        for node in reversed(path):
            if proven and node is not path[-1]:
                settle(node)
                proven = node.proof is not None
                result = result if node.proof is None else node.proof
            node.visits += 1
            node.total += result
            result = -result

    def count_judged(self, path: list[PuctNode], value: float, priors: list[float]) -> None:
        """Give the children of a leaf their priors, to the power asked for and summing to 1 over
        the children that are not known to lose. Count the leaf's value, for the side to move, in
        every node of the path.
        """
        live = [child for child in path[-1].children or () if child.proof != -1]
        given = [priors[child.column] ** self.prior_power for child in live]
        total = 0.0
        for prior in given:
            total += prior
        for child, prior in zip(live, given, strict=True):
            share = prior / total if total > 0.0 else 1.0 / len(live)
            child.prior = float(np.float32(share))
        for node in reversed(path):
            value = -value
            node.flight -= 1
            node.visits += 1
            node.total += value

    def add_noise(self) -> None:
        """Mix noise into the priors at the root."""
        root = self.root
        live = [child for child in root.children or () if child.proof != -1]
        if root.proof is None and live:
            noise = self.random.dirichlet([1.0] * len(live)).tolist()
            for child, drawn in zip(live, noise, strict=True):
                mixed = (1.0 - self.noise) * child.prior + self.noise * drawn
                child.prior = float(np.float32(mixed))

    def best(self) -> PuctNode:
        """Return the child to play: the most visited one, or one drawn by its visits; of equals
        the better one, one that blocks, the more likely one, the one nearest to the center.
        """
        board, root = self.board, self.root
        children = root.children or []
        shares = self.shares(children)
        if self.temperature:
            column = int(self.random.choice(board.columns, p=shares / shares.sum()))
            return next(child for child in children if child.column == column)
        blocks = board.winning_cells(root.mine ^ root.mask, root.mask) & board.playable(root.mask)

        def rank(child: PuctNode) -> tuple[float, bool, float]:
            mean = child.total / child.visits if child.visits else 0.0
            return mean, bool(blocks & board.column_masks[child.column]), child.prior

        return max((child for child in children if shares[child.column]), key=rank)

    def shares(self, children: list[PuctNode]) -> Any:
        """Return the probability of each column: with `solver` the nearest of proven wins, or the
        longest defense if all are lost; else the columns that are not lost, by their visits.
        """
        won = [child.distance for child in children if child.proof == 1]
        live = [child for child in children if child.proof != -1]
        shares = np.zeros(self.board.columns)
        if self.solver and (won or not live):
            proof = 1 if won else -1
            distance = min(won) if won else max(child.distance for child in children)
            for child in children:
                shares[child.column] = child.proof == proof and child.distance == distance
            return shares
        for worth in (lambda child: child.visits, lambda child: child.prior, lambda child: 1.0):
            for child in live:
                shares[child.column] = worth(child)
            if shares.any():
                break
        shares /= shares.max()
        return shares ** (1.0 / self.temperature) if self.temperature else shares == 1.0


def settle(node: PuctNode) -> None:
    """Prove a node by its children, if possible: lost if one is won, the nearest of them;
    else, if all are proven, drawn or won by the longest defense.
    """
    won = is_open = False
    drawn = lost = nearest = 0
    for child in node.children or ():
        proof, distance = child.proof, child.distance
        if proof == 1:
            nearest = min(nearest, distance) if won else distance
            won = True
        elif proof is None:
            is_open = True
        elif proof == 0:
            drawn = max(drawn, distance + 1)
        else:
            lost = max(lost, distance + 1)
    if won:
        node.proof, node.distance = -1, nearest + 1
    elif not is_open:
        node.proof, node.distance = (0, drawn) if drawn else (1, lost)
