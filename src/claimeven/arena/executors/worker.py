"""A process that plays games for another one: what `local_workers` starts."""

from __future__ import annotations

import os
import pickle
import sys
import time

from claimeven.arena.executors.work import AnyWork, Result
from claimeven.errors import ClaimevenError
from claimeven.parallel import interrupts
from claimeven.parallel.worker import Parent

#: Seconds after which the games finished are sent, and after which none are: a sign of life.
TICK, SIGN = 0.05, 1.0

_READY = pickle.dumps([])


def main(parent: Parent) -> None:
    """Play the games whose numbers come in, and send them back.

    The first message holds work, the others a list of numbers each, or other work to go on to. An
    error that ends the match is sent in place of games. A message without games says that the
    worker is ready, or still plays.
    """
    interrupts.note_stops()
    first = parent.receive()
    work = None if first is None else pickle.loads(first)
    try:
        while work is not None:
            work = _serve(parent, work)
    except ClaimevenError as error:
        parent.send(pickle.dumps(error))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # nothing is left to do, and thousands of modules to take down


def _serve(parent: Parent, work: AnyWork) -> AnyWork | None:
    """Play the games of work that are asked for; return the next work, None at the end."""
    with work.begun() as play:
        parent.send(_READY)
        while (message := parent.receive()) is not None:
            asked: list[int] | AnyWork = pickle.loads(message)
            if not isinstance(asked, list):
                return asked
            results: list[Result] = []
            sent = time.monotonic()
            for result in play(asked):
                if result is not None:
                    results.append(result)
                if time.monotonic() - sent > (TICK if results else SIGN):
                    parent.send(pickle.dumps(results))
                    results, sent = [], time.monotonic()
            if results:
                parent.send(pickle.dumps(results))
    return None
