"""Models from ONNX files, run by onnxruntime (extra `onnx`) in one thread.

| input, static or not              | content                                                   |
|-----------------------------------|-----------------------------------------------------------|
| `(n, 2, rows, columns)`           | planes as in `PlanesModel`; (n, rows, columns, 2) too     |
| `(n, rows, columns)`              | 1 the side to move, -1 the other side, 0 empty; top row   |
|                                   | first; (n, 1, rows, columns) too                          |

The output with `value` in its name has the values, (n,) or (n, 1). The output with `policy` or
`log` in its name has the policies, (n, columns): probabilities, or logits if `log` is in the name.
If the names differ, there are two outputs, and the values have the size 1.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.montecarlo.puct.policy_value import Floats, InvalidNetwork
from claimeven.networks.net.onnx_file import BOARD, SEARCH
from claimeven.networks.planes_model import PlanesModel

#: The end of the names of files.
SUFFIX: Final = ".onnx"
#: Types of an input whose names differ from NumPy's.
_TYPES: Final = {"float": "float32", "double": "float64"}


def read_onnx(path: str | Path) -> PlanesModel:
    """Return the model of an ONNX file.

    Raises `InvalidNetwork` without onnxruntime, and for a file without such an input and outputs.
    """
    run = _Session(path)
    facts = run.session.get_modelmeta().custom_metadata_map
    geometry, search = None, {}
    with suppress(KeyError, ValueError, TypeError, ClaimevenError):  # the file is of another author
        geometry, found = Geometry(**json.loads(facts[BOARD])), json.loads(facts[SEARCH])
        search = {name: float(found[name]) for name in ("c", "prior_temperature")}
    return PlanesModel(run, geometry, str(path), search)


class _Session:
    """A function of planes that runs a file."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        try:
            import onnxruntime  # noqa: PLC0415 - an extra
        except ImportError:
            raise InvalidNetwork(
                f"{path} needs the package onnxruntime: pip install 'claimeven[onnx]'"
            ) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # an agent has one core
        options.log_severity_level = 4
        if not Path(path).is_file():
            raise InvalidNetwork(f"{path} cannot be read: there is no such file")
        try:
            session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # the package has a dozen kinds
            reason = str(error).splitlines()[0][:200]
            raise InvalidNetwork(f"{path} is not an ONNX model that can run: {reason}") from None
        self.session: Any = session
        inputs = session.get_inputs()
        shape = inputs[0].shape if len(inputs) == 1 else []
        self._layout = _layout_of(shape)
        if self._layout is None:
            given = ", ".join(f"{each.name} {each.shape}" for each in inputs)
            raise InvalidNetwork(
                f"{path} must have one input, (n, 2, rows, columns) or (n, rows, columns),"
                f" got {given}"
            )
        self._input, self._shape = inputs[0].name, shape
        kind = inputs[0].type.removeprefix("tensor(").removesuffix(")")
        self._dtype = np.dtype(_TYPES.get(kind, kind))
        self._value, self._policy = self._outputs()

    def __reduce__(self) -> tuple[Any, ...]:
        return _Session, (self.path,)

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        """Return values and policies, in parts if the file has a fixed number of positions."""
        boards = self._converted(planes)
        size = self._shape[0] if isinstance(self._shape[0], int) else max(1, len(boards))
        parts = []
        for start in range(0, len(boards), size):
            part = boards[start : start + size]
            filled = np.concatenate([part, np.repeat(part[-1:], size - len(part), axis=0)])
            outputs = self.session.run([self._value, self._policy], {self._input: filled})
            parts.append([each[: len(part)] for each in outputs])
        values, policies = (np.concatenate(each) for each in zip(*parts, strict=True))
        if "log" in self._policy.lower():
            full = planes[:, :, 0].any(axis=1)
            logits = np.where(full, np.float32(-np.inf), policies)
            policies = np.exp(logits - logits.max(axis=1, keepdims=True))
        return values, policies

    def _converted(self, planes: Floats) -> npt.NDArray[Any]:
        """Return planes as the input of the file. Raises `InvalidNetwork` for another board."""
        if self._layout == "cells":
            planes = planes[:, 0] - planes[:, 1]
        elif self._layout == "cells plane":
            planes = planes[:, :1] - planes[:, 1:]
        elif self._layout == "planes last":
            planes = np.moveaxis(planes, 1, 3)
        for size, expected in zip(planes.shape[1:], self._shape[1:], strict=True):
            if isinstance(expected, int) and size != expected:
                raise InvalidNetwork(
                    f"{self.path} takes boards of shape {self._shape[1:]}, got {planes.shape[1:]}"
                )
        return np.ascontiguousarray(planes, dtype=self._dtype)

    def _outputs(self) -> tuple[str, str]:
        """Return the names of the values and of the policies. Raises `InvalidNetwork`."""
        outputs = self.session.get_outputs()
        names = [each.name for each in outputs]
        values = [name for name in names if "value" in name.lower()]
        policies = [
            n for n in names if n not in values and ("polic" in n.lower() or "log" in n.lower())
        ]
        if not (values and policies) and len(outputs) == 2:
            values = [each.name for each in outputs if each.shape[1:] in ([], [1])]
            policies = [name for name in names if name not in values]
        if not (values and policies):
            raise InvalidNetwork(
                f"{self.path} must have the outputs value and policy, got {', '.join(names)}"
            )
        return values[0], policies[0]


def _layout_of(shape: Sequence[Any]) -> str | None:
    """Return the layout of an input of a shape; None if it is unknown.

    >>> _layout_of(["n", 2, 6, 7]), _layout_of(["n", 6, 7, 2]), _layout_of([1, 6, 7])
    ('planes', 'planes last', 'cells')
    """
    if len(shape) == 3:
        return "cells"
    if len(shape) == 4:
        return {2: "planes", 1: "cells plane"}.get(
            shape[1], "planes last" if shape[3] == 2 else None
        )
    return None
