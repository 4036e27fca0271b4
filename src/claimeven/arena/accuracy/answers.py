"""Questions to agents as work of the arena's executors: several processes ask them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from claimeven.agents.registry import Contestant
from claimeven.arena.accuracy.query_agents import Answer, Examiner, SetPlan
from claimeven.arena.executors.work import Play


@dataclass(frozen=True)
class Questions:
    """The questions of a plan by their numbers: an `AnyWork`."""

    plan: SetPlan
    unit = "question"
    patience = None

    @property
    def agents(self) -> Sequence[Contestant]:
        """The agents that are asked."""
        return self.plan.agents

    @contextmanager
    def begun(self) -> Iterator[Play]:
        """Make the agents, and yield what asks them."""
        with Examiner(self.plan) as examiner:

            def ask(numbers: Sequence[int]) -> Iterator[tuple[int, Answer]]:
                for number in numbers:
                    yield number, examiner.ask(number)

            yield ask
