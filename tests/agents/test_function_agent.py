"""Functions as agents: the arguments of each, and values that are not agents."""

from __future__ import annotations

import io
import sys
import threading
from functools import partial
from typing import Any

import numpy as np
import pytest

from claimeven import Position
from claimeven.agents import (
    Agent,
    AgentFault,
    Decision,
    FunctionAgent,
    InvalidSpec,
    KaggleAgent,
    Limit,
    as_agent,
    make_agent,
)
from claimeven.agents.function_agent import name_of
from claimeven.agents.sanitize import PrintsToStderr
from claimeven.agents.validation import as_column
from tests import forks
from tests.agents.support import decided


def first(position: Position) -> int:
    return position.legal_columns[0]


def chosen(found: Any, moves: str = "") -> Decision:
    return decided(as_agent(found), moves)


class Callable:
    """An object that is called."""

    def __call__(self, position: Position) -> int:
        return 3

    def method(self, obs: Any) -> int:
        return 3


class Third(Agent):
    """Plays the fourth column."""

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        return Decision(3)


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (first, FunctionAgent),
        (lambda board: 3, FunctionAgent),
        (lambda position, depth=3: 3, FunctionAgent),
        (lambda position, *, depth=3: 3, FunctionAgent),
        (partial(lambda position, *, depth: depth, depth=3), FunctionAgent),
        (Callable(), FunctionAgent),
        (partial(lambda column, position: column, 3), FunctionAgent),
        (lambda obs: 3, KaggleAgent),
        (lambda observation, config=None: 3, KaggleAgent),
        (lambda board, settings: 3, KaggleAgent),
        (Third, Third),
        (Third(), Third),
    ],
)
def test_values_that_become_agents(found: Any, kind: type[Agent]) -> None:
    agent = as_agent(found)
    assert type(agent) is kind
    assert chosen(found, "111111" if found is first else "").column in (1, 3)


def test_agents_keep_their_names() -> None:
    agent = Third()
    assert as_agent(agent) is agent
    assert make_agent(agent) is agent
    assert make_agent(first).name == "first"
    assert as_agent(agent, "third").name == "third"
    named = {name_of(found) for found in (first, Third, agent, " spec ")}
    assert named == {"first", "Third", "third", "spec"}
    assert name_of(Callable()).startswith("<tests.agents.test_function_agent.Callable object")


