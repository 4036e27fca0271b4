"""The questions of a measurement on a set, the answers, and the file that stores the answers.

While agents are asked, the answers are also in `path` + ".partial", one JSON list a line after a
line with all that decides them. The same measurement continues from there.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from claimeven.agents.base import Agent, AgentFault, Limit
from claimeven.agents.fingerprint import digests_of
from claimeven.agents.function_agent import name_of
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.registry import AgentLike, make_agents
from claimeven.arena.games.plan import AgentFiles
from claimeven.arena.games.safe_call import begin_game, timed_decision
from claimeven.arena.options import InvalidMatch
from claimeven.atomic_io import GrowingFile, check_output, json_line, text_file
from claimeven.blocks import flat_rows
from claimeven.dataset.scored_sets import ScoredPosition, ScoredSet
from claimeven.game.geometry import Geometry
from claimeven.game.validation import seed_number
from claimeven.parallel.jobs import RunJobs
from claimeven.provenance import version_here
from claimeven.review.analysis import JudgedMove
from claimeven.text_io import text_of

#: The stored fields of an answer.
ANSWER_FIELDS = (
    "agent", "set", "band", "moves", "scores", "best", "before", "column", "after", "right",
    "judgement", "seconds", "fault", "reason", "measurement",
)  # fmt: skip
#: Separates the generators of positions from the generators of games and openings.
_STREAM = 4


@dataclass(frozen=True)
class SetAnswer:
    """The answer of an agent in one position: a 0-based column, or None and the fault.

    `agent` and `position` are places in the plan's `agents` and `asked`.
    """

    agent: int
    position: int
    column: int | None
    seconds: float = 0.0
    fault: str = ""
    reason: str = ""


@dataclass(frozen=True)
class SetPlan:
    """Everything that decides a measurement; positions of `tactics` count only as tactics.

    All agents draw the same random numbers in a position, without `own_chance`.
    """

    agents: tuple[AgentLike, ...]
    positions: ScoredSet
    seed: int = 0
    limit: Limit = field(default_factory=Limit)
    sandbox: Sandbox = field(default_factory=Sandbox)
    tactics: ScoredSet | None = None
    own_chance: bool = False

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
        own = [place] if self.own_chance else []
        rng = np.random.default_rng([self.seed, _STREAM, number, *own])
        try:
            begin_game(agents[place], rng)
            decision, seconds = timed_decision(
                agents[place], self.asked[number].position, self.limit, rng
            )
        except AgentFault as fault:
            return SetAnswer(place, number, None, 0.0, str(fault.kind), str(fault))
        return SetAnswer(place, number, decision.column, seconds)

    def digests(self) -> dict[str, dict[str, str]]:
        """Return the digests of the agents' files on this machine."""
        return {spec: digests_of(spec) for spec in self.agents if isinstance(spec, str)}

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

    def as_dict(self) -> dict[str, Any]:
        """Return all that decides the answers as plain data."""
        sets = [self.positions] if self.tactics is None else [self.positions, self.tactics]
        return {
            "agents": list(self.names),
            "claimeven": version_here(),
            "files": list(AgentFiles.of(self.agents).files),
            "sets": [each.digest for each in sets],
            **self.geometry.as_dict(),
            "seed": self.seed,
            "limit": {name: n for name, n in vars(self.limit).items() if n is not None},
            "isolate": self.sandbox.all_agents,
            "memory_limit_mb": self.sandbox.memory_limit_mb,
        }

    @cached_property
    def head(self) -> bytes:
        """All that decides the answers, as a line of JSON."""
        return json_line(self.as_dict())

    @cached_property
    def digest(self) -> str:
        """The digest of `head`."""
        return hashlib.blake2b(self.head, digest_size=8).hexdigest()

    def judged(self, answer: SetAnswer) -> JudgedMove | None:
        """Return the judged move of an answer, None without a column."""
        asked = self.asked[answer.position]
        if answer.column is None:
            return None
        return JudgedMove(asked.position, answer.column, asked.scores)

    def row_of(self, answer: SetAnswer) -> dict[str, object]:
        """Return a judged answer by `ANSWER_FIELDS`; columns count from 1, a fault lacks most."""
        asked, move = self.asked[answer.position], self.judged(answer)
        name = self.tactics.name if self.tactics and self.is_tactical(answer.position) else None
        # The best columns and their score are the same for any move.
        any_move = move or JudgedMove(asked.position, asked.position.legal_columns[0], asked.scores)
        values = (
            self.names[answer.agent], name or self.positions.name, asked.band, asked.moves,
            list(asked.scores), [column + 1 for column in any_move.best], any_move.before,
            move and move.column + 1, move and move.after, move and move.after == move.before,
            move and move.judgement,
            answer.seconds if move else None, answer.fault or None, answer.reason or None,
            self.digest,
        )  # fmt: skip
        return dict(zip(ANSWER_FIELDS, values, strict=True))


#: The end of the name of a file of answers that grows.
PARTIAL = ".partial"
#: Bytes of a file of answers.
_MAX_BYTES = 1 << 30


class AnswerFile:
    """The answers of a plan in a file, .csv or .jsonl, and its journal while they are collected.

    `answers` are the answers of an interrupted run. Raises `InvalidMatch` for another ending and
    for a file or journal of another measurement, and `CannotWrite`.
    """

    def __init__(self, path: str | Path, plan: SetPlan) -> None:
        self.path: Path = Path(path)
        if self.path.suffix not in (".csv", ".jsonl"):
            raise InvalidMatch(f"--answers must end in .csv or .jsonl, got {self.path.name}")
        check_output(self.path)
        if self.path.exists():
            known = (plan.digest, ",".join(ANSWER_FIELDS))
            lines = text_of(self.path, _MAX_BYTES, InvalidMatch).splitlines()
            _check_same(self.path, all(any(each in line for each in known) for line in lines))
        self.answers: list[SetAnswer] = []
        journal = self.path.with_name(self.path.name + PARTIAL)

        def read(lines: list[bytes]) -> bool:
            if len(lines) == 1 and plan.head.startswith(lines[0][:11]):  # a head without answers
                return False
            _check_same(journal, bool(lines) and lines[0] + b"\n" == plan.head)
            try:
                self.answers = [SetAnswer(*json.loads(line)) for line in lines[1:]]
            except (ValueError, TypeError):
                raise InvalidMatch(f"{journal} is corrupt: remove it to start again") from None
            return True

        self._journal = GrowingFile.of_lines(journal, plan.head, read)

    def add(self, answer: SetAnswer) -> None:
        """Add an answer to the journal."""
        self.answers.append(answer)
        self._journal.append(json_line(astuple(answer)))

    def write(self, rows: Iterable[Mapping[str, Any]], is_whole: bool = True) -> None:
        """Write rows of answers to the file; the journal of a whole measurement is removed."""
        with text_file(self.path) as stream:
            if self.path.suffix == ".jsonl":
                stream.writelines(json.dumps(row) + "\n" for row in rows)
            else:
                writer = csv.DictWriter(stream, ANSWER_FIELDS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(flat_rows(rows))
        if is_whole:
            self._journal.remove()

    def close(self) -> None:
        """Close the journal, which without an answer is removed."""
        if self.answers:
            self._journal.close()
        else:
            self._journal.remove()


def _check_same(path: Path, is_same: bool) -> None:
    if not is_same:
        raise InvalidMatch(
            f"{path} has answers of another measurement (agents, their files, positions, limit,"
            " seed or version differ) or other data: remove it, or name another file for --answers"
        )
