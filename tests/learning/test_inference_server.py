"""One process evaluates for many: each gets its own answer, for any behavior of the others."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import numpy as np
import numpy.typing as npt
import pytest

from claimeven import Geometry
from claimeven.learning import InvalidRun, SelfPlayConfig
from claimeven.learning.jax_functions import FLOAT32
from claimeven.learning.jax_net import JaxNet
from claimeven.learning.net_training import initial_weights
from claimeven.learning.selfplay_jobs import InferenceClient, InferenceServer, play_selfplay
from claimeven.networks.net import Net
from claimeven.parallel.pool import LocalWorkers
from tests.learning.needs import needs_jax

BOARD = Geometry(4, 4, 3)
Words = npt.NDArray[np.uint64]


class Counting:
    """Returns the two words of a position; fails for a full board."""

    geometry = BOARD

    def __init__(self) -> None:
        self.asked: list[int] = []

    def load(self) -> None:
        """There is no compilation."""

    def evaluate(
        self, mines: Words, masks: Words
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        self.asked.append(len(mines))
        if (masks == 2**20 - 1).any():
            raise RuntimeError("it has no more memory")
        return mines.astype(np.float32), np.repeat(masks[:, None], 4, axis=1).astype(np.float32)


@pytest.fixture
def server() -> Iterator[InferenceServer[Counting]]:
    with InferenceServer.running(Counting()) as server:
        yield server


def right(client: InferenceClient, seed: int, count: int) -> bool:
    """Whether the answer fits the question."""
    words = np.random.default_rng(seed).integers(0, 1 << 19, (2, count)).astype(np.uint64)
    values, priors = client.evaluate(*words)
    return np.array_equal(values, words[0]) and np.array_equal(priors[:, 3], words[1])


def test_each_client_gets_its_answer(server: InferenceServer[Counting]) -> None:
    """Few positions and many, which come in pieces."""

    def ask(seed: int) -> bool:
        with closing(InferenceClient(server.address, BOARD)) as client:
            return all(right(client, 100 * seed + n, 1 + 7 ** (n % 7)) for n in range(40))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(8)))
    assert len(server.model.asked) <= 8 * 40
    assert sum(server.model.asked) == 8 * sum(1 + 7 ** (n % 7) for n in range(40))


def test_a_model_that_fails_is_reported_and_asked_again(server: InferenceServer[Counting]) -> None:
    with closing(InferenceClient(server.address, BOARD)) as client:
        full = np.full(3, 2**20 - 1, dtype=np.uint64)
        with pytest.raises(InvalidRun, match="it has no more memory"):
            client.evaluate(full, full)
        assert right(client, 1, 50)


#: Bytes that are not a request: cut short, too long, of another key, or half a position.
KEY = b"\x10\0\0\0"
NONSENSE = (b"", b"\x05", b"\xff\xff\xff\x7f what?", KEY + b"?" * 16, None)


@pytest.mark.parametrize("message", NONSENSE)
def test_clients_that_leave_or_send_nonsense_are_dropped(
    server: InferenceServer[Counting], message: bytes | None
) -> None:
    port, key = server.address
    message = KEY + key + b"\x01\0\0\0?" if message is None else message
    with closing(InferenceClient(server.address, BOARD)) as client:
        with socket.create_connection(("127.0.0.1", port)) as foreign:
            foreign.settimeout(60)
            foreign.sendall(message)
            if len(message) > 4:
                assert foreign.recv(1) == b""
        assert right(client, 2, 50)


def test_everything_is_closed_at_the_end() -> None:
    with ExitStack() as stack:
        server = stack.enter_context(InferenceServer.running(Counting()))
        with closing(InferenceClient(server.address, BOARD)) as client:
            assert right(client, 3, 5)
            stack.close()
            with pytest.raises(InvalidRun, match="the process that evaluates positions has gone"):
                right(client, 4, 5)
    with pytest.raises(InvalidRun, match="the process that evaluates positions cannot be reached"):
        InferenceClient(server.address, BOARD)


def test_waiting_clients_learn_that_the_thread_ended(
    server: InferenceServer[Counting], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its death is seen immediately: no client waits for an answer that does not come."""
    ended: list[object] = []
    monkeypatch.setattr(threading, "excepthook", ended.append)
    with closing(InferenceClient(server.address, BOARD)) as client:
        assert right(client, 5, 5)
        monkeypatch.setattr(server, "_evaluate", None)
        with pytest.raises(InvalidRun, match="has gone"):
            right(client, 6, 5)
    server._thread.join(60)
    assert not server._thread.is_alive()
    assert len(ended) == 1


def test_no_room_for_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("claimeven.learning.selfplay_jobs.listen", full)
    with (
        pytest.raises(InvalidRun, match="no socket for the workers can be opened: Too many"),
        InferenceServer.running(Counting()),
    ):
        pass


@needs_jax
def test_processes_play_by_a_judge_that_they_share() -> None:
    """Each iteration by the net that it is given."""
    config = SelfPlayConfig(
        games=16, games_per_worker=8, simulations=16, inference="jax", geometry=BOARD
    )
    nets = [Net(config.shape, initial_weights(config.shape, BOARD, seed), BOARD) for seed in (1, 2)]
    model = JaxNet(nets[0], 64, FLOAT32)
    with InferenceServer.running(model) as server, LocalWorkers(2).reused() as workers:
        first, other, again = (
            play_selfplay(net, config, 0, workers, server=server) for net in (*nets, nets[0])
        )
    for played in (first, other, again):
        assert played.tally.games == 16
        assert played.positions.policies.sum(axis=1) == pytest.approx(1.0)
        assert played.core_seconds > 0
    assert first.tally == again.tally
    assert all(map(np.array_equal, first.positions, again.positions))
    assert not np.array_equal(first.positions.policies, other.positions.policies)
