"""Processes of Python without its start: forked from one that has imported their modules.

The tests start the program, its workers and the processes of agents hundreds of times, and most of
the cost of such a process is the start of Python and the import of NumPy, Numba and our modules:
the same each time. Here a *template*, a process of its own, does so once. A *launch* forks it and
continues in the fork as a fresh interpreter would, into the same `-m` module or `-c` code: with the
arguments, folder, variables, file descriptors, session and blocked signals it was given.

A launch is a separate process and a true child of its caller, which has a `subprocess.Popen`:
pipes, signals, exit status and waiting are as for any process. It shares with other launches only
what was imported, for a template does nothing else: it starts no thread and compiles nothing. How
Python ends, and what it flushes then, is Python's own doing; only what it shares is neither taken
apart nor freed then, since that would copy it all first.

A launch of the program that is going to start workers is first forked once more, into a template of
its own. So they are launches too, and its children; and so is that template (`children_of`).

The differences from a start of Python: its time, the modules that are loaded already, the order of
sets of text (one for all launches of a template), and settings that Python or a library reads once
at its start. So a test that is about these starts Python itself (fixture `real_starts`, or
`subprocess`), as some tests of each kind do. Launches with other variables that are read at the
start do so by themselves, and all do where there is no Linux. `CLAIMEVEN_REAL_STARTS=1` has every
process of the tests started.
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
