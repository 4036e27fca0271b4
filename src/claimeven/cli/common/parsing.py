"""Parsing of option values: plies such as `8-20`, weights such as `2,0.5`."""

from __future__ import annotations

import re

import click

from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry


def parse_ply_range(text: str) -> tuple[int, int]:
    """Read a range of plies: `8-20`, or one number.

    >>> parse_ply_range("8-20"), parse_ply_range("9")
    ((8, 20), (9, 9))
    """
    found = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", text.strip())
    if found is None:
        raise ClaimevenError(f"--plies must be a number or a range such as 8-20, got {text!r}")
    return int(found[1]), int(found[2] or found[1])


def parse_plies(text: str | None, default: tuple[int, int], geometry: Geometry) -> tuple[int, int]:
    """Read a range of plies; without a text scale the default from the standard board.

    >>> parse_plies(None, (8, 36), Geometry()), parse_plies(None, (8, 36), Geometry(4, 4, 3))
    ((8, 36), (2, 13))
    """
    if text is not None:
        return parse_ply_range(text)
    last = geometry.cells - 1
    lowest, highest = (min(max(1, ply * last // (STANDARD.cells - 1)), last) for ply in default)
    return lowest, highest


def default_plies_text(default: tuple[int, int]) -> str:
    """Return the default plies for a help text.

    >>> default_plies_text((8, 36))
    '[default: 8-36; scaled on other boards]'
    """
    return f"[default: {default[0]}-{default[1]}; scaled on other boards]"


def weights_of(text: str, option: str) -> tuple[float, ...]:
    """Return the numbers of an option. Raises `UsageError` for anything else.

    >>> weights_of("2,0.5", "--dataset-weights")
    (2.0, 0.5)
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(f"{option} takes numbers like 1,2, not {text!r}") from None
