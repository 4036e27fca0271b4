"""The options of a search with priors and values.

A move is selected for the greatest `Q + c * P * sqrt(N) / (1 + n)`: Q is the mean of the values of
its n visits, P its prior, N the visits of its parent. Of equal moves the one nearest to the center
is selected, then the left one.

- `c` (0 to 1000): how much trying is worth.
- `fpu` (0 to 2): first-play urgency: how much less than its parent a move is taken to be worth that
  was not tried, but never less than -1.
- `prior_temperature` (0.1 to 10): P is the model's prior to the power of 1 / prior_temperature,
  made to sum to 1 again: above 1 a move that looks bad is tried sooner, below 1 later.
- `solver` (yes or no): proven wins, losses and draws are backed up (Winands 2008), proven losses
  are not selected, and the search ends when the root is proven (for a win: when no other move could
  win sooner, or all are proven).
- `leaves` (1 to 4096): the most leaves in one call of the model; the leaves of a batch are selected
  one after the other, each as if the earlier ones had been lost. A young tree takes fewer: one, and
  one more for every 64 visits of its root.
- `capacity` (64 to 100,000,000): how many nodes the tree can store; a full tree grows no further,
  iterations continue at its leaves, and the result says `full`.
- `reuse` (yes or no): the tree stays for the next decision if its position is in it, up to 4 moves
  on.
- `noise` (0 to 1): how much of the priors at the root is drawn at random.
- `temperature` (0 to 1000): 0: the most visited column is played; else one is drawn, its chance
  going by its visits to the power of 1 / temperature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from claimeven.game.validation import real_number, whole_number
from claimeven.montecarlo.options import InvalidOptions

#: Plies to the end of a win, at least, by a move that is not proven: sooner wins are seen at a
#: glance when a node gets its children.
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

    def __post_init__(self) -> None:
        for name, (low, high) in BOUNDS.items():
            real_number(getattr(self, name), name, InvalidOptions, low=low, high=high)
        for name, (least, most) in INTEGER_BOUNDS.items():
            whole_number(getattr(self, name), name, InvalidOptions, low=least, high=most)
        for name in ("solver", "reuse"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidOptions(f"{name} must be true or false, not {getattr(self, name)!r}")

    @property
    def method(self) -> str:
        """The kind of search, as in `MonteCarloOptions`."""
        return "puct"

    @property
    def scale(self) -> str:
        """The scale of results, as `MonteCarloOptions` has it."""
        return "-1..1"

    @property
    def width(self) -> float:
        """How much of that scale one unit is, as `MonteCarloOptions` has it."""
        return 1.0

    @property
    def prior_power(self) -> float:
        """The power that priors are taken to."""
        return 1.0 / self.prior_temperature

    @property
    def numbers(self) -> tuple[float, ...]:
        """The options as kernels have them, in the order of `layout`."""
        return float(self.c), float(self.fpu), float(self.solver), self.prior_power


#: The default options.
DEFAULT: Final = PuctOptions()
