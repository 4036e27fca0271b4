"""N-tuple networks: values against a grid, mirror images, the compiled twin, bad tuples."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimeven import Geometry, Position
from claimeven.errors import ClaimevenError
from claimeven.minimax.types import InvalidSearch
from claimeven.networks import InvalidNetwork, NTupleNetwork, NTuples, NTupleSearch
from tests import naive

pytestmark = pytest.mark.core

BOARDS = (Geometry(), Geometry(5, 4, 3), Geometry(8, 7))


def made(geometry: Geometry, count: int = 9, length: int = 4, seed: int = 3) -> NTupleNetwork:
    """A network of random weights."""
    tuples = NTuples.random_walks(count, length, geometry, seed)
    weights = np.random.default_rng(seed).normal(0, 0.2, 2 * tuples.table_size)
    return NTupleNetwork(tuples, weights.astype(np.float32))


def some_position(rng: random.Random, geometry: Geometry) -> Position:
    """A position of random play that is not over."""
    while True:
        position = Position(geometry)
        for _ in range(rng.randrange(geometry.cells)):
            if position.is_over:
                break
            position = position.play(rng.choice(position.legal_columns))
        if not position.is_over:
            return position


def grid_value(network: NTupleNetwork, position: Position) -> float:
    """The value for the side to move, from a grid of the oracle, without arrays and indices."""
    board = position.geometry
    game = naive.Game(board.columns, board.rows, board.connect)
    for column in range(board.columns):
        for row in range(position.height_of(column)):
            game.grid[column][row] = position.cell(column, row)
    total, begin = 0.0, position.turn * len(network.weights) // 2
    for cells in network.tuples.tuples:
        for mirrored in (False, True):
            index = 0
            for power, (column, row) in enumerate(cells):
                stack = game.grid[board.columns - 1 - column if mirrored else column]
                height = sum(cell is not naive.EMPTY for cell in stack)
                owner = stack[row]
                digit = (3 if row == height else 0) if owner is None else 1 + owner
                index += digit << 2 * power
            total += float(network.weights[begin + index])
        begin += 4 ** len(cells)
    return math.tanh(total) * (1 - 2 * position.turn)


@given(st.sampled_from(BOARDS), st.randoms(use_true_random=False))
def test_values_equal_the_tables(geometry: Geometry, rng: random.Random) -> None:
    network, position = made(geometry), some_position(rng, geometry)
    assert network.tuples.indices(position).tolist() == [
        network.tuples.index(cells, position) for cells in network.tuples.slots
    ]
    assert network.value(position) == pytest.approx(grid_value(network, position), abs=1e-12)
    assert network.value(position.mirror()) == pytest.approx(network.value(position), abs=1e-12)
    for column, value in enumerate(network.column_values(position)):
        if value is None:
            assert column not in position.legal_columns
            continue
        after = position.play(column)
        winner = naive_winner(after)
        assert value == (
            pytest.approx(-grid_value(network, after), abs=1e-12)
            if not after.is_over
            else float(winner is not None)
        )


def naive_winner(position: Position) -> int | None:
    outcome = position.outcome
    return None if outcome is None else outcome.winner


@settings(max_examples=40)
@given(
    st.sampled_from(BOARDS), st.integers(1, 4), st.randoms(use_true_random=False),
    st.sampled_from(["center", "left"]),
)  # fmt: skip
def test_textbook_and_twin_visit_the_same_positions(
    geometry: Geometry, depth: int, rng: random.Random, order: str
) -> None:
    network, position = made(geometry), some_position(rng, geometry)
    textbook = NTupleSearch(network, order, "python").search(position, depth)
    twin = NTupleSearch(network, order, "compiled").search(position, depth)
    for name in ("column", "value", "line", "columns", "counters", "depth"):
        assert getattr(twin, name) == getattr(textbook, name)


def test_depth_one_is_only_the_network() -> None:
    network, rng = made(Geometry()), random.Random(8)
    for _ in range(40):
        position = some_position(rng, Geometry())
        values = network.column_values(position)
        chosen = NTupleSearch(network).search(position, 1).column
        best = max(value for value in values if value is not None)
        assert values[chosen] == pytest.approx(best, abs=1e-6)


def test_wins_are_found_for_any_network() -> None:
    search = NTupleSearch(made(Geometry()))
    position = Position.from_moves("112233")
    assert search.search(position, depth=1).column == 3
    assert search.search(Position.from_moves("4455"), depth=5).plies_to_end == 3
    output = search.search(Position.from_moves("1122"), nodes=500)
    assert output.counters.nodes <= 500


def test_tuples_are_drawn_by_their_seed() -> None:
    one, two, other = (NTuples.random_walks(20, 6, seed=seed) for seed in (1, 1, 2))
    assert one == two
    assert one != other
    assert len({frozenset(cells) for cells in one.slots}) >= 20
    for cells in one.tuples:
        assert len(set(cells)) == 6
        assert all(
            any(max(abs(c - d), abs(r - s)) == 1 for d, s in cells if (d, s) != (c, r))
            for c, r in cells
        )


def test_a_tuple_and_its_image_are_drawn_once() -> None:
    """Of the six pairs of cells of 2x2 two are their own images, the others each other's."""
    drawn = NTuples.random_walks(4, 2, Geometry(2, 2, 2)).tuples
    images = [tuple(sorted((1 - column, row) for column, row in cells)) for cells in drawn]
    assert len({*drawn, *images}) == 6


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NTuples(()), "at least one tuple"),
        (lambda: NTuples((((0, 0), (0, 0)),)), "tuple 1 holds a cell twice"),
        (lambda: NTuples((((0, 0),), ((7, 0),))), "tuple 2 holds a cell that is not on 7x6"),
        (lambda: NTuples((tuple((0, r) for r in range(11)),)), "tuple 1 has 11 cells: 1 to 10"),
        (
            lambda: NTuples.random_walks(9, 11),
            "the cells of a tuple on 7x6 connect 4 must be 1 to 10, got 11",
        ),
        (
            lambda: NTuples.random_walks(9, 2, Geometry(2, 2, 2)),
            "has fewer than 9 different tuples of 2",
        ),
        (
            lambda: NTuples.random_walks(5, 2, Geometry(2, 2, 2)),
            "has fewer than 5 different tuples of 2",
        ),
        (lambda: NTuples.random_walks(9, 4, Geometry(12, 6)), "64 bits"),
        (
            lambda: NTupleNetwork(NTuples.random_walks(1, 1), np.zeros(9, np.float32)),
            "are 8 of type",
        ),
        (lambda: NTupleNetwork(NTuples.random_walks(1, 1), np.zeros(8)), "are 8 of type float32"),  # type: ignore[arg-type]
        (lambda: NTupleSearch(made(Geometry(5, 4, 3))).search(Position(), 1), "not 7x6 connect 4"),
    ],
)
def test_invalid_arguments_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ClaimevenError, match=message):
        make()
    with pytest.raises(InvalidSearch):
        NTupleSearch(made(Geometry())).search(Position.from_moves("1212121"), 1)
    assert issubclass(InvalidNetwork, ValueError)
