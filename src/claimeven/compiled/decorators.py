"""The `kernel` and `inlined` decorators: functions compiled by Numba, late.

A kernel is compiled for an explicit signature when it is first called, and kept on disk (see
`cache`). Only then is Numba imported (see `compiler`).
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Collection, Iterator
from functools import cached_property, update_wrapper
from types import ModuleType
from typing import Any, TypeVar, cast

from claimeven.compiled.types import Signature
from claimeven.parallel import interrupts

Function = TypeVar("Function", bound=Callable[..., Any])

_announce: Callable[[], None] | None = None
#: The module that compiles: `compiler`, or `fallback` if Numba is other than that one expects.
_compiler: Any = None
#: What is raised by code that relies on private parts of Numba which have changed.
_CHANGED = (AttributeError, ImportError, KeyError, TypeError)


def when_compiling(tell: Callable[[], None] | None) -> None:
    """Have `tell` called once a process, before the first kernel not in the cache is compiled."""
    global _announce  # noqa: PLW0603 - one process has one place to tell
    _announce = tell


def _announce_once() -> None:
    global _announce
    if _announce is not None:
        tell, _announce = _announce, None
        tell()


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


def _fall_back(changed: Exception) -> None:
    """Compile by `numba.njit` alone from now on, with a warning."""
    global _compiler  # noqa: PLW0603 - see above
    import numba  # noqa: PLC0415 - takes long to import

    from claimeven.compiled import fallback  # noqa: PLC0415 - brings in Numba

    _compiler = fallback
    warnings.warn(
        f"claimeven does not know Numba {numba.__version__} ({type(changed).__name__}: {changed}):"
        " it compiles in every process, which takes longer; results are the same",
        RuntimeWarning,
        stacklevel=2,
    )


def _is_told_to_compile_nothing() -> bool:
    """As Numba reads it, which takes what is no number, an empty text too, for nothing said."""
    try:
        return int(os.environ.get("NUMBA_DISABLE_JIT", "")) != 0
    except ValueError:
        return False


#: Whether Numba was told to compile nothing, so that kernels can be stepped through as Python.
PLAIN = _is_told_to_compile_nothing()

#: Kernels are loaded one at a time: they call each other, and Numba compiles for one thread only.
_LOADING = interrupts.Lock()


class Kernel:
    """A function that is compiled, or loaded from the cache, when it is first called.

    Importing its module costs nothing, and what is never called is never compiled. `load` does
    the work ahead of a call, so that no clock runs meanwhile. A kernel may call another; a small
    helper of kernels is better `inlined`.
    """

    def __init__(self, function: Callable[..., Any], signatures: tuple[Signature, ...]) -> None:
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
                with interrupts.deferred() as safe_moment:
                    self._compiled = self._load(safe_moment)
            return self._compiled

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
        """Load kernels that it calls, by their modules and names."""
        for each in _named_in(self.py_func):
            if f"{each.py_func.__module__}.{each.py_func.__qualname__}" in names:
                each.load()

    @property
    def _numba_type_(self) -> Any:
        """What Numba takes it for where another kernel calls it: the compiled function."""
        return cast(Any, self.load())._numba_type_


def _named_in(function: Callable[..., Any]) -> Iterator[Kernel]:
    """The kernels that a function, or a helper in it, names: by itself, or as part of a module.

    All that it calls are among them, and perhaps others, named like an attribute there.
    """
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
        """Run it, compiled, by itself."""
        return self._made_to_call(*arguments)

    @cached_property
    def _made_to_call(self) -> Any:
        return _compiler_in_use().helper(self.py_func, callable_here=True)

    @property
    def _numba_type_(self) -> Any:
        """What Numba takes it for in a kernel."""
        compiler = _compiler_in_use()
        if self._made_by is not compiler:
            self._made_by, self._made = compiler, compiler.helper(self.py_func, self._prepared)
        return self._made._numba_type_


def kernel(*signatures: Signature) -> Callable[[Function], Function]:
    """Make a function a `Kernel`, compiled for the given signatures and cached on disk.

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
    return function if PLAIN else cast(Function, Helper(function))


def prepared(function: Function) -> Function:
    """Mark a helper as `inlined` does; it is optimized by itself before it is part of a kernel.

    Kernels take longer to compile for it. Worth it for long helpers with loops of their own: the
    evaluations make alpha-beta faster by half so.
    """
    return function if PLAIN else cast(Function, Helper(function, prepared=True))
