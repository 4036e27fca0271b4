"""A forest asked for what it cannot do, stopped in the middle, and what it holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from claimeven.errors import ClaimevenError
from claimeven.game import Geometry, Position
from claimeven.networks.policy_value import Floats, UniformPolicyValue, Words
from claimeven.networks.puct import PuctForest, PuctOptions
from tests.networks.puct.support import Hashed, check_laws

WON = Position.from_moves("1213141")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"trees": 0}, "trees must be a whole number from 1"),
        ({"nodes_each": 7}, "nodes_each must be a whole number from 8"),
        ({"trees": 60_000, "nodes_each": 1_000_000}, "nodes_each must be"),
        ({"geometry": Geometry(9, 9)}, "64"),
    ],
)
def test_bad_sizes(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ClaimevenError, match=told):
        PuctForest(**given)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"c": -1.0}, "c must be a number from 0 to 1000, not -1.0"),
        ({"c": float("nan")}, "c must be"),
        ({"fpu": 3}, "fpu must be a number from 0 to 2, not 3"),
        ({"prior_temperature": 0}, "prior_temperature must be a number from 0.1 to 10, not 0"),
        ({"solver": 1}, "solver must be true or false"),
    ],
)
def test_bad_options(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ClaimevenError, match=told):
        PuctOptions(**given)


def test_bad_calls() -> None:
    forest = PuctForest(trees=2)
    model = UniformPolicyValue()
    with pytest.raises(ClaimevenError, match="the game is over"):
        forest.reset(0, WON)
    for begin in (forest.reset, forest.move_to):
        with pytest.raises(ClaimevenError, match="is of"):
            begin(0, Position(Geometry(5, 4)))
    with pytest.raises(ClaimevenError, match="tree must be a whole number from 0 to 1"):
        forest.reset(2)
    with pytest.raises(ClaimevenError, match="leaves must be"):
        forest.gather(0)
    with pytest.raises(ClaimevenError, match=r"column 8 \(counted from 0\) is not on the board"):
        forest.advance(0, 8)
    with pytest.raises(ClaimevenError, match="temperature must be"):
        forest.policies(-1.0)
    for share, concentration, told in (
        (-0.5, 1.0, "share must be a number from 0 to 1, not -0.5"),
        (2.0, 1.0, "share must be a number from 0 to 1, not 2.0"),  # priors would be negative
        (0.25, 0.0, "concentration must be a number from 0.001 to 1000, not 0.0"),  # or nothing
        (0.25, float("nan"), "concentration must be"),
    ):
        with pytest.raises(ClaimevenError, match=told):
            forest.add_noise(np.random.default_rng(1), share, concentration)
    values, priors = model.evaluate(*forest.gather())
    for call in (lambda: forest.reset(0), lambda: forest.advance(0, 3), forest.gather):
        with pytest.raises(ClaimevenError, match="back them up first"):
            call()
    for bad in ((values[:1], priors), (values, priors[:, :6]), (values.astype(float), priors)):
        with pytest.raises(ClaimevenError, match="must be float32 of shape"):
            forest.back_up(*bad)
    forest.back_up(values, priors)
    assert forest.iterations().tolist() == [1, 1]


def test_the_end_of_a_game() -> None:
    """A tree whose game is over takes no more part."""
    forest = PuctForest(trees=2)
    forest.reset(0, Position.from_moves("121314"))
    forest.advance(0, 0)
    assert forest.is_over().tolist() == [True, False]
    assert forest.results().tolist() == [-1, 0]
    assert forest.run(UniformPolicyValue(), 10) == 10
    assert forest.policies().sum(axis=1).tolist() == pytest.approx([0.0, 1.0])
    with pytest.raises(ClaimevenError, match="the game is over"):
        forest.advance(0, 1)
    forest.reset(0)
    assert not forest.is_over().any()


def test_a_model_that_fails() -> None:
    """What waited is dropped, and the search goes on as if nothing had happened."""

    class Failing(Hashed):
        def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
            if self.asked > 20:
                raise KeyboardInterrupt
            return super().evaluate(mines, masks)

    forests = [PuctForest(nodes_each=3000) for _ in range(2)]
    with pytest.raises(KeyboardInterrupt):
        forests[0].run(Failing(Geometry()), 60, leaves=4)
    check_laws(forests[0])
    model = Hashed(Geometry())
    forests[0].run(model, 60 - forests[0].iterations(), leaves=4)
    forests[1].run(model, 60, leaves=4)
    check_laws(forests[0])
    assert forests[0].iterations().tolist() == forests[1].iterations().tolist() == [60]


def test_memory_is_bounded() -> None:
    """A full tree says so, grows no further, and still counts iterations."""
    forest = PuctForest(nodes_each=100)
    assert forest.memory == 100 * 28
    forest.run(Hashed(Geometry()), 500, leaves=8)
    assert forest.is_full(0)
    assert forest.used(0) <= 100
    assert forest.iterations()[0] == 500
    forest.advance(0, int(forest.visits()[0].argmax()))
    assert not forest.is_full(0)
    assert forest.used(0) < 100
    forest.run(Hashed(Geometry()), 3)
    assert forest.used(0) > 1
