"""A match kept in a file: a tournament of two, its games stored as they end.

Where a match is kept it can be taken up again, and whatever reads a tournament's file reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from claimeven.agents.registry import broken_agents
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.executors import play_games
from claimeven.arena.games.match import MatchPlan, PlayedGame
from claimeven.arena.store.runs import ChangeWatch
from claimeven.arena.store.writer import HeldRows, played_game, stored_game
from claimeven.arena.tournaments.tournament import TournamentPlan, open_store
from claimeven.parallel.jobs import Executor


def tournament_of(plan: MatchPlan) -> TournamentPlan:
    """Return the tournament whose games are those of a match, number by number.

    Raises `InvalidMatch` for agents that no file can name: objects, functions, one against itself.

    >>> from claimeven.arena.games.schedule import Schedule
    >>> plan = MatchPlan(("random", "greedy"), Schedule(games=3, seed=1, opening_plies=2))
    >>> [plan.schedule.pairing(n) == tournament_of(plan).pairing(n) for n in range(3)]
    [True, True, True]
    """
    if not plan.is_portable:
        raise InvalidMatch(
            "only agents given by specs are kept in a file: an object or a function has no name"
            " that would find it again"
        )
    schedule = plan.schedule
    rounds = (schedule.games + 1) // 2
    openings = tuple(schedule.pairing(2 * pair).opening for pair in range(rounds))
    columns = tuple(opening.columns for opening in openings)
    return TournamentPlan(
        plan.agents,
        rounds,
        schedule.seed,
        "gauntlet",
        columns if schedule.is_varied else columns[:1],
        openings[0].root,
        plan.limit,
        plan.isolation,
        swap=schedule.swap,
    )


def play_kept(
    plan: MatchPlan,
    path: str | Path,
    resume: bool | str = False,
    jobs: int = 1,
    tell: Callable[[str], object] | None = None,
    meta: Mapping[str, Any] | None = None,
    executor: Executor | None = None,
) -> Generator[PlayedGame, None, None]:
    """Yield the games of a match in order, those a file holds and the rest, stored as they end.

    They are played by `jobs` processes of this machine, or by an `executor` if one is given. `meta`
    is stored beside them. Raises what `play_games` raises, before a file is made, and
    `InvalidStore` for a file that is there without `resume`, or holds another match.
    """
    tournament = tournament_of(plan)
    specs = [str(agent) for agent in plan.agents]
    for error in broken_agents(specs, tournament.geometry, plan.limit, plan.isolation).values():
        raise error
    with open_store(path, tournament, resume) as store:
        for key, value in (meta or {}).items():
            store.set_meta(key, value)
        numbers = range(plan.schedule.games)
        there = {
            game.number: played_game(game, tournament.start)
            for game in store.games()
            if game.number in numbers
        }
        missing = [number for number in numbers if number not in there]
        changes = ChangeWatch(store, tournament.provenance, tell)
        with (
            closing(HeldRows(store, len(there))) as held,
            closing(play_games(plan, jobs, True, tell, missing, executor=executor)) as fresh,
        ):
            for number in numbers:
                if number in there:
                    yield there.pop(number)
                    continue
                played = next(fresh)
                held.add(stored_game(played, tournament.job(number)).row)
                changes.look()
                yield played
        store.check_place()
        changes.look(at_end=True)
