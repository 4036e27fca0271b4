"""The options of openings: checked, and what would bring more of them."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.core import ParameterSource

from claimeven.arena.games.openings import band_of
from claimeven.cli.common.options import reject_options
from claimeven.cli.common.streams import one_line


def are_drawn(source: str) -> bool:
    """Whether openings are drawn, and not those of a file.

    >>> are_drawn("random"), are_drawn("3..8"), are_drawn("openings.txt")
    (True, True, False)
    """
    return source == "random" or band_of(source) is not None


def reject_opening_plies(ctx: click.Context, source: str) -> None:
    """Raise `ClaimevenError` where --opening-plies was given beside a file of openings.

    Those of a tournament's file are passed over where the command line has other openings.
    """
    where, plies = (ctx.get_parameter_source(name) for name in ("openings", "opening_plies"))
    if are_drawn(source):
        return
    if plies == ParameterSource.DEFAULT_MAP and where != plies:
        ctx.set_parameter_source("opening_plies", ParameterSource.DEFAULT)
    else:
        told = "{} is for openings that are drawn: a file holds them as they are"
        reject_options(ctx, ("opening_plies",), told)


def more_openings(source: str, plies: int, openings: Sequence[object]) -> str:
    """Say what brings more openings: longer ones, where they are drawn, or a longer file."""
    if are_drawn(source):
        return f"--opening-plies {max(6, plies + 2)}"
    return f"{one_line(source)} holds {len(set(openings))}"
