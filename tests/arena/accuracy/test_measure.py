"""Agents on a set of positions: right answers, the same for any number of processes, faults."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import signal
import sys
from collections import deque
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.agents import InvalidLimit, InvalidSpec, Limit
from claimeven.arena import InvalidMatch, compare_accuracy, measure_accuracy
from claimeven.arena.accuracy.answers import AnswerFile, SetAnswer, SetPlan
from claimeven.arena.accuracy.measure import (
    MAX_FAULTS,
    AgentAccuracy,
    SetAccuracy,
    ask,
    measure,
)
from claimeven.atomic_io import CannotWrite
from claimeven.dataset.scored_sets import InvalidPositions, ScoredSet, bundled_set
from claimeven.parallel import pool
from claimeven.parallel.executors import local_workers
from claimeven.parallel.process import Child

#: Plays the first column it may, but fails if the second player is to move.
FAILING = """
def agent(position):
    if position.turn == 1:
        raise RuntimeError("not as second player")
    return position.legal_columns[0]
"""


def test_perfect_play_is_perfect_and_random_play_meets_its_floor() -> None:
    perfect = measure_accuracy("perfect", count=30)
    assert perfect.accuracy.all.mean("perfect") == 1.0
    assert perfect.accuracy.worst == []
    luck = measure_accuracy("random", count=1800, seed=3).accuracy
    for tally in (luck.all, luck.decisive):
        assert tally.moves > 1000
        for name in ("perfect", "keeps_result"):
            assert tally.mean(name) == pytest.approx(tally.mean(f"random_{name}"), abs=0.04)


def test_the_answers_do_not_depend_on_the_number_of_processes() -> None:
    plan = SetPlan(("random", "uct:iterations=30"), _few(40), seed=5)
    one, two = measure(plan), measure(plan, local_workers(2))
    for name in plan.names:
        assert one[name].accuracy.as_dict() == two[name].accuracy.as_dict()
        assert one[name].by_band == two[name].by_band
    other = measure(SetPlan(plan.agents, plan.positions, seed=6))
    assert other["random"].accuracy.all != one["random"].accuracy.all


def test_no_more_processes_are_started_than_there_is_to_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = []

    class Told(Child):
        def __init__(self, *given: Any, **options: Any) -> None:
            started.append(given)
            super().__init__(*given, **options)

    monkeypatch.setattr(pool, "Child", Told)
    assert measure(SetPlan(("random",), _few(10)), local_workers(50))["random"].answered == 10
    assert len(started) == 2


@pytest.mark.usefixtures("real_starts")
@pytest.mark.skipif(sys.platform == "win32", reason="no child processes there")
def test_pipes_of_processes_may_have_any_number() -> None:
    """A program with many open files, or many processes, has pipes of numbers above 1023."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], min(2000, before[1])), before[1]))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        assert measure(SetPlan(("random",), _few(10)), local_workers(2))["random"].answered == 10
    finally:
        for end in held:
            os.close(end)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_each_process_multiplies_matrices_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes of two threads each, on two cores, took five times as long."""
    asked = []

    class Told(Child):
        def __init__(self, *given: Any, **options: Any) -> None:
            asked.append({**options["variables"]})
            super().__init__(*given, **options)

    monkeypatch.setattr(pool, "Child", Told)
    assert measure(SetPlan(("random",), _few(10)), local_workers(2))["random"].answered == 10
    assert [each["OPENBLAS_NUM_THREADS"] for each in asked] == ["1", "1"]


def test_agents_that_need_order_are_measured_by_one_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A person has one keyboard, and a stored table has the earlier answers."""

    class Unwanted(Child):
        def __init__(self, *given: Any, **options: Any) -> None:
            raise AssertionError("no other process is wanted")

    monkeypatch.setattr(pool, "Child", Unwanted)
    few = _few(3)
    typed = "".join(f"{each.position.legal_columns[0] + 1}\n" for each in few.positions)
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    agents = ("human", "negamax:depth=2,keep=yes")
    for name in agents:
        assert measure(SetPlan((name,), few), local_workers(2))[name].answered == 3


