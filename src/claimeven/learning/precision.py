"""The precision of matrix products: float32, or bfloat16 if the machine is fast at it.

Accelerators, and processors with matrix units (AMX) or bfloat16 products (AVX-512), multiply
numbers of 8 bits of precision many times faster. Sums stay float32.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from claimeven.learning.jax_functions import jax_and_optax

FLOAT32: Final = "float32"
BFLOAT16: Final = "bfloat16"
#: `AUTO` is bfloat16 on machines that are fast at it.
AUTO: Final = "auto"
PRECISIONS: Final = (AUTO, FLOAT32, BFLOAT16)
#: The names in Linux of processor features that multiply matrices of bfloat16.
_CPU_FLAGS: Final = ("amx_bf16", "avx512_bf16")


def precision_here(precision: str) -> str:
    """Return a precision for this machine: `FLOAT32` or `BFLOAT16`."""
    if precision != AUTO:
        return precision
    jax, _ = jax_and_optax()
    return BFLOAT16 if jax.default_backend() != "cpu" or _is_fast_here() else FLOAT32


def _is_fast_here() -> bool:
    """Whether the processor has instructions for matrices of bfloat16."""
    if platform.system() != "Linux":
        return False
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        return False
    return any(name in flags for name in _CPU_FLAGS)


def product_in(precision: str) -> Callable[[Any, Any], Any]:
    """Return the product of two matrices of float32, for JAX to trace: `FLOAT32` or `BFLOAT16`."""
    jax, _ = jax_and_optax()
    if precision == FLOAT32:
        return jax.numpy.matmul  # type: ignore[no-any-return]  # JAX is not typed here
    short = _shortener()

    def times(left: Any, right: Any) -> Any:
        return jax.numpy.dot(left, right, preferred_element_type=jax.numpy.float32)

    @jax.custom_vjp  # type: ignore[untyped-decorator]  # as above
    def product(left: Any, right: Any) -> Any:
        return times(short(left), short(right))

    def forward(left: Any, right: Any) -> Any:
        left, right = short(left), short(right)
        return times(left, right), (left, right)

    def backward(factors: Any, gradient: Any) -> Any:
        (left, right), gradient = factors, short(gradient)
        return times(gradient, short(right.T)), times(short(left.T), gradient)

    product.defvjp(forward, backward)
    return product  # type: ignore[no-any-return]  # as above


def _shortener() -> Callable[[Any], Any]:
    """Return the function that converts a matrix to bfloat16."""
    jax, _ = jax_and_optax()
    if jax.default_backend() != "cpu" or jax.local_device_count() > 1:
        return lambda matrix: jax.numpy.asarray(matrix).astype(jax.numpy.bfloat16)
    from jax.experimental import layout  # noqa: PLC0415 - an extra

    constrained: Callable[..., Any] = layout.with_layout_constraint
    by_rows = layout.Layout((0, 1))

    def short(matrix: Any) -> Any:
        # With any other layout, the product is as slow as in float32.
        return constrained(jax.numpy.asarray(matrix).astype(jax.numpy.bfloat16), by_rows)

    return short
