"""Models of other authors: functions of planes, and ONNX files run by onnxruntime (extra `onnx`).

The input of a file is `(n, 2, rows, columns)`, planes as in `PlanesModel`, or `(n, rows, columns)`:
1 the side to move, -1 the other side, 0 empty, top row first. The number n may be fixed. The output
with `value` in its name has the values, (n,) or (n, 1). The output with `policy` or `log` in its
name has the policies, (n, columns): probabilities, or logits if `log` is in the name. If the names
differ, there are two outputs, and the values have the size 1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np

from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import instance
from claimeven.montecarlo.puct.policy_value import Floats, InvalidNetwork, Words, playable_columns
from claimeven.networks.net.file import BOARD, SEARCH

#: The end of the names of ONNX files.
ONNX: Final = ".onnx"


class PlanesModel:
    """A `PolicyValue` of a function that evaluates planes.

    `function` gets planes, float32 (n, 2, rows, columns), 0 or 1, top row first: the discs of the
    side to move, and of the other side. It returns the values of the n positions, from -1 to 1 for
    the side to move, and for each position a number from 0 for each column; the numbers of playable
    columns are scaled to the sum 1. An object with `evaluate(mines, masks)` is called as a
    `PolicyValue`. Without a `geometry` (or an attribute of that name) the model knows each board,
    and a search calls `bind` with its board.

    >>> model = PlanesModel(lambda planes: (0.5 * planes[:, 0].any(axis=(1, 2)), np.ones((1, 7))))
    >>> values, priors = model.evaluate(*np.zeros((2, 1), dtype=np.uint64))
    >>> values.tolist(), round(float(priors[0, 0]), 3)
    ([0.0], 0.143)
    """

    def __init__(
        self,
        function: Any,
        geometry: Geometry | None = None,
        name: str | None = None,
        search_defaults: Mapping[str, float] | None = None,
    ) -> None:
        self._function = function
        self._fixed: Geometry | None = geometry or getattr(function, "geometry", None)
        self.geometry: Geometry = self._fixed or STANDARD
        self.name: str = name or str(getattr(function, "__name__", type(function).__name__))
        instance(self.geometry, f"{self.name}.geometry", Geometry, InvalidNetwork)
        self.search_defaults: dict[str, float] = dict(search_defaults or {})

    def bind(self, geometry: Geometry) -> None:
        """Change to a board, unless the model is of one board."""
        geometry.check_fits_word("a model")
        self.geometry = self._fixed or geometry

    def load(self) -> None:
        """Do nothing: the function has no kernels."""

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return values and priors of positions: see `PolicyValue`, and `evaluate_checked`."""
        evaluate = getattr(self._function, "evaluate", None)
        found = self._of_planes(mines, masks) if evaluate is None else evaluate(mines, masks)
        try:
            values, policies = (np.asarray(each, dtype=np.float32) for each in found)
        except (TypeError, ValueError) as error:
            raise InvalidNetwork(
                f"the model {self.name} must return two arrays of numbers, values and policies:"
                f" {error}"
            ) from None
        if values.shape == (len(masks), 1):
            values = values[:, 0]
        if policies.shape == (len(masks), self.geometry.columns) and policies.min(initial=0) >= 0:
            policies = policies * playable_columns(masks, self.geometry)
            with np.errstate(all="ignore"):  # a sum of 0 gives NaN, which is rejected
                policies /= policies.sum(axis=1, keepdims=True)
        return values, policies

    def _of_planes(self, mines: Words, masks: Words) -> Any:
        board = self.geometry
        places = np.array(
            [[board.bit(c, r) for c in range(board.columns)] for r in range(board.rows)[::-1]],
            dtype=np.uint64,
        )
        discs = np.stack([mines, masks ^ mines], axis=1)[..., None, None]
        return self._function((discs >> places & np.uint64(1)).astype(np.float32))


