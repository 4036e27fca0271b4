"""What every agent is: something that chooses a column of a position under a limit."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.markup import drawing, shown_by


class InvalidLimit(ClaimevenError):
    """A limit that is not greater than 0."""


class FaultKind(StrEnum):
    """What kind of fault lost a game: told apart, counted and stored."""

    CRASH = "crash"  #: it raised something, or its process ended
    ILLEGAL = "illegal"  #: it answered with something else than a column that can be played
    TIME = "time"  #: it answered, too late
    STALL = "stall"  #: it did not answer, and was ended
    MEMORY = "memory"  #: it wanted more memory than it may have, or than there was


class AgentFault(ClaimevenError):
    """An agent that did not answer with a column that can be played.

    The message is one line that says what it did; `traceback` is that of what it raised, as text,
    where it raised something and the text is known, `kind` what kind of fault it is.
    """

    def __init__(self, reason: str, traceback: str = "", kind: FaultKind = FaultKind.CRASH) -> None:
        super().__init__(reason)
        self.traceback = traceback
        self.kind = kind


def kind_of(error: BaseException) -> FaultKind:
    """Return what kind of fault it is that an agent raised something."""
    if isinstance(error, AgentFault):
        return error.kind
    return FaultKind.MEMORY if isinstance(error, MemoryError) else FaultKind.CRASH


#: Seconds by which an agent may overrun its time before it loses the game by it.
GRACE = 0.25
#: The names of all limits that may be asked of an agent.
LIMITS = ("seconds", "iterations", "depth", "nodes")


@dataclass(frozen=True)
class Limit:
    """How much an agent may do for one decision; None leaves a quantity free.

    `seconds` of wall-clock time, `iterations` of a Monte Carlo search, `depth` in plies, `nodes`
    looked at. `bank` is time for a whole game, in seconds: what a move takes beyond `seconds` is
    drawn from it. An agent that is asked sees what is left of its own; it plays safe by `seconds`.

    Raises `InvalidLimit` for anything not greater than 0 (a bank may be empty), for what is no
    number, for time without end, for half an iteration, ply or node, and for a bank without
    `seconds`.

    >>> Limit(depth=3, seconds=1).tighter(Limit(depth=5)).depth
    3
    """

    seconds: float | None = None
    iterations: int | None = None
    depth: int | None = None
    nodes: int | None = None
    bank: float | None = None

    def __post_init__(self) -> None:
        for name in LIMITS:
            given = getattr(self, name)
            if given is not None:
                check_number(name, given)
                if not given > 0:
                    raise InvalidLimit(f"{name} must be greater than 0, not {given}")
                if name != "seconds" and not isinstance(given, Integral):
                    raise InvalidLimit(f"{name} must be a whole number, not {given}")
                self._set_plain(name, given)
        if self.bank is not None:
            check_number("bank", self.bank)
            self._set_plain("bank", self.bank)
            if not self.bank >= 0:
                raise InvalidLimit(f"bank must be 0 or more, not {self.bank}")
            if self.seconds is None:
                raise InvalidLimit(
                    "a bank holds time beyond that of single moves: give the seconds for a move too"
                )

    def _set_plain(self, name: str, given: Any) -> None:
        """Keep a number as an int or float, whosever it was."""
        if type(given) not in (int, float):
            plain = int(given) if isinstance(given, Integral) else float(given)
            object.__setattr__(self, name, plain)

    @property
    def is_free(self) -> bool:
        """Whether nothing is limited."""
        return self == Limit()

    @property
    def longest(self) -> float:
        """Seconds after which an answer is too late: those for a move, the bank, and `GRACE`.

        Infinite where time is not limited.
        """
        return math.inf if self.seconds is None else self.seconds + (self.bank or 0.0) + GRACE

    @property
    def overrun(self) -> str:
        """What is said of an agent that takes longer than `longest` for a move."""
        told = f"took over {GRACE:g} s more than the {self.seconds:g} s it had for a move"
        return told if self.bank is None else f"{told} and the {self.bank:.3g} s left in its bank"

    def after(self, seconds: float) -> Limit:
        """Return the limit of the next move of an agent that took so many seconds for this one.

        >>> Limit(seconds=2, bank=60).after(5.5).bank
        56.5
        """
        if not self.bank or self.seconds is None or seconds <= self.seconds:
            return self
        return replace(self, bank=max(0.0, self.bank + self.seconds - seconds))

    def refused(self, limits: frozenset[str]) -> tuple[str, ...]:
        """Return the names of the limits set here that are not among those given."""
        return tuple(n for n in LIMITS if n not in limits and getattr(self, n) is not None)

    def tighter(self, other: Limit) -> Limit:
        """Return the smaller of the two limits of every quantity."""
        return Limit(
            _smaller(self.seconds, other.seconds),
            _smaller(self.iterations, other.iterations),
            _smaller(self.depth, other.depth),
            _smaller(self.nodes, other.nodes),
            _smaller(self.bank, other.bank),
        )


Number = TypeVar("Number", int, float)


def _smaller(one: Number | None, other: Number | None) -> Number | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def check_number(name: str, given: object) -> None:
    """Raise `InvalidLimit`, naming the quantity, for what is no number, and for one without end."""
    if not isinstance(given, Real) or isinstance(given, bool):
        raise InvalidLimit(f"{name} must be a number, not {given!r}")
    try:
        number = float(given)
    except OverflowError:
        number = math.inf if given > 0 else -math.inf  # type: ignore[operator]  # an int
    if number == math.inf:
        raise InvalidLimit(f"{name} must be finite, not {number}")


@dataclass(frozen=True)
class Decision:
    """What an agent answers; only `column` (0-based) is always there.

    `value` is the agent's estimate in [-1, 1] for the side to move, `policy` one probability a
    column (0 where illegal, sum 1), `score` the exact score where the agent knows it (see the
    solver), `depth` the plies looked ahead, `nodes` the positions looked at, `seconds` the
    wall-clock time, `iterations` those of a Monte Carlo search. `details` holds plain data that
    can be written as JSON, under these keys where they apply:

    `values`     one number or None a column: what the agent makes of it, its own scale
    `value_words` the same as short texts for people, where numbers alone mislead
    `values_are` what these numbers are, in a word: "mean", "eval", "score", "guess", "run"
    `visits`     one number a column: iterations that went through it
    `priors`     one number a column: how good it looks to a model, before any search
    `line`       the principal variation, 0-based columns
    `branching`  mean columns tried in an expanded position
    `backend`    "compiled" or "python"

    and any counters of the family (`evaluations`, `cutoffs`, `iterations`, ...).
    """

    column: int
    value: float | None = None
    policy: tuple[float, ...] | None = None
    score: int | None = None
    depth: int | None = None
    nodes: int | None = None
    seconds: float = 0.0
    details: Mapping[str, Any] = field(default_factory=dict)
    iterations: int | None = None

    _repr_html_ = shown_by("claimeven.agents.decisions.decision_html", "decision_html")


@dataclass(frozen=True)
class TreeView:
    """The tree behind a decision: as indented lines, as plain data for JSON, as an SVG drawing."""

    text: str
    data: Mapping[str, Any]
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return drawing(self.svg)


class Agent(ABC):
    """A player.

    `name` is the spec it was made from. `limits` are the limits that may be asked of it: those it
    keeps to, and those that mean nothing to it; a match under another one is refused before it
    begins. `remembers` says that what it learns in one game may change what it plays in the next:
    such games are played in order, by one process. An agent that is not `timed`, a person, takes
    the time it wants. `is_plain` is set for agents of this package, whose decisions need no check:
    they are plain data as they come. `plays` says of an agent from a file what plays and how it is
    called; it `is_guess` if it was chosen by its looks, and then reasons of faults say it too.
    """

    name: str = "agent"
    limits: frozenset[str] = frozenset(LIMITS)
    remembers: bool = False
    timed: bool = True
    is_plain: bool = False
    plays: str = ""
    is_guess: bool = False

    @abstractmethod
    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        """Choose a column of a position that is not over.

        All randomness comes from `rng`: the same position, history since `reset`, limits other
        than seconds, and state of `rng` give the same decision.
        """

    def check_board(self, geometry: Geometry) -> None:
        """Raise a `ClaimevenError` if this agent cannot play on a board; by default it can."""

    def load(self, geometry: Geometry) -> None:
        """Compile, open and allocate what is needed on a board, before a clock starts."""

    def reset(self) -> None:
        """Forget everything learnt in the game before, unless it `remembers`."""

    def note_generator(self, rng: np.random.Generator) -> None:
        """Hear, before `reset`, from which generator the game's draws come; nothing is to be drawn
        from it here. An agent in a process of its own seeds by it what else it may draw from.
        """

    def trace(self, position: Position, limit: Limit, rng: np.random.Generator) -> Iterator[str]:
        """Return the steps of the next decision in words, one line each; nothing by default.

        It is called before the decision, with a copy of its generator, and changes nothing; the
        lines are read after the decision, or without one.
        """
        return iter(())

    def close(self) -> None:
        """Give back what it holds besides memory: processes, connections; by default nothing."""

    def tree(self, depth: int, nodes: int) -> TreeView | None:
        """Return the tree behind the last decision: its most visited part, `depth` plies deep and
        of at most `nodes` nodes. None for an agent that keeps no tree.
        """
        return None


@lru_cache(maxsize=1024)
def one_hot(column: int, columns: int) -> tuple[float, ...]:
    """Return the policy that always plays one column."""
    return tuple(float(c == column) for c in range(columns))
