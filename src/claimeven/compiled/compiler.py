"""The setup of Numba: its options, and the storage of compiled code on disk.

Imported when the first kernel is compiled or loaded, because importing Numba takes long. Only this
module uses private parts of Numba; `fallback` works without them.
"""

from __future__ import annotations

import hashlib
import pickle
import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import binding
from numba.core import compiler, event, serialize
from numba.core.codegen import JITCodeLibrary
from numba.core.funcdesc import ExternalFunctionDescriptor
from numba.core.sigutils import normalize_signature

from claimeven.compiled import cache, intrinsics_llvm
from claimeven.compiled.source_digest import sources_digest
from claimeven.compiled.types import Signature, numba_signature

__all__ = ["compiled", "helper", "intrinsics_llvm"]

#: Without the Python error model, releasing the GIL. With `_nrt` off, references to arrays are not
#: counted, so that taking an array out of a tuple is free. The caller holds the arrays, and Numba
#: refuses to compile code that makes arrays. There is no C entry point. `forceinline` is explicit,
#: because Numba would treat a kernel that a helper calls like a helper.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "_nrt": False,
    "no_cfunc_wrapper": True,
    "forceinline": False,
}


#: Increase this when the same sources compile to different code.
_MAKING = 3

#: Names of callable kernels, by the symbols of their code.
_shared: dict[str, str] = {}


def compiled(
    function: Callable[..., Any],
    signatures: tuple[Signature, ...],
    safe_moment: Callable[[], None],
    announce: Callable[[], None],
    load: Callable[[Collection[str]], None],
) -> Any:
    """Return a function compiled for its signatures, or loaded from the cache.

    `safe_moment` is called before each pass of the compiler, and `announce` before it starts. If
    another process compiles the same code, this one waits. `load` loads called kernels, by name.
    """
    made: Any = numba.njit(**OPTIONS)(function)
    made._cache = kept = KernelCache(function, announce, load)

    def waiting() -> None:
        announce()
        safe_moment()

    with _between_passes(safe_moment):
        for given in signatures:
            signature = numba_signature(given)
            path = kept.path_of(signature, made.targetctx.codegen())
            with cache.making(path, waiting):
                made.compile(signature)
            _share(made.overloads[made.nopython_signatures[-1].args], kept.name, path)
    made.disable_compile()
    return made


def _share(result: Any, name: str, path: Path | None) -> None:
    """Let callers jump to a kernel: inlined, playout rules would be compiled for each search."""
    symbol = f"claimeven.{path.stem if path is not None else f'{name} {len(_shared)}'}"
    pointer = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    binding.add_symbol(symbol, pointer)
    _shared[symbol] = name
    call_by_name(result, symbol)


def call_by_name(result: Any, symbol: str) -> None:
    """Let callers of a compiled function call the symbol."""
    describe: Any = ExternalFunctionDescriptor
    described = describe(symbol, result.fndesc.restype, result.fndesc.argtypes)
    result.target_context.remove_user_function(result.entry_point)
    result.target_context.insert_user_function(result.entry_point, described)


def helper(
    function: Callable[..., Any], prepared: bool = False, callable_here: bool = False
) -> Any:
    """Return a function that becomes part of the kernels that call it.

    A `prepared` helper is optimized separately first. With `callable_here` Python can call it too.
    Both take time to compile, and few helpers need them.
    """
    options = {**OPTIONS, "forceinline": True, "no_cpython_wrapper": not callable_here}
    if not callable_here:
        options["pipeline_class"] = _PreparedCompiler if prepared else PartCompiler
    return numba.njit(**options)(function)


class _Nowhere:
    """Replaces the code generator of a `_Part`, which would store its memory address."""

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing: only code that raises errors needs it, and kernels do not raise errors."""


class _Prepared(JITCodeLibrary):
    """The code of a helper, which becomes machine code only as part of its kernels."""

    def _finalize_final_module(self) -> None:
        whole: Any = self
        whole._finalize_dynamic_globals()
        whole._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: the code cannot be called."""
        return 0

    @property
    def codegen(self) -> _Nowhere:
        """A code generator that does not store the address."""
        return _Nowhere()


