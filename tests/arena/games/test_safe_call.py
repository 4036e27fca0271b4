"""Each misbehavior of an agent is a fault, and an accepted decision can be trusted."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from claimeven import Position
from claimeven.agents import Agent, AgentFault, Decision, Limit, TreeView, make_agent
from claimeven.arena.games.referee import play_game
from claimeven.arena.games.safe_call import checked_trace, checked_tree, timed_decision


def generators() -> tuple[np.random.Generator, np.random.Generator]:
    return np.random.default_rng(1), np.random.default_rng(2)


def asked(answer: Any, start: Position | None = None) -> Decision:
    return timed_decision(Scripted(answer), start or Position(), Limit(), generators()[0])[0]


class Scripted(Agent):
    """Answers with a fixed value."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer  # type: ignore[no-any-return]  # of any type


class Fails(Exception):
    """An exception without a text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class Secret:
    """An object without a text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Unsure:
    """Looks like a column, and is not one when it is used."""

    def __index__(self) -> int:
        raise ZeroDivisionError("which?")


class Nested(dict[Any, Any]):
    """Raises while it is read."""

    def items(self) -> Any:
        raise LookupError("lost")


def decision_with(**fields: Any) -> Decision:
    return Decision(0, **fields)


def with_details(**details: Any) -> Decision:
    return Decision(0, details=details)


LEGAL = "legal were 0, 1, 2, 4, 5, 6"
FAULTS = [
    (3, "returned 3 instead of a Decision"),
    (None, "returned None instead of a Decision"),
    (Secret(), "returned an object of type Secret instead of a Decision"),
    (10**5000, "returned a whole number of 16,610 bits instead of a Decision"),
    (Decision("3"), "returned '3' instead of a column number"),  # type: ignore[arg-type]  # bad on purpose
    (Decision(7), f"returned column 7 (counted from 0), which is not on the board: {LEGAL}"),
    (Decision(3), f"returned column 3 (counted from 0), which is full: {LEGAL}"),
    (
        Decision(10**5000),
        "returned a whole number of 16,610 bits (counted from 0), which is not on the"
        f" board: {LEGAL}",
    ),
    (Decision(Secret()), "returned an object of type Secret instead of a column number"),  # type: ignore[arg-type]  # bad on purpose
    (Decision(Unsure()), "raised ZeroDivisionError: which?"),  # type: ignore[arg-type]  # bad on purpose
    (decision_with(details=Nested(a=1)), "raised LookupError: lost"),
    (RuntimeError("two\nlines"), "raised RuntimeError: two"),
    (KeyError("x"), "raised KeyError: 'x'"),
    (AssertionError(), "raised AssertionError"),
    (Fails(), "raised Fails, whose message cannot be read"),
    (RuntimeError("\x1b[31mred\x07"), "raised RuntimeError: \\x1b[31mred\\x07"),
    (RuntimeError("x" * 10**6), "raised RuntimeError: " + "x" * 283 + "..."),
    (AgentFault("\x1b[1mfault"), "\\x1b[1mfault"),
    (SystemExit(3), "raised SystemExit: 3"),
    (GeneratorExit(), "raised GeneratorExit"),
    (StopIteration(), "raised StopIteration"),
    (MemoryError(), "raised MemoryError"),
    (BaseException("deep"), "raised BaseException: deep"),
]
#: Decisions that are rejected, with their messages.
DECISIONS = [
    (decision_with(nodes="many"), "nodes is 'many', not a number"),
    (decision_with(nodes=2.5), "nodes is 2.5, not a whole number"),
    (decision_with(nodes=-1), "nodes is -1, out of range"),
    (decision_with(nodes=10**400), "nodes is a whole number of 1,329 bits, out of range"),
    (decision_with(iterations=True), "iterations is True, not a number"),
    (decision_with(depth=math.inf), "depth is inf, not a number"),
    (decision_with(seconds=None), "seconds is None, not a number"),
    (decision_with(seconds=-1.0), "seconds is -1.0, out of range"),
    (decision_with(value=math.nan), "value is nan, not a number"),
    (decision_with(value=1.5), "value is 1.5, out of range"),
    (decision_with(value=10**400), "value is a whole number of 1,329 bits, out of range"),
    (decision_with(policy=0.5), "policy must be one number a column, got 0.5"),
    (decision_with(policy=(1.0,)), "policy must be one number a column, got (1.0,)"),
    (decision_with(policy=[1.0] * 7), "policy must be 0 for a full column"),
    (decision_with(policy=[0.5] + [0.0] * 6), "policy must sum to 1, got 0.5"),
    (decision_with(policy=[2.0, -1.0] + [0.0] * 5), "policy is 2.0, out of range"),
    (decision_with(details=None), "details must be a mapping, got None"),
    (with_details(branching="wide"), "branching in details must be a number, got 'wide'"),
    (
        with_details(stored=10**5000),
        "stored in details must be a whole number from 0, got 'a whole number of 16,610 bits'",
    ),
    (
        with_details(line=[50]),
        "line in details must be columns that can be played one after another, got [50]",
    ),
    (
        with_details(values=["a"] * 7),
        "values in details must be one number or None a column, got"
        " ['a', 'a', 'a', 'a', 'a', 'a', 'a']",
    ),
    (with_details(visits=[1, 2]), "visits in details must be one number a column, got [1, 2]"),
    (
        with_details(line=[0] * 5_000),
        "line in details must be columns that can be played one after another, got 'left out: it"
        " has more than 5,000 values'",
    ),
    (
        with_details(stored=[0] * 5_000),
        "stored in details must be a whole number from 0, got 'left out: it has more than 5,000"
        " values'",
    ),
    (
        with_details(values_are="\x1b[31m"),
        "values_are in details must be a short text, got '\\x1b[31m'",
    ),
]
FAULTS += [(answer, f"returned a Decision whose {said}") for answer, said in DECISIONS]


