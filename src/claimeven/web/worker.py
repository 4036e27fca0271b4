"""The worker process of a server: it runs one job at a time, which can be stopped at any moment."""

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
from claimeven.web.tasks import WorkerState, load

#: Maximum number of values in an event, and their maximum depth.
MAX_VALUES, MAX_DEPTH = 3_000_000, 600
UNPROCESSABLE, UNAVAILABLE, FAILED = 422, 503, 500


def main(parent: Parent) -> None:
    """Run the jobs of the server until it ends."""
    sys.argv = [""]
    backend.limit_memory(MEMORY_MB)
    state = WorkerState()
    JobWorker(parent, partial(do, state), state.forget_agents).serve()


def do(state: WorkerState, message: dict[str, Any], send: Send) -> tuple[str, Any]:
    """Run the task of a message; return the name and the data of its last event.

    A task is a function of `tasks`, or "module.function" of another module of this package.
    """
    state.send, state.seconds = send, message["seconds"]
    try:
        arguments = from_plain(message["arguments"])
        module, _, name = message["task"].rpartition(".")
        task = getattr(import_module(f"claimeven.web.{module or 'tasks'}"), name)
        load(state, message["task"], arguments)
        send("started", None)  # the time of the job starts
        return "done", plain(task(state, **arguments), MAX_VALUES, MAX_DEPTH)
    except ClaimevenError as error:
        return _failure(str(error), UNPROCESSABLE)
    except SearchStopped:
        return _failure("the search exceeded its time limit", UNPROCESSABLE)
    except MemoryError:
        state.forget()
        return _failure(
            "the worker has too little memory: ask for a smaller table or tree", UNAVAILABLE
        )
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return _failure("claimeven failed at this request; its log has the details", FAILED)


def _failure(sentence: str, status: int) -> tuple[str, Any]:
    return "failed", {"error": " ".join(sentence.split()), "status": status}
