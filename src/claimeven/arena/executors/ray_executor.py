"""Games played by the machines of a Ray cluster, or by a Ray of this machine.

Ray is the extra `cluster`; it is imported when there are games to play.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import socket
import time
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from claimeven.arena.errors import InvalidMatch
from claimeven.arena.executors.local_workers import START, TRIES
from claimeven.arena.executors.ray_worker import Player, Portion, Surroundings
from claimeven.arena.executors.work import AnyWork, Result, Tell
from claimeven.game.validation import whole_number
from claimeven.parallel import interrupts

#: Seconds of work that are handed out at a time, about, where a game takes less: what a call over
#: a network costs is small beside it.
SPELL = 0.5
#: Games handed out at a time, at most.
MOST = 2048
#: Bytes of memory that workers share, where Ray is started here: games are small.
_SHARED = 128 << 20
#: Seconds a cluster has to answer.
_ANSWER = 10.0
#: Seconds that a call waits for news before it lets Ctrl-C through.
_LOOK = 1.0


@dataclass(frozen=True)
class RayWorkers:
    """Workers of a Ray cluster; one that ends, or whose machine does, is replaced.

    `address` is that of a cluster ("auto", "head:6379"), whose machines have claimeven installed;
    without one Ray is started on this machine and stopped at the end, unless this program has
    started it before. There are as many workers as `jobs`, each a core; None stands for all cores.
    One that hangs (see `AnyWork.patience`) is replaced too, which `tell` is told. Raises
    `InvalidMatch` for less than one, and where Ray is not installed.
    """

    jobs: int | None = None
    address: str | None = None
    tell: Tell | None = None

    def __post_init__(self) -> None:
        if self.jobs is not None and whole_number(self.jobs, "jobs", InvalidMatch) < 1:
            raise InvalidMatch(f"a match takes at least 1 job, not {self.jobs}")
        if importlib.util.find_spec("ray") is None:
            raise InvalidMatch("many machines need Ray: pip install 'claimeven[cluster]'")

    @contextmanager
    def kept(self) -> Iterator[RayWorkers]:
        """Yield these workers, with a Ray that stays from one work to the next until this ends.

        A Ray that others have started may go and come back between two works: it is asked anew.
        """
        with nullcontext() if self.address else _connected(None, self.jobs):
            yield self

    def play(self, work: AnyWork, numbers: Sequence[int]) -> Generator[Result, None, None]:
        """Yield the games as they end. Raises `InvalidMatch` for one over which `TRIES` workers end
        or hang, for a cluster that does not answer, and for machines that cannot play.
        """
        with _connected(self.address, self.jobs) as ray:
            cores = int(ray.cluster_resources().get("CPU", 1))
            jobs = min(self.jobs or max(1, cores), len(numbers))
            workers = _Workers(ray, work, numbers, jobs, self.tell)
            try:
                yield from workers.play()
            finally:
                with interrupts.put_off():
                    workers.end()


@contextmanager
def _connected(address: str | None, jobs: int | None) -> Iterator[Any]:
    """Yield Ray, connected to a cluster; what was started for it is stopped at the end."""
    if address is not None:
        _try_to_reach(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    with interrupts.put_off():
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
        with interrupts.put_off():
            try:
                ray.init(address or "local", **quiet)
            except (ConnectionError, RuntimeError, ValueError) as error:
                where = "Ray cannot be started here" if address is None else address
                told = (str(error).strip() or type(error).__name__).splitlines()[0]
                told = told.partition(". ")[0].rstrip(".")
                if isinstance(error, ConnectionError) and address not in (None, "auto"):
                    told += " (a cluster that asks for a token needs it and RAY_AUTH_MODE=token)"
                raise InvalidMatch(f"{where}: {told}") from None
        yield ray
    finally:
        with interrupts.put_off():
            ray.shutdown()


def _try_to_reach(address: str) -> None:
    """Raise `InvalidMatch` where nobody answers: Ray itself would try for more than a minute."""
    if address in ("auto", "local"):
        return
    scheme, _, rest = address.rpartition("://")
    try:
        place = urlsplit(f"//{rest}")
        if scheme not in ("", "ray") or not place.hostname or not place.port:
            raise ValueError
    except ValueError:
        raise InvalidMatch(
            f"a Ray cluster's address is host:port, ray://host:port or auto, not {address!r}"
        ) from None
    try:
        socket.create_connection((place.hostname, place.port), timeout=_ANSWER).close()
    except OSError as error:
        told = error.strerror or str(error)
        raise InvalidMatch(f"no Ray cluster answers at {address}: {told}") from None


@dataclass(eq=False)
class _Worker:
    """A worker, the games it is playing, and how many to give it next.

    It was given `given` games at one time of the clock, and last asked for something at another.
    """

    actor: Any
    numbers: tuple[int, ...] = ()
    batch: int = 1
    ready: bool = False
    given: int = 0
    given_at: float = 0.0
    asked_at: float = field(default_factory=time.monotonic)

    def note(self, portion: Portion) -> None:
        """Note that games have come, and if they were the last ones how many take a spell."""
        done = {number for number, _ in portion.results}
        self.numbers = tuple(number for number in self.numbers if number not in done)
        if portion.is_last:
            seconds = max(time.monotonic() - self.given_at, 1e-9)
            self.batch = max(1, min(int(SPELL * self.given / seconds), 2 * self.batch, MOST))


class _Workers:
    """Several actors that play the games of a plan, one call each at a time.

    A game is done when its record has come, so a game may be played twice, and is yielded once.
    """

    def __init__(
        self, ray: Any, work: AnyWork, numbers: Sequence[int], jobs: int, tell: Tell | None
    ) -> None:
        self._ray = ray
        self._unit, self._patience, self._tell = work.unit, work.patience, tell
        self._actor_class = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(Player)
        self._work = ray.put(work)
        self._surroundings = Surroundings.of(work)
        self._waiting = deque(numbers)
        self._suspects: deque[int] = deque()
        self._left = len(numbers)
        self._lost: Counter[int] = Counter()
        self._not_started = 0
        self._calls: dict[Any, _Worker] = {}
        self._idle: list[_Worker] = []
        self._jobs = jobs
        for _ in range(jobs):
            self._start()

    def play(self) -> Iterator[Result]:
        """Yield the games as they are finished."""
        while self._left:
            while self._idle and (self._waiting or self._suspects):
                self._hand_out(self._idle.pop())
            done, _ = self._ray.wait(list(self._calls), num_returns=1, timeout=_LOOK)
            for call in done:
                results = self._results_of(call)
                self._left -= len(results)
                yield from results
            if self._patience is not None:
                self._give_up_the_silent(self._patience)

    def end(self) -> None:
        """End the workers at once, with what they are playing."""
        for worker in [*self._calls.values(), *self._idle]:
            with suppress(self._ray.exceptions.RayError):
                self._ray.kill(worker.actor)

    def _start(self) -> None:
        """Start a worker. It gets games when it is ready: there may be no core for it by now."""
        worker = _Worker(self._actor_class.remote())
        self._calls[worker.actor.prepare.remote(self._work, self._surroundings)] = worker

    def _hand_out(self, worker: _Worker) -> None:
        worker.numbers = self._next(worker.batch)
        worker.given, worker.given_at = len(worker.numbers), time.monotonic()
        self._ask(worker, worker.actor.play.remote(worker.numbers))

    def _ask(self, worker: _Worker, call: Any) -> None:
        worker.asked_at = time.monotonic()
        self._calls[call] = worker

    def _next(self, most: int) -> tuple[int, ...]:
        """Take games to be handed out: one that a worker ended over alone, towards the end few."""
        if self._suspects:
            return (self._suspects.popleft(),)
        share = len(self._waiting) // (2 * self._jobs)
        return tuple(self._waiting.popleft() for _ in range(max(1, min(most, share))))

    def _results_of(self, call: Any) -> list[Result]:
        """Return the games of a call; none if it made a worker ready, or the worker has ended."""
        worker = self._calls.pop(call)
        try:
            answer = self._ray.get(call, timeout=self._patience)
        except self._ray.exceptions.RayTaskError:
            self._idle.append(worker)  # so that it is ended with the others
            raise
        except self._ray.exceptions.RayError as error:
            self._replace(worker, _last_line(error))
            return []
        if isinstance(answer, BaseException):
            self._idle.append(worker)
            raise answer
        if not worker.ready:
            worker.ready, self._not_started = True, 0
            self._idle.append(worker)
            return []
        worker.note(answer)
        if answer.is_last:
            self._idle.append(worker)
        else:
            self._ask(worker, worker.actor.go_on.remote())
        return list(answer.results)

    def _give_up_the_silent(self, patience: float) -> None:
        """End workers that hang, and have their games played by others.

        One that is not ready may wait for a core that others have; if none is ready, it is time to
        say so.
        """
        now = time.monotonic()
        late = [call for call, each in self._calls.items() if now - each.asked_at > patience]
        if not late:
            return
        _, late = self._ray.wait(late, num_returns=len(late), timeout=0)  # some have come by now
        for call in late:
            worker = self._calls[call]
            if worker.ready:
                del self._calls[call]
                how = f"no sign of life for {patience:g} s"
                if self._tell is not None:
                    what = f"{self._unit} {worker.numbers[0] + 1}"
                    self._tell(
                        f"a Ray worker that plays {what} hangs ({how}): another one plays it again"
                    )
                self._replace(worker, how)
        workers = [*self._calls.values(), *self._idle]
        if all(not each.ready and now - each.asked_at > START for each in workers):
            raise InvalidMatch(
                f"no Ray worker was ready after {START:g} s: the cluster may have no free core"
            )

    def _replace(self, worker: _Worker, how: str) -> None:
        """Have the games of a worker that has ended played again, each by itself, by a new one.

        Which of several games it ended over is not known: only one played alone is to blame.
        """
        with suppress(self._ray.exceptions.RayError):
            self._ray.kill(worker.actor)  # it may live on, out of reach
        if not worker.ready:
            self._not_started += 1
            if self._not_started == TRIES:
                raise InvalidMatch(f"{TRIES} Ray workers could not be started: {how}")
        elif len(worker.numbers) == 1:
            number = worker.numbers[0]
            self._lost[number] += 1
            if self._lost[number] == TRIES:
                raise InvalidMatch(
                    f"the Ray worker that plays {self._unit} {number + 1} has ended {TRIES} times"
                )
        self._suspects.extendleft(reversed(worker.numbers))
        self._start()


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__
