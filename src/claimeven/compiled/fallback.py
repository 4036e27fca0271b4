"""Compiling with only `numba.njit`, for versions of Numba that `compiler` does not support.

The results are the same. Code is not stored, so every process compiles the kernels that it calls.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numba

from claimeven.compiled import intrinsics_llvm
from claimeven.compiled.types import Signature, numba_signature

__all__ = ["compiled", "helper", "intrinsics_llvm"]

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}


def compiled(
    function: Callable[..., Any],
    signatures: tuple[Signature, ...],
    safe_moment: Callable[[], None],
    announce: Callable[[], None],
    load: Callable[[Collection[str]], None],
) -> Any:
    """Do as `compiler.compiled`; Ctrl-C is raised between two kernels."""
    announce()
    made: Any = numba.njit(**_OPTIONS)(function)
    for signature in signatures:
        made.compile(numba_signature(signature))
        safe_moment()
    made.disable_compile()
    return made


def helper(
    function: Callable[..., Any], prepared: bool = False, callable_here: bool = False
) -> Any:
    """Do as `compiler.helper`; LLVM decides about inlining."""
    return numba.njit(**_OPTIONS)(function)
