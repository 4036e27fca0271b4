"""Evaluations and counting: twin against twin, by hand, and the message for a wrong name."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from claimeven import ClaimevenError, Geometry, Position
from claimeven.evaluation import (
    EVALUATIONS,
    SEQUENCE_WIN,
    SYMMETRIC,
    Evaluation,
    InvalidEvaluation,
    Sequence,
    WindowWeights,
    count_by_length,
    get_evaluation,
    sequence_list,
    sequences,
    streaks,
    triples,
    weighted_windows,
    windows,
)
from claimeven.evaluation.registry import OWN
from claimeven.minimax import MinimaxSearch
from tests.evaluation.single import evaluate_compiled
from tests.positions import BOARDS, random_positions

POSITIONS_A_BOARD = 250

#: Boards of up to 64 bits whose long lines shift by a whole word or more, and thin ones.
TALL = (
    Geometry(4, 15, 8),
    Geometry(5, 11, 8),
    Geometry(3, 16, 6),
    Geometry(1, 16, 5),
    Geometry(16, 1, 4),
    Geometry(16, 3, 2),
    Geometry(1, 1, 2),
)


@pytest.mark.core
@pytest.mark.parametrize("geometry", [b for b in (*BOARDS, *TALL) if b.fits_word], ids=str)
def test_textbook_and_compiled_are_equal(geometry: Geometry) -> None:
    chosen = [
        *EVALUATIONS.values(),
        weighted_windows("own", WindowWeights(7, 5, 3, -2, -4, -6, 9), "other weights", 10.0),
    ]
    for position in random_positions(geometry, POSITIONS_A_BOARD, seed=2):
        for evaluation in chosen:
            assert evaluate_compiled(evaluation, position) == evaluation(position), position


def test_sequence_list_by_hand() -> None:
    up, right, rising, falling = (0, 1), (1, 0), (1, 1), (1, -1)
    assert sequence_list(Position.from_moves("1213"), 0) == [
        Sequence((0, 0), up, 1),
        Sequence((0, 1), up, 1),
        Sequence((0, 0), right, 1),
        Sequence((0, 1), right, 1),
        Sequence((0, 0), rising, 1),
        Sequence((0, 1), rising, 1),
        Sequence((0, 0), falling, 1),
        Sequence((0, 1), falling, 1),
        Sequence((0, 0), up, 2),
    ]
    assert sequence_list(Position(), 0) == []


def test_a_run_of_four_holds_two_of_three() -> None:
    position = Position.from_moves("1122334")
    assert [count_by_length(position, 0, length) for length in (1, 2, 3, 4, 5)] == [16, 3, 2, 1, 0]


BY_HAND = [
    ("", {"sequences": 0, "windows": 0, "windows-symmetric": 0, "streaks": 0, "triples": 0}),
    ("4", {"sequences": 0, "windows": 0, "windows-symmetric": 0, "streaks": -1, "triples": 0}),
    # One disc in a corner: above and next to it 2 * 2, on the diagonal 2 * (2 - 1).
    ("17", {"sequences": 10, "windows": 0, "streaks": 0}),
    # From the center: up 4, left 4, right 4, and 2 on each diagonal; the center disc counts 1.
    ("41", {"sequences": 16, "windows": 1, "windows-symmetric": 0, "streaks": 0}),
    # The side to move can complete a line immediately.
    ("414141", {"sequences": SEQUENCE_WIN, "streaks": 0, "triples": 0}),
    # Three in the center column against it, and two of its own.
    ("41414", {"windows": 100 - 101 - 1001, "windows-symmetric": 2 - 2 - 5, "triples": -1}),
    ("41414", {"streaks": 2 * 8 - 3 * 128}),
    # The game is lost: four of the opponent's discs in a line.
    ("4141414", {"streaks": 3 * 128 - 4 * 99999, "triples": 1 - 2}),
]


@pytest.mark.parametrize(("moves", "expected"), BY_HAND)
def test_evaluations_by_hand(moves: str, expected: dict[str, int]) -> None:
    position = Position.from_moves(moves)
    for name, value in expected.items():
        assert EVALUATIONS[name](position) == value, name
        assert evaluate_compiled(EVALUATIONS[name], position) == value, name


def test_evaluations_are_functions_of_a_position() -> None:
    position = Position.from_moves("41414")
    assert windows(position) == windows(position, WindowWeights()) == -1002
    assert windows(position, SYMMETRIC) == -5
    assert (streaks(position), triples(position)) == (-368, -1)
    assert sequences(position.play(0)) == SEQUENCE_WIN


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_the_mirror_image_is_worth_the_same(geometry: Geometry) -> None:
    even_center = geometry.columns % 2 == 0
    for position in random_positions(geometry, 40, seed=5):
        image = position.mirror()
        for name, evaluation in EVALUATIONS.items():
            if even_center and name == "windows":
                continue  # of two middle columns one is the center, so that one disc weighs 1 more
            assert evaluation(image) == evaluation(position), (name, position)


def height_of_column_4(position: Position) -> float:
    return float(position.height_of(3))


def test_a_function_of_ones_own_is_an_evaluation() -> None:
    evaluation = get_evaluation(height_of_column_4)
    assert evaluation.name == "height_of_column_4"
    assert evaluation.kernel == OWN
    assert evaluation(Position.from_moves("444")) == 3.0
    assert get_evaluation(evaluation) is evaluation
    assert get_evaluation("triples") is EVALUATIONS["triples"]
    assert isinstance(get_evaluation(lambda position: 0), Evaluation)
    nameless = get_evaluation(partial(windows, weights=SYMMETRIC))
    assert (nameless.name, nameless(Position.from_moves("41414"))) == ("evaluation", -5)


@pytest.mark.parametrize(
    "number", [3, -2.5, True, np.float32(0.5), np.int64(7), Fraction(1, 4), 10**400]
)
def test_a_function_may_return_any_number(number: Any) -> None:
    value = get_evaluation(lambda position: number)(Position())
    assert isinstance(value, (int, float)) and value == number


@pytest.mark.parametrize(
    ("function_result", "message"),
    [
        (math.nan, "nan"),
        (np.float32("nan"), "nan"),
        (None, "None"),
        ("3", "'3'"),
        (b"3", "b'3'"),
        (Fraction(10**400), r"Fraction\(1000"),
        (2j, "2j"),
        ([1.0], r"\[1.0\]"),
        ("x" * 500, "'x+...x+'"),
    ],
)
def test_results_must_be_numbers(function_result: Any, message: str) -> None:
    """A search would treat nan as a win in every comparison."""

    def mine(position: Position) -> Any:
        return function_result

    sentence = f"^the evaluation mine returned .*{message}.* instead of a number$"
    with pytest.raises(InvalidEvaluation, match=sentence):
        get_evaluation(mine)(Position())
    for evaluation in (mine, Evaluation("mine", mine, "one's own, with a scale", 10.0)):
        with pytest.raises(InvalidEvaluation, match=sentence):
            MinimaxSearch("alphabeta", evaluation).search(Position.from_moves("44"), depth=2)


@pytest.mark.parametrize("scale", [0, -1.0, math.nan, math.inf, "10"])
def test_a_scale_is_greater_than_0(scale: Any) -> None:
    """Values are divided by it, and are 0 on a board that is even."""
    with pytest.raises(InvalidEvaluation, match="the scale of the evaluation mine must be"):
        Evaluation("mine", lambda position: 0, "one's own", scale)


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (7.5, "the weight three must be a whole number, got 7.5"),
        (
            10**9 + 1,
            "the weight three must be -1,000,000,000 to 1,000,000,000, got 1,000,000,001",
        ),
        (-(10**30), "the weight three must be"),
    ],
)
def test_weights_that_compiled_code_would_take_for_others(weight: Any, sentence: str) -> None:
    with pytest.raises(InvalidEvaluation, match=sentence):
        weighted_windows("mine", WindowWeights(three=weight), "other weights", 10.0)


def test_the_greatest_weights_are_counted_right() -> None:
    most, least = 10**9, -(10**9)
    weights = WindowWeights(most, most, most, least, least, least, most)
    greatest = weighted_windows("greatest", weights, "other weights", 10.0)
    for position in random_positions(Geometry(16, 3, 3), 50, seed=9):
        assert evaluate_compiled(greatest, position) == greatest(position)


def test_an_unknown_evaluation_is_reported_with_the_choices() -> None:
    with pytest.raises(InvalidEvaluation) as caught:
        get_evaluation("window")
    assert str(caught.value) == (
        "there is no evaluation 'window' (did you mean windows?): choose from sequences, windows,"
        " windows-symmetric, streaks, triples"
    )
    assert isinstance(caught.value, ValueError)
    with pytest.raises(InvalidEvaluation, match=r"there is no evaluation '\[\]'"):
        get_evaluation([])  # type: ignore[arg-type]


def test_invalid_window_arguments_are_refused() -> None:
    for player, length in ((0, 0), (0, -2), (2, 1), (-1, 1), (0, 1.5)):
        with pytest.raises(ClaimevenError, match=r"(length|player) must be"):
            count_by_length(Position.from_moves("4455"), player, length)  # type: ignore[arg-type]
    with pytest.raises(ClaimevenError, match="player must be 0 to 1, got 2"):
        sequence_list(Position(), 2)


def test_weights_of_the_kernel_fit_the_board() -> None:
    weights = EVALUATIONS["streaks"].kernel_weights(Geometry(7, 7, 6))
    assert weights.tolist() == [1, 8, 128, 1024, 8192, 99999]
    weights = EVALUATIONS["streaks"].kernel_weights(Geometry(8, 7, 8))
    assert weights.tolist() == [1, 8, 128, 1024, 8192, 16384, 32768, 99999]
    assert EVALUATIONS["windows"].kernel_weights(Geometry()).shape == (7,)
