"""What is played, and what an executor is: the one interface of all that play games.

An **executor** plays numbered games of some work and yields what came of them as they end, in any
order. What is played does not depend on it: a game is a function of the work and its number. Most
work is the games of a plan; `learning` has games of self-play, many to a number.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from claimeven.agents.source_snapshot import hold
from claimeven.arena.games.match import PlayedGame
from claimeven.arena.games.protocols import GamePlan
from claimeven.arena.games.referee import Referee

#: What an executor yields: the number of a game, and what is to be known of it.
Result = tuple[int, Any]
#: What plays games by their numbers, one after the other in the order asked for. None in between is
#: a sign of life: the game goes on.
Play = Callable[[Sequence[int]], Iterator[Result | None]]
#: What takes a sentence for people: what has happened to those who play.
Tell = Callable[[str], object]


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
    texts: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def agents(self) -> tuple[Any, ...]:
        """Who plays, for what must be alike on all machines: see `AnyWork`."""
        return tuple(self.plan.agents)

    @property
    def unit(self) -> str:
        """What a number stands for: see `AnyWork`."""
        return "game"

    @property
    def patience(self) -> float | None:
        """A move may take any time, and its clock is the referee's: see `AnyWork`."""
        return None

    @contextmanager
    def begun(self) -> Iterator[Play]:
        """Make the agents in a process that does nothing else, and play: see `AnyWork`."""
        hold(self.texts)
        with Referee(self.plan, self.keep_decisions, resting=True) as referee:
            yield lambda numbers: self.played_by(referee, numbers)

    def played_by(self, referee: Referee, numbers: Sequence[int]) -> Iterator[Result]:
        """Yield the games of these numbers as they end."""
        for number in numbers:
            yield number, self.record(self.plan, referee.play(number))


class AnyWork(Protocol):
    """What an executor has done elsewhere: it must be possible to pickle it."""

    @property
    def agents(self) -> Sequence[Any]:
        """Specs of agents whose files must be the same on all machines; other objects are no
        matter.
        """

    @property
    def unit(self) -> str:
        """What a number stands for, to tell people of: a game, or a task of many."""

    @property
    def patience(self) -> float | None:
        """Seconds without a game or a sign of life after which a worker is taken to hang, and what
        it has not played is given to another; None: as long as it lives.
        """

    def begun(self) -> AbstractContextManager[Play]:
        """Make ready what plays the games, in the process that is to play them. Raises what makes
        it impossible, a `ClaimevenError`, which is raised where the executor is.
        """


class Executor(Protocol):
    """Something that plays games."""

    def play(self, work: AnyWork, numbers: Sequence[int]) -> Generator[Result, None, None]:
        """Yield the games of these numbers as they end, each with its number.

        Whoever ends the generator early gives up the games that are being played. Raises
        `InvalidMatch` when a game cannot be played at all.
        """
