"""Calls for many items: one result each, in order if asked, on any executor."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from claimeven.parallel.executors import ExecutorOptions, local_workers
from claimeven.parallel.jobs import AHEAD, Calls, PoolError, read_ahead

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are killed by signals")

WORDS = [f"word {n}" * (n % 7) for n in range(300)]


@contextmanager
def suffix(text: str, folder: Path) -> Iterator[str]:
    """Yield a text that calls share. Each worker leaves a mark."""
    (folder / f"{os.getpid()}.started").touch()
    yield text


def joined(shared: str, item: str) -> str:
    return item + shared


def joined_or_killed(folder: Path, shared: str, item: str) -> str:
    """Join, but kill the first worker that gets the item of a number in the middle."""
    mark = folder / "killed"
    if item == WORDS[151] and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item + shared


def refused(shared: str, item: str) -> str:
    raise PoolError(f"no {item!r}")


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_item_has_its_result(tmp_path: Path, jobs: int) -> None:
    calls = Calls(joined, partial(suffix, "!", tmp_path))
    wanted = [f"{word}!" for word in WORDS]
    assert sorted(calls.results(WORDS, local_workers(jobs))) == list(enumerate(wanted))
    assert list(calls.in_order(iter(WORDS), local_workers(jobs))) == wanted
    assert len(list(tmp_path.glob("*.started"))) <= 2 * jobs  # once in each worker
    assert list(calls.results([], local_workers(jobs))) == []


def test_a_killed_worker_changes_no_result_and_no_order(tmp_path: Path) -> None:
    calls = Calls(partial(joined_or_killed, tmp_path), partial(suffix, "!", tmp_path))
    found = list(calls.in_order(iter(WORDS), local_workers(2)))
    assert (tmp_path / "killed").exists()
    assert found == [f"{word}!" for word in WORDS]


def test_an_error_of_the_package_ends_the_work(tmp_path: Path) -> None:
    calls = Calls(refused, partial(suffix, "", tmp_path))
    for jobs in (1, 2):
        with pytest.raises(PoolError, match="no 'word 1'"):
            list(calls.results(["word 1"] * 3, local_workers(jobs)))


@pytest.mark.parametrize("jobs", [1, 2])
def test_few_of_endless_items_are_taken(tmp_path: Path, jobs: int) -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        for number in itertools.count():
            taken += 1
            yield str(number)

    calls = Calls(joined, partial(suffix, "!", tmp_path))
    with closing(calls.in_order(endless(), local_workers(jobs), window=20)) as found:
        for number in range(500):
            assert next(found) == f"{number}!"
            assert taken <= number + 22


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_result_comes_before_the_next_item(tmp_path: Path, jobs: int) -> None:
    """As a program needs that writes a line only when it has read the answer."""
    answered = threading.Event()

    def careful() -> Iterator[str]:
        yield "one"
        answered.wait()
        yield "two"

    calls = Calls(joined, partial(suffix, "!", tmp_path))
    with closing(calls.in_order(read_ahead(careful()), local_workers(jobs))) as found:
        assert next(found) == "one!"
        answered.set()
        assert list(found) == ["two!"]


def test_items_are_read_ahead_to_a_bound_and_their_error_is_raised() -> None:
    taken: list[int] = []
    ended = threading.Event()

    def failing() -> Iterator[int]:
        for number in range(2 * AHEAD):
            taken.append(number)
            yield number
        ended.set()
        raise PoolError("torn")

    items = read_ahead(failing())
    assert next(item for item in items if item is not None) == 0
    assert len(taken) <= AHEAD + 2
    with pytest.raises(PoolError, match="torn"):
        for _ in items:
            pass
    assert ended.is_set()


def test_executors_by_name() -> None:
    assert ExecutorOptions().workers() is None
    assert ExecutorOptions(jobs=3).workers() == local_workers(3)
    assert ExecutorOptions().workers(2) == local_workers(2)
    given = local_workers(2)
    assert ExecutorOptions(executor=given).workers() is given
    with pytest.raises(PoolError, match="there is no executor 'cloud'"):
        ExecutorOptions(executor="cloud").workers()
    with pytest.raises(PoolError, match="jobs must be 4,096 or fewer on one machine, got 9,999"):
        local_workers(9999)
    with pytest.raises(PoolError, match=r"jobs must be a whole number, got 1\.5"):
        ExecutorOptions(jobs=1.5).workers()  # type: ignore[arg-type]  # bad on purpose
