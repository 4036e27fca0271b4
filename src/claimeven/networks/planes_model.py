"""Models of other authors: functions of planes, checked each time they are called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.game.geometry import Geometry
from claimeven.montecarlo.puct.policy_value import (
    Floats,
    InvalidNetwork,
    Words,
    playable_columns,
)

#: How far rounding may take a value beyond -1 and 1.
_TOLERANCE: Final = 1e-3


class PlanesModel:
    """A `PolicyValue` of any object that evaluates planes.

    `model` is a function of planes, float32 (n, 2, rows, columns), 0 or 1, top row first: the discs
    of the side to move, and of the other side. It returns the values of the n positions, from -1 to
    1 for the side to move, and for each position a number from 0 for each column; numbers of
    playable columns are scaled to the sum 1. A class is called without arguments, or with the board
    if it needs one. An object with `evaluate(mines, masks)` is called as a `PolicyValue`.

    Without a `geometry` (or an attribute of that name) it knows each board, and a search calls
    `bind` with its board. `name` is in messages; `search_defaults` are as in `recommended_options`.
    `evaluate` raises `InvalidNetwork`, in one sentence, for other answers.

    >>> model = PlanesModel(lambda planes: (0.5 * planes[:, 0].any(axis=(1, 2)), np.ones((1, 4))))
    >>> model.bind(Geometry(4, 4, 3))
    >>> [array.tolist() for array in model.evaluate(*np.zeros((2, 1), dtype=np.uint64))]
    [[0.0], [[0.25, 0.25, 0.25, 0.25]]]
    """

    def __init__(
        self,
        model: Callable[..., Any],
        geometry: Geometry | None = None,
        name: str | None = None,
        search_defaults: Mapping[str, float] | None = None,
    ) -> None:
        self._source: Any = model
        self._model: Any = model
        self._fixed: Geometry | None = geometry or getattr(model, "geometry", None)
        self._geometry: Geometry | None = None
        self.name = name or getattr(model, "__name__", type(model).__name__)
        self.search_defaults = dict(search_defaults or {})

    @property
    def geometry(self) -> Geometry:
        """The board. Raises `InvalidNetwork` before `bind` for a model of each board."""
        board = self._fixed or self._geometry
        if board is None:
            raise InvalidNetwork(f"the model {self.name} has no board yet: call bind(geometry)")
        return board

    def bind(self, geometry: Geometry) -> None:
        """Change to a board, unless the model is of one board; make the object of a class."""
        geometry = self._fixed or geometry
        if geometry == self._geometry:
            return
        geometry.check_fits_word("a model")
        self._geometry = geometry
        make: Any = self._source
        if isinstance(make, type):
            takes = inspect.signature(make).parameters.values()
            needs = any(p.default is p.empty and p.kind < p.VAR_POSITIONAL for p in takes)
            self._model = make(geometry) if needs else make()

    def load(self) -> None:
        """Evaluate the empty board of a model that has its board."""
        if self._fixed or self._geometry:
            self.evaluate(*np.zeros((2, 1), dtype=np.uint64))

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return values and priors of positions: see `PolicyValue`."""
        self.bind(self.geometry)
        evaluate = getattr(self._model, "evaluate", None)
        if evaluate is not None:
            found = evaluate(mines, masks)
        else:
            found = self._model(planes_of(mines, masks, self.geometry))
        return self._checked(found, masks)

    def _checked(self, found: Any, masks: Words) -> tuple[Floats, Floats]:
        """Return the answer of the model for positions. Raises `InvalidNetwork`."""
        shape, model = (len(masks), self.geometry.columns), f"the model {self.name}"
        try:
            values, policies = (np.asarray(each, dtype=np.float32) for each in found)
        except (TypeError, ValueError) as error:
            raise InvalidNetwork(
                f"{model} must return two arrays of numbers, values and policies: {error}"
            ) from None
        if values.shape == (len(masks), 1):
            values = values[:, 0]
        if values.shape != shape[:1] or policies.shape != shape:
            raise InvalidNetwork(
                f"{model} must return values of shape {shape[:1]} and policies of shape {shape},"
                f" got {values.shape} and {policies.shape}"
            )
        if not (np.isfinite(values).all() and np.isfinite(policies).all()):
            raise InvalidNetwork(f"{model} must return finite numbers, got NaN or infinity")
        if np.abs(values).max(initial=0) > 1 + _TOLERANCE:
            worst = values[np.abs(values).argmax()]
            raise InvalidNetwork(f"{model} must return values from -1 to 1, got {worst:g}")
        if policies.min(initial=0) < 0:
            raise InvalidNetwork(
                f"{model} must return policies of 0 or more, got {policies.min():g}; name an ONNX"
                " output of logits `policy_logits`"
            )
        policies = policies * playable_columns(masks, self.geometry)
        sums = policies.sum(axis=1, keepdims=True)
        if not sums.all():
            raise InvalidNetwork(f"{model} must return a policy above 0 for a playable column")
        return np.clip(values, -1, 1), policies / sums


def planes_of(mines: Words, masks: Words, geometry: Geometry) -> Floats:
    """Return positions as planes: see `PlanesModel`.

    >>> planes_of(*np.ones((2, 1), dtype=np.uint64), Geometry(2, 2, 2)).tolist()
    [[[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]
    """
    rows = [range(geometry.rows - 1, -1, -1), range(geometry.columns)]
    places = [[geometry.bit(column, row) for column in rows[1]] for row in rows[0]]
    discs: npt.NDArray[np.uint64] = np.stack([mines, masks ^ mines], axis=1)[..., None, None]
    return (discs >> np.array(places, dtype=np.uint64) & np.uint64(1)).astype(np.float32)
