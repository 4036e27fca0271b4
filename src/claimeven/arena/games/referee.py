"""Who plays the games of a plan: its agents, made once, and one game after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from claimeven.agents.base import Agent
from claimeven.agents.process.agent import MAX_PROCESSES, ProcessAgent
from claimeven.agents.registry import make_agents
from claimeven.arena.games.game import play_game
from claimeven.arena.games.match import PlayedGame
from claimeven.arena.games.protocols import GamePlan
from claimeven.game.position import Position

#: How far ahead it is seen who is needed when: so many games for each agent.
_LOOK_AHEAD = 4


class Referee:
    """Plays the games of a plan in this process, with agents of its own.

    The agents are made and loaded at once, before any clock runs; with `resting`, for a process
    that plays for one which has tried them all, those with processes of their own when they first
    play. Raises `InvalidSpec` and `InvalidLimit` for agents that cannot be made, or not for this
    board or limit. A context that gives back what the agents hold at its end.
    """

    def __init__(self, plan: GamePlan, keep_decisions: bool = False, resting: bool = False) -> None:
        self.plan = plan
        self.keep_decisions = keep_decisions
        self.agents: list[Agent] = make_agents(
            plan.agents,
            plan.schedule.geometry,
            [plan.limit_of(place) for place in range(len(plan.agents))],
            plan.isolation,
            resting,
        )
        self._rest_others(0)

    @property
    def why_alone(self) -> str | None:
        """Why one process must play all games in order, in a sentence; None if several may."""
        for agent in self.agents:
            if agent.remembers:
                return f"{agent.name} remembers earlier games: one process plays them, in order"
            if not agent.timed:
                return f"{agent.name} sits at this terminal: one process plays all games"
        return None

    @property
    def texts(self) -> dict[str, bytes]:
        """What the files of the agents held when they were made: see `agents.texts`."""
        processes = [agent for agent in self.agents if isinstance(agent, ProcessAgent)]
        return {place: text for agent in processes for place, text in agent.texts.items()}

    def play(self, number: int, watch: Callable[[Position, int], None] | None = None) -> PlayedGame:
        """Play the game of that number of the schedule."""
        pairing = self.plan.schedule.pairing(number)
        seats = [self.agents[pairing.first], self.agents[pairing.second]]
        self._rest_others(number)
        generators = self.plan.schedule.generators(number)
        if pairing.first > pairing.second:
            generators = generators[::-1]
        game = play_game(
            seats,
            pairing.opening,
            [self.plan.limit_of(place) for place in (pairing.first, pairing.second)],
            generators,
            watch,
            self.keep_decisions,
        )
        return PlayedGame(number, pairing.first, pairing.second, game)

    def _rest_others(self, number: int) -> None:
        """Let processes end of agents that are needed last from this game on; they begin anew then.

        Who has not played for longest is the next to play in a round robin: to end that one would
        begin a process for nearly every pair.
        """
        if len(self.agents) <= MAX_PROCESSES:
            return
        processes = [
            place
            for place, agent in enumerate(self.agents)
            if isinstance(agent, ProcessAgent) and agent.process is not None and not agent.remembers
        ]
        too_many = len(processes) - MAX_PROCESSES
        if too_many <= 0:
            return
        needed: list[int] = []
        last = min(number + _LOOK_AHEAD * len(self.agents), self.plan.schedule.games)
        for pairing in map(self.plan.schedule.pairing, range(number, last)):
            needed += [each for each in (pairing.first, pairing.second) if each not in needed]
        wanted = needed[:2]
        processes.sort(key=lambda place: needed.index(place) if place in needed else len(needed))
        for place in processes[-too_many:]:
            if place not in wanted:
                self.agents[place].close()

    def close(self) -> None:
        """Close the agents that were made here from specs."""
        for agent, contestant in zip(self.agents, self.plan.agents, strict=True):
            if isinstance(contestant, str):
                agent.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
