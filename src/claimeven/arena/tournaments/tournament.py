"""Many agents against each other: what is played, and playing it into a store.

What to play is a pure function of the plan, apart from playing it: every game has a number, and a
**job id** that names it in the store. A run plays the games the store does not hold, so a run that
was ended, however it was, is taken up by running the same plan again.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.agents.base import Limit
from claimeven.agents.external.registry import split_foreign
from claimeven.agents.fingerprint import digest_of_files
from claimeven.agents.process.sandbox import Isolation
from claimeven.agents.registry import AGENTS, Contestant
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.executors import Work, local, play_work
from claimeven.arena.games.match import PlayedGame
from claimeven.arena.games.provenance import PlanOfAgents
from claimeven.arena.games.schedule import Opening, Pairing, generators_of
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.models import StoredAgent, StoredGame
from claimeven.arena.store.runs import ChangeWatch, check_runs, first_run
from claimeven.arena.store.store import Store, holds_no_game
from claimeven.arena.store.writer import HeldRows, RowToBe, as_row
from claimeven.arena.tournaments.resume import check_plan, rounds_begun
from claimeven.arena.tournaments.standings import Standings
from claimeven.atomic_io import scratch_folder
from claimeven.game.geometry import Geometry
from claimeven.game.notation import format_moves, parse_moves
from claimeven.game.position import Position
from claimeven.game.validation import whole_number
from claimeven.markup import shown_by
from claimeven.parallel.jobs import Executor

KINDS = ("round-robin", "gauntlet")
#: Rounds of a tournament: more than anybody waits for.
MOST_ROUNDS = 10_000_000


@dataclass(frozen=True)
class TournamentPlan(PlanOfAgents):
    """Everything that decides a tournament.

    In a round of a round robin any two agents play a pair of games, the same opening with the
    seats swapped; in a gauntlet the first agent plays each of the others. `openings` (0-based
    columns from `start`) are taken in turn, one a round. `limit` holds for the moves of all agents
    but those at the places of `unlimited`. Without `swap` the agent that comes first in the plan
    makes the first move of both games of a pair. Raises `InvalidMatch` for fewer than two agents,
    the same agent twice, no rounds, or openings that leave no game.
    """

    agents: tuple[Contestant, ...]
    rounds: int = 1
    seed: int = 0
    kind: str = KINDS[0]
    openings: tuple[tuple[int, ...], ...] = ((),)
    start: Position = field(default_factory=Position)
    limit: Limit = field(default_factory=Limit)
    isolation: Isolation = field(default_factory=Isolation)
    unlimited: tuple[int, ...] = ()
    swap: bool = True

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise InvalidMatch(f"a tournament has 2 agents or more, not {len(self.agents)}")
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice:
            raise InvalidMatch(f"{twice[0]} takes part twice: name each agent once")
        for name in ("rounds", "seed"):
            object.__setattr__(self, name, whole_number(getattr(self, name), name, InvalidMatch))
        if not 1 <= self.rounds <= MOST_ROUNDS:
            few = self.rounds < 1
            most = "1 round or more" if few else f"at most {MOST_ROUNDS:,} rounds"
            raise InvalidMatch(f"a tournament has {most}, not {self.rounds}")
        if self.seed < 0:
            raise InvalidMatch(f"a seed is 0 or more, not {self.seed}")
        if self.kind not in KINDS:
            raise InvalidMatch(f"there is no kind {self.kind!r}: choose from {', '.join(KINDS)}")
        if not self.openings:
            raise InvalidMatch("a tournament needs an opening, if only the empty one")
        for opening in self.openings:
            position = Opening(self.start, opening).position
            if position.is_over:
                raise InvalidMatch(
                    f"the game is over after {format_moves(opening, self.geometry)}:"
                    f" {position.outcome}"
                )

    @property
    def geometry(self) -> Geometry:
        """The board."""
        return self.start.geometry

    def limit_of(self, agent: int) -> Limit:
        """Return the limit of an agent's moves."""
        return Limit() if agent in self.unlimited else self.limit

    @property
    def schedule(self) -> TournamentPlan:
        """The plan is its own schedule."""
        return self

    @cached_property
    def twos(self) -> tuple[tuple[int, int], ...]:
        """The agents that meet in a round, by their places."""
        count = len(self.agents)
        if self.kind == "gauntlet":
            return tuple((0, other) for other in range(1, count))
        return tuple((one, other) for one in range(count) for other in range(one + 1, count))

    @property
    def games(self) -> int:
        """Number of games: a pair for any two that meet, each round."""
        return 2 * len(self.twos) * self.rounds

    @cached_property
    def _begun(self) -> tuple[Opening, ...]:
        return tuple(Opening(self.start, columns) for columns in self.openings)

    def pairing(self, number: int) -> Pairing:
        """Return the game of a number. Rounds follow each other, a pair's games too."""
        pair, half = divmod(number, 2)
        of_round, two = divmod(pair, len(self.twos))
        one, other = self.twos[two]
        opening = self._begun[of_round % len(self._begun)]
        # Who comes first in the plan makes the first move of the even games.
        if (self.start.ply + len(opening.columns) + half * self.swap) % 2:
            one, other = other, one
        return Pairing(number, one, other, opening)

    def generators(self, number: int) -> tuple[np.random.Generator, np.random.Generator]:
        """Return the random generators of a game's agents, in the order of the plan."""
        return generators_of(self.seed, number)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as plain data: what is stored, and what a run is taken up by."""
        geometry, limit, isolation = self.geometry, self.limit, self.isolation
        return {
            "agents": list(self.stored_names),
            "rounds": self.rounds,
            "seed": self.seed,
            "kind": self.kind,
            "openings": [format_moves(opening, geometry) for opening in self.openings],
            "start": [self.start.mine, self.start.mask],
            **geometry.as_dict(),
            "limit": {name: value for name, value in vars(limit).items() if value is not None},
            "unlimited": list(self.unlimited),
            "isolate": isolation.everyone,
            "memory_mb": isolation.memory_mb,
            **({} if self.swap else {"swap": False}),
        }

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> TournamentPlan:
        """Return the plan of `as_dict`."""
        geometry = Geometry(told["columns"], told["rows"], told["connect"])
        return cls(
            agents=tuple(told["agents"]),
            rounds=told["rounds"],
            seed=told["seed"],
            kind=told["kind"],
            openings=tuple(tuple(parse_moves(o, geometry)) for o in told["openings"]),
            start=Position(geometry, *told["start"]),
            limit=Limit(**told["limit"]),
            isolation=Isolation(told.get("isolate", False), told.get("memory_mb")),
            unlimited=tuple(told["unlimited"]),
            swap=told.get("swap", True),
        )

    def job(self, number: int) -> str:
        """Return the id of a game: the same for the same game, whatever the number of rounds."""
        opening = self.pairing(number).opening.moves
        return _digest(f"{self._identity} {opening} {number}".encode())

    @cached_property
    def _identity(self) -> str:
        told = self.as_dict()
        for name in ("rounds", "openings", "isolate"):  # games stay the same with others
            del told[name]
        return json.dumps(told, sort_keys=True)


@dataclass(frozen=True)
class TournamentResult:
    """What a tournament came to: its standings are derived from the games stored."""

    plan: TournamentPlan
    standings: Standings
    seconds: float

    _repr_html_ = shown_by("claimeven.arena.results", "standings")

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data for JSON."""
        openings = (game.opening for game in self.standings.games)
        return {
            **self.standings.as_dict(),
            **self.plan.setting(self.plan.geometry, openings),
            "games_planned": self.plan.games,
            "rounds": self.plan.rounds,
            "seed": self.plan.seed,
            "kind": self.plan.kind,
            "seconds": self.seconds,
        }


