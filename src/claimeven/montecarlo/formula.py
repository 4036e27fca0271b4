"""The selection formula, the same to the last bit in Python and compiled.

With S the sum of results (-1, 0, +1), n the visits of a child and N those of its parent,

    mean + bonus = S / n + weight * sqrt(ln N / n) = r * (S * r + k)    r = 1 / sqrt(n)
                                                                        k = weight * sqrt(ln N)

so a child costs one look into a table of r, and a node one into a table of sqrt(ln N).
"""

from __future__ import annotations

import math
from typing import Any, Final, TypeAlias

import numpy as np

from claimeven.compiled import Int, inlined

Floats: TypeAlias = Any  #: an array of float64, in kernels

#: Visit counts below this are looked up, the rest computed.
TABLE_SIZE: Final = 4096

#: 1 / sqrt(n) and sqrt(ln n); the entries at 0 are never used.
INVERSE_ROOTS = np.array([0.0] + [1.0 / math.sqrt(n) for n in range(1, TABLE_SIZE)])
LOG_ROOTS = np.array([0.0] + [math.sqrt(math.log(n)) for n in range(1, TABLE_SIZE)])


def log_root(visits: int) -> float:
    """sqrt(ln visits); visits at least 1."""
    return math.sqrt(math.log(visits))


def upper_bound(total: int, visits: int, spread: float) -> float:
    """Mean + bonus of a child; `spread` is weight * sqrt(ln N). visits at least 1."""
    root = 1.0 / math.sqrt(visits)
    return root * (total * root + spread)


@inlined
def log_root_of(visits: Int, log_roots: Floats) -> float:
    """`log_root`, compiled."""
    root: float = log_roots[visits] if visits < TABLE_SIZE else math.sqrt(math.log(visits))
    return root


@inlined
def inverse_root_of(visits: Int, inverse_roots: Floats) -> float:
    """Return 1 / sqrt(visits), compiled."""
    root: float = inverse_roots[visits] if visits < TABLE_SIZE else 1.0 / math.sqrt(visits)
    return root


@inlined
def upper_bound_of(total: Int, visits: Int, spread: float, inverse_roots: Floats) -> float:
    """`upper_bound`, compiled."""
    root = inverse_root_of(visits, inverse_roots)
    bound: float = root * (total * root + spread)
    return bound
