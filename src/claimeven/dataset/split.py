"""Which games of a data set are trained on, and which are held out."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.compiled.splitmix64 import mixed_word
from claimeven.dataset.errors import InvalidDataset
from claimeven.game.validation import whole_number

_SHIFT, _WHOLE = np.uint64(11), float(1 << 53)


def check_share(share: float) -> None:
    """Raise `InvalidDataset` unless so many of all games can be trained on."""
    is_number = isinstance(share, Real) and not isinstance(share, bool)
    if not (is_number and 0 <= share <= 1):
        raise InvalidDataset(f"the share to train on is a number from 0 to 1, not {share}")


def is_for_training(
    games: npt.NDArray[np.integer[Any]], share: float, seed: int = 0
) -> npt.NDArray[np.bool_]:
    """Return for each number of a game whether it falls to the training side.

    About `share` of all games do. A game is on the same side whatever others there are, so a data
    set that grows keeps its sides.

    >>> is_for_training(np.array([0, 0, 1, 2, 3, 3]), 0.5).tolist()
    [True, True, False, True, False, False]
    """
    share, seed = float(share), whole_number(seed, "seed", InvalidDataset)
    numbers, back = np.unique(games, return_inverse=True)
    # The generator of a data set's own games begins elsewhere: a split must know nothing of them.
    start = mixed_word(seed ^ (1 << 63))
    words = [mixed_word((start + number) & ((1 << 64) - 1)) for number in numbers.tolist()]
    drawn = (np.array(words, dtype=np.uint64) >> _SHIFT) / _WHOLE
    sides: npt.NDArray[np.bool_] = (drawn < share)[back.reshape(-1)]
    return sides
