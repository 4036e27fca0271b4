"""The compilation time that linked kernels save: `python -m bench.kernels_start`.

By default Numba compiles a kernel into each of its callers. For example, it compiles the rules of
playouts into all Monte Carlo searches. Separate processes compile the kernels from an empty cache,
both ways in turns. The script prints CPU seconds, the minimum of `RUNS` runs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile

#: Every kernel, and the kernels of one agent.
STARTS = ("all", "uct", "perfect")
RUNS = 2

#: Loads kernels and prints the CPU seconds; "apart": each kernel is compiled into its callers.
SCRIPT = """
import importlib, pkgutil, sys, time
import claimeven
from claimeven.compiled import Kernel, compiler, decorators, load

what, way = sys.argv[1:]
if way == "apart":
    compiler._share = lambda *_: None
    parts = {}
    def part(kernel):
        return parts.setdefault(kernel, decorators.Helper(kernel.py_func))._numba_type_
    Kernel._numba_type_ = property(part)
modules = [each.name for each in pkgutil.walk_packages(claimeven.__path__, "claimeven.")]
found = [importlib.import_module(name) for name in modules if name.endswith("kernel")]
start = time.process_time()
if what == "all":
    load(*(each for module in found for each in vars(module).values() if isinstance(each, Kernel)))
else:
    claimeven.make_agent(what).load(claimeven.Geometry())
print(time.process_time() - start)
"""


def seconds(what: str, way: str) -> float:
    """Return the CPU seconds to compile."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CLAIMEVEN_CACHE_DIR": folder}
        command = [sys.executable, "-c", SCRIPT, what, way]
        return float(subprocess.check_output(command, env=environment))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("starts", nargs="*", choices=[*STARTS, []], metavar="START")
    starts = parser.parse_args().starts or STARTS
    print("CPU seconds        linked   apart")
    for what in starts:
        runs = [[seconds(what, way) for way in ("linked", "apart")] for _ in range(RUNS)]
        linked, apart = map(min, zip(*runs, strict=True))
        print(f"{what:17s}{linked:8.1f}{apart:8.1f}", flush=True)


if __name__ == "__main__":
    main()
