"""The one way to play the games of a plan: as work for executors, into the store of a run.

This process plays the games, or others, or a cluster. A run plays the games that its store lacks,
so running the same plan again resumes an interrupted run.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from claimeven.agents.external import split_foreign
from claimeven.agents.fingerprint import digest_of_files, digests_of
from claimeven.agents.options import name_in, split_limit
from claimeven.agents.registry import AGENTS
from claimeven.agents.source_snapshot import store_sources
from claimeven.arena.games.game import Game
from claimeven.arena.games.plan import Plan
from claimeven.arena.games.referee import Referee, RunningGameFile
from claimeven.arena.options import InvalidMatch
from claimeven.arena.store.database import InvalidStore
from claimeven.arena.store.query import game_rows
from claimeven.arena.store.runs import FileChangeMonitor, check_plan, check_runs
from claimeven.arena.store.store import Store, StoredAgent, is_taken, public_agents
from claimeven.atomic_io import scratch_folder
from claimeven.messages import logger, report
from claimeven.parallel.executors import Part
from claimeven.parallel.jobs import Executor, PoolError, Result, RunJobs
from claimeven.parallel.pool import LocalWorkers

#: Seconds after which finished games are stored, if they come faster; games stored in any case.
_TICK, _MAX_WAITING = 0.1, 500


@dataclass(frozen=True)
class PlanWork:
    """The games of a plan as a `Workload`; agents that cannot be loaded may forfeit theirs."""

    plan: Plan
    keep_decisions: bool = False
    forfeit_unloadable: bool = False
    texts: Mapping[str, bytes] = field(default_factory=dict)
    running: RunningGameFile | None = None
    unit = "game"
    worker_timeout = None  # a move may take any time, and its clock is the referee's

    @contextmanager
    def runner(self) -> Iterator[RunJobs]:
        """Make the agents in a worker process, and play."""
        store_sources(self.texts)
        referee = Referee(self.plan, self.keep_decisions, True, self.forfeit_unloadable)
        with closing(referee):
            yield lambda numbers: self.played_by(referee, numbers)

    def played_by(self, referee: Referee, numbers: Iterable[int]) -> Iterator[Result]:
        """Yield the games of these numbers as they end."""
        for number in numbers:
            yield number, referee.play(number, self.running)

    def digests(self) -> dict[str, dict[str, str]]:
        """Return the digests of the agents' files on this machine."""
        return {spec: digests_of(spec) for spec in self.plan.agents if isinstance(spec, str)}


def play_work(
    work: PlanWork,
    numbers: Sequence[int],
    executor: Executor | None = None,
    on_message: Callable[[str], object] | None = None,
) -> Generator[Result, None, None]:
    """Yield some games of a plan as they end, played by an executor; None plays here.

    Agents that need a single process always play here, and `on_message` gets the reason. Raises
    `InvalidMatch`, and `InvalidSpec` and `InvalidLimit` for agents that cannot be made.
    """
    if executor is not None and not work.plan.is_portable:
        raise InvalidMatch(
            "agents that are objects or functions play only in their own process: give 1 job,"
            " or specs such as my_agent.py:agent"
        )
    referee = Referee(work.plan, work.keep_decisions, False, work.forfeit_unloadable)
    with closing(referee):
        reason = None if executor is None else referee.single_process_reason
        if reason is not None:
            report(on_message, reason)
        if executor is None or reason is not None or len(numbers) <= 1:
            yield from work.played_by(referee, numbers)
            return
        work = replace(work, texts=referee.texts)
    try:
        with closing(executor.play(work, numbers)) as results:
            yield from results
    except PoolError as error:
        raise InvalidMatch(str(error)) from None


