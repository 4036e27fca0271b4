"""Launches of the processes that the package starts: of agents from files, and its workers."""

from __future__ import annotations

import importlib
import os
import socket
import subprocess
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from claimeven.agents.process.agent import VARIABLES
from tests.forks.launched import Launched, Template
from tests.forks.program import PROGRAM

#: The modules of an agent from a file at its start: its memory is bounded.
AGENT = Template(
    "claimeven.agents.worker",
    "claimeven.agents.files",
    "numpy.random",
    variables=lambda: {**os.environ, **VARIABLES},
)
#: Workers start as the program does.
_TEMPLATES = {
    "claimeven.agents.worker": AGENT,
    "claimeven.arena.algorithm_worker": AGENT,
    "claimeven.parallel.jobs": PROGRAM,
    "claimeven.web.tasks": PROGRAM,
}


def launch_workers(templates: Mapping[str, Template] = _TEMPLATES) -> None:
    """Let this process launch all such processes, and our own program as an external engine."""

    def popen(arguments: list[str], **options: Any) -> subprocess.Popen[Any]:
        for module, template in templates.items():
            if any(f"from {module} import main;" in argument for argument in arguments):
                return Launched(arguments, template, sets_path=True, **options)
        if arguments[1:3] == ["-m", "claimeven"]:
            return Launched(arguments, PROGRAM, sets_path=True, **options)
        return subprocess.Popen(arguments, **options)

    here: Any = importlib.import_module("claimeven.parallel.posix")
    here.subprocess = SimpleNamespace(**{**vars(subprocess), "Popen": popen})


def launch_workers_from(asking: socket.socket, variables: Mapping[str, str]) -> None:
    """Let this process, itself a launch, launch its workers from a template it has by now."""
    PROGRAM.take(asking, variables)
    launch_workers({module: each for module, each in _TEMPLATES.items() if each is PROGRAM})
