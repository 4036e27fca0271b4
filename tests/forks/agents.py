"""Launches of the processes that the package starts: of agents from files, and its workers."""

from __future__ import annotations

import os
import subprocess
from types import SimpleNamespace
from typing import Any

from claimeven import processes
from claimeven.agents.process.process import VARIABLES
from claimeven.processes import ONE_CORE
from tests.forks.launched import SOLVING, Launched, Template

#: What each of them imports, and no more: the memory of an agent is bounded.
AGENT = Template(
    "claimeven.agents.worker",
    "claimeven.agents.files",
    "numpy.random",
    variables=lambda: {**os.environ, **VARIABLES},
)
PLAYER = Template(
    "claimeven.arena.executors.worker",
    "claimeven.arena.accuracy.answer_worker",
    "claimeven.agents.registry",
    "claimeven.compiled.compiler",
    *SOLVING,
    variables=lambda: {**os.environ, **ONE_CORE},
)
SEARCHER = Template(
    "claimeven.web.worker",
    "claimeven.compiled.compiler",
    *SOLVING,
    variables=lambda: dict(os.environ),
)
_TEMPLATES = {module: each for each in (AGENT, PLAYER, SEARCHER) for module in each.modules}


def launch_workers() -> None:
    """Let this process launch all such processes, whoever makes one."""

    def popen(arguments: list[str], **options: Any) -> subprocess.Popen[Any]:
        for module, template in _TEMPLATES.items():
            if any(f"from {module} import main;" in argument for argument in arguments):
                return Launched(arguments, template, **options)
        return subprocess.Popen(arguments, **options)

    here: Any = processes
    here.subprocess = SimpleNamespace(**{**vars(subprocess), "Popen": popen})