def run(
    plan: Plan,
    executor: Executor | None = None,
    store: Store | None = None,
    on_message: Callable[[str], object] | None = None,
    keep_decisions: bool = False,
    forfeit_unloadable: bool = False,
    on_row: Callable[[dict[str, Any]], object] | None = None,
) -> Generator[Game, None, None]:
    """Play the games of a plan that a store does not hold; yield each as it ends, and store it.

    An executor plays; None is this process. A caller may close the generator at any time. All its
    games are then stored, also after an error or Ctrl-C; a kill may lose the games of the last
    tenth of a second. `on_message` gets sentences for the user, `on_row` each game as a flat row.
    Games hold the agents' decisions with `keep_decisions`. With `forfeit_unloadable` an agent that
    cannot be loaded forfeits its games; else that raises `InvalidSpec` before the first game.
    """
    there = set() if store is None else {game.number for game in store.games()}
    numbers = [number for number in numbers_of(plan, store) if number not in there]
    if store is None:
        plan.refresh_files()
    work = PlanWork(plan, keep_decisions, forfeit_unloadable=forfeit_unloadable)
    with ExitStack() as stack:
        if store is not None and (executor is None or isinstance(executor, LocalWorkers)):
            labels = {agent.id: agent.label for agent in public_agents(store.agents)}
            running = RunningGameFile(Path(f"{store.path}.running"), labels)
            work = replace(work, running=stack.enter_context(closing(running)))
        results = stack.enter_context(closing(play_work(work, numbers, executor, on_message)))
        if store is None:
            for _, game in results:
                _log(plan, game, on_row)
                yield game
            return
        logger.info("%s: %d of %d games are stored", store.path, len(there), plan.games)
        changes = FileChangeMonitor(store, plan.agent_files, on_message)
        with suppress(GeneratorExit), closing(_StoreBuffer(store, len(numbers))) as waiting:
            for _, game in results:
                waiting.add(game)
                changes.check()
                _log(plan, game, on_row)
                yield game
    store.check_place()
    changes.check(at_end=True)


def _log(plan: Plan, game: Game, on_row: Callable[[dict[str, Any]], object] | None) -> None:
    """Log a finished game, as a warning if it was forfeited, and report its row."""
    if on_row is not None:
        on_row(game_rows([game], dict(enumerate(brief_labels(plan.stored_names))))[0])
    if (lost := game.forfeit) is not None:
        name = plan.names[game.agents[lost.seat]]
        logger.warning("game %d: %s forfeits: %s", game.number + 1, name, lost.reason)


def in_order(
    plan: Plan, games: Generator[Game, None, None], store: Store | None = None
) -> Generator[Game, None, None]:
    """Yield the games of a plan by their numbers: stored games, and the games of a run."""
    waiting = {} if store is None else {game.number: game for game in store.games()}
    with closing(games):
        for number in numbers_of(plan, store):
            while number not in waiting:
                game = next(games)
                waiting[game.number] = game
            yield waiting.pop(number)
        deque(games, 0)


class _StoreBuffer:
    """A buffer of games for the store; the last of `total` is stored immediately."""

    def __init__(self, store: Store, total: int) -> None:
        self._store, self._left = store, total
        self._games: list[Game] = []
        self._stored_at = time.monotonic()

    def add(self, game: Game) -> None:
        """Take a game, and store all that wait when it is time."""
        self._games.append(game)
        count = len(self._games)
        if count >= min(self._left, _MAX_WAITING) or time.monotonic() - self._stored_at > _TICK:
            self.close()

    def close(self) -> None:
        """Store the games that wait."""
        if self._games:
            self._store.add(self._games)
            self._left -= len(self._games)
            self._games, self._stored_at = [], time.monotonic()