def run_tournament(
    plan: TournamentPlan,
    store: Store,
    jobs: int = 1,
    tell: Callable[[str], object] | None = None,
    watch: Callable[[int], object] | None = None,
    enough: Callable[[StoredGame], bool] | None = None,
    executor: Executor | None = None,
) -> TournamentResult:
    """Play the games of a plan that a store does not hold yet, and store each as it ends.

    They are played by `jobs` processes of this machine, or by an `executor` if one is given.
    `tell` gets sentences for the user, `watch` the number of games stored by now. `enough` is
    asked after each game, in the order they end, whether the run may end before its plan does.
    Every game that was finished is stored when the run ends, by Ctrl-C or an error too; a kill may
    lose those that ended within a tenth of a second of one that was stored.
    """
    begin = time.perf_counter()
    there = {game.number for game in store.games()}
    numbers = [number for number in range(plan.games) if number not in there]
    executor = executor or local(jobs)
    held = HeldRows(store, plan.games - len(numbers), watch, plan.games)
    changes = ChangeWatch(store, plan.provenance, tell)
    work = Work(plan, True, record=_row_to_be)
    results = play_work(work, numbers, executor, tell)
    with closing(held), closing(results):
        for _, row in results:
            is_enough = enough is not None and enough(StoredGame.of_row(as_row(row)))
            held.add(row)
            changes.look()
            if is_enough:
                break
    store.check_place()
    changes.look(at_end=True)
    standings = Standings.of_store(store)
    return TournamentResult(plan, standings, time.perf_counter() - begin)


