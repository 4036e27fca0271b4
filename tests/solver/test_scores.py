"""When a game ends, and scores in words."""

from __future__ import annotations

import math

import pytest

from claimeven import Geometry, Position
from claimeven.solver import InvalidSolve, Solver, outcome_word, plies_to_end, score_in_words
from claimeven.solver.scores import (
    column_in_words,
    final_score,
    last_disc,
    sample_column,
    softmax_chances,
)
from tests import naive
from tests.positions import oracle, random_positions


@pytest.mark.parametrize(
    ("moves", "score", "disc", "words"),
    [
        ("", 1, 41, "Yellow wins in 21 moves"),
        ("4", -1, 41, "Yellow wins in 20 moves"),
        ("4455", 18, 7, "Yellow wins in 2 moves"),
        ("44555", -18, 7, "Yellow wins in 1 move"),
        ("44455554221", -15, 13, "Yellow wins in 1 move"),
        ("1", -2, 39, "Yellow wins in 19 moves"),
        ("1", 2, 40, "Red wins in 20 moves"),
        ("1", 0, 42, "draw"),
        ("121212", 18, 7, "Yellow wins in 1 move"),
        ("1212121", -18, 7, "Yellow wins"),
    ],
)
def test_words_of_scores(moves: str, score: int, disc: int, words: str) -> None:
    position = Position.from_moves(moves)
    assert last_disc(position, score) == disc
    assert plies_to_end(position, score) == disc - position.ply
    assert score_in_words(position, score) == words


@pytest.mark.parametrize(
    ("geometry", "moves", "score", "words"),
    [
        (Geometry(), "121212", 18, "wins immediately"),
        (Geometry(), "44555", -18, "loses to the next move"),
        (Geometry(), "1122334", 0, "draws"),
        (Geometry(), "445", -18, "loses in 2 moves"),
        (Geometry(), "", 1, "wins in 21 moves"),
        (Geometry(2, 2, 2), "12", 1, "wins immediately"),
        (Geometry(2, 2, 2), "1", -1, "loses to the next move"),
    ],
)
def test_words_of_columns(geometry: Geometry, moves: str, score: int, words: str) -> None:
    assert column_in_words(Position.from_moves(moves, geometry), score) == words


@pytest.mark.parametrize(
    ("moves", "score"),
    [("", 22), ("", -22), ("4455", 20), ("44555", -19), ("1212121", 18), ("1212121", 0), ("", 99)],
)
def test_scores_that_cannot_be_are_refused(moves: str, score: int) -> None:
    with pytest.raises(InvalidSolve, match=f"{score} is not a score of a position with"):
        last_disc(Position.from_moves(moves), score)


def test_half_a_point_is_refused() -> None:
    with pytest.raises(InvalidSolve, match=r"a score must be a whole number, got 1\.5"):
        score_in_words(Position(), 1.5)  # type: ignore[arg-type]


def test_words_of_outcomes() -> None:
    assert [outcome_word(score) for score in (3, 0, -21)] == ["win", "draw", "loss"]


@pytest.mark.parametrize("geometry", [Geometry(4, 4, 3), Geometry(3, 5, 2), Geometry(4, 3, 4)])
def test_the_reported_end_is_the_end_of_best_play(geometry: Geometry) -> None:
    solver = Solver(geometry, table_mb=1)
    for position in random_positions(geometry, 60, seed=4):
        score = solver.score(position)
        line = solver.principal_variation(position)
        assert plies_to_end(position, score) == len(line)
        end = position
        for column in line:
            end = end.play(column)
        assert end.is_over
        assert abs(final_score(end)) == abs(score)


def test_finished_games_have_the_score_of_the_oracle() -> None:
    geometry, finished = Geometry(3, 4, 3), 0
    for position in random_positions(geometry, 100, seed=5):
        if position.is_over:
            finished += 1
            assert final_score(position) == naive.score(oracle(position))
        else:
            with pytest.raises(InvalidSolve, match="not over yet"):
                final_score(position)
    assert finished > 10


def test_errors_are_rarer_the_more_they_lose() -> None:
    chances = softmax_chances((5, None, 3, -5), 4.0)
    assert sum(chances) == pytest.approx(1)
    assert chances[1] == 0
    assert chances[2] / chances[0] == pytest.approx(math.exp(-0.5))
    assert chances[3] / chances[0] == pytest.approx(math.exp(-2.5))


@pytest.mark.parametrize("temperature", [1e-3, 1e-300])
def test_next_to_no_errors_are_made_where_it_is_cold(temperature: float) -> None:
    """No overflow, with scores much greater than the temperature."""
    assert softmax_chances((18, -18, None, 18), temperature) == (0.5, 0.0, 0.0, 0.5)


def test_columns_take_up_their_chances() -> None:
    chances = (0.25, 0.0, 0.5, 0.25)
    drawn = [sample_column(chances, place / 4000) for place in range(4000)]
    assert [drawn.count(column) for column in range(4)] == [1000, 0, 2000, 1000]
    assert drawn == [sample_column((0.5, 0.0, 1.0, 0.5), place / 4000) for place in range(4000)]


def test_a_column_without_a_chance_is_never_drawn() -> None:
    assert sample_column((0.0, 0.1, 0.2, 0.0), math.nextafter(1, 0)) == 2
    assert sample_column((0.0, 1.0), 0.0) == 1
    # These chances, subtracted from their sum one by one, leave 0, and not less.
    assert sample_column((0.3, 0.7, 0.0), math.nextafter(1, 0)) == 1
