"""Agents asked for a column of every position of a set, and their accuracy.

The answer of an agent depends on the seed, the position's number in the set and the agent only, not
on process or order: each position is a game by itself, with guard and limit of a move of a match.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

from claimeven.agents.base import Limit
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.registry import AgentLike
from claimeven.arena.accuracy.answers import AnswerFile, SetAnswer, SetPlan
from claimeven.arena.accuracy.metrics import Accuracy, Blunder, Comparison, Tally, compare_moves
from claimeven.arena.accuracy.stored_games import ranked, worst_of
from claimeven.arena.options import InvalidMatch
from claimeven.blocks import flat_rows
from claimeven.dataset.scored_sets import ScoredSet, bundled_tactics, load_set
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.validation import whole_number
from claimeven.markup import shown_by
from claimeven.parallel.executors import local_workers
from claimeven.parallel.jobs import Executor
from claimeven.parallel.pool import LocalWorkers
from claimeven.review.analysis import JudgedMove

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

    def rows(self) -> list[dict[str, Any]]:
        """Return the accuracy as flat rows, also for each band: see `Accuracy.rows`."""
        return self.accuracy.rows(band=self.by_band)

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

    def rows(self) -> list[dict[str, Any]]:
        """Return the accuracy of all agents as flat rows, best first: see `Accuracy.rows`."""
        return flat_rows(row for name in self.ranking for row in self[name].rows())

    def answer_rows(self) -> Iterator[dict[str, object]]:
        """Yield the answers as plain data, agent by agent by position: see `SetPlan.row_of`."""
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
    agent: AgentLike, positions: ScoredSet | str | Path | None = None, **settings: Any
) -> AgentAccuracy:
    """Ask an agent for a column of every position of a set; return how good its answers are.

    `positions` is a set or a file of one, by default the bundled set for the board of `geometry`
    (`bundled_set` gives the others); `count` takes fewer of them, evenly. With the default set it
    is also asked in at most `count` positions with a win to take or to block (`accuracy.wins` and
    `accuracy.blocks`). `settings` are the options of `compare_accuracy` by name.

    Raises `InvalidPositions` for an invalid set, `InvalidSpec` and `InvalidLimit` for an invalid
    agent, and `InvalidMatch` for an invalid seed or number of jobs.

    >>> measure_accuracy("greedy", count=300).accuracy.decisive.moves
    196
    """
    found = compare_accuracy((agent,), positions, **settings)
    return found[found.plan.names[0]]


def compare_accuracy(
    agents: Sequence[AgentLike],
    positions: ScoredSet | str | Path | None = None,
    *,
    count: int | None = None,
    limit: Limit | None = None,
    sandbox: Sandbox | None = None,
    seed: int = 0,
    jobs: int = 1,
    executor: Executor | None = None,
    answers: str | Path | None = None,
    geometry: Geometry = STANDARD,
    on_progress: Callable[[int, int], object] | None = None,
    on_row: Callable[[dict[str, Any]], object] | None = None,
) -> SetAccuracy:
    """Ask several agents in the same positions, as `measure_accuracy` does one.

    `comparisons` of the result says which differences are more than chance. `limit` holds for each
    answer, `sandbox` for agents in separate processes. Agents given by their specs are asked by
    `jobs` processes, or by an `executor` such as `RayWorkers`; the answers are the same. `answers`
    is a file for all answers, .csv or .jsonl; an interrupted measurement continues from it.
    `on_progress` is called with the number of answers and of all questions, `on_row` with each new
    answer as a flat row.

    >>> wins = compare_accuracy(["greedy", "random"], count=40).comparisons()[2]
    >>> wins.measure, wins.positions, wins.only_first, wins.only_second, wins.is_clear
    ('wins', 20, 19, 0, True)
    """
    whole_number(jobs, "jobs", InvalidMatch, low=1)
    if count is not None:
        whole_number(count, "count", InvalidMatch)
    tactics = bundled_tactics(geometry, count) if positions is None else None
    chosen = load_set(positions, geometry, count)
    plan = SetPlan(tuple(agents), chosen, seed, limit or Limit(), sandbox or Sandbox(), tactics)
    executor = executor or local_workers(jobs)
    with nullcontext() if answers is None else closing(AnswerFile(answers, plan)) as file:
        before = set() if file is None else set(map(id, file.answers))

        def note(answer: SetAnswer, done: int) -> None:
            if on_progress is not None:
                on_progress(done, plan.questions)
            if on_row is not None and id(answer) not in before:
                on_row(flat_rows([plan.row_of(answer)])[0])

        found = measure(plan, executor, file, note)
        if file is not None:
            file.write(found.answer_rows())
    return found


def measure(
    plan: SetPlan,
    executor: Executor | None = None,
    file: AnswerFile | None = None,
    on_answer: Callable[[SetAnswer, int], object] | None = None,
) -> SetAccuracy:
    """Ask the agents of a plan as `ask` does; `on_answer` gets each answer and how many came."""
    begin, answers = time.perf_counter(), list[SetAnswer]()
    for answer in ask(plan, executor, file):
        answers.append(answer)
        if on_answer is not None:
            on_answer(answer, len(answers))
    return SetAccuracy.of(plan, answers, time.perf_counter() - begin)


def ask(
    plan: SetPlan,
    executor: Executor | None = None,
    file: AnswerFile | None = None,
    max_faults: int = MAX_FAULTS,
) -> Generator[SetAnswer, None, None]:
    """Ask the agents of a plan and yield each answer; `SetAccuracy.of` counts them.

    An executor asks; None is this process. The answers of a `file` come first, and the others are
    added to it. Raises `InvalidMatch` for an executor if an agent is an object or a function.
    """
    if executor is not None and not all(isinstance(agent, str) for agent in plan.agents):
        raise InvalidMatch("agents that are objects or functions take 1 job: give their specs")
    faults: dict[int, list[int]] = {place: [] for place in range(len(plan.agents))}

    def should_run(question: int) -> bool:
        agent, position = divmod(question, len(plan.asked))
        return sum(at < position for at in faults[agent]) < max_faults

    def noted(answer: SetAnswer, is_new: bool = True) -> SetAnswer:
        if answer.column is None:
            faults[answer.agent].append(answer.position)
        if file is not None and is_new:
            file.add(answer)
        return answer

    with plan.made() as agents:  # in any case: a bad spec is reported immediately
        # A person, and a stateful agent, is asked in order.
        is_ordered = any(agent.stateful or not agent.timed for agent in agents)
        known = [] if file is None or is_ordered else list(file.answers)
        for answer in known:
            yield noted(answer, is_new=False)
        done = {answer.agent * len(plan.asked) + answer.position for answer in known}
        left = [question for question in range(plan.questions) if question not in done]
        if is_ordered or executor is None:
            for question in filter(should_run, left):
                yield noted(plan.ask(agents, question))
            return
    questions: Iterable[int] = left
    if isinstance(executor, LocalWorkers):
        jobs = max(1, min(executor.jobs, -(-len(left) // _MIN_QUESTIONS)))
        executor, questions = replace(executor, jobs=jobs), filter(should_run, left)
    with closing(executor.play(plan, questions)) as answers:
        for _, answer in answers:
            yield noted(answer)
