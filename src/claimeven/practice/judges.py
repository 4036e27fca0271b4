"""How hard a puzzle is: the rating at which an agent solves it half the time.

Thirteen weak agents try each puzzle; those that draw lots try several times. A try counts if every
column of the solution is found. The agents' ratings are fixed: they were fitted together with
those of many puzzles, 400 points for odds of ten to one and 1500 for the mean of those puzzles
(`bench/puzzle_judges.py`). A puzzle's rating is the most likely one, given who solved it and that
ratings of puzzles spread around 1500.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from claimeven.agents.contract import Agent, Limit
from claimeven.agents.registry import make_agent
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position

#: Rating points for odds of ten to one, the mean rating of puzzles and how far they spread.
SCALE, MEAN, SPREAD = 400.0, 1500.0, 350.0
#: Changes of a rating below this end its search.
_CLOSE = 0.01
#: Keeps the generators of tries apart from those of games of the same seed.
_STREAM = 7


@dataclass(frozen=True)
class Judge:
    """An agent that tries puzzles: its spec, its rating, and how often it tries each one."""

    spec: str
    rating: float
    tries: int = 1


#: Who tries the puzzles; what they answer depends on no clock.
JUDGES = (
    Judge("greedy:win=yes,block=yes", 1055, 4),
    Judge("alphabeta:depth=2,eval=triples", 1223),
    Judge("alphabeta:depth=2,order=left", 1370),
    Judge("alphabeta:depth=4,eval=triples", 1350),
    Judge("alphabeta:depth=4,order=left", 1493),
    Judge("alphabeta:depth=6", 1600),
    Judge("alphabeta:depth=8,eval=triples", 1498),
    Judge("alphabeta:depth=10", 1721),
    Judge("uct:iterations=25", 1344, 4),
    Judge("uct:iterations=100", 1549, 4),
    Judge("uct:iterations=400", 1685, 4),
    Judge("uct:iterations=1600", 1802, 4),
    Judge("uct:iterations=6400", 1883, 2),
)


class Jury:
    """The judges, ready to try puzzles of a board."""

    def __init__(self, geometry: Geometry = STANDARD, judges: Sequence[Judge] = JUDGES) -> None:
        self.judges = judges
        self.agents = [make_agent(judge.spec, geometry) for judge in judges]
        for agent in self.agents:
            agent.load(geometry)

    def solved(self, position: Position, solution: Sequence[int], seed: int) -> list[int]:
        """Return for each judge how many of its tries found every column of a solution."""
        return [
            sum(_finds(agent, position, solution, seed, attempt) for attempt in range(judge.tries))
            for judge, agent in zip(self.judges, self.agents, strict=True)
        ]

    def rating(self, position: Position, solution: Sequence[int], seed: int) -> int:
        """Return the rating of a puzzle."""
        return rating_of(self.solved(position, solution, seed), self.judges)


def rating_of(solved: Sequence[int], judges: Sequence[Judge] = JUDGES) -> int:
    """Return the most likely rating of a puzzle that each judge solved so many times.

    >>> tries = [judge.tries for judge in JUDGES]
    >>> rating_of(tries) < 1000 < 2200 < rating_of([0] * len(tries))
    True
    """
    unit = SCALE / math.log(10)
    rating = MEAN
    for _ in range(100):
        slope = (MEAN - rating) / SPREAD**2
        bend = 1 / SPREAD**2
        for judge, count in zip(judges, solved, strict=True):
            chance = 1 / (1 + math.exp((rating - judge.rating) / unit))
            slope += (judge.tries * chance - count) / unit
            bend += judge.tries * chance * (1 - chance) / unit**2
        step = max(-SCALE, min(SCALE, slope / bend))
        rating += step
        if abs(step) < _CLOSE:
            break
    return round(rating)


def _finds(
    agent: Agent, position: Position, solution: Sequence[int], seed: int, attempt: int
) -> bool:
    """Whether an agent finds every column of a solution that is the side to move's."""
    rng = np.random.default_rng([seed, _STREAM, attempt])
    agent.note_generator(rng)
    agent.reset()
    for place, column in enumerate(solution):
        if place % 2 == 0 and agent.choose(position, Limit(), rng).column != column:
            return False
        position = position.play(column)
    return True
