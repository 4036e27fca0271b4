"""Muon compared with optax, with singular values, and in bfloat16."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from claimeven.learning.jax_functions import BFLOAT16, FLOAT32
from claimeven.learning.net_training import muon, orthogonalized
from tests.learning.needs import compiled

#: A tall matrix, a wide one, one of an output and an array that is not a matrix.
SIZES = {"in_sum": (9, 6), "block0_sum": (6, 8), "out_sum": (8, 3), "in_bias": (6,), "t": (2, 3, 4)}


def of_optax(rate: float, decay: float) -> Any:
    import optax

    lies = optax.contrib.MuonDimensionNumbers(reduction_axis=0, output_axis=1)
    hidden = {name: lies if name in ("in_sum", "block0_sum") else None for name in SIZES}
    return optax.contrib.muon(
        rate,
        weight_decay=decay,
        adam_weight_decay=decay,
        consistent_rms=0.2,
        muon_weight_dimension_numbers=hidden,
    )


def drawn(rng: np.random.Generator) -> dict[str, Any]:
    return {name: rng.normal(size=size).astype(np.float32) for name, size in SIZES.items()}


def test_a_first_step_equals_optax() -> None:
    """Later ones differ, since optax corrects the momentum of first steps for what came before."""
    rng = np.random.default_rng(1)
    weights, gradients, rate, decay = drawn(rng), drawn(rng), 0.03, 0.2
    changes = []
    for optimizer in (muon(rate, decay, FLOAT32), of_optax(rate, decay)):
        state = compiled(optimizer.init)(weights)
        changes.append(compiled(optimizer.update)(gradients, state, weights)[0])
    for name in SIZES:
        assert np.abs(changes[0][name]).max() > rate / 10
        assert np.asarray(changes[0][name]) == pytest.approx(np.asarray(changes[1][name]), abs=1e-6)


def test_steps_draw_singular_values_of_the_momentum_to_one() -> None:
    rng = np.random.default_rng(3)
    weights, rate, name = drawn(rng), 0.03, "in_sum"
    optimizer = muon(rate, 0.0, FLOAT32)
    state, momentum = compiled(optimizer.init)(weights), np.zeros(SIZES[name])
    update = compiled(optimizer.update)
    for _ in range(4):
        gradients = drawn(rng)
        changes, state = update(gradients, state, weights)
        momentum = 0.95 * momentum + gradients[name]
        left, sizes, right = np.linalg.svd(gradients[name] + 0.95 * momentum, full_matrices=False)
        sizes /= np.sqrt((sizes**2).sum())
        for _ in range(5):
            sizes = 3.4445 * sizes - 4.7750 * sizes**3 + 2.0315 * sizes**5
        expected = -rate * 0.2 * 3 * left @ np.diag(sizes) @ right
        assert np.asarray(changes[name]) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("size", [(40, 24), (24, 40), (32, 32)])
def test_short_numbers_are_as_good(size: tuple[int, int]) -> None:
    """All directions are about equally long, and close to the directions in float32."""
    matrix = np.random.default_rng(2).normal(size=size).astype(np.float32)
    long, short = (
        np.asarray(compiled(lambda m, p=precision: orthogonalized(m, p))(matrix))
        for precision in (FLOAT32, BFLOAT16)
    )
    rms = np.sqrt((long**2).mean())
    assert 0 < np.sqrt(((long - short) ** 2).mean()) < 0.03 * rms
    lengths = np.linalg.svd(short, compute_uv=False) / (0.2 * max(size) ** 0.5)
    assert lengths.min() > 0.5
    assert lengths.max() < 1.3
