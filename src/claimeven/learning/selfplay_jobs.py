"""Self-play tasks for executors, and one model that evaluates positions for their workers.

The net, the configuration, the iteration and the number of a task determine its result, so any
worker can play it, and another worker replays it after a crash.

Switching an accelerator between processes is slow, so one process uses it and evaluates the
positions of all processes of this machine. The others send positions in messages:

```text
    request    n words `mines` and n words `masks`, uint64
    answer     `_DONE`, n values and n rows of priors, float32
               or `_FAILED` and the text of an error
```

Requests that arrive while the model works are evaluated together in the next batch.
"""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from claimeven.game.geometry import Geometry
from claimeven.learning.jax_net import JaxNet
from claimeven.learning.run_dir import InvalidRun
from claimeven.learning.selfplay_config import NUMPY, SelfPlayConfig
from claimeven.learning.selfplay_games import Positions, SelfPlay, SelfPlayTotals, concatenate
from claimeven.montecarlo.puct import PuctForest
from claimeven.montecarlo.puct.policy_value import Floats, PolicyValue, Words
from claimeven.networks.net import Net
from claimeven.parallel.connection import (
    Address,
    Connection,
    InvalidMessage,
    Selector,
    connect,
    is_key,
    listen,
)
from claimeven.parallel.jobs import Executor, RunJobs

_DONE, _FAILED = b"\0", b"\1"
#: Bytes of the longest request, a million positions.
_MAX_REQUEST: Final = 1 << 24
#: Seconds that a process has to read its answer before its connection is closed.
_SEND_TIMEOUT: Final = 10.0
#: Seconds between two checks for the end.
_POLL_SECONDS: Final = 0.2
_WORD, _FLOAT = np.dtype(np.uint64), np.dtype(np.float32)

Model = TypeVar("Model", bound=PolicyValue)


class InferenceServer(Generic[Model]):
    """A thread that evaluates positions by its `model` for processes that know its `address`."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._listener, self.address = listen()
        self._is_over = threading.Event()
        self._trusted: set[Connection] = set()
        self._selector = Selector()
        self._selector.register(self._listener, selectors.EVENT_READ, "listener")
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @classmethod
    @contextmanager
    def running(cls, model: Model) -> Iterator[InferenceServer[Model]]:
        """Yield a running server. Raises `InvalidRun` if no socket can be opened."""
        try:
            server = cls(model)
        except OSError as error:
            raise InvalidRun(
                f"no socket for the workers can be opened: {error.strerror or error}"
            ) from None
        server._thread.start()
        try:
            yield server
        finally:
            server._is_over.set()
            server._thread.join()

    def _serve(self) -> None:
        try:
            while not self._is_over.is_set():
                requests = {}
                for key, _ in self._selector.select(_POLL_SECONDS):
                    if key.data == "listener":
                        self._accept()
                    else:
                        request = self._request_of(key.data)
                        if request is not None:
                            requests[key.data] = request
                if requests:
                    self._evaluate(requests)
        finally:  # waiting clients then know that no answer will come
            ends: list[Any] = [key.fileobj for key in self._selector.get_map().values()]
            for end in ends:
                end.close()
            self._selector.close()

    def _accept(self) -> None:
        with suppress(OSError):  # the client has gone, or there are too many
            end, _ = self._listener.accept()
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client = Connection(end, _MAX_REQUEST)
            self._selector.register(client, selectors.EVENT_READ, client)

    def _request_of(self, client: Connection) -> bytes | None:
        """Return the complete request of a client, else None; drop it after the wrong key."""
        with suppress(OSError, InvalidMessage):
            if client.read():
                message = client.take()
                if message is not None and client not in self._trusted:
                    if not is_key(message, self.address):
                        raise InvalidMessage
                    self._trusted.add(client)
                    message = client.take()
                if message is None or len(message) % (2 * _WORD.itemsize) == 0:
                    return message
        self._drop(client)
        return None

    def _drop(self, client: Connection) -> None:
        self._selector.unregister(client)
        self._trusted.discard(client)
        client.close()

    def _evaluate(self, requests: dict[Connection, bytes]) -> None:
        """Evaluate the positions of several processes together, and answer each process."""
        answers: list[bytes]
        try:
            boards = [np.frombuffer(request, _WORD).reshape(2, -1) for request in requests.values()]
            mines, masks = np.concatenate(boards, axis=1)
            values, priors = self.model.evaluate(mines, masks)
            ends = np.cumsum([words.shape[1] for words in boards])
            parts = map(slice, [0, *ends[:-1]], ends)
            answers = [_DONE + values[p].tobytes() + priors[p].tobytes() for p in parts]
        except Exception as error:  # every client gets it
            answers = [_FAILED + (str(error) or type(error).__name__).encode()] * len(requests)
        for client, answer in zip(requests, answers, strict=True):
            try:
                client.send(answer, _SEND_TIMEOUT)
            except OSError:
                self._drop(client)


class InferenceClient:
    """A `PolicyValue` that asks an `InferenceServer` of another process. Not thread-safe.

    Raises `InvalidRun` if no server is at the address.
    """

    def __init__(self, address: Address, geometry: Geometry) -> None:
        self.geometry = geometry
        try:
            self._connection = connect(address)
        except OSError as error:
            raise InvalidRun(
                f"the process that evaluates positions cannot be reached: {error}"
            ) from None

    def load(self) -> None:
        """Do nothing, since this class has no kernels."""

    def close(self) -> None:
        self._connection.close()

    def evaluate(self, mines: Words, masks: Words) -> tuple[Floats, Floats]:
        """Return values and priors of positions: see `PolicyValue`.

        Raises `InvalidRun` if the other process cannot evaluate them, or has gone.
        """
        count, columns = len(mines), self.geometry.columns
        try:
            self._connection.send(mines.tobytes() + masks.tobytes())
            answer = self._connection.receive()
        except OSError as error:
            raise InvalidRun(f"the process that evaluates positions has gone: {error}") from None
        if answer is None:
            raise InvalidRun("the process that evaluates positions has gone: its socket is closed")
        if answer[:1] == _FAILED:
            raise InvalidRun(answer[1:].decode())
        numbers: Any = np.frombuffer(answer, _FLOAT, offset=1)
        return numbers[:count], numbers[count:].reshape(count, columns)


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
    unit = "task"

    def digests(self) -> dict[str, dict[str, str]]:
        """Return no digests: there are no files of agents."""
        return {}

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
        for number in numbers:
            start = time.process_time()
            games = self.config.tasks[number]
            task = SelfPlay(net, self.config, games, (self.config.seed, self.iteration, number))
            yield from task.rounds()
            seconds = time.process_time() - start
            yield number, Played(task.positions(), task.tally, seconds)

    @contextmanager
    def _net(self) -> Iterator[PolicyValue]:
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
