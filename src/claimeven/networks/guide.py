"""A guide of the exact solver: guesses of scores by a net."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.position import Position
from claimeven.solver.protocols import NET_GUIDE


@dataclass(frozen=True)
class NetGuide:
    """The guesses of a net with scores: a `solver.protocols.Guide`.

    `path` is the file of the net, None the bundled one. The net is read at the first guess, which
    takes as long as a million nodes of a search. Raises `InvalidNetwork` then, as `open_guide`.
    """

    geometry: Geometry = STANDARD
    path: Path | None = None

    def load(self) -> None:
        """Read the net, and load its kernels."""
        _net(self).load()

    def guess(self, position: Position) -> int:
        """Return the score of the best column, rounded."""
        mine, mask = np.array([[position.mine], [position.mask]], dtype=np.uint64)
        return round(float(np.nanmax(_net(self).predict(mine, mask).scores)))


def open_guide(geometry: Geometry, where: str | Path) -> NetGuide:
    """Return the guide with the bundled net (`NET_GUIDE`), or with the net of a file.

    Raises `InvalidNetwork` for another board, and for a file that is not a net with scores.
    """
    guide = NetGuide(geometry, None if where == NET_GUIDE else Path(where))
    if guide != NetGuide():
        _net(guide)
    return guide


@lru_cache(maxsize=4)
def _net(guide: NetGuide) -> Any:
    from claimeven.networks import InvalidNetwork, default_policy_value  # noqa: PLC0415 - 0.1 s
    from claimeven.networks.net import read_net  # noqa: PLC0415

    if guide.path is None:
        return default_policy_value(guide.geometry)
    net = read_net(guide.path, guide.geometry)
    if not net.knows_scores:
        raise InvalidNetwork(f"{guide.path} is a net without scores: a guide needs them")
    return net
