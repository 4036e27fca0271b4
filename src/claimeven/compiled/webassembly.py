"""Kernels as a WebAssembly module, for browsers: the same sources, for another target of LLVM.

Numba writes each kernel as LLVM code. Here this code gets the layout of 32-bit WebAssembly, is
linked, optimized as a whole and written as an object file, which `wasm-ld` makes a module. It is
not optimized for this computer before, so the module does not depend on it.

A module exports its kernels by their names, and `__heap_base`, the first free address. It imports
its memory and, for large trees, `log`. A kernel takes the address of its result, an unused address,
and its arguments. An array is seven arguments or more: two unused addresses, the number of items,
the bytes of an item, the address, the shape, and the strides in bytes. The status it returns is 0.

A process that builds modules compiles no kernels for itself: see `build`.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import llvmlite
import numba
from llvmlite import binding
from numba.core.compiler_lock import global_compiler_lock

from claimeven.compiled import compiler, decorators, intrinsics_llvm
from claimeven.compiled.types import Signature, numba_signature
from claimeven.errors import ClaimevenError

TRIPLE: Final = "wasm32-unknown-unknown"
#: Browsers have it since 2020. Vectors would make the modules larger and not faster.
FEATURES: Final = "+bulk-memory"
_OPTIMIZATION: Final = 3
#: Versions of the linker differ in the place of the stack if it is not chosen.
_LINKER_OPTIONS: Final = (
    *("--no-entry", "--import-memory", "--allow-undefined"),
    *("--strip-all", "--stack-first"),
)

#: The LLVM code of the kernels compiled so far, by their full names.
_codes: dict[str, str] = {}


class BuildError(ClaimevenError):
    """A module cannot be built here."""


def versions() -> str:
    """Return the versions that the bytes of a module depend on."""
    python = ".".join(platform.python_version_tuple()[:2])
    return f"Python {python}, Numba {numba.__version__}, llvmlite {llvmlite.__version__}"


def build(kernels: Sequence[Any]) -> bytes:
    """Return a module with kernels that this process has not compiled yet for itself.

    From now on, this process compiles kernels for WebAssembly only. Raises `BuildError` without a
    linker.
    """
    linker = _linker()
    intrinsics_llvm.use_vectors = False
    decorators.compile_with(sys.modules[__name__])
    for each in kernels:
        each.load()
    exported = {_name_of(each.py_func): each.py_func.__name__ for each in kernels}
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    machine = binding.Target.from_triple(TRIPLE).create_target_machine(
        cpu="generic", features=FEATURES, opt=_OPTIMIZATION, reloc="static"
    )
    module = _linked(exported, machine)
    builder = binding.create_pass_builder(
        machine, binding.create_pipeline_tuning_options(speed_level=_OPTIMIZATION)
    )
    builder.getModulePassManager().run(module, builder)
    return _link(linker, machine.emit_object(module), exported.values())


def compiled(
    function: Callable[..., Any],
    signatures: tuple[Signature, ...],
    safe_moment: Callable[[], None],
    announce: Callable[[], None],
    load: Callable[[Collection[str]], None],
) -> Any:
    """Do as `compiler.compiled`, for WebAssembly: the result cannot be called here."""
    _let_record(function)
    (signature,) = signatures
    options = {**compiler.OPTIONS, "no_cpython_wrapper": True}
    made: Any = numba.njit(**options, pipeline_class=compiler.PartCompiler)(function)
    made.compile(numba_signature(signature))
    result = made.overloads[made.nopython_signatures[-1].args]
    code, name = result.fndesc, _name_of(function)
    with global_compiler_lock:
        result.library.finalize()
    _codes[name] = result.library.get_llvm_str().replace(code.llvm_func_name, name)
    compiler.call_by_name(result, name)
    made.disable_compile()
    return made


def helper(
    function: Callable[..., Any], prepared: bool = False, callable_here: bool = False
) -> Any:
    """Do as `compiler.helper`; the whole module is optimized at the end."""
    _let_record(function)
    return compiler.helper(function)


def _let_record(function: Callable[..., Any]) -> None:
    """Compile what a function does `if RECORDING`."""
    if "RECORDING" in function.__globals__:
        function.__globals__["RECORDING"] = True


def _name_of(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _linked(exported: dict[str, str], machine: Any) -> Any:
    """Return the code of the kernels and of all that they call, for the target."""
    head = f'target datalayout = "{machine.target_data}"\ntarget triple = "{TRIPLE}"\n'
    whole = binding.parse_assembly(head)
    names = list(exported)
    for name in names:  # which grows
        text = re.sub(r"^target .*$", "", _codes[name], flags=re.MULTILINE)
        text = re.sub(r'"target-(cpu|features)"="[^"]*"', "", text)
        module = binding.parse_assembly(head + text)
        for function in module.functions:
            if not function.is_declaration and function.name != name:
                function.linkage = "internal"
            elif function.name in _codes and function.name not in names:
                names.append(function.name)
        for variable in module.global_variables:
            if variable.linkage.name == "common":  # the writer of object files has none
                variable.linkage = "internal"
        whole.link_in(module)
    for name in names:
        function = whole.get_function(name)
        if name in exported:
            function.name = exported[name]
        else:
            function.linkage = "internal"
        function.add_function_attribute("noinline")  # two kernels in one would lack registers
    return whole


def _linker() -> list[str]:
    if found := shutil.which("wasm-ld"):
        return [found]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "wasm-ld"]
    raise BuildError(
        "the linker wasm-ld is not installed: install the package lld (Debian, Ubuntu, Homebrew) or"
        " ziglang (pip)"
    )


def _link(linker: list[str], code: bytes, names: Collection[str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "kernels.o"), Path(folder, "kernels.wasm")
        source.write_bytes(code)
        exports = [f"--export={name}" for name in (*names, "__heap_base")]
        options = [*_LINKER_OPTIONS, *exports, "-o", str(target), str(source)]
        subprocess.run([*linker, *options], check=True)
        return target.read_bytes()
