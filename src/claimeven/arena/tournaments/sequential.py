"""A match of two agents that ends as soon as a sequential test is decided.

Pairs of games are played in the order of a schedule, each from an opening of its own as far as
there are so many. They count in that order, whoever plays them and however long each takes, so the
verdict is a function of the seed. It is derived from the games alone: a file of them that is taken
up again leads to the same one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from claimeven.agents.base import Limit
from claimeven.agents.process.sandbox import Isolation
from claimeven.agents.registry import Contestant
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.games.openings import make_openings
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.models import StoredGame
from claimeven.arena.store.store import Store
from claimeven.arena.tournaments.standings import Standings
from claimeven.arena.tournaments.tournament import TournamentPlan, run_tournament, store_of
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.markup import shown_by
from claimeven.parallel.jobs import Executor
from claimeven.ratings.sprt import SequentialRun, SequentialTest, Verdict

#: Most games of a test, and the plies of its openings, where nothing else is said. There are some
#: 500 openings of 4 plies, and more than 50,000 of 8.
MOST_GAMES = 10_000
PLIES = 8


@dataclass(frozen=True)
class SequentialResult:
    """What a sequential test came to; everything follows from the games.

    >>> result = run_sprt("greedy", "random", elo0=0, elo1=100, seed=1)
    >>> result.verdict.value, result.run.counts.pairs
    ('elo1', 11)
    """

    plan: TournamentPlan
    test: SequentialTest
    standings: Standings
    seconds: float

    _repr_html_ = shown_by("claimeven.arena.results", "sequential")

    @cached_property
    def run(self) -> SequentialRun:
        """The test, with the pairs counted that decide it, or all there are."""
        run = SequentialRun(self.test)
        for game in self.standings.games:
            if game.number < self.plan.games:
                run.add_game(game.number, game.points(0))
        return run

    @cached_property
    def counted(self) -> Standings:
        """The games of the pairs that count: a run may have played some more by then."""
        number = 2 * self.run.counts.pairs
        games = (game for game in self.standings.games if game.number < number)
        return Standings.of(self.standings.agents, games, self.standings.start_ply)

    @property
    def verdict(self) -> Verdict:
        """Which hypothesis is accepted, if any."""
        return self.run.verdict

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data for JSON; counts are those of the first agent."""
        counted = self.counted
        return {
            "agents": list(self.plan.names),
            **self.plan.setting(self.plan.geometry, (game.opening for game in counted.games)),
            "test": self.test.as_dict(),
            "verdict": self.verdict.value,
            "log_likelihood_ratio": self.run.ratio,
            **self.run.counts.as_dict(),
            "games": len(counted.games),
            "games_played": len(self.standings.games),
            "most_games": self.plan.games,
            "unique_games": counted.unique_games,
            "different_openings": len(set(self.plan.openings)),
            "forfeits_by_agent": [
                dict(counted.records[agent].forfeits) for agent in range(len(self.plan.agents))
            ],
            "seed": self.plan.seed,
            "remarks": list(self.standings.remarks),
            "seconds": self.seconds,
        }


def sequential_plan(
    first: Contestant,
    second: Contestant,
    *,
    most_games: int = MOST_GAMES,
    seed: int = 0,
    openings: str | Path = "random",
    opening_plies: int = PLIES,
    start: Position | None = None,
    limit: Limit | None = None,
    isolation: Isolation | None = None,
) -> TournamentPlan:
    """Return the games of a test, in the order in which they count; `most_games` is even."""
    if most_games < 2 or most_games % 2:
        raise InvalidMatch(
            f"a test plays pairs of games: an even number of 2 or more, not {most_games}"
        )
    start = Position() if start is None else start
    rounds = most_games // 2
    made = make_openings(openings, rounds, opening_plies, seed, start)
    return TournamentPlan(
        (first, second),
        rounds,
        seed,
        openings=made,
        start=start,
        limit=limit or Limit(),
        isolation=isolation or Isolation(),
    )


