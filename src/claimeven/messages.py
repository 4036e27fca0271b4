"""Messages and progress of the library: the logger `claimeven`, and the caller's functions.

The logger has no handler that prints. Programs add one: `logging.basicConfig(level="INFO")`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

logger = logging.getLogger("claimeven")
logger.addHandler(logging.NullHandler())


def report(on_message: Callable[[str], object] | None, text: str) -> None:
    """Log a warning, and pass it to the caller's function if there is one."""
    logger.warning(text)
    if on_message is not None:
        on_message(text)


@dataclass(frozen=True)
class WorkProgress:
    """Progress: `done` of `total` positions, `resumed` of them from an earlier run.

    The solver visited `nodes` positions for the others. Work in phases names them by `what`: a data
    set of the source `all` has "positions solved", of the ply beyond the highest, and then
    "positions written".
    """

    done: int
    total: int
    resumed: int
    seconds: float
    nodes: int = 0
    what: str = "positions"
