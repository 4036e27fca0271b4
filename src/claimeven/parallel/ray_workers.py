"""An executor with the workers of a Ray cluster, or of Ray on this machine.

Ray is the extra `cluster`; it is imported when jobs are run.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from claimeven.parallel import interrupts
from claimeven.parallel.jobs import (
    MESSAGE_SECONDS,
    SEND_INTERVAL,
    CheckedWork,
    Job,
    PoolError,
    RayWorker,
    Result,
    Workload,
)
from claimeven.parallel.pool import Scheduler
from claimeven.parallel.process import POLL_INTERVAL, ChildEnded

#: Bytes of the workers' shared memory, if Ray is started here: results are small.
_SHARED = 128 << 20
#: Seconds a cluster has to answer.
_CONNECT_TIMEOUT = 10.0


@dataclass(frozen=True)
class RayWorkers:
    """An executor: workers of a Ray cluster. A worker is replaced if it or its machine ends.

    `address` is the address of a cluster ("auto", "head:6379") whose machines have claimeven
    installed. Without one, Ray is started on this machine and stopped at the end, unless this
    program has already started it. There are `jobs` workers of one core each, by default one for
    each core. `on_message` gets a sentence about each worker that hangs. Raises `PoolError` for
    less than one job, and without Ray.
    """

    jobs: int | None = None
    address: str | None = None
    on_message: Callable[[str], object] | None = None

    def __post_init__(self) -> None:
        if self.jobs is not None and not (isinstance(self.jobs, int) and self.jobs >= 1):
            raise PoolError(f"jobs must be a whole number, 1 or more, got {self.jobs!r}")
        if importlib.util.find_spec("ray") is None:
            raise PoolError("a cluster needs Ray: pip install 'claimeven[cluster]'")

    @contextmanager
    def reused(self) -> Iterator[RayWorkers]:
        """Yield these workers, with one Ray for several workloads.

        A cluster may restart between two workloads, so it is connected again for each.
        """
        with nullcontext() if self.address else _connected(None, self.jobs):
            yield self

    def play(self, work: Workload, numbers: Iterable[Job | None]) -> Generator[Result, None, None]:
        """Yield the results as `Scheduler.results`; or `PoolError` for an unfit cluster."""
        with _connected(self.address, self.jobs) as ray:
            cores = int(ray.cluster_resources().get("CPU", 1))
            count = self.jobs or max(1, cores)
            crew = _Actors(ray, CheckedWork(work, work.digests()), count)
            yield from Scheduler(crew, work, numbers, count, self.on_message).results()


class _Actors:
    """Actors of Ray: see `pool.Crew`. Each runs one short call at a time."""

    name = "Ray worker"

    def __init__(self, ray: Any, work: CheckedWork, count: int) -> None:
        self._ray = ray
        self._interval = max(SEND_INTERVAL, MESSAGE_SECONDS * count)
        self._actor_class = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(RayWorker)
        self._work = ray.put(work)
        self._calls: dict[Any, Any] = {}
        self._busy: set[Any] = set()
        self._given: defaultdict[Any, list[Job]] = defaultdict(list)
        self._undone: defaultdict[Any, int] = defaultdict(int)

    def start(self) -> Any:
        actor = self._actor_class.remote(self._interval)
        self._call(actor, actor.prepare.remote(self._work))
        return actor

    def give(self, worker: Any, jobs: list[Job], seconds: float | None) -> None:
        self._given[worker] += jobs
        self._undone[worker] += len(jobs)
        if worker not in self._busy:
            self._step(worker)

    def wait(self, workers: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        calls = list(self._calls)
        if not calls:  # all wait for jobs
            time.sleep(POLL_INTERVAL)
            return
        done, others = self._ray.wait(calls, num_returns=1, timeout=POLL_INTERVAL)
        if done and others:
            done += self._ray.wait(others, num_returns=len(others), timeout=0)[0]
        for call in done:
            actor = self._calls.pop(call, None)
            if actor is None:  # it was killed
                continue
            self._busy.discard(actor)
            try:
                message = self._ray.get(call)
            except self._ray.exceptions.RayTaskError:
                raise
            except self._ray.exceptions.RayError as error:
                yield actor, ChildEnded(_last_line(error))
                continue
            if isinstance(message, list):
                self._undone[actor] -= len(message)
                if self._undone[actor]:
                    self._step(actor)
            yield actor, message

    def kill(self, worker: Any) -> None:
        self._calls = {call: each for call, each in self._calls.items() if each is not worker}
        with suppress(self._ray.exceptions.RayError):
            self._ray.kill(worker)

    def release(self, ready: Sequence[Any], others: Sequence[Any]) -> None:
        for worker in (*ready, *others):
            self.kill(worker)

    def _step(self, actor: Any) -> None:
        self._call(actor, actor.step.remote(self._given.pop(actor, [])))

    def _call(self, actor: Any, call: Any) -> None:
        self._calls[call] = actor
        self._busy.add(actor)


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__


@contextmanager
def _connected(address: str | None, jobs: int | None) -> Iterator[Any]:
    """Yield Ray, connected to a cluster; stop a Ray started for it at the end."""
    if address is not None:
        _try_to_reach(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray sends no reports
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    with interrupts.deferred():
        import ray  # noqa: PLC0415 - an extra
    if ray.is_initialized():
        yield ray
        return
    quiet: dict[str, Any] = {
        "log_to_driver": False,
        "logging_level": logging.ERROR,
        "namespace": "claimeven",
    }
    if address is None:
        quiet |= {"num_cpus": jobs, "include_dashboard": False, "object_store_memory": _SHARED}
    try:
        with interrupts.deferred():
            try:
                ray.init(address or "local", **quiet)
            except (ConnectionError, RuntimeError, ValueError) as error:
                where = "Ray cannot be started here" if address is None else address
                reason = (str(error).strip() or type(error).__name__).splitlines()[0]
                reason = reason.partition(". ")[0].rstrip(".")
                if isinstance(error, ConnectionError) and address not in (None, "auto"):
                    reason += " (a cluster that asks for a token needs it and RAY_AUTH_MODE=token)"
                raise PoolError(f"{where}: {reason}") from None
            # Ray prints the loss of a machine on stdout, among results.
            ray._private.worker._worker_logs_enabled = False
        yield ray
    finally:
        with interrupts.deferred():
            ray.shutdown()


def _try_to_reach(address: str) -> None:
    """Raise `PoolError` if the address does not answer: Ray would try for over a minute."""
    if address in ("auto", "local"):
        return
    scheme, _, rest = address.rpartition("://")
    try:
        place = urlsplit(f"//{rest}")
        if scheme not in ("", "ray") or not place.hostname or not place.port:
            raise ValueError
    except ValueError:
        raise PoolError(
            f"a Ray address must be host:port, ray://host:port or auto, got {address!r}"
        ) from None
    try:
        socket.create_connection((place.hostname, place.port), timeout=_CONNECT_TIMEOUT).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise PoolError(f"no Ray cluster answers at {address}: {reason}") from None
