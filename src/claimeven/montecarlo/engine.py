"""What the engines share: compiled ones work on arrays, textbook ones around a textbook search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from claimeven.game import Geometry, Position
from claimeven.montecarlo import layout
from claimeven.montecarlo.layout import Rules, work_vectors
from claimeven.montecarlo.options import MonteCarloOptions
from claimeven.montecarlo.playouts.layout import PLAYOUTS, playout_vector
from claimeven.montecarlo.textbook import Step, TextbookSearch

#: Nodes of a compiled tree that its branching factor is taken from.
SAMPLE = 1 << 14


class CompiledEngine(ABC):
    """What the compiled engines share: the vectors that their kernels take beside a tree.

    A subclass names the `kernels` it calls, so that they can be loaded ahead, and the number of
    `state_fields` of its state vector, of which the first are the shared ones of `layout`.
    """

    kernels: ClassVar[tuple[Callable[..., Any], ...]]
    state_fields: ClassVar[int]

    def __init__(self, geometry: Geometry, options: MonteCarloOptions) -> None:
        self.options = options
        self.position: Position | None = None
        self.keeps = False
        self.work = work_vectors(self.state_fields, geometry)
        self.rules = Rules(settings_vector(options), playout_vector(geometry))

    @property
    def state(self) -> npt.NDArray[np.int64]:
        """The state vector: the shared fields of `layout`, then those of the subclass."""
        state: npt.NDArray[np.int64] = self.work.state
        return state

    @property
    def used(self) -> int:
        return int(self.state[layout.USED])

    @property
    def depth(self) -> int:
        return int(self.state[layout.DEPTH])

    @property
    def full(self) -> bool:
        return bool(self.state[layout.FULL])

    def forget(self) -> None:
        self.keeps = False

    def place(self, position: Position, seed: int) -> None:
        """Write the root's position and the random state; a decision begins, whose tree is kept."""
        self.keeps = True
        words = self.work.words
        words[layout.MINE] = position.mine
        words[layout.MASK] = position.mask
        words[layout.RANDOM_STATE] = seed
        words[layout.REPLIES :] = 0
        self.state[layout.DEPTH] = 0
        self.state[layout.FULL] = 0


def settings_vector(options: MonteCarloOptions) -> npt.NDArray[np.int64]:
    """What kernels know of the options, beside the weight of the bonus."""
    settings = np.zeros(layout.SETTINGS_FIELDS, dtype=np.int64)
    settings[layout.ALL_AT_ONCE] = options.first == "all"
    settings[layout.SHUFFLED] = options.first != "order"
    settings[layout.PLAYOUT] = PLAYOUTS.index(options.playout)
    settings[layout.CUT] = options.cut or -1
    settings[layout.SOLVER] = options.solver
    settings[layout.DECISIVE] = options.decisive == "tree"
    settings[layout.MIRROR] = options.table == "mirror"
    settings[layout.RANDOM_TIES] = options.ties == "random"
    return settings


def moves_of(metas: npt.NDArray[np.int32]) -> tuple[int, int]:
    """Return the number of nodes with these META fields and the sum of their move counts."""
    counts = (metas >> layout.COUNT_SHIFT) & layout.COUNT_MASK
    return len(counts), int(counts.sum())


Search = TypeVar("Search", bound=TextbookSearch)


class TextbookEngine(ABC, Generic[Search]):
    """An engine around a textbook search, on a board of any size."""

    def __init__(self, options: MonteCarloOptions) -> None:
        self.options = options
        self.keeps = False
        self._search: Search | None = None

    @property
    def search(self) -> Search:
        """The search of the root that was started last."""
        assert self._search is not None, "an engine must be started first"
        return self._search

    @abstractmethod
    def start(self, position: Position, seed: int, keep: int | None = None) -> None: ...

    def textbook(self, position: Position, seed: int, keep: int | None) -> Self:
        """A copy of this engine that starts as it would."""
        twin = deepcopy(self)
        twin.start(position, seed, keep)
        return twin

    def forget(self) -> None:
        self.keeps = False

    def former(self) -> Search | None:
        """The search started before, if its tree is kept; until the next one is placed none is."""
        former = self._search if self.options.reuse and self.keeps else None
        self.keeps = False
        return former

    @property
    def used(self) -> int:
        return self.search.used

    @property
    def depth(self) -> int:
        return self.search.depth

    @property
    def full(self) -> bool:
        return self.search.full

    def run(self, iterations: int) -> int:
        self.keeps = False  # an iteration may be interrupted, and leaves half of its counts then
        made = self.search.run(iterations)
        self.keeps = True
        return made

    def steps(self, iterations: int) -> Iterator[Step]:
        """Make iterations, and tell of each what it did."""
        return self.search.steps(iterations)
