"""The scheduler of executors with many simulated workers: `python -m bench.executor`.

    python -m bench.executor                  1,000 workers, jobs of 0, 2 and 20 ms
    python -m bench.executor --workers 100

There are no processes: a simulated worker answers when its jobs would be done, at the real clock.
So the time is the head's, which hands out jobs and takes results, without the cost of messages. The
script asserts that each job has its result once, also with one worker in a hundred that ends.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import time
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bench.timing import machine
from claimeven.parallel.jobs import MESSAGE_SECONDS, SEND_INTERVAL, Calls, Job
from claimeven.parallel.pool import Scheduler
from claimeven.parallel.process import ChildEnded

#: Milliseconds of a job, and the number of jobs.
LOADS = ((0.0, 1_000_000), (2.0, 1_000_000), (20.0, 500_000))


class Worker:
    """A simulated worker: the time at which its jobs are done, and its results."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.free_at = 0.0


class SimulatedCrew:
    """Workers that answer in time, of which some end when they get jobs: see `pool.Crew`."""

    name = "simulated worker"

    def __init__(self, seconds: float, workers: int) -> None:
        self.seconds, self.ends_left = seconds, workers // 100
        #: Seconds after which a worker sends its results, as the workers of Ray do.
        self.interval = max(SEND_INTERVAL, MESSAGE_SECONDS * workers)
        self.given = 0
        self.order = itertools.count()
        self.messages: list[tuple[float, int, Worker, Any]] = []

    def start(self) -> Worker:
        """Start a worker, which is ready."""
        worker = Worker(next(self.order))
        self._send(0.0, worker, [])
        return worker

    def give(self, worker: Worker, jobs: list[Job], seconds: float | None) -> None:
        """Compute when results are sent."""
        self.given += 1
        if self.ends_left and self.given % 97 == 0:
            self.ends_left -= 1
            raise ChildEnded("on purpose")
        now = time.perf_counter()
        at = max(now, worker.free_at)
        size = max(1, int(self.interval / self.seconds)) if self.seconds else len(jobs)
        for start in range(0, len(jobs), size):
            some = jobs[start : start + size]
            at += len(some) * self.seconds
            self._send(at, worker, [(job[0], job[1]) for job in some if isinstance(job, tuple)])
        worker.free_at = at

    def wait(self, workers: Iterable[Worker]) -> Iterator[tuple[Worker, Any]]:
        """Yield the messages that are due; wait for the first one."""
        if self.messages and (left := self.messages[0][0] - time.perf_counter()) > 0:
            time.sleep(left)
        now = time.perf_counter()
        while self.messages and self.messages[0][0] <= now:
            _, _, worker, message = heapq.heappop(self.messages)
            yield worker, message

    def kill(self, worker: Worker) -> None:
        """End a worker."""

    def release(self, ready: Sequence[Worker], others: Sequence[Worker]) -> None:
        """End all workers."""

    def _send(self, at: float, worker: Worker, message: Any) -> None:
        heapq.heappush(self.messages, (at, next(self.order), worker, message))


def identity(shared: None, item: int) -> int:
    """The function of the calls; simulated workers do not call it."""
    return item


def run(workers: int, seconds: float, jobs: int) -> float:
    """Run jobs by simulated workers; return the seconds."""
    crew = SimulatedCrew(seconds, workers)
    begin, total, count = time.perf_counter(), 0, 0
    for number, result in Scheduler(
        crew, Calls(identity), list(enumerate(range(jobs))), workers
    ).results():
        assert number == result
        total, count = total + result, count + 1
    assert (count, total) == (jobs, jobs * (jobs - 1) // 2)
    return time.perf_counter() - begin


def main(arguments: Sequence[str] | None = None) -> None:
    """Print jobs a second, the share of the workers' time that is used, and memory."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--quick", action="store_true", help="a hundredth of the jobs")
    given = parser.parse_args(arguments)
    print(machine())
    for milliseconds, jobs in LOADS:
        count = jobs // 100 if given.quick else jobs
        seconds = run(given.workers, milliseconds / 1000, count)
        used = count * milliseconds / 1000 / seconds / given.workers
        print(
            f"{given.workers:,} workers, {count:,} jobs of {milliseconds:g} ms:"
            f" {count / seconds:,.0f} jobs a second, workers busy {used:.0%}"
        )
    tracemalloc.start()
    run(given.workers, 0.0, LOADS[0][1] // 10)
    greatest = tracemalloc.get_traced_memory()[1]
    print(f"greatest memory of the scheduler and the simulation: {greatest / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
