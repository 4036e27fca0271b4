"""Matches, tournaments, tests and placements, in one call each, and their plans."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from claimeven.agents.function_agent import name_of
from claimeven.agents.registry import AgentLike, check_specs
from claimeven.arena.games.game import Game
from claimeven.arena.games.openings import Opening, make_openings
from claimeven.arena.games.plan import MAX_GAMES, Plan
from claimeven.arena.options import (
    BALANCED_PLIES,
    InvalidMatch,
    LadderOptions,
    MatchOptions,
    RunOptions,
    SprtOptions,
    TournamentOptions,
)
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.runs import plan_of
from claimeven.arena.store.store import Store, is_taken
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.results import (
    MatchResult,
    Placement,
    SequentialResult,
    TournamentResult,
)
from claimeven.arena.tournaments.run import in_order, run, store_of
from claimeven.arena.tournaments.standings import Standings
from claimeven.experiment_file import InvalidExperiment, read_experiment
from claimeven.game.notation import parse_moves
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.option_fields import CommandOption, options_of
from claimeven.parallel.jobs import PoolError
from claimeven.ratings.sprt import SequentialRun, SequentialTest, SprtVerdict


def play_match(
    first: AgentLike, second: AgentLike, options: MatchOptions | None = None, **settings: Any
) -> MatchResult:
    """Play a match of two agents and return its games and totals.

    An agent is a spec ("alphabeta:depth=3", "my_agent.py:agent"), an `Agent`, or a function that
    takes a position, or (obs, config) as on Kaggle. Agents from files play in separate processes,
    and with `isolate` built-in agents do too. All others play in this process, or in the processes
    of the options; objects and functions need one job. An agent that fails loses only the game.

    `settings` are fields of `MatchOptions` by name; `limit=` and `geometry=` take a `Limit` and a
    `Geometry`. The same seed gives the same games with any number of jobs, unless time is limited.
    Raises `InvalidMatch`, `InvalidSpec`, `InvalidLimit`, `InvalidStore`, and errors of `start`.

    >>> result = play_match("greedy:win=yes", "random", games=10, seed=1)
    >>> result.wins, result.draws
    ((9, 1), 0)
    """
    options = MatchOptions.of(options, settings)
    plan = match_plan(first, second, options)
    if options.out is not None and not plan.is_portable:
        raise InvalidMatch(
            "only games of agents given by specs, such as my_agent.py:agent, can be stored: an"
            " object or a function cannot be found again by its name"
        )
    begin = time.perf_counter()
    finished: list[Game] = []
    with (
        match_store(plan, options) as store,
        closing(_run(plan, options, store, options.keep_decisions)) as games,
    ):
        for game in in_order(plan, games, store):
            finished.append(game)
            if options.on_progress is not None:
                options.on_progress(game)
    return MatchResult(plan, tuple(finished), time.perf_counter() - begin)


def match_plan(first: AgentLike, second: AgentLike, options: MatchOptions) -> Plan:
    """Return the games of a match. Raises `InvalidMatch` and the errors of an invalid `start`."""
    games = whole_number(options.games, "games", InvalidMatch, low=1, high=MAX_GAMES)
    check_specs((first, second), options.sandbox)
    start, board = options.start, options.geometry
    if isinstance(start, str):
        start = Opening(Position(board), tuple(parse_moves(start, board)))
    plan = Plan(
        (first, second), (games + 1) // 2, options.seed, "gauntlet",
        start=start, limit=options.limit, sandbox=options.sandbox, swap=options.swap,
        max_games=games, adjudicate=options.adjudicate,
    )  # fmt: skip
    if options.openings == "random":
        return replace(plan, opening_plies=options.opening_plies or 0)
    plies = BALANCED_PLIES if options.opening_plies is None else options.opening_plies
    position = plan.opening.position
    return replace(
        plan, openings=make_openings(options.openings, plan.rounds, plies, options.seed, position)
    )


def match_store(plan: Plan, options: MatchOptions) -> AbstractContextManager[Store | None]:
    """Return the opened store of a match, or None without --out."""
    out = options.out
    return nullcontext() if out is None else store_of(plan, out, options.resume, part=options.part)


def play_tournament(
    agents: Sequence[AgentLike], options: TournamentOptions | None = None, **settings: Any
) -> TournamentResult:
    """Play several agents against each other and return the standings.

    Agents are as in `play_match`; `settings` are fields of `TournamentOptions` by name. The same
    seed gives the same games with any executor, unless time is limited. Raises `InvalidMatch`,
    `InvalidSpec`, `InvalidLimit`, `InvalidStore`.

    >>> result = play_tournament(["random", "greedy", "alphabeta:depth=2"], rounds=5, seed=1)
    >>> [agent.label for agent in result.standings.ranking]
    ['alphabeta:depth=2', 'greedy', 'random']
    """
    options = TournamentOptions.of(options, settings)
    plan = tournament_plan(agents, options)
    return TournamentResult(plan, *_standings(plan, options, options.part))


def tournament_plan(agents: Sequence[AgentLike], options: TournamentOptions) -> Plan:
    """Return the games of a tournament.

    With random openings round 1 is on the empty board, except in a resumed file of version 0.2.
    """
    check_specs(agents, options.sandbox)
    start = Position(options.geometry)
    openings = make_openings(
        options.openings, max(1, options.rounds), options.opening_plies, options.seed, start
    )
    out, first = options.out, ""
    if options.resume and out is not None and is_taken(Path(out)):
        with Store.read(out) as store:
            first, *_ = plan_of(store).get("openings") or [first]
    if options.openings == "random" and first == "":
        openings = ((), *openings[1:])
    return Plan(
        tuple(agents), options.rounds, options.seed, options.kind, openings, start, options.limit,
        options.sandbox, adjudicate=options.adjudicate,
    )  # fmt: skip


def run_sprt(
    first: AgentLike, second: AgentLike, options: SprtOptions | None = None, **settings: Any
) -> SequentialResult:
    """Play two agents until it is clear whether the first leads by `elo1` or only by `elo0`.

    Agents are as in `play_match`; `settings` are fields of `SprtOptions` by name. Pairs of games
    count in the order of the plan, so the same seed gives the same verdict with any number of jobs,
    unless time is limited. A test that its games do not decide is "undecided".

    >>> result = run_sprt("greedy:win=yes", "random", elo0=0, elo1=50, seed=2)
    >>> result.verdict.value, result.run.counts.share > 0.8
    ('elo1', True)
    """
    options = SprtOptions.of(options, settings)
    plan, test = sprt_plan(first, second, options), options.test
    begin = time.perf_counter()
    with store_of(plan, options.out, options.resume, of_test=True) as store:
        sequential_run = resume_test(plan, test, store)
        resumed = len(store)
        if sequential_run.verdict is SprtVerdict.UNDECIDED:
            with closing(_run(plan, options, store)) as games:
                for done, game in enumerate(games, resumed + 1):
                    verdict = sequential_run.add_game(game.number, game.points(0))
                    if options.on_progress is not None:
                        options.on_progress(done, sequential_run)
                    if verdict is not SprtVerdict.UNDECIDED:
                        break
        standings = Standings.of_store(store)
    return SequentialResult(plan, test, standings, time.perf_counter() - begin)


def sprt_plan(first: AgentLike, second: AgentLike, options: SprtOptions) -> Plan:
    """Return the games of a test, in the order in which they count."""
    most = whole_number(options.max_games, "max_games", InvalidMatch)
    if most < 2 or most % 2:
        raise InvalidMatch(f"max_games must be an even number of 2 or more, got {most}")
    check_specs((first, second), options.sandbox)
    start = Position(options.geometry)
    openings = make_openings(
        options.openings, most // 2, options.opening_plies, options.seed, start
    )
    return Plan(
        (first, second), most // 2, options.seed, openings=openings, start=start,
        limit=options.limit, sandbox=options.sandbox, adjudicate=options.adjudicate,
    )  # fmt: skip


def resume_test(plan: Plan, test: SequentialTest, store: Store) -> SequentialRun:
    """Return a test that has counted the games of a store; store its hypotheses on the first run.

    Raises `InvalidStore` for games of another test: hypotheses chosen later have other risks.
    """
    before, now = store.meta.get("test"), test.as_dict()
    if before is None:
        if len(store):
            raise InvalidStore(f"{store.path} holds games of a tournament, not of a test")
        store.set_meta("test", now)
    elif before != now:
        differ = next(name for name in now if before.get(name) != now[name])
        raise InvalidStore(
            f"{store.path} holds games of another test: its {differ} is {before.get(differ)},"
            f" got {now[differ]}"
        )
    return SequentialResult(plan, test, Standings.of_store(store), 0.0).run


def place_on_ladder(
    agent: AgentLike, options: LadderOptions | None = None, **settings: Any
) -> Placement:
    """Play an agent against the reference pool and return its place on the ladder.

    An agent is as in `play_match`; `settings` are fields of `LadderOptions` by name. It plays
    `rounds` pairs of games, at most 16, against each agent of the pool; `limit` is its own.

    >>> placement = place_on_ladder("greedy:win=yes", rounds=1)
    >>> 8 <= placement.place <= 12, len(placement.meetings)
    (True, 12)
    """
    options = LadderOptions.of(options, settings)
    plan = placement_plan(agent, options)
    return Placement(plan, *_standings(plan, options))


def placement_plan(agent: AgentLike, options: LadderOptions) -> Plan:
    """Return the games that place an agent: a gauntlet of pairs against the pool."""
    if name_of(agent) in reference_pool.AGENTS:
        raise InvalidMatch(f"{agent} is an agent of the pool and already on the ladder")
    return Plan(
        (agent, *reference_pool.AGENTS),
        reference_pool.rounds_within(options.rounds),
        reference_pool.SEED,
        "gauntlet",
        reference_pool.pool_openings(),
        limit=options.limit,
        sandbox=options.sandbox,
        adjudicate=options.adjudicate,
        unlimited=tuple(range(1, len(reference_pool.AGENTS) + 1)),
    )


def _standings(
    plan: Plan, options: TournamentOptions | LadderOptions, part: str | None = None
) -> tuple[Standings, float]:
    """Play the games of a plan; return their standings, and the seconds it took."""
    begin = time.perf_counter()
    with store_of(plan, options.out, options.resume, part=part) as store:
        resumed = len(store)
        with closing(_run(plan, options, store)) as games:
            for done, _ in enumerate(games, resumed + 1):
                if options.on_progress is not None:
                    options.on_progress(done)
        return Standings.of_store(store), time.perf_counter() - begin


def _run(
    plan: Plan, options: RunOptions, store: Store | None, keep_decisions: bool = False
) -> Generator[Game, None, None]:
    try:
        players = options.workers(1, options.on_message)
    except PoolError as error:
        raise InvalidMatch(str(error)) from None
    on_row = options.on_row
    return run(plan, players, store, options.on_message, keep_decisions, on_row=on_row)


#: Fields of a tournament file: its options, the agents, and the page to write.
FIELDS: dict[str, CommandOption] = {
    "agents": CommandOption(list, "agents"),
    **{name: each for name, (_, each) in options_of(TournamentOptions).items() if name != "resume"},
    "report": CommandOption(Path, "report"),
}


def read_settings(path: str | Path) -> dict[str, Any]:
    """Return the options in the file of a tournament: see `experiment_file.read_experiment`."""
    return read_experiment(path, "tournament", FIELDS)


def read_plan(path: str | Path) -> Plan:
    """Return the tournament of a file; the caller decides how to play it (`jobs`, `out`).

    Raises `InvalidExperiment`, and the errors of an invalid plan.
    """
    found = read_settings(path)
    if "agents" not in found:
        raise InvalidExperiment(f"{path} must name agents")
    found.pop("report", None)
    return tournament_plan(found.pop("agents"), TournamentOptions(**found))
