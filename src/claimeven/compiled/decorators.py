"""The `kernel` and `inlined` decorators: functions compiled by Numba, late.

A kernel is compiled for an explicit signature when it is first called, and stored on disk (see
`cache`). Only then is Numba imported (see `compiler`).
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, update_wrapper
from types import ModuleType
from typing import Any, TypeVar, cast

from claimeven.compiled.types import Signature, is_narrow, is_wide, words_as
from claimeven.parallel import interrupts

Function = TypeVar("Function", bound=Callable[..., Any])

_announce: Callable[[], None] | None = None
#: The module that compiles: `compiler`, `fallback` if Numba is other than that one expects, or
#: `webassembly`.
_compiler: Any = None
#: Errors of code that uses private parts of Numba which have changed.
_CHANGED = (AttributeError, ImportError, KeyError, TypeError)


def when_compiling(on_compile: Callable[[], None] | None) -> None:
    """Call `on_compile` once per process, before the first kernel that is not in the cache."""
    global _announce  # noqa: PLW0603 - one process has one callback
    _announce = on_compile


def _announce_once() -> None:
    global _announce
    if _announce is not None:
        callback, _announce = _announce, None
        callback()


def _compiler_in_use() -> Any:
    """Import the compiler, which brings in Numba, when it is first needed."""
    global _compiler  # noqa: PLW0603 - one process has one compiler
    if _compiler is None:
        try:
            from claimeven.compiled import compiler  # noqa: PLC0415 - brings in Numba
        except _CHANGED as changed:
            _fall_back(changed)
        else:
            _compiler = compiler
    return _compiler


def compile_with(compiler: Any) -> None:
    """Compile the kernels that are not loaded yet with another module."""
    global _compiler  # noqa: PLW0603 - see above
    _compiler = compiler


def _fall_back(changed: Exception) -> None:
    """Use only `numba.njit` from now on, with a warning."""
    global _compiler  # noqa: PLW0603 - see above
    import numba  # noqa: PLC0415 - takes long to import

    from claimeven.compiled import fallback  # noqa: PLC0415 - brings in Numba

    _compiler = fallback
    warnings.warn(
        f"claimeven does not support Numba {numba.__version__} ({type(changed).__name__}:"
        f" {changed}): kernels are compiled in every process, which takes longer; results are the"
        " same",
        RuntimeWarning,
        stacklevel=2,
    )


def _is_jit_disabled() -> bool:
    """Read the variable as Numba does, which ignores any text that is not a number."""
    try:
        return int(os.environ.get("NUMBA_DISABLE_JIT", "")) != 0
    except ValueError:
        return False


#: Whether Numba is disabled, so that a debugger can step through kernels as Python.
PLAIN = _is_jit_disabled()

#: The most bits of a board for kernels; Python has no words of 128 bits.
MAX_BITS = 64 if PLAIN else 128

#: Kernels are loaded one at a time: they call each other, and Numba compiles for one thread only.
_LOADING = interrupts.Lock()


class Kernel:
    """A function that is compiled, or loaded from the cache, when it is first called.

    Importing its module is free, and a kernel that is never called is never compiled. `load`
    compiles ahead of a call, before a clock starts. A kernel may call another; a small helper of
    kernels should be `inlined`.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        signatures: tuple[Signature, ...],
        trusting: bool = False,
        is_wide: bool = False,
    ) -> None:
        self.py_func = function
        self.signatures = signatures
        self._is_wide = is_wide
        self._is_trusting = trusting
        self._made: Any = None
        self._compiled: Callable[..., Any] | None = None
        update_wrapper(self, function)

    @cached_property
    def wide(self) -> Kernel:
        """The kernel for boards of 65 to 128 bits: see `wide`."""
        return Kernel(self.py_func, self.signatures, self._is_trusting, is_wide=True)

    def __call__(self, *arguments: Any) -> Any:
        """Run the compiled function."""
        compiled = self._compiled
        return compiled(*arguments) if compiled is not None else self.load()(*arguments)

    def load(self) -> Callable[..., Any]:
        """Return the compiled function, ready to run. Ctrl-C ends it as KeyboardInterrupt."""
        with _LOADING:
            if self._compiled is None:
                with interrupts.deferred() as safe_moment, self._width():
                    self._made = self._compiled = self._load(safe_moment)
                    if self._is_trusting:
                        (result,) = self._made.overloads.values()
                        self._compiled = result.entry_point or self._made
            return self._compiled

    def _width(self) -> AbstractContextManager[None]:
        if not self._is_wide:
            return nullcontext()
        from claimeven.compiled.wide_llvm import wide  # noqa: PLC0415 - brings in Numba

        return words_as(wide)

    def _load(self, safe_moment: Callable[[], None]) -> Callable[..., Any]:
        given = self.py_func, self.signatures, safe_moment, _announce_once, self._load_called
        compiler = _compiler_in_use()
        try:
            return cast(Callable[..., Any], compiler.compiled(*given))
        except _CHANGED as changed:
            if compiler.__name__ == "claimeven.compiled.fallback":
                raise
            _fall_back(changed)
        return cast(Callable[..., Any], _compiler_in_use().compiled(*given))

    def _load_called(self, names: Collection[str]) -> None:
        """Load the kernels that it calls, by their modules and names."""
        for each in _named_in(self.py_func):
            if f"{each.py_func.__module__}.{each.py_func.__qualname__}" in names:
                (each.wide if self._is_wide else each).load()

    @property
    def _numba_type_(self) -> Any:
        """The type of the compiled function, for Numba, if another kernel calls it."""
        each = self.wide if is_wide() else self
        each.load()
        return each._made._numba_type_


