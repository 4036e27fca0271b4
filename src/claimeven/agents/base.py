"""The interface of agents: an agent chooses a column of a position under a limit.

Its decisions for readers: as rows of short texts, as plain data for JSON, and for notebooks.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np

from claimeven import markup
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import MAX_SIDE, Geometry
from claimeven.game.notation import column_names, format_moves
from claimeven.game.position import Position
from claimeven.game.validation import instance, real_number, whole_number


class InvalidLimit(ClaimevenError):
    """A limit that is not a number greater than 0."""


def check_is_limit(limit: object, error: type[ClaimevenError] = InvalidLimit) -> None:
    """Raise `error` unless this is a `Limit`."""
    instance(limit, "a limit", Limit, error, "Limit(seconds=1)")


class FaultKind(StrEnum):
    """The kind of fault that lost a game: counted and stored."""

    CRASH = "crash"  #: it raised an exception, or its process exited
    ILLEGAL = "illegal"  #: its answer is not a legal column
    TIME = "time"  #: it answered too late
    STALL = "stall"  #: it did not answer and was killed
    MEMORY = "memory"  #: it exceeded its memory limit, or memory ran out


class AgentFault(ClaimevenError):
    """An agent that did not answer with a column that can be played.

    The message is one line about its action; `traceback` is the text of its traceback, if any.
    """

    def __init__(self, reason: str, traceback: str = "", kind: FaultKind = FaultKind.CRASH) -> None:
        super().__init__(reason)
        self.traceback = traceback
        self.kind = kind


def kind_of(error: BaseException) -> FaultKind:
    """Return the kind of fault for an exception of an agent."""
    if isinstance(error, AgentFault):
        return error.kind
    return FaultKind.MEMORY if isinstance(error, MemoryError) else FaultKind.CRASH


#: Seconds by which an agent may overrun its time without losing the game, and seconds to wait for
#: an answer if time is not limited.
GRACE, PATIENCE = 0.25, 90.0
#: The names of all limits of a decision.
LIMITS = ("seconds", "iterations", "depth", "nodes")


@dataclass(frozen=True)
class Limit:
    """The limits of one decision; None does not limit a quantity.

    `seconds` limits wall-clock time, `iterations` a Monte Carlo search, `depth` the plies and
    `nodes` the visited positions. `time_bank` is extra time in seconds for a whole game: the time
    of a move beyond `seconds` is drawn from it. Each move comes with the rest of the bank.

    Raises `InvalidLimit` for anything but finite numbers greater than 0 (a bank may be 0), for
    fractions of an iteration, ply or node, and for a bank without `seconds`.

    >>> Limit(depth=3, seconds=1).min_with(Limit(depth=5)).depth
    3
    """

    seconds: float | None = None
    iterations: int | None = None
    depth: int | None = None
    nodes: int | None = None
    time_bank: float | None = None

    def __post_init__(self) -> None:
        for name in (*LIMITS, "time_bank"):
            given = getattr(self, name)
            if given is None:
                continue
            low, above = (0, None) if name == "time_bank" else (None, 0)
            number: float = real_number(given, name, InvalidLimit, low=low, above=above)
            if name not in ("seconds", "time_bank"):
                number = whole_number(given, name, InvalidLimit)
            if type(given) not in (int, float):  # such as NumPy numbers
                object.__setattr__(self, name, number)
        if self.time_bank is not None and self.seconds is None:
            raise InvalidLimit("a time_bank needs seconds: give the seconds for a move too")

    @property
    def unlimited(self) -> bool:
        """Whether no quantity is limited."""
        return self == Limit()

    @property
    def deadline(self) -> float:
        """Seconds after which an answer is too late: for the move, the time bank, and `GRACE`.

        Infinite if time is not limited.
        """
        return math.inf if self.seconds is None else self.seconds + (self.time_bank or 0.0) + GRACE

    @property
    def overrun(self) -> str:
        """The fault of an agent that takes longer than `deadline` for a move, in words."""
        bank = "" if self.time_bank is None else f" and the {self.time_bank:.3g} s left in its bank"
        return f"took over {GRACE:g} s more than the {self.seconds:g} s it had for a move{bank}"

    @property
    def patience(self) -> tuple[float, str]:
        """Seconds to wait for an answer, and the reason of the fault if it does not come."""
        if self.seconds is None:
            return PATIENCE, f"did not answer within {PATIENCE:g} s"
        return self.deadline, self.overrun

    def after_move(self, seconds: float) -> Limit:
        """Return the limit of the next move of an agent that took `seconds` for this one.

        >>> Limit(seconds=2, time_bank=60).after_move(5.5).time_bank
        56.5
        """
        if not self.time_bank or self.seconds is None or seconds <= self.seconds:
            return self
        return replace(self, time_bank=max(0.0, self.time_bank + self.seconds - seconds))

    def override(self, own: Limit) -> Limit:
        """Return this limit with the quantities that another limit sets instead of its own.

        >>> Limit(seconds=2, nodes=9).override(Limit(seconds=1)).seconds
        1
        """
        check_is_limit(own)
        given = {name: number for name, number in vars(own).items() if number is not None}
        return replace(self, **given) if given else self

    def unsupported(self, limits: frozenset[str]) -> tuple[str, ...]:
        """Return the names of the limits set here that are not among those given."""
        return tuple(n for n in LIMITS if n not in limits and getattr(self, n) is not None)

    def min_with(self, other: Limit) -> Limit:
        """Return the smaller of the two limits of every quantity."""
        check_is_limit(other)
        if other == Limit():
            return self
        both = [vars(self), vars(other)]
        known = {name: [each[name] for each in both if each[name] is not None] for name in both[0]}
        return Limit(**{name: min(numbers, default=None) for name, numbers in known.items()})


@dataclass(frozen=True)
class Decision:
    """The answer of an agent; only `column` (0-based) is always there.

    `value` is the agent's estimate in [-1, 1] for the side to move; `policy` is one probability a
    column (0 for a full column, sum 1); `score` is the exact score if the agent knows it (see the
    solver). `depth` is the search depth in plies, `nodes` the visited positions, `seconds` the
    wall-clock time, `iterations` the iterations of a Monte Carlo search. `details` is plain data
    for JSON with these keys, if they apply:

    `values`     one number or None a column, on a scale of the agent
    `value_words` the same as short texts, if numbers could mislead
    `values_are` the kind of these numbers: "mean", "eval", "score", "guess", "run"
    `visits`     one number a column: iterations that went through it
    `priors`     one number a column: its chance by a model, before any search
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

    def _repr_html_(self) -> str:
        return decision_html(self)


