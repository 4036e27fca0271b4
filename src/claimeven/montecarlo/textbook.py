"""The common parts of the textbook searches: the loop of iterations, their steps, and proofs.

`tree.textbook`, `graph.textbook` and `flat.textbook` contain the searches, `playouts.textbook` the
playouts. `kernel` is the compiled twin of this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from claimeven.compiled.splitmix64 import Stream
from claimeven.game import Position
from claimeven.montecarlo.layout import (
    PROOF_RESULTS,
    PROVEN_DRAW,
    PROVEN_LOSS,
    PROVEN_WIN,
    UNPROVEN,
)
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.playouts.textbook import Replies, play_out, safe_columns, winning_columns


@dataclass(frozen=True)
class Step:
    """The phases of one iteration.

    `path` holds the columns selected from the root down, `expanded` the columns of a leaf's new
    children, and `simulated` the moves of the playout, which a proven leaf does not have. `result`
    is backed up from the leaf: +1, 0, -1 or the value of a model or of the leaf, from the view of
    the player that moved there. `proofs` holds the depths along `path` (0: the root) that it
    proved. With `is_evaluated` a model replaced the playout; with `is_catch_up` a leaf that other
    paths had visited needed no playout.
    """

    iteration: int
    path: tuple[int, ...]
    expanded: tuple[int, ...]
    simulated: tuple[int, ...]
    result: float
    proofs: tuple[int, ...]
    is_evaluated: bool = False
    is_catch_up: bool = False


class HasProof(Protocol):
    """A position, its proof for the player that moved there, and the moves to the proven end."""

    position: Position
    proof: int
    distance: int


class StepSearch:
    """A search that makes iterations one by one: the loop over them."""

    depth: int
    full: bool
    root: Any

    @property
    def used(self) -> int:
        """Number of stored nodes."""
        raise NotImplementedError

    @property
    def is_done(self) -> bool:
        """Whether the search is complete, or a root has `MAX_VISITS`."""
        raise NotImplementedError

    def run(self, iterations: int) -> int:
        """Make iterations and return their number: fewer if the search is complete before."""
        return sum(1 for _ in self.steps(iterations))

    def steps(self, iterations: int) -> Iterator[Step]:
        """Make iterations and yield the step of each; fewer if the search is complete before."""
        for _ in range(iterations):
            if self.is_done:
                return
            yield self.step()

    def step(self) -> Step:
        raise NotImplementedError


@dataclass
class TextbookSearch(StepSearch):
    """A search from a position that is not finished, with the randomness of a seed."""

    position: Position
    options: MonteCarloOptions
    seed: int
    iterations: int = 0
    depth: int = 0
    full: bool = False
    root: Any = field(init=False)
    stream: Stream = field(init=False)
    replies: Replies = field(default_factory=Replies)

    def __post_init__(self) -> None:
        self.stream = Stream(self.seed)

    def simulate(self, leaf: HasProof) -> tuple[int, list[int]]:
        """Return the result of a leaf for the player that moved there, and its playout."""
        if leaf.proof != UNPROVEN:
            return PROOF_RESULTS[leaf.proof], []
        options = self.options
        result, moves = play_out(
            leaf.position, options.playout, self.stream, options.playout_cutoff, self.replies
        )
        return -result, moves


def candidate_columns(position: Position, options: MonteCarloOptions) -> tuple[int, ...]:
    """Columns of the children of a node: with `decisive_moves=tree` only the safe ones."""
    return safe_columns(position) if options.decisive_moves == "tree" else position.legal_columns


def shuffle(things: list[Any], stream: Stream) -> None:
    """Put a list in random order, from its end."""
    for last in range(len(things) - 1, 0, -1):
        other = stream.below(last + 1)
        things[last], things[other] = things[other], things[last]


def prove_new(node: HasProof, is_decisive: bool) -> None:
    """Prove a new node if its position is over or, if `is_decisive`, decided by threats."""
    outcome = node.position.outcome
    if outcome is not None:
        node.proof = PROVEN_DRAW if outcome.winner is None else PROVEN_WIN
    elif is_decisive:
        if winning_columns(node.position):
            node.proof, node.distance = PROVEN_LOSS, 1
        elif not safe_columns(node.position):
            node.proof, node.distance = PROVEN_WIN, 2


def prove(node: HasProof, child: HasProof, children: Sequence[HasProof | None]) -> bool:
    """Prove a node from its newly proven child if possible; return whether it is proven.

    A node with a won child is lost. A node is won if all its children are lost, and drawn if the
    best of them is drawn. None is a child without visits.
    """
    if child.proof == PROVEN_WIN:
        node.proof, node.distance = PROVEN_LOSS, child.distance + 1
        return True
    proven = [other for other in children if other is not None and other.proof != UNPROVEN]
    if len(proven) < len(children):
        return False
    draws = [other for other in proven if other.proof == PROVEN_DRAW]
    node.proof = PROVEN_DRAW if draws else PROVEN_WIN
    node.distance = 1 + max(other.distance for other in draws or proven)
    return True
