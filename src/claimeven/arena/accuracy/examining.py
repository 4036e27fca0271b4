"""Agents asked for a column of every position of a set: the plan, and each answer of its own.

What an agent answers depends on the seed, the position's number in the set and the agent alone,
not on who asks or in what order: each position is a game of its own, asked through the same guard
and under the same limit as a move of a match.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from claimeven.agents.contract import Agent, AgentFault, Limit
from claimeven.agents.functions import name_of
from claimeven.agents.process.isolation import Isolation
from claimeven.agents.registry import Contestant, make_agents
from claimeven.arena.accuracy.positions import ScoredSet
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.games.guard import begin_game, timed_decision
from claimeven.game.geometry import Geometry

#: Keeps the generators of positions apart from those of games and openings of the same seed.
_STREAM = 4


@dataclass(frozen=True)
class Answer:
    """What an agent answered in one position: a 0-based column, or None and why there is none.

    `agent` and `position` are numbers: in the plan, and in the set. `seconds` were taken on a clock
    outside the agent.
    """

    agent: int
    position: int
    column: int | None
    seconds: float = 0.0
    fault: str = ""
    reason: str = ""


@dataclass(frozen=True)
class SetPlan:
    """Everything that decides a measurement: agents, positions with their scores, limit, seed."""

    agents: tuple[Contestant, ...]
    positions: ScoredSet
    seed: int = 0
    limit: Limit = field(default_factory=Limit)
    isolation: Isolation = field(default_factory=Isolation)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise InvalidMatch(f"a seed is 0 or more, not {self.seed}")
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice:
            raise InvalidMatch(f"{twice[0]} is there twice: name each agent once")

    @property
    def names(self) -> tuple[str, ...]:
        """What the agents are called: their specs, or the names of objects and functions."""
        return tuple(name_of(agent) for agent in self.agents)

    @property
    def geometry(self) -> Geometry:
        """The board."""
        return self.positions.positions[0].position.geometry

    @property
    def questions(self) -> int:
        """Number of questions: each agent is asked in each position."""
        return len(self.agents) * len(self.positions.positions)


class Examiner:
    """Asks the agents of a plan in this process; a context that closes them at its end."""

    def __init__(self, plan: SetPlan) -> None:
        self.plan = plan
        self.agents: list[Agent] = make_agents(
            plan.agents, plan.geometry, plan.limit, plan.isolation
        )

    @property
    def is_alone(self) -> bool:
        """Whether one process must ask everything, in order."""
        return any(agent.remembers or not agent.timed for agent in self.agents)

    def ask(self, question: int) -> Answer:
        """Ask the question of a number, 0 to the plan's `questions`: agent by agent."""
        place, number = divmod(question, len(self.plan.positions.positions))
        agent, position = self.agents[place], self.plan.positions.positions[number].position
        rng = np.random.default_rng([self.plan.seed, _STREAM, number])
        try:
            begin_game(agent, rng)
            decision, seconds = timed_decision(agent, position, self.plan.limit, rng)
        except AgentFault as fault:
            return Answer(place, number, None, 0.0, str(fault.kind), str(fault))
        return Answer(place, number, decision.column, seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for agent, contestant in zip(self.agents, self.plan.agents, strict=True):
            if isinstance(contestant, str):
                agent.close()
