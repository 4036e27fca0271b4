"""Tasks of self-play as work of executors: this process, others, or a cluster.

What a task gives is decided by the net, the config, the iteration and its number, so it does not
matter who plays it, and one whose worker ended is played again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

import numpy.typing as npt

from claimeven.arena.executors import CheckedWork
from claimeven.learning.inference_server import InferenceClient, InferenceServer
from claimeven.learning.jax_net import NetInJax
from claimeven.learning.selfplay_config import NUMPY, SelfPlayConfig
from claimeven.learning.selfplay_games import Positions, SelfPlay, Tally, concatenate
from claimeven.montecarlo.puct import PuctForest
from claimeven.montecarlo.puct.policy_value import PolicyValue
from claimeven.networks.net import Net
from claimeven.parallel.connection import Address
from claimeven.parallel.jobs import Executor, RunJobs

#: Seconds that a worker may say nothing: thousands of times what it takes to say that it plays.
PATIENCE: Final = 120.0


class Played(NamedTuple):
    """The results of games: positions to learn from, what happened, and the CPU time in seconds: of
    a task, all of it; of an iteration, that of other processes.
    """

    positions: Positions
    tally: Tally
    core_seconds: float


@dataclass(frozen=True)
class SelfPlayWork:
    """The tasks of an iteration, with the arrays of the net that plays: a `parallel.jobs.Workload`.

    `judge` is the address of an `InferenceServer` that has the net instead.
    """

    config: SelfPlayConfig
    arrays: Mapping[str, npt.NDArray[Any]]
    iteration: int
    worker_timeout: float | None = PATIENCE
    judge: Address | None = None

    @property
    def unit(self) -> str:
        """What a number stands for."""
        return "task"

    def for_other_machines(self) -> CheckedWork:
        """Return the work with a check that a machine has the same program."""
        return CheckedWork.of(self, ())

    @contextmanager
    def runner(self) -> Iterator[RunJobs]:
        """Yield what plays tasks by their numbers."""
        PuctForest.load()
        with self._net() as net:
            net.load()
            yield partial(self._played, net)

    def _played(
        self, net: PolicyValue, numbers: Iterable[int]
    ) -> Iterator[tuple[int, Played] | None]:
        """Play tasks by a net: see `RunJobs`."""
        for number in numbers:
            begin = time.process_time()
            games = self.config.tasks[number]
            task = SelfPlay(net, self.config, games, (self.config.seed, self.iteration, number))
            yield from task.rounds()
            seconds = time.process_time() - begin
            yield number, Played(task.learnt(), task.tally, seconds)

    @contextmanager
    def _net(self) -> Iterator[PolicyValue]:
        """Yield what judges the positions."""
        config = self.config
        if self.judge is not None:
            with closing(InferenceClient(self.judge, config.geometry)) as judge:
                yield judge
            return
        net = config.net_of(self.arrays)
        yield net if config.inference == NUMPY else NetInJax(net, config.judged_at_once)


def play_selfplay(
    net: Net,
    config: SelfPlayConfig,
    iteration: int,
    executor: Executor | None = None,
    watch: Callable[[int], object] | None = None,
    worker_timeout: float = PATIENCE,
    judge: InferenceServer[NetInJax] | None = None,
) -> Played:
    """Play the games of an iteration; return the positions of all, in the order of the tasks.

    Without an executor they are played in this process. `watch` is called with how many games are
    over. The result does not depend on the executor. A worker without a sign of life for
    `worker_timeout` seconds is replaced: see `parallel.jobs.Workload`. A `judge` judges by the net
    for all workers of this machine.

    >>> from claimeven import Geometry
    >>> board = Geometry(4, 4, 3)
    >>> config = SelfPlayConfig(games=4, simulations=10, geometry=board)
    >>> played = play_selfplay(Net.zeros(config.shape, board), config, iteration=0)
    >>> played.tally.games, bool((abs(played.positions.policies.sum(axis=1) - 1) < 1e-6).all())
    (4, True)
    """
    work = SelfPlayWork(config, net.arrays, iteration, worker_timeout)
    if judge is not None:
        judge.model.take(net)
        work = SelfPlayWork(config, {}, iteration, worker_timeout, judge.address)
    numbers = range(len(config.tasks))
    found: dict[int, Played] = {}
    results = _played_here(work, numbers) if executor is None else executor.play(work, numbers)
    for number, played in results:
        found[number] = played
        if watch is not None:
            watch(sum(each.tally.games for each in found.values()))
    in_order = [found[number] for number in numbers]
    tally = Tally(*map(sum, zip(*(each.tally for each in in_order), strict=True)))
    elsewhere = 0.0 if executor is None else sum(each.core_seconds for each in in_order)
    return Played(concatenate([each.positions for each in in_order]), tally, elsewhere)


def _played_here(work: SelfPlayWork, numbers: Iterable[int]) -> Iterator[tuple[int, Played]]:
    with work.runner() as play:
        yield from (result for result in play(numbers) if result is not None)
