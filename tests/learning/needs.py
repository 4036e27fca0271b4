"""Requirements of the tests of learning."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from claimeven.learning.jax_functions import JaxFunction

#: Each of pytest's processes collects all tests and runs few of these: only those import JAX.
needs_jax = pytest.mark.skipif(
    find_spec("jax") is None or find_spec("optax") is None,
    reason="training a net needs the extra learn",
)


def compiled(function: Callable[..., Any]) -> JaxFunction:
    """Return a function that JAX compiles, or loads from the cache as training does."""
    return JaxFunction("test", function)
