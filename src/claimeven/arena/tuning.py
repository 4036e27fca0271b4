"""Options of an agent tuned by play: Optuna proposes values, pairs of games score them.

All tries play the same openings with the same random numbers, so that chance affects them alike. A
try that is clearly worse than the best one stops early. The best few play on. Fresh games measure
the best of these, and the given agent.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from claimeven.agents.function_agent import name_of
from claimeven.agents.options import InvalidSpec
from claimeven.agents.registry import AGENTS, AgentLike
from claimeven.arena.games.game import Game
from claimeven.arena.games.openings import make_openings
from claimeven.arena.games.plan import Plan, setting_of
from claimeven.arena.options import InvalidMatch, TuneOptions
from claimeven.arena.tournaments import reference_pool
from claimeven.arena.tournaments.run import run, store_of
from claimeven.arena.tuning_space import default_space, plain, proposals, with_options
from claimeven.atomic_io import make_folder, scratch_folder
from claimeven.game.position import Position
from claimeven.game.validation import seed_number, whole_number
from claimeven.markup import shown_by
from claimeven.plotting import INK, LINES, Chart
from claimeven.ratings.pentanomial import NORMAL_95, PairCounts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The word for all agents of the reference pool as opponents.
POOL = "pool"
#: Tries that play on after the last one, and their games in comparison with a try.
FINALISTS, MORE = 3, 3
#: Deviations by which a try must be worse than the best one to stop early, and the fewest rounds.
_CLEARLY, _MIN_ROUNDS = 1.645, 4


@dataclass(frozen=True)
class Try:
    """An agent with some values of its options, and its games in the order of the plan.

    A round is a pair of games against each of the `opponents`. `best` is the best score of a
    complete try so far, this one included.
    """

    agent: str
    options: Mapping[str, str]
    games: tuple[Game, ...]
    opponents: int
    stopped: bool = False
    best: float = 0.0

    @property
    def pairs(self) -> PairCounts:
        """The pairs of games, as the agent sees them."""
        points = [game.points(0) for game in self.games]
        return PairCounts.of(map(sum, zip(points[::2], points[1::2], strict=True)))

    @property
    def score(self) -> float:
        """Share of the points."""
        return self.pairs.share

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the score; pairs that are equal move for move count once."""
        played = [(*game.agents, game.all_moves) for game in self.games]
        return self.pairs.interval_of(len(set(zip(played[::2], played[1::2], strict=True))))

    def lead_over(self, other: Try) -> tuple[float, float]:
        """Return the mean lead in score in the rounds of both, and its standard error."""
        common = min(len(self.games), len(other.games))
        one, two = (
            np.array([game.points(0) for game in each.games[:common]]) for each in (self, other)
        )
        leads = (one - two).reshape(-1, 2 * self.opponents).mean(axis=1)
        return float(leads.mean()), float(leads.std(ddof=len(leads) > 1) / math.sqrt(len(leads)))

    def as_dict(self) -> dict[str, Any]:
        """Return the try as plain data for JSON."""
        return {
            "agent": self.agent,
            "options": dict(self.options),
            "games": len(self.games),
            "score": self.score,
            "interval": list(self.interval),
            "stopped": self.stopped,
            "best": self.best,
            "forfeits": sum(game.fault_seat is not None for game in self.games),
        }


