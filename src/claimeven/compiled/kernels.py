"""The `kernel` and `inlined` decorators: how Numba is set up.

A kernel is compiled for an explicit signature when it is first called, without the Python error
model, releasing the GIL, and cached on disk (see `cache`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import update_wrapper
from threading import Lock
from typing import Any, TypeVar, cast

import numba
from numba.extending import typeof_impl

from claimeven.compiled.cache import cache_folder, caching_in, may_write

Function = TypeVar("Function", bound=Callable[..., Any])

_announce: Callable[[], None] | None = None


def when_compiling(tell: Callable[[], None] | None) -> None:
    """Have `tell` called once a process, before the first kernel not in the cache is compiled."""
    global _announce  # noqa: PLW0603 - one process has one place to tell
    _announce = tell


def _tell_of_compilation() -> None:
    global _announce
    if _announce is not None:
        tell, _announce = _announce, None
        tell()


#: Whether Numba was told to compile nothing, so that kernels can be stepped through as Python.
PLAIN = bool(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0")

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}


class Kernel:
    """A function that is compiled, or loaded from the cache, when it is first called.

    Importing its module costs nothing, and what is never called is never compiled. `load` does
    the work ahead of a call, so that no clock runs meanwhile. A kernel may call another; a small
    helper of kernels is better `inlined`.
    """

    def __init__(self, function: Callable[..., Any], signatures: tuple[str, ...]) -> None:
        self.py_func = function
        self.signatures = signatures
        self._compiled: Callable[..., Any] | None = None
        self._lock = Lock()
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Run the compiled function."""
        compiled = self._compiled
        return compiled(*arguments) if compiled is not None else self.load()(*arguments)

    def load(self) -> Callable[..., Any]:
        """Return the compiled function, ready to run."""
        with self._lock:
            if self._compiled is None:
                self._compiled = self._load()
            return self._compiled

    def _load(self) -> Callable[..., Any]:
        function, folder = self.py_func, cache_folder()
        signatures = list(self.signatures)
        if not may_write(folder):
            _tell_of_compilation()
            return cast(Callable[..., Any], numba.njit(signatures, **_OPTIONS)(function))
        done = folder / f"{function.__module__}.{function.__qualname__}"
        if not done.exists():
            _tell_of_compilation()
        with caching_in(folder):
            compiled: Any = numba.njit(signatures, cache=True, **_OPTIONS)(function)
        done.touch()
        return cast(Callable[..., Any], compiled)


@typeof_impl.register(Kernel)
def _type_of_kernel(value: Kernel, context: Any) -> Any:
    """Let a kernel call another: to Numba it is the compiled function."""
    return typeof_impl(value.load(), context)


def kernel(*signatures: str) -> Callable[[Function], Function]:
    """Make a function a `Kernel`, compiled for the given Numba signatures and cached on disk.

    Under `NUMBA_DISABLE_JIT=1` the function stays plain Python.
    """

    def decorate(function: Function) -> Function:
        return function if PLAIN else cast(Function, Kernel(function, signatures))

    return decorate


def load(*kernels: Callable[..., Any]) -> None:
    """Compile kernels, or load them from the cache, before a clock starts."""
    for each in kernels:
        if isinstance(each, Kernel):
            each.load()


def inlined(function: Function) -> Function:
    """Mark a small helper of kernels: it becomes part of each kernel that calls it.

    It has no cache entry of its own, so it costs nothing when the kernels load from the cache.
    """
    if PLAIN:
        return function
    helper: Any = numba.njit(forceinline=True, **_OPTIONS)(function)
    return cast(Function, helper)
