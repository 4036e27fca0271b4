"""The arrays of thousands of games: how they are made, and what one of the caller's must be."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from claimeven.adapters.env_base import InvalidEnvironment
from claimeven.game.encodings import places_in_planes
from claimeven.game.geometry import Geometry

Array = NDArray[Any]

#: Octets of a line of the cache: JAX copies arrays that do not begin at one.
_ALIGNED = 64


def shown_shape(geometry: Geometry) -> tuple[int, int, int]:
    """Return the shape of what is observed of one game."""
    return geometry.rows, geometry.columns, 2


def bits_of_planes(geometry: Geometry) -> Array:
    """Return the bit of each cell, in the order of the planes."""
    shifts = np.zeros(geometry.cells, np.uint64)
    for (column, row), place in np.ndenumerate(places_in_planes(geometry)):
        shifts[place // 2] = geometry.bit(column, row)
    return shifts


def aligned(shape: tuple[int, ...], dtype: DTypeLike = np.int8) -> Array:
    """Return an array, nothing written in it yet, whose memory begins where JAX takes it without
    a copy: at a multiple of 64 bytes.

    >>> aligned((20, 1024, 6, 7, 2)).ctypes.data % 64
    0
    """
    kind = np.dtype(dtype)
    octets = int(np.prod(shape)) * kind.itemsize
    memory = np.empty(octets + _ALIGNED, np.uint8)
    begin = -memory.ctypes.data % _ALIGNED
    return memory[begin : begin + octets].view(kind).reshape(shape)


def check_array(
    name: str, array: Array | None, shape: tuple[int, ...], kinds: tuple[np.dtype[Any], ...]
) -> None:
    """Raise `InvalidEnvironment` unless kernels can write into an array."""
    if array is None:
        told = "of a kind whose memory cannot be shared"
    elif array.shape != shape or array.dtype not in kinds:
        told = f"{array.dtype} of shape {array.shape}"
    elif not array.flags.writeable:
        told = "read-only"
    elif not array.flags.carray or (array.ndim > 2 and array.ctypes.data % 2):
        told = "not contiguous or not aligned"
    else:
        return
    raise InvalidEnvironment(
        f"{name} must be an array of {kinds[0]} of shape {shape} that can be written, and is {told}"
    )
