"""What the benchmarks share: the best of several runs, and the machine they ran on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from claimeven.arena.studies.machine import machine

__all__ = ["best_of", "machine"]

Answer = TypeVar("Answer")


def best_of(runs: int, work: Callable[[], Answer]) -> tuple[float, Answer]:
    """Return the seconds of the fastest of several runs, and the answer of the last."""
    best = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        answer = work()
        best = min(best, time.perf_counter() - begin)
    return best, answer
