"""What the driver of a search needs of a grown tree, whichever way it is stored and grown.

An engine is one of the interchangeable ways to grow a tree. It serves one search at a time: it is
given a root, makes iterations, and shows its tree through handles (whatever names a node inside
it). Engines are compiled or textbook; both show the same trees. `dispatch` says which one serves
which options; `engine` holds what they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from claimeven.game import Position
from claimeven.montecarlo.layout import UNPROVEN

Handle = Any


@dataclass(frozen=True)
class Facts:
    """What a node knows: its move, visits through that move, and the sum of their results (-1, 0,
    +1, or parts of them) and its proof, both as the player sees them who made the move; and what a
    model thinks of the move, where one is asked. `seen` are the visits of the position by all ways
    that lead there, where there are others.
    """

    column: int
    visits: int
    total: float
    proof: int = UNPROVEN
    distance: int = 0
    prior: float | None = None
    seen: int | None = None


class Viewed(Protocol):
    """A tree that can be looked into. `depth`: deepest iteration of this decision; `used`: stored
    nodes (of a graph: positions); `full`: whether there was no room for a node.
    """

    @property
    def depth(self) -> int: ...

    @property
    def used(self) -> int: ...

    @property
    def full(self) -> bool: ...

    def grown(self) -> tuple[int, int]:
        """Return how many nodes are expanded, and how many moves they have together.

        Of compiled trees the first nodes count (`engine.SAMPLE`), so that it takes no time.
        """

    def root(self) -> Handle:
        """Handle of the root."""

    def children(self, handle: Handle) -> Sequence[Handle]:
        """Handles of the children of a node, those of an unexpanded one: none."""

    def facts(self, handle: Handle) -> Facts:
        """What a node knows."""


class Engine(Viewed, Protocol):
    """A tree that grows."""

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        """Make a position the root, of a kept tree where the options say so and it is there.

        Keeping a tree (not a graph) takes time: at most `keep` of its nodes are looked at, the
        oldest or those next to the root, and the rest is forgotten; None: all of it is kept.
        """

    def forget(self) -> None:
        """Keep no tree for the next `start`; until then the tree can be looked into."""

    def run(self, iterations: int) -> int:
        """Make iterations; returns how many were made: fewer where there is nothing left to do, or
        where the root would get more than `MOST_VISITS`.
        """


@runtime_checkable
class LeafByLeaf(Protocol):
    """An engine whose leaves take turns, or that stays at one until it is told to go on."""

    def leaves(self) -> int:
        """Return the number of leaves."""

    def stay(self) -> None:
        """Let the leaf whose turn it is keep it."""

    def go_on(self) -> None:
        """Let the next leaf have its turn."""
