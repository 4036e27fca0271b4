"""Agents asked for a column of every position of a set: the plan, the answers, and their accuracy.

The answer of an agent depends on the seed, the position's number in the set and the agent only, not
on the process or the order: each position is a game by itself, asked with the guard and the limit
of a move of a match.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from pathlib import Path

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Limit
from claimeven.agents.function_agent import name_of
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.registry import AgentLike, make_agents
from claimeven.arena.accuracy.metrics import Accuracy, Blunder, Comparison, Tally, compare_moves
from claimeven.arena.accuracy.stored_games import ranked, worst_of
from claimeven.arena.games.safe_call import begin_game, timed_decision
from claimeven.arena.options import InvalidMatch
from claimeven.dataset.scored_sets import ScoredPosition, ScoredSet, bundled_tactics, load_set
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import seed_number
from claimeven.markup import shown_by
from claimeven.parallel.jobs import RunJobs
from claimeven.parallel.pool import LocalWorkers
from claimeven.review.analysis import JudgedMove

#: The stored fields of an answer.
ANSWER_FIELDS = (
    "agent", "set", "band", "moves", "best", "before", "column", "after", "judgement", "seconds",
    "fault", "reason",
)  # fmt: skip
#: Separates the generators of positions from the generators of games and openings.
_STREAM = 4


@dataclass(frozen=True)
class SetAnswer:
    """The answer of an agent in one position: a 0-based column, or None and the fault.

    `agent` and `position` are numbers, in the plan's `agents` and in its `asked`. `seconds` were
    taken on a clock outside the agent.
    """

    agent: int
    position: int
    column: int | None
    seconds: float = 0.0
    fault: str = ""
    reason: str = ""


@dataclass(frozen=True)
class SetPlan:
    """Everything that decides a measurement: agents, positions with their scores, limit, seed.

    Answers in positions of `tactics`, a set of wins to take and to block, count only as tactics.
    """

    agents: tuple[AgentLike, ...]
    positions: ScoredSet
    seed: int = 0
    limit: Limit = field(default_factory=Limit)
    sandbox: Sandbox = field(default_factory=Sandbox)
    tactics: ScoredSet | None = None

    def __post_init__(self) -> None:
        seed_number(self.seed, InvalidMatch)
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice:
            raise InvalidMatch(f"{twice[0]} takes part twice: name each agent once")

    unit = "question"
    worker_timeout = None

    @contextmanager
    def runner(self) -> Iterator[RunJobs]:
        """Make the agents, and yield what asks them: see `parallel.jobs.Workload`."""
        with self.made() as agents:
            yield lambda numbers: ((number, self.ask(agents, number)) for number in numbers)

    @contextmanager
    def made(self) -> Iterator[list[Agent]]:
        """Make the agents and yield them; those that specs name are closed at the end."""
        agents = make_agents(self.agents, self.geometry, self.limit, self.sandbox)
        try:
            yield agents
        finally:
            for agent, given in zip(agents, self.agents, strict=True):
                if isinstance(given, str):
                    agent.close()

    def ask(self, agents: Sequence[Agent], question: int) -> SetAnswer:
        """Ask the question of a number, 0 to `questions`: agent by agent."""
        place, number = divmod(question, len(self.asked))
        rng = np.random.default_rng([self.seed, _STREAM, number])
        try:
            begin_game(agents[place], rng)
            decision, seconds = timed_decision(
                agents[place], self.asked[number].position, self.limit, rng
            )
        except AgentFault as fault:
            return SetAnswer(place, number, None, 0.0, str(fault.kind), str(fault))
        return SetAnswer(place, number, decision.column, seconds)

    def for_other_machines(self) -> SetPlan:
        """Return the plan itself."""
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the agents: their specs, or the names of objects and functions."""
        return tuple(name_of(agent) for agent in self.agents)

    @property
    def geometry(self) -> Geometry:
        """The board."""
        return self.positions.positions[0].position.geometry

    @cached_property
    def asked(self) -> tuple[ScoredPosition, ...]:
        """The positions of the set, followed by the positions of `tactics`."""
        tactics = () if self.tactics is None else self.tactics.positions
        return self.positions.positions + tactics

    @property
    def questions(self) -> int:
        """Number of questions: each agent is asked in each position."""
        return len(self.agents) * len(self.asked)

    def is_tactical(self, position: int) -> bool:
        """Whether a position of `asked`, by its number, is one of `tactics`."""
        return position >= len(self.positions.positions)

    def judged(self, answer: SetAnswer) -> JudgedMove | None:
        """Return the judged move of an answer, None without a column."""
        asked = self.asked[answer.position]
        if answer.column is None:
            return None
        return JudgedMove(asked.position, answer.column, asked.scores)

    def row_of(self, answer: SetAnswer) -> dict[str, object]:
        """Return a judged answer as plain data, by `ANSWER_FIELDS`; columns count from 1.

        A fault has `fault` and `reason`, and None for the fields of an answer.
        """
        asked, move = self.asked[answer.position], self.judged(answer)
        name = self.tactics.name if self.tactics and self.is_tactical(answer.position) else None
        # The best columns and their score are the same for any move.
        any_move = move or JudgedMove(asked.position, asked.position.legal_columns[0], asked.scores)
        values = (
            self.names[answer.agent], name or self.positions.name, asked.band, asked.moves,
            [column + 1 for column in any_move.best], any_move.before,
            move and move.column + 1, move and move.after, move and move.judgement,
            answer.seconds if move else None, answer.fault or None, answer.reason or None,
        )  # fmt: skip
        return dict(zip(ANSWER_FIELDS, values, strict=True))


