"""A net's forward pass against plain loops; mirror images; many positions as each alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.game.arrays import mirrored_keys
from claimeven.networks import InvalidNetwork
from claimeven.networks.net import SHAPES, Net, NetShape
from tests.networks.net.support import TINY, drawn_net
from tests.positions import random_positions

BOARDS = (Geometry(), Geometry(4, 4, 3), Geometry(8, 7, 5))
SHAPES_OF_TESTS = (NetShape(3, 0, 1), NetShape(5, 1, 2), NetShape(40, 3, 4))


def boards_of(geometry: Geometry, count: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    positions = list(random_positions(geometry, count, seed, going_on=True))
    mines = np.array([position.mine for position in positions], dtype=np.uint64)
    return mines, np.array([position.mask for position in positions], dtype=np.uint64)


def by_loops(net: Net, planes: list[int], states: list[int]) -> list[float]:
    """The output of one position, as the module tells it."""
    arrays = {name: array.tolist() for name, array in net.arrays.items()}

    def layer(name: str, inputs: list[float]) -> list[float]:
        weights, bias = arrays[name], arrays[f"{name}_bias"]
        return [
            bias[place] + sum(x * row[place] for x, row in zip(inputs, weights, strict=True))
            for place in range(len(bias))
        ]

    numbers = [n for line, state in enumerate(states) for n in arrays["lines"][line][state]]
    hidden = [max(0.0, x) for x in layer("in", [*map(float, planes), *numbers])]
    for block in range(net.shape.blocks):
        hidden = [h + max(0.0, x) / 2
                  for h, x in zip(hidden, layer(f"block{block}", hidden), strict=True)]  # fmt: skip
    return layer("out", hidden)


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_one_pass_is_what_plain_loops_make(geometry: Geometry) -> None:
    net, columns = drawn_net(geometry, seed=2), geometry.columns
    mines, masks = boards_of(geometry, 6)
    planes, states = net.features.of(mines, masks)
    wanted = [by_loops(net, p.tolist(), s.tolist()) for p, s in zip(planes, states, strict=True)]
    assert net.raw(mines, masks) == pytest.approx(np.array(wanted), abs=1e-5)
    images = [
        by_loops(net, p.tolist(), s.tolist())
        for p, s in zip(
            *net.features.of(mirrored_keys(mines, geometry), mirrored_keys(masks, geometry)),
            strict=True,
        )
    ]
    found = net.judge(mines, masks)
    for place, (one, image) in enumerate(zip(wanted, images, strict=True)):
        assert found.values[place] == pytest.approx(
            math.tanh((one[columns] + image[columns]) / 2), abs=1e-5
        )
        tops = [int(masks[place]) >> geometry.bit(c, geometry.rows - 1) & 1 for c in range(columns)]
        logits = [(one[c] + image[columns - 1 - c]) / 2 for c in range(columns)]
        chances = [0.0 if top else math.exp(x) for x, top in zip(logits, tops, strict=True)]
        assert found.priors[place] == pytest.approx(
            [chance / sum(chances) for chance in chances], abs=1e-5
        )
        scores = [10 * (one[columns + 1 + c] + image[-1 - c]) / 2 for c in range(columns)]
        wanted_scores = [math.nan if t else x for x, t in zip(scores, tops, strict=True)]
        assert found.scores[place] == pytest.approx(wanted_scores, abs=1e-4, nan_ok=True)


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_mirror_images_get_mirrored_answers(geometry: Geometry) -> None:
    net = drawn_net(geometry, seed=4)
    mines, masks = boards_of(geometry, 50)
    one = net.judge(mines, masks)
    image = net.judge(mirrored_keys(mines, geometry), mirrored_keys(masks, geometry))
    assert np.allclose(one.values, image.values, atol=1e-6)
    assert np.allclose(one.priors, image.priors[:, ::-1], atol=1e-6)
    assert np.allclose(one.scores, image.scores[:, ::-1], atol=1e-5, equal_nan=True)


def test_many_positions_get_what_each_gets_alone() -> None:
    net = drawn_net(seed=6)
    mines, masks = boards_of(Geometry(), 600)
    many = net.judge(mines, masks)
    for n in (1, 2, 3, 5, 8):
        few = net.judge(mines[:n], masks[:n])
        assert np.allclose(few.priors, many.priors[:n], atol=1e-5)
        assert np.allclose(few.values, many.values[:n], atol=1e-5)
        assert np.allclose(few.scores, many.scores[:n], atol=1e-4, equal_nan=True)
    values, priors = net.evaluate(mines, masks)
    assert (values == many.values).all()
    assert (priors == many.priors).all()
    assert (priors.sum(axis=1) == pytest.approx(1.0, abs=1e-5)) and (np.abs(values) <= 1).all()
    none = np.zeros(0, dtype=np.uint64)
    assert [len(array) for array in net.evaluate(none, none)] == [0, 0]


@pytest.mark.parametrize(
    "shape", [NetShape(3, 0, 1), NetShape(5, 1, 2), NetShape(40, 3, 4)], ids=str
)
@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_few_positions_take_another_way_to_the_same(geometry: Geometry, shape: NetShape) -> None:
    """Compiled loops for few, matrix products for many: up to rounding the same."""
    net = drawn_net(geometry, shape, seed=8)
    mines, masks = boards_of(geometry, 30)
    outputs = np.empty((30, 2 * geometry.columns + 1), dtype=np.float32)
    net._judge_few(mines, masks, outputs)
    assert np.abs(outputs - net._averaged(mines, masks)).max() < 1e-5


def test_equal_columns_of_a_symmetric_position_are_exactly_equal() -> None:
    """So that which of them is played is no matter of rounding."""
    net = drawn_net(seed=7)
    position = Position.from_moves("4444")
    found = net.judge(*np.array([[position.mine], [position.mask]], dtype=np.uint64))
    assert (found.priors == found.priors[:, ::-1]).all()


def test_sizes_that_cannot_be_are_refused() -> None:
    for name, size, told in (
        ("width", 0, "the width of a net: 1 to 4096, not 0"),
        ("blocks", 65, "the blocks of a net: 0 to 64, not 65"),
        ("line_numbers", 1.5, r"the line numbers of a net: 1 to 64, not 1\.5"),
    ):
        with pytest.raises(InvalidNetwork, match=told):
            NetShape(**{name: size})  # type: ignore[arg-type]
    arrays = dict(drawn_net().arrays)
    for name, array, told in (
        ("in", np.zeros((3, 12), dtype=np.float32), "its part 'in' must be float32 of shape"),
        ("out", arrays["out"].astype(np.float64), "its part 'out' must be float32 of shape"),
        ("in_bias", np.full(12, np.nan, dtype=np.float32), "'in_bias' holds what is no number"),
    ):
        with pytest.raises(InvalidNetwork, match=told):
            Net(TINY, {**arrays, name: array})


def test_arrays_that_cannot_be_written_will_do() -> None:
    """Those of JAX cannot."""
    net, boards = drawn_net(), boards_of(Geometry(), 3)
    locked = {name: array.copy() for name, array in net.arrays.items()}
    for array in locked.values():
        array.setflags(write=False)
    other = Net(TINY, locked)
    assert (other.judge(*boards).priors == net.judge(*boards).priors).all()


def test_parameters() -> None:
    assert drawn_net(Geometry(4, 4, 3)).parameters == (
        24 * 64 * 3 + (257 + 24 * 3) * 12 + 12 + 2 * (144 + 12) + 12 * 9 + 9
    )
    assert Net.untaught(SHAPES["small"]).parameters < 400_000
