"""Compiles the kernels that most tests need, while pytest's processes collect the tests.

Each of these would first compile its kernels and the helpers that kernels share: three processes
take one and a half times as long as one. A test whose kernel is not ready waits for it, or compiles
it, as any two processes do that want the same one (`claimeven.compiled.cache`).
"""

from __future__ import annotations

import gc
import importlib
import subprocess
import sys
from collections.abc import Callable

from tests.forks import SOURCES, environment

#: In the order in which the tests come to need them.
MODULES = (
    "solver.kernel",
    "montecarlo.puct.kernel",
    "networks.net.features_kernel",
    "networks.net.forward_kernel",
    "minimax.kernel",
    "game.perft_kernel",
    "montecarlo.tree.kernel",
    "montecarlo.playouts.kernel",
    "montecarlo.graph.kernel",
    "networks.ntuple_kernel",
    "montecarlo.flat.kernel",
    "book.ranking",
    "dataset.sampling_kernel",
    "adapters.vector_kernel",
    "learning.td_kernel",
    "learning.table_kernel",
)


def started() -> Callable[[], None]:
    """Start a process that compiles them; return what ends it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.ahead"],
        cwd=SOURCES.parent,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def end() -> None:
        process.kill()
        process.wait()

    return end


def main() -> None:
    """Compile them all."""
    from claimeven.compiled import Kernel, load

    gc.disable()
    for name in MODULES:
        module = importlib.import_module(f"claimeven.{name}")
        load(*(each for each in vars(module).values() if isinstance(each, Kernel)))


if __name__ == "__main__":
    main()
