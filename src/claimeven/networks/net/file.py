"""Nets in files: each weight in a few bits.

Arrays: a weight matrix is int8, whole numbers of a unit, and its units are float32, one for each
output (`in_sum` and `in_sum_unit`, `out_sum` and `out_sum_unit`, ...); biases are float32. The
header has under `shape` the sizes of the net, under `knows_scores` whether scores were trained
(`knows_only_best`: only of the best column), and under `searching` the defaults of a search with
it. Weights of few bits pack well. If each is rounded separately, as here, a net loses little with
31 steps either side of zero; with 15 if rounded by its inputs (see `learning.quantization`).
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
from claimeven.networks.net.net import DEFAULTS, Net, NetShape, search_defaults_of

KIND: Final = "net"
#: The tables, indexed by the state of a line or of two columns.
TABLES: Final = ("lines", "columns")
#: Steps from zero to weights at the distance `FAR`, and the most that fit.
STEPS, MAX_STEPS = 31, 127
#: The distance of most weights, in root mean squares of an output; others take more steps.
FAR: Final = 3.0
#: The factor by which tables and the output layer are rounded finer, since they have few and
#: important numbers. And the first layer, whose errors matter most in the inputs of the last one.
_FINER, _FIRST_FINER = 4, 2
_UNIT, _BIAS = "_unit", "_bias"

#: Weights as whole numbers, int8, of a unit for each output, float32.
Rounded = tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]


def write_net(
    path: str | Path, net: Net, facts: Mapping[str, Any] | None = None, steps: int = STEPS
) -> None:
    """Write a net with its header, its weights rounded.

    Raises `CannotWrite`, and `InvalidNetwork` if the defaults of its search are out of bounds.
    """
    write_model(path, pack(net, facts, steps))


def read_net(path: str | Path, geometry: Geometry | None = None) -> Net:
    """Read a net, for a board if one is given. Raises `InvalidNetwork`."""
    model = read_model(path, KIND, geometry)
    with name_in_errors(path):
        return unpack(model)


def pack(
    net: Net,
    facts: Mapping[str, Any] | None = None,
    steps: int = STEPS,
    matrices: Mapping[str, Rounded] | None = None,
) -> ModelFile:
    """Return the content of a net's file, its weights rounded unless `matrices` are given, rounded.

    Raises `InvalidNetwork` if the search defaults are out of bounds.
    """
    searching = search_defaults_of(net.search_defaults._asdict())
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, weights in net.arrays.items():
        if name.endswith(_BIAS):
            arrays[name] = weights
        elif matrices is not None:
            arrays[name], arrays[name + _UNIT] = matrices[name]
        else:
            arrays[name], arrays[name + _UNIT] = round_weights(weights, steps_for(name, steps))
    header: dict[str, Any] = {"shape": net.shape.as_dict(), "knows_scores": net.knows_scores}
    if net.knows_only_best:
        header["knows_only_best"] = True
    if searching != DEFAULTS:
        header["searching"] = searching._asdict()
    return ModelFile(KIND, net.geometry, arrays, {**header, **(facts or {})})


def unpack(model: ModelFile) -> Net:
    """Return the net of a file. Raises `InvalidNetwork` for another file."""
    stated = model.facts.get("shape")
    if not isinstance(stated, dict) or set(stated) != set(NetShape().as_dict()):
        raise InvalidNetwork("it has no sizes of its layers")
    shape = NetShape(**stated)
    arrays = {}
    for name, size in shape.arrays(model.geometry).items():
        array, unit = model.arrays.get(name), model.arrays.get(name + _UNIT)
        if array is None:
            raise InvalidNetwork(f"its part {name!r} is missing")
        if array.shape != size:
            raise InvalidNetwork(f"its part {name!r} must be of shape {size}, not {array.shape}")
        if not name.endswith(_BIAS):
            if array.dtype != np.int8 or unit is None or unit.shape != array.shape[-1:]:
                raise InvalidNetwork(f"its part {name!r} is not of int8 with a unit an output")
            with np.errstate(all="ignore"):  # NaN is rejected with the net
                array = array.astype(np.float32) * unit
        arrays[name] = array
    knows_scores = model.facts.get("knows_scores") is True
    only_best = model.facts.get("knows_only_best") is True
    searching = search_defaults_of(model.facts.get("searching"))
    return Net(shape, arrays, model.geometry, knows_scores, searching, only_best)


def round_weights(weights: npt.NDArray[Any], steps: int) -> Rounded:
    """Return weights as whole numbers of a unit, `steps` either side of zero, and the units."""
    unit = units_of(weights, steps)
    return round_to_steps(weights, unit).astype(np.int8), unit


def round_to_steps(weights: npt.NDArray[Any], unit: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return weights as whole numbers of a unit, cut at the limit."""
    whole: npt.NDArray[Any] = np.clip(np.rint(weights / unit), -MAX_STEPS, MAX_STEPS)
    return whole


def steps_for(name: str, steps: int) -> int:
    """Return the steps of an array if hidden layers are rounded to `steps`."""
    finer = _FIRST_FINER if name.startswith("in_") else 1
    if name.startswith("out_") or name in TABLES:
        finer = _FINER
    return min(finer * steps, MAX_STEPS)


def units_of(weights: npt.NDArray[Any], steps: int) -> npt.NDArray[np.float32]:
    """Return the unit of the rounded weights of each output."""
    if not weights.size:  # a board of one column has no differences
        return np.ones(weights.shape[-1], dtype=np.float32)
    table = weights.reshape(-1, weights.shape[-1])
    greatest = np.abs(table).max(axis=0)
    mean_square = np.sqrt((table.astype(np.float64) ** 2).mean(axis=0))
    far = np.minimum(greatest, FAR * mean_square)
    unit: npt.NDArray[np.float32] = np.maximum(far / steps, greatest / MAX_STEPS).astype(np.float32)
    unit[unit == 0] = 1.0
    return unit
