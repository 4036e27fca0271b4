"""Timing, percentiles, and the machine, for all benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from claimeven.provenance import machine

__all__ = ["best_of", "machine", "percentiles"]

Answer = TypeVar("Answer")


def best_of(runs: int, work: Callable[[], Answer]) -> tuple[float, Answer]:
    """Return the seconds of the fastest of several runs, and the answer of the last."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        answer = work()
        best = min(best, time.perf_counter() - start)
    return best, answer


def percentiles(times: Sequence[float]) -> str:
    """Return percentiles of times, in milliseconds."""
    ordered = sorted(times)
    shown = {
        name: 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
        for name, share in (("50 %", 0.5), ("90 %", 0.9), ("95 %", 0.95), ("99 %", 0.99))
    }
    shown["most"] = 1000 * ordered[-1]
    return ", ".join(f"{name} {value:.1f}" for name, value in shown.items()) + " ms"
