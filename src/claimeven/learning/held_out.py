"""Held-out positions as arrays, and how good answers are on positions with exact scores.

An answer counts where some column is worse than another, and is right if it keeps the exact score.
`claimeven accuracy --set hard` says the same of an agent, asked position by position.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from claimeven.dataset import Dataset
from claimeven.dataset.scored_sets import EASY, HARD, InvalidPositions, shipped_set
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.solver.solver import ILLEGAL
from claimeven.suggestions import no_such

#: The sets that no shipped agent has learnt from.
HELD_OUT = (HARD, EASY)


@dataclass(frozen=True)
class AnswerShare:
    """How many answers are right: `right` of `positions` that count.

    `floor` is the share that drawing a playable column with equal chance gets.
    """

    positions: int
    right: int
    floor: float

    @property
    def share(self) -> float | None:
        """The share of right answers, None without a position that counts."""
        return self.right / self.positions if self.positions else None

    def as_dict(self) -> dict[str, float | int | None]:
        """Return plain data."""
        return {"positions": self.positions, "share": self.share, "floor": self.floor}


@dataclass(frozen=True)
class PolicyAccuracy(AnswerShare):
    """How many answers are right, of all, by discs on the board, and by number of right columns."""

    by_ply: dict[int, AnswerShare] = field(default_factory=dict)
    by_right: dict[int, AnswerShare] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            **super().as_dict(),
            "by_ply": [{"ply": n, **part.as_dict()} for n, part in self.by_ply.items()],
            "by_right_columns": [
                {"right_columns": n, **part.as_dict()} for n, part in self.by_right.items()
            ],
        }


@cache
def held_out(name: str, geometry: Geometry = STANDARD) -> Dataset:
    """Return the positions of a held-out set, "hard" or "easy", with their scores.

    Take what is trained on `without` them. Raises `InvalidPositions` for another name, and for a
    board that has none.

    >>> held_out("hard").scores.shape
    (3000, 7)
    """
    if name not in HELD_OUT:
        raise InvalidPositions(no_such("held-out set", name, HELD_OUT))
    found = shipped_set(geometry, name)
    if found is None:
        raise InvalidPositions(f"no held-out set of positions of {geometry} comes along")
    scores = [[ILLEGAL if s is None else s for s in each.scores] for each in found.positions]
    return Dataset(
        geometry,
        np.array([each.position.mine for each in found.positions], dtype=np.uint64),
        np.array([each.position.mask for each in found.positions], dtype=np.uint64),
        np.array(scores, dtype=np.int8),
        np.arange(len(found.positions)),
    )


def policy_accuracy(data: Dataset, columns: npt.ArrayLike) -> PolicyAccuracy:
    """Return how good the columns (0-based, one a position) are that were chosen in positions.

    A column that cannot be played, or is none, is wrong. Raises `InvalidPositions` for more or
    fewer columns than positions.

    >>> from claimeven.learning import held_out
    >>> hard = held_out("hard")
    >>> best = policy_accuracy(hard, hard.scores.argmax(axis=1))
    >>> best.positions, best.share, round(best.floor, 3)
    (2876, 1.0, 0.26)
    """
    chosen = np.asarray(columns)
    _check_count(chosen, data)
    is_one = (chosen >= 0) & (chosen < data.geometry.columns)
    playable = (data.scores != ILLEGAL).sum(axis=1)
    kept = data.keeps.sum(axis=1)
    counts = kept < playable
    right = data.keeps[np.arange(len(data)), np.where(is_one, chosen, 0)] & is_one & counts
    floors = np.where(counts, kept / playable, 0.0)

    def of(which: npt.NDArray[np.bool_]) -> AnswerShare:
        positions = int((which & counts).sum())
        floor = float(floors[which].sum() / max(positions, 1))
        return AnswerShare(positions, int(right[which].sum()), floor)

    def by(values: npt.NDArray[np.integer[Any]]) -> dict[int, AnswerShare]:
        return {int(value): of(values == value) for value in np.unique(values[counts])}

    whole = of(counts)
    return PolicyAccuracy(whole.positions, whole.right, whole.floor, by(data.plies), by(kept))


def sign_accuracy(data: Dataset, values: npt.ArrayLike) -> float | None:
    """Return the share of won and lost positions whose value has the sign of their score.

    `values` are for the side to move, (n,). Drawn positions do not count, since a value is hardly
    ever 0; None where there are no others. Raises `InvalidPositions` for more or fewer values than
    positions.

    >>> hard = held_out("hard")
    >>> sign_accuracy(hard, hard.best / 10)
    1.0
    """
    _check_count(np.asarray(values), data)
    decided = data.best != 0
    right = np.sign(np.asarray(values)[decided]) == np.sign(data.best[decided])
    return float(right.mean()) if len(right) else None


def _check_count(answers: npt.NDArray[Any], data: Dataset) -> None:
    if answers.shape != (len(data),):
        raise InvalidPositions(f"{answers.size} answers were given for {len(data)} positions")
