"""Python processes without the cost of a start: forks of a process with imported modules.

The tests start the program, its workers and the processes of agents hundreds of times. Most of the
cost is the start of Python and the import of NumPy, Numba and our modules. A *template* process
does this once. A *launch* forks it and continues like a fresh interpreter with the same `-m` module
or `-c` code, and the given arguments, folder, variables, file descriptors, session and blocked
signals.

A launch is a separate process and a true child of its caller, which has a `subprocess.Popen`:
pipes, signals, exit status and waiting work as usual. It shares only imported modules with other
launches, because a template starts no thread and compiles no code. Python itself ends the process
and flushes its streams. Shared modules are not freed, since that would copy them first.

A launch of the program that will start workers is forked again into a separate template. So its
workers are launches and its children, and so is that template (`children_of`).

A launch differs from a start of Python in its time, the loaded modules, the order of sets of text
(the same for all launches of a template), and settings that are read once at the start. A test of
these starts Python itself (fixture `real_starts`, or `subprocess`). Launches with other variables
for the start also start Python, and so do all launches on systems other than Linux.
`CLAIMEVEN_REAL_STARTS=1` starts Python for every process of the tests.
"""

from tests.forks.agents import AGENT, launch_workers
from tests.forks.launched import REAL, Launched, Template, children_of
from tests.forks.program import (
    PROGRAM,
    SOURCES,
    command,
    environment,
    program,
    run_as_nobody,
    run_program,
)

__all__ = [
    "AGENT",
    "PROGRAM",
    "REAL",
    "SOURCES",
    "Launched",
    "Template",
    "children_of",
    "command",
    "environment",
    "launch_workers",
    "program",
    "run_as_nobody",
    "run_program",
]
