"""The process of an agent: its answers to each question, and its limits."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from claimeven import Decision, Geometry, Limit, Position
from claimeven.agents import Agent, AgentFault, codec
from claimeven.agents.base import FaultKind
from claimeven.agents.codec import MAX_LINE, MAX_LINES
from claimeven.agents.function_agent import as_agent
from claimeven.agents.sanitize import MAX_TRACEBACK
from claimeven.agents.worker import AgentWorker
from claimeven.arena.games.safe_call import timed_decision
from claimeven.parallel.connection import pack, unpack


class Whole(int):
    """A whole number of a separate class."""


class Own(Decision):
    """A decision of a separate class."""


def fails(position: Position) -> Any:
    raise LookupError("lost")


def leaves(position: Position) -> Any:
    sys.exit(3)


def objects(position: Position) -> Any:
    raise AgentFault("will not", "its own traceback", FaultKind.STALL)


def starves(position: Position) -> Any:
    raise MemoryError


def spoils(position: Position) -> Any:
    position.mask = 0
    return 0


def overfills(position: Position) -> Any:
    return position.play(3)


def draws(position: Position) -> Any:
    return random.choice(position.legal_columns)


def draws_by_numpy(position: Position) -> Any:
    return int(np.random.choice(position.legal_columns))


def chats(position: Position) -> Any:
    print("thinking")
    return 2


def for_kaggle(obs: Any, config: Any) -> Any:
    return obs.step % config.columns


def answering(answer: Any) -> Callable[[Position], Any]:
    return lambda position: answer


#: Usual answers, unusual ones, and faults of each kind; column 3 is full.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        repr(answer)[:40]: answering(answer)
        for answer in (
            0, 6, 3, 7, -1, 10**30, True, None, 2.0, "2", np.int64(2), np.int8(3), Whole(4),
            Whole(9), Decision(2), Decision(3), Decision(1, value=0.5), Decision(1, seconds=-1.0),
            Decision(np.int64(2)), Own(2), Own(2, nodes=3), Decision(2, details={"line": [2, 3]}),
        )
    },
    **{
        each.__name__: each
        for each in (
            fails, leaves, objects, starves, spoils, overfills, draws, draws_by_numpy, chats,
            for_kaggle,
        )
    },
}  # fmt: skip
POSITION = Position.from_moves("444444")
LIMIT = Limit(seconds=5.0)


def worker_of(function: Callable[..., Any]) -> AgentWorker:
    worker = AgentWorker()
    worker.agent = as_agent(function)
    return worker


def asked(worker: AgentWorker, rng: np.random.Generator, position: Position = POSITION) -> bytes:
    return worker.message(
        pack(
            {
                "do": "choose",
                "position": codec.from_position(position),
                "limit": codec.from_limit(LIMIT),
                "seed": codec.from_generator(rng),
            }
        )
    )


def started(worker: AgentWorker, rng: np.random.Generator) -> bytes:
    return worker.message(pack({"do": "reset", "seed": codec.from_generator(rng)}))


def output(message: bytes) -> Any:
    """Return an answer: a decision, without its seconds, or its error."""
    try:
        decision = codec.decision(codec.read_value(message), POSITION)
    except AgentFault as fault:
        return str(fault), fault.kind
    assert decision.seconds >= 0.0
    fields = codec.from_decision(decision)
    fields.remove(decision.seconds)
    return fields


@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_answers_as_an_agent_of_this_process_would(name: str) -> None:
    worker = worker_of(FUNCTIONS[name])
    rng = np.random.default_rng(7)
    before, before_of_numpy = random.getstate(), np.random.get_state()
    games = []
    for _ in range(2):
        started(worker, rng)
        games.append([output(asked(worker, rng)) for _ in range(3)])
    random.setstate(before)
    np.random.set_state(before_of_numpy)
    assert games[0] == games[1]
    if not name.startswith("draws"):
        here = as_agent(FUNCTIONS[name])
        here.reset()
        try:
            decision = timed_decision(here, POSITION, LIMIT, rng)[0]
            expected: Any = codec.from_decision(decision)
            expected.remove(decision.seconds)
        except AgentFault as fault:
            expected = str(fault), fault.kind
        assert games[0][0] == expected


@pytest.mark.parametrize("board", [Geometry(5, 4), Geometry(9, 7, 5)])
def test_a_position_comes_over_whole(board: Geometry) -> None:
    seen: list[Position] = []

    def looks(position: Position) -> int:
        seen.append(position)
        return 1

    worker = worker_of(looks)
    positions = Position.replay("1122", board)
    for position in positions:
        codec.read_value(asked(worker, np.random.default_rng(0), position))
    assert seen == list(positions)
    assert {position.geometry for position in seen} == {board}


def test_a_long_traceback_is_cut_to_its_end_and_sanitized() -> None:
    def raises(position: Position) -> Any:
        raise ValueError("\x1b[2J" + "x" * MAX_TRACEBACK + "\x1b[31m the end")

    answer = unpack(asked(worker_of(raises), np.random.default_rng(0)))
    assert answer["fault"].startswith("raised ValueError: \\x1b[2Jxxx")
    assert ", in raises\n    raise ValueError(" in answer["traceback"][:400]
    assert "\n...\nx" in answer["traceback"]
    assert answer["traceback"].endswith("x\\x1b[31m the end\n")
    assert MAX_TRACEBACK // 2 < len(answer["traceback"]) <= len("...\n") + MAX_TRACEBACK


class Talks(Agent):
    """Yields more steps than the limit."""

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        return Decision(0)

    def trace(self, position: Position, limit: Limit, rng: np.random.Generator) -> Iterator[str]:
        yield "\x1b" + "x" * MAX_LINE
        yield from map(str, range(MAX_LINES + 3))


def test_the_lines_of_a_trace_are_bounded_in_number_and_length() -> None:
    worker = AgentWorker()
    worker.agent = Talks()
    question = codec.from_position(POSITION), codec.from_limit(LIMIT)
    output = worker.trace(*question)
    assert output["fault"] is None
    assert len(output["lines"]) == MAX_LINES
    assert output["lines"][0].startswith("\\x1bxxx") and len(output["lines"][0]) == MAX_LINE
    assert output["lines"][1:3] == ["0", "1"]


def test_prints_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    worker = worker_of(chats)
    stdout, rng = sys.stdout, np.random.default_rng(0)
    asked(worker, rng)
    assert sys.stdout is stdout
    worker = worker_of(fails)
    asked(worker, rng)
    assert sys.stdout is stdout
    assert capsys.readouterr() == ("", "thinking\n")
