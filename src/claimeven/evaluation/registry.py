"""The evaluations by name, and functions of users as evaluations."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from claimeven.compiled import Int, Ints, Word, Words, inlined, int64, kernel, uint64
from claimeven.evaluation.sequences import sequences, sequences_kernel
from claimeven.evaluation.streaks import (
    chain_weights,
    streaks,
    streaks_kernel,
    triples,
    triples_kernel,
)
from claimeven.evaluation.windows import SYMMETRIC, WindowWeights, windows, windows_kernel
from claimeven.game.errors import ClaimevenError
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.game.validation import real_number, whole_number
from claimeven.plugins import EVALUATIONS as GROUP
from claimeven.plugins import installed
from claimeven.suggestions import no_such

#: Evaluates a position for the side to move: greater is better for it, 0 is even.
EvaluationFunction = Callable[[Position], float]

#: The numbers of the evaluations in compiled code; `OWN` has no compiled twin.
OWN, SEQUENCES, WINDOWS, STREAKS, TRIPLES = -1, 0, 1, 2, 3

#: The greatest weight of a window. Searches clip evaluations, and sums of weights fit a word.
MAX_WEIGHT: Final = 10**9


class InvalidEvaluation(ClaimevenError):
    """An unknown evaluation, or a function that does not return a number."""


@dataclass(frozen=True)
class Evaluation:
    """A heuristic with its compiled twin and its scale.

    `function` is the readable version, for any board. A value of `scale`, which is greater than
    0, counts as half a win when values are mapped to [-1, 1]. `kernel` is the number of the
    compiled twin, or `OWN` without one. Raises `InvalidEvaluation` for an invalid scale.
    """

    name: str
    function: EvaluationFunction
    summary: str
    scale: float = 100.0
    kernel: int = OWN
    weights: tuple[int, ...] = field(default=(0,))

    def __post_init__(self) -> None:
        real_number(
            self.scale, f"the scale of the evaluation {self.name}", InvalidEvaluation, above=0
        )

    def __call__(self, position: Position) -> float:
        """Evaluate a position; raise `InvalidEvaluation` if a user's function returns no number."""
        if self.kernel == OWN:
            return _evaluate_checked(self.function, self.name, position)
        return self.function(position)

    def kernel_weights(self, geometry: Geometry) -> npt.NDArray[np.int64]:
        """Return the weights of the compiled twin on a board, shape (n,)."""
        weights = chain_weights(geometry.connect) if self.kernel == STREAKS else self.weights
        return np.array(weights, dtype=np.int64)


def weighted_windows(name: str, weights: WindowWeights, summary: str, scale: float) -> Evaluation:
    """Return the evaluation `windows` with other weights, including its compiled twin.

    Raises `InvalidEvaluation` unless the weights are whole numbers from `-MAX_WEIGHT` to
    `MAX_WEIGHT`.
    """
    for what, weight in asdict(weights).items():
        name_of = f"the weight {what}"
        whole_number(weight, name_of, InvalidEvaluation, low=-MAX_WEIGHT, high=MAX_WEIGHT)
    function = partial(windows, weights=weights)
    return Evaluation(name, function, summary, scale, WINDOWS, astuple(weights))


EVALUATIONS: dict[str, Evaluation] = {
    evaluation.name: evaluation
    for evaluation in (
        Evaluation(
            "sequences",
            sequences,
            "runs the side to move could extend, by their length and the height of the cell",
            200.0,
            SEQUENCES,
        ),
        weighted_windows(
            "windows",
            WindowWeights(),
            "windows of four, by the player with two, three or four discs; blocks weigh more",
            2000.0,
        ),
        weighted_windows(
            "windows-symmetric",
            SYMMETRIC,
            "windows with the weights 10, 5 and 2 for both sides",
            30.0,
        ),
        Evaluation(
            "streaks",
            streaks,
            "every disc by the longest chain through it, own minus the opponent's",
            500.0,
            STREAKS,
        ),
        Evaluation("triples", triples, "runs of three, own minus the opponent's", 4.0, TRIPLES),
    )
}


def get_evaluation(chosen: str | Evaluation | EvaluationFunction) -> Evaluation:
    """Return the evaluation of that name, or a function of a position wrapped as one.

    Installed packages add names. Raises `InvalidEvaluation` with the choices, or `BrokenPackage`.
    """
    if isinstance(chosen, Evaluation):
        return chosen
    if callable(chosen):
        name = getattr(chosen, "__name__", "evaluation")
        return Evaluation(name, chosen, f"the function {name}")
    if isinstance(chosen, str) and chosen in EVALUATIONS:
        return EVALUATIONS[chosen]
    plugins = installed(GROUP)
    if not isinstance(chosen, str) or chosen not in plugins:
        raise InvalidEvaluation(no_such("evaluation", str(chosen), (*EVALUATIONS, *plugins)))
    found = plugins[chosen].load()
    if not callable(found):
        raise InvalidEvaluation(f"{chosen} of {plugins[chosen].package} is not a function")
    return get_evaluation(found)


def _evaluate_checked(function: Callable[[Position], Any], name: str, position: Position) -> float:
    """Return the value of a user's function. Raises `InvalidEvaluation` for nan and other types."""
    result = function(position)
    try:
        is_text = isinstance(result, (str, bytes))
        value = result if isinstance(result, (int, float)) else float("nan" if is_text else result)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if isinstance(value, float) and math.isnan(value):  # isnan rejects large integers
        raise InvalidEvaluation(
            f"the evaluation {name} returned {reprlib.repr(result)} instead of a number"
        )
    return value


@inlined
def evaluate_discs(which: Int, mine: Word, mask: Word, words: Words, weights: Ints) -> Int:
    """Evaluate for the side to move, which owns `mine`; `which` is an `Evaluation.kernel`."""
    if which == WINDOWS:
        return windows_kernel(mine, mask, words, weights)
    if which == SEQUENCES:
        return sequences_kernel(mine, mask, words)
    if which == STREAKS:
        return streaks_kernel(mine, mask, words, weights)
    return triples_kernel(mine, mask, words)


@kernel(int64(int64, uint64, uint64, uint64[::1], int64[::1]))
def evaluate_position(which: Int, mine: Word, mask: Word, words: Words, weights: Ints) -> Int:
    """`evaluate_discs` as a kernel."""
    return evaluate_discs(which, mine, mask, words, weights)
