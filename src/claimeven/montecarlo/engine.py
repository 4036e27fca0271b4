"""Engines: interchangeable ways to grow a tree, compiled on arrays or around a textbook search.

An engine serves one search at a time. It gets a root, makes iterations, and shows its tree through
handles, which are its internal names of nodes. Compiled and textbook engines show the same trees.
`dispatch` chooses the engine for some options.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from claimeven.game import Geometry, Position
from claimeven.montecarlo import layout
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.textbook import Step, StepSearch

#: The number of nodes of a compiled tree in its branching factor.
SAMPLE_SIZE = 1 << 14

Handle = Any


@dataclass(frozen=True)
class NodeStats:
    """The content of a node: its move, the visits through it, the sum of their results (-1, 0, +1,
    or parts of them) and its proof. Results and proof are from the view of the mover. `prior` is
    the prior of a model; `seen` counts visits of the position by all paths.
    """

    column: int
    visits: int
    total: float
    proof: int = layout.UNPROVEN
    distance: int = 0
    prior: float | None = None
    seen: int | None = None


class ReadableTree(Protocol):
    """A tree for inspection. `depth`: deepest iteration of this decision. `used`: stored nodes (of
    a graph: positions). `full`: whether the tree had no room for a node.
    """

    @property
    def depth(self) -> int: ...

    @property
    def used(self) -> int: ...

    @property
    def full(self) -> bool: ...

    def expansion_counts(self) -> tuple[int, int]:
        """Return the number of expanded nodes and the number of their moves.

        Of compiled trees only the first `SAMPLE_SIZE` nodes count, to save time.
        """

    def root(self) -> Handle:
        """Handle of the root."""

    def children(self, handle: Handle) -> Sequence[Handle]:
        """Handles of the children of a node; empty for an unexpanded node."""

    def facts(self, handle: Handle) -> NodeStats:
        """The content of a node."""


class Engine(ReadableTree, Protocol):
    """A tree that grows, `reusable` in the next search after a complete one."""

    reusable: bool = False

    def start(self, position: Position, seed: int, keep: int | None = None) -> None:
        """Make a position the root, with its part of the last tree if the options allow reuse.

        Reusing a tree (not a graph) takes time. At most `keep` nodes are read, the oldest or the
        nearest to the root, and the others are dropped; None: no limit.
        """

    def forget(self) -> None:
        """Drop the tree at the next `start`; until then it stays readable."""
        self.reusable = False

    def run(self, iterations: int) -> int:
        """Make iterations and return their number: fewer at the end or at `MAX_VISITS`."""

    def textbook(self, position: Position, seed: int, keep: int | None) -> TextbookEngine[Any]:
        """Return a textbook engine with the same start, if the engine can reuse a tree."""
        raise NotImplementedError


@runtime_checkable
class LeafTurns(Protocol):
    """An engine whose leaves take turns, or that holds one leaf until `next_leaf_turn`."""

    def leaves(self) -> int:
        """Return the number of leaves."""

    def hold_leaf(self) -> None:
        """Stay at the current leaf."""

    def next_leaf_turn(self) -> None:
        """Move to the next leaf."""


class CompiledEngine(Engine, ABC):
    """The vectors that kernels take in addition to a tree.

    A subclass lists its `kernels`, for loading in advance, and the number of `state_fields` of its
    state vector. The first fields are the shared fields of `layout`.
    """

    kernels: ClassVar[tuple[Callable[..., Any], ...]]
    state_fields: ClassVar[int] = layout.SHARED_STATE_FIELDS

    def __init__(self, geometry: Geometry, options: MonteCarloOptions) -> None:
        self.options = options
        self.bits: int = geometry.bits
        self.position: Position | None = None
        self.work: layout.Work = layout.work_vectors(self.state_fields, geometry)
        #: The state vector: the shared fields of `layout`, then the fields of the subclass.
        self.state: npt.NDArray[np.int64] = self.work.state
        self.setup: layout.Setup = layout.Setup(
            settings_vector(options), layout.playout_vector(geometry)
        )

    @property
    def used(self) -> int:
        return int(self.state[layout.USED])

    @property
    def depth(self) -> int:
        return int(self.state[layout.DEPTH])

    @property
    def full(self) -> bool:
        return bool(self.state[layout.FULL])

    def place(self, position: Position, seed: int) -> None:
        """Write the root's position and the random state, and start a decision."""
        self.reusable = True
        words = self.work.words
        words[layout.MINE] = position.mine
        words[layout.MASK] = position.mask
        words[layout.RANDOM_STATE] = seed
        words[layout.REPLIES :] = 0
        self.state[layout.DEPTH] = 0
        self.state[layout.FULL] = 0


def settings_vector(options: MonteCarloOptions) -> npt.NDArray[np.int64]:
    """Return the options for kernels, without the weight of the bonus."""
    settings = np.zeros(layout.SETTINGS_FIELDS, dtype=np.int64)
    settings[layout.ALL_AT_ONCE] = options.first_play == "all"
    settings[layout.SHUFFLED] = options.first_play != "order"
    settings[layout.PLAYOUT] = layout.PLAYOUTS.index(str(options.playout))
    settings[layout.CUT] = options.playout_cutoff or -1
    settings[layout.SOLVER] = options.solver
    settings[layout.DECISIVE] = options.decisive_moves == "tree"
    settings[layout.MIRROR] = options.transpositions == "mirror"
    settings[layout.RANDOM_TIES] = options.ties == "random"
    return settings


def count_moves(metas: npt.NDArray[np.int32]) -> tuple[int, int]:
    """Return the number of nodes with these META fields and the sum of their move counts."""
    counts = (metas >> layout.COUNT_SHIFT) & layout.COUNT_MASK
    return len(counts), int(counts.sum())


Search = TypeVar("Search", bound=StepSearch)


class TextbookView(Generic[Search]):
    """The numbers of a textbook search."""

    _search: Search | None = None

    @property
    def search(self) -> Search:
        """The last search that was started."""
        assert self._search is not None, "an engine must be started first"
        return self._search

    @property
    def used(self) -> int:
        return self.search.used

    @property
    def depth(self) -> int:
        return self.search.depth

    @property
    def full(self) -> bool:
        return self.search.full


class TextbookEngine(TextbookView[Search], Engine, ABC):
    """An engine around a textbook search, on a board of any size."""

    def __init__(self, options: MonteCarloOptions) -> None:
        self.options = options

    @abstractmethod
    def start(self, position: Position, seed: int, keep: int | None = None) -> None: ...

    def textbook(self, position: Position, seed: int, keep: int | None) -> Self:
        twin = deepcopy(self)
        twin.start(position, seed, keep)
        return twin

    def previous(self) -> Search | None:
        """Return the last search if its tree can be reused, and mark it as used."""
        search = self._search if self.options.reuse and self.reusable else None
        self.reusable = False
        return search

    def run(self, iterations: int) -> int:
        self.reusable = False  # an interrupted iteration leaves half of its counts
        count = self.search.run(iterations)
        self.reusable = True
        return count

    def steps(self, iterations: int) -> Iterator[Step]:
        return self.search.steps(iterations)
