"""The options --jobs, --executor and --address; games with their progress."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial

from claimeven.arena.games.game import Game
from claimeven.arena.options import PlayerOptions
from claimeven.arena.tournaments.run import players_of
from claimeven.cli.common.options import option_group
from claimeven.cli.common.progress import notify, status_line
from claimeven.errors import ClaimevenError
from claimeven.parallel.cores import usable_cores

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
