"""The options of a Monte Carlo search, and the published searches as presets.

The bonus of a child is what selection adds to its mean to have it tried again: N counts the visits
of the parent, n those of the child, and `c` says how much trying is worth.

- `method` (`uct`, `flat`, `breadth`): `flat`: every leaf two moves ahead gets the same number of
  playouts, or where only time is given the same time, a 40th of it or less; `breadth`: nodes are
  expanded in the order they were made, one playout each, and once the tree is full one for each
  leaf in turn.
- `formula` (`ucb1`, `ucb`): the bonus: `ucb1` is c * sqrt(2 ln N / n) (Auer 2002), `ucb` is c *
  sqrt(ln N / n).
- `c` (at least 0): the constant of the bonus, on the chosen scale of results.
- `first` (`random`, `order`, `all`): which child of a node is tried first: any, or the leftmost,
  each before one is tried again; `all`: all children enter at once, an untried one standing as if
  it had won its only playout, equals in random order, and a new node's first playout goes through a
  child picked at random; `order` favours the left.
- `ties` (`first`, `random`): which of several children with the greatest bound is selected: the one
  tried first, or any of them.
- `playout` (`random`, `wins-and-blocks`, `careful`, `greedy`, `alphabeta1`, `alphabeta2`,
  `replies`): how a game is played out from a leaf: `careful` is `wins-and-blocks` that never fills
  the cell below a win of the opponent while it can help it; `greedy` makes the longest run;
  `alphabeta1` and `alphabeta2` search 1 or 2 moves deep with the evaluation `triples`; `replies` is
  `wins-and-blocks` that answers a move as it was last answered by a side that then won. Or a rule
  of one's own, a function of a position and the `Stream` of random numbers that returns a column;
  it needs the backend in Python.
- `cut` (0 to 1000): moves after which a playout is cut and counts as a draw; 0: never.
- `scale` (`-1..1`, `0..1`): the scale of results, and so of means, totals and c; a draw is in the
  middle.
- `least_wins` (0 to 1000): playouts that a tried child counts as having won at least, in selection.
- `choice` (`visits`, `mean`, `ucb`): what decides in the end: most visits, the best mean, or mean +
  bonus.
- `solver` (yes or no): proven wins, losses and draws are backed up (Winands 2008), proven losses
  are not selected, and the search ends when the root is proven.
- `decisive` (`off`, `root`, `tree`): `root`: a column that wins at once is chosen without a search;
  `tree`: besides, in the whole tree, wins at once end a line, and moves that lose at once are left
  out.
- `table` (`off`, `equal`, `mirror`): equal positions (and mirror images too) share a node.
- `reuse` (yes or no): the tree is kept for the next decision when its position is in it, up to 4
  moves on.
- `capacity` (1 to 100,000,000): how many nodes (with a table: positions) the tree of one thread can
  store; a full tree grows no further, and playouts continue from its leaves; a full table stores a
  new position in the place of the least visited of four; the result says `full`.
- `threads` (1 to 64): trees grown side by side from different seeds, and added up at the root.
- `iterations`, `seconds`: the budget when a search is not given another; of both, whichever ends
  first. Every search ends when a root has 2,147,483,647 visits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Final

from claimeven.compiled.splitmix64 import Stream
from claimeven.game import ClaimevenError, Position
from claimeven.game.validation import one_of, real_number, whole_number
from claimeven.montecarlo.layout import MAX_VISITS, PLAYOUTS

METHODS: Final = ("uct", "flat", "breadth")
FORMULAS: Final = ("ucb1", "ucb")
FIRST_PLAYS: Final = ("random", "order", "all")
TIES: Final = ("first", "random")
SCALES: Final = ("-1..1", "0..1")
CHOICES: Final = ("visits", "mean", "ucb")
DECISIVE: Final = ("off", "root", "tree")
TABLES: Final = ("off", "equal", "mirror")

MAX_CAPACITY: Final = 100_000_000
MAX_ITERATIONS: Final = MAX_VISITS
MAX_THREADS: Final = 64


class InvalidOptions(ClaimevenError):
    """An option of a Monte Carlo search, or its budget, that makes no sense."""


@dataclass(frozen=True)
class MonteCarloOptions:
    """How a Monte Carlo search works: an attribute for each option of the list above; None as a
    budget is no such limit. Raises `InvalidOptions` naming the option and the choices.
    """

    method: str = "uct"
    formula: str = "ucb"
    c: float = 0.7
    first: str = "random"
    ties: str = "first"
    playout: str | Callable[[Position, Stream], int] = "random"
    cut: int = 0
    scale: str = "-1..1"
    least_wins: int = 0
    choice: str = "visits"
    solver: bool = False
    decisive: str = "off"
    table: str = "off"
    reuse: bool = False
    capacity: int = 1_000_000
    threads: int = 1
    iterations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, choices in (
            ("method", METHODS),
            ("formula", FORMULAS),
            ("first", FIRST_PLAYS),
            ("ties", TIES),
            ("playout", PLAYOUTS),
            ("scale", SCALES),
            ("choice", CHOICES),
            ("decisive", DECISIVE),
            ("table", TABLES),
        ):
            chosen = getattr(self, name)
            if not (name == "playout" and callable(chosen)):
                one_of(chosen, name, choices, InvalidOptions)
        object.__setattr__(self, "c", real_number(self.c, "c", InvalidOptions, low=0))
        for name, low, high in (
            ("cut", 0, 1_000),
            ("least_wins", 0, 1_000),
            ("capacity", 1, MAX_CAPACITY),
            ("threads", 1, MAX_THREADS),
        ):
            number = whole_number(getattr(self, name), name, InvalidOptions, low=low, high=high)
            object.__setattr__(self, name, number)
        for name in ("solver", "reuse"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidOptions(f"{name} must be true or false, not {getattr(self, name)!r}")
        check_budget(self.iterations, self.seconds)
        if self.method != "uct":
            for name in ("table", "decisive"):
                if getattr(self, name) not in ("off", "root"):
                    raise InvalidOptions(f"{name}={getattr(self, name)} needs method=uct")
            if self.solver or self.reuse:
                raise InvalidOptions("solver and reuse need method=uct")
        if self.table != "off" and self.first == "all":
            raise InvalidOptions("table needs first=random or first=order")
        for name, is_given in (("least_wins", self.least_wins), ("ties", self.ties != "first")):
            if is_given and (self.method != "uct" or self.table != "off"):
                raise InvalidOptions(f"{name} needs method=uct and table=off")

    @property
    def root_factor(self) -> float:
        """The factor under the root of the bonus: 2 for `ucb1`, else 1."""
        return 2.0 if self.formula == "ucb1" else 1.0

    @property
    def width(self) -> float:
        """How much of the scale -1..1 one unit of the chosen scale is: 2 for `0..1`, else 1."""
        return 2.0 if self.scale == "0..1" else 1.0

    @property
    def weight(self) -> float:
        """What sqrt(ln N / n) is multiplied by for the bonus on the scale -1..1."""
        return self.c * math.sqrt(self.root_factor) * self.width

    def with_changes(self, **changes: Any) -> MonteCarloOptions:
        """Return a copy with some options changed. Raises `InvalidOptions`."""
        known = [field.name for field in fields(self)]
        for name in changes:
            one_of(name, "option", known, InvalidOptions)
        return replace(self, **changes)


def check_budget(iterations: int | None, seconds: float | None) -> None:
    """Raise `InvalidOptions` for a budget of nothing; None means no such limit."""
    if iterations is not None:
        whole_number(iterations, "iterations", InvalidOptions, low=1, high=MAX_ITERATIONS)
    if seconds is not None:
        real_number(seconds, "seconds", InvalidOptions, above=0)


#: The strongest settings measured here at equal time.
DEFAULT: Final = MonteCarloOptions(
    formula="ucb",
    c=1.4,
    first="random",
    playout="replies",
    solver=True,
    decisive="tree",
    reuse=True,
    capacity=4_000_000,
    seconds=1.0,
)

_AIFOUR: Final = MonteCarloOptions(
    formula="ucb1", c=0.5**0.5, ties="random", choice="ucb", iterations=200
)
_ITU: Final = MonteCarloOptions(
    formula="ucb1", c=1.4, cut=40, choice="ucb", decisive="root", seconds=3.0
)

#: Named searches: our best, the simple ones, and the published variants.
PRESETS: Final[Mapping[str, MonteCarloOptions]] = MappingProxyType(
    {
        "uct": DEFAULT,
        "flat": MonteCarloOptions(
            method="flat", cut=40, choice="mean", decisive="root", seconds=3.0
        ),
        "breadth": MonteCarloOptions(method="breadth", choice="mean", iterations=2000),
        "uct-polito": MonteCarloOptions(
            c=math.sqrt(2),
            first="all",
            scale="0..1",
            least_wins=1,
            iterations=100,
        ),
        "uct-menary": MonteCarloOptions(formula="ucb", c=2.0, choice="mean", seconds=1.0),
        "uct-aifour": _AIFOUR,
        "uct-aifour-code": replace(_AIFOUR, c=0.5**0.25, first="order", ties="first"),
        "uct-aifour-greedy": replace(_AIFOUR, c=0.0, choice="mean"),
        "uct-itu": _ITU,
        "uct-itu-table": replace(_ITU, table="equal", reuse=True),
    }
)


def preset(name: str, **changes: Any) -> MonteCarloOptions:
    """Return the options of a named search, some of them changed.

    Raises `InvalidOptions` for an unknown name, listing the choices.

    >>> preset("uct-aifour", iterations=2000).iterations
    2000
    """
    return PRESETS[one_of(name, "search", PRESETS, InvalidOptions)].with_changes(**changes)
