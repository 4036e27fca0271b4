"""A net's forward pass against plain loops, with mirror images and many positions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.game.batch import mirrored_keys
from claimeven.networks import InvalidNetwork
from claimeven.networks.net import SHAPES, Net, NetShape, SearchDefaults
from tests.networks.net.support import TINY, drawn_net
from tests.positions import random_positions

BOARDS = (Geometry(), Geometry(4, 4, 3), Geometry(8, 7, 5))
SHAPES_OF_TESTS = (NetShape(3, 0, 1, 1), NetShape(5, 1, 2, 1), NetShape(20, 3, 4, 2))


def boards_of(geometry: Geometry, count: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    positions = list(random_positions(geometry, count, seed, ongoing=True))
    mines = np.array([position.mine for position in positions], dtype=np.uint64)
    return mines, np.array([position.mask for position in positions], dtype=np.uint64)


Numbers = list[float]


def product(numbers: Numbers, weights: list[Numbers]) -> Numbers:
    """A row of numbers times a matrix."""
    columns = zip(*weights, strict=True)
    return [sum(x * w for x, w in zip(numbers, column, strict=True)) for column in columns]


def added(*rows: Numbers) -> Numbers:
    return [sum(column) for column in zip(*rows, strict=True)]


def less(one: Numbers, other: Numbers) -> Numbers:
    return [a - b for a, b in zip(one, other, strict=True)]


def joined(rows: list[Numbers]) -> Numbers:
    return [x for row in rows for x in row]


def relu_pairs(numbers: Numbers) -> Numbers:
    return [max(0.0, x) for x in numbers]


def seen(net: Net, boards: np.ndarray) -> list[Numbers]:
    """The features of a board as it is: planes of columns on the left and in the middle, the
    columns' numbers, the numbers of the whole board, of lines, of couples.
    """
    geometry, features, board = net.geometry, net.features, net.features.symmetry
    planes, states = (array[0].tolist() for array in features.of(boards[:1], boards[1:]))
    half, found, at = geometry.columns // 2, [], 0
    for wide in (geometry.rows * 16, 5):
        middle = at + half * wide
        found += [planes[at:middle], planes[middle : middle + geometry.columns % 2 * wide]]
        at += geometry.columns * wide
    lines, columns = states[: len(features.lines)], states[len(features.lines) :]
    rows = [
        table[lines[number]]
        for table, number in zip(net.arrays["lines"].tolist(), board.first, strict=True)
    ]
    couples = zip(board.left, board.right, strict=True)
    rows_of_couples = [
        table[columns[left] * features.column_states + columns[right]]
        for table, (left, right) in zip(net.arrays["columns"].tolist(), couples, strict=True)
    ]
    return [*found, planes[at:], joined(rows), joined(rows_of_couples)]


def by_loops(net: Net, mine: int, mask: int) -> tuple[Numbers, float, Numbers]:
    """Logits, value and scores of a position by two rows of hidden numbers, for the board and for
    its mirror image, each with a part of the other: without sums and differences in the blocks.
    """
    arrays = {name: array.tolist() for name, array in net.arrays.items()}
    boards = np.array([mine, mask], dtype=np.uint64)
    one, other = seen(net, boards), seen(net, mirrored_keys(boards, net.geometry))
    sums = [one[n] if n in (1, 3, 4) else added(one[n], other[n]) for n in range(7)]
    unlike = net.features.symmetry.unequal * net.shape.line_numbers
    differences = [less(one[n], other[n]) for n in (0, 2, 5, 6)]
    differences[2] = differences[2][:unlike]
    level = added(product(joined(sums), arrays["in_sum"]), arrays["in_bias"])
    slant = [0.0] * len(level)
    if net.geometry.columns > 1:
        slant = product(joined(differences), arrays["in_difference"])
    here, image = relu_pairs(added(level, slant)), relu_pairs(less(level, slant))
    for block in range(net.shape.blocks):
        straight, across = (
            [
                [(a + sign * b) / 2 for a, b in zip(*rows, strict=True)]
                for rows in zip(
                    arrays[f"block{block}_sum"], arrays[f"block{block}_difference"], strict=True
                )
            ]
            for sign in (1, -1)
        )
        bias = arrays[f"block{block}_bias"]
        more = [
            relu_pairs(added(product(own, straight), product(far, across), bias))
            for own, far in ((here, image), (image, here))
        ]
        here, image = (
            [a + b / 2 for a, b in zip(*both, strict=True)]
            for both in zip((here, image), more, strict=True)
        )
    level = [x / 2 for x in product(added(here, image), arrays["out_sum"])]
    level = added(level, arrays["out_bias"])
    half, left = net.geometry.columns // 2, (net.geometry.columns + 1) // 2
    slant = [x / 2 for x in product(less(here, image), arrays["out_difference"])] if half else []

    def whole(level: Numbers, slant: Numbers) -> Numbers:
        pairs = level[:half]
        return [*added(pairs, slant), *level[half:], *less(pairs, slant)[::-1]]

    scores = whole(level[left + 1 :], slant[half:])
    return whole(level[:left], slant[:half]), level[left], scores


@pytest.mark.parametrize("geometry", (*BOARDS, Geometry(1, 6, 4)), ids=str)
def test_one_pass_equals_plain_loops(geometry: Geometry) -> None:
    net, columns = drawn_net(geometry, seed=2), geometry.columns
    mines, masks = boards_of(geometry, 6)
    wanted = [by_loops(net, int(a), int(b)) for a, b in zip(mines, masks, strict=True)]
    flat = [[*logits, value, *scores] for logits, value, scores in wanted]
    assert net.raw(mines, masks) == pytest.approx(np.array(flat), abs=1e-5)
    found = net.predict(mines, masks)
    for place, (logits, value, scores) in enumerate(wanted):
        assert found.values[place] == pytest.approx(math.tanh(value), abs=1e-5)
        tops = [int(masks[place]) >> geometry.bit(c, geometry.rows - 1) & 1 for c in range(columns)]
        chances = [0.0 if top else math.exp(x) for x, top in zip(logits, tops, strict=True)]
        assert found.priors[place] == pytest.approx(
            [chance / sum(chances) for chance in chances], abs=1e-5
        )
        wanted_scores = [math.nan if t else 10 * x for x, t in zip(scores, tops, strict=True)]
        assert found.scores[place] == pytest.approx(wanted_scores, abs=1e-4, nan_ok=True)


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_mirror_images_get_mirrored_answers(geometry: Geometry) -> None:
    net = drawn_net(geometry, seed=4)
    mines, masks = boards_of(geometry, 50)
    one = net.predict(mines, masks)
    image = net.predict(mirrored_keys(mines, geometry), mirrored_keys(masks, geometry))
    assert np.allclose(one.values, image.values, atol=1e-6)
    assert np.allclose(one.priors, image.priors[:, ::-1], atol=1e-6)
    assert np.allclose(one.scores, image.scores[:, ::-1], atol=1e-5, equal_nan=True)


@pytest.mark.parametrize(("share", "scale"), [(0.5, 10.0), (0.8, 6.0), (1.0, 3.0), (0.0, 1.0)])
def test_values_by_scores(share: float, scale: float) -> None:
    """A net with scores values a position by the outcome and by the score of its best column."""
    searching = SearchDefaults(score_share=share, score_scale=scale)
    net = drawn_net(seed=6, knows_scores=True, search_defaults=searching)
    boards = boards_of(Geometry(), 60)
    values, priors = net.evaluate(*boards)
    judged = net.predict(*boards)
    for value, sign, scores in zip(
        values.tolist(), judged.values.tolist(), judged.scores.tolist(), strict=True
    ):
        best = max(score for score in scores if not math.isnan(score))
        wanted = (1 - share) * sign + share * math.tanh(best / scale)
        assert value == pytest.approx(wanted, abs=1e-6)
    assert np.isnan(judged.scores).any()
    assert (priors == judged.priors).all()


def test_many_positions_equal_single_positions() -> None:
    net = drawn_net(seed=6)
    mines, masks = boards_of(Geometry(), 600)
    many = net.predict(mines, masks)
    for n in (1, 2, 3, 5, 8):
        few = net.predict(mines[:n], masks[:n])
        assert np.allclose(few.priors, many.priors[:n], atol=1e-5)
        assert np.allclose(few.values, many.values[:n], atol=1e-5)
        assert np.allclose(few.scores, many.scores[:n], atol=1e-4, equal_nan=True)
    values, priors = net.evaluate(mines, masks)
    assert (values == many.values).all()
    assert (priors == many.priors).all()
    assert (priors.sum(axis=1) == pytest.approx(1.0, abs=1e-5)) and (np.abs(values) <= 1).all()
    none = np.zeros(0, dtype=np.uint64)
    assert [len(array) for array in net.evaluate(none, none)] == [0, 0]


@pytest.mark.parametrize("shape", SHAPES_OF_TESTS, ids=str)
@pytest.mark.parametrize("geometry", (*BOARDS, Geometry(1, 6, 4), Geometry(3, 3, 4)), ids=str)
def test_few_positions_take_another_way_to_the_same(geometry: Geometry, shape: NetShape) -> None:
    """Compiled loops for few, matrix products for many: up to rounding the same."""
    net = drawn_net(geometry, shape, seed=8)
    mines, masks = boards_of(geometry, 30)
    outputs = np.empty((30, 2 * geometry.columns + 1), dtype=np.float32)
    net._predict_few(mines, masks, outputs)
    assert np.abs(outputs - net.raw(mines, masks)).max() < 1e-5


def test_equal_columns_of_a_symmetric_position_are_exactly_equal() -> None:
    """So that rounding does not decide between them."""
    net = drawn_net(seed=7)
    position = Position.from_moves("4444")
    found = net.predict(*np.array([[position.mine], [position.mask]], dtype=np.uint64))
    assert (found.priors == found.priors[:, ::-1]).all()


def test_sizes_that_cannot_be_are_refused() -> None:
    for name, size, message in (
        ("pairs", 0, "the pairs of a net must be 1 to 2,048, got 0"),
        ("blocks", 65, "the blocks of a net must be 0 to 64, got 65"),
        ("line_numbers", 1.5, r"the line numbers of a net must be a whole number, got 1\.5"),
    ):
        with pytest.raises(InvalidNetwork, match=message):
            NetShape(**{name: size})  # type: ignore[arg-type]  # bad on purpose
    arrays = dict(drawn_net().arrays)
    for name, array, message in (
        (
            "in_sum",
            np.zeros((3, 12), dtype=np.float32),
            "its part 'in_sum' must be float32 of shape",
        ),
        (
            "out_sum",
            arrays["out_sum"].astype(np.float64),
            "its part 'out_sum' must be float32 of shape",
        ),
        (
            "in_bias",
            np.full(6, np.nan, dtype=np.float32),
            "'in_bias' must hold numbers of at most 1,000, got nan",
        ),
    ):
        with pytest.raises(InvalidNetwork, match=message):
            Net(TINY, {**arrays, name: array})


@pytest.mark.parametrize("count", [1, 9])
def test_a_net_whose_numbers_overflow_says_so(count: int) -> None:
    """Each weight is valid; several layers of them make NaN."""
    net = drawn_net(Geometry(4, 4, 3), NetShape(32, 20, 3, 2))
    wild = {name: np.clip(array * 800, -700, 700) for name, array in net.arrays.items()}
    overflowing = Net(net.shape, wild, net.geometry)
    with pytest.raises(InvalidNetwork, match="the numbers of the net are not finite"):
        overflowing.predict(*boards_of(net.geometry, count))


def test_arrays_that_cannot_be_written_will_do() -> None:
    """Arrays of JAX cannot."""
    net, boards = drawn_net(), boards_of(Geometry(), 3)
    locked = {name: array.copy() for name, array in net.arrays.items()}
    for array in locked.values():
        array.setflags(write=False)
    other = Net(TINY, locked)
    assert (other.predict(*boards).priors == net.predict(*boards).priors).all()


def test_parameters() -> None:
    lines, couples, board = 12 * 64 * 3, 4 * 32**2 * 2, 5
    sums = 2 * (4 * 16 + 5) + board + 12 * 3 + 4 * 2
    differences = 2 * (4 * 16 + 5) + 12 * 3 + 4 * 2
    layers = (sums + differences + 1) * 6 + 2 * (2 * 36 + 6) + 6 * (5 + 4) + 5
    assert drawn_net(Geometry(4, 4, 3)).parameters == lines + couples + layers
    assert Net.zeros(SHAPES["small"]).parameters < 500_000