#: Minimum number of questions for a process.
_MIN_QUESTIONS = 8
#: Faults of an agent after which it gets no more questions.
MAX_FAULTS = 20


@dataclass
class AgentAccuracy:
    """How well one agent plays a set: its accuracy, also for each band, faults, time.

    `answered` counts positions with an answer, `failed` holds kind and reason of each fault;
    `seconds` is the sum over the answers. `answers` are all that count, faults among them.
    """

    agent: str
    accuracy: Accuracy = field(default_factory=Accuracy)
    by_band: dict[str, Tally] = field(default_factory=dict)
    answered: int = 0
    seconds: float = 0.0
    failed: list[tuple[str, str]] = field(default_factory=list)
    answers: list[SetAnswer] = field(default_factory=list, repr=False)

    _repr_html_ = shown_by("claimeven.arena.accuracy_results", "agent_accuracy")

    @property
    def faults(self) -> Counter[str]:
        """Number of faults of each kind."""
        return Counter(kind for kind, _ in self.failed)

    @property
    def reasons(self) -> Counter[str]:
        """Number of faults with each reason."""
        return Counter(reason for _, reason in self.failed)

    @property
    def stopped(self) -> bool:
        """Whether its questions stopped after `MAX_FAULTS` faults."""
        return len(self.failed) >= MAX_FAULTS

    @property
    def asked(self) -> int:
        """Number of questions that count."""
        return self.answered + len(self.failed)

    @property
    def seconds_per_move(self) -> float | None:
        """Mean time of an answer; None without one."""
        return self.seconds / self.answered if self.answered else None

    def add(self, answer: SetAnswer, plan: SetPlan) -> None:
        """Count an answer."""
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
            "seconds_per_move": self.seconds_per_move,
            "faults": dict(self.faults),
            "fault_reasons": dict(self.reasons),
        }


