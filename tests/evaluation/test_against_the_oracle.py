"""Counts and evaluations, readable and compiled, against the oracle on random positions."""

from __future__ import annotations

import random

import pytest

from claimeven import Geometry, Position
from claimeven.evaluation import COUNTERS, EVALUATIONS, count_by_length, sequence_list
from tests import naive
from tests.evaluation.single import evaluate_compiled
from tests.game.test_position import grid_of
from tests.positions import BOARDS, random_position

#: 6,000 in all: most on the four sizes of up to 20 cells, for which the oracle is quick.
EVALUATED = {geometry: 1300 if geometry.cells <= 20 else 100 for geometry in BOARDS}
COUNTED_A_SIZE = 20

ORACLES = {
    "sequences": naive.sequences,
    "windows": naive.windows_value,
    "windows-symmetric": lambda game: naive.windows_value(game, naive.SYMMETRIC_WEIGHTS),
    "streaks": naive.streaks,
    "triples": naive.triples,
}


def game_of(position: Position) -> naive.Game:
    geometry = position.geometry
    game = naive.Game(geometry.columns, geometry.rows, geometry.connect)
    game.grid, game.player = grid_of(position), position.turn
    return game


def test_every_evaluation_has_an_oracle() -> None:
    assert sum(EVALUATED.values()) >= 6_000
    assert set(EVALUATIONS) == set(ORACLES)


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_evaluations(geometry: Geometry) -> None:
    rng = random.Random(geometry.cells)
    drawn = [random_position(rng, geometry) for _ in range(EVALUATED[geometry])]
    for position in set(drawn):  # on small boards many come more than once
        game = game_of(position)
        for name, evaluation in EVALUATIONS.items():
            expected = ORACLES[name](game)
            assert evaluation(position) == expected
            if geometry.fits_word:
                assert evaluate_compiled(evaluation, position) == expected


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_counts_four_ways(geometry: Geometry) -> None:
    rng = random.Random(geometry.cells)
    for _ in range(COUNTED_A_SIZE):
        position = random_position(rng, geometry)
        game = game_of(position)
        for player, discs in enumerate(position.discs):
            sequences = sequence_list(position, player)
            for length in range(1, geometry.connect + 1):
                expected = naive.count_by_length(game.grid, player, length)
                assert count_by_length(position, player, length) == expected
                counts = {name: count(discs, geometry, length) for name, count in COUNTERS.items()}
                assert counts == dict.fromkeys(COUNTERS, expected)
                listed = [each for each in sequences if each.length == length]
                assert len(listed) == expected