@dataclass(frozen=True)
class TreeView:
    """The tree behind a decision: as indented lines, as plain data for JSON, as an SVG drawing."""

    text: str
    data: Mapping[str, Any]
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return markup.drawing(self.svg)


class Agent(ABC):
    """A player.

    `name` is the spec it was made from. `limits` are the limits that it supports or that do not
    affect it; a match under another limit is rejected before it starts. `stateful` means that one
    game may change its play in the next: its games are played in order, by one process. `timed` is
    False for a person, who has no time limit. `own_limit` overrides the limit of a match for this
    agent; a spec sets it after an `@`. `trusted` is set for built-in agents, whose decisions
    need no validation. `plays` names the code of an agent from a file and how it is called. If that
    was chosen by its form, `is_guess` is set, and reasons of faults mention it.
    """

    name: str = "agent"
    limits: frozenset[str] = frozenset(LIMITS)
    stateful: bool = False
    timed: bool = True
    own_limit: Limit = Limit()
    trusted: bool = False
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
        """Prepare for a board before a clock starts: compile, open files, allocate memory."""

    def reset(self) -> None:
        """Start a new game: clear the state of the last one, unless the agent is `stateful`."""

    def note_generator(self, rng: np.random.Generator) -> None:
        """Note the generator of the next game without drawing from it; called before `reset`. An
        agent in a separate process seeds other generators by it.
        """

    def trace(self, position: Position, limit: Limit, rng: np.random.Generator) -> Iterator[str]:
        """Return the steps of the next decision, one line each; empty by default.

        It is called before the decision, with a copy of its generator, and must not change the
        agent. The lines are read after the decision, or without one.
        """
        return iter(())

    def close(self) -> None:
        """End its processes and connections, if it has any."""

    def tree(self, depth: int, nodes: int) -> TreeView | None:
        """Return the tree behind the last decision: its most visited part, `depth` plies deep and
        of at most `nodes` nodes. None for an agent without a tree.
        """
        return None


@lru_cache(maxsize=1024)
def one_hot(column: int, columns: int) -> tuple[float, ...]:
    """Return the policy that always plays one column."""
    return tuple(float(c == column) for c in range(columns))


