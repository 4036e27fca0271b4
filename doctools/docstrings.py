"""Docstrings of the package in the form that the reference shows.

Examples in docstrings become code blocks, and `#:` comments above constants their documentation.
"""

from __future__ import annotations

import re

_EXAMPLE = re.compile(r"^( *)>>> .*(?:\n\1\S.*|\n\1 +\S.*)*", re.M)


def comment_above(text: str, line: int) -> str:
    """Return the `#:` comment that ends just above a line, counted from 1."""
    found: list[str] = []
    for above in reversed(text.splitlines()[: line - 1]):
        if not above.strip().startswith("#:"):
            break
        found.insert(0, above.strip().removeprefix("#:").strip())
    return " ".join(found)


def with_blocks(text: str) -> str:
    """Return a docstring with its examples fenced."""
    return _EXAMPLE.sub(lambda found: f"{found[1]}```pycon\n{found[0]}\n{found[1]}```", text)
