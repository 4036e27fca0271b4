"""The time a move may take.

Kaggle gives `actTimeout` seconds a move, and a bank for the whole game that longer moves draw on.
A clock keeps clear of both: part of each move's time is left for what is not counted here, such as
the loading of this file before the first move and a machine that is busy with something else.
"""

from __future__ import annotations

import time

#: Seconds of a move that are left unused, and the most of it as a part of a short move.
MARGIN_SECONDS, MARGIN_SHARE = 0.6, 0.4
#: Seconds of the bank that are never spent on purpose, the part of the rest for one move, and the
#: most of it for one move, by the time for a move.
BANK_RESERVE, BANK_SHARE, BANK_MOVES = 15.0, 0.2, 3.0
#: Seconds that no move takes, whatever is allowed.
LONGEST_MOVE = 600.0


class OutOfTime(Exception):
    """Ends a search from inside when its time is over."""


class Clock:
    """A moment at which a search must have ended."""

    def __init__(self, seconds: float) -> None:
        self.end = time.perf_counter() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.end - time.perf_counter()

    def check(self) -> None:
        """Raise `OutOfTime` when no time is left."""
        if time.perf_counter() >= self.end:
            raise OutOfTime

    def share(self, part: float) -> Clock:
        """Return a clock that ends after a part of the time left."""
        return Clock(part * self.left)


def seconds_for_move(act_timeout: float, bank: float, spend_bank: bool) -> float:
    """Return the seconds to think: a part of the bank too, if it is to be spent."""
    allowed = min(LONGEST_MOVE, max(0.0, act_timeout))  # 0 for what is no number
    seconds = allowed - min(MARGIN_SECONDS, MARGIN_SHARE * allowed)
    if spend_bank:
        seconds += min(BANK_MOVES * allowed, BANK_SHARE * max(0.0, bank - BANK_RESERVE))
    return seconds
