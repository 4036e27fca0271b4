"""The process that searches for a server: one job at a time, which can be stopped at any moment."""

from __future__ import annotations

import sys
import traceback
from functools import partial
from importlib import import_module
from typing import Any

from claimeven.agents.validation import plain
from claimeven.errors import ClaimevenError
from claimeven.parallel.system import backend
from claimeven.parallel.worker import JobWorker, Parent, Send
from claimeven.solver.errors import SearchStopped
from claimeven.web.jobs import MEMORY_MB, from_plain
from claimeven.web.tasks import Tools, load

#: Values that one event may hold, and how deep they may be nested.
MAX_VALUES, MAX_DEPTH = 3_000_000, 600
UNPROCESSABLE, UNAVAILABLE, FAILED = 422, 503, 500


def main(parent: Parent) -> None:
    """Answer the server's requests until it ends."""
    sys.argv = [""]
    backend.limit_memory(MEMORY_MB)
    tools = Tools()
    JobWorker(parent, partial(do, tools), tools.forget_agents).serve()


def do(tools: Tools, message: dict[str, Any], send: Send) -> tuple[str, Any]:
    """Do the task of a message; return the name of its last event and the data of that.

    A task is a function of `tasks`, or "module.function" of another module of this package.
    """
    tools.send, tools.seconds = send, message["seconds"]
    try:
        arguments = from_plain(message["arguments"])
        module, _, name = message["task"].rpartition(".")
        task = getattr(import_module(f"claimeven.web.{module or 'tasks'}"), name)
        load(tools, message["task"], arguments)
        send("begun", None)  # from now on its time runs
        return "done", plain(task(tools, **arguments), MAX_VALUES, MAX_DEPTH)
    except ClaimevenError as error:
        return _failure(str(error), UNPROCESSABLE)
    except SearchStopped:
        return _failure("this is too hard for the time it has", UNPROCESSABLE)
    except MemoryError:
        tools.forget()
        return _failure(
            "there is not enough memory for this: ask for a smaller table or tree", UNAVAILABLE
        )
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return _failure("claimeven failed at this; its log says how", FAILED)


def _failure(sentence: str, status: int) -> tuple[str, Any]:
    return "failed", {"error": " ".join(sentence.split()), "status": status}
