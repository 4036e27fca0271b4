"""The options of a search with priors and values.

Selection takes the move with the greatest `Q + c * P * sqrt(N) / (1 + n)`: Q is the mean value of
its n visits, P its prior, and N the visits of its parent. Among equal moves it takes the one
nearest to the center, then the left one.

- `c` (0 to 1000): the weight of exploration.
- `fpu` (0 to 2): first-play urgency: an unvisited move has the value of its parent less `fpu`, but
  at least -1.
- `prior_temperature` (0.1 to 10): P is the model's prior to the power of 1 / prior_temperature,
  normalized: above 1 moves with low priors are tried sooner, below 1 later.
- `solver` (yes or no): proven wins, losses and draws are backed up (Winands 2008), proven losses
  are not selected, and the search ends when the root is proven. At a proven win it ends when no
  other move could win sooner, or all are proven.
- `leaves` (1 to 4096): the maximum of leaves that the model evaluates together. They are selected
  one after the other, each as if the leaves before it had been lost. A young tree takes fewer: one,
  and one more for every 64 visits of its root.
- `capacity` (64 to 100,000,000): the number of nodes that the tree can store. A full tree stops
  growing, iterations continue at its leaves, and the result says `full`.
- `reuse` (yes or no): the tree is stored for the next decision if it contains the new position, up
  to 4 moves later.
- `noise` (0 to 1): the random fraction of the priors at the root.
- `temperature` (0 to 1000): 0: the most visited column is played; above 0 a random one, with a
  probability proportional to its visits to the power of 1 / temperature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from claimeven.game.validation import real_number, true_or_false, whole_number
from claimeven.montecarlo.options import InvalidOptions

#: The minimal length in plies of a win by an unproven move: shorter wins are proven on expansion.
MIN_WIN_PLIES: Final = 5
#: The bounds of each number, and of each whole number.
BOUNDS: Final = {
    "c": (0, 1000),
    "fpu": (0, 2),
    "prior_temperature": (0.1, 10),
    "noise": (0, 1),
    "temperature": (0, 1000),
}
INTEGER_BOUNDS: Final = {"leaves": (1, 4096), "capacity": (64, 100_000_000)}


@dataclass(frozen=True)
class PuctOptions:
    """How a search with priors works: an attribute for each option of the list above.

    Raises `InvalidOptions` naming the option and its range.
    """

    c: float = 3.0
    fpu: float = 0.2
    prior_temperature: float = 1.0
    solver: bool = True
    leaves: int = 8
    capacity: int = 4_000_000
    reuse: bool = True
    noise: float = 0.0
    temperature: float = 0.0
    #: As in `MonteCarloOptions`.
    method: ClassVar[str] = "puct"
    scale: ClassVar[str] = "-1..1"
    width: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        for name, (low, high) in BOUNDS.items():
            real_number(getattr(self, name), name, InvalidOptions, low=low, high=high)
        for name, (minimum, maximum) in INTEGER_BOUNDS.items():
            whole_number(getattr(self, name), name, InvalidOptions, low=minimum, high=maximum)
        for name in ("solver", "reuse"):
            flag = true_or_false(getattr(self, name), name, InvalidOptions)
            object.__setattr__(self, name, flag)

    @property
    def prior_power(self) -> float:
        """The exponent of priors."""
        return 1.0 / self.prior_temperature

    @property
    def numbers(self) -> tuple[float, ...]:
        """The options for kernels, in the order of `layout`."""
        return float(self.c), float(self.fpu), float(self.solver), self.prior_power


#: The default options.
DEFAULT: Final = PuctOptions()
