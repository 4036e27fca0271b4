"""The settings that suit a search with a net, stored in its file.

The best weights of a net's scores and of its policy depend on how well it has learned them: its
author can measure that, its user need not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from claimeven.game.validation import real_number
from claimeven.montecarlo.puct.policy_value import InvalidNetwork


class SearchDefaults(NamedTuple):
    """The defaults of a search with a net.

    `c` and `prior_temperature` are as in `PuctOptions`. A net with scores values a
    position, for the side to move and from -1 to 1, at

        (1 - score_share) * value + score_share * tanh(score / score_scale)

    of its value by the outcome and by the score of its best column; `score_share` is 0 to 1,
    `score_scale` 0.1 to 1000 points of score.
    """

    c: float = 3.0
    prior_temperature: float = 1.0
    score_share: float = 0.5
    score_scale: float = 10.0


#: For nets without a measurement.
DEFAULTS: Final = SearchDefaults()
#: The bounds of each number; the first two as in `PuctOptions`.
BOUNDS: Final = {
    "c": (0, 1000),
    "prior_temperature": (0.1, 10),
    "score_share": (0, 1),
    "score_scale": (0.1, 1000),
}


def search_defaults_of(header: Any) -> SearchDefaults:
    """Return the defaults in the header of a file, or `DEFAULTS`.

    Raises `InvalidNetwork` for another type, an unknown name, and a number outside `BOUNDS`.

    >>> search_defaults_of({"c": 0.5})
    SearchDefaults(c=0.5, prior_temperature=1.0, score_share=0.5, score_scale=10.0)
    """
    if header is None:
        return DEFAULTS
    if not isinstance(header, Mapping) or not header.keys() <= BOUNDS.keys():
        raise InvalidNetwork("its search defaults are invalid")
    return SearchDefaults(
        **{
            name: real_number(header[name], f"its {name}", InvalidNetwork, low=low, high=high)
            for name, (low, high) in BOUNDS.items()
            if name in header
        }
    )
