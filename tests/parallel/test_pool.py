"""Workers that do numbered jobs: no result is lost or comes twice, and no process is left."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from claimeven.parallel import pool
from claimeven.parallel.jobs import PoolError
from claimeven.parallel.pool import LocalWorkers, Scheduler
from claimeven.parallel.process import Child, ChildEnded, ChildTimeout
from tests.parallel.stopping import FailingWork, StoppedWork, WaitingWork

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are stopped by signals")


def squares(count: int) -> list[tuple[int, int]]:
    return [(n, n * n) for n in range(count)]


class Noted(Child):
    """A child that notes, with all of its class, its arguments and its time."""

    started: list[Noted]

    def __init__(self, module: str, **others: Any) -> None:
        super().__init__(module, **others)
        self.others = others
        self.deadlines: list[float | None] = []
        self.started.append(self)

    def send(self, message: bytes, seconds: float | None = None) -> None:
        self.deadlines.append(seconds)
        super().send(message, seconds)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Noted]:
    monkeypatch.setattr(Noted, "started", [], raising=False)
    monkeypatch.setattr(pool, "Child", Noted)
    return Noted.started


def test_a_worker_that_hangs_is_replaced(tmp_path: Path, started: list[Noted]) -> None:
    """It is stopped, alive and silent; another does its job, and it is killed."""
    output: list[str] = []
    work = StoppedWork(str(tmp_path), worker_timeout=1.0)
    assert sorted(LocalWorkers(2, output.append).play(work, range(6))) == squares(6)
    assert output[0] == (
        "a process that runs square 3 hangs (no sign of life for 1 s): another one runs it again"
    )
    assert len(started) == 3
    assert all(child.ended for child in started)


def test_work_over_which_every_process_hangs_is_given_up(tmp_path: Path) -> None:
    work = StoppedWork(str(tmp_path), at=0, always=True, worker_timeout=0.2)
    with pytest.raises(PoolError, match=r"runs square 1 died 3 times: no sign of life"):
        list(LocalWorkers(1).play(work, [0]))


def test_work_that_cannot_start_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(PoolError, match="will not start"):
        list(LocalWorkers(2).play(FailingWork(str(tmp_path)), range(4)))
    with pytest.raises(PoolError, match="no process could be started in 3 tries: exit status 5"):
        list(LocalWorkers(2).play(FailingWork(str(tmp_path), leaves=True), range(4)))


def test_workers_that_never_get_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "START_TIMEOUT", 0.0)
    crew = Killed(set())
    monkeypatch.setattr(crew, "wait", lambda workers: iter(()))
    with pytest.raises(PoolError, match="no number was ready after 0 s"):
        list(Scheduler(crew, StoppedWork(str(tmp_path)), range(4), 2).results())
    assert crew.killed == set(crew.workers)


def test_reused_workers_continue_with_the_next_work(tmp_path: Path, started: list[Noted]) -> None:
    """The same processes, except one that died; in the end no process is left."""
    work = StoppedWork(str(tmp_path), at=99)
    with LocalWorkers(3).reused() as workers:
        for _ in range(3):
            assert sorted(workers.play(work, range(40))) == squares(40)
        first = {child.process for child in workers._resting or []}
        for child in started:
            os.kill(child.process, signal.SIGKILL)  # at least the number that may fail to start
            os.waitid(os.P_PID, child.process, os.WEXITED | os.WNOWAIT)
        assert sorted(workers.play(work, range(40))) == squares(40)
        assert not first & {child.process for child in workers._resting or []}
        with closing(workers.play(WaitingWork(str(tmp_path)), range(4))):
            pass
    assert len(started) == 6
    assert all(child.ended for child in started)


def test_at_most_one_worker_per_job_and_all_end(tmp_path: Path, started: list[Noted]) -> None:
    """Each is one core's worth of work, and has a deadline to take its jobs."""
    work = StoppedWork(str(tmp_path), at=9, worker_timeout=60.0)
    with closing(LocalWorkers(5).play(work, [0, 1])) as results:
        assert next(results) in [(0, 0), (1, 1)]
    assert len(started) == 2
    for child in started:
        assert child.ended
        assert child.others["variables"]["OMP_NUM_THREADS"] == "1"
        assert child.deadlines[0] == pool.START_TIMEOUT
        assert set(child.deadlines[1:]) <= {60.0}


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("is_alive", [True, False])
def test_a_worker_that_takes_no_message_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    started: list[Noted],
    number: int,
    is_alive: bool,
) -> None:
    """The first message to it is the work, the second numbers."""

    class Deaf(Noted):
        def send(self, message: bytes, seconds: float | None = None) -> None:
            if self is self.started[0] and len(self.deadlines) == number - 1:
                if is_alive:
                    os.kill(self.process, signal.SIGSTOP)
                    os.waitid(os.P_PID, self.process, os.WSTOPPED | os.WNOWAIT)
                    super().send(bytes(1 << 22), 0.1)  # more than its connection holds
                self.kill()
            super().send(message, seconds)

    output: list[str] = []
    monkeypatch.setattr(pool, "Child", Deaf)
    work = StoppedWork(str(tmp_path), at=9, worker_timeout=60.0)
    assert sorted(LocalWorkers(1, output.append).play(work, range(3))) == squares(3)
    assert len(started) == 2
    hangs = "a process that runs square 1 hangs (it reads no more messages): another one"
    assert [each[: len(hangs)] for each in output] == [hangs] * (is_alive and number == 2)


