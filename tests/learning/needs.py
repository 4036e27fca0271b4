"""Requirements of the tests of learning."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

#: Each of pytest's processes collects all tests and runs few of these: only those import JAX.
needs_jax = pytest.mark.skipif(
    find_spec("jax") is None or find_spec("optax") is None,
    reason="training a net needs the extra learn",
)
