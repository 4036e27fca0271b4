"""Calls of one function for many items, in this process or by the workers of an executor.

The result of a call is a function of its item, so it does not depend on the executor. Without an
executor this process calls the function, in the order of the items.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

from claimeven.parallel.jobs import CheckedWork, Executor, Job, Result, RunJobs

#: Items whose results may be open or wait for an earlier one, and items read in advance.
WINDOW, AHEAD = 8192, 512

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Calls:
    """The calls of a function: a workload (see `jobs.Workload`) whose jobs are numbered items.

    `setup()` is entered once in each worker and yields an object for its calls; then
    `function(shared, item)` is called for each item. Both must be picklable: functions of a module,
    or `functools.partial` of them. Raise a `ClaimevenError` to end the work. `unit` is the word for
    an item in messages.
    """

    function: Callable[[Any, Any], Any]
    setup: Callable[[], AbstractContextManager[Any]] = nullcontext
    unit: str = "position"
    worker_timeout: float | None = None

    @contextmanager
    def runner(self) -> Iterator[RunJobs]:
        with self.setup() as shared:
            yield lambda jobs: ((number, self.function(shared, item)) for number, item in jobs)

    def for_other_machines(self) -> CheckedWork:
        return CheckedWork(self)

    def results(
        self, items: Iterable[Any], executor: Executor | None = None
    ) -> Generator[Result, None, None]:
        """Yield the result of each item with its number, as they are ready."""
        jobs = _Numbered(items) if isinstance(items, Sequence) else enumerate(items)
        with closing(self._run(jobs, executor)) as found:
            yield from found

    def in_order(
        self, items: Iterable[Any], executor: Executor | None = None, window: int = WINDOW
    ) -> Generator[Any, None, None]:
        """Yield the results in the order of the items, which may be endless.

        At most `window` items are open or wait for an earlier one. An item None means that there is
        none now (see `read_ahead`).
        """
        waiting: dict[int, Any] = {}
        done = 0

        def jobs() -> Iterator[Job | None]:
            number = 0
            for item in items:
                while number >= done + window:
                    yield None
                if item is None:
                    yield None
                else:
                    yield number, item
                    number += 1

        with closing(self._run(jobs(), executor)) as found:
            for number, result in found:
                waiting[number] = result
                while done in waiting:
                    yield waiting.pop(done)
                    done += 1

    def _run(
        self, jobs: Iterable[Job | None], executor: Executor | None
    ) -> Generator[Result, None, None]:
        if executor is not None:
            yield from executor.play(self, jobs)
            return
        with self.runner() as run:
            yield from (each for each in run(job for job in jobs if job) if each is not None)


@contextmanager
def made(make: Callable[[], Any]) -> Iterator[Any]:
    """Yield `make()`: a setup of `Calls`."""
    yield make()


class _Numbered(Sequence[Any]):
    """Items with their numbers; the executor knows how many there are."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, number: Any) -> Any:
        return number, self._items[number]


def read_ahead(items: Iterable[_Item]) -> Iterator[_Item | None]:
    """Yield items that a thread reads in advance, at most `AHEAD`; None while there is none.

    So results can be printed while the next item is awaited, such as a line of stdin.
    """
    read: queue.SimpleQueue[tuple[_Item] | BaseException | None] = queue.SimpleQueue()
    free: queue.SimpleQueue[None] = queue.SimpleQueue()
    for _ in range(AHEAD):
        free.put(None)

    def work() -> None:
        end: BaseException | None = None
        try:
            for item in items:
                read.put((item,))
                free.get()
        except BaseException as error:  # the user of the items gets it
            end = error
        read.put(end)

    threading.Thread(target=work, daemon=True).start()
    while True:
        try:
            found = read.get_nowait()
        except queue.Empty:
            yield None
            continue
        if not isinstance(found, tuple):
            if found is not None:
                raise found
            return
        free.put(None)
        yield found[0]