def decision_rows(decision: Decision) -> list[tuple[str, list[str]]]:
    """Return the rows of a decision, each with its name and a text a column.

    The first is named by the kind of its values (`eval`, `mean`, `score` ...). Then follow
    `visits`, `prior` (the model's policy before search) and `share` (the policy).
    """
    details = decision.details
    rows: list[tuple[str, list[str]]] = []
    name = str(details.get("values_are", "value"))
    if details.get("value_words"):
        rows.append((name, list(details["value_words"])))
    elif details.get("values") is not None:
        rows.append((name, [_cell(amount) for amount in details["values"]]))
    if details.get("visits") is not None:
        rows.append(("visits", [_cell(amount) for amount in details["visits"]]))
    if details.get("priors") is not None:
        rows.append(("prior", [f"{share:.1%}" for share in details["priors"]]))
    if decision.policy is not None and ("visits" in details or "values" not in details):
        rows.append(("share", [f"{share:.1%}" for share in decision.policy]))
    return rows


def _cell(amount: float | None) -> str:
    if amount is None:
        return "."
    if isinstance(amount, float) and not amount.is_integer():
        return f"{amount:.3f}"
    text = f"{int(amount)}"
    return text if len(text) <= 8 else f"{amount:.2g}"


def decision_facts(decision: Decision) -> list[str]:
    """Return the value of a decision and its cost as short texts."""
    facts = {
        "score {}": decision.score,
        "value {:+.3f}": decision.value,
        "{:,} ply deep" if decision.depth == 1 else "{:,} plies deep": decision.depth,
        "{:,} nodes": decision.nodes,
        "{:,} iterations": decision.iterations,
        "{:.4f} s": decision.seconds,
    }
    return [text.format(number) for text, number in facts.items() if number is not None]


def decision_json(
    decision: Decision, position: Position, view: TreeView | None = None
) -> dict[str, Any]:
    """Return a decision in a position, with the tree behind it if there is one.

    Keys: `column` (from 1), `value`, `policy`, `score`, `depth`, `nodes`, `visits`, `iterations`,
    `seconds`, `line` (a principal variation as a move string), `tree`, `details`; None if unknown.

    >>> decision_json(Decision(3, details={"line": [3, 3]}), Position())["line"]
    '44'
    """
    details = dict(decision.details)
    line = details.pop("line", None)
    return {
        "column": decision.column + 1,
        "value": decision.value,
        "policy": None if decision.policy is None else list(decision.policy),
        "score": decision.score,
        "depth": decision.depth,
        "nodes": decision.nodes,
        "visits": details.pop("visits", None),
        "iterations": decision.iterations,
        "seconds": decision.seconds,
        "line": None if line is None else format_moves(line, position.geometry),
        "tree": None if view is None else dict(view.data),
        "details": details,
    }


def decision_html(decision: Decision) -> str:
    """Return the choice, its worth and cost, and the valid details as rows, for a notebook."""
    try:
        rows = [(name, [*map(str, cells)]) for name, cells in decision_rows(decision)]
    except (TypeError, ValueError):
        rows = []
    if any(len(cells) > MAX_SIDE for _, cells in rows):
        rows = []
    line = decision.details.get("line")
    if not isinstance(line, (list, tuple)) or not all(
        type(column) is int and 0 <= column < MAX_SIDE for column in line
    ):
        line = []
    chosen = decision.column if 0 <= decision.column < MAX_SIDE else -1
    widths = [len(cells) for _, cells in rows]
    names = column_names(max([1, chosen + 1, *widths, *(column + 1 for column in line)]))
    column = names[chosen] if chosen >= 0 else f"{decision.column} (counted from 0), of no board"
    facts = ", ".join(decision_facts(decision))
    parts = [markup.line(markup.strong(f"Column {column}"), f": {facts}")]
    if rows:
        table = [[name, *_with_bars(decision, name, cells)] for name, cells in rows]
        parts.append(markup.table(["column", *names], table))
    if line:
        parts.append(markup.line(f"Principal variation: {''.join(names[c] for c in line)}"))
    return markup.below(*parts)


def _with_bars(decision: Decision, name: str, cells: list[str]) -> list[markup.Part]:
    if name != "share" or decision.policy is None or len(cells) != len(decision.policy):
        return list(cells)
    return [markup.bar(*each) for each in zip(cells, decision.policy, strict=True)]
