"""JAX, which only training needs, and functions compiled by it, stored on disk.

Compiling a step of training takes seconds. JAX itself could store its code only for a whole
process, in files that others may read half-written. Ours are stored as kernels are (see
`compiled.cache`), each under a digest of the function's text in JAX and of all that its code
depends on.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from claimeven.compiled import cache
from claimeven.errors import ClaimevenError
from claimeven.parallel import interrupts

#: An accelerator's code is not chosen by timing: what it computes would differ from run to run, by
#: rounding, and to compile would take minutes and gigabytes.
_OPTIONS: Final = {"xla_gpu_autotune_level": 0, "xla_gpu_enable_triton_gemm": False}
#: Seconds after Ctrl-C in which a compilation has to end, which hears of it only then.
_UNHEEDED: Final = 3.0


class MissingPackage(ClaimevenError):
    """A package of an extra that is not installed."""


@lru_cache(maxsize=1)
def jax_and_optax() -> tuple[Any, Any]:
    """Return the modules. JAX takes only the memory of an accelerator that it needs, since other
    processes may share it. Raises `MissingPackage`, naming the extra, if they are not installed.
    """
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        with interrupts.deferred():  # an exception from outside would break their C++
            import jax  # noqa: PLC0415 - an extra
            import optax  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingPackage(
            "training a net needs JAX and optax: pip install 'claimeven[learn]'"
        ) from None
    return jax, optax


class JaxFunction:
    """A function for JAX to compile, or to load, when it is first called with arrays of a shape.

    `name` begins that of its files.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self._jax, _ = jax_and_optax()
        self._traced = self._jax.jit(function)
        self._options = None if self._jax.default_backend() == "cpu" else _OPTIONS
        self._made: dict[Any, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Run the function. Ctrl-C waits for its end: JAX's state is inconsistent in between."""
        with interrupts.deferred():
            return self._run(arguments)

    def _run(self, arguments: tuple[Any, ...]) -> Any:
        leaves, structure = self._jax.tree.flatten(arguments)
        kinds = tuple((getattr(x, "shape", ()), getattr(x, "dtype", type(x))) for x in leaves)
        made = self._made.get((structure, kinds))
        if made is None:
            with interrupts.exit_if_stuck(_UNHEEDED):
                made = self._made[structure, kinds] = self._compiled(arguments)
        return made(*arguments)

    def _compiled(self, arguments: tuple[Any, ...]) -> Any:
        """Return it compiled for such arguments."""
        lowered = self._traced.lower(*arguments)
        path = self._path_of(lowered.as_text())
        with cache.making(path, lambda: None):
            made = _read(path)
            if made is None:
                made = lowered.compile(compiler_options=self._options)
                _keep(path, made)
        return made

    def _path_of(self, text: str) -> Path | None:
        """Return the file of a function that JAX writes so; None where there can be none."""
        folder = cache.cache_folder()
        if folder is None:
            return None
        made_by = ("named", self._jax.__version__, self._jax.lib.__version__, sys.version,
                   cache.processor(), os.cpu_count(), os.environ.get("XLA_FLAGS"))  # fmt: skip
        device = self._jax.devices()[0].device_kind
        digest = hashlib.blake2b(f"{text}\n{made_by}{device}".encode(), digest_size=10)
        return folder / f"{self.name}-{digest.hexdigest()}{cache.JAX_SUFFIX}"


def _read(path: Path | None) -> Any:
    """Return what `_keep` put into a file, None if it is not there or cannot be used."""
    content = None if path is None else cache.read(path)
    if content is None:
        return None
    # What was kept is whole. That it cannot be used all the same is no reason to fail.
    with suppress(Exception):
        from jax.experimental import serialize_executable  # noqa: PLC0415 - an extra

        name, *serialized = pickle.loads(content)
        if path is not None and name == path.stem:  # not a file of another function, renamed
            return serialize_executable.deserialize_and_load(*serialized)
    return None


def _keep(path: Path | None, made: Any) -> None:
    """Put a function into a file, if JAX can write it."""
    if path is not None:
        with suppress(Exception):  # it only takes longer the next time
            from jax.experimental import serialize_executable  # noqa: PLC0415 - an extra

            cache.write(path, pickle.dumps((path.stem, *serialize_executable.serialize(made))))
