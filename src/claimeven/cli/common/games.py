"""Commands that play games: --jobs, --executor and --address, openings, progress."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial

import click
from click.core import ParameterSource

from claimeven.arena.games.game import Game
from claimeven.arena.games.openings import band_of
from claimeven.arena.options import PlayerOptions
from claimeven.arena.tournaments.run import players_of
from claimeven.cli.common.options import option_group, reject_options
from claimeven.cli.common.progress import notify, status_line
from claimeven.cli.common.streams import one_line
from claimeven.errors import ClaimevenError
from claimeven.parallel.cores import usable_cores


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


#: Adds --jobs, --executor and --address; the command gets `players`, an executor or None.
players_options = option_group(
    PlayerOptions, "players", lambda options: players_of(options, usable_cores(), notify)
)


def play_with_progress(
    games: Generator[Game, None, None],
    total: int,
    resumed: int = 0,
    on_game: Callable[[Game], bool | None] = lambda game: None,
    progress: Callable[[int], str] | None = None,
    returned: tuple[type[BaseException], ...] = (KeyboardInterrupt,),
) -> BaseException | None:
    """Play games and show the progress; return the exception of `returned` that stopped them.

    `on_game` gets each game and may return True to stop. `resumed` of the `total` games were played
    before. `progress` returns the text of the progress after a number of games. A `ClaimevenError`
    before the first game is raised.
    """
    done = resumed
    with status_line() as line, closing(games):
        try:
            for done, game in enumerate(games, resumed + 1):
                if on_game(game):
                    break
                if progress is None:
                    line.count(done, total, "games", resumed)
                else:
                    line.show(partial(progress, done))
        except returned as error:
            if done == resumed and isinstance(error, ClaimevenError):
                raise
            return error
    return None
