"""The process of an agent answers the same whether a question comes in few bytes or as JSON."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from claimeven import Decision, Geometry, Limit, Position
from claimeven.agents import Agent, AgentFault
from claimeven.agents.contract import FaultKind
from claimeven.agents.functions import as_agent
from claimeven.agents.process import short, wire
from claimeven.agents.safe_text import MOST_TRACEBACK
from claimeven.agents.worker import MOST_LINE, MOST_LINES, Worker


class Whole(int):
    """A whole number of a kind of its own."""


class Own(Decision):
    """A decision of a kind of its own."""


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


def worker_of(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Worker:
    # The tests' own process is not to be bounded.
    monkeypatch.setattr("claimeven.agents.worker.bound_memory", lambda memory_mb: None)
    worker = Worker()
    worker.agent = as_agent(function)
    return worker


def asked_at_length(worker: Worker, begins: bool, rng: np.random.Generator) -> bytes:
    return worker.message(
        wire.packed(
            {
                "do": "choose",
                "position": wire.from_position(POSITION),
                "limit": wire.from_limit(LIMIT),
                "rng": wire.from_generator(rng),
                "begins": begins,
            }
        )
    )


def told(message: bytes) -> Any:
    """Return what an answer says: a decision, but for its seconds, or what went wrong."""
    if short.is_answer(message):
        decision, state = short.read_answer(message)
        assert state == b""
        assert decision.seconds >= 0.0
    else:
        answer = wire.unpacked(message)
        if "value" not in answer:
            return answer
        assert answer["value"]["rng"] is None
        decision = wire.to_decision(answer["value"]["decision"])
    fields = wire.from_decision(decision)
    fields.remove(decision.seconds)
    return fields


@pytest.mark.parametrize("name", FUNCTIONS)
def test_few_bytes_and_many_bring_the_same_answers(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief, long = (worker_of(FUNCTIONS[name], monkeypatch) for _ in range(2))
    rng = np.random.default_rng(7)
    state = short.state_of(rng)
    assert state is not None
    before, before_of_numpy = random.getstate(), np.random.get_state()
    for game in range(2):
        drawn = []
        for ask_long in (False, True):
            answers = []
            for move in range(3):
                begins = move == 0
                if ask_long:
                    message = asked_at_length(long, begins, rng)
                else:
                    sent = state if begins else b""
                    # The board and the limit are told once.
                    first = short.question(POSITION, LIMIT, sent)
                    question = first if game == move == 0 else short.again(POSITION, sent)
                    assert question is not None
                    message = brief.message(question)
                answers.append(told(message))
            drawn.append(answers)
        assert drawn[0] == drawn[1]
    random.setstate(before)
    np.random.set_state(before_of_numpy)


def test_the_usual_answer_goes_in_few_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = worker_of(answering(2), monkeypatch)
    question = short.question(POSITION, LIMIT, b"")
    again = short.again(POSITION, b"")
    assert question is not None
    assert again is not None
    for message in (question, again):
        assert short.is_answer(worker.message(message))


@pytest.mark.parametrize("board", [Geometry(5, 4), Geometry(9, 7, 5)])
def test_a_question_of_discs_is_about_the_board_told_last(
    board: Geometry, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Position] = []

    def looks(position: Position) -> int:
        seen.append(position)
        return 1

    worker = worker_of(looks, monkeypatch)
    positions = Position.replay("1122", board)
    messages = [short.question(positions[0], LIMIT, b"")]
    messages += [short.again(position, b"") for position in positions]
    for message in messages:
        assert message is not None
        decision, _ = short.read_answer(worker.message(message))
        assert decision.column == 1
    assert seen[1:] == list(positions)
    assert {position.geometry for position in seen} == {board}
    assert [p.legal_columns for p in seen[1:]] == [p.legal_columns for p in positions]
    assert all(position.outcome is None for position in seen)


def test_of_a_long_traceback_the_end_is_told_with_nothing_a_terminal_obeys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def raises(position: Position) -> Any:
        raise ValueError("\x1b[2J" + "x" * MOST_TRACEBACK + "\x1b[31m the end")

    question = short.question(POSITION, LIMIT, b"")
    assert question is not None
    answer = wire.unpacked(worker_of(raises, monkeypatch).message(question))
    assert answer["fault"].startswith("raised ValueError: \\x1b[2Jxxx")
    assert answer["traceback"].startswith("...\nx")
    assert answer["traceback"].endswith("x\\x1b[31m the end\n")
    assert len(answer["traceback"]) == len("...\n") + MOST_TRACEBACK


class Talks(Agent):
    """Tells more steps than are kept."""

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        return Decision(0)

    def trace(self, position: Position, limit: Limit, rng: np.random.Generator) -> Iterator[str]:
        yield "\x1b" + "x" * MOST_LINE
        yield from map(str, range(MOST_LINES + 3))


def test_the_lines_of_a_trace_are_bounded_in_number_and_length() -> None:
    worker = Worker()
    worker.agent = Talks()
    asked = wire.from_position(POSITION), wire.from_limit(LIMIT)
    told = worker.trace(*asked, wire.from_generator(np.random.default_rng(0)))
    assert told["fault"] is None
    assert len(told["lines"]) == MOST_LINES
    assert told["lines"][0].startswith("\\x1bxxx") and len(told["lines"][0]) == MOST_LINE
    assert told["lines"][1:3] == ["0", "1"]


HARD_BOUND = """
import resource
resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
from claimeven.agents.worker import bound_memory
for memory_mb in (512, 4096):
    bound_memory(memory_mb)
    print(resource.getrlimit(resource.RLIMIT_DATA)[0] >> 20)
"""


def test_a_process_asks_for_no_more_memory_than_the_system_grants() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HARD_BOUND], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "512\n1024\n", "")


def test_what_is_printed_goes_to_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    worker = worker_of(chats, monkeypatch)
    question = short.question(POSITION, LIMIT, b"")
    assert question is not None
    stdout = sys.stdout
    worker.message(question)
    assert sys.stdout is stdout
    worker = worker_of(fails, monkeypatch)
    worker.message(question)
    assert sys.stdout is stdout
    assert capsys.readouterr() == ("", "thinking\n")
