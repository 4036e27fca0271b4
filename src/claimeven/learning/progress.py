"""How far a training run is."""

from __future__ import annotations

from dataclasses import dataclass

from claimeven.learning.run_dir import Row


@dataclass(frozen=True)
class TrainingProgress:
    """How far a run is: games played of all, seconds of learning in all and games before this run.

    `row` is the last measurement.
    """

    done: int
    total: int
    seconds: float
    resumed: int
    row: Row | None
