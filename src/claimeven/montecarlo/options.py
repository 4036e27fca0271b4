"""The options of a Monte Carlo search, and the published searches as presets.

Selection adds a bonus to the mean of a child. N is the number of visits of the parent, n of the
child, and `c` weights exploration.

- `method` (`uct`, `flat`, `breadth`): `flat` gives every leaf two moves ahead the same number of
  playouts or, with only a time limit, the same time: at most a 40th of it. `breadth` expands nodes
  in the order of their creation, with one playout each; once the tree is full, the leaves take
  turns.
- `formula` (`ucb1`, `ucb`): the bonus: `ucb1` is c * sqrt(2 ln N / n) (Auer 2002), `ucb` is c *
  sqrt(ln N / n).
- `c` (at least 0): the constant of the bonus, on the chosen scale of results.
- `first_play` (`random`, `order`, `all`): the order of the first visits of a node's children. With
  `random` and `order` (from the left) each child is visited once before any is visited again. With
  `all` all children are added at once; an unvisited child is scored as one won playout, ties are
  random, and the first playout of a new node goes through a random child. `order` favors the left.
- `ties` (`first`, `random`): the child selected among equal bounds: the one visited first, or a
  random one.
- `playout` (`random`, `wins-and-blocks`, `careful`, `greedy`, `alphabeta1`, `alphabeta2`,
  `replies`): the rule that plays a game to the end from a leaf. `careful` is `wins-and-blocks` that
  avoids the cell below a win of the opponent while it can. `greedy` makes the longest run.
  `alphabeta1` and `alphabeta2` search 1 or 2 moves deep with the evaluation `triples`. `replies` is
  `wins-and-blocks` that repeats the last reply to a move that led to a win. In Python also a
  function of a position and the `Stream` of random numbers that returns a column; it needs the
  backend `python`.
- `playout_cutoff` (0 to 1000): a playout stops after this number of moves and counts as a draw; 0:
  never.
- `scale` (`-1..1`, `0..1`): the scale of results, means, totals and `c`; a draw is in the middle.
- `min_wins` (0 to 1000): in selection, a visited child counts at least this number of won playouts.
- `final_choice` (`visits`, `mean`, `ucb`): the column to play has the most visits, the best mean,
  or the best mean + bonus.
- `solver` (yes or no): proven wins, losses and draws are backed up (Winands 2008). Proven losses
  are not selected, and the search ends when the root is proven.
- `decisive_moves` (`off`, `root`, `tree`): with `root` an immediate win is played without a search.
  With `tree`, in addition, an immediate win ends a line anywhere in the tree, and moves that lose
  immediately are left out.
- `transpositions` (`off`, `equal`, `mirror`): equal positions, or mirror images too, share a node.
- `reuse` (yes or no): the tree is stored for the next decision if it contains the new position, up
  to 4 moves later.
- `capacity` (1 to 100,000,000): the number of nodes (with `transpositions`: positions) that the
  tree of one thread can store. A full tree stops growing, and playouts start from its leaves. A
  full table replaces the least visited of four positions. In both cases the result says `full`.
- `threads` (1 to 64): trees grown in parallel from different seeds and added up at the root.
- `iterations`, `seconds`: the default budget; with both, the search stops at the first limit it
  reaches. Every search stops when a root has 2,147,483,647 visits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Final

from claimeven.compiled.splitmix64 import Stream
from claimeven.game import ClaimevenError, Position
from claimeven.game.validation import one_of, real_number, true_or_false, whole_number
from claimeven.montecarlo.layout import MAX_VISITS, PLAYOUTS

#: The choices of each option that is a word.
CHOICES: Final = {
    "method": ("uct", "flat", "breadth"),
    "formula": ("ucb1", "ucb"),
    "first_play": ("random", "order", "all"),
    "ties": ("first", "random"),
    "playout": PLAYOUTS,
    "scale": ("-1..1", "0..1"),
    "final_choice": ("visits", "mean", "ucb"),
    "decisive_moves": ("off", "root", "tree"),
    "transpositions": ("off", "equal", "mirror"),
}

MAX_CAPACITY: Final = 100_000_000
MAX_ITERATIONS: Final = MAX_VISITS
MAX_THREADS: Final = 64


class InvalidOptions(ClaimevenError):
    """An invalid option or budget of a Monte Carlo search."""


@dataclass(frozen=True)
class MonteCarloOptions:
    """The options listed above; no budget is None. Raises `InvalidOptions` with the choices."""

    method: str = "uct"
    formula: str = "ucb"
    c: float = 0.7
    first_play: str = "random"
    ties: str = "first"
    playout: str | Callable[[Position, Stream], int] = "random"
    playout_cutoff: int = 0
    scale: str = "-1..1"
    min_wins: int = 0
    final_choice: str = "visits"
    solver: bool = False
    decisive_moves: str = "off"
    transpositions: str = "off"
    reuse: bool = False
    capacity: int = 1_000_000
    threads: int = 1
    iterations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            chosen = getattr(self, name)
            if not (name == "playout" and callable(chosen)):
                one_of(chosen, name, choices, InvalidOptions)
        object.__setattr__(self, "c", real_number(self.c, "c", InvalidOptions, low=0))
        for name, low, high in (
            ("playout_cutoff", 0, 1_000),
            ("min_wins", 0, 1_000),
            ("capacity", 1, MAX_CAPACITY),
            ("threads", 1, MAX_THREADS),
        ):
            number = whole_number(getattr(self, name), name, InvalidOptions, low=low, high=high)
            object.__setattr__(self, name, number)
        for name in ("solver", "reuse"):
            flag = true_or_false(getattr(self, name), name, InvalidOptions)
            object.__setattr__(self, name, flag)
        check_budget(self.iterations, self.seconds)
        if self.method != "uct":
            for name in ("transpositions", "decisive_moves"):
                if getattr(self, name) not in ("off", "root"):
                    raise InvalidOptions(f"{name}={getattr(self, name)} needs method=uct")
            if self.solver or self.reuse:
                raise InvalidOptions("solver and reuse need method=uct")
        if self.transpositions != "off" and self.first_play == "all":
            raise InvalidOptions("transpositions needs first_play=random or first_play=order")
        for name, is_given in (("min_wins", self.min_wins), ("ties", self.ties != "first")):
            if is_given and (self.method != "uct" or self.transpositions != "off"):
                raise InvalidOptions(f"{name} needs method=uct and transpositions=off")

    @property
    def width(self) -> float:
        """The width of a unit of the chosen scale on the scale -1..1: 2 for `0..1`, else 1."""
        return 2.0 if self.scale == "0..1" else 1.0

    @property
    def weight(self) -> float:
        """The factor of sqrt(ln N / n) in the bonus on the scale -1..1."""
        return self.c * math.sqrt(2.0 if self.formula == "ucb1" else 1.0) * self.width

    def with_changes(self, **changes: Any) -> MonteCarloOptions:
        """Return a copy with some options changed. Raises `InvalidOptions`."""
        known = [field.name for field in fields(self)]
        for name in changes:
            one_of(name, "option", known, InvalidOptions)
        return replace(self, **changes)


def check_budget(iterations: int | None, seconds: float | None) -> None:
    """Raise `InvalidOptions` for an empty budget; None means no limit."""
    if iterations is not None:
        whole_number(iterations, "iterations", InvalidOptions, low=1, high=MAX_ITERATIONS)
    if seconds is not None:
        real_number(seconds, "seconds", InvalidOptions, above=0)


#: The strongest settings measured here at equal time.
DEFAULT: Final = MonteCarloOptions(
    c=1.4,
    playout="replies",
    solver=True,
    decisive_moves="tree",
    reuse=True,
    capacity=4_000_000,
    seconds=1.0,
)

_AIFOUR: Final = MonteCarloOptions(
    formula="ucb1", c=0.5**0.5, ties="random", final_choice="ucb", iterations=200
)
_ITU: Final = MonteCarloOptions(
    formula="ucb1", c=1.4, playout_cutoff=40, final_choice="ucb", decisive_moves="root", seconds=3.0
)

#: Named searches: the strongest, the simple ones, and the published variants.
PRESETS: Final[Mapping[str, MonteCarloOptions]] = MappingProxyType(
    {
        "uct": DEFAULT,
        "flat": MonteCarloOptions(
            method="flat",
            playout_cutoff=40,
            final_choice="mean",
            decisive_moves="root",
            seconds=3.0,
        ),
        "breadth": MonteCarloOptions(method="breadth", final_choice="mean", iterations=2000),
        "uct-polito": MonteCarloOptions(
            c=math.sqrt(2), first_play="all", scale="0..1", min_wins=1, iterations=100
        ),
        "uct-menary": MonteCarloOptions(formula="ucb", c=2.0, final_choice="mean", seconds=1.0),
        "uct-aifour": _AIFOUR,
        "uct-aifour-code": replace(_AIFOUR, c=0.5**0.25, first_play="order", ties="first"),
        "uct-aifour-greedy": replace(_AIFOUR, c=0.0, final_choice="mean"),
        "uct-itu": _ITU,
        "uct-itu-table": replace(_ITU, transpositions="equal", reuse=True),
    }
)


def preset(name: str, **changes: Any) -> MonteCarloOptions:
    """Return the options of a named search with some changes.

    Raises `InvalidOptions` for an unknown name, listing the choices.

    >>> preset("uct-aifour", iterations=2000).iterations
    2000
    """
    return PRESETS[one_of(name, "search", PRESETS, InvalidOptions)].with_changes(**changes)
