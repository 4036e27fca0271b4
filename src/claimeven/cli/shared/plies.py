"""Plies as verbs take them: `8-20`."""

from __future__ import annotations

import re

from claimeven.game.errors import ClaimevenError


def ply_range(text: str) -> tuple[int, int]:
    """Read plies: `8-20`, or one number for both ends.

    >>> ply_range("8-20"), ply_range("9")
    ((8, 20), (9, 9))
    """
    found = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", text.strip())
    if found is None:
        raise ClaimevenError(f"--plies {text}: give two plies such as 8-20, or one")
    return int(found[1]), int(found[2] or found[1])
