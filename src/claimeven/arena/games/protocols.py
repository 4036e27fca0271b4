"""What whoever plays games needs of a plan, be it of a match or of a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from claimeven.agents.base import Limit
from claimeven.agents.process.sandbox import Isolation
from claimeven.agents.registry import Contestant
from claimeven.arena.games.provenance import Provenance
from claimeven.arena.games.schedule import Pairing
from claimeven.game.geometry import Geometry


class GameSchedule(Protocol):
    """Which games are played: a pure function of the plan, whoever plays them."""

    @property
    def games(self) -> int:
        """Number of games."""

    @property
    def geometry(self) -> Geometry:
        """The board."""

    def pairing(self, number: int) -> Pairing:
        """Return the game of a number."""

    def generators(self, number: int) -> tuple[np.random.Generator, np.random.Generator]:
        """Return the random generators of a game's agents, in the order of the plan."""


class GamePlan(Protocol):
    """Everything that decides some games: agents, schedule, the limit of each move."""

    @property
    def agents(self) -> Sequence[Contestant]:
        """Specs, or agents and functions of the calling process."""

    @property
    def schedule(self) -> GameSchedule:
        """Which games are played."""

    def limit_of(self, agent: int) -> Limit:
        """Return how much an agent, by its place, may do for a move."""

    @property
    def isolation(self) -> Isolation:
        """Which agents play in processes of their own, and what these may hold."""

    def look_at_files(self) -> Provenance:
        """Return what decides how the agents play besides their specs, as their files are now."""

    @property
    def is_portable(self) -> bool:
        """Whether other processes can play it: all agents are specs."""
