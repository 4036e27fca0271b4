"""Messages of the library: to the logger `claimeven`, and to the caller's `on_message`.

The logger has no handler that prints. Programs add one: `logging.basicConfig(level="INFO")`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

logger = logging.getLogger("claimeven")
logger.addHandler(logging.NullHandler())


def report(on_message: Callable[[str], object] | None, text: str) -> None:
    """Log a warning, and pass it to the caller's function if there is one."""
    logger.warning(text)
    if on_message is not None:
        on_message(text)