def play_sprt(
    plan: TournamentPlan,
    test: SequentialTest,
    store: Store,
    jobs: int = 1,
    tell: Callable[[str], object] | None = None,
    watch: Callable[[int, SequentialRun], object] | None = None,
    executor: Executor | None = None,
) -> SequentialResult:
    """Play pairs until a test is decided, or the plan has no more; store each game as it ends.

    What the store holds already counts. `jobs` processes of this machine play, or an `executor` if
    one is given. `watch` gets the number of games stored and the test as
    it stands; `tell` sentences for the user. Raises `InvalidStore` for games of another test.
    """
    begin = time.perf_counter()
    keep_test(store, test)
    run = sequential_result(plan, test, store, 0).run

    def add(game: StoredGame) -> bool:
        return run.add_game(game.number, game.points(0)) is not Verdict.UNDECIDED

    if run.verdict is Verdict.UNDECIDED:
        run_tournament(
            plan,
            store,
            jobs,
            tell,
            watch=None if watch is None else lambda done: watch(done, run),
            enough=add,
            executor=executor,
        )
    return sequential_result(plan, test, store, time.perf_counter() - begin)


def sequential_result(
    plan: TournamentPlan, test: SequentialTest, store: Store, seconds: float
) -> SequentialResult:
    """Return what the games of a store say by now."""
    return SequentialResult(plan, test, Standings.of_store(store), seconds)


def keep_test(store: Store, test: SequentialTest) -> None:
    """Store the test beside its games; another one may not be made of the same games.

    Hypotheses chosen after the games were seen have other risks than those they claim.
    """
    before, now = store.meta.get("test"), test.as_dict()
    if before is None:
        if len(store):
            raise InvalidStore(f"{store.path} holds games of a tournament, not of a test")
        store.set_meta("test", now)
    elif before != now:
        differ = next(name for name in now if before.get(name) != now[name])
        raise InvalidStore(
            f"{store.path} was begun with another test: {differ} {before.get(differ)},"
            f" not {now[differ]}"
        )


def run_sprt(
    first: Contestant,
    second: Contestant,
    *,
    elo0: float = 0,
    elo1: float = 20,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: str = "normalized",
    most_games: int = MOST_GAMES,
    seed: int = 0,
    openings: str | Path = "random",
    opening_plies: int = PLIES,
    limit: Limit | None = None,
    isolate: bool = False,
    memory_mb: int | None = None,
    load_seconds: float | None = None,
    geometry: Geometry | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    out: str | Path | None = None,
    resume: bool | str = False,
    tell: Callable[[str], object] | None = None,
    watch: Callable[[int, SequentialRun], object] | None = None,
) -> SequentialResult:
    """Play two agents until it is clear whether the first leads by `elo1` rather than by `elo0`.

    An agent is a spec, an `Agent` or a function, as in `play_match`; `SequentialTest` says what the
    hypotheses, the risks and the model are. At most `most_games` are played; a test that they do
    not decide is "undecided". Games are kept in the file `out`, if one is given, and go on from
    there with `resume`; an `executor` may play them elsewhere. The same seed gives the same verdict
    with any number of jobs, unless time is limited.

    >>> result = run_sprt("greedy:win=yes", "random", elo0=0, elo1=50, seed=2)
    >>> result.verdict.value, result.run.counts.share > 0.8
    ('elo1', True)
    """
    test = SequentialTest(elo0, elo1, alpha, beta, model)
    plan = sequential_plan(
        first,
        second,
        most_games=most_games,
        seed=seed,
        openings=openings,
        opening_plies=opening_plies,
        start=Position(geometry or Geometry()),
        limit=limit,
        isolation=Isolation(isolate, memory_mb, load_seconds=load_seconds),
    )
    with store_of(plan, out, resume, of_test=True) as store:
        return play_sprt(plan, test, store, jobs, tell, watch, executor)