@dataclass(frozen=True)
class TuneResult:
    """The tries of a run, and the best options and the given agent in the same fresh games.

    `best` is None before the last try, and `given` also for an agent without a spec. `setting` has
    the board, the limit of the agent, and the origin of the result.
    """

    agent: str
    against: tuple[str, ...]
    space: Mapping[str, str]
    seed: int
    setting: Mapping[str, Any]
    tries: tuple[Try, ...] = ()
    best: Try | None = None
    given: Try | None = None
    seconds: float = 0.0

    _repr_html_ = shown_by("claimeven.arena.results", "tuning")

    @property
    def gain(self) -> tuple[float, float, float] | None:
        """Score of the best options minus score of the given agent, and its 95 % interval."""
        if self.best is None or self.given is None:
            return None
        mean, error = self.best.lead_over(self.given)
        return mean, mean - NORMAL_95 * error, mean + NORMAL_95 * error

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON."""
        return {
            **self.setting,
            **{name: getattr(self, name) for name in ("agent", "space", "seed", "gain", "seconds")},
            "against": list(self.against),
            "tries": [each.as_dict() for each in self.tries],
            "best": self.best and self.best.as_dict(),
            "given": self.given and self.given.as_dict(),
        }


def tune(
    agent: str | Callable[..., AgentLike],
    space: Mapping[str, str] | None = None,
    options: TuneOptions | None = None,
    **settings: Any,
) -> TuneResult:
    """Find values of an agent's options by play, and measure the best ones in fresh games.

    `agent` is a spec, or a function of the options that returns an agent. `space` maps options to
    their values: "0.2..2", "1..9" (whole numbers), "10..1000:log" or "yes,no"; by default all
    options that `default_space` finds. `settings` are fields of `TuneOptions` by name. The same
    seed gives the same result with any executor, unless time is limited. Raises the errors of
    `play_tournament`.

    >>> found = tune("alphabeta", {"depth": "1..3"}, against="alphabeta:depth=2", tries=5,
    ...              games=20, final_games=20, seed=1)
    >>> found.best.agent, len(found.tries)
    ('alphabeta:depth=3', 5)
    """
    options = TuneOptions.of(options, settings)
    begin = time.perf_counter()
    space = default_space(agent) if space is None else dict(space)
    games = _TuneGames(agent, options)
    result = TuneResult(name_of(agent), games.against, space, options.seed, games.setting)
    complete: dict[str, Try] = {}
    with proposals(agent, space, options.seed) as (propose, note), games.opened():
        for number in range(options.tries):
            best = max(complete.values(), key=lambda each: each.score, default=None)
            values = propose()
            try:
                one = games.compare(values, best, f"try {number + 1} of {options.tries}")
            except InvalidSpec as error:  # the agent rejects the values
                if best is None:
                    raise
                note(0.0)
                if options.on_message is not None:
                    options.on_message(f"try {number + 1} does not play: {error}")
                continue
            note(one.score)
            if not one.stopped:
                complete.setdefault(one.agent, one)
            one = replace(one, best=max(each.score for each in complete.values()))
            seconds = time.perf_counter() - begin
            result = replace(result, tries=(*result.tries, one), seconds=seconds)
            if options.on_try is not None:
                options.on_try(result)
        leading = sorted(complete.values(), key=lambda each: -each.score)[:FINALISTS]
        longer = [games.play(each.options, MORE * games.rounds, "best tries") for each in leading]
        winner = max(longer, key=lambda each: each.score).options
        best = games.play(winner, games.fresh_rounds, "fresh games", options.seed + 1)
        given = None
        if isinstance(agent, str):
            given = games.play({}, games.fresh_rounds, "fresh games", options.seed + 1)
    return replace(result, best=best, given=given, seconds=time.perf_counter() - begin)


def curve_chart(result: TuneResult) -> Chart:
    """Return a chart of the scores of the tries, and of the best one so far."""
    numbers = range(1, len(result.tries) + 1)
    scores, best = ([100 * getattr(t, n) for t in result.tries] for n in ("score", "best"))

    def draw(axes: Axes) -> None:
        axes.plot(numbers, scores, color=LINES[0][0], marker="o", linestyle="", label="a try")
        axes.plot(numbers, best, color=INK, drawstyle="steps-post", label="best so far")
        axes.locator_params("x", integer=True)
        axes.set_xlabel("try")
        axes.set_ylabel("score in %")

    return Chart("tune", f"The tries of {result.agent}", draw)


class _TuneGames:
    """The games of the tries, in a store for each agent and seed."""

    def __init__(self, agent: Any, options: TuneOptions) -> None:
        self._agent, self._options = agent, options
        against = options.against
        self.against = (against,) if isinstance(against, str) else tuple(against)
        self._opponents = reference_pool.AGENTS if self.against == (POOL,) else self.against
        self._size = 2 * len(self._opponents)
        seed_number(options.seed)
        for name in ("tries", "games", "final_games"):
            whole_number(getattr(options, name), name, InvalidMatch, low=1)
        self.rounds, self.fresh_rounds = (
            -(-games // self._size) for games in (options.games, options.final_games)
        )
        agents = (agent, *self._opponents)
        self.setting = setting_of(agents, options.geometry, options.limit, options.seed)
        self._executor = options.workers(1, options.on_message)
        self._stores: dict[tuple[str, int], str] = {}
        self._openings = cache(self._drawn)

    def _drawn(self, seed: int) -> tuple[tuple[int, ...], ...]:
        rounds = max(MORE * self.rounds, self.fresh_rounds)
        source, plies = self._options.openings, self._options.opening_plies
        return make_openings(source, rounds, plies, seed, Position(self._options.geometry))

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Keep the workers, and without --out a temporary folder, until the end of the block."""
        with ExitStack() as stack:
            if self._options.out is None:
                self._folder = stack.enter_context(scratch_folder())
            else:
                self._folder = Path(self._options.out)
                make_folder(self._folder)
            if (reused := getattr(self._executor, "reused", None)) is not None:
                self._executor = stack.enter_context(reused())
            yield

    def compare(self, values: Mapping[str, str], best: Try | None, what: str) -> Try:
        """Return a try; it stops after a part of its rounds if the best try is clearly better."""
        for rounds in (self.rounds // 4, self.rounds // 2):
            if best is not None and rounds >= _MIN_ROUNDS:
                one = self.play(values, rounds, what)
                lead, error = one.lead_over(best)
                if lead < -_CLEARLY * error:
                    return replace(one, stopped=True)
        return self.play(values, self.rounds, what)

    def play(
        self, values: Mapping[str, str], rounds: int, what: str, seed: int | None = None
    ) -> Try:
        """Return an agent with its games of some rounds, after the missing ones are played."""
        options = self._options
        seed = options.seed if seed is None else seed
        if isinstance(self._agent, str):
            agent: AgentLike = with_options(self._agent, values)
            name = str(agent)
            if agent in self._opponents:  # a store has each name once
                head, _, rest = name.partition(":")
                agent = f"{head}: {rest}" if head in AGENTS else f"./{name}"
        else:
            name = f"{name_of(self._agent)}({', '.join(f'{n}={v}' for n, v in values.items())})"
            agent = self._agent(**{option: plain(text) for option, text in values.items()})
        openings = self._openings(seed)
        plan = Plan(
            (agent, *self._opponents), rounds, seed, "gauntlet", openings,
            Position(options.geometry), options.limit, options.sandbox,
            tuple(range(1, 1 + len(self._opponents))), adjudicate=options.adjudicate,
        )  # fmt: skip
        # An agent that is proposed again, or plays on, adds to its games.
        known = (name, seed) in self._stores
        file = self._stores.setdefault((name, seed), f"{len(self._stores) + 1:03}.db")
        with store_of(plan, self._folder / file, known or options.resume) as store:
            with closing(run(plan, self._executor, store, options.on_message)) as games:
                for done, _ in enumerate(games, len(store) + 1):
                    if options.on_progress is not None:
                        options.on_progress(what, done, plan.games)
            played = sorted(store.games(), key=lambda game: game.number)
        return Try(name, dict(values), tuple(played[: plan.games]), len(self._opponents))
