"""One process judges for many: each is told what it asked, whatever the others do."""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from claimeven import Geometry
from claimeven.learning import InvalidRun, SelfPlayConfig
from claimeven.learning.inference_server import RemoteJudge, SharedJudge
from claimeven.learning.jax_net import NetInJax
from claimeven.learning.net_training import initial_weights
from claimeven.learning.precision import FLOAT32
from claimeven.learning.selfplay_jobs import play_selfplay
from claimeven.networks.net import Net
from claimeven.parallel.pool import LocalWorkers
from tests.learning.needs import needs_jax

BOARD = Geometry(4, 4, 3)
Words = npt.NDArray[np.uint64]


class Counting:
    """Tells of a position its two words; fails where a board is all discs."""

    geometry = BOARD

    def __init__(self) -> None:
        self.asked: list[int] = []

    def load(self) -> None:
        """Nothing is compiled."""

    def evaluate(
        self, mines: Words, masks: Words
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        self.asked.append(len(mines))
        if (masks == 2**20 - 1).any():
            raise RuntimeError("it has no more memory")
        return mines.astype(np.float32), np.repeat(masks[:, None], 4, axis=1).astype(np.float32)


@pytest.fixture
def judge() -> Iterator[SharedJudge[Counting]]:
    with SharedJudge.opened(Counting()) as judge:
        yield judge


def right(remote: RemoteJudge, seed: int, count: int) -> bool:
    """Whether it answers what was asked."""
    words = np.random.default_rng(seed).integers(0, 1 << 19, (2, count)).astype(np.uint64)
    values, priors = remote.evaluate(*words)
    return np.array_equal(values, words[0]) and np.array_equal(priors[:, 3], words[1])


def test_everybody_is_told_what_he_asked(judge: SharedJudge[Counting]) -> None:
    """Few positions and many, which come in pieces."""

    def ask(seed: int) -> bool:
        with closing(RemoteJudge(judge.address, BOARD)) as remote:
            return all(right(remote, 100 * seed + n, 1 + 7 ** (n % 7)) for n in range(40))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(8)))
    assert len(judge.model.asked) <= 8 * 40
    assert sum(judge.model.asked) == 8 * sum(1 + 7 ** (n % 7) for n in range(40))


def test_a_model_that_fails_is_told_and_asked_again(judge: SharedJudge[Counting]) -> None:
    with closing(RemoteJudge(judge.address, BOARD)) as remote:
        full = np.full(3, 2**20 - 1, dtype=np.uint64)
        with pytest.raises(InvalidRun, match="it has no more memory"):
            remote.evaluate(full, full)
        assert right(remote, 1, 50)


def test_those_who_go_or_talk_nonsense_are_forgotten(judge: SharedJudge[Counting]) -> None:
    with closing(RemoteJudge(judge.address, BOARD)) as remote:
        for said in (b"", b"\x05", b"\xff\xff\xff\x7f what?"):
            with closing(socket.socket(socket.AF_UNIX)) as foreign:
                foreign.connect(judge.address)
                foreign.settimeout(60)
                foreign.sendall(said)
                if len(said) > 4:
                    assert foreign.recv(1) == b""
        assert right(remote, 2, 50)


def test_in_the_end_nothing_is_left() -> None:
    with ExitStack() as stack:
        judge = stack.enter_context(SharedJudge.opened(Counting()))
        folder = Path(judge.address).parent
        assert folder.stat().st_mode & 0o77 == 0
        with closing(RemoteJudge(judge.address, BOARD)) as remote:
            assert right(remote, 3, 5)
            stack.close()
            with pytest.raises(InvalidRun, match="the process that judges positions has gone"):
                right(remote, 4, 5)
    assert not folder.exists()
    with pytest.raises(InvalidRun, match="the process that judges positions is not there"):
        RemoteJudge(judge.address, BOARD)


def test_where_its_thread_ends_those_who_wait_are_told(
    judge: SharedJudge[Counting], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its death, at once: nobody waits for an answer that does not come."""
    ended: list[object] = []
    monkeypatch.setattr(threading, "excepthook", ended.append)
    with closing(RemoteJudge(judge.address, BOARD)) as remote:
        assert right(remote, 5, 5)
        monkeypatch.setattr(judge, "_judge", None)
        with pytest.raises(InvalidRun, match="has gone"):
            right(remote, 6, 5)
    judge._thread.join(60)
    assert not judge._thread.is_alive()
    assert len(ended) == 1


def test_no_room_for_a_socket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with (
        pytest.raises(InvalidRun, match="no socket for those who play: AF_UNIX path too long"),
        SharedJudge.opened(Counting()),
    ):
        pass
    assert list(deep.iterdir()) == []


@needs_jax
def test_processes_play_by_a_judge_that_they_share() -> None:
    """Each iteration by the net that it is given."""
    recipe = SelfPlayConfig(games=16, task=8, searches=16, inference="jax", geometry=BOARD)
    nets = [Net(recipe.shape, initial_weights(recipe.shape, BOARD, seed), BOARD) for seed in (1, 2)]
    model = NetInJax(nets[0], 64, FLOAT32)
    with SharedJudge.opened(model) as judge, LocalWorkers(2).kept() as workers:
        first, other, again = (
            play_selfplay(net, recipe, 0, workers, judge=judge) for net in (*nets, nets[0])
        )
    for played in (first, other, again):
        assert played.tally.games == 16
        assert played.positions.policies.sum(axis=1) == pytest.approx(1.0)
        assert played.core_seconds > 0
    assert first.tally == again.tally
    assert all(map(np.array_equal, first.positions, again.positions))
    assert not np.array_equal(first.positions.policies, other.positions.policies)