@dataclass(frozen=True)
class SetAccuracy:
    """How well some agents play a set of positions, by name; `seconds` is the time of asking."""

    plan: SetPlan
    by_agent: dict[str, AgentAccuracy]
    seconds: float

    _repr_html_ = shown_by("claimeven.arena.accuracy_results", "set_accuracy")

    @classmethod
    def of(cls, plan: SetPlan, answers: Iterable[SetAnswer], seconds: float) -> SetAccuracy:
        """Return the accuracy of some answers to the questions of a plan, or of all.

        Of each agent they count in the order of the positions, up to the fault after which it is
        asked no more: processes answer in any order, and ask a few questions more.
        """
        found = {name: AgentAccuracy(name, Accuracy(agent=name)) for name in plan.names}
        for answer in sorted(answers, key=attrgetter("position")):
            agent = found[plan.names[answer.agent]]
            if not agent.stopped:
                agent.add(answer, plan)
        return cls(plan, found, seconds)

    def __getitem__(self, name: str) -> AgentAccuracy:
        return self.by_agent[name]

    @property
    def asked(self) -> int:
        """Number of questions that count."""
        return sum(agent.asked for agent in self.by_agent.values())

    @cached_property
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

        Columns count from 1; a fault has `fault` and `reason` and no column.
        """
        for name in self.plan.names:
            yield from map(self.plan.row_of, self[name].answers)

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        plan, tactics = self.plan, self.plan.tactics
        return {
            **plan.geometry.as_dict(),
            **_set_dict(plan.positions),
            "tactics": None if tactics is None else _set_dict(tactics),
            "seed": plan.seed,
            "limit": {name: n for name, n in vars(plan.limit).items() if n is not None},
            "seconds": self.seconds,
            "agents": [self.by_agent[name].as_dict() for name in self.ranking],
            "comparisons": [each.as_dict() for each in self.comparisons()],
        }


def _set_dict(given: ScoredSet) -> dict[str, object]:
    return {"set": given.name, "digest": given.digest, "positions": len(given.positions)}


def measure_accuracy(
    agent: AgentLike,
    positions: ScoredSet | str | Path | None = None,
    *,
    count: int | None = None,
    limit: Limit | None = None,
    seed: int = 0,
    jobs: int = 1,
    geometry: Geometry = STANDARD,
    on_progress: Callable[[int, int], object] | None = None,
) -> AgentAccuracy:
    """Ask an agent for a column of every position of a set; return how good its answers are.

    `positions` is a set or a file of one, by default the bundled set for the board of `geometry`
    (`bundled_set` gives the others); `count` takes fewer of them, evenly. With the default set it
    is also asked in at most `count` positions with a win to take or to block (`accuracy.wins` and
    `accuracy.blocks`). `limit` holds for each answer. An agent given by its spec is asked by `jobs`
    processes; the answers are the same. `on_progress` is called with the number of answers and of
    all questions.

    Raises `InvalidPositions` for an invalid set, `InvalidSpec` and `InvalidLimit` for an invalid
    agent, and `InvalidMatch` for an invalid seed or number of jobs.

    >>> measure_accuracy("greedy", count=300).accuracy.decisive.moves
    196
    """
    found = compare_accuracy(
        (agent,), positions, count=count, limit=limit, seed=seed, jobs=jobs, geometry=geometry,
        on_progress=on_progress,
    )  # fmt: skip
    return found[found.plan.names[0]]


def compare_accuracy(
    agents: Sequence[AgentLike],
    positions: ScoredSet | str | Path | None = None,
    *,
    count: int | None = None,
    limit: Limit | None = None,
    seed: int = 0,
    jobs: int = 1,
    geometry: Geometry = STANDARD,
    on_progress: Callable[[int, int], object] | None = None,
) -> SetAccuracy:
    """Ask several agents in the same positions, as `measure_accuracy` does one.

    `comparisons` of the result says which differences are more than chance.

    >>> wins = compare_accuracy(["greedy", "random"], count=40).comparisons()[2]
    >>> wins.measure, wins.positions, wins.only_first, wins.only_second, wins.is_clear
    ('wins', 20, 19, 0, True)
    """
    tactics = bundled_tactics(geometry, count) if positions is None else None
    chosen = load_set(positions, geometry, count)
    plan = SetPlan(tuple(agents), chosen, seed, limit or Limit(), tactics=tactics)
    return measure(plan, jobs, on_progress)


def measure(
    plan: SetPlan, jobs: int = 1, on_progress: Callable[[int, int], object] | None = None
) -> SetAccuracy:
    """Ask the agents of a plan; `on_progress` gets the number of answers and of questions."""
    begin, answers = time.perf_counter(), list[SetAnswer]()
    for answer in ask(plan, jobs):
        answers.append(answer)
        if on_progress is not None:
            on_progress(len(answers), plan.questions)
    return SetAccuracy.of(plan, answers, time.perf_counter() - begin)


def ask(plan: SetPlan, jobs: int = 1) -> Generator[SetAnswer, None, None]:
    """Ask the agents of a plan and yield each answer; `SetAccuracy.of` counts them.

    Raises `InvalidMatch` for less than one job, or for several if an agent is an object or a
    function of this process.
    """
    if jobs < 1:
        raise InvalidMatch(f"jobs must be 1 or more, got {jobs}")
    if jobs > 1 and not all(isinstance(agent, str) for agent in plan.agents):
        raise InvalidMatch("agents that are objects or functions take 1 job: give their specs")
    faults = Counter[int]()

    def should_run(question: int) -> bool:
        return faults[question // len(plan.asked)] < MAX_FAULTS

    def counted(answer: SetAnswer) -> SetAnswer:
        faults[answer.agent] += answer.column is None
        return answer

    with plan.made() as agents:  # in any case: a bad spec is reported immediately
        # A person, and a stateful agent, is asked in order.
        if jobs == 1 or any(agent.stateful or not agent.timed for agent in agents):
            for question in filter(should_run, range(plan.questions)):
                yield counted(plan.ask(agents, question))
            return
    workers = LocalWorkers(min(jobs, -(-plan.questions // _MIN_QUESTIONS)), should_run=should_run)
    with closing(workers.play(plan, range(plan.questions))) as answers:
        for _, answer in answers:
            yield counted(answer)
