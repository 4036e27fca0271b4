"""Checks of the opening options, and advice for more openings."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.core import ParameterSource

from claimeven.arena.games.openings import band_of
from claimeven.cli.common.options import reject_options
from claimeven.cli.common.streams import one_line


def are_drawn(source: str) -> bool:
    """Whether openings are drawn rather than read from a file.

    >>> are_drawn("random"), are_drawn("3..8"), are_drawn("openings.txt")
    (True, True, False)
    """
    return source == "random" or band_of(source) is not None


def reject_opening_plies(ctx: click.Context, source: str) -> None:
    """Raise `ClaimevenError` if --opening-plies was given with a file of openings.

    Plies in a tournament's file are ignored if the command line sets the openings.
    """
    where, plies = (ctx.get_parameter_source(name) for name in ("openings", "opening_plies"))
    if are_drawn(source):
        return
    if plies == ParameterSource.DEFAULT_MAP and where != plies:
        ctx.set_parameter_source("opening_plies", ParameterSource.DEFAULT)
    else:
        sentence = "{} is for drawn openings: a file has complete openings"
        reject_options(ctx, ("opening_plies",), sentence)


def more_openings(source: str, plies: int, openings: Sequence[object]) -> str:
    """Return advice for more openings: more plies for drawn ones, or a longer file."""
    if are_drawn(source):
        return f"--opening-plies {max(6, plies + 2)}"
    return f"{one_line(source)} has {len(set(openings))}"
