"""The options of a search with priors, and their words."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Final

from claimeven.montecarlo.options import InvalidOptions, is_number

#: The bounds of each number.
BOUNDS: Final = {"c": (0.0, 1000.0), "fpu": (0.0, 2.0)}


@dataclass(frozen=True)
class PuctOptions:
    """How a move is selected: the one with the greatest `Q + c * P * sqrt(N) / (1 + n)`.

    Q is the mean of the results of its n visits, P its prior, N the visits of its parent. A move
    that has not been tried counts as worth `fpu` less than its parent, but not below -1. With
    `solver` proven wins, losses and draws are backed up (Winands 2008), and proven losses are not
    selected. Of equal moves the one nearest to the centre is selected, then the left one.

    Raises `InvalidOptions` naming the option and its range.
    """

    c: float = 1.5
    fpu: float = 0.2
    solver: bool = True

    def __post_init__(self) -> None:
        """Check every option."""
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if not is_number(value) or not low <= value <= high or not math.isfinite(value):
                raise InvalidOptions(
                    f"{name} must be a number from {low:g} to {high:g}, not {value!r}"
                )
        if not isinstance(self.solver, bool):
            raise InvalidOptions(f"solver must be true or false, not {self.solver!r}")

    @property
    def numbers(self) -> tuple[float, ...]:
        """The options as kernels have them, in the order of `layout`."""
        return tuple(float(getattr(self, field.name)) for field in fields(self))


#: What a search does where nothing else is said.
DEFAULT: Final = PuctOptions()