def _few(count: int) -> ScoredSet:
    whole = bundled_set()
    assert whole is not None
    return whole.first(count)


def test_functions_and_files_are_asked_too(tmp_path: Path) -> None:
    def leftmost(position: Position) -> int:
        return position.legal_columns[0]

    plain = measure_accuracy(leftmost, count=30)
    assert (plain.accuracy.all.moves, plain.answered) == (30, 60)  # and 30 for wins and blocks
    path = tmp_path / "left.py"
    path.write_text("def agent(position):\n    return position.legal_columns[0]\n")
    assert measure_accuracy(str(path), count=30).accuracy.all == plain.accuracy.all
    with pytest.raises(InvalidMatch, match="take 1 job"):
        measure_accuracy(leftmost, jobs=2)


def test_faults_are_reported_and_end_the_measurement_in_time(tmp_path: Path) -> None:
    path = tmp_path / "failing.py"
    path.write_text(FAILING)
    few = _few(12)
    seconds = sum(each.position.turn for each in few.positions)
    found = measure(SetPlan((str(path),), few))[str(path)]
    assert (found.answered, dict(found.faults)) == (12 - seconds, {"crash": seconds})
    assert list(found.reasons) == ["raised RuntimeError: not as second player"]

    def never(position: Position) -> int:
        raise RuntimeError("no")

    whole = measure(SetPlan((never, "random"), _few(50)))
    assert whole["never"].faults.total() == MAX_FAULTS
    assert (whole["never"].stopped, whole["never"].seconds_per_move) == (True, None)
    assert whole["random"].answered == 50
    assert whole.ranking == ("random", "never")


def test_an_agent_with_too_many_faults_is_not_called_again() -> None:
    calls = []

    def never(position: Position) -> int:
        calls.append(position)
        raise RuntimeError("no")

    measure(SetPlan((never,), _few(50)))
    assert len(calls) == MAX_FAULTS


def test_the_time_of_a_move_is_the_mean_over_the_answers() -> None:
    found, plan = AgentAccuracy("me"), SetPlan(("random",), _few(3))
    for place, seconds in enumerate((1.0, 4.0)):
        column = _few(3).positions[place].position.legal_columns[0]
        found.add(SetAnswer(0, place, column, seconds), plan)
    found.add(SetAnswer(0, 2, None, 0.0, "crash", "raised"), plan)
    assert (found.asked, found.answered, found.seconds_per_move) == (3, 2, 2.5)


def test_faults_end_the_measurement_equally_for_any_jobs(tmp_path: Path) -> None:
    path = tmp_path / "failing.py"
    path.write_text(FAILING)
    plan = SetPlan((str(path), "greedy"), _few(90))
    one, two = (measure(plan, local_workers(jobs)) for jobs in (1, 2))
    assert one[str(path)].faults.total() == MAX_FAULTS
    for name in plan.names:
        assert one[name].answered == two[name].answered
        assert one[name].faults == two[name].faults
        assert one[name].accuracy.as_dict() == two[name].accuracy.as_dict()
        assert list(one[name].by_band) == list(two[name].by_band)
    assert one.asked == two.asked < plan.questions
    answers = list(ask(plan, local_workers(2)))
    for end in range(0, len(answers), 9):  # in between, as Ctrl-C would leave it
        whole = SetAccuracy.of(plan, answers[:end], 0.0)
        assert all(whole[name].faults.total() <= MAX_FAULTS for name in plan.names)
        assert whole.asked <= end


def test_an_agent_that_is_late_is_at_fault() -> None:
    def slow(position: Position) -> int:
        import time

        time.sleep(0.4)
        return position.legal_columns[0]

    found = measure_accuracy(slow, count=1, limit=Limit(seconds=0.01))
    assert dict(found.faults) == {"time": 2}


def test_an_interrupted_measurement_reports_its_answers() -> None:
    plan = SetPlan(("random",), _few(30))
    whole = SetAccuracy.of(plan, itertools.islice(ask(plan), 7), 0.0)
    assert (whole.asked, whole["random"].answered) == (7, 7)
    messages: list[tuple[int, int]] = []
    measure_accuracy("random", _few(3), on_progress=lambda *at: messages.append(at))
    assert messages == [(1, 3), (2, 3), (3, 3)]


