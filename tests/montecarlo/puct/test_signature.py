"""The search makes the visits it always made: a change of a number is a change of behaviour."""

from __future__ import annotations

import pytest

from bench import puct


@pytest.mark.parametrize("part", puct.PARTS)
def test_the_visits_that_the_benchmark_asserts(part: str) -> None:
    """With the n-tuple network that comes along, too: one that is made anew needs them anew."""
    puct.PARTS[part]()
