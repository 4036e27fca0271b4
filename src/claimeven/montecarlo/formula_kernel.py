"""The selection formula inside kernels, its roots looked up in tables: the twin of `formula`."""

from __future__ import annotations

import math
from typing import Any, Final, TypeAlias

import numpy as np

from claimeven.compiled import Int, inlined
from claimeven.montecarlo.formula import inverse_root, log_root

Floats: TypeAlias = Any  #: an array of float64, in kernels

#: Visit counts below this are looked up, the rest computed.
TABLE_SIZE: Final = 4096

#: `inverse_root` and `log_root` of every count below TABLE_SIZE; those of 0 are never used.
INVERSE_ROOTS = np.array([0.0, *map(inverse_root, range(1, TABLE_SIZE))])
LOG_ROOTS = np.array([0.0, *map(log_root, range(1, TABLE_SIZE))])


@inlined
def log_root_kernel(visits: Int, log_roots: Floats) -> float:
    """`log_root`."""
    root: float = log_roots[visits] if visits < TABLE_SIZE else math.sqrt(math.log(visits))
    return root


@inlined
def inverse_root_kernel(visits: Int, inverse_roots: Floats) -> float:
    """`inverse_root`."""
    root: float = inverse_roots[visits] if visits < TABLE_SIZE else 1.0 / math.sqrt(visits)
    return root


@inlined
def upper_bound_kernel(total: Int, visits: Int, spread: float, inverse_roots: Floats) -> float:
    """`upper_bound`."""
    root = inverse_root_kernel(visits, inverse_roots)
    bound: float = root * (total * root + spread)
    return bound
