"""How good a learning agent is, against what is true; never used to learn from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

import numpy as np

from claimeven.agents.base import Agent, Limit
from claimeven.agents.registry import make_agent
from claimeven.arena.accuracy.measure import measure_accuracy
from claimeven.arena.games.game import play_game
from claimeven.dataset.scored_sets import shipped_set
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.learning.run_dir import InvalidRun

#: The opponent that knows everything: it takes the quickest win, resists as long as it can, and
#: draws among equally good columns.
PERFECT = "perfect:pick=random"


class Measured(TypedDict):
    """What is known of an agent: shares from 0 to 1, None where there is nothing to measure by.

    `perfect` of its answers on the shipped positions keep the exact score, `keeping` win, draw or
    loss; positions where every column does are left out. `against_perfect` is its score as first
    player against `PERFECT`, a win 1, a draw 1/2.
    """

    perfect: float | None
    keeping: float | None
    against_perfect: float | None


def measure_learner(
    agent: Agent, geometry: Geometry, games: int, seed: int, count: int | None = None
) -> Measured:
    """Measure an agent by `count` of the shipped positions (all) and so many games."""
    perfect = keeping = None
    if shipped_set(geometry) is not None:
        found = measure_accuracy(agent, count=count, geometry=geometry, seed=seed).accuracy
        perfect, keeping = found.all.mean("perfect"), found.decisive.mean("keeping")
    against = score_against_perfect(agent, geometry, games, seed) if games else None
    return {"perfect": perfect, "keeping": keeping, "against_perfect": against}


def score_against_perfect(
    agent: Agent,
    geometry: Geometry,
    games: int,
    seed: int,
    watch: Callable[[int], object] | None = None,
) -> float:
    """Return the score of an agent as first player against `PERFECT`, from 0 to 1.

    All games begin on the empty board; the opponent's choices make them differ. A seed fixes them.
    Raises `InvalidRun` for less than one game.
    """
    if games < 1:
        raise InvalidRun(f"games is {games}: 1 or more can be")
    opponent = make_agent(PERFECT, geometry)
    points = 0.0
    try:
        for number in range(games):
            generators = [np.random.default_rng([seed, number, seat]) for seat in range(2)]
            game = play_game([agent, opponent], Position(geometry), Limit(), generators)
            winner = game.winner
            points += 0.5 if winner is None else float(winner == 0)
            if watch is not None:
                watch(number + 1)
    finally:
        opponent.close()
    return points / games