def open_store(
    path: str | Path,
    plan: Plan,
    resume: bool | str = False,
    of_test: bool = False,
    part: str | None = None,
) -> Store:
    """Return a store for a plan: a new file, or with `resume` one that holds games of it already.

    More rounds than before are added to those that were played; a file without games starts again.
    With a `part` such as "2/10" it is the file of this part (see `numbers_of`).

    Raises `InvalidStore` for a file of another plan, or of a sequential test unless the plan is
    `of_test`. Also raises it, unless `resume` is "changed", if claimeven or a file behind an agent
    has changed since, or if that is unknown.
    """
    of_part, path = {}, Path(path)
    if part is not None:
        of_part = {"part": {"part": str(taken := Part.of(part)), "games": plan.games}}
        path = taken.path(path)
    plan.refresh_files()
    for name in plan.names:
        if plan.names.count(name) > 1:
            raise InvalidMatch(f"{name} takes part twice: name each agent once")
    agents = stored_agents(plan)
    asked = plan.as_dict()
    about = plan.describe("store", asked["openings"])
    if not (resume and is_taken(path)):
        meta = {"plan": asked, "begun": time.time(), "runs": [{**about, "games": 0}]}
        return Store.create(path, {**meta, **of_part}, agents)
    with ExitStack() as stack:
        store = stack.enter_context(Store.extend(path))
        started = -(-(store.last_number() + 1) // (2 * len(plan.meeting_pairs)))  # rounds
        before = check_plan(store, asked, started, agents)
        check_runs(store, about, plan.agent_files.specs, plan.stored_names, resume)
        if not of_test and "test" in store.meta:
            raise InvalidStore(f"{path} holds the games of a test: resume it with claimeven sprt")
        if part is None and "part" in store.meta:
            raise InvalidStore(f"{path} holds the games of a part: give the same --part")
        for name, value in of_part.items():
            store.set_meta(name, value)
        deque(store.games(), 0)
        store.delete_corrupt()
        store.set_meta("plan", {**before, "rounds": started} if started > plan.rounds else asked)
        stack.pop_all()
    return store


@contextmanager
def store_of(
    plan: Plan,
    path: str | Path | None = None,
    resume: bool | str = False,
    of_test: bool = False,
    part: str | None = None,
) -> Iterator[Store]:
    """Yield `open_store`'s store, or a temporary one."""
    with ExitStack() as stack:
        if path is None:
            path = stack.enter_context(scratch_folder()) / "games.db"
        yield stack.enter_context(open_store(path, plan, resume, of_test, part))


def numbers_of(plan: Plan, store: Store | None) -> list[int]:
    """Return the numbers of the games that a store is for: all, or pairs of a part."""
    part = None if store is None else store.meta.get("part")
    return Part.of(part["part"] if part else "1/1").games(plan.games)


def stored_agents(plan: Plan) -> tuple[StoredAgent, ...]:
    """Return the agents of a plan as a store holds them: short labels, and digests of files."""
    labels, specs = brief_labels(plan.stored_names), plan.agent_files.specs
    return tuple(
        StoredAgent(place, labels[place], name, digest_of_files(specs[place] or ""))
        for place, name in enumerate(plan.stored_names)
    )


def brief_labels(names: Sequence[str]) -> tuple[str, ...]:
    """Return short names that still differ: `bots/ann.py:agent` is `ann`, if no other agent is.

    >>> brief_labels(["bots/ann.py", "bots/bob.py:Bot,depth=3", "alphabeta:depth=2,eval=a.py:f"])
    ('ann', 'bob,depth=3', 'alphabeta:depth=2,eval=a.py:f')
    """
    brief = []
    for name in names:
        spec, limit = split_limit(name)
        external, ending = split_foreign(spec), f"@{limit}" * bool(limit)
        if external is not None:
            brief.append(external[0].short_name(external[1]) + ending)
            continue
        place, is_file, rest = f"{spec}:".partition(".py:")
        _, comma, options = rest.removesuffix(":").partition(",")
        is_brief = is_file and name_in(spec) not in AGENTS
        brief.append(Path(place).name + comma + options + ending if is_brief else name)
    return tuple(
        label if brief.count(label) == 1 else name for label, name in zip(brief, names, strict=True)
    )
