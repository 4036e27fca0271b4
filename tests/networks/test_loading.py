"""The contract of every model of a search with priors: see `PolicyValue`."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry
from claimeven.networks import (
    InvalidNetwork,
    ModelFile,
    PolicyValue,
    PuctOptions,
    UniformPolicyValue,
    default_policy_value,
    read_policy_value,
    recommended_options,
    write_model,
)
from claimeven.networks.loading import BUNDLED_NTUPLE
from claimeven.networks.net import SearchDefaults
from tests import naive
from tests.networks.net.support import drawn_net
from tests.positions import oracle, random_position

MODELS = {
    "default": default_policy_value,
    "uniform": UniformPolicyValue,
    "uniform, small": lambda: UniformPolicyValue(Geometry(4, 4, 3)),
}


@pytest.fixture(scope="module", params=MODELS, ids=str)
def model(request: pytest.FixtureRequest) -> PolicyValue:
    return MODELS[request.param]()


def test_a_model_keeps_to_its_contract(model: PolicyValue) -> None:
    """Types, ranges, full columns; one by one as in one call; mirror images; from threads."""
    rng = random.Random(5)
    positions = [random_position(rng, model.geometry, ongoing=True) for _ in range(60)]
    images = [position.mirror() for position in positions]
    mines, masks = (
        np.array([getattr(each, word) for each in [*positions, *images]], dtype=np.uint64)
        for word in ("mine", "mask")
    )
    model.load()
    values, priors = model.evaluate(mines, masks)
    columns = model.geometry.columns
    assert (values.shape, priors.shape) == ((120,), (120, columns))
    assert values.dtype == priors.dtype == np.float32
    assert np.abs(values).max() <= 1.0
    assert priors.sum(axis=1) == pytest.approx(np.ones(120), abs=1e-5)
    for position, likely in zip(positions, priors, strict=False):
        legal: naive.Game = oracle(position)
        assert all(likely[c] == 0.0 for c in range(columns) if c not in legal.legal())
        assert likely.min() >= 0.0
    assert values[:60] == pytest.approx(values[60:], abs=1e-5)
    assert np.abs(priors[:60] - priors[60:, ::-1]).max() < 1e-5

    def alone(number: int) -> tuple[float, list[float]]:
        one = slice(number, number + 1)
        value, likely = model.evaluate(mines[one], masks[one])
        return float(value[0]), likely[0].tolist()

    with ThreadPoolExecutor(4) as threads:
        output = list(threads.map(alone, range(120)))
    assert [value for value, _ in output] == pytest.approx(values.tolist(), abs=1e-5)
    assert np.abs(np.array([likely for _, likely in output]) - priors).max() < 1e-5


def test_a_search_has_the_options_that_suit_its_model() -> None:
    suits = SearchDefaults(c=0.25, prior_temperature=2.0)
    for made, c, prior_temperature in (
        (drawn_net(search_defaults=suits), 0.25, 2.0),
        (read_policy_value(BUNDLED_NTUPLE), 1.5, 1.0),
        (UniformPolicyValue(), 3.0, 1.0),
    ):
        found = recommended_options(made)
        assert found == PuctOptions(c=c, prior_temperature=prior_temperature)
        assert recommended_options(made, c=7, leaves=3) == replace(found, c=7, leaves=3)


def test_files_that_are_not_models_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    write_model(path, ModelFile("net checkpoint", Geometry(), {}))
    with pytest.raises(
        InvalidNetwork, match=r"run\.npz holds .* kind 'net checkpoint', which has no values"
    ):
        read_policy_value(path)
    with pytest.raises(InvalidNetwork, match="no bundled model is for 7x6 connect 5"):
        default_policy_value(Geometry(7, 6, 5))
    assert default_policy_value() is default_policy_value()  # it is read once


def test_no_positions_are_judged_at_all(model: PolicyValue) -> None:
    none = np.zeros(0, dtype=np.uint64)
    values, priors = model.evaluate(none, none)
    assert (values.shape, priors.shape) == ((0,), (0, model.geometry.columns))
