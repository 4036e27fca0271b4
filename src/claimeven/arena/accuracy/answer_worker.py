"""A process that asks agents in positions, for `answers`."""

from __future__ import annotations

import os
import pickle
import sys

from claimeven.arena.accuracy.examining import Examiner
from claimeven.errors import ClaimevenError
from claimeven.processes import Parent


def main(ends: tuple[int, int, int]) -> None:
    """Answer questions: the first message is the plan, each other one a list of questions."""
    parent = Parent(ends)
    first = parent.receive()
    try:
        if first is not None:
            with Examiner(pickle.loads(first)) as examiner:
                while (message := parent.receive()) is not None:
                    parent.send(
                        pickle.dumps([examiner.ask(each) for each in pickle.loads(message)])
                    )
    except ClaimevenError as error:
        parent.send(pickle.dumps(error))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
