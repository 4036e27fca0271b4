"""A neural net that judges positions: a policy and a value from static features, in one pass.

The net is a stack of dense layers. Every line of cells has a table that turns its state into a few
learnt numbers; these and the planes of the cells are the first layer's input. Then come `blocks`
layers that each add to what is there, and an output layer:

```text
inputs = planes of all cells, who is to move, numbers of all lines
hidden = relu(inputs @ in + bias)
hidden = hidden + relu(hidden @ block + bias) / 2            for each block
output = hidden @ out + bias                                 columns + 1 + columns numbers
```

The first numbers of the output are the policy's logits, one a column; the next is the value before
its hyperbolic tangent; the last are the score of each column, which is learnt along with the rest
because it says more of a position than its best column does. A position and its mirror image are
judged together and averaged, so they get mirrored answers.

Residual layers: He, Zhang, Ren and Sun, "Deep residual learning for image recognition" (CVPR 2016).
One net for policy and value: Silver et al., "Mastering the game of Go without human knowledge"
(Nature 550, 2017).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.compiled import load
from claimeven.game.arrays import mirrored_keys
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.networks.errors import InvalidNetwork
from claimeven.networks.net.features import Features
from claimeven.networks.net.pass_kernel import judge_few
from claimeven.networks.policy_value import playable_columns

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint64]
Arrays = Mapping[str, npt.NDArray[Any]]

#: Positions that are judged at a time: their numbers stay near the processor.
BATCH: Final = 512
#: Positions that are quicker judged one after the other than by matrix products.
FEW: Final = 4
#: Bounds on the sizes of a net, for files of strangers.
_MOST: Final = {"width": 4096, "blocks": 64, "line_numbers": 64}
#: The part of a block's output that is added.
_SHARE: Final = np.float32(0.5)


@dataclass(frozen=True)
class NetShape:
    """The sizes of a net.

    `width` numbers a hidden layer, `blocks` layers after the first, and `line_numbers` numbers by
    which the state of a line is told. Raises `InvalidNetwork` for one that is out of range.
    """

    width: int = 512
    blocks: int = 3
    line_numbers: int = 8

    def __post_init__(self) -> None:
        """Check every size."""
        for name, most in _MOST.items():
            size = getattr(self, name)
            least = 0 if name == "blocks" else 1
            if not isinstance(size, int) or not least <= size <= most:
                raise InvalidNetwork(
                    f"the {name.replace('_', ' ')} of a net: {least} to {most}, not {size!r}"
                )

    def as_dict(self) -> dict[str, int]:
        """Return plain data."""
        return asdict(self)

    def arrays(self, geometry: Geometry) -> dict[str, tuple[int, ...]]:
        """Return the names of the arrays of a net for a board, and their shapes."""
        features = Features(geometry)
        lines = len(features.lines)
        outputs = 2 * geometry.columns + 1
        shapes: dict[str, tuple[int, ...]] = {
            "lines": (lines, features.line_states, self.line_numbers),
            "in": (features.plane_count + lines * self.line_numbers, self.width),
            "in_bias": (self.width,),
        }
        for block in range(self.blocks):
            shapes[f"block{block}"] = (self.width, self.width)
            shapes[f"block{block}_bias"] = (self.width,)
        return {**shapes, "out": (self.width, outputs), "out_bias": (outputs,)}


#: Nets of a few sizes by their names.
SHAPES: Final = {
    "small": NetShape(width=192, blocks=2, line_numbers=4),
    "medium": NetShape(width=512, blocks=3, line_numbers=8),
    "large": NetShape(width=1024, blocks=4, line_numbers=8),
}


@dataclass(frozen=True)
class Judgement:
    """What a net makes of positions.

    `values` float32 (n,) for the side to move from -1 to 1, `priors` float32 (n, columns), which
    sum to 1 over playable columns, and `scores` float32 (n, columns): what it takes the exact score
    of each column to be, for the side to move; no number in columns that are full.
    """

    values: Floats
    priors: Floats
    scores: Floats


class Net:
    """A net of a shape for a board: a `PolicyValue`.

    `arrays` are those of `NetShape.arrays`, float32. `knows_scores` says that the scores of columns
    were learnt: then the values of `evaluate` are graded, so that a search with them wins soon and
    loses late. Raises `InvalidNetwork` where the arrays are others.

    >>> net = Net.untaught(NetShape(width=8, blocks=1), Geometry(4, 4, 3))
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
    ) -> None:
        for name, size in shape.arrays(geometry).items():
            array = arrays.get(name)
            if array is None or array.shape != size or array.dtype != np.float32:
                raise InvalidNetwork(f"its part {name!r} must be float32 of shape {size}")
            if not np.isfinite(array).all():
                raise InvalidNetwork(f"its part {name!r} holds what is no number")
        self.shape = shape
        self.geometry = geometry
        self.knows_scores = knows_scores
        # Arrays of JAX and Ray cannot be written to, and kernels take only such as can.
        self.arrays = {n: np.require(arrays[n], None, ["C", "W"]) for n in shape.arrays(geometry)}
        self.features = Features(geometry)
        width = shape.width
        self._blocks = np.zeros((shape.blocks, width, width), dtype=np.float32)
        self._block_biases = np.zeros((shape.blocks, width), dtype=np.float32)
        for n in range(shape.blocks):
            self._blocks[n], self._block_biases[n] = arrays[f"block{n}"], arrays[f"block{n}_bias"]
            self.arrays[f"block{n}"] = self._blocks[n]  # one copy is enough
        self._which_line = np.arange(len(self.features.lines))

    @classmethod
    def untaught(cls, shape: NetShape, geometry: Geometry = STANDARD) -> Net:
        """Return a net of zeros: every column is the same to it, every position worth 0."""
        shapes = shape.arrays(geometry)
        return cls(shape, {n: np.zeros(s, dtype=np.float32) for n, s in shapes.items()}, geometry)

    @property
    def parameters(self) -> int:
        """Numbers that were learnt."""
        return sum(array.size for array in self.arrays.values())

    def load(self) -> None:
        """Compile what `evaluate` calls, or load it from the cache."""
        self.features.load()
        load(judge_few)
        self.judge(*np.zeros((2, 1), dtype=np.uint64))  # a first call takes 10 ms longer

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return values and priors of positions: see `PolicyValue`.

        The values of a net that knows scores lie halfway between the value of the outcome and the
        score of the best column, as a part of the most discs that a side can have left.
        """
        found = self.judge(mines, masks)
        if not self.knows_scores:
            return found.values, found.priors
        most = np.float32(self.geometry.cells / 2)
        scores = np.clip(np.nanmax(found.scores, axis=1) / most, np.float32(-1), np.float32(1))
        return (found.values + scores) * np.float32(0.5), found.priors

    def judge(self, mines: Words, masks: Words) -> Judgement:
        """Judge n positions, none of which is over; boards as in `PolicyValue.evaluate`."""
        columns = self.geometry.columns
        outputs = np.empty((len(mines), 2 * columns + 1), dtype=np.float32)
        if len(mines) <= FEW:
            self._judge_few(mines, masks, outputs)
        else:
            for begin in range(0, len(mines), BATCH):
                part = slice(begin, begin + BATCH)
                outputs[part] = self._averaged(mines[part], masks[part])
        return self.judgement(outputs, masks)

    def judgement(self, outputs: Floats, masks: Words) -> Judgement:
        """Return what the output of positions with these discs says of them."""
        columns = self.geometry.columns
        playable = playable_columns(masks, self.geometry)
        logits = np.where(playable, outputs[:, :columns], np.float32(-np.inf))
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        priors = chances / chances.sum(axis=1, keepdims=True)
        scores = outputs[:, columns + 1 :] * np.float32(self.SCORE_UNIT)
        return Judgement(
            np.tanh(outputs[:, columns]), priors, np.where(playable, scores, np.float32(np.nan))
        )

    def raw(self, mines: Words, masks: Words) -> Floats:
        """Return the output of n positions as they lie, (n, 2 * columns + 1): see the module."""
        arrays = self.arrays
        planes, states = self.features.of(mines, masks)
        numbers = arrays["lines"][self._which_line, states].reshape(len(mines), -1)
        inputs = np.concatenate([planes.astype(np.float32), numbers], axis=1)
        hidden = np.maximum(inputs @ arrays["in"] + arrays["in_bias"], np.float32(0))
        for weights, bias in zip(self._blocks, self._block_biases, strict=True):
            added = np.maximum(hidden @ weights + bias, np.float32(0))
            added *= _SHARE
            hidden += added
        outputs: Floats = hidden @ arrays["out"] + arrays["out_bias"]
        return outputs

    def _judge_few(self, mines: Words, masks: Words, outputs: Floats) -> None:
        """Write what `_averaged` returns."""
        arrays, features, shape = self.arrays, self.features, self.shape
        judge_few(
            features.board,
            features.bits,
            features.lines,
            np.ascontiguousarray(mines),
            np.ascontiguousarray(masks),
            self.geometry.rows,
            arrays["lines"],
            arrays["in"],
            arrays["in_bias"],
            self._blocks,
            self._block_biases,
            arrays["out"],
            arrays["out_bias"],
            np.empty((2, 2), dtype=np.uint64),
            np.empty((2, features.plane_count), dtype=np.uint8),
            np.empty((2, len(features.lines)), dtype=np.int64),
            np.empty((2, len(arrays["in"])), dtype=np.float32),
            np.empty((3, 2, max(shape.width, outputs.shape[1])), dtype=np.float32),
            outputs,
        )

    def _averaged(self, mines: Words, masks: Words) -> Floats:
        """Return the output averaged over each position and its mirror image."""
        columns, count = self.geometry.columns, len(mines)
        both = [
            np.concatenate([boards, mirrored_keys(boards, self.geometry)])
            for boards in (mines, masks)
        ]
        outputs = self.raw(*both)
        image = outputs[count:]
        flipped = np.concatenate(
            [image[:, columns - 1 :: -1], image[:, columns : columns + 1], image[:, :columns:-1]],
            axis=1,
        )
        mean: Floats = (outputs[:count] + flipped) * np.float32(0.5)
        return mean
