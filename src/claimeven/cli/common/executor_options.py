"""Who plays games, by --jobs, --executor and --address, and games played with their progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from claimeven.arena.executors import local
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments.config import EXECUTORS
from claimeven.arena.tournaments.standings import Standings
from claimeven.arena.tournaments.tournament import (
    TournamentPlan,
    TournamentResult,
    run_tournament,
)
from claimeven.cli.common.options import WordChoice
from claimeven.cli.common.progress import say, status_line
from claimeven.errors import ClaimevenError
from claimeven.parallel.cores import usable_cores
from claimeven.parallel.jobs import Executor
from claimeven.parallel.ray_workers import RayWorkers

Command = Callable[..., Any]


def players_options(alone: bool = False) -> Callable[[Command], Command]:
    """Add --jobs, --executor and --address; the command receives `players`, an executor or None.

    None is the process of the command, which plays where nothing is said and it plays `alone`.
    """

    def decorated(command: Command) -> Command:
        @wraps(command)
        def with_players(
            jobs: int | None, executor: str, address: str | None, **others: Any
        ) -> Any:
            return command(players=_players(executor, address, jobs, alone), **others)

        usual = "one here, all cores of a cluster" if alone else "one a core"
        options = (
            click.option("--jobs", type=int, help=f"Processes that play games; usually {usual}."),
            click.option(
                "--executor",
                type=WordChoice(*EXECUTORS),
                default=EXECUTORS[0],
                show_default=True,
                help="Who plays: processes of this machine, or Ray.",
            ),
            click.option(
                "--address",
                metavar="HOST:PORT",
                help="A Ray cluster that plays; usually Ray is started here.",
            ),
        )
        added: Command = with_players
        for option in reversed(options):
            added = option(added)
        return added

    return decorated


def _players(executor: str, address: str | None, jobs: int | None, alone: bool) -> Executor | None:
    """Return who plays; None is this process."""
    if executor == EXECUTORS[0]:
        if address is not None:
            raise ClaimevenError("--address is that of a Ray cluster: give --executor ray too")
        return local((1 if alone else usable_cores()) if jobs is None else jobs, say)
    return RayWorkers(usable_cores() if jobs is None and address is None else jobs, address, say)


def play_shown(
    plan: TournamentPlan, store: Store, executor: Executor | None
) -> tuple[TournamentResult, bool]:
    """Play games and show the progress; return the result by now, and whether Ctrl-C ended it."""
    begin, resumed = time.monotonic(), len(store)
    with status_line() as line:
        try:
            result = run_tournament(
                plan,
                store,
                executor=executor,
                tell=say,
                watch=lambda done: line.count(done, plan.games, "games", resumed),
            )
        except KeyboardInterrupt:
            standings = Standings.of_store(store)
            return TournamentResult(plan, standings, time.monotonic() - begin), True
    return result, False
