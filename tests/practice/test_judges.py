"""How hard puzzles are: ratings follow from who solves them."""

from __future__ import annotations

import math

import pytest

from claimeven import Position
from claimeven.practice.judges import JUDGES, MEAN, SCALE, SPREAD, Judge, Jury, rating_of

TRIES = [judge.tries for judge in JUDGES]


def likelihood(rating: float, solved: list[int]) -> float:
    """Logarithm of how likely it is that a puzzle of a rating is solved so often."""
    total = -((rating - MEAN) ** 2) / (2 * SPREAD**2)
    for judge, count in zip(JUDGES, solved, strict=True):
        chance = 1 / (1 + 10 ** ((rating - judge.rating) / SCALE))
        total += count * math.log(chance) + (judge.tries - count) * math.log(1 - chance)
    return total


@pytest.mark.parametrize("share", [0, 0.3, 0.6, 1])
def test_a_rating_is_the_most_likely_one(share: float) -> None:
    solved = [round(share * tries) for tries in TRIES]
    best = max(range(0, 3500), key=lambda rating: likelihood(rating, solved))
    assert rating_of(solved) == best


def test_a_puzzle_solved_more_often_is_rated_lower() -> None:
    ratings = [rating_of([min(n, tries) for tries in TRIES]) for n in range(5)]
    assert ratings == sorted(set(ratings), reverse=True)


def test_judges_find_a_win_in_sight() -> None:
    judges = (Judge("greedy:win=yes,block=yes", 1000, 3), Judge("alphabeta:depth=4", 1300))
    jury = Jury(judges=judges)
    position = Position.from_moves("4455")
    assert jury.solved(position, (2,), 0)[1] == 1
    assert jury.solved(position, (0,), 0) == [0, 0]
    assert jury.solved(position, (2, 5, 1), 0)[1] == 1


def test_an_agent_that_draws_lots_tries_anew_each_time() -> None:
    """One column of seven: about 9 of 60 tries find it."""
    jury = Jury(judges=(Judge("random", 1000, 60),))
    (found,) = jury.solved(Position.from_moves("4455"), (2,), 0)
    assert 1 <= found <= 25


def test_the_seed_decides() -> None:
    jury = Jury()
    position = Position.from_moves("543727456472434")
    assert jury.solved(position, (1, 2, 1), 7) == jury.solved(position, (1, 2, 1), 7)
