"""The search makes the visits it always made: a change of a number is a change of behavior."""

from __future__ import annotations

import pytest

from bench import puct


@pytest.mark.parametrize("part", puct.PARTS)
def test_the_visits_that_the_benchmark_asserts(part: str) -> None:
    """With the n-tuple network that is bundled, too: one that is made again needs them again."""
    puct.PARTS[part]()
