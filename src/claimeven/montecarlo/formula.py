"""The selection formula, the same to the last bit in Python and compiled.

With S the sum of results (-1, 0, +1), n the visits of a child and N those of its parent,

    mean + bonus = S / n + weight * sqrt(ln N / n) = r * (S * r + k)    r = 1 / sqrt(n)
                                                                        k = weight * sqrt(ln N)

so a child costs one look into a table of r, and a node one into a table of sqrt(ln N).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from claimeven.compiled import inlined

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
def log_root_of(visits, log_roots):  # type: ignore[no-untyped-def]
    """`log_root`, compiled."""
    if visits < TABLE_SIZE:
        return log_roots[visits]
    return math.sqrt(math.log(np.float64(visits)))


@inlined
def inverse_root_of(visits, inverse_roots):  # type: ignore[no-untyped-def]
    """1 / sqrt(visits), compiled."""
    return inverse_roots[visits] if visits < TABLE_SIZE else 1.0 / math.sqrt(np.float64(visits))


@inlined
def upper_bound_of(total, visits, spread, inverse_roots):  # type: ignore[no-untyped-def]
    """`upper_bound`, compiled."""
    root = inverse_root_of(visits, inverse_roots)
    return root * (np.float64(total) * root + spread)
