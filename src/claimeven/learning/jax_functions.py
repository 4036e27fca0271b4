"""JAX, an optional package that training needs, and its compiled functions, cached on disk.

Compiling a training step takes seconds. The cache of JAX is set for a whole process, and other
processes may read its unfinished files. So these functions are cached as kernels are (see
`compiled.cache`), under a digest of the function's text in JAX and of all that its code depends on.

Matrix products have the precision float32, or bfloat16 if the machine is fast at it: accelerators,
and processors with matrix units (AMX) or bfloat16 products (AVX-512), multiply numbers of 8 bits of
precision many times faster. Sums stay float32.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from claimeven.compiled import cache
from claimeven.errors import ClaimevenError
from claimeven.parallel import interrupts

#: Code for an accelerator is not chosen by timing: its results would differ from run to run by
#: rounding, and compiling would take minutes and gigabytes.
_OPTIONS: Final = {"xla_gpu_autotune_level": 0, "xla_gpu_enable_triton_gemm": False}
#: The name of the axis of several accelerators.
_AXIS: Final = "batch"
#: Seconds after Ctrl-C in which a compilation must end; it cannot be interrupted.
_INTERRUPT_SECONDS: Final = 3.0


class MissingPackage(ClaimevenError):
    """A package of an extra that is not installed."""


@lru_cache(maxsize=1)
def jax_and_optax() -> tuple[Any, Any]:
    """Return the modules. JAX reserves no memory of an accelerator in advance, since other
    processes may share it. Raises `MissingPackage` if they are not installed.
    """
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        with interrupts.deferred():  # an exception during their import would break them
            import jax  # noqa: PLC0415 - an extra
            import optax  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingPackage(
            "training a net needs JAX and optax: pip install 'claimeven[learn]'"
        ) from None
    return jax, optax


@lru_cache(maxsize=8)
def mesh_for(batch: int) -> Any:
    """Return the mesh of the accelerators that evaluate equal parts of a batch; None for one.

    Their number is the greatest that divides the batch.
    """
    jax, _ = jax_and_optax()
    devices = jax.local_devices()
    count = next(n for n in range(len(devices), 0, -1) if batch % n == 0)
    return None if count == 1 else jax.sharding.Mesh(devices[:count], (_AXIS,))


def placed(arrays: Any, batch: int, axis: int | None = 0) -> Any:
    """Return arrays on the accelerators of a batch: parts of an axis, or copies for None."""
    mesh = mesh_for(batch)
    if mesh is None:
        return arrays
    jax, _ = jax_and_optax()
    parts = () if axis is None else (*[None] * axis, _AXIS)
    spec = jax.sharding.PartitionSpec(*parts)
    return jax.device_put(arrays, jax.sharding.NamedSharding(mesh, spec))


class JaxFunction:
    """A function that JAX compiles or loads when it is first called with arrays of a shape.

    The names of its files start with `name`.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self._jax, _ = jax_and_optax()
        self._traced = self._jax.jit(function)
        self._options = None if self._jax.default_backend() == "cpu" else _OPTIONS
        self._compiled: dict[Any, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Run the function. Ctrl-C waits for its end, since JAX is in an inconsistent state."""
        with interrupts.deferred():
            leaves, structure = self._jax.tree.flatten(arguments)
            meshes = tuple(_mesh_of(leaf) for leaf in leaves)
            kinds = tuple((getattr(x, "shape", ()), getattr(x, "dtype", type(x))) for x in leaves)
            key = structure, kinds, meshes
            if key not in self._compiled:
                with interrupts.exit_if_stuck(_INTERRUPT_SECONDS):
                    mesh = next(filter(None, meshes), None)
                    self._compiled[key] = self._compile(arguments, mesh)
            return self._compiled[key](*arguments)

    def _compile(self, arguments: tuple[Any, ...], mesh: Any) -> Any:
        """Return the function compiled for arguments of these shapes, on a mesh if there is one."""
        devices = self._jax.local_devices()[:1] if mesh is None else list(mesh.devices.flat)
        lowered = self._traced.lower(*arguments)
        path = self._path_of(lowered.as_text())
        with cache.making(path, lambda: None):
            function = _read(path, devices)
            if function is None:
                function = lowered.compile(compiler_options=self._options)
                _store(path, function)
        return function

    def _path_of(self, text: str) -> Path | None:
        """Return the file of a function with this text; None without a cache."""
        folder = cache.cache_folder()
        if folder is None:
            return None
        versions = ("named", self._jax.__version__, self._jax.lib.__version__, sys.version,
                   cache.processor(), os.cpu_count(), os.environ.get("XLA_FLAGS"))  # fmt: skip
        device = self._jax.devices()[0].device_kind
        digest = hashlib.blake2b(f"{text}\n{versions}{device}".encode(), digest_size=10)
        return folder / f"{self.name}-{digest.hexdigest()}{cache.JAX_SUFFIX}"


def _mesh_of(array: Any) -> Any:
    sharding = getattr(array, "sharding", None)
    return sharding.mesh if sharding is not None and len(sharding.device_set) > 1 else None


def _read(path: Path | None, devices: list[Any]) -> Any:
    """Return the function that `_store` wrote for the devices, None if it cannot be used."""
    content = None if path is None else cache.read(path)
    if content is None:
        return None
    # The file is complete, but this version of JAX may reject it: it is then compiled again.
    with suppress(Exception):
        from jax.experimental import serialize_executable  # noqa: PLC0415 - an extra

        name, function, inputs, outputs = pickle.loads(content)
        if path is not None and name == path.stem:  # not the renamed file of another function
            return serialize_executable.deserialize_and_load(
                function, inputs, outputs, execution_devices=devices
            )
    return None


def _store(path: Path | None, function: Any) -> None:
    if path is not None:
        with suppress(Exception):  # without the file, the next run takes longer
            from jax.experimental import serialize_executable  # noqa: PLC0415 - an extra

            cache.write(path, pickle.dumps((path.stem, *serialize_executable.serialize(function))))


FLOAT32: Final = "float32"
BFLOAT16: Final = "bfloat16"
#: `AUTO` is bfloat16 on machines that are fast at it.
AUTO: Final = "auto"
PRECISIONS: Final = (AUTO, FLOAT32, BFLOAT16)
#: The names in Linux of processor features that multiply matrices of bfloat16.
_CPU_FLAGS: Final = ("amx_bf16", "avx512_bf16")


def precision_here(precision: str) -> str:
    """Return a precision for this machine: `FLOAT32` or `BFLOAT16`."""
    if precision != AUTO:
        return precision
    is_fast = jax_and_optax()[0].default_backend() != "cpu"
    with suppress(OSError):  # only Linux has the file
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
        is_fast |= any(name in flags for name in _CPU_FLAGS)
    return BFLOAT16 if is_fast else FLOAT32


def product_in(precision: str) -> Callable[[Any, Any], Any]:
    """Return the product of two matrices of float32, for JAX to trace: `FLOAT32` or `BFLOAT16`."""
    jax, _ = jax_and_optax()
    if precision == FLOAT32:
        return jax.numpy.matmul  # type: ignore[no-any-return]  # JAX is not typed here
    short = _shortener()
    times = partial(jax.numpy.dot, preferred_element_type=jax.numpy.float32)

    @jax.custom_vjp  # type: ignore[untyped-decorator]  # as above
    def product(left: Any, right: Any) -> Any:
        return times(short(left), short(right))

    def forward(left: Any, right: Any) -> Any:
        left, right = short(left), short(right)
        return times(left, right), (left, right)

    def backward(factors: Any, gradient: Any) -> Any:
        (left, right), gradient = factors, short(gradient)
        return times(gradient, short(right.T)), times(short(left.T), gradient)

    product.defvjp(forward, backward)
    return product  # type: ignore[no-any-return]  # as above


def _shortener() -> Callable[[Any], Any]:
    """Return the function that converts a matrix to bfloat16."""
    jax, _ = jax_and_optax()

    def short(matrix: Any) -> Any:
        return jax.numpy.asarray(matrix).astype(jax.numpy.bfloat16)

    if jax.default_backend() != "cpu" or jax.local_device_count() > 1:
        return short
    from jax.experimental import layout  # noqa: PLC0415 - an extra

    constrained: Callable[..., Any] = layout.with_layout_constraint
    # With any other layout, the product is as slow as in float32.
    return lambda matrix: constrained(short(matrix), layout.Layout((0, 1)))
