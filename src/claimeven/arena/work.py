"""What is played, and what an executor is: the one interface of all that play games.

An **executor** plays numbered games of a plan and yields what came of them as they end, in any
order. What is played does not depend on it: a game is a function of the plan and its number.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from claimeven.arena.match import PlayedGame
from claimeven.arena.plan import GamePlan

#: What an executor yields: the number of a game, and what is to be known of it.
Result = tuple[int, Any]


def as_played(plan: GamePlan, played: PlayedGame) -> PlayedGame:
    """Return a game as it was played."""
    return played


@dataclass(frozen=True)
class Work:
    """The games of a plan, and what is to be known of each.

    `record` makes that of a game, where it is played: what comes back from another process can so
    be small. It is a function of a module, which another process finds by its name.
    """

    plan: GamePlan
    keep_decisions: bool = False
    record: Callable[[Any, PlayedGame], Any] = as_played


class Executor(Protocol):
    """Something that plays games."""

    def play(self, work: Work, numbers: Sequence[int]) -> Generator[Result, None, None]:
        """Yield the games of these numbers as they end, each with its number.

        Whoever ends the generator early gives up the games that are being played. Raises
        `InvalidMatch` when a game cannot be played at all.
        """
