"""The `kernel` and `inlined` decorators: how Numba is set up.

A kernel is compiled for an explicit signature when it is first called, without the Python error
model, releasing the GIL, and kept on disk (see `cache`).
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar, cast

import llvmlite
import numba
from numba.core import compiler, event, serialize
from numba.extending import typeof_impl

from claimeven import interrupts
from claimeven.compiled import cache
from claimeven.compiled.sources import sources_digest

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

#: `_nrt`: no reference of an array is counted, so that taking one out of a tuple costs nothing. The
#: caller holds them, and Numba refuses to compile what would make an array.
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "_nrt": False,
}


#: Kernels are loaded one at a time: they call each other, and Numba compiles for one thread only.
_LOADING = RLock()


class Kernel:
    """A function that is compiled, or loaded from the cache, when it is first called.

    Importing its module costs nothing, and what is never called is never compiled. `load` does
    the work ahead of a call, so that no clock runs meanwhile. A kernel may call another; a small
    helper of kernels is better `inlined`.
    """

    def __init__(self, function: Callable[..., Any], signatures: tuple[Any, ...]) -> None:
        self.py_func = function
        self.signatures = signatures
        self._compiled: Callable[..., Any] | None = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Run the compiled function."""
        compiled = self._compiled
        return compiled(*arguments) if compiled is not None else self.load()(*arguments)

    def load(self) -> Callable[..., Any]:
        """Return the compiled function, ready to run. Ctrl-C ends it as KeyboardInterrupt."""
        with _LOADING:
            if self._compiled is None:
                with interrupts.put_off() as safe_moment, _between_passes(safe_moment):
                    self._compiled = self._load()
            return self._compiled

    def _load(self) -> Callable[..., Any]:
        compiled: Any = numba.njit(**_OPTIONS)(self.py_func)
        compiled._cache = KernelCache(self.py_func)
        for signature in self.signatures:
            compiled.compile(signature)
        compiled.disable_compile()
        return cast(Callable[..., Any], compiled)


class KernelCache:
    """What Numba asks for the code of a function before it compiles, and hands it to afterwards.

    Numba would keep its own files; it takes any object with these methods (its
    `core.caching._Cache`). Ours are checked before they are used and kept under a finer name.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def path_of(self, signature: Any, target: Any) -> Path | None:
        """Return the file of one signature's code; None where there can be none.

        It is named after all that the code depends on: the sources, the kind of processor, and
        the versions of those who make it.
        """
        folder = cache.cache_folder()
        if folder is None:
            return None
        try:
            digest = hashlib.blake2b(sources_digest(self.function.__module__), digest_size=10)
        except OSError:
            return None
        name = f"{self.function.__module__}.{self.function.__qualname__}"
        made_by = (numba.__version__, llvmlite.__version__, sys.version, sorted(_OPTIONS.items()))
        digest.update(repr((name, str(signature), target.magic_tuple(), made_by)).encode())
        shown = re.sub(r"[^\w.]", "_", name.partition(".")[2])
        return folder / f"{shown}-{digest.hexdigest()}{cache.SUFFIX}"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled code of a signature, None if it is not kept."""
        target_context.refresh()
        path = self.path_of(signature, target_context.codegen())
        content = None if path is None else cache.read(path)
        if content is not None:
            # What was kept is whole. That it cannot be used all the same is no reason to fail.
            with suppress(Exception):
                rebuild: Any = compiler.CompileResult._rebuild
                return rebuild(target_context, *pickle.loads(content))
        _tell_of_compilation()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the compiled code of a signature."""
        path = self.path_of(signature, result.codegen)
        if path is not None and not result.library.has_dynamic_globals:
            dumps: Any = serialize.dumps
            cache.write(path, dumps(result._reduce()))


@contextmanager
def _between_passes(call: Callable[[], None]) -> Iterator[None]:
    """Have a function called before each pass of the compiler."""

    class Passes(event.Listener):
        def on_start(self, event: Any) -> None:
            call()

        def on_end(self, event: Any) -> None:
            pass

    install: Any = event.install_listener
    with install("numba:run_pass", Passes()):
        yield


@typeof_impl.register(Kernel)
def _type_of_kernel(value: Kernel, context: Any) -> Any:
    """Let a kernel call another: to Numba it is the compiled function."""
    return typeof_impl(value.load(), context)


def kernel(*signatures: Any) -> Callable[[Function], Function]:
    """Make a function a `Kernel`, compiled for the given Numba signatures and cached on disk.

    A signature is a text, or made of the types in `types` where it has tuples of arrays. A kernel
    makes no arrays: it is given all that it works on.

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
