"""JAX in tests: whether it is there, and a folder where it keeps what it compiles."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

#: Each of pytest's processes collects all tests and runs few of these: only those import JAX.
needs_jax = pytest.mark.skipif(
    find_spec("jax") is None or find_spec("optax") is None,
    reason="training a net needs the extra learn",
)


def keep_what_jax_compiles(folder: Path) -> None:
    """Compile a program once for all tests.

    A training step only where JAX works on an accelerator: programs that call Python, as it does on
    a processor, are not kept.
    """
    settings = {
        "jax_compilation_cache_dir": str(folder),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    for name, value in settings.items():
        os.environ[name.upper()] = str(value)  # read when JAX is imported
        if "jax" in sys.modules:
            sys.modules["jax"].config.update(name, value)
