"""Rounding that makes up for its errors: compared with the plain form of the method, and the
gains."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.learning.quantization import packed_by_play, positions_of_play, rounded_by
from claimeven.networks.net import Net, NetShape
from claimeven.networks.net.file import pack, round_weights, units_of, unpack
from tests.networks.net.support import TINY, drawn_net

SMALL = Geometry(4, 4, 3)


def mixed(seed: int, count: int, inputs: int, sources: int) -> np.ndarray:
    """Inputs that go together, since each is a mixture of a few."""
    rng = np.random.default_rng(seed)
    mixture = rng.normal(size=(count, sources)) @ rng.normal(size=(sources, inputs))
    return (mixture + 0.1 * rng.normal(size=(count, inputs))).astype(np.float32)


def one_by_one(weights: np.ndarray, steps: int, inputs: np.ndarray) -> np.ndarray:
    """Round one input after the other; the rest are then what fits its error best.

    The rest is found each time by least squares on the outputs of the layer, with a little
    added to the diagonal, and without an inverse.
    """
    unit = units_of(weights, steps)
    together = inputs.T.astype(np.float64) @ inputs / len(inputs)
    together += 0.01 * np.diag(together).mean() * np.eye(len(weights))
    left = [int(n) for n in np.argsort(-np.diag(together), kind="stable")]
    wanted, whole = weights.astype(np.float64), np.zeros(weights.shape)
    while left:
        first = left.pop(0)
        whole[first] = np.rint(wanted[first] / unit)
        error = whole[first] * unit - wanted[first]
        if left:
            rest = together[np.ix_(left, left)]
            wanted[left] -= np.outer(np.linalg.solve(rest, together[left, first]), error)
    return whole


@pytest.mark.parametrize(("inputs", "steps"), [(5, 3), (70, 7), (150, 15)])
def test_it_is_the_plain_form_of_the_method(inputs: int, steps: int) -> None:
    """Compared with one that solves for the rest each time; 70 are more than one block."""
    rng = np.random.default_rng(inputs)
    weights = rng.normal(size=(inputs, 9)).astype(np.float32)
    given = mixed(1, 500, inputs, 4)
    whole, unit = rounded_by(weights, steps, given)
    assert whole.dtype == np.int8
    assert np.array_equal(unit, units_of(weights, steps))
    apart = np.abs(whole - one_by_one(weights, steps, given))
    # A weight halfway between two steps may go either way, and all after it with it.
    assert (apart.max(axis=0) == 0).mean() > 0.7


def test_a_quantized_layer_has_the_same_outputs_in_play() -> None:
    weights = np.random.default_rng(1).normal(size=(80, 30)).astype(np.float32)
    # Other inputs of the same mixture than those it was rounded by.
    both = mixed(2, 2000, 80, 12)
    seen, other = both[:1000], both[1000:]
    wanted = other @ weights

    def error(kept: tuple[np.ndarray, np.ndarray]) -> float:
        return float(((other @ (kept[0] * kept[1]) - wanted) ** 2).mean())

    assert error(rounded_by(weights, 4, seen)) < 0.15 * error(round_weights(weights, 4))


def test_uncorrelated_inputs_are_rounded_separately() -> None:
    weights = np.random.default_rng(2).normal(size=(16, 5)).astype(np.float32)
    apart = np.eye(16, dtype=np.float32) * np.arange(1, 17, dtype=np.float32)
    for given in (apart, np.zeros((10, 16), dtype=np.float32), np.zeros((0, 16), np.float32)):
        whole, unit = rounded_by(weights, 6, given)
        assert np.array_equal(whole, round_weights(weights, 6)[0])
        assert np.array_equal(unit, round_weights(weights, 6)[1])
    empty = np.zeros((0, 5), dtype=np.float32)
    assert rounded_by(empty, 6, np.zeros((10, 0), dtype=np.float32))[0].shape == (0, 5)


def test_weights_of_inputs_that_never_came_stay() -> None:
    weights = np.random.default_rng(3).normal(size=(20, 6)).astype(np.float32)
    given = mixed(4, 300, 20, 3)
    given[:, 7] = 0
    whole, unit = rounded_by(weights, 5, given)
    assert np.array_equal(whole[7], np.rint(weights[7] / unit))
    assert not np.array_equal(whole, round_weights(weights, 5)[0])


@pytest.mark.parametrize("geometry", [Geometry(), SMALL, Geometry(5, 6)], ids=str)
def test_positions_of_play(geometry: Geometry) -> None:
    net = drawn_net(geometry, seed=1)
    mines, masks = positions_of_play(net, 300)
    assert len(mines) == 300
    assert len({*zip(mines.tolist(), masks.tolist(), strict=True)}) == 300
    plies = set()
    for mine, mask in zip(mines.tolist(), masks.tolist(), strict=True):
        both = (mine, mask ^ mine)
        first, second = both if mask.bit_count() % 2 == 0 else both[::-1]
        position = Position.from_discs(geometry, first, second)  # refuses what cannot be
        assert not position.is_over
        plies.add(position.ply)
    assert len(plies) > geometry.cells // 2
    again = positions_of_play(net, 300)
    assert np.array_equal(again[0], mines)
    assert np.array_equal(again[1], masks)
    assert not np.array_equal(positions_of_play(net, 300, seed=1)[0], mines)


def test_the_number_of_positions_is_the_requested_one() -> None:
    """Fewer than games that are played at a time, and more than one round of them meets."""
    net = drawn_net(SMALL, seed=1)
    for count in (1, 50, 4000):
        assert len(positions_of_play(net, count)[0]) == count


def test_the_net_has_a_say_in_its_play() -> None:
    one, other = (positions_of_play(drawn_net(SMALL, seed=seed), 50)[0] for seed in (1, 2))
    assert not np.array_equal(one, other)


def test_a_board_with_few_positions_has_all_that_play_meets() -> None:
    net = drawn_net(Geometry(2, 2, 2), seed=1)
    mines, _ = positions_of_play(net, 10_000)
    assert 3 <= len(mines) <= 3**4


@pytest.mark.parametrize("geometry", [Geometry(), SMALL, Geometry(1, 9, 4)], ids=str)
def test_a_whole_net_rounded_by_its_play(geometry: Geometry) -> None:
    shape = NetShape(pairs=24, blocks=2, line_numbers=3, column_numbers=2)
    net = drawn_net(geometry, shape, seed=5, knows_scores=True)
    model = packed_by_play(net, 4)
    back = unpack(model)
    assert back.knows_scores
    assert (back.shape, back.geometry) == (net.shape, geometry)
    assert all(np.array_equal(a, net.arrays[n]) for n, a in back.arrays.items() if "bias" in n)
    assert model.arrays.keys() == pack(net, steps=4).arrays.keys()
    boards = positions_of_play(net, 500, seed=9)  # other games than those it was rounded by
    wanted = net.raw(*boards)

    def error(rough: Net) -> float:
        return float(((rough.raw(*boards) - wanted) ** 2).mean())

    alone = error(unpack(pack(net, steps=4)))
    assert error(back) < alone * (0.5 if geometry.columns > 1 else 1.01)
    progress: list[tuple[int, int]] = []
    again = packed_by_play(net, 4, on_progress=lambda done, total: progress.append((done, total)))
    assert progress == [(done, len(progress)) for done in range(1, 9)]  # two each of four layers
    assert all(np.array_equal(array, again.arrays[name]) for name, array in model.arrays.items())


def through(net: Net, name: str, sums: np.ndarray, differences: np.ndarray) -> tuple:
    """Sums and differences after a layer, by the plain formula."""
    level = sums @ net.arrays[name + "sum"] + net.arrays[name + "bias"]
    slant = differences @ net.arrays[name + "difference"]
    one, other = np.maximum(level + slant, 0), np.maximum(level - slant, 0)
    before = (0.0, 0.0, 0.5) if name == "in_" else (sums, differences, 0.25)
    return (
        (before[0] + before[2] * (one + other)).astype(np.float32),
        (before[1] + before[2] * (one - other)).astype(np.float32),
    )


@pytest.mark.parametrize("geometry", [SMALL, Geometry(1, 9, 4)], ids=str)
def test_each_layer_is_rounded_by_its_rounded_and_exact_inputs(geometry: Geometry) -> None:
    """The inputs from the rounded layers before it, and from the net itself."""
    net = drawn_net(geometry, NetShape(24, 2, 3, 2), seed=5)
    model = packed_by_play(net, 4)
    back = unpack(model)
    boards = positions_of_play(net, 10 * len(net.arrays["in_sum"]))
    given, ideal = back.inputs(*boards), net.inputs(*boards)
    for name in ("in_", "block0_", "block1_", "out_"):
        steps = {"in_": 8, "out_": 16}.get(name, 4)
        for part, has, should_have in zip(("sum", "difference"), given, ideal, strict=True):
            wanted, unit = rounded_by(net.arrays[name + part], steps, has, should_have)
            # Sums in another order may end up on the other side of a half.
            assert (model.arrays[name + part] != wanted).sum() <= 0.02 * wanted.size
            assert np.array_equal(model.arrays[f"{name}{part}_unit"], unit)
        if name != "out_":
            given, ideal = through(back, name, *given), through(net, name, *ideal)


def test_a_layer_compensates_errors_of_its_inputs() -> None:
    """With correlated errors in its inputs it has the outputs of correct inputs."""
    rng = np.random.default_rng(6)
    weights = rng.normal(size=(40, 12)).astype(np.float32)
    right = mixed(7, 3000, 40, 9)
    wrong = right @ (np.eye(40) + 0.05 * rng.normal(size=(40, 40))).astype(np.float32)
    wanted = right[2000:] @ weights

    def error(whole: np.ndarray, unit: np.ndarray) -> float:
        return float(((wrong[2000:] @ (whole * unit) - wanted) ** 2).mean())

    seen, unit = wrong[:2000], units_of(weights, 15)
    knowing, its_unit = rounded_by(weights, 15, seen, right[:2000])
    assert np.array_equal(its_unit, unit)
    assert error(knowing, unit) < 0.3 * error(*rounded_by(weights, 15, seen))
    # The aim is least squares, with a little added to the diagonal.
    together = seen.T.astype(np.float64) @ seen / len(seen)
    together += 0.01 * np.diag(together).mean() * np.eye(40)
    change = seen.T.astype(np.float64) @ ((right[:2000] - seen) @ weights) / len(seen)
    aim = (weights + np.linalg.solve(together, change)).astype(np.float32)
    many = 127 * its_unit  # so fine that each weight is near its aim
    fine, fine_unit = rounded_by(weights, 127, seen, right[:2000])
    assert (np.abs(fine * fine_unit - aim).mean(axis=0) < 0.02 * many).all()


def test_without_errors_no_weight_is_compensated() -> None:
    weights = np.random.default_rng(8).normal(size=(30, 8)).astype(np.float32)
    given = mixed(9, 400, 30, 5)
    plain, knowing = rounded_by(weights, 6, given), rounded_by(weights, 6, given, given.copy())
    assert all(np.array_equal(one, other) for one, other in zip(plain, knowing, strict=True))


def test_units_equal_the_default_steps() -> None:
    net = drawn_net(SMALL, seed=5)
    arrays = packed_by_play(net).arrays
    for name, steps in (("in_sum", 30), ("block0_sum", 15), ("lines", 60), ("out_sum", 60)):
        assert np.array_equal(arrays[name + "_unit"], units_of(net.arrays[name], steps))


def test_a_net_of_zeros_can_be_rounded() -> None:
    """All its numbers are 0, and so are the inputs of its layers."""
    net = Net.zeros(TINY, SMALL)
    back = unpack(packed_by_play(net))
    assert all(not array.any() for array in back.arrays.values())
