"""Agents measured on a set of scored positions: their answers counted (`examining` asks them)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

from claimeven.agents.base import Limit
from claimeven.agents.registry import Contestant
from claimeven.arena.accuracy.answers import Questions
from claimeven.arena.accuracy.comparing import Comparison, compare_moves
from claimeven.arena.accuracy.metrics import Accuracy, Blunder, Tally
from claimeven.arena.accuracy.query_agents import Answer, Examiner, SetPlan
from claimeven.arena.accuracy.stored_games import ranked, worst_of
from claimeven.arena.errors import InvalidMatch
from claimeven.arena.executors.local_workers import LocalWorkers
from claimeven.dataset.scored_sets import ScoredSet, usable_set, usual_tactics
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.markup import shown_by
from claimeven.processes import AVAILABLE
from claimeven.review.analysis import JudgedMove

#: Questions that are worth a process.
_WORTH = 8
#: Faults of an agent after which it is asked no more.
MOST_FAULTS = 20


@dataclass
class AgentAccuracy:
    """How well one agent plays a set: its accuracy, that of each band, faults, time.

    `answered` counts positions with an answer, `failed` holds kind and reason of each time that
    there was none, which `faults` and `reasons` count; `seconds` is the sum over the answers.
    `stopped` says that it was asked no more after `MOST_FAULTS` faults. `answers` are those that
    count, faults among them.
    """

    agent: str
    accuracy: Accuracy = field(default_factory=Accuracy)
    by_band: dict[str, Tally] = field(default_factory=dict)
    answered: int = 0
    seconds: float = 0.0
    failed: list[tuple[str, str]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list, repr=False)

    _repr_html_ = shown_by("claimeven.arena.results_html", "agent_accuracy_html")

    @property
    def faults(self) -> Counter[str]:
        """How often it gave no answer, by kind."""
        return Counter(kind for kind, _ in self.failed)

    @property
    def reasons(self) -> Counter[str]:
        """How often it gave no answer, by reason."""
        return Counter(reason for _, reason in self.failed)

    @property
    def stopped(self) -> bool:
        """Whether it was asked no more."""
        return len(self.failed) >= MOST_FAULTS

    @property
    def asked(self) -> int:
        """How often it was asked."""
        return self.answered + len(self.failed)

    @property
    def seconds_a_move(self) -> float | None:
        """Mean time of an answer; None without one."""
        return self.seconds / self.answered if self.answered else None

    def add(self, answer: Answer, plan: SetPlan) -> None:
        """Count an answer in."""
        self.answers.append(answer)
        move = plan.judged(answer)
        if move is None:
            self.failed.append((answer.fault, answer.reason))
            return
        self.answered += 1
        self.seconds += answer.seconds
        if plan.is_tactical(answer.position):
            self.accuracy.add_tactics(move)
            return
        asked = plan.asked[answer.position]
        self.accuracy.add(move, asked.moves)
        self.by_band.setdefault(asked.band, Tally()).add(move)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        return {
            "label": self.agent,
            **self.accuracy.as_dict(),
            "by_band": [{"band": band, **tally.as_dict()} for band, tally in self.by_band.items()],
            "answered": self.answered,
            "seconds_a_move": self.seconds_a_move,
            "faults": dict(self.faults),
            "fault_reasons": dict(self.reasons),
        }


@dataclass(frozen=True)
class SetAccuracy:
    """How well some agents play a set of positions; `asked` of the plan's questions were asked."""

    plan: SetPlan
    by_agent: dict[str, AgentAccuracy]
    asked: int
    seconds: float

    _repr_html_ = shown_by("claimeven.arena.results_html", "set_accuracy_html")

    def __getitem__(self, name: str) -> AgentAccuracy:
        return self.by_agent[name]

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names of the agents, the most accurate first."""
        return ranked({name: found.accuracy for name, found in self.by_agent.items()})

    def worst(self, most: int) -> list[Blunder]:
        """Return the worst moves of all agents, worst first."""
        return worst_of((found.accuracy for found in self.by_agent.values()), most)

    def comparisons(self) -> list[Comparison]:
        """Return each two agents compared on the positions that both answered, best first."""
        moves: dict[str, dict[int, JudgedMove]] = {name: {} for name in self.ranking}
        tactical: dict[str, dict[int, JudgedMove]] = {name: {} for name in self.ranking}
        for name in self.ranking:
            for answer in self[name].answers:
                move = self.plan.judged(answer)
                if move is not None:
                    of = tactical if self.plan.is_tactical(answer.position) else moves
                    of[name][answer.position] = move
        return compare_moves(moves, tactical)

    def answer_rows(self) -> Iterator[dict[str, object]]:
        """Yield each answer as plain data, agent by agent in the order of the positions.

        Columns count from 1; of a fault there are `fault` and `reason` and no column.
        """
        for name in self.plan.names:
            for answer in sorted(self[name].answers, key=attrgetter("position")):
                yield self.plan.row_of(answer)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        positions, geometry, tactics = self.plan.positions, self.plan.geometry, self.plan.tactics
        return {
            **geometry.as_dict(),
            "set": positions.name,
            "digest": positions.digest,
            "positions": len(positions.positions),
            "tactics": None
            if tactics is None
            else {
                "set": tactics.name,
                "digest": tactics.digest,
                "positions": len(tactics.positions),
            },
            "seed": self.plan.seed,
            "limit": {name: n for name, n in vars(self.plan.limit).items() if n is not None},
            "seconds": self.seconds,
            "agents": [self.by_agent[name].as_dict() for name in self.ranking],
            "comparisons": [each.as_dict() for each in self.comparisons()],
        }


def measure_accuracy(
    agent: Contestant,
    positions: ScoredSet | str | Path | None = None,
    *,
    count: int | None = None,
    limit: Limit | None = None,
    seed: int = 0,
    jobs: int = 1,
    geometry: Geometry = STANDARD,
) -> AgentAccuracy:
    """Ask an agent for a column of every position of a set; return how good its answers are.

    `positions` is a set or a file of one, by default the usual set that comes with the package for
    the board of `geometry` (`shipped_set` gives the others); `count` takes fewer of them, evenly.
    With the usual set it is also asked in at most as many positions with a win to take or to block
    (`accuracy.wins` and `accuracy.blocks`).
    `limit` holds for each answer. An agent given by its spec is asked by `jobs` processes; the
    answers are the same.

    Raises `InvalidPositions` for a set that cannot be used, `InvalidSpec` and `InvalidLimit` for
    an agent that cannot, `InvalidMatch` for a seed or jobs that cannot be.

    >>> measure_accuracy("greedy", count=300).accuracy.decisive.moves
    196
    """
    compared = compare_accuracy(
        (agent,), positions, count=count, limit=limit, seed=seed, jobs=jobs, geometry=geometry
    )
    return compared[compared.plan.names[0]]


def compare_accuracy(
    agents: Sequence[Contestant],
    positions: ScoredSet | str | Path | None = None,
    *,
    count: int | None = None,
    limit: Limit | None = None,
    seed: int = 0,
    jobs: int = 1,
    geometry: Geometry = STANDARD,
) -> SetAccuracy:
    """Ask several agents in the same positions, as `measure_accuracy` does one.

    `comparisons` of the result says which differences are more than chance.

    >>> wins = compare_accuracy(["greedy", "random"], count=40).comparisons()[2]
    >>> wins.measure, wins.positions, wins.only_first, wins.only_second, wins.is_clear
    ('wins', 20, 19, 0, True)
    """
    tactics = usual_tactics(geometry, count) if positions is None else None
    chosen = usable_set(positions, geometry, count)
    return measure(SetPlan(tuple(agents), chosen, seed, limit or Limit(), tactics=tactics), jobs)


def measure(
    plan: SetPlan, jobs: int = 1, watch: Callable[[int], object] | None = None
) -> SetAccuracy:
    """Ask the agents of a plan; `watch` is told how many questions have been asked."""
    whole: SetAccuracy | None = None
    for whole in measured(plan, jobs):
        if watch is not None:
            watch(whole.asked)
    assert whole is not None
    return whole


def measured(plan: SetPlan, jobs: int = 1) -> Generator[SetAccuracy, None, None]:
    """Ask the agents of a plan and yield what has come of it by then, after each answer.

    Ending it early, as Ctrl-C does, leaves what was yielded last. Raises `InvalidMatch` for less
    than one job, or for several where an agent is an object or a function of this process.
    """
    begin = time.perf_counter()
    found = {name: AgentAccuracy(name, Accuracy(agent=name)) for name in plan.names}
    given: dict[str, list[Answer]] = {name: [] for name in plan.names}
    asked = 0
    yield SetAccuracy(plan, found, asked, 0.0)
    with closing(_answers(plan, jobs, found)) as answers:
        for answer in answers:
            name = plan.names[answer.agent]
            given[name].append(answer)
            asked -= found[name].asked
            if found[name].stopped:
                found[name] = _up_to_the_last_fault(given[name], plan)
            else:
                found[name].add(answer, plan)
            asked += found[name].asked
            yield SetAccuracy(plan, found, asked, time.perf_counter() - begin)
    found.update({n: _up_to_the_last_fault(each, plan) for n, each in given.items() if each})
    yield SetAccuracy(plan, found, asked, time.perf_counter() - begin)


def _answers(
    plan: SetPlan, jobs: int, found: Mapping[str, AgentAccuracy]
) -> Generator[Answer, None, None]:
    if jobs < 1:
        raise InvalidMatch(f"at least 1 job is needed, not {jobs}")
    if jobs > 1 and not all(isinstance(agent, str) for agent in plan.agents):
        raise InvalidMatch("agents that are objects or functions take 1 job: give their specs")
    size = len(plan.asked)

    def goes_on(question: int) -> bool:
        return not found[plan.names[question // size]].stopped

    with Examiner(plan) as examiner:  # made in any case: a bad spec is told at once
        if jobs == 1 or examiner.is_alone or not AVAILABLE:
            for question in filter(goes_on, range(plan.questions)):
                yield examiner.ask(question)
            return
    players = LocalWorkers(min(jobs, -(-plan.questions // _WORTH)), goes_on=goes_on)
    for _, answer in players.play(Questions(plan), range(plan.questions)):
        yield answer


def _up_to_the_last_fault(answers: Sequence[Answer], plan: SetPlan) -> AgentAccuracy:
    """Return what comes of the answers of an agent up to the fault after which it is asked no more.

    Several processes ask a few questions more, and answer in any order; what counts, and how it is
    told, is the same with any number.
    """
    name = plan.names[answers[0].agent]
    found = AgentAccuracy(name, Accuracy(agent=name))
    for answer in sorted(answers, key=attrgetter("position")):
        if not found.stopped:
            found.add(answer, plan)
    return found
