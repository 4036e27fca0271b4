"""Launches of the processes of agents from files."""

from __future__ import annotations

import os
import subprocess
from types import SimpleNamespace
from typing import Any

from claimeven import processes
from claimeven.agents.process import VARIABLES
from tests.forks.launched import Launched, Template

_WORKER = "claimeven.agents.worker"
#: What each of them imports, and no more: its memory is bounded.
AGENT = Template(_WORKER, "claimeven.agents.files", variables=lambda: {**os.environ, **VARIABLES})


def launch_agents() -> None:
    """Let this process launch the processes of agents, whoever makes one."""

    def popen(arguments: list[str], **options: Any) -> subprocess.Popen[Any]:
        if any(_WORKER in argument for argument in arguments):
            return Launched(arguments, AGENT, **options)
        return subprocess.Popen(arguments, **options)

    here: Any = processes
    here.subprocess = SimpleNamespace(**{**vars(subprocess), "Popen": popen})
