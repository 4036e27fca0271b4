"""The assumptions of the search, on every position of small boards: see `exhaustive`."""

from __future__ import annotations

from functools import cache

import pytest

from tests.solver.exhaustive import CHECKS, Check, Everything

#: Even and odd heights, lines in all directions, few and many draws.
BOARDS = [(4, 4, 3), (4, 5, 3), (4, 4, 4)]

everything = cache(Everything)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("size", BOARDS, ids=str)
def test_proofs_hold_on_every_position(size: tuple[int, int, int], check: Check) -> None:
    assert check(everything(*size)) > 500
