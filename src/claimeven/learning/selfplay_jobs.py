"""Self-play tasks for executors: this process, other processes or a cluster.

The net, the configuration, the iteration and the number of a task determine its result, so any
worker can play it, and another worker replays it after a crash.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

import numpy.typing as npt

from claimeven.learning.inference_server import InferenceClient, InferenceServer
from claimeven.learning.jax_net import JaxNet
from claimeven.learning.selfplay_config import NUMPY, SelfPlayConfig
from claimeven.learning.selfplay_games import Positions, SelfPlay, SelfPlayTotals, concatenate
from claimeven.montecarlo.puct import PuctForest
from claimeven.montecarlo.puct.policy_value import PolicyValue
from claimeven.networks.net import Net
from claimeven.parallel.connection import Address
from claimeven.parallel.jobs import CheckedWork, Executor, RunJobs

#: The default timeout of a silent worker in seconds, thousands of times its usual interval.
WORKER_TIMEOUT: Final = 120.0


class Played(NamedTuple):
    """The results of games; the CPU time of an iteration is the time of other processes."""

    positions: Positions
    tally: SelfPlayTotals
    core_seconds: float


@dataclass(frozen=True)
class SelfPlayWork:
    """The tasks of an iteration, played by a net of `arrays` or by an `InferenceServer`."""

    config: SelfPlayConfig
    arrays: Mapping[str, npt.NDArray[Any]]
    iteration: int
    worker_timeout: float | None = WORKER_TIMEOUT
    server: Address | None = None

    @property
    def unit(self) -> str:
        """The name of an item of the work."""
        return "task"

    def for_other_machines(self) -> CheckedWork:
        """Return the work with a check that the other machine has the same code."""
        return CheckedWork(self)

    @contextmanager
    def runner(self) -> Iterator[RunJobs]:
        """Yield the function that plays tasks by their numbers."""
        PuctForest.load()
        with self._net() as net:
            net.load()
            yield partial(self._play, net)

    def _play(
        self, net: PolicyValue, numbers: Iterable[int]
    ) -> Iterator[tuple[int, Played] | None]:
        """Play tasks by a net: see `RunJobs`."""
        for number in numbers:
            start = time.process_time()
            games = self.config.tasks[number]
            task = SelfPlay(net, self.config, games, (self.config.seed, self.iteration, number))
            yield from task.rounds()
            seconds = time.process_time() - start
            yield number, Played(task.positions(), task.tally, seconds)

    @contextmanager
    def _net(self) -> Iterator[PolicyValue]:
        """Yield the net or the client that evaluates positions."""
        config = self.config
        if self.server is not None:
            with closing(InferenceClient(self.server, config.geometry)) as client:
                yield client
            return
        net = config.net_of(self.arrays)
        yield net if config.inference == NUMPY else JaxNet(net, config.inference_batch)


def play_selfplay(
    net: Net,
    config: SelfPlayConfig,
    iteration: int,
    executor: Executor | None = None,
    on_progress: Callable[[int], object] | None = None,
    worker_timeout: float = WORKER_TIMEOUT,
    server: InferenceServer[JaxNet] | None = None,
) -> Played:
    """Play the games of an iteration; return the positions of all, in the order of the tasks.

    Without an executor, this process plays them; the result is the same. `on_progress` gets the
    number of finished games. A worker that is silent for `worker_timeout` seconds is replaced: see
    `parallel.jobs.Workload`. A `server` evaluates positions for all workers of this machine.

    >>> from claimeven import Geometry
    >>> board = Geometry(4, 4, 3)
    >>> config = SelfPlayConfig(games=4, simulations=10, geometry=board)
    >>> played = play_selfplay(Net.zeros(config.shape, board), config, iteration=0)
    >>> played.tally.games, bool((abs(played.positions.policies.sum(axis=1) - 1) < 1e-6).all())
    (4, True)
    """
    work = SelfPlayWork(config, net.arrays, iteration, worker_timeout)
    if server is not None:
        server.model.use(net)
        work = SelfPlayWork(config, {}, iteration, worker_timeout, server.address)
    numbers = range(len(config.tasks))
    found: dict[int, Played] = {}
    results = _play_here(work, numbers) if executor is None else executor.play(work, numbers)
    for number, played in results:
        found[number] = played
        if on_progress is not None:
            on_progress(sum(each.tally.games for each in found.values()))
    in_order = [found[number] for number in numbers]
    tally = SelfPlayTotals(*map(sum, zip(*(each.tally for each in in_order), strict=True)))
    other_seconds = 0.0 if executor is None else sum(each.core_seconds for each in in_order)
    return Played(concatenate([each.positions for each in in_order]), tally, other_seconds)


def _play_here(work: SelfPlayWork, numbers: Iterable[int]) -> Iterator[tuple[int, Played]]:
    with work.runner() as play:
        yield from (result for result in play(numbers) if result is not None)
