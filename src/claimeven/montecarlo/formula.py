"""The selection formula, in plain Python; `formula_kernel` is its twin, the same to the last bit.

With S the sum of results (-1, 0, +1), n the visits of a child and N those of its parent,

    mean + bonus = S / n + weight * sqrt(ln N / n) = r * (S * r + k)    r = 1 / sqrt(n)
                                                                        k = weight * sqrt(ln N)

so a child costs one look into a table of r, and a node one into a table of sqrt(ln N). With
`least_wins` S is at least the sum of that many wins and otherwise losses.
"""

from __future__ import annotations

import math
from typing import Final

#: Bounds that differ by less are equal where ties are broken at random: 1 / 2 is as good as 2 / 4.
TOLERANCE: Final = 1e-9


def log_root(visits: int) -> float:
    """sqrt(ln visits); visits at least 1."""
    return math.sqrt(math.log(visits))


def inverse_root(visits: int) -> float:
    """1 / sqrt(visits); visits at least 1."""
    return 1.0 / math.sqrt(visits)


def counted_total(total: int, visits: int, least_wins: int) -> int:
    """Sum of results that selection goes by.

    >>> [counted_total(-3, 3, wins) for wins in (0, 1, 2)]
    [-3, -1, 1]
    """
    return max(total, 2 * least_wins - visits)


def upper_bound(total: int, visits: int, spread: float) -> float:
    """Mean + bonus of a child; `spread` is weight * sqrt(ln N). visits at least 1."""
    root = inverse_root(visits)
    return root * (total * root + spread)
