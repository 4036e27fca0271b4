"""Values of the searches against plain minimax on a grid of lists."""

from __future__ import annotations

import pytest

from claimeven import Geometry, Position
from claimeven.minimax import PROVEN, WIN, MinimaxSearch
from tests import naive
from tests.minimax.support import ALGORITHMS, BACKENDS
from tests.positions import SEARCHED, oracle, random_positions


@pytest.mark.parametrize("geometry", SEARCHED[:4], ids=str)
def test_values_equal_the_oracle(geometry: Geometry) -> None:
    searchers = [
        MinimaxSearch(algorithm, "windows-symmetric", backend=backend)
        for algorithm in ALGORITHMS
        for backend in BACKENDS
    ]
    for position in random_positions(geometry, 12, seed=4, ongoing=True):
        depth = min(3, geometry.cells - position.ply)
        expected = naive.minimax(
            oracle(position),
            depth,
            lambda game: naive.windows_value(game, naive.SYMMETRIC_WEIGHTS),
            lambda remaining: WIN - depth + remaining,  # noqa: B023 - called before the next one
        )
        for searcher in searchers:
            searcher.reset()
            result = searcher.search(position, depth)
            assert result.value == expected
            assert result.line[0] == result.column in position.legal_columns


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_small_boards_are_solved_without_a_limit(algorithm: str) -> None:
    boards = (Geometry(3, 3, 3), Geometry(4, 3, 3), Geometry(3, 4, 3), Geometry(4, 2, 2))
    for geometry in boards:
        if algorithm == "minimax" and geometry == Geometry(3, 4, 3):
            continue  # every line of play, which is too many to look at each
        result = MinimaxSearch(algorithm).search(Position(geometry))
        score = naive.score(naive.Game(geometry.columns, geometry.rows, geometry.connect))
        assert (result.value > 0) - (result.value < 0) == (score > 0) - (score < 0)
        if result.plies_to_end is not None:
            discs_before = result.plies_to_end - 1
            assert (geometry.cells + 1 - discs_before) // 2 == abs(score)


@pytest.mark.parametrize(
    ("geometry", "winner"),
    [(Geometry(4, 4, 4), None), (Geometry(5, 4, 4), None), (Geometry(4, 4, 3), 0)],
    ids=str,
)
def test_published_results_of_small_boards(geometry: Geometry, winner: int | None) -> None:
    result = MinimaxSearch("negamax", table=1 << 20).search(Position(geometry))
    assert result.depth == geometry.cells
    if winner is None:
        assert (result.value, result.plies_to_end) == (0, None)
    else:
        assert result.value > PROVEN


def test_positions_near_the_end_are_solved_as_the_oracle_does() -> None:
    geometry = Geometry(5, 4, 4)
    known: dict[object, int] = {}
    searchers = [MinimaxSearch(algorithm) for algorithm in ALGORITHMS]
    for position in random_positions(geometry, 60, seed=5, ongoing=True):
        if geometry.cells - position.ply > 9:
            continue
        score = naive.score(oracle(position), known)
        for searcher in searchers:
            result = searcher.search(position)
            if score == 0:
                assert result.value == 0
            else:
                assert result.plies_to_end is not None
                discs_before = position.ply + result.plies_to_end - 1
                assert (geometry.cells + 1 - discs_before) // 2 == abs(score)
                assert (result.value > 0) == (score > 0)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_evaluations_for_the_root_equal_the_oracle(depth: int) -> None:
    searches = [MinimaxSearch(algorithm, "windows", view="root") for algorithm in ALGORITHMS]
    differing = 0
    for position in random_positions(Geometry(), 40, seed=12, ongoing=True):
        root = oracle(position).player

        def as_the_root_sees(game: naive.Game, root: int = root) -> int:
            seen = game.copy()
            seen.player = root
            value = naive.windows_value(seen)
            return value if game.player == root else -value

        expected = naive.minimax(oracle(position), depth, as_the_root_sees)
        for search in searches:
            found = search.search(position, depth).value
            if abs(found) > PROVEN:
                assert (found > 0) == (expected > 0)
                assert abs(expected) >= 10_000_000
            else:
                assert found == expected
        if abs(found) <= PROVEN:
            mover = MinimaxSearch("minimax", "windows").search(position, depth)
            differing += mover.value != found
    # The root's side is to move after an even number of plies.
    assert (differing > 20) == (depth % 2 == 1)