def test_messages_that_come_while_results_are_used_are_all_read(tmp_path: Path) -> None:
    found = []
    for result in LocalWorkers(2).play(StoppedWork(str(tmp_path), at=9999), range(600)):
        time.sleep(0.2 if len(found) % 200 == 50 else 0)  # workers send more than one message
        found.append(result)
    assert sorted(found) == squares(600)


class Killed:
    """A crew whose workers are numbers, do one job at a time, and end over some of them."""

    name = "number"

    def __init__(self, deadly: set[int], dies_silently: bool = False) -> None:
        self.deadly = deadly
        self.dies_silently = dies_silently
        self.workers: list[int] = []
        self.messages: list[tuple[int, Any]] = []
        self.given: list[list[int]] = []
        self.killed: set[int] = set()

    def start(self) -> int:
        self.workers.append(1000 + len(self.workers))
        self.messages.append((self.workers[-1], []))
        return self.workers[-1]

    def give(self, worker: int, numbers: list[int], seconds: float | None) -> None:
        self.given.append(numbers)
        for number in numbers:
            if number in self.deadly:
                self.deadly.discard(number)
                raise ChildTimeout if self.dies_silently else ChildEnded("on purpose")
            self.messages.append((worker, [(number, number * number)]))

    def wait(self, workers: Sequence[int]) -> Iterator[tuple[int, Any]]:
        messages, self.messages = self.messages, []
        yield from (each for each in messages if each[0] in workers)

    def kill(self, worker: int) -> None:
        self.killed.add(worker)

    def release(self, ready: Sequence[int], others: Sequence[int]) -> None:
        self.killed.update((*ready, *others))


@pytest.mark.parametrize("dies_silently", [False, True])
@pytest.mark.parametrize("count", [1, 3])
def test_the_jobs_of_a_worker_that_ends_are_done_again_one_at_a_time(
    tmp_path: Path, count: int, dies_silently: bool
) -> None:
    crew = Killed({3, 17}, dies_silently)
    scheduler = Scheduler(crew, StoppedWork(str(tmp_path)), range(200), count)
    assert sorted(scheduler.results()) == squares(200)
    assert len(crew.workers) == count + 2
    assert crew.killed == set(crew.workers)
    assert max(map(len, crew.given)) <= pool.MAX_BATCH


def test_the_first_job_of_a_worker_is_to_blame_for_its_end(tmp_path: Path) -> None:
    scheduler = Scheduler(Killed(set()), StoppedWork(str(tmp_path)), range(3), 1)
    for _ in range(2):
        scheduler._start()
        member = next(iter(scheduler.members.values()))
        member.jobs = {4: 4, 5: 5, 6: 6}
        scheduler._replace(member, "on purpose")
        assert list(scheduler._suspects) == [4, 5, 6]
        assert [scheduler._next(512) for _ in range(3)] == [[4], [5], [6]]
    member = next(iter(scheduler.members.values()))
    member.jobs = {4: 4, 5: 5, 6: 6}
    with pytest.raises(PoolError, match=r"runs square 5 died 3 times: on purpose"):
        scheduler._replace(member, "on purpose")


def test_a_stopped_job_is_left_out(tmp_path: Path) -> None:
    crew = Killed(set())
    work = StoppedWork(str(tmp_path))
    results = Scheduler(crew, work, filter(lambda number: number % 3, range(9)), 2).results()
    assert sorted(results) == [(n, n * n) for n in (1, 2, 4, 5, 7, 8)]


def test_how_long_a_worker_may_be_silent() -> None:
    """Only one that has something to do is waited for, not as long as it waited for jobs."""
    member = pool._Member(None)
    heard = member.heard_at
    assert not member.is_silent(1.0, heard + 10)
    member.jobs[7] = 7
    assert member.is_silent(1.0, heard + 1.1)
    assert not member.is_silent(None, heard + 1e6)
    member.note(0)
    assert not member.is_silent(1.0, member.heard_at + 0.9)
    for _ in range(20):
        member.note(10**9)
    assert member.batch == pool.MAX_BATCH


def test_a_worker_says_that_it_is_ready_and_that_it_lives(tmp_path: Path) -> None:
    said: list[str] = []
    child = Child("claimeven.parallel.jobs", said.append)
    try:
        child.send(pickle.dumps(WaitingWork(str(tmp_path))))
        assert pickle.loads(child.receive(60)) == []
        child.send(pickle.dumps([7]))
        assert pickle.loads(child.receive(60)) == []
        (tmp_path / "go").touch()
        while not (results := pickle.loads(child.receive(60))):
            pass
        assert results == [(7, 49)]
        child.close_input()
        with pytest.raises(ChildEnded, match="exit status 0"):
            child.receive(60)
    finally:
        child.kill()
    assert "".join(said) == "begun\n"
