"""ONNX graphs made by code for arrays: each operation on a `Tensor` adds a node.

An `OnnxGraph` is also the module of its tensors, as `numpy` is of arrays: it has the functions that
`forward` and `array_features` use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Final

import numpy as np

from claimeven.montecarlo.puct.policy_value import InvalidNetwork

#: The version of the operators, and of the files: runtimes since 2024 read them.
OPSET: Final = 21
IR_VERSION: Final = 10
#: Starts and ends of a slice that go to the end of a dimension.
_END: Final = 1 << 62


def onnx_package() -> ModuleType:
    """Return the package. Raises `InvalidNetwork` if it is not installed."""
    try:
        import onnx  # noqa: PLC0415 - an extra
    except ImportError:
        raise InvalidNetwork(
            "an ONNX file needs the package onnx: pip install 'claimeven[onnx]'"
        ) from None
    module: ModuleType = onnx
    return module


def _operator(kind: str, result: Any = None, swapped: bool = False) -> Callable[[Any, Any], Any]:
    """Return the method of a binary operator, whose other side may be a constant."""

    def method(self: Tensor, other: Any) -> Tensor:
        more = {"fmod": 1} if kind == "Mod" and self.dtype == np.float32 else {}
        both = [self, other if isinstance(other, Tensor) else np.asarray(other, self.dtype)]
        return self.graph.add(kind, *(both[::-1] if swapped else both), dtype=result, **more)

    return method


class Tensor:
    """The output of a node, with the operators of arrays. The first dimension is the batch."""

    __array_ufunc__ = None  # operators of NumPy's arrays leave the operation to this class
    __hash__ = None  # type: ignore[assignment]  # as arrays, because of `==`

    def __init__(self, graph: OnnxGraph, name: str, dtype: Any) -> None:
        self.graph, self.name, self.dtype = graph, name, np.dtype(dtype)

    def __len__(self) -> int:
        """Return 0, the size in `reshape` that stands for the unknown size of the batch."""
        return 0

    __add__ = __radd__ = _operator("Add")
    __mul__ = __rmul__ = _operator("Mul")
    __sub__, __rsub__ = _operator("Sub"), _operator("Sub", swapped=True)
    __truediv__, __mod__, __matmul__ = _operator("Div"), _operator("Mod"), _operator("MatMul")
    __gt__, __ge__ = _operator("Greater", np.bool_), _operator("GreaterOrEqual", np.bool_)
    __eq__ = _operator("Equal", np.bool_)

    def __getitem__(self, key: tuple[Any, Any]) -> Tensor:
        """Return a slice or some places of the second dimension, for all of the first one."""
        place = key[1]
        if isinstance(place, np.ndarray):
            return self.graph.add("Gather", self, place, axis=1)
        step = place.step or 1
        start, stop = (0, _END) if step > 0 else (_END, -_END)
        start = start if place.start is None else place.start
        stop = stop if place.stop is None else place.stop
        numbers = [np.array([number]) for number in (start, stop, 1, step)]
        return self.graph.add("Slice", self, *numbers)

    def reshape(self, *shape: int) -> Tensor:
        return self.graph.add("Reshape", self, np.array(shape))

    def astype(self, dtype: Any) -> Tensor:
        kind = self.graph.kind_of(dtype)
        return self if self.dtype == dtype else self.graph.add("Cast", self, dtype=dtype, to=kind)

    def sum(self, axis: int, keepdims: bool = False) -> Tensor:
        return self.graph.add("ReduceSum", self, np.array([axis]), keepdims=int(keepdims))

    def max(self, axis: int, keepdims: bool = False) -> Tensor:
        return self.graph.add("ReduceMax", self, np.array([axis]), keepdims=int(keepdims))


class _Tables:
    """Constant tables, (tables, rows, ...), of which rows are looked up."""

    def __init__(self, graph: OnnxGraph, array: np.ndarray[Any, Any]) -> None:
        self._graph, self._array = graph, array

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, key: tuple[Any, Tensor]) -> Tensor:
        """Return the rows of a tensor of indices, one for each table."""
        tables, rows, *rest = self._array.shape
        places = key[1] + rows * np.arange(tables)
        flat = self._array.reshape(tables * rows, *rest)
        return self._graph.add("Gather", flat, places, dtype=flat.dtype, axis=0)


class OnnxGraph:
    """A graph in construction."""

    def __init__(self) -> None:
        self._onnx: Any = onnx_package()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._names: dict[int, tuple[str, Any]] = {}

    def add(self, kind: str, *inputs: Any, dtype: Any = None, **attributes: Any) -> Tensor:
        """Add a node and return its output, by default of the type of the first tensor."""
        names = [each.name if isinstance(each, Tensor) else self._constant(each) for each in inputs]
        first = next(each for each in inputs if isinstance(each, Tensor))
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(self._onnx.helper.make_node(kind, names, [name], name, **attributes))
        return Tensor(self, name, first.dtype if dtype is None else dtype)

    def kind_of(self, dtype: Any) -> int:
        """Return the number of a type in ONNX."""
        return int(self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def output(self, name: str, tensor: Tensor, *shape: Any) -> Any:
        """Name a tensor, and return its description as an output of the graph."""
        self.nodes.append(self._onnx.helper.make_node("Identity", [tensor.name], [name]))
        return self._onnx.helper.make_tensor_value_info(name, self.kind_of(tensor.dtype), shape)

    def _constant(self, array: np.ndarray[Any, Any]) -> str:
        """Return the name of a constant; an array that is used twice is stored once."""
        if id(array) not in self._names:
            name = f"constant{len(self.constants)}"
            packed = self._onnx.numpy_helper.from_array(np.ascontiguousarray(array), name)
            self.constants.append(packed)
            self._names[id(array)] = name, array  # the array lives, so its id stays unique
        return self._names[id(array)][0]

    def asarray(self, array: Any) -> _Tables:
        return _Tables(self, np.asarray(array))

    def concatenate(self, parts: Sequence[Tensor], axis: int) -> Tensor:
        return self.add("Concat", *parts, axis=axis)

    def where(self, condition: Tensor, one: Tensor, other: Any) -> Tensor:
        return self.add("Where", condition, one, np.asarray(other), dtype=one.dtype)

    def minimum(self, one: Tensor, other: float) -> Tensor:
        return self.add("Min", one, np.asarray(other, one.dtype))

    def maximum(self, one: Tensor, other: Tensor) -> Tensor:
        return self.add("Max", one, other)

    def tanh(self, tensor: Tensor) -> Tensor:
        return self.add("Tanh", tensor)

    def exp(self, tensor: Tensor) -> Tensor:
        return self.add("Exp", tensor)

    def relu(self, tensor: Tensor) -> Tensor:
        return self.add("Relu", tensor)
