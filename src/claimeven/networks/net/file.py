"""Nets in files: each weight in a few bits; and as ONNX files with their features, which need only
a runtime of ONNX, such as onnxruntime.

Arrays: a weight matrix is int8, whole numbers of a unit, and its units are float32, one for each
output (`in_sum` and `in_sum_unit`, `out_sum` and `out_sum_unit`, ...); biases are float32. The
header has under `shape` the sizes of the net, under `knows_scores` whether scores were trained
(`knows_only_best`: only of the best column), and under `searching` the defaults of a search with
it. Weights of few bits pack well. If each is rounded separately, as here, a net loses little with
31 steps either side of zero; with 15 if rounded by its inputs (see `learning.quantization`).
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from functools import partialmethod
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.atomic_io import write_bytes
from claimeven.game.geometry import Geometry
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.networks.model_file import ModelFile, name_in_errors, read_model, write_model
from claimeven.networks.net.array_features import ArrayFeatures
from claimeven.networks.net.forward import Forward
from claimeven.networks.net.net import DEFAULTS, Net, NetShape, search_defaults_of
from claimeven.provenance import describe

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
            raise InvalidNetwork(f"its part {name!r} must be of shape {size}, got {array.shape}")
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


#: The version of the operators, and of the files: runtimes since 2024 read them.
OPSET: Final = 21
_IR_VERSION: Final = 10
#: The names in the metadata of a file.
BOARD: Final = "claimeven.board"
SEARCH: Final = "claimeven.search_defaults"
PROVENANCE: Final = "claimeven.provenance"
#: Starts and ends of a slice that go to the end of a dimension.
_END: Final = 1 << 62


# The code for arrays makes the graph of an ONNX file: each operation on a `_Tensor` adds a node. A
# `_Graph` is also the module of its tensors, as `numpy` is of arrays.


def write_onnx(path: str | Path, net: Net) -> int:
    """Write a net as an ONNX file; return its size in bytes.

    The input `planes` is as in `PlanesModel`, float32. The outputs are `policy`, float32
    (n, columns), the probabilities of the columns, and `value`, float32 (n,), as `Net.evaluate`
    returns them. A net that knows scores has the output `scores`, (n, columns), as `Net.predict`.
    Raises `InvalidNetwork` without the package onnx, and `CannotWrite`.
    """
    content: bytes = _model(net).SerializeToString()
    write_bytes(path, content)
    return len(content)


def _model(net: Net) -> Any:
    board, graph = net.geometry, _Graph()
    helper, shape = graph.onnx.helper, ("n", 2, board.rows, board.columns)
    planes = helper.make_tensor_value_info("planes", graph.onnx.TensorProto.FLOAT, shape)
    forward = Forward(net.features, graph, operator.matmul, graph.relu)
    # The planes have rows from the top; cells are numbered column by column from the bottom.
    places = np.arange(board.cells).reshape(board.rows, board.columns)[::-1].T.ravel()
    flat = _Tensor(graph, "planes", np.float32).reshape(0, 2 * board.cells)
    cells = flat[:, places], flat[:, places + board.cells]
    found, states, playable = ArrayFeatures(net.features, graph).of(*cells)
    embedded = forward.look_up(net.arrays, forward.rows(states))
    outputs = forward.outputs(net.arrays, embedded, found)
    values, priors = forward.judge(outputs, playable, net.grading)
    named = [
        graph.output("policy", priors, "n", board.columns),
        graph.output("value", values.reshape(-1), "n"),
    ]
    if net.knows_scores:
        scores = outputs[:, board.columns + 1 :] * net.SCORE_UNIT
        known = graph.where(playable, scores, np.float32(np.nan))
        named.append(graph.output("scores", known, "n", board.columns))
    body = helper.make_graph(graph.nodes, "claimeven net", [planes], named, graph.constants)
    versions = {"ir_version": _IR_VERSION, "opset_imports": [helper.make_opsetid("", OPSET)]}
    made = helper.make_model(body, producer_name="claimeven", **versions)
    facts = {
        BOARD: board.as_dict(),
        SEARCH: net.search_defaults._asdict(),
        PROVENANCE: describe("model", board=board.as_dict(), packages=["onnx"]),
    }
    helper.set_model_props(made, {name: json.dumps(fact) for name, fact in facts.items()})
    return made


def _operator(kind: str, result: Any = None, swapped: bool = False) -> Callable[[Any, Any], Any]:
    """Return the method of a binary operator, whose other side may be a constant."""

    def method(self: _Tensor, other: Any) -> _Tensor:
        more = {"fmod": 1} if kind == "Mod" else {}
        both = [self, other if isinstance(other, _Tensor) else np.asarray(other, self.dtype)]
        return self.graph.add(kind, *(both[::-1] if swapped else both), dtype=result, **more)

    return method


class _Tensor:
    """The output of a node, with the operators of arrays. The first dimension is the batch."""

    __array_ufunc__ = None  # operators of NumPy's arrays leave the operation to this class
    __hash__ = None  # type: ignore[assignment]  # as arrays, because of `==`

    def __init__(self, graph: _Graph, name: str, dtype: Any) -> None:
        self.graph, self.name, self.dtype = graph, name, np.dtype(dtype)

    def __len__(self) -> int:
        """Return 0, which is the unknown size of the batch in `reshape`."""
        return 0

    __add__ = __radd__ = _operator("Add")
    __mul__ = __rmul__ = _operator("Mul")
    __sub__, __rsub__ = _operator("Sub"), _operator("Sub", swapped=True)
    __truediv__, __mod__, __matmul__ = _operator("Div"), _operator("Mod"), _operator("MatMul")
    __gt__, __ge__ = _operator("Greater", np.bool_), _operator("GreaterOrEqual", np.bool_)
    __eq__ = _operator("Equal", np.bool_)

    def __getitem__(self, key: tuple[Any, Any]) -> _Tensor:
        """Return a slice or some places of the second dimension, for all of the first one."""
        place = key[1]
        if isinstance(place, np.ndarray):
            return self.graph.add("Gather", self, place, axis=1)
        step = place.step or 1
        ends = [(0, _END), (_END, -_END)][step < 0]
        pairs = zip((place.start, place.stop), ends, strict=True)
        bounds = [end if given is None else given for given, end in pairs]
        return self.graph.add("Slice", self, *(np.array([n]) for n in (*bounds, 1, step)))

    def reshape(self, *shape: int) -> _Tensor:
        return self.graph.add("Reshape", self, np.array(shape))

    def astype(self, dtype: Any) -> _Tensor:
        return self.graph.add("Cast", self, dtype=dtype, to=self.graph.kind_of(dtype))

    def _reduced(self, kind: str, axis: int, keepdims: bool = False) -> _Tensor:
        return self.graph.add(kind, self, np.array([axis]), keepdims=int(keepdims))

    sum, max = partialmethod(_reduced, "ReduceSum"), partialmethod(_reduced, "ReduceMax")


class _Tables:
    """Constant tables, (tables, rows, ...), of which a tensor of indices looks up rows."""

    def __init__(self, graph: _Graph, array: Any) -> None:
        self._graph, self._array = graph, np.asarray(array)

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, key: tuple[Any, _Tensor]) -> _Tensor:
        tables, rows, *rest = self._array.shape
        flat = self._array.reshape(tables * rows, *rest)
        places = key[1] + rows * np.arange(tables)
        return self._graph.add("Gather", flat, places, dtype=flat.dtype, axis=0)


class _Graph:
    def __init__(self) -> None:
        try:
            import onnx  # noqa: PLC0415 - an extra
        except ImportError:
            raise InvalidNetwork(
                "an ONNX file needs the package onnx: pip install 'claimeven[onnx]'"
            ) from None
        self.onnx: Any = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, kind: str, *inputs: Any, dtype: Any = None, **attributes: Any) -> _Tensor:
        """Add a node and return its output, by default of the type of the last tensor."""
        last = next(each for each in inputs[::-1] if isinstance(each, _Tensor))
        names = [each.name if isinstance(each, _Tensor) else self._named(each) for each in inputs]
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, names, [name], name, **attributes))
        return _Tensor(self, name, last.dtype if dtype is None else dtype)

    def _named(self, array: Any) -> str:
        name, content = f"constant{len(self.constants)}", np.ascontiguousarray(array)
        self.constants.append(self.onnx.numpy_helper.from_array(content, name))
        return name

    def kind_of(self, dtype: Any) -> int:
        """Return the number of a type in ONNX."""
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def output(self, name: str, tensor: _Tensor, *shape: Any) -> Any:
        """Name a tensor, and return its description as an output of the graph."""
        self.nodes.append(self.onnx.helper.make_node("Identity", [tensor.name], [name]))
        return self.onnx.helper.make_tensor_value_info(name, self.kind_of(tensor.dtype), shape)

    def concatenate(self, parts: list[_Tensor], axis: int) -> _Tensor:
        return self.add("Concat", *parts, axis=axis)

    where, minimum = partialmethod(add, "Where"), partialmethod(add, "Min")
    maximum, relu = partialmethod(add, "Max"), partialmethod(add, "Relu")
    tanh, exp = partialmethod(add, "Tanh"), partialmethod(add, "Exp")

    def asarray(self, array: Any) -> _Tables:
        return _Tables(self, array)
