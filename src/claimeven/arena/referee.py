"""Who plays the games of a plan: two agents, made once, and one game after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Self

from claimeven.agents.contract import Agent
from claimeven.agents.registry import make_agents
from claimeven.arena.game import play_game
from claimeven.arena.match import MatchPlan, PlayedGame
from claimeven.game.position import Position


class Referee:
    """Plays the games of a plan in this process, with agents of its own.

    The agents are made and loaded at once, before any clock runs. Raises `InvalidSpec` and
    `InvalidLimit` for agents that cannot be made, or not for this board or limit. A context that
    gives back what the agents hold at its end.
    """

    def __init__(self, plan: MatchPlan, keep_decisions: bool = False) -> None:
        self.plan = plan
        self.keep_decisions = keep_decisions
        board = plan.schedule.opening.root.geometry
        first, second = make_agents(plan.agents, board, plan.limit)
        self.agents: tuple[Agent, Agent] = (first, second)

    @property
    def remembers(self) -> bool:
        """Whether the games must be played in order, by one process: an agent learns from them."""
        return any(agent.remembers for agent in self.agents)

    def play(self, number: int, watch: Callable[[Position, int], None] | None = None) -> PlayedGame:
        """Play the game of that number of the schedule."""
        pairing = self.plan.schedule.pairing(number)
        seats: Sequence[Agent] = self.agents if pairing.first == 0 else self.agents[::-1]
        generators = self.plan.schedule.generators(number)
        if pairing.first == 1:
            generators = generators[::-1]
        game = play_game(
            seats, pairing.opening, self.plan.limit, generators, watch, self.keep_decisions
        )
        return PlayedGame(number, pairing.first, game)

    def play_all(self) -> Iterator[PlayedGame]:
        """Play every game of the schedule in order."""
        for number in range(self.plan.schedule.games):
            yield self.play(number)

    def close(self) -> None:
        """Close the agents that were made here from specs."""
        for agent, contestant in zip(self.agents, self.plan.agents, strict=True):
            if isinstance(contestant, str):
                agent.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
