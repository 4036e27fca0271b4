"""In which numbers matrices are multiplied: float32, or bfloat16 where that is quick.

Accelerators and processors with matrix units (AMX) or products of bfloat16 (AVX-512) multiply
numbers of 8 bits of precision many times faster; sums stay float32.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from claimeven.learning.jax_functions import jax_and_optax

FLOAT32: Final = "float32"
BFLOAT16: Final = "bfloat16"
#: `AUTO` is bfloat16 where that is quick.
AUTO: Final = "auto"
PRECISIONS: Final = (AUTO, FLOAT32, BFLOAT16)
#: What processors are that multiply matrices of bfloat16 in instructions of their own, as Linux
#: names it.
_QUICK: Final = ("amx_bf16", "avx512_bf16")


def precision_here(precision: str) -> str:
    """Return what a precision means on this machine: `FLOAT32` or `BFLOAT16`."""
    if precision != AUTO:
        return precision
    jax, _ = jax_and_optax()
    return BFLOAT16 if jax.default_backend() != "cpu" or _is_quick_here() else FLOAT32


def _is_quick_here() -> bool:
    """Whether the processor says that it multiplies matrices of bfloat16."""
    if platform.system() != "Linux":
        return False
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        return False
    return any(name in told for name in _QUICK)


def product_in(precision: str) -> Callable[[Any, Any], Any]:
    """Return the product of two matrices of float32, for JAX to trace: `FLOAT32` or `BFLOAT16`."""
    jax, _ = jax_and_optax()
    if precision == FLOAT32:
        return jax.numpy.matmul  # type: ignore[no-any-return]  # JAX is not typed here
    short = _shortener()

    def times(left: Any, right: Any) -> Any:
        return jax.numpy.dot(left, right, preferred_element_type=jax.numpy.float32)

    @jax.custom_vjp  # type: ignore[untyped-decorator]  # likewise
    def product(left: Any, right: Any) -> Any:
        return times(short(left), short(right))

    def forth(left: Any, right: Any) -> Any:
        left, right = short(left), short(right)
        return times(left, right), (left, right)

    def back(kept: Any, slopes: Any) -> Any:
        (left, right), slopes = kept, short(slopes)
        return times(slopes, short(right.T)), times(short(left.T), slopes)

    product.defvjp(forth, back)
    return product  # type: ignore[no-any-return]  # likewise


def _shortener() -> Callable[[Any], Any]:
    """Return what makes a matrix one of bfloat16."""
    jax, _ = jax_and_optax()
    if jax.default_backend() != "cpu":
        return lambda matrix: jax.numpy.asarray(matrix).astype(jax.numpy.bfloat16)
    from jax.experimental import layout  # noqa: PLC0415 - an extra

    constrained: Callable[..., Any] = layout.with_layout_constraint
    by_rows = layout.Layout((0, 1))

    def short(matrix: Any) -> Any:
        # A product of matrices that lie otherwise is as slow as in float32.
        return constrained(jax.numpy.asarray(matrix).astype(jax.numpy.bfloat16), by_rows)

    return short