class _Part(_Prepared):
    """The code of a helper, optimized only within its kernels, not alone."""

    def _optimize_final_module(self) -> None:
        pass


class PartCompiler(compiler.Compiler):
    """Compiles a helper to a `_Part`."""

    made: Any = _Part

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        self.state.library = self.made(self.state.targetctx.codegen(), func.__qualname__)
        compile_extra: Any = super().compile_extra
        return compile_extra(func)


class _PreparedCompiler(PartCompiler):
    """Compiles a helper to a `_Prepared`."""

    made = _Prepared


def _arguments_of(signature: Any) -> Any:
    normalize: Any = normalize_signature
    return normalize(signature)[0]


class KernelCache:
    """The cache that Numba uses for a function, before and after compiling it.

    Numba accepts any object with the methods of its `core.caching._Cache`. Its own cache does not
    check files, and its file names depend on fewer things.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        announce: Callable[[], None],
        load: Callable[[Collection[str]], None],
    ) -> None:
        self.function = function
        self.name: str = f"{function.__module__}.{function.__qualname__}"
        self.announce = announce
        self.load = load

    def path_of(self, signature: Any, target: Any) -> Path | None:
        """Return the path of the code of one signature; None if it cannot be stored.

        Its name depends on everything that the code depends on: the sources, the processor, and
        the versions of Python, Numba and LLVM.
        """
        folder = cache.cache_folder()
        if folder is None:
            return None
        try:
            digest = hashlib.blake2b(sources_digest(self.function.__module__), digest_size=10)
        except OSError:
            return None
        versions = numba.__version__, llvmlite.__version__, sys.version, _MAKING
        made_by = (*versions, sorted(OPTIONS.items()))
        digest.update(repr((self.name, str(signature), target.magic_tuple(), made_by)).encode())
        shown = re.sub(r"[^\w.]", "_", self.name.partition(".")[2])
        return folder / f"{shown}-{digest.hexdigest()}{cache.SUFFIX}"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled code of a signature, None if it is not in the cache.

        Numba's own cache would first `refresh` the target: import all that Numba can compile,
        including SciPy if installed, which takes longest. Compiled code does not need it, and the
        compiler does it when it runs.
        """
        path = self.path_of(signature, target_context.codegen())
        content = None if path is None else cache.read(path)
        if content is not None:
            # The content is complete. If it cannot be used anyway, the code is compiled again.
            with suppress(Exception):
                calls, reduced = pickle.loads(content)
                made, args = reduced[1], _arguments_of(signature)
                # Reject a renamed file of another kernel.
                is_ours = f"{made.modname}.{made.qualname}" == self.name and made.argtypes == args
                if calls and is_ours:
                    self.load(calls.values())
                if is_ours and calls.keys() <= _shared.keys():  # else the callees have changed
                    rebuild: Any = compiler.CompileResult._rebuild
                    return rebuild(target_context, *reduced)
        self.announce()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store the compiled code of a signature."""
        path = self.path_of(signature, result.codegen)
        if path is not None and not result.library.has_dynamic_globals:
            dumps: Any = serialize.dumps
            names = {each.name for each in result.library._final_module.functions}
            calls = {symbol: name for symbol, name in _shared.items() if symbol in names}
            # Numba would also store the LLVM code, for inlining, and reading it takes longest.
            # Only the names in it are needed.
            made = result.fndesc
            named = (made.llvm_func_name, made.llvm_cpython_wrapper_name)
            empty = "\n".join(f"define void @{name}() {{ unreachable }}" for name in named)
            result.library._shared_module = binding.parse_assembly(empty)
            cache.write(path, dumps((calls, result._reduce())))


@contextmanager
def _between_passes(call: Callable[[], None]) -> Iterator[None]:
    """Call a function before each pass of the compiler."""

    class Passes(event.Listener):
        def on_start(self, event: Any) -> None:
            call()

        def on_end(self, event: Any) -> None:
            pass

    install: Any = event.install_listener
    with install("numba:run_pass", Passes()):
        yield
