"""The `kernel` and `inlined` decorators: functions compiled by Numba, late.

A kernel is compiled for an explicit signature when it is first called, and kept on disk (see
`cache`). Only then is Numba imported (see `compiler`).
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterator
from functools import cached_property, update_wrapper
from threading import RLock
from typing import Any, TypeVar, cast

from claimeven.compiled.types import Signature
from claimeven.parallel import interrupts

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


def _is_told_to_compile_nothing() -> bool:
    """As Numba reads it, which takes what is no number, an empty text too, for nothing said."""
    try:
        return int(os.environ.get("NUMBA_DISABLE_JIT", "")) != 0
    except ValueError:
        return False


#: Whether Numba was told to compile nothing, so that kernels can be stepped through as Python.
PLAIN = _is_told_to_compile_nothing()

#: Kernels are loaded one at a time: they call each other, and Numba compiles for one thread only.
_LOADING = RLock()


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
                with interrupts.put_off() as safe_moment:
                    self._compiled = self._load(safe_moment)
            return self._compiled

    def _load(self, safe_moment: Callable[[], None]) -> Callable[..., Any]:
        from claimeven.compiled import compiler  # noqa: PLC0415 - brings in Numba

        compiled = compiler.compiled(
            self.py_func, self.signatures, safe_moment, _tell_of_compilation, self._load_called
        )
        return cast(Callable[..., Any], compiled)

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
    """The kernels whose names stand in a function, or in a helper whose name stands there.

    All that it calls are among them, and perhaps others, named like an attribute there.
    """
    waiting, met = [function], {function}
    while waiting:
        caller = waiting.pop()
        around = {**caller.__globals__, **inspect.getclosurevars(caller).nonlocals}
        for name in (*caller.__code__.co_names, *caller.__code__.co_freevars):
            each = around.get(name)
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
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Run it, compiled, by itself."""
        return self._made_to_call(*arguments)

    @cached_property
    def _made(self) -> Any:
        from claimeven.compiled import compiler  # noqa: PLC0415 - brings in Numba

        return compiler.helper(self.py_func, self._prepared)

    @cached_property
    def _made_to_call(self) -> Any:
        from claimeven.compiled import compiler  # noqa: PLC0415 - brings in Numba

        return compiler.helper(self.py_func, callable_here=True)

    @property
    def _numba_type_(self) -> Any:
        """What Numba takes it for in a kernel."""
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
