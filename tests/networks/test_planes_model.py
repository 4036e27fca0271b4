"""Models of other authors: what they are given, and what they may answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.game.encodings import to_pettingzoo
from claimeven.montecarlo.puct.policy_value import evaluate_checked
from claimeven.networks import InvalidNetwork, PlanesModel, PuctSearch, UniformPolicyValue
from tests.positions import random_positions

BOARD = Geometry(4, 4, 3)


def words_of(positions: list[Position]) -> list[np.ndarray]:
    names = ("mine", "mask")
    return [np.array([getattr(p, n) for p in positions], dtype=np.uint64) for n in names]


def test_it_is_given_planes_and_its_policies_are_scaled() -> None:
    positions, seen = list(random_positions(BOARD, 30, seed=1, ongoing=True)), []

    def model(planes: np.ndarray) -> tuple[Any, Any]:
        seen.append(planes)
        return [[0.5]] * len(planes), [[1, 2, 3, 4]] * len(planes)

    made = PlanesModel(model, BOARD)
    values, priors = made.evaluate(*words_of(positions))
    expected = [np.moveaxis(to_pettingzoo(p, p.turn), 2, 0) for p in positions]
    assert np.array_equal(seen[0], expected)
    assert seen[0].dtype == values.dtype == priors.dtype == np.float32
    assert values.tolist() == [0.5] * 30
    for position, found in zip(positions, priors, strict=True):
        legal = position.legal_columns
        total = sum(column + 1 for column in legal)
        wanted = [(c + 1) / total if c in legal else 0 for c in range(4)]
        assert np.allclose(found, wanted)


@pytest.mark.parametrize(
    ("values", "policies", "reason"),
    [
        ([2.5], [[1] * 4], r"returned values from 2\.5 to 2\.5 .*: expected values from -1 to 1"),
        ([-1.01], [[1] * 4], r"returned values from -1\.01"),
        ([float("nan")], [[1] * 4], "returned values from nan to nan"),
        ([0], [[1, 1, 1, float("inf")]], "and priors from nan to nan: expected"),
        ([0], [[1, 1, 1, -0.5]], r"and priors from -0\.5 to 1: expected"),
        ([0], [[0] * 4], "and priors from nan to nan: expected"),
        ([0], [[1] * 7], r"returned .* priors of shape \(1, 7\): expected \(1,\) and \(1, 4\)"),
        (0, [[1] * 4], r"returned values of shape \(\) .*: expected \(1,\) and \(1, 4\)"),
        (["a"], [[1] * 4], "must return two arrays of numbers, values and policies: could not"),
    ],
)
def test_other_answers_are_named_in_a_sentence(values: Any, policies: Any, reason: str) -> None:
    model = PlanesModel(lambda planes: (values, policies), BOARD, "mine.py:model")
    with pytest.raises(InvalidNetwork, match=rf"^the model mine\.py:model .*{reason}"):
        evaluate_checked(model, *words_of([Position(BOARD)]))


@pytest.mark.parametrize("found", [None, 3, (1, 2, 3)])
def test_an_answer_must_be_two_arrays(found: Any) -> None:
    with pytest.raises(InvalidNetwork, match="must return two arrays of numbers"):
        PlanesModel(lambda planes: found, BOARD).evaluate(*words_of([Position(BOARD)]))


def test_values_just_beyond_the_bounds_are_rounding() -> None:
    model = PlanesModel(lambda planes: ([1.0000001], [[1] * 4]), BOARD)
    (value,), _ = evaluate_checked(model, *words_of([Position(BOARD)]))
    assert value == pytest.approx(1)


class OfWords:
    """A class with the interface of `PolicyValue`, for one board."""

    geometry = BOARD

    def evaluate(self, mines: Any, masks: Any) -> Any:
        return UniformPolicyValue(BOARD).evaluate(mines, masks)


def uniform(planes: Any) -> Any:
    return np.zeros(len(planes)), np.ones((len(planes), planes.shape[3]))


@pytest.mark.parametrize("model", [OfWords(), uniform])
def test_each_kind_of_model_searches_as_the_same_model_of_ours(model: Any) -> None:
    found, expected = (
        PuctSearch(each).search(Position.from_moves("12", BOARD), np.random.default_rng(1), 200)
        for each in (PlanesModel(model), UniformPolicyValue(BOARD))
    )
    assert found.policy == expected.policy
    assert (found.value, found.line) == (expected.value, expected.line)


def test_the_board_of_a_model_is_a_geometry() -> None:
    with pytest.raises(InvalidNetwork, match=r"mine.geometry must be a Geometry, got \(7, 6\)"):
        PlanesModel(uniform, (7, 6), "mine")  # type: ignore[arg-type]


def test_a_model_of_each_board_changes_the_board() -> None:
    for backend in ("auto", "python"):
        search = PuctSearch(PlanesModel(uniform), backend=backend)
        for board in (BOARD, Geometry(), BOARD):
            found = search.search(Position(board), np.random.default_rng(1), 20)
            assert len(found.policy) == board.columns
            assert search.model.geometry == board
    search = PuctSearch(PlanesModel(OfWords()))
    with pytest.raises(InvalidNetwork, match="the model knows 4x4 connect 3, not 7x6 connect 4"):
        search.search(Position(), np.random.default_rng(1), 20)
