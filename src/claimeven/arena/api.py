"""A match of two agents, or a tournament of many, in one call."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from claimeven.agents.base import Limit
from claimeven.agents.process.sandbox import Isolation
from claimeven.agents.registry import Contestant
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.executors import play_games
from claimeven.arena.games.match import MatchPlan, MatchResult, PlayedGame
from claimeven.arena.games.openings import make_openings
from claimeven.arena.games.schedule import Opening, Schedule
from claimeven.arena.tournaments.stored_match import play_kept
from claimeven.arena.tournaments.tournament import (
    KINDS,
    TournamentPlan,
    TournamentResult,
    run_tournament,
    store_of,
)
from claimeven.game.geometry import Geometry
from claimeven.game.notation import parse_moves
from claimeven.game.position import Position
from claimeven.parallel.jobs import Executor

#: Plies of balanced openings of a match where nothing else is said.
BALANCED_PLIES = 4


def play_match(
    first: Contestant,
    second: Contestant,
    *,
    games: int = 100,
    seed: int = 0,
    limit: Limit | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    start: str | Position | Opening = "",
    geometry: Geometry | None = None,
    opening_plies: int | None = None,
    openings: str | Path | Sequence[str] = "random",
    swap: bool = True,
    isolate: bool = False,
    memory_mb: int | None = None,
    load_seconds: float | None = None,
    keep_decisions: bool = True,
    out: str | Path | None = None,
    resume: bool | str = False,
    watch: Callable[[PlayedGame], object] | None = None,
) -> MatchResult:
    """Play a match of two agents and return its games and totals.

    An agent is a spec ("alphabeta:depth=3", "my_agent.py:agent"), an `Agent`, or a function that
    takes a position, or (obs, config) as on Kaggle. Those from files play in processes of their
    own, which may hold `memory_mb` each and take `load_seconds` to be loaded (see `Isolation`), and
    with `isolate` so do those of this package; all others play in this process, or in `jobs`
    processes like it, or where an `executor` plays them; objects and functions take one job.
    Nothing an agent does ends the match: it loses the game.

    `games` are played in pairs: the same opening with the seats swapped, unless `swap` is False:
    then the first agent makes the first move of every game. They begin after the
    moves of `start` on the board of `geometry`, or in the position or opening given, and then after
    `opening_plies` random plies (usually none), or after other `openings` (see `make_schedule`).
    `limit` holds for each move, its bank for each game. Without `keep_decisions` the games keep
    their moves and measures only, which takes less memory. `watch` is called with each game as it
    is finished, in order. With `out` the games are stored in a file as they end, as those of a
    tournament of the two; `resume` takes up such a file, and plays only what it does not hold.

    The same seed gives the same games with any number of jobs, unless time is limited. Raises
    `InvalidMatch`, `InvalidSpec`, `InvalidLimit` and what a wrong `start` raises.

    >>> result = play_match("greedy:win=yes", "random", games=10, seed=1)
    >>> result.wins, result.draws
    ((9, 1), 0)
    """
    if isinstance(start, str):
        board = Geometry() if geometry is None else geometry
        start = Opening(Position(board), tuple(parse_moves(start, board)))
    schedule = make_schedule(games, seed, Opening.of(start), openings, opening_plies, swap)
    isolation = Isolation(isolate, memory_mb, load_seconds=load_seconds)
    plan = MatchPlan((first, second), schedule, limit or Limit(), isolation)
    begin = time.perf_counter()
    finished: list[PlayedGame] = []
    if out is None:
        source = play_games(plan, jobs, keep_decisions, executor=executor)
    else:
        source = play_kept(plan, out, resume, jobs, executor=executor)
    for played in source:
        finished.append(played)
        if watch is not None:
            watch(played)
    return MatchResult(plan, tuple(finished), time.perf_counter() - begin)


def make_schedule(
    games: int,
    seed: int,
    start: Opening,
    openings: str | Path | Sequence[str] = "random",
    plies: int | None = None,
    swap: bool = True,
) -> Schedule:
    """Return the games of a match, each pair after an opening played on from `start`.

    Without `swap` the first agent makes the first move of every game.

    `openings` are "random" ones of so many plies, usually none; "balanced" ones or a band of exact
    scores such as "3..8", usually of `BALANCED_PLIES`; those of a file; or move strings of your
    own. Raises `InvalidMatch`.
    """
    if openings == "random":
        return Schedule(games, seed, start, plies or 0, swap)
    plies = BALANCED_PLIES if plies is None else plies
    made = make_openings(openings, max(1, (games + 1) // 2), plies, seed, start.position)
    if not made:
        raise InvalidMatch("a match needs an opening, if only the empty one")
    return Schedule(games, seed, start, swap=swap, openings=made)


def play_tournament(
    agents: Sequence[Contestant],
    *,
    rounds: int = 10,
    kind: str = KINDS[0],
    seed: int = 0,
    openings: str | Path | Sequence[str] = "random",
    opening_plies: int = 4,
    limit: Limit | None = None,
    geometry: Geometry | None = None,
    isolate: bool = False,
    memory_mb: int | None = None,
    load_seconds: float | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    out: str | Path | None = None,
    resume: bool | str = False,
    tell: Callable[[str], object] | None = None,
    watch: Callable[[int], object] | None = None,
) -> TournamentResult:
    """Play many agents against each other and return the standings that follow from the games.

    Agents, `limit`, `isolate`, `memory_mb`, `load_seconds` and `jobs` are as in `play_match`. In a
    round any two play a pair of games, the same opening with the seats swapped; with
    `kind="gauntlet"` the first agent plays each of the others. `openings` are "random" or
    "balanced" ones of `opening_plies` plies, those of a file, or move strings of your own.

    Games are kept in the file `out`, if one is given, as they end; with `resume` those that it does
    not hold yet are played, more rounds than before too. An `executor` may play them elsewhere.
    `tell` gets sentences for the user, `watch` the number of games stored. The same seed gives the
    same games whoever plays them, unless time is limited. Raises `InvalidMatch`, `InvalidSpec`,
    `InvalidLimit`, `InvalidStore`.

    >>> result = play_tournament(["random", "greedy", "alphabeta:depth=2"], rounds=5, seed=1)
    >>> [agent.label for agent in result.standings.ranking]
    ['alphabeta:depth=2', 'greedy', 'random']
    """
    start = Position(geometry or Geometry())
    made = make_openings(openings, max(1, rounds), opening_plies, seed, start)
    plan = TournamentPlan(
        tuple(agents), rounds, seed, kind, made, start, limit or Limit(),
        Isolation(isolate, memory_mb, load_seconds=load_seconds),
    )  # fmt: skip
    with store_of(plan, out, resume) as store:
        return run_tournament(plan, store, jobs, tell, watch, executor=executor)
