"""One game of two agents and its record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Decision, FaultKind, Limit
from claimeven.arena.games.safe_call import begin_game, timed_decision
from claimeven.arena.games.schedule import Opening
from claimeven.game.line import Line
from claimeven.game.notation import format_moves
from claimeven.game.position import Position
from claimeven.markup import shown_by

QUANTITIES = ("seconds", "nodes", "iterations", "depth", "branching", "evaluations")


@dataclass
class Measures:
    """Sums over the moves of one agent; a quantity an agent does not tell is not counted.

    `seconds` are those of a clock outside the agent. `most_stored` is the greatest number of nodes
    or positions that it told to hold.
    """

    moves: int = 0
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(QUANTITIES, 0.0))
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(QUANTITIES, 0))
    most_stored: int = 0

    def note(self, decision: Decision, seconds: float) -> None:
        """Add one plain decision and the seconds it took."""
        self.moves += 1
        self.sums["seconds"] += seconds
        self.counts["seconds"] += 1
        if decision.nodes is not None:
            self._add("nodes", decision.nodes)
        if decision.iterations is not None:
            self._add("iterations", decision.iterations)
        if decision.depth is not None:
            self._add("depth", decision.depth)
        details = decision.details
        if details:
            for name in ("branching", "evaluations"):
                if details.get(name) is not None:
                    self._add(name, details[name])
            self.most_stored = max(self.most_stored, details.get("stored") or 0)

    def _add(self, name: str, amount: float) -> None:
        self.sums[name] += amount
        self.counts[name] += 1

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
    """A game lost by an agent that did not play: which seat (0 moves first) and why.

    `reason` is one line; `traceback` that of what the agent raised, empty if it raised nothing;
    `kind` tells crashes, stalls, illegal answers, lack of time and of memory apart.
    """

    seat: int
    reason: str
    traceback: str = field(default="", compare=False)
    kind: FaultKind = FaultKind.CRASH


@dataclass(frozen=True)
class Game:
    """A finished game.

    The agents began in `opening.position` and played `columns` (0-based) from there. `winner` is
    the seat that won (0 is the first player of the game), None for a draw. `decisions` are what the
    agents told, one for each of `columns`, and `seconds` what each of them took on a clock outside
    the agents; both are empty where they were not asked for, and `summed` holds the measures.
    """

    opening: Opening
    columns: tuple[int, ...]
    winner: int | None
    forfeit: Forfeit | None = None
    decisions: tuple[Decision, ...] = ()
    seconds: tuple[float, ...] = ()
    summed: tuple[Measures, Measures] | None = None

    _repr_html_ = shown_by("claimeven.arena.results", "game")

    @property
    def start(self) -> Position:
        """The position in which the agents began."""
        return self.opening.position

    @cached_property
    def measures(self) -> tuple[Measures, Measures]:
        """The measures of each seat."""
        return self.summed or _measured(self.start, self.decisions, self.seconds)

    @property
    def final(self) -> Position:
        """The position at the end."""
        return Line(self.start, self.columns).position

    @property
    def moves(self) -> str:
        """The move string of the whole game, its opening included."""
        return format_moves(self.opening.columns + self.columns, self.start.geometry)


def play_game(
    seats: Sequence[Agent],
    start: Position | Opening,
    limit: Limit | Sequence[Limit],
    generators: Sequence[np.random.Generator],
    watch: Callable[[Position, int], None] | None = None,
    keep_decisions: bool = False,
) -> Game:
    """Play a game of two agents from a position; seat 0 is the first player.

    An agent that raises, answers with no column or with one that cannot be played, or takes more
    time than it has, forfeits. `watch` sees every position after a move, with the column played.
    `generators` are the random generators of the two seats. `limit` holds for each move, or one
    for each seat; of its bank each seat has one of its own, which what its moves take too long is
    drawn from.
    """
    opening = Opening.of(start)
    position = opening.position
    decisions: list[Decision] = []
    clock: list[float] = []
    forfeit: Forfeit | None = None
    limits = [limit, limit] if isinstance(limit, Limit) else list(limit)
    for seat, agent in enumerate(seats):
        try:
            if forfeit is None and (seat == 0 or agent is not seats[0]):
                begin_game(agent, generators[seat])
        except AgentFault as fault:
            forfeit = Forfeit(seat, str(fault), fault.traceback, fault.kind)
    while forfeit is None and not position.is_over:
        seat = position.turn
        bound = limits[seat]
        try:
            decision, seconds = timed_decision(seats[seat], position, bound, generators[seat])
        except AgentFault as fault:
            forfeit = Forfeit(seat, str(fault), fault.traceback, fault.kind)
            break
        if bound.bank:
            limits[seat] = bound.after(seconds)
        decisions.append(decision)
        clock.append(seconds)
        position = position.play_unchecked(decision.column)
        if watch is not None:
            watch(position, decision.column)
    winner = position.winner if forfeit is None else 1 - forfeit.seat
    columns = tuple([decision.column for decision in decisions])
    if keep_decisions:
        return Game(opening, columns, winner, forfeit, tuple(decisions), tuple(clock))
    summed = _measured(opening.position, decisions, clock)
    return Game(opening, columns, winner, forfeit, summed=summed)


def _measured(
    start: Position, decisions: Sequence[Decision], clock: Sequence[float]
) -> tuple[Measures, Measures]:
    """Return the measures of the two seats of a game from its moves, as far as there is a clock."""
    measures = (Measures(), Measures())
    for ply, (decision, seconds) in enumerate(zip(decisions, clock, strict=False), start.ply):
        measures[ply % 2].note(decision, seconds)
    return measures
