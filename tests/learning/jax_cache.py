"""A folder where JAX keeps what it compiles, for all tests and the processes that they start."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def keep_what_jax_compiles(folder: Path) -> None:
    """Compile a training step once, not in every test."""
    settings = {
        "jax_compilation_cache_dir": str(folder),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    for name, value in settings.items():
        os.environ[name.upper()] = str(value)  # read when JAX is imported
        if "jax" in sys.modules:
            sys.modules["jax"].config.update(name, value)
