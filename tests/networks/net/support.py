"""Nets for the tests: drawn at random, untrained."""

from __future__ import annotations

import numpy as np

from claimeven import Geometry
from claimeven.networks.net import Net, NetShape, SearchDefaults
from claimeven.networks.net.net import DEFAULTS

TINY = NetShape(pairs=6, blocks=2, line_numbers=3, column_numbers=2)


def drawn_net(
    geometry: Geometry | None = None,
    shape: NetShape = TINY,
    seed: int = 0,
    knows_scores: bool = False,
    search_defaults: SearchDefaults = DEFAULTS,
    knows_only_best: bool = False,
) -> Net:
    """Return a net of random weights whose outputs are neither tiny nor saturated."""
    geometry, rng = geometry or Geometry(), np.random.default_rng(seed)
    arrays = {}
    for name, size in shape.arrays(geometry).items():
        spread = (
            0.3
            if name.endswith("bias") or name in ("lines", "columns")
            else (1 / max(1, size[0])) ** 0.5
        )
        arrays[name] = rng.normal(scale=spread, size=size).astype(np.float32)
    return Net(shape, arrays, geometry, knows_scores, search_defaults, knows_only_best)