@pytest.mark.parametrize(("answer", "reason"), FAULTS, ids=[reason[-40:] for _, reason in FAULTS])
def test_nonsense_forfeits_with_its_reason(answer: Any, reason: str) -> None:
    start = Position.from_moves("444444")
    game = play_game((Scripted(answer), make_agent("random")), start, Limit(), generators())
    assert game.forfeit is not None
    assert (game.forfeit.seat, game.forfeit.reason) == (0, reason)
    assert (game.winner, game.columns) == (1, ())


def test_a_fault_has_the_traceback_of_its_error() -> None:
    with pytest.raises(AgentFault) as caught:
        asked(RuntimeError("broken"))
    assert "in choose" in caught.value.traceback
    assert caught.value.traceback.endswith("RuntimeError: broken\n")
    with pytest.raises(AgentFault) as caught:
        asked(Decision(9))
    assert caught.value.traceback == ""


def test_ctrl_c_is_no_fault_of_the_agent() -> None:
    with pytest.raises(KeyboardInterrupt):
        asked(KeyboardInterrupt())


def test_numbers_become_plain() -> None:
    decision = asked(
        Decision(
            np.int64(2),  # type: ignore[arg-type]  # as libraries answer
            value=np.float32(0.5),  # type: ignore[arg-type]  # as libraries answer
            policy=np.array([0, 0, 1, 0, 0, 0, 0]),  # type: ignore[arg-type]  # as libraries answer
            score=np.int8(-3),  # type: ignore[arg-type]  # as libraries answer
            nodes=np.int32(5),  # type: ignore[arg-type]  # as libraries answer
            depth=4.0,  # type: ignore[arg-type]  # as libraries answer
            seconds=Fraction(1, 2),  # type: ignore[arg-type]  # as libraries answer
        )
    )
    assert decision == Decision(2, 0.5, (0, 0, 1, 0, 0, 0, 0), -3, 4, 5, 0.5)
    shares = decision.policy or ()
    numbers = (decision.column, decision.value, decision.score, decision.nodes, *shares)
    assert {type(number) for number in numbers} == {int, float}


