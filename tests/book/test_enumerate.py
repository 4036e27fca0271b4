"""Positions of the first plies in arrays, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.book.enumerate import back_up_scores, layers
from claimeven.game.batch import image_counts
from tests import naive
from tests.positions import oracle, random_positions

#: Distinct positions of 7x6 after 0..8 plies (OEIS A212693).
DISTINCT = (1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275)


def test_published_numbers_of_positions() -> None:
    geometry = Geometry()
    found = [
        int(image_counts(layer.keys, geometry).sum()) + layer.decided + layer.drawn
        for layer in layers(geometry, 8)
    ]
    assert tuple(found) == DISTINCT


@pytest.mark.core
@pytest.mark.parametrize("geometry", [Geometry(3, 3, 3), Geometry(4, 2, 3), Geometry(2, 4, 2)])
def test_layers_equal_the_oracle(geometry: Geometry) -> None:
    game = naive.Game(geometry.columns, geometry.rows, geometry.connect)
    expected = naive.positions_by_ply(game, geometry.cells)
    for layer, games in zip(layers(geometry, geometry.cells), expected, strict=True):
        outcomes = [naive.outcome(game) for game in games.values()]
        assert layer.decided == sum(o is not None and o[0] is not None for o in outcomes)
        assert layer.drawn == sum(o is not None and o[0] is None for o in outcomes)
        assert int(image_counts(layer.keys, geometry).sum()) == outcomes.count(None)
        assert (np.diff(layer.keys.astype(object)) > 0).all()


def test_backed_up_scores_equal_the_oracle() -> None:
    geometry = Geometry(3, 4, 3)
    known: dict[object, int] = {}
    scores = {}
    for position in random_positions(geometry, 300, seed=8, ongoing=True):
        scores[position.canonical_key] = naive.score(oracle(position), known)
    found = list(layers(geometry, geometry.cells))
    below = np.zeros(0, dtype=np.int8)
    compared = 0
    for layer, after in zip(found[-2::-1], found[:0:-1], strict=True):
        below = back_up_scores(layer.keys, after.keys, below, geometry)
        for key, score in zip(layer.keys.tolist(), below.tolist(), strict=True):
            if key in scores:
                compared += 1
                assert score == scores[key]
    assert compared == len(scores)
    assert below.tolist() == [naive.score(oracle(Position(geometry)), known)]
