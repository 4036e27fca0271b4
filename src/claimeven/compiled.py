"""The one place where Numba is set up: the `kernel` decorator and the intrinsics kernels share.

A kernel is compiled for an explicit signature when it is first called, without the Python error
model, releasing the GIL, and cached on disk in the user's cache folder. The folder is named after
a digest of the package's own sources, so an edit or an upgrade never runs stale code, and an
installation that cannot be written to works too. `CLAIMEVEN_CACHE_DIR` moves the folder.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, update_wrapper
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias, TypeVar, cast

import numba
import platformdirs
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, typeof_impl

Function = TypeVar("Function", bound=Callable[..., Any])

# What kernels take and return, for the reader of a signature. Numba gives the real types; to a
# type checker they are anything, since compiled and plain Python numbers mix at the border.
Word: TypeAlias = Any  #: an unsigned 64-bit integer
Int: TypeAlias = Any  #: a signed 64-bit integer
Words: TypeAlias = Any  #: an array of uint64
Ints: TypeAlias = Any  #: an array of int64

#: Rooms whose sources decide what a kernel does; the others never contain compiled code.
_COMPILED_ROOMS = ("game", "evaluation", "minimax", "montecarlo", "solver", "networks")

#: Called once a process, before the first kernel that is not in the cache is compiled.
announce: Callable[[], None] | None = None


@cache
def cache_folder() -> Path:
    """Return the folder of this version's compiled code (not necessarily there yet)."""
    package = Path(__file__).parent
    digest = hashlib.blake2b(digest_size=10)
    digest.update(f"{numba.__version__} {platform.python_version()} {platform.machine()}".encode())
    digest.update(Path(__file__).read_bytes())
    for room in _COMPILED_ROOMS:
        for source in sorted((package / room).glob("**/*.py")):
            digest.update(source.name.encode() + source.read_bytes())
    chosen = os.environ.get("CLAIMEVEN_CACHE_DIR")
    base = Path(chosen) if chosen else Path(platformdirs.user_cache_dir("claimeven"))
    return base / f"compiled-{digest.hexdigest()}"


@contextmanager
def _caching_in(folder: Path) -> Iterator[None]:
    """Let Numba cache what is compiled meanwhile in `folder`, and nothing else there."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        settings.CACHE_DIR = before


def _tell_of_compilation() -> None:
    global announce
    if announce is not None:
        tell, announce = announce, None
        tell()


def _may_write(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


#: Whether Numba was told to compile nothing, so that kernels can be stepped through as Python.
_PLAIN = bool(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0")

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
        if not _may_write(folder):
            _tell_of_compilation()
            return cast(Callable[..., Any], numba.njit(signatures, **_OPTIONS)(function))
        done = folder / f"{function.__module__}.{function.__qualname__}"
        if not done.exists():
            _tell_of_compilation()
        with _caching_in(folder):
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
        return function if _PLAIN else cast(Function, Kernel(function, signatures))

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
    if _PLAIN:
        return function
    helper: Any = numba.njit(forceinline=True, **_OPTIONS)(function)
    return cast(Function, helper)


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


def _plain_popcount(word: Word) -> int:
    return int(word).bit_count()


def _plain_trailing_zeros(word: Word) -> int:
    value = int(word)
    return (value & -value).bit_length() - 1 if value else 64


#: The number of bits set in a uint64 (one machine instruction inside kernels).
popcount: Any = _plain_popcount if _PLAIN else _popcount
#: The index of the lowest set bit of a uint64, 64 for zero (one instruction inside kernels).
trailing_zeros: Any = _plain_trailing_zeros if _PLAIN else _trailing_zeros
