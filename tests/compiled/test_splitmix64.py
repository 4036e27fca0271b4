"""The random numbers: the published ones of splitmix64, even, and the same compiled."""

import numpy as np
import pytest

from claimeven.compiled import Word, kernel
from claimeven.compiled.splitmix64 import STEP, Stream, draw_below


@kernel("uint64(uint64, uint64)")
def _below(state: Word, count: Word) -> Word:
    return draw_below(state + STEP, count)


def test_published_numbers() -> None:
    """The first outputs of splitmix64 from the seed 1234567."""
    stream = Stream(1234567)
    outputs = (6457827717110365317, 3203168211198807973, 9817491932198370423)
    assert [stream.below(1 << 32) for _ in outputs] == [output >> 32 for output in outputs]


def test_shares_are_published_numbers_too() -> None:
    """Their place between 0 and 1 is the place of the words in their range."""
    stream = Stream(1234567)
    for output in (6457827717110365317, 3203168211198807973, 9817491932198370423):
        assert stream.share() == pytest.approx(output / 2**64)


@pytest.mark.core
@pytest.mark.parametrize("count", [1, 2, 7, 16])
def test_compiled_draws_are_the_same(count: int) -> None:
    for seed in (0, 1, 2**63, 2**64 - 1, 987654321):
        assert int(_below(np.uint64(seed), np.uint64(count))) == Stream(seed).below(count)


def test_draws_are_even() -> None:
    stream = Stream(5)
    counts = np.bincount([stream.below(7) for _ in range(70_000)], minlength=7)
    assert counts.min() > 9_600
    assert counts.max() < 10_400
