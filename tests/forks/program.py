"""Launches of the program, or of a script that does the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.forks.launched import Launched, Template

SOURCES = Path(__file__).parents[2] / "src"


def environment(**more: str) -> dict[str, str]:
    """The variables of a process that runs the program from these sources."""
    path = os.pathsep.join(filter(None, [str(SOURCES), os.environ.get("PYTHONPATH", "")]))
    left_out = ("PYTHONUNBUFFERED", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, "PYTHONPATH": path, **more}


def command(*arguments: str) -> list[str]:
    """The words that start the program."""
    return [sys.executable, "-m", "claimeven", *arguments]


#: The imports of the program and its workers, without the heavy packages of a few commands. Numba
#: imports the last ones at the first call of a kernel.
PROGRAM = Template(
    "claimeven.agents.registry",
    "claimeven.parallel.jobs",
    "claimeven.arena.tournaments.run",
    "claimeven.book.locations",
    "claimeven.cli.main",
    "claimeven.cli.contests",
    "claimeven.cli.solve",
    "claimeven.compiled.compiler",
    "claimeven.solver.solver",
    "claimeven.web.server",
    "claimeven.web.tasks",
    "numpy.ma",
    variables=environment,
)
#: Words with which it starts workers.
STARTS_WORKERS = {"serve", "--jobs"}


def program(arguments: list[str], **options: Any) -> Launched:
    """Launch the program: a `Popen` with the same options."""
    launches = not STARTS_WORKERS.isdisjoint(arguments)
    return Launched(arguments, PROGRAM, launches, **options)


#: The code of a launch before and after it becomes a user other than root, and a line between them.
_AS_NOBODY = """
import contextlib, os, sys
{before}
for stream in (sys.stdout, sys.stderr):
    print({line!r}, file=stream, flush=True)
if os.geteuid() == 0:
    with contextlib.suppress(PermissionError):  # a root without rights is no better than others
        os.setuid(65534)
{after}
"""
_LINE = "--- as nobody ---"


def run_as_nobody(before: str, after: str, *words: str) -> tuple[int, str, str]:
    """The status of a launch that does `after` as a user other than root, and its output.

    `before` imports the modules of `after`: another user may not be able to read them.
    """
    code = _AS_NOBODY.format(before=before, after=after, line=_LINE)
    ran = run_program(
        [sys.executable, "-c", code, *words],
        capture_output=True, text=True, timeout=300, env=environment(),
    )  # fmt: skip
    assert f"{_LINE}\n" in ran.stdout, ran.stderr
    out, err = (said.split(f"{_LINE}\n", 1)[1] for said in (ran.stdout, ran.stderr))
    return ran.returncode, out, err


def run_program(arguments: list[str], **options: Any) -> subprocess.CompletedProcess[Any]:
    """Launch the program and wait for its end, as `subprocess.run` does with the same options."""
    given, seconds = options.pop("input", None), options.pop("timeout", None)
    check = options.pop("check", False)
    if given is not None:
        options["stdin"] = subprocess.PIPE
    if options.pop("capture_output", False):
        options.update(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with program(arguments, **options) as running:
        try:
            out, err = running.communicate(given, seconds)
        except BaseException:
            running.kill()
            raise
    ended = subprocess.CompletedProcess(arguments, running.returncode, out, err)
    if check:
        ended.check_returncode()
    return ended
