"""The machine at hand, in words: what a measured time says depends on it."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    """Say in a line what this runs on: processor, cores, Python."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"
