"""Nets averaged: the mean, and bad input."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry
from claimeven.atomic_io import CannotWrite
from claimeven.learning import HELD_OUT, InvalidRun, average_nets, held_out, net_weights
from claimeven.learning.metrics import net_accuracy
from claimeven.learning.net_training import NetTrainer, OptimizerConfig
from claimeven.learning.net_weights import can_widen, widen
from claimeven.learning.quantization import MANY_POSITIONS, packed_by_play, positions_of_play
from claimeven.networks import InvalidNetwork
from claimeven.networks.model_file import read_model
from claimeven.networks.net import Net, NetShape, SearchDefaults, read_net
from claimeven.networks.net.file import unpack, write_net
from tests.learning.needs import needs_jax
from tests.learning.test_net_training import made_batch
from tests.networks.net.support import TINY, drawn_net
from tests.networks.net.test_net import boards_of

SMALL = Geometry(3, 3, 3)
SHAPE = NetShape(pairs=6, blocks=1, line_numbers=2, column_numbers=1)


def drawn(seed: int, shape: NetShape = SHAPE, board: Geometry = SMALL, scores: bool = True) -> Net:
    rng = np.random.default_rng(seed)
    arrays = {
        name: rng.normal(size=size).astype(np.float32) for name, size in shape.arrays(board).items()
    }
    return Net(shape, arrays, board, scores)


def files(folder: Path, *nets: Net, steps: int = 127) -> list[Path]:
    paths = [folder / f"{number}.npz" for number in range(len(nets))]
    for path, net in zip(paths, nets, strict=True):
        write_net(path, net, steps=steps)
    return paths


def test_the_mean_is_taken_of_every_weight(tmp_path: Path) -> None:
    paths = files(tmp_path, drawn(1), drawn(2), drawn(3))
    out = tmp_path / "mean.npz"
    assert average_nets(paths, out, model_weights=(1, 2, 5), quant_levels=127) == {}
    nets, mean = [read_net(path) for path in paths], read_net(out)
    assert mean.geometry == SMALL
    assert mean.shape == SHAPE
    assert mean.knows_scores
    wanted = {
        name: (array + 2 * nets[1].arrays[name] + 5 * nets[2].arrays[name]) / np.float32(8)
        for name, array in nets[0].arrays.items()
    }
    kept = unpack(packed_by_play(Net(SHAPE, wanted, SMALL), 127, MANY_POSITIONS))
    for name, array in mean.arrays.items():
        unit = np.abs(wanted[name]).max() / 127
        assert np.abs(array - kept.arrays[name]).max() <= unit, name
        # A weight that makes up for others' errors may be further off, if seldom.
        assert (np.abs(array - wanted[name]) <= unit).mean() > 0.9, name
    config = read_model(out).facts["config"]
    assert (config["method"], config["model_weights"]) == ("average", [1, 2, 5])
    assert [part["config"] for part in config["models"]] == [None] * 3
    assert len({part["digest"] for part in config["models"]}) == 3
    assert config["quant_levels"] == 127
    steps: list[tuple[int, int]] = []
    average_nets([out, paths[0]], tmp_path / "again.npz", on_progress=lambda *at: steps.append(at))
    assert steps
    assert steps[-1][0] == steps[-1][1]
    again = read_model(tmp_path / "again.npz").facts["config"]
    assert again["models"][0]["config"] == config


def test_a_net_averaged_with_itself_is_itself(tmp_path: Path) -> None:
    (path,) = files(tmp_path, drawn(4, scores=False), steps=31)
    average_nets([path, path], tmp_path / "mean.npz", quant_levels=127)
    before, after = read_net(path), read_net(tmp_path / "mean.npz")
    assert not after.knows_scores
    boards = positions_of_play(before, 300)
    actual, wanted = after.raw(*boards), before.raw(*boards)
    assert np.abs(actual - wanted).max() < 0.01 * np.abs(wanted).max()
    for name, array in before.arrays.items():
        rough = 2 * np.abs(array).max() / 127
        assert (np.abs(array - after.arrays[name]) < rough).mean() > 0.95, name


def test_a_mean_knows_scores_if_all_nets_do(tmp_path: Path) -> None:
    paths = files(tmp_path, drawn(4), drawn(5, scores=False))
    average_nets(paths, tmp_path / "mean.npz")
    assert not read_net(tmp_path / "mean.npz").knows_scores
    partly = drawn(6)
    partly.knows_only_best = True
    average_nets(files(tmp_path, drawn(4), partly), tmp_path / "mean.npz")
    mean = read_net(tmp_path / "mean.npz")
    assert mean.knows_scores and mean.knows_only_best


def test_common_search_defaults_hold_for_the_mean(tmp_path: Path) -> None:
    suits = SearchDefaults(c=0.5, score_share=0.8)
    alike, other = drawn(4), drawn(6)
    alike.search_defaults = suits
    paths = files(tmp_path, alike, alike, other)
    average_nets(paths[:2], tmp_path / "mean.npz")
    assert read_net(tmp_path / "mean.npz").search_defaults == suits
    average_nets(paths, tmp_path / "mean.npz")
    assert read_net(tmp_path / "mean.npz").search_defaults == SearchDefaults()


def test_figures_are_measured_from_the_file_on_the_held_out_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(net_weights, "MANY_POSITIONS", 1)
    standard = [drawn(seed, SHAPE, Geometry()) for seed in (1, 2)]
    found = average_nets(files(tmp_path, *standard), tmp_path / "mean.npz")
    net, wanted = read_net(tmp_path / "mean.npz"), {}
    for name in HELD_OUT:
        figures = net_accuracy(net, held_out(name))
        wanted |= {name: figures["accuracy"], f"{name}_sign": figures["sign"]}
    assert found == pytest.approx(wanted, abs=1e-4) and list(found) == list(wanted)
    kept = read_model(tmp_path / "mean.npz").facts["measured"]
    assert {name: round(value, 4) for name, value in kept.items()} == found


@pytest.mark.parametrize(
    ("nets", "asked", "message"),
    [
        ([drawn(1)], {}, r"a mean must have 2 nets or more, got 1"),
        ([drawn(1), drawn(2)], {"model_weights": (1, 2, 3)}, r"3 weights were given for 2 nets"),
        ([drawn(1), drawn(2)], {"model_weights": (1, 0)}, r"model weights must be greater than 0"),
        ([drawn(1), drawn(2)], {"model_weights": (1e308, 1e308)}, r"and their sum finite"),
        ([drawn(1), drawn(2)], {"model_weights": (1, float("nan"))}, r"and their sum finite"),
        ([drawn(1), drawn(2)], {"quant_levels": 0}, r"quant levels must be 1 to 127, got 0"),
        ([drawn(1), drawn(2)], {"quant_levels": 128}, r"quant levels must be 1 to 127, got 128"),
        (
            [drawn(1), drawn(2, NetShape(pairs=4, blocks=1))],
            {},
            r"1\.npz and .* have different sizes",
        ),
        (
            [drawn(1), drawn(2, SHAPE, Geometry(5, 4, 3))],
            {},
            r"1\.npz is for 5x4 connect 3, and .*0\.npz for 3x3 connect 3",
        ),
    ],
)
def test_nets_that_cannot_be_averaged_are_rejected(
    tmp_path: Path, nets: list[Net], asked: dict[str, object], message: str
) -> None:
    paths = files(tmp_path, *nets)
    with pytest.raises(InvalidRun, match=message):
        average_nets(paths, tmp_path / "mean.npz", **asked)  # type: ignore[arg-type]  # bad on purpose
    assert not (tmp_path / "mean.npz").exists()


def test_no_net_is_overwritten_and_a_corrupt_file_is_reported(tmp_path: Path) -> None:
    paths = files(tmp_path, drawn(1), drawn(2))
    before = paths[1].read_bytes()
    with pytest.raises(InvalidRun, match=r"1\.npz is one of the nets: name another file"):
        average_nets(paths, paths[1])
    link = tmp_path / "link"
    link.symlink_to(paths[1])
    with pytest.raises(InvalidRun, match=r"link is one of the nets: name another file"):
        average_nets(paths, link)
    assert paths[1].read_bytes() == before
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(CannotWrite, match=r"loop cannot be written"):
        average_nets(paths, loop)
    paths[1].write_bytes(before[:200])
    with pytest.raises(CannotWrite, match=r"there is no folder"):  # before any net is read
        average_nets(paths, tmp_path / "none" / "mean.npz")
    with pytest.raises(InvalidNetwork, match=r"1\.npz"):
        average_nets(paths, tmp_path / "mean.npz")


BOARD = Geometry(4, 4, 3)
WIDE = replace(TINY, pairs=TINY.pairs + 5)


@pytest.mark.parametrize("geometry", [Geometry(), BOARD, Geometry(1, 9, 4)], ids=str)
@pytest.mark.parametrize("wide", [TINY, WIDE], ids=["as wide", "wider"])
def test_a_net_that_has_grown_answers_as_before(geometry: Geometry, wide: NetShape) -> None:
    net = drawn_net(geometry, seed=2, knows_scores=True, search_defaults=SearchDefaults(c=2.0))
    net.knows_only_best = True
    more = widen(net, wide, seed=4)
    assert (more.shape, more.geometry, more.knows_scores) == (wide, geometry, True)
    assert (more.search_defaults, more.knows_only_best) == (net.search_defaults, True)
    boards = boards_of(geometry, 20) if geometry.columns > 1 else np.zeros((2, 3), dtype=np.uint64)
    assert more.raw(*boards) == pytest.approx(net.raw(*boards), abs=1e-5)
    for name, array in net.arrays.items():
        assert not np.shares_memory(array, more.arrays[name])


def test_added_weights_are_random_and_lead_only_to_added_units() -> None:
    net, narrow = drawn_net(BOARD, seed=2), TINY.pairs
    more, other = widen(net, WIDE, seed=4), widen(net, WIDE, seed=5)
    for name in ("in_sum", "block0_sum", "block1_difference"):
        weights = more.arrays[name]
        assert weights[:, narrow:].all()
        assert not np.array_equal(weights, other.arrays[name])
    for name in ("block0_sum", "block1_difference", "out_sum"):
        added = more.arrays[name][narrow:]
        assert not added[:, : net.arrays[name].shape[1]].any()


@needs_jax
def test_added_weights_learn() -> None:
    net = drawn_net(BOARD, replace(TINY, pairs=TINY.pairs - 2), seed=2)
    trainer = NetTrainer(TINY, OptimizerConfig(steps=5, lr=0.01), BOARD)
    trainer.start_with(widen(net, TINY, seed=4))
    before = {name: np.asarray(array) for name, array in trainer.weights.items()}
    for _ in range(5):
        trainer.learn(made_batch(net))
    for name, array in trainer.weights.items():
        added = np.asarray(array) != before[name]
        if array.ndim == 2 and len(array) == TINY.pairs:  # what leads from the added numbers
            assert added[net.shape.pairs :].any(axis=1).all(), name


@pytest.mark.parametrize(
    ("change", "can"),
    [
        ({}, True),
        ({"pairs": 7}, True),
        ({"pairs": 5}, False),
        ({"blocks": 3}, False),
        ({"pairs": 9, "line_numbers": 4}, False),
        ({"column_numbers": 1}, False),
    ],
)
def test_shapes_that_can_be_widened(change: dict[str, int], can: bool) -> None:
    assert can_widen(TINY, replace(TINY, **change)) == can
