"""The textbook and the compiled search, equal in all results."""

from __future__ import annotations

import random
from itertools import cycle, product
from typing import Any

import pytest

from claimeven import Geometry, Position
from claimeven.evaluation import EVALUATIONS
from claimeven.minimax import MinimaxSearch
from tests.minimax.support import ALGORITHMS, BACKENDS, ORDERS, facts_of
from tests.positions import SEARCHED, WIDE, random_positions


def same(one: MinimaxSearch, other: MinimaxSearch, position: Position, **limits: Any) -> None:
    compiled, textbook = one.search(position, **limits), other.search(position, **limits)
    assert (compiled.backend, textbook.backend) == ("compiled", "python")
    assert facts_of(compiled) == facts_of(textbook), (position, limits)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("geometry", SEARCHED, ids=str)
def test_backends_agree_in_everything(geometry: Geometry, algorithm: str) -> None:
    depths = cycle((1, 2, 3)) if algorithm == "minimax" else cycle((1, 2, 3, 4))
    for order in ORDERS:
        for name in EVALUATIONS:
            one, other = (MinimaxSearch(algorithm, name, order, backend) for backend in BACKENDS)
            for position in random_positions(geometry, 3, seed=7, ongoing=True):
                same(one, other, position, depth=next(depths))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("geometry", SEARCHED, ids=str)
def test_backends_agree_with_evaluations_for_the_root(geometry: Geometry, algorithm: str) -> None:
    for name in ("windows", "sequences"):
        one, other = (
            MinimaxSearch(algorithm, name, backend=backend, view="root") for backend in BACKENDS
        )
        depths = cycle((1, 2, 3))
        for position in random_positions(geometry, 4, seed=11, ongoing=True):
            same(one, other, position, depth=next(depths))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_backends_agree_under_a_limit_of_nodes(algorithm: str) -> None:
    rng = random.Random(8)
    for geometry in SEARCHED:
        order = rng.choice(ORDERS)
        one, other = (MinimaxSearch(algorithm, "streaks", order, backend) for backend in BACKENDS)
        for position in random_positions(geometry, 8, seed=8, ongoing=True):
            nodes = rng.choice((1, 2, 7, 8, 9, 50, 57, 58, rng.randint(1, 600)))
            same(one, other, position, nodes=nodes, depth=rng.choice((None, 2, 5)))


@pytest.mark.parametrize("entries", [1, 4, 16, 256])
def test_backends_agree_with_a_tiny_table_kept_from_call_to_call(entries: int) -> None:
    for geometry in SEARCHED:
        for name in ("streaks", "windows"):
            one, other = (
                MinimaxSearch("negamax", name, backend=b, table=entries) for b in BACKENDS
            )
            position, rng = Position(geometry), random.Random(entries)
            while not position.is_over:
                if rng.random() < 0.5:
                    same(one, other, position, depth=rng.randint(1, 3))
                else:
                    same(one, other, position, nodes=rng.randint(1, 150))
                position = position.play(rng.choice(position.legal_columns))


def test_backends_agree_without_pruning_and_with_minimax() -> None:
    """Without pruning a table saves positions, and changes neither the column nor its value."""
    for geometry in SEARCHED:
        one, other = (
            MinimaxSearch("negamax", "streaks", "left", backend, 4096, prune=False)
            for backend in BACKENDS
        )
        plain = MinimaxSearch("minimax", "streaks", "left")
        for position in random_positions(geometry, 3, seed=12, ongoing=True):
            same(one, other, position, depth=4)
            one.reset()
            found, known = one.search(position, depth=4), plain.search(position, depth=4)
            assert (found.column, found.value) == (known.column, known.value)
            assert found.counters.nodes <= known.counters.nodes
            assert found.counters.cutoffs == 0
            one.reset()
            other.reset()


def test_backends_agree_to_the_end_of_the_game() -> None:
    geometry = Geometry(4, 4, 3)
    for algorithm in ALGORITHMS:
        one, other = (MinimaxSearch(algorithm, backend=backend) for backend in BACKENDS)
        for position in random_positions(geometry, 25, seed=10, ongoing=True):
            if geometry.cells - position.ply <= 8:
                same(one, other, position)


@pytest.mark.parametrize("geometry", WIDE, ids=str)
def test_backends_agree_on_boards_of_up_to_128_bits(geometry: Geometry) -> None:
    for algorithm, name in product(ALGORITHMS, EVALUATIONS):
        for view in ("mover", "root"):
            one, other = (
                MinimaxSearch(algorithm, name, backend=backend, view=view) for backend in BACKENDS
            )
            for position in random_positions(geometry, 1, seed=14, ongoing=True):
                same(one, other, position, depth=2 if algorithm == "minimax" else 3)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_wide_words_do_not_change_searches(algorithm: str, wide_words: None) -> None:
    for geometry in SEARCHED:
        for name in EVALUATIONS:
            one, other = (MinimaxSearch(algorithm, name, backend=backend) for backend in BACKENDS)
            for position in random_positions(geometry, 1, seed=15, ongoing=True):
                same(one, other, position, depth=3)


def test_boards_beyond_128_bits_are_searched_by_the_textbook() -> None:
    geometry = Geometry(13, 9, 4)
    results = [
        MinimaxSearch(algorithm, "triples").search(Position.from_moves("5544", geometry), 2)
        for algorithm in ALGORITHMS
    ]
    assert {result.backend for result in results} == {"python"}
    assert len({result.value for result in results}) == 1
