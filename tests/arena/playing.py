"""Plans of matches, and their games played here or by several processes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from claimeven.agents.registry import AgentLike
from claimeven.arena.api import match_plan
from claimeven.arena.games.game import Game
from claimeven.arena.games.plan import Plan
from claimeven.arena.options import MatchOptions
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments.run import in_order, run
from claimeven.parallel.executors import local_workers
from claimeven.parallel.jobs import Result
from claimeven.parallel.jobs import Workload as AnyWork


def match(first: AgentLike = "random", second: AgentLike = "greedy", **settings: Any) -> Plan:
    """Return the plan of a match; with the settings of `play_match`."""
    return match_plan(first, second, MatchOptions.of(None, settings))


def played(
    plan: Plan,
    jobs: int = 1,
    store: Store | None = None,
    on_message: Callable[[str], object] | None = None,
) -> list[Game]:
    """Return all games of a plan in their order."""
    return list(in_order(plan, run(plan, local_workers(jobs), store, on_message), store))


class Here:
    """An executor that plays in this process, and notes which games it was asked for."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def play(self, work: AnyWork, numbers: Sequence[int]) -> Generator[Result, None, None]:
        self.asked += numbers
        with work.runner() as play:
            yield from (result for result in play(numbers) if result is not None)
