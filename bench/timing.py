"""What the benchmarks share: the best of several runs, and the machine they ran on."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Answer = TypeVar("Answer")


def best_of(runs: int, work: Callable[[], Answer]) -> tuple[float, Answer]:
    """Return the seconds of the fastest of several runs, and the answer of the last."""
    best = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        answer = work()
        best = min(best, time.perf_counter() - begin)
    return best, answer


def machine() -> str:
    """Say in a line what this is measured on."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"
