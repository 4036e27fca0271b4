"""A neural net that judges positions: a policy and a value from static features, in one pass.

The net is a stack of dense layers. Every line of cells has a table that turns its state into a few
trained numbers, and so have the states of every two columns; these and the planes are the inputs of
the first layer. Then come `blocks` residual layers, and an output layer.

All of it is symmetric: mirroring the board mirrors the policy and leaves the value. Columns, lines
and hidden numbers come in pairs that change places; of each pair a layer is given the sum and the
difference, and weights lead only from sums to sums and from differences to differences. That takes
half the weights and half the work of a layer without symmetry. Only the cut at 0 distinguishes the
two of a pair, `one` and `other`:

```text
sums, differences = of all pairs of columns and lines; numbers of the whole board are sums
one, other = relu(sums @ in_sum + bias +- differences @ in_difference)
sums, differences = (one + other) / 2, (one - other) / 2
one, other = relu(sums @ block_sum + bias +- differences @ block_difference)      for each block
sums, differences += (one + other) / 4, (one - other) / 4
output = sums @ out_sum + bias, differences @ out_difference
```

The output, its pairs of columns put together again, is 2 * columns + 1 numbers: first the policy's
logits, one a column; then the value before its hyperbolic tangent; last the score of each column,
which is trained with the rest because it holds more about a position than its best column.

Residual layers: He, Zhang, Ren and Sun, "Deep residual learning for image recognition" (CVPR 2016).
One net for policy and value: Silver et al., "Mastering the game of Go without human knowledge"
(Nature 550, 2017).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from claimeven.compiled import load
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import real_number, whole_number
from claimeven.montecarlo.puct.policy_value import Floats, InvalidNetwork, Words, playable_columns
from claimeven.networks.net.array_features import BOARD_NUMBERS, COLUMN_NUMBERS, PLANES
from claimeven.networks.net.features import Features
from claimeven.networks.net.forward import Forward
from claimeven.networks.net.forward_kernel import Sight, Weights, predict_few


class SearchDefaults(NamedTuple):
    """The defaults of a search with a net, stored in its file.

    They depend on how well the net has learned, which its author can measure.
    `c` and `prior_temperature` are as in `PuctOptions`. A net with scores values a
    position, for the side to move and from -1 to 1, at

        (1 - score_share) * value + score_share * tanh(score / score_scale)

    of its value by the outcome and by the score of its best column; `score_share` is 0 to 1,
    `score_scale` 0.1 to 1000 points of score.
    """

    c: float = 3.0
    prior_temperature: float = 1.0
    score_share: float = 0.5
    score_scale: float = 10.0


#: For nets without a measurement.
DEFAULTS: Final = SearchDefaults()
#: The bounds of each number; the first two as in `PuctOptions`.
BOUNDS: Final = {
    "c": (0, 1000),
    "prior_temperature": (0.1, 10),
    "score_share": (0, 1),
    "score_scale": (0.1, 1000),
}


def search_defaults_of(header: Any) -> SearchDefaults:
    """Return the defaults in the header of a file, or `DEFAULTS`.

    Raises `InvalidNetwork` for another type, an unknown name, and a number outside `BOUNDS`.

    >>> search_defaults_of({"c": 0.5})
    SearchDefaults(c=0.5, prior_temperature=1.0, score_share=0.5, score_scale=10.0)
    """
    if header is None:
        return DEFAULTS
    if not isinstance(header, Mapping) or not header.keys() <= BOUNDS.keys():
        raise InvalidNetwork("its search defaults are invalid")
    return SearchDefaults(
        **{
            name: real_number(header[name], f"its {name}", InvalidNetwork, low=low, high=high)
            for name, (low, high) in BOUNDS.items()
            if name in header
        }
    )


Arrays = Mapping[str, npt.NDArray[Any]]

#: Positions that are evaluated at a time: their numbers stay near the processor.
BATCH: Final = 512
#: Positions that are evaluated faster one after the other than by matrix products.
_FEW: Final = 4
#: The least and the greatest sizes of a net, for files of strangers.
_BOUNDS: Final = {
    "pairs": (1, 2048),
    "blocks": (0, 64),
    "line_numbers": (1, 64),
    "column_numbers": (1, 64),
}
#: The limit on the numbers of a net, ten times a large net: a file of zeros packs a thousand times
#: its bytes, and a net takes eight bytes a number.
_MAX_NUMBERS: Final = 1 << 26
#: The greatest weight: products of greater ones could overflow in a net of the default sizes. The
#: weights of trained nets are below ten.
_MAX_WEIGHT: Final = 1e3


@dataclass(frozen=True)
class NetShape:
    """The sizes of a net.

    `pairs` pairs of numbers a hidden layer, `blocks` layers after the first, `line_numbers` and
    `column_numbers` numbers for the state of a line and of two columns. Raises `InvalidNetwork`.
    """

    pairs: int = 512
    blocks: int = 4
    line_numbers: int = 8
    column_numbers: int = 4

    def __post_init__(self) -> None:
        for name, (low, high) in _BOUNDS.items():
            words = f"the {name.replace('_', ' ')} of a net"
            size = whole_number(getattr(self, name), words, InvalidNetwork, low=low, high=high)
            object.__setattr__(self, name, size)

    def as_dict(self) -> dict[str, int]:
        """Return plain data."""
        return asdict(self)

    def arrays(self, geometry: Geometry) -> dict[str, tuple[int, ...]]:
        """Return the names of the arrays of a net for a board, and their shapes.

        Raises `InvalidNetwork` if they have more numbers than a net can have.
        """
        features = Features(geometry)
        board, pairs = features.symmetry, self.pairs
        column = geometry.rows * PLANES + COLUMN_NUMBERS
        lines, couples = len(board.first), len(board.left)
        of_couples = couples * self.column_numbers
        sums = column * board.half + BOARD_NUMBERS + lines * self.line_numbers + of_couples
        differences = column * board.pairs + board.unequal * self.line_numbers + of_couples
        shapes: dict[str, tuple[int, ...]] = {
            "lines": (lines, features.line_states, self.line_numbers),
            "columns": (couples, features.column_states**2, self.column_numbers),
            "in_sum": (sums, pairs),
            "in_difference": (differences, pairs),
            "in_bias": (pairs,),
        }
        for block in range(self.blocks):
            shapes[f"block{block}_sum"] = shapes[f"block{block}_difference"] = (pairs, pairs)
            shapes[f"block{block}_bias"] = (pairs,)
        ends = 2 * board.half + 1
        shapes |= {
            "out_sum": (pairs, ends),
            "out_difference": (pairs, 2 * board.pairs),
            "out_bias": (ends,),
        }
        numbers = sum(map(math.prod, shapes.values()))
        if numbers > _MAX_NUMBERS:
            raise InvalidNetwork(
                f"a net must have at most {_MAX_NUMBERS:,} numbers, got {numbers:,}"
            )
        return shapes


#: Nets of a few sizes by their names.
SHAPES: Final = {
    "small": NetShape(pairs=128, blocks=2, line_numbers=4, column_numbers=1),
    "medium": NetShape(pairs=512, blocks=4, line_numbers=8, column_numbers=4),
    "large": NetShape(pairs=768, blocks=4, line_numbers=8, column_numbers=8),
}


@dataclass(frozen=True)
class Prediction:
    """The outputs of a net for positions.

    `values` float32 (n,) for the side to move from -1 to 1, `priors` float32 (n, columns), which
    sum to 1 over playable columns, and `scores` float32 (n, columns): its estimate of the exact
    score of each column, for the side to move; NaN in columns that are full. Of a net that
    `knows_only_best` the greatest is the score of the position, the others have no meaning.
    """

    values: Floats
    priors: Floats
    scores: Floats


class Net:
    """A net of a shape for a board: a `PolicyValue`.

    `arrays` are as in `NetShape.arrays`, float32. With `knows_scores` the scores of columns were
    trained: then the values of `evaluate` are graded as `search_defaults` says, so that a search
    with them wins soon and loses late. With `knows_only_best` only the score of the best column was
    trained. Raises `InvalidNetwork` for other arrays.

    >>> net = Net.zeros(NetShape(pairs=4, blocks=1), Geometry(4, 4, 3))
    >>> values, priors = net.evaluate(*np.zeros((2, 1), dtype=np.uint64))
    >>> values.tolist(), priors.tolist()
    ([0.0], [[0.25, 0.25, 0.25, 0.25]])
    """

    #: Points of score that are 1 in the output.
    SCORE_UNIT: Final = 10.0

    def __init__(
        self,
        shape: NetShape,
        arrays: Arrays,
        geometry: Geometry = STANDARD,
        knows_scores: bool = False,
        search_defaults: SearchDefaults = DEFAULTS,
        knows_only_best: bool = False,
    ) -> None:
        for name, size in shape.arrays(geometry).items():
            array = arrays.get(name)
            if array is None or array.shape != size or array.dtype != np.float32:
                raise InvalidNetwork(f"its part {name!r} must be float32 of shape {size}")
            greatest = np.abs(array).max(initial=0.0)
            if not greatest <= _MAX_WEIGHT:
                raise InvalidNetwork(
                    f"its part {name!r} must hold numbers of at most {_MAX_WEIGHT:,.0f},"
                    f" got {greatest:,.0f}"
                )
        self.shape = shape
        self.geometry = geometry
        self.search_defaults = search_defaults
        self.knows_scores = knows_scores
        self.knows_only_best = knows_only_best
        # Arrays of JAX and Ray are read only, which kernels do not take.
        self.arrays: dict[str, npt.NDArray[Any]] = {
            n: np.require(arrays[n], None, ["C", "W"]) for n in shape.arrays(geometry)
        }
        self.features: Features = Features(geometry)
        self.forward: Forward = Forward(self.features)
        parts = ("sum", "difference", "bias")
        of_blocks = [[f"block{n}_{part}" for part in parts] for n in range(shape.blocks)]
        matrices = np.zeros((2 * shape.blocks, shape.pairs, shape.pairs), dtype=np.float32)
        biases = np.zeros((shape.blocks, shape.pairs), dtype=np.float32)
        for n, names in enumerate(of_blocks):
            for name, room in zip(names, (*matrices[2 * n : 2 * n + 2], biases[n]), strict=True):
                room[:] = arrays[name]
                self.arrays[name] = room  # one copy is enough
        board, of = self.features.symmetry, self.arrays
        counts = [geometry.columns, board.unequal, self.features.column_states]
        self._sight = Sight(
            self.features.board, self.features.bits, self.features.lines, board.first, board.second,
            board.read_as, board.left, board.right, np.array(counts, dtype=np.int64),
        )  # fmt: skip
        self._weights = Weights(
            of["lines"], of["columns"], of["in_sum"], of["in_difference"], of["in_bias"],
            matrices, biases, of["out_sum"], of["out_difference"], of["out_bias"],
        )  # fmt: skip

    @classmethod
    def zeros(cls, shape: NetShape, geometry: Geometry = STANDARD) -> Net:
        """Return a net of zeros: every column is the same to it, every position worth 0."""
        shapes = shape.arrays(geometry)
        return cls(shape, {n: np.zeros(s, dtype=np.float32) for n, s in shapes.items()}, geometry)

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return sum(array.size for array in self.arrays.values())

    @property
    def grading(self) -> tuple[float, float] | None:
        """How scores enter values, as in `Forward.judge`; None if scores were not trained."""
        if not self.knows_scores:
            return None
        return self.search_defaults.score_share, self.search_defaults.score_scale / self.SCORE_UNIT

    def load(self) -> None:
        """Compile what `evaluate` calls, or load it from the cache."""
        self.features.load()
        load(predict_few)
        self.predict(*np.zeros((2, 1), dtype=np.uint64))  # a first call takes 10 ms longer

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return values and priors of positions: see `PolicyValue`.

        The values of a net with scores are between the value of the outcome and the value of the
        best column's score: see `SearchDefaults`.
        """
        prediction = self.predict(mines, masks)
        if not self.knows_scores:
            return prediction.values, prediction.priors
        share = np.float32(self.search_defaults.score_share)
        scale = np.float32(self.search_defaults.score_scale)
        graded = np.tanh(np.nanmax(prediction.scores, axis=1) / scale)
        return prediction.values * (1 - share) + graded * share, prediction.priors

    def predict(self, mines: Words, masks: Words) -> Prediction:
        """Evaluate n positions in which the game is not over; boards as in `PolicyValue.evaluate`.

        Raises `InvalidNetwork` if its weights are so great that its outputs are not finite.
        """
        columns = self.geometry.columns
        outputs = np.empty((len(mines), 2 * columns + 1), dtype=np.float32)
        if len(mines) <= _FEW:
            self._predict_few(mines, masks, outputs)
        else:
            for start in range(0, len(mines), BATCH):
                part = slice(start, start + BATCH)
                with np.errstate(all="ignore"):  # infinite values are rejected below
                    outputs[part] = self.raw(mines[part], masks[part])
        if not np.isfinite(outputs).all():
            raise InvalidNetwork("the numbers of the net are not finite: it cannot be used")
        playable = playable_columns(masks, self.geometry)
        values, priors = self.forward.judge(outputs, playable, None)
        scores = outputs[:, columns + 1 :] * np.float32(self.SCORE_UNIT)
        return Prediction(values[:, 0], priors, np.where(playable, scores, np.float32(np.nan)))

    def raw(self, mines: Words, masks: Words) -> Floats:
        """Return the output of n positions, (n, 2 * columns + 1): see the module."""
        prediction: Floats = self.forward.outputs(self.arrays, *self._embedded(mines, masks))
        return prediction

    def inputs(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return the inputs of the first layer for n positions: sums and differences, (n, ...)."""
        return self.forward.inputs(*self._embedded(mines, masks))

    def _embedded(self, mines: Words, masks: Words) -> tuple[dict[str, list[Any]], Any]:
        """Return the numbers that positions look up in the tables, and their planes."""
        planes, states = self.features.of(mines, masks)
        return self.forward.look_up(self.arrays, self.forward.rows(states)), planes

    def _predict_few(self, mines: Words, masks: Words, outputs: Floats) -> None:
        predict_few(
            self._sight,
            self._weights,
            np.ascontiguousarray(mines),
            np.ascontiguousarray(masks),
            np.empty((1, self.features.plane_count), dtype=np.uint8),
            np.empty((1, self.features.state_count), dtype=np.int64),
            np.empty((2, len(self.arrays["in_sum"])), dtype=np.float32),
            np.empty((4, max(self.shape.pairs, outputs.shape[1])), dtype=np.float32),
            outputs,
        )
