"""Shares as the command line takes them: numbers with commas."""

from __future__ import annotations

import click


def shares_of(text: str) -> tuple[float, ...]:
    """Return the numbers of `--shares`. Raises `UsageError` for anything else.

    >>> shares_of("2,0.5")
    (2.0, 0.5)
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(f"--shares takes numbers like 1,2, not {text!r}") from None
