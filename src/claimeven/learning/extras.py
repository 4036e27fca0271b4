"""Packages that only training needs, imported when it does."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from claimeven.errors import ClaimevenError
from claimeven.parallel import interrupts


class MissingPackage(ClaimevenError):
    """A package of an extra that is not installed."""


@lru_cache(maxsize=1)
def jax_and_optax() -> tuple[Any, Any]:
    """Return the modules; JAX takes of an accelerator's memory what it needs, no more, since other
    processes may share it. Raises `MissingPackage`, naming the extra, where they are not there.
    """
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        with (
            interrupts.put_off()
        ):  # what they are written in does not bear an exception from nowhere
            import jax  # noqa: PLC0415 - an extra
            import optax  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingPackage(
            "training a net needs JAX and optax: pip install 'claimeven[learn]'"
        ) from None
    return jax, optax
