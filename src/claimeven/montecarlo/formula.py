"""The selection formula, in plain Python and for kernels, the same to the last bit.

With S the sum of results (-1, 0, +1), n the visits of a child and N the visits of its parent,

    mean + bonus = S / n + weight * sqrt(ln N / n) = r * (S * r + k)    r = 1 / sqrt(n)
                                                                        k = weight * sqrt(ln N)

so a child costs one lookup in a table of r, and a node one in a table of sqrt(ln N). With
`min_wins` S is at least the sum of this number of wins and otherwise losses.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from claimeven.compiled import Int, float64, inlined, int64, named_tuple

#: Bounds that differ by less are equal for random ties: 1 / 2 is as good as 2 / 4.
TOLERANCE: Final = 1e-9


def log_root(visits: int) -> float:
    """sqrt(ln visits); visits at least 1."""
    return math.sqrt(math.log(visits))


def inverse_root(visits: int) -> float:
    """1 / sqrt(visits); visits at least 1."""
    return 1.0 / math.sqrt(visits)


def counted_total(total: int, visits: int, min_wins: int) -> int:
    """Return the sum of results for selection.

    >>> [counted_total(-3, 3, wins) for wins in (0, 1, 2)]
    [-3, -1, 1]
    """
    return max(total, 2 * min_wins - visits)


def upper_bound(total: int, visits: int, spread: float) -> float:
    """Mean + bonus of a child; `spread` is weight * sqrt(ln N). visits at least 1."""
    root = inverse_root(visits)
    return root * (total * root + spread)


Floats: TypeAlias = Any  #: an array of float64, in kernels

#: Visit counts below this are looked up, larger ones are computed.
TABLE_SIZE: Final = 4096

#: `inverse_root` and `log_root` of every count below TABLE_SIZE; entry 0 is unused.
INVERSE_ROOTS = np.array([0.0, *map(inverse_root, range(1, TABLE_SIZE))])
LOG_ROOTS = np.array([0.0, *map(log_root, range(1, TABLE_SIZE))])


class Formula(NamedTuple):
    """The selection formula for kernels: weight of the bonus, tables of roots, `min_wins`."""

    weight: float
    inverse_roots: Floats = INVERSE_ROOTS
    log_roots: Floats = LOG_ROOTS
    min_wins: Int = 0


FORMULA: Final = named_tuple(Formula, float64, float64[::1], float64[::1], int64)


@inlined
def spread_kernel(visits: Int, formula: Formula) -> float:
    """The common factor of the bonuses of a node's children: weight * sqrt(ln visits)."""
    if visits < TABLE_SIZE:
        root = formula.log_roots[visits]
    else:
        root = math.sqrt(math.log(visits))
    spread: float = formula.weight * root
    return spread


@inlined
def inverse_root_kernel(visits: Int, formula: Formula) -> float:
    """`inverse_root`."""
    if visits < TABLE_SIZE:
        root: float = formula.inverse_roots[visits]
        return root
    return 1.0 / math.sqrt(visits)


@inlined
def upper_bound_kernel(total: Int, visits: Int, spread: float, formula: Formula) -> float:
    """`upper_bound` of the `counted_total`."""
    root = inverse_root_kernel(visits, formula)
    adjusted = max(total, 2 * formula.min_wins - visits)
    bound: float = root * (adjusted * root + spread)
    return bound
