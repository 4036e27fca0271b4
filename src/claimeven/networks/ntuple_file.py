"""N-tuple networks in files: only the trained weights, in 10 bits each.

Arrays: `tuples` int8 (tuples, cells, 2), the column and row of each cell, -1 if a tuple has fewer;
`places` uint8 (4, weights), the distances from one weight that is not zero to the next as byte
planes, lowest byte first; `weights` uint8 (2, weights), the weights as signed 16-bit numbers in
steps of `unit`, 511 either side of zero, the same way. Planes pack better than numbers, and with 10
bits, without measurable loss of strength, the file of the bundled network is a fifth smaller than
with 12.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.game.geometry import Geometry
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.networks.model_file import ModelFile, name_in_errors, read_model, write_model
from claimeven.networks.ntuple import MAX_LENGTH, NTupleNetwork, NTuples

KIND: Final = "ntuple"
_MAX_TUPLES: Final = 4096
_MAX_STEP: Final = (1 << 9) - 1
#: The greatest weight that is read: sums of greater ones could overflow, and at a hundred a
#: position already counts as won.
_MAX_WEIGHT: Final = 1e6


def write_network(
    path: str | Path, network: NTupleNetwork, facts: Mapping[str, Any] | None = None
) -> None:
    """Write a network with its header; weights are rounded to 10 bits.

    Raises `CannotWrite`.
    """
    write_model(path, ModelFile(KIND, network.geometry, pack(network), facts or {}))


def read_network(path: str | Path, geometry: Geometry | None = None) -> NTupleNetwork:
    """Read a network, for a board if one is given. Raises `InvalidNetwork`."""
    model = read_model(path, KIND, geometry)
    with name_in_errors(path):
        return unpack(model)


def pack(network: NTupleNetwork) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a file."""
    tuples = network.tuples.tuples
    cells = np.full((len(tuples), max(map(len, tuples)), 2), -1, dtype=np.int8)
    for number, each in enumerate(tuples):
        cells[number, : len(each)] = each
    weights = network.weights
    greatest = float(np.abs(weights).max(initial=0.0))
    unit = np.float32(greatest / _MAX_STEP if greatest else 1.0)
    steps = np.rint(weights / unit).astype(np.int16)
    (places,) = np.nonzero(steps)
    return {
        "tuples": cells,
        "places": _planes(np.diff(places, prepend=-1).astype("<u4")),
        "weights": _planes(steps[places].astype("<i2")),
        "unit": np.array([unit], dtype=np.float32),
    }


def _planes(numbers: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return the bytes of numbers: all lowest ones, then all of the next."""
    return np.ascontiguousarray(numbers.view(np.uint8).reshape(len(numbers), numbers.itemsize).T)


def _numbers(planes: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """Return the numbers of a type whose bytes these are."""
    size = np.dtype(kind).itemsize
    if planes.ndim != 2 or planes.shape[0] != size:
        raise InvalidNetwork(f"its numbers are not of {size} bytes")
    return np.ascontiguousarray(planes.T).reshape(-1).view(kind)


def unpack(model: ModelFile) -> NTupleNetwork:
    """Return the network of a file. Raises `InvalidNetwork` for other arrays."""
    types = {"tuples": "int8", "places": "uint8", "weights": "uint8", "unit": "float32"}
    for name, kind in types.items():
        if name not in model.arrays or model.arrays[name].dtype != np.dtype(kind):
            raise InvalidNetwork(f"its part {name!r} is missing, or not of type {kind}")
    cells, unit = model.arrays["tuples"], model.arrays["unit"]
    if cells.ndim != 3 or cells.shape[2] != 2 or not 1 <= len(cells) <= _MAX_TUPLES:
        raise InvalidNetwork("its tuples are not lists of cells")
    if not 1 <= cells.shape[1] <= MAX_LENGTH or unit.shape != (1,) or not np.isfinite(unit[0]):
        raise InvalidNetwork("its tuples are too long, or its unit is not a number")
    tuples = NTuples(
        tuple(tuple((int(c), int(r)) for c, r in each if c >= 0) for each in cells), model.geometry
    )
    distances = _numbers(model.arrays["places"], "<u4").astype(np.int64)
    places = np.cumsum(distances) - 1
    values = _numbers(model.arrays["weights"], "<i2")
    size = 2 * tuples.table_size
    if len(values) != len(places) or (len(places) and not places[-1] < size):
        raise InvalidNetwork("it has not one place for each of its weights")
    if (distances < 1).any():
        raise InvalidNetwork("it has two weights for one place")
    scaled = values * np.float64(unit[0])
    if np.abs(scaled).max(initial=0.0) > _MAX_WEIGHT:
        raise InvalidNetwork(f"its weights are greater than {_MAX_WEIGHT:,.0f}")
    try:
        weights = np.zeros(size, dtype=np.float32)
    except MemoryError:
        raise InvalidNetwork(
            f"its tables take {size >> 18:,} MB, for which there is no room"
        ) from None
    weights[places] = scaled
    return NTupleNetwork(tuples, weights)