def test_a_file_without_scores_of_another_board(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("12\nlate 1213\n1223 \n")
    small = Geometry(4, 4, 3)
    found = measure_accuracy("perfect", path, geometry=small)
    assert found.accuracy.all.mean("score_loss") == 0
    assert list(found.by_band) == ["", "late"]


@pytest.mark.parametrize(
    ("agent", "asked", "error", "message"),
    [
        ("gredy", {}, InvalidSpec, r"no agent 'gredy' \(did you mean greedy\?\)"),
        ("greedy", {"jobs": 0}, InvalidMatch, "jobs must be 1 or more, got 0"),
        ("greedy", {"jobs": "2"}, InvalidMatch, "jobs must be a whole number, got '2'"),
        ("greedy", {"count": 2.5}, InvalidMatch, "count must be a whole number, got 2.5"),
        ("greedy", {"seed": -1}, InvalidMatch, "seed must be 0 or more, got -1"),
        ("greedy", {"count": 0}, InvalidPositions, "count must be 1 or more, got 0"),
        ("uct", {"limit": Limit(depth=3)}, InvalidLimit, "uct cannot be limited by depth"),
        ("greedy", {"geometry": Geometry(5, 4)}, InvalidPositions, "no set of positions of 5x4"),
    ],
)
def test_invalid_arguments_are_refused(
    agent: str, asked: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        measure_accuracy(agent, **asked)


def test_an_agent_takes_part_once_and_each_position_has_a_generator() -> None:
    with pytest.raises(InvalidMatch, match="random takes part twice"):
        SetPlan(("random", "random"), _few(3))
    drawn: list[float] = []

    from claimeven.agents import Agent, Decision

    class Drawing(Agent):
        def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
            drawn.append(rng.random())
            return Decision(position.legal_columns[0])

    measure_accuracy(Drawing(), count=20)
    assert len(set(drawn)) == 40


def test_an_agent_that_somebody_else_made_is_left_open() -> None:
    from claimeven.agents import Agent, Decision

    class Held(Agent):
        closed = 0

        def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
            return Decision(position.legal_columns[0])

        def close(self) -> None:
            self.closed += 1

    held = Held()
    measure_accuracy(held, count=2)
    assert held.closed == 0


def test_an_interrupted_measurement_continues_from_its_answers(tmp_path: Path) -> None:
    path, plan = tmp_path / "answers.jsonl", SetPlan(("random", "greedy"), _few(20), seed=5)
    with closing(AnswerFile(path, plan)) as file, closing(ask(plan, file=file)) as answers:
        begin = list(itertools.islice(answers, 25))
    journal = path.with_name("answers.jsonl.partial")
    journal.write_bytes(journal.read_bytes() + b"[1, 5, 3")  # killed while it was written
    with closing(AnswerFile(path, plan)) as file:
        assert file.answers == begin
        found = measure(plan, file=file)
        file.write(found.answer_rows())
    assert not journal.exists()
    with closing(AnswerFile(path, plan)) as file, closing(ask(plan, file=file)) as answers:
        deque(itertools.islice(answers, 30), 0)
    rows: list[Any] = []
    compare_accuracy(plan.agents, plan.positions, seed=5, answers=path, on_row=rows.append)
    assert len(rows) == 10  # those that were not there
    whole = measure(plan)
    assert [found[name].accuracy for name in plan.names] == [
        whole[name].accuracy for name in plan.names
    ]
    stored = [json.loads(line) for line in path.read_text().splitlines()]
    plain = [{**row, "seconds": 0} for row in whole.answer_rows()]
    assert [{**row, "seconds": 0} for row in stored] == plain


def test_answers_of_another_measurement_are_not_mixed(tmp_path: Path) -> None:
    plan = SetPlan(("random",), _few(5))
    with closing(AnswerFile(tmp_path / "a.csv", plan)) as file:
        next(ask(plan, file=file))
    with pytest.raises(InvalidMatch, match="has answers of another measurement"):
        AnswerFile(tmp_path / "a.csv", SetPlan(("random",), _few(5), seed=1))
    with closing(AnswerFile(tmp_path / "a.csv", plan)) as file:
        assert len(file.answers) == 1
        with pytest.raises(CannotWrite, match="another process is writing it"):
            AnswerFile(tmp_path / "a.csv", plan)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_finished_answers_are_replaced_only_by_the_same_measurement(
    name: str, tmp_path: Path
) -> None:
    path, plan = tmp_path / name, SetPlan(("random",), _few(5))
    for _ in range(2):
        with closing(AnswerFile(path, plan)) as file:
            file.write(measure(plan, file=file).answer_rows())
    written = path.read_bytes()
    for other in (replace(plan, seed=1), replace(plan, limit=Limit(seconds=1)),
                  SetPlan(("random",), _few(4)), SetPlan(("greedy",), _few(5))):  # fmt: skip
        with pytest.raises(InvalidMatch, match=f"{name} has answers of another measurement"):
            AnswerFile(path, other)
    assert path.read_bytes() == written
    for own in (path, tmp_path / f"new-{name}.partial"):
        own.write_text("my thesis\n")
        with pytest.raises(InvalidMatch, match="or other data: remove it, or name another file"):
            AnswerFile(own.with_name(own.name.removesuffix(".partial")), plan)
        assert own.read_text() == "my thesis\n"


def test_faults_before_an_interruption_count(tmp_path: Path) -> None:
    path = tmp_path / "failing.py"
    path.write_text(FAILING)
    plan = SetPlan((str(path),), _few(80))
    expected = measure(plan)[str(path)]
    with closing(AnswerFile(tmp_path / "a.csv", plan)) as file:
        # As several processes do, the run before had answered a late question first.
        (agent,) = (made := plan.made()).__enter__()
        for question in (70, 0, 2):
            file.add(plan.ask([agent], question))
        made.__exit__(None, None, None)
        assert measure(plan, file=file)[str(path)].failed == expected.failed


def test_rows_are_one_an_agent_and_a_part(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []
    found = compare_accuracy(
        ["greedy", "random"], count=30, answers=tmp_path / "a.csv", on_row=asked.append
    )
    rows = found.rows()
    assert {len(row) for row in rows} == {len(rows[0])}
    whole = next(row for row in rows if (row["agent"], row["part"]) == ("greedy", "all"))
    data: Any = found["greedy"].as_dict()
    assert whole["perfect"] == data["perfect"]
    assert [whole["perfect_95_low"], whole["perfect_95_high"]] == list(data["perfect_95"])
    bands = [row["value"] for row in rows if row["agent"] == "greedy" and row["part"] == "band"]
    assert bands == [part["band"] for part in data["by_band"]]
    with (tmp_path / "a.csv").open(newline="") as stream:
        stored = list(csv.DictReader(stream))
    texts = [{n: "" if v is None else str(v) for n, v in row.items()} for row in asked]
    assert sorted(map(str, texts)) == sorted(map(str, stored))
    for name in ("pandas", "polars"):
        if find_spec(name) is not None:
            frame = import_module(name).DataFrame(rows)
            assert frame.shape == (len(rows), len(rows[0]))
            assert list(frame["moves"]) == [row["moves"] for row in rows]


def test_a_killed_worker_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Child] = []

    class Mortal(Child):
        """A child that is killed when it is sent its second batch of questions."""

        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **options)
            started.append(self)
            self.sent = 0

        def send(self, message: bytes, seconds: float | None = None) -> None:
            super().send(message, seconds)
            self.sent += 1
            if self.sent == 3 and len(started) < 4:
                os.kill(self.process, signal.SIGKILL)

    monkeypatch.setattr(pool, "Child", Mortal)
    plan = SetPlan(("random", "greedy"), _few(200), seed=2)
    found = measure(plan, local_workers(2))
    assert len(started) >= 3
    expected = measure(plan)
    for name in plan.names:
        assert found[name].accuracy == expected[name].accuracy
