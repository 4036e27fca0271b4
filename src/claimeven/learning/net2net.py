"""Nets made wider without forgetting anything.

A wider net begins by answering as the narrow one did: its added hidden numbers see what the others
see, by weights that are drawn, and nothing leads from them to what was there before. Learning lets
them have a say.

Source: Chen, Goodfellow and Shlens, "Net2Net: accelerating learning via knowledge transfer" (ICLR
2016), whose added numbers are copies of others; drawn ones need not be told apart first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from claimeven.learning.net_training import initial_weights
from claimeven.networks.net import Net, NetShape


def can_grow(shape: NetShape, wide: NetShape) -> bool:
    """Whether nets of a shape can be grown to another: one with as many pairs, or more.

    >>> can_grow(NetShape(pairs=384), NetShape(pairs=512))
    True
    >>> can_grow(NetShape(pairs=384, blocks=3), NetShape(pairs=512, blocks=4))
    False
    """
    return shape.pairs <= wide.pairs and replace(shape, pairs=wide.pairs) == wide


def grown(net: Net, wide: NetShape, seed: int = 0) -> Net:
    """Return a net of a shape that it can be grown to, which answers as this one does."""
    drawn = initial_weights(wide, net.geometry, seed)
    arrays = {name: _grown(array, drawn[name]) for name, array in net.arrays.items()}
    return Net(wide, arrays, net.geometry, net.knows_scores, net.searching, net.knows_only_best)


def _grown(
    narrow: npt.NDArray[np.float32], drawn: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """Return the weights of an array that leads from what was there and what is added to both."""
    wide = drawn.copy()
    if narrow.shape == wide.shape:
        return narrow.copy()
    if narrow.ndim == 1:  # biases, which begin as zeros
        wide[: len(narrow)] = narrow
        return wide
    inputs, outputs = narrow.shape
    wide[inputs:, :outputs] = 0.0
    wide[:inputs, :outputs] = narrow
    return wide
