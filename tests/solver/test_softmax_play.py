"""Errors on purpose: how likely each is, and what is drawn."""

from __future__ import annotations

import math

import pytest

from claimeven.solver.softmax_play import column_at, error_chances


def test_errors_are_rarer_the_more_they_lose() -> None:
    chances = error_chances((5, None, 3, -5), 4.0)
    assert sum(chances) == pytest.approx(1)
    assert chances[1] == 0
    assert chances[2] / chances[0] == pytest.approx(math.exp(-0.5))
    assert chances[3] / chances[0] == pytest.approx(math.exp(-2.5))


@pytest.mark.parametrize("temperature", [1e-3, 1e-300])
def test_next_to_no_errors_are_made_where_it_is_cold(temperature: float) -> None:
    """Nothing overflows, however great the scores are beside the temperature."""
    assert error_chances((18, -18, None, 18), temperature) == (0.5, 0.0, 0.0, 0.5)


def test_columns_take_up_their_chances() -> None:
    chances = (0.25, 0.0, 0.5, 0.25)
    drawn = [column_at(chances, place / 4000) for place in range(4000)]
    assert [drawn.count(column) for column in range(4)] == [1000, 0, 2000, 1000]
    assert drawn == [column_at((0.5, 0.0, 1.0, 0.5), place / 4000) for place in range(4000)]


def test_a_column_without_a_chance_is_never_drawn() -> None:
    assert column_at((0.0, 0.1, 0.2, 0.0), math.nextafter(1, 0)) == 2
    assert column_at((0.0, 1.0), 0.0) == 1
    # These chances, taken off their sum one by one, leave nothing, and not less.
    assert column_at((0.3, 0.7, 0.0), math.nextafter(1, 0)) == 1