def test_details_become_plain_and_bounded() -> None:
    endless: list[Any] = []
    endless.append(endless)
    decision = asked(
        with_details(
            values=[math.nan, 1, None, np.float64(2.0), -math.inf, 0, 3],
            line=(np.int64(3), 3),
            array=np.arange(4).reshape(2, 2),
            flag=np.True_,
            big=10**5000,
            secret=Secret(),
            nested={(1, 2): {"a": {3}}},
            many=range(10**9),
            long=[0] * 10**4,
            endless=endless,
            text="y" * 10**6,
            full=True,
        )
    )
    details = decision.details
    assert details["values"] == [None, 1, None, 2.0, None, 0, 3]
    assert details["line"] == [3, 3]
    assert details["array"] == [[0, 1], [2, 3]]
    assert details["flag"] is True
    assert details["big"] == "a whole number of 16,610 bits"
    assert details["secret"] == "an object of type Secret"
    assert details["nested"] == {"(1, 2)": {"a": "{3}"}}
    assert details["many"] == "range(0, 1000000000)"
    assert details["long"] == details["endless"] == "left out: it has more than 5,000 values"
    assert len(details["text"]) == 10_000
    assert "full" not in details  # of a detail that it did not give
    assert "full" not in asked(with_details(full=True, stored=None)).details
    json.dumps(details, allow_nan=False)
    assert len(asked(decision_with(details={n: n for n in range(10**4)})).details) == 100


def test_a_position_cannot_be_spoilt() -> None:
    def spoil(position: Position) -> int:
        del position.mask
        return 0

    start = Position.from_moves("44")
    game = play_game((make_agent(spoil), make_agent("random")), start, Limit(), generators())
    assert game.forfeit is not None
    assert (
        game.forfeit.reason
        == "raised AttributeError: a Position cannot be changed; mask cannot be deleted"
    )
    assert start.mask == Position.from_moves("44").mask


class Slow(Agent):
    """Takes its time."""

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        time.sleep(0.4)
        return Decision(0)


def test_an_agent_that_overruns_its_limit_forfeits() -> None:
    with pytest.raises(AgentFault) as caught:
        timed_decision(Slow(), Position(), Limit(seconds=0.1), generators()[0])
    assert str(caught.value) == "took over 0.25 s more than the 0.1 s it had for a move"
    assert timed_decision(Slow(), Position(), Limit(seconds=9), generators()[0])[0].column == 0
    person = Slow()
    person.timed = False
    assert timed_decision(person, Position(), Limit(seconds=0.1), generators()[0])[0].column == 0


class Talkative(Agent):
    """Traces without end, and shows a given object as its tree."""

    view: Any = None

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        return Decision(0)

    def trace(self, position: Position, limit: Limit, rng: np.random.Generator) -> Iterator[str]:
        yield "one\x1b"
        yield "two\nlines"
        raise LookupError("lost")

    def tree(self, depth: int, nodes: int) -> TreeView | None:
        if isinstance(self.view, BaseException):
            raise self.view
        return self.view  # type: ignore[no-any-return]  # of any type


def test_traces_and_trees_are_guarded() -> None:
    agent = Talkative()
    steps = checked_trace(agent, Position(), Limit(), generators()[0], 10)
    assert [next(steps), next(steps)] == ["one\\x1b", "two\\nlines"]
    with pytest.raises(AgentFault, match="raised LookupError: lost"):
        next(steps)
    assert len(list(checked_trace(agent, Position(), Limit(), generators()[0], 2))) == 2
    assert checked_tree(agent, 2, 10) is None
    for view in (LookupError("lost"), "tree", TreeView("text", {}, None)):  # type: ignore[arg-type]  # bad on purpose
        agent.view = view
        with pytest.raises(AgentFault):
            checked_tree(agent, 2, 10)
    agent.view = TreeView("text", {1: math.nan}, "svg")  # type: ignore[dict-item]  # bad on purpose
    assert checked_tree(agent, 2, 10) == TreeView("text", {"1": None}, "svg")


def test_values_barely_outside_by_rounding_are_clipped() -> None:
    for told_value, value in ((1.0005, 1.0), (-1.0005, -1.0), (0.9995, 0.9995)):
        assert asked(decision_with(value=told_value)).value == value
    decision = asked(decision_with(policy=[1.0005, -0.0005] + [0.0] * 5, seconds=-0.0005))
    assert (decision.policy, decision.seconds) == ((1.0, *[0.0] * 6), 0.0)