@pytest.mark.parametrize(
    ("found", "output"),
    [
        (3, "3 is not a function or an Agent"),
        (None, "None is not a function or an Agent"),
        (dict, "dict: the class dict is not a claimeven Agent"),
        (Agent, "Agent: it cannot be made: TypeError: Can't instantiate abstract class Agent"),
        (max, "max has no signature that Python can read"),
        (lambda: 3, "<lambda> takes no arguments: an agent takes a position, or (obs, config)"),
        (
            lambda *given: 3,
            "<lambda> takes no named argument: an agent takes a position, or (obs, config); the"
            " wrapper of a decorator needs @functools.wraps(function)",
        ),
        (
            lambda a, b, c: 0,
            "<lambda> takes 3 arguments: an agent takes a position, or (obs, config); or add"
            " ,b=VALUE,c=VALUE after its name",
        ),
        (
            lambda position, *, depth, width, more=1: 0,
            "<lambda> takes depth and width by name, without a default: an agent takes a position,",
        ),
    ],
)
def test_values_that_cannot_become_agents_are_refused(found: Any, output: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        make_agent(found)
    assert str(caught.value).startswith(output)


@pytest.mark.parametrize("answer", [None, 3.0, "3", True, np.True_, [3], np.array([3, 4])])
def test_answers_that_are_not_column_numbers_are_faults(answer: object) -> None:
    with pytest.raises(AgentFault) as caught:
        as_column(answer)
    assert str(caught.value) == f"returned {answer!r} instead of a column number"


@pytest.mark.parametrize("answer", [3, np.int64(3), np.uint8(3), np.array(3)])
def test_answers_that_are_column_numbers(answer: object) -> None:
    assert as_column(answer) == 3
    assert type(as_column(answer)) is int


def test_a_function_that_replaces_stdout_affects_only_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def silent(position: Position) -> int:
        sys.stdout = io.StringIO()
        return 3

    def loud(position: Position) -> int:
        print("x")
        return 3

    before = sys.stdout
    for function in (silent, loud):
        assert decided(FunctionAgent("f", function)).column == 3
        assert sys.stdout is before
    monkeypatch.setattr(sys, "stderr", None)
    assert decided(FunctionAgent("f", loud)).column == 3


def test_each_block_has_its_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    # A print of another thread that started in one block may end after it.
    met = set()
    streams = [io.StringIO(), io.StringIO()]
    for stream in streams * 10:
        monkeypatch.setattr(sys, "stdout", stream)
        with PrintsToStderr():
            met.add(id(sys.stdout))
        assert sys.stdout is stream
    assert len(met) == 2


#: A program with a thread that prints all the while, and moves during and between its prints.
PRINTING = """
import sys, threading, time
from claimeven import play_match

over = threading.Event()

def print_on():
    while not over.is_set():
        print("on and on")
        time.sleep(0.0001)

def agent(position):
    time.sleep(0.001)
    return position.legal_columns[0]

printing = threading.Thread(target=print_on)
printing.start()
try:
    print(sum(play_match(agent, "random", games=100, seed=1).wins), file=sys.stderr)
finally:
    over.set()
    printing.join()
"""


def test_a_thread_may_print_while_agents_move() -> None:
    ran = forks.run_program(
        [sys.executable, "-c", PRINTING], env=forks.environment(), check=False,
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "100\n")
    assert {*ran.stdout.split("\n")} <= {"on and on", ""}


def test_prints_of_only_one_thread_go_to_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stdout = sys.stdout
    began, may_end = threading.Barrier(3), threading.Barrier(3)

    def agent(number: int) -> None:
        with PrintsToStderr():
            print(f"before {number}\n", end="")
            began.wait(60)
            may_end.wait(60)
            with PrintsToStderr():
                print(f"within {number}\n", end="")
            print(f"after {number}\n", end="")
        print(f"done {number}\n", end="")

    threads = [threading.Thread(target=agent, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    began.wait(60)
    print("meanwhile")
    may_end.wait(60)
    for thread in threads:
        thread.join(60)
    assert sys.stdout is stdout
    output = capsys.readouterr()
    assert sorted(output.out.splitlines()) == ["done 1", "done 2", "meanwhile"]
    assert sorted(output.err.splitlines()) == sorted(
        f"{word} {number}" for word in ("before", "within", "after") for number in (1, 2)
    )


def test_a_generator_shows_its_steps_and_returns_its_column() -> None:
    def search(position: Position, *, more: int = 0) -> Any:
        yield position
        for column in position.legal_columns[:2]:
            yield position.play(column), column / 2, "so far"
        yield position, 1
        return position.legal_columns[0] + more

    def rows(board: Any, player: int) -> Any:
        yield board
        return [0, 0, 0, 0, 0, 9, 0]

    position, rng = Position.from_moves("44"), np.random.default_rng(0)
    plain, adapted = as_agent(search, "x", {"more": "2"}), as_agent(rows, "x", {"shape": "rows"})
    assert [agent.choose(position, Limit(), rng).column for agent in (plain, adapted)] == [2, 5]
    lines = ["root -", "1 0 so far", "2 0.5 so far", "root 1"]
    assert list(plain.trace(position, Limit(), rng)) == lines
    assert list(adapted.trace(position, Limit(), rng)) == ["root -"]
    assert list(as_agent(lambda position: 3).trace(position, Limit(), rng)) == []


def test_a_generator_for_kaggle_returns_no_column() -> None:
    def agent(observation: Any, configuration: Any) -> Any:
        yield observation
        return 3

    with pytest.raises(AgentFault, match="which Kaggle calls INVALID"):
        as_agent(agent).choose(Position(), Limit(), np.random.default_rng(0))
