"""Agents asked for a column of every position of a set: the plan, and each answer of its own.

What an agent answers depends on the seed, the position's number in the set and the agent alone,
not on who asks or in what order: each position is a game of its own, asked through the same guard
and under the same limit as a move of a match.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Limit
from claimeven.agents.function_agent import name_of
from claimeven.agents.process.sandbox import Isolation
from claimeven.agents.registry import Contestant, make_agents
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.games.safe_call import begin_game, timed_decision
from claimeven.dataset.scored_sets import ScoredPosition, ScoredSet
from claimeven.game.geometry import Geometry
from claimeven.parallel.jobs import Play
from claimeven.review.analysis import JudgedMove

#: What is kept of an answer.
ANSWER_FIELDS = (
    "agent", "set", "band", "moves", "best", "before", "column", "after", "judgement", "seconds",
    "fault", "reason",
)  # fmt: skip
#: Keeps the generators of positions apart from those of games and openings of the same seed.
_STREAM = 4


@dataclass(frozen=True)
class Answer:
    """What an agent answered in one position: a 0-based column, or None and why there is none.

    `agent` and `position` are numbers, in the plan's `agents` and in its `asked`. `seconds` were
    taken on a clock outside the agent.
    """

    agent: int
    position: int
    column: int | None
    seconds: float = 0.0
    fault: str = ""
    reason: str = ""


@dataclass(frozen=True)
class SetPlan:
    """Everything that decides a measurement: agents, positions with their scores, limit, seed.

    Answers in positions of `tactics`, a set of wins to take and to block, count for these alone.
    """

    agents: tuple[Contestant, ...]
    positions: ScoredSet
    seed: int = 0
    limit: Limit = field(default_factory=Limit)
    isolation: Isolation = field(default_factory=Isolation)
    tactics: ScoredSet | None = None

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise InvalidMatch(f"a seed is 0 or more, not {self.seed}")
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice:
            raise InvalidMatch(f"{twice[0]} is there twice: name each agent once")

    unit = "question"
    patience = None

    @contextmanager
    def begun(self) -> Iterator[Play]:
        """Make the agents, and yield what asks them: see `parallel.jobs.Work`."""
        with Examiner(self) as examiner:
            yield lambda numbers: ((number, examiner.ask(number)) for number in numbers)

    def for_other_machines(self) -> SetPlan:
        """Return the plan itself."""
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """What the agents are called: their specs, or the names of objects and functions."""
        return tuple(name_of(agent) for agent in self.agents)

    @property
    def geometry(self) -> Geometry:
        """The board."""
        return self.positions.positions[0].position.geometry

    @cached_property
    def asked(self) -> tuple[ScoredPosition, ...]:
        """The positions of the set and those of `tactics` behind them."""
        tactics = () if self.tactics is None else self.tactics.positions
        return self.positions.positions + tactics

    @property
    def questions(self) -> int:
        """Number of questions: each agent is asked in each position."""
        return len(self.agents) * len(self.asked)

    def is_tactical(self, position: int) -> bool:
        """Whether a position of `asked`, by its number, is one of `tactics`."""
        return position >= len(self.positions.positions)

    def judged(self, answer: Answer) -> JudgedMove | None:
        """Return what an answer is worth, None if it has no column."""
        asked = self.asked[answer.position]
        if answer.column is None:
            return None
        return JudgedMove(asked.position, answer.column, asked.scores)

    def row_of(self, answer: Answer) -> dict[str, object]:
        """Return an answer and its worth as plain data, by `ANSWER_FIELDS`; columns count from 1.

        A fault has `fault` and `reason`, and None for what an answer has.
        """
        asked, move = self.asked[answer.position], self.judged(answer)
        name = self.tactics.name if self.tactics and self.is_tactical(answer.position) else None
        # The best columns and their score are the same whatever was played.
        any_move = move or JudgedMove(asked.position, asked.position.legal_columns[0], asked.scores)
        best = [column + 1 for column in any_move.best]
        given = (
            (move.column + 1, move.after, move.judgement, answer.seconds) if move else (None,) * 4
        )
        values = (
            self.names[answer.agent], name or self.positions.name, asked.band, asked.moves, best,
            any_move.before, *given, answer.fault or None, answer.reason or None,
        )  # fmt: skip
        return dict(zip(ANSWER_FIELDS, values, strict=True))


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
        place, number = divmod(question, len(self.plan.asked))
        agent, position = self.agents[place], self.plan.asked[number].position
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
