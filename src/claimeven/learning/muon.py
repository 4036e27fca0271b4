"""Muon: an optimizer that changes the matrix of a hidden layer equally in all directions.

The momentum of a matrix is made orthogonal by a few Newton-Schulz steps. AdamW with Nesterov
momentum changes all other weights.

Sources: Jordan and others, "Muon: an optimizer for hidden layers in neural networks" (2024), for
the method and the numbers of its polynomial; Liu and others, "Muon is scalable for LLM training"
(2025), for the length of its steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from claimeven.learning.jax_functions import jax_and_optax, product_in

#: Coefficients of x, x^3 and x^5 in the polynomial that moves singular values to 1, and the number
#: of its applications.
_POLYNOMIAL: Final = (3.4445, -4.7750, 2.0315)
_REPETITIONS: Final = 5
_MOMENTUM: Final = 0.95
#: The length of a step relative to a typical step of AdamW.
_LENGTH: Final = 0.2
_TINY: Final = 1e-8
_HIDDEN, _OTHER = "hidden", "other"


def muon(rate: Any, decay: Any, precision: str) -> Any:
    """Return the optimizer of weights by name, for optax, with a learning rate and weight decay.

    The products of a step have the `precision` `FLOAT32` or `BFLOAT16`. Muon changes weights with
    two axes, except the weights of the output (`out_...`).
    """
    jax, optax = jax_and_optax()
    orthogonal = partial(orthogonalized, precision=precision)
    of_hidden = optax.chain(
        optax.trace(_MOMENTUM, nesterov=True),
        optax.stateless(lambda changes, _: jax.tree.map(orthogonal, changes)),
        optax.add_decayed_weights(decay),
        optax.scale_by_learning_rate(rate),
    )
    return optax.partition(
        {_HIDDEN: of_hidden, _OTHER: optax.adamw(rate, weight_decay=decay, nesterov=True)}, _kinds
    )


def _kinds(weights: Mapping[str, Any]) -> dict[str, str]:
    """Return the kind of each weight: `_HIDDEN` for the matrices of hidden layers."""
    return {
        name: _OTHER if name.startswith("out_") or getattr(array, "ndim", 2) != 2 else _HIDDEN
        for name, array in weights.items()
    }


def orthogonalized(matrix: Any, precision: str) -> Any:
    """Return a matrix of float32, (rows, columns), with its directions about equally long.

    Its singular values become 0.5 to 1.3 times 0.2 * sqrt(the longer side), except very small ones.
    Its numbers are then about as large as in a typical step of AdamW.
    """
    jax, _ = jax_and_optax()
    jnp, product = jax.numpy, product_in(precision)
    rows, columns = matrix.shape
    wide = matrix if rows <= columns else matrix.T
    wide = wide / (jnp.linalg.norm(wide) + _TINY)
    first, third, fifth = _POLYNOMIAL
    for _ in range(_REPETITIONS):
        square = product(wide, wide.T)
        both = third * square + fifth * product(square, square)
        wide = first * wide + product(both, wide)
    length = _LENGTH * max(rows, columns) ** 0.5
    return length * (wide if rows <= columns else wide.T)
