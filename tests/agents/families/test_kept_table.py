"""The transposition table of negamax, forgotten after a game or kept (`keep=yes`)."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Position, make_agent
from claimeven.agents import Limit


@pytest.mark.parametrize("backend", ["compiled", "python"])
@pytest.mark.parametrize("keep", [False, True])
def test_the_table_is_kept_from_game_to_game_where_that_is_asked(keep: bool, backend: str) -> None:
    word = "yes" if keep else "no"
    agent = make_agent(f"negamax-aifour:keep={word},backend={backend}")
    assert agent.remembers == keep
    position, rng = Position.from_moves("44"), np.random.default_rng(0)
    first = agent.choose(position, Limit(), rng)
    agent.reset()
    second = agent.choose(position, Limit(), rng)
    assert second.column == first.column
    assert first.nodes is not None
    assert second.nodes is not None
    assert (second.nodes < first.nodes) == keep
    if not keep:
        assert second.details == first.details
