"""Play that errs a little: columns drawn by chances that fall with the score they lose."""

from __future__ import annotations

import math
from collections.abc import Sequence


def error_chances(scores: Sequence[int | None], temperature: float) -> tuple[float, ...]:
    """Return a chance for each column, from its exact score; 0 where the score is None.

    A column is less likely than the best one by a factor e for every `temperature` points it loses
    (the softmax of the scores).

    >>> [round(chance, 2) for chance in error_chances((1, None, 1, -3), 2.0)]
    [0.47, 0.0, 0.47, 0.06]
    """
    best = max(score for score in scores if score is not None)
    weights = [0.0 if s is None else math.exp((s - best) / temperature) for s in scores]
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def column_at(chances: Sequence[float], share: float) -> int:
    """Return the column that a share in [0, 1) falls on, where columns take up their chances.

    A column without a chance is never returned, however sums are rounded.

    >>> [column_at((0.25, 0.0, 0.75), share) for share in (0.0, 0.24, 0.26, 0.99)]
    [0, 0, 2, 2]
    """
    likely = [column for column, chance in enumerate(chances) if chance > 0]
    left = share * sum(chances)
    for column in likely:
        left -= chances[column]
        if left < 0:
            return column
    return likely[-1]