def read_onnx(path: str | Path) -> PlanesModel:
    """Return the model of an ONNX file.

    Raises `InvalidNetwork` without onnxruntime, and for a file without such an input and outputs.
    """
    run, geometry, search = _Session(path), None, {}
    facts = run.session.get_modelmeta().custom_metadata_map
    with suppress(KeyError, ValueError, TypeError, ClaimevenError):  # the file is of another author
        geometry, found = Geometry(**json.loads(facts[BOARD])), json.loads(facts[SEARCH])
        search = {name: float(found[name]) for name in ("c", "prior_temperature")}
    return PlanesModel(run, geometry, str(path), search)


def metadata_of(path: str | Path) -> Any:
    """Return the texts in the metadata of an ONNX file. Raises `InvalidNetwork`."""
    return _Session(path).session.get_modelmeta().custom_metadata_map


class _Session:
    """A function of planes that runs a file."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        try:
            import onnxruntime  # noqa: PLC0415 - an extra

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1  # an agent has one core
            options.log_severity_level = 4
            providers = ["CPUExecutionProvider"]
            self.session: Any = onnxruntime.InferenceSession(str(path), options, providers)
        except ImportError:
            raise InvalidNetwork(
                f"{path} needs onnxruntime: pip install 'claimeven[onnx]'"
            ) from None
        except Exception as error:  # the package has a dozen kinds
            reason = str(error).splitlines()[0][:200]
            raise InvalidNetwork(f"{path} cannot be read as an ONNX model: {reason}") from None
        inputs, outputs = self.session.get_inputs(), self.session.get_outputs()
        names = [each.name for each in outputs]
        values = [name for name in names if "value" in name.lower()]
        policies = [name for name in names if re.search("polic|log", name.lower())]
        if not (values and policies) and len(names) == 2:
            values = [each.name for each in outputs if each.shape[1:] in ([], [1])]
            policies = [name for name in names if name not in values]
        self.shape: list[Any] = inputs[0].shape if len(inputs) == 1 else []
        is_known = len(self.shape) == 3 or (len(self.shape) == 4 and self.shape[1] == 2)
        kind = re.fullmatch(
            r"tensor\((float16|float|double|u?int\d+)\)", inputs[0].type if inputs else ""
        )
        if kind is None or not (is_known and values and policies):
            takes = ", ".join(f"{each.name} {each.shape} {each.type}" for each in inputs) or "none"
            raise InvalidNetwork(
                f"{path} must have one input, (n, 2, rows, columns) or (n, rows, columns), and the"
                f" outputs value and policy, got {takes} and {', '.join(names)}"
            )
        self.outputs = [values[0], policies[0]]
        dtype = "float32" if kind[1] == "float" else kind[1]
        self._input, self._dtype = inputs[0].name, np.dtype(dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Session, (self.path,)

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        """Return values and policies, in parts if the file has a fixed number of positions."""
        boards: Any = planes[:, 0] - planes[:, 1] if len(self.shape) == 3 else planes
        pairs = zip(boards.shape[1:], self.shape[1:], strict=True)
        if any(isinstance(expected, int) and size != expected for size, expected in pairs):
            raise InvalidNetwork(
                f"{self.path} takes boards of shape {self.shape[1:]}, got {boards.shape[1:]}"
            )
        size, parts = self.shape[0] if isinstance(self.shape[0], int) else len(boards), []
        for start in range(0, len(boards), size):
            part = boards[start : start + size].astype(self._dtype)
            filled = np.concatenate([part, np.repeat(part[-1:], size - len(part), axis=0)])
            found = self.session.run(self.outputs, {self._input: filled})
            parts.append([each[: len(part)] for each in found])
        values, policies = (np.concatenate(each) for each in zip(*parts, strict=True))
        if "log" in self.outputs[1].lower():
            logits = np.where(planes[:, :, 0].any(axis=1), np.float32(-np.inf), policies)
            policies = np.exp(logits - logits.max(axis=1, keepdims=True))
        return values, policies
