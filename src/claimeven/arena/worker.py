"""A process that plays games of a plan for another one: what `executors` starts."""

from __future__ import annotations

import os
import pickle
import sys
import time

from claimeven.arena.match import PlayedGame
from claimeven.arena.plan import GamePlan
from claimeven.arena.referee import Referee
from claimeven.errors import ClaimevenError
from claimeven.processes import Parent

#: Seconds after which the games finished are sent.
TICK = 0.05


def main(ends: tuple[int, int, int]) -> None:
    """Play the games whose numbers come in, and send them back.

    The first message holds the plan, every other one a list of numbers. An error that ends the
    match is sent in place of games.
    """
    parent = Parent(ends)
    first = parent.receive()
    if first is not None:
        plan, keep_decisions = pickle.loads(first)
        try:
            _serve(parent, plan, keep_decisions)
        except ClaimevenError as error:
            parent.send(pickle.dumps(error))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # nothing is left to do, and thousands of modules to take down


def _serve(parent: Parent, plan: GamePlan, keep_decisions: bool) -> None:
    with Referee(plan, keep_decisions) as referee:
        while (message := parent.receive()) is not None:
            games: list[PlayedGame] = []
            sent = time.monotonic()
            for number in pickle.loads(message):
                games.append(referee.play(number))
                if time.monotonic() - sent > TICK:
                    parent.send(pickle.dumps(games))
                    games, sent = [], time.monotonic()
            if games:
                parent.send(pickle.dumps(games))