def _named_in(function: Callable[..., Any]) -> Iterator[Kernel]:
    """Yield the kernels whose names a function or its helpers use: all that it calls, or more."""
    waiting, met = [function], {function}
    while waiting:
        caller = waiting.pop()
        names = (*caller.__code__.co_names, *caller.__code__.co_freevars)
        around = {**caller.__globals__, **inspect.getclosurevars(caller).nonlocals}
        found = [around.get(name) for name in names]
        modules = [each for each in found if isinstance(each, ModuleType)]
        found += [getattr(module, name, None) for module in modules for name in names]
        for each in found:
            if isinstance(each, Kernel):
                yield each
            elif isinstance(each, Helper) and each.py_func not in met:
                met.add(each.py_func)
                waiting.append(each.py_func)


class Helper:
    """A function that becomes part of each kernel that calls it."""

    def __init__(self, function: Callable[..., Any], prepared: bool = False) -> None:
        self.py_func = function
        self._prepared = prepared
        self._made_by: Any = None
        self._made: Any = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Run the compiled function outside a kernel."""
        return self._made_to_call(*arguments)

    @cached_property
    def _made_to_call(self) -> Any:
        return _compiler_in_use().helper(self.py_func, callable_here=True)

    @property
    def _numba_type_(self) -> Any:
        """The type of the function, for Numba, in a kernel."""
        compiler = _compiler_in_use()
        if self._made_by is not compiler:
            self._made_by, self._made = compiler, compiler.helper(self.py_func, self._prepared)
        return self._made._numba_type_


def kernel(*signatures: Signature, trusting: bool = False) -> Callable[[Function], Function]:
    """Make a function a `Kernel`, compiled for the given signatures and cached on disk.

    A signature is text, or is built from `types` if it has tuples of arrays. A kernel does not
    make arrays: the caller passes them. A `trusting` kernel has one signature and does not check
    the types of arguments, which takes most of the time of a short call.

    Under `NUMBA_DISABLE_JIT=1` the function stays plain Python.
    """

    def decorate(function: Function) -> Function:
        return function if PLAIN else cast(Function, Kernel(function, signatures, trusting))

    return decorate


def for_bits(function: Function, bits: int) -> Function:
    """Return a kernel for boards of `bits` bits: itself, or the wide one beyond 64 bits."""
    return function if is_narrow(bits) else cast(Function, cast(Kernel, function).wide)


def load(*kernels: Callable[..., Any]) -> None:
    """Compile kernels, or load them from the cache, before a clock starts."""
    for each in kernels:
        if isinstance(each, Kernel):
            each.load()


def inlined(function: Function) -> Function:
    """Mark a small helper of kernels: it becomes part of each kernel that calls it.

    It has no cache entry, so it is free when the kernels load from the cache.
    """
    return function if PLAIN else cast(Function, Helper(function))


def prepared(function: Function) -> Function:
    """Mark a helper as `inlined` does, and optimize it before it becomes part of a kernel.

    Kernels take longer to compile. It pays off for long helpers with loops: alpha-beta with such
    evaluations is faster by half.
    """
    return function if PLAIN else cast(Function, Helper(function, prepared=True))