def open_store(
    path: str | Path, plan: TournamentPlan, resume: bool | str, of_test: bool = False
) -> Store:
    """Return a store for a plan: a new file, or with `resume` one that holds games of it already.

    More rounds than before are added to those that were played; a file without games is begun anew.
    Raises `InvalidStore` for a file of another plan, or of a sequential test unless the plan is
    `of_test`. Unless `resume` is "changed" it raises it also if claimeven, or a file behind an
    agent, has changed since, or if the file of games does not say.
    """
    now, agents, path = plan.look_at_files(), stored_agents(plan), Path(path)
    there = path.exists() and path.stat().st_size > 0
    if not (resume and there) or holds_no_game(path):
        meta = {"plan": plan.as_dict(), "begun": time.time(), **first_run(now)}
        return Store.create(path, meta, agents)
    store = Store.extend(path)
    try:
        begun = rounds_begun(store, 2 * len(plan.twos))
        before = check_plan(store, plan.as_dict(), begun, agents)
        check_runs(store, now, plan.stored_names, resume)
        if not of_test and "test" in store.meta:
            raise InvalidStore(f"{path} holds the games of a test: go on with claimeven sprt")
        deque(store.games(), 0)
        store.drop_damaged()
        longer = {**before, "rounds": begun} if begun > plan.rounds else plan.as_dict()
        store.set_meta("plan", longer)
    except BaseException:
        store.close()
        raise
    return store


@contextmanager
def store_of(
    plan: TournamentPlan,
    path: str | Path | None = None,
    resume: bool | str = False,
    of_test: bool = False,
) -> Iterator[Store]:
    """Yield a store as `open_store` does; without a path one that is gone at the end."""
    with ExitStack() as stack:
        if path is None:
            path = stack.enter_context(scratch_folder()) / "games.db"
        yield stack.enter_context(open_store(path, plan, resume, of_test))


def stored_agents(plan: TournamentPlan) -> tuple[StoredAgent, ...]:
    """Return the agents of a plan as a store keeps them: brief labels, and digests of files."""
    labels, specs = brief_labels(plan.stored_names), plan.provenance.specs
    return tuple(
        StoredAgent(place, labels[place], name, digest_of_files(specs[place] or ""))
        for place, name in enumerate(plan.stored_names)
    )


def brief_labels(names: Sequence[str]) -> tuple[str, ...]:
    """Return short names that still differ: `bots/ann.py:agent` is `ann`, if nobody else is.

    >>> brief_labels(["bots/ann.py", "alphabeta:depth=4,eval=windows", "alphabeta:depth=2"])
    ('ann', 'alphabeta:depth=4,eval=windows', 'alphabeta:depth=2')
    """
    brief = []
    for name in names:
        foreign = split_foreign(name)
        if foreign is not None:
            brief.append(foreign[0].short_name(foreign[1]))
            continue
        place = name.rpartition(":")[0] if not name.endswith(".py") else name
        is_file = place.endswith(".py") and name.partition(":")[0] not in AGENTS
        brief.append(Path(place).stem if is_file else name)
    return tuple(
        label if brief.count(label) == 1 else name for label, name in zip(brief, names, strict=True)
    )


def _row_to_be(plan: TournamentPlan, played: PlayedGame) -> RowToBe:
    return RowToBe(plan.job, played)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=12).hexdigest()
