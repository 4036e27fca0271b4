"""One game of two agents and its record."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np

from claimeven.agents.contract import Agent, AgentFault, Decision, Limit
from claimeven.agents.files import as_column, describe
from claimeven.game.errors import ClaimevenError
from claimeven.game.line import Line
from claimeven.game.position import Position

QUANTITIES = ("seconds", "nodes", "depth", "branching", "evaluations")


@dataclass
class Measures:
    """Sums over the moves of one agent; a quantity an agent does not tell is not counted.

    `most_stored` is the greatest number of nodes or positions that it told to hold.
    """

    moves: int = 0
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(QUANTITIES, 0.0))
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(QUANTITIES, 0))
    most_stored: int = 0

    def note(self, decision: Decision) -> None:
        """Add one decision."""
        self.moves += 1
        told = (
            decision.seconds,
            decision.nodes,
            decision.depth,
            decision.details.get("branching"),
            decision.details.get("evaluations"),
        )
        for name, amount in zip(QUANTITIES, told, strict=True):
            if amount is not None:
                self.sums[name] += float(amount)
                self.counts[name] += 1
        stored = decision.details.get("stored")
        if isinstance(stored, int):
            self.most_stored = max(self.most_stored, stored)

    def add(self, other: Measures) -> None:
        """Add the measures of another game."""
        self.moves += other.moves
        for name in QUANTITIES:
            self.sums[name] += other.sums[name]
            self.counts[name] += other.counts[name]
        self.most_stored = max(self.most_stored, other.most_stored)

    def mean(self, name: str) -> float | None:
        """Mean of a quantity for one move; None where the agent never told it."""
        return self.sums[name] / self.counts[name] if self.counts[name] else None


@dataclass(frozen=True)
class Forfeit:
    """A game lost by an agent that did not play: which seat (0 moves first) and why."""

    seat: int
    reason: str


@dataclass(frozen=True)
class Game:
    """A finished game.

    `start` is the position the agents were given, `columns` what they played from there (0-based),
    `winner` the seat that won (0 is the first player of the game), None for a draw; `measures`
    those of each seat.
    """

    start: Position
    columns: tuple[int, ...]
    winner: int | None
    forfeit: Forfeit | None = None
    measures: tuple[Measures, Measures] = field(default_factory=lambda: (Measures(), Measures()))

    @property
    def final(self) -> Position:
        """The position at the end."""
        return Line(self.start, self.columns).position


def play_game(
    seats: Sequence[Agent],
    start: Position,
    limit: Limit,
    generators: Sequence[np.random.Generator],
    watch: Callable[[Position, int], None] | None = None,
) -> Game:
    """Play a game of two agents from a position; seat 0 is the first player.

    An agent that raises, answers with no column or with one that cannot be played forfeits.
    `watch` sees every position after a move, with the column played. `generators` are the
    random generators of the two seats.
    """
    position = start
    columns: list[int] = []
    measures = (Measures(), Measures())
    for seat, agent in enumerate(seats):
        try:
            if seat == 0 or agent is not seats[0]:
                begin_game(agent)
        except AgentFault as fault:
            return Game(start, (), 1 - seat, Forfeit(seat, str(fault)), measures)
    while position.outcome is None:
        seat = position.turn
        try:
            decision = checked_decision(seats[seat], position, limit, generators[seat])
        except AgentFault as fault:
            return Game(start, tuple(columns), 1 - seat, Forfeit(seat, str(fault)), measures)
        measures[seat].note(decision)
        columns.append(decision.column)
        position = position.play_unchecked(decision.column)
        if watch is not None:
            watch(position, decision.column)
    return Game(start, tuple(columns), position.outcome.winner, None, measures)


def checked_decision(
    agent: Agent, position: Position, limit: Limit, rng: np.random.Generator
) -> Decision:
    """Return an agent's decision, its column an int that can be played.

    Raises `AgentFault`, saying what happened, when the agent raises anything but
    KeyboardInterrupt, or answers with something else.
    """
    with _faults():
        decision = agent.choose(position, limit, rng)
    if not isinstance(decision, Decision):
        raise AgentFault(f"returned {decision!r} instead of a Decision")
    column = as_column(decision.column)
    try:
        position.check_move(column)
    except ClaimevenError:
        choices = ", ".join(str(c) for c in position.legal_columns)
        full = 0 <= column < position.geometry.columns
        why = "which is full" if full else "which is not on the board"
        raise AgentFault(
            f"returned column {column} (counted from 0), {why}: legal were {choices}"
        ) from None
    _check_told(decision, position.geometry.columns)
    return decision if type(decision.column) is int else replace(decision, column=column)


def begin_game(agent: Agent) -> None:
    """Reset an agent. Raises `AgentFault` when it fails at that."""
    with _faults():
        agent.reset()


@contextmanager
def _faults() -> Iterator[None]:
    """Turn whatever an agent raises, Ctrl-C apart, into an `AgentFault` that says what it was."""
    try:
        yield
    except (AgentFault, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise AgentFault(f"raised {describe(error)}") from error


def _check_told(decision: Decision, columns: int) -> None:
    """Raise `AgentFault` unless what a decision tells besides its column can be counted with."""
    told: dict[str, Any] = {
        name: getattr(decision, name) for name in ("value", "score", "depth", "nodes")
    }
    if isinstance(decision.details, Mapping):
        told["branching"] = decision.details.get("branching")
    else:
        raise AgentFault(f"returned a Decision whose details are {decision.details!r}, no mapping")
    wrong = [name for name, amount in told.items() if amount is not None and not _finite(amount)]
    if not _finite(decision.seconds):
        wrong.append("seconds")
    if wrong:
        given = told.get(wrong[0], decision.seconds)
        raise AgentFault(f"returned a Decision whose {wrong[0]} is {given!r}, no number")
    policy = decision.policy
    if policy is not None and (len(policy) != columns or not all(map(_finite, policy))):
        raise AgentFault("returned a Decision whose policy is not one number a column")


def _finite(amount: Any) -> bool:
    return isinstance(amount, Real) and math.isfinite(amount)
