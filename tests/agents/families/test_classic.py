"""The minimax agents: the table they keep, and the tree of a decision."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Geometry, Position, make_agent
from claimeven.agents import Limit
from tests.positions import random_positions


@pytest.mark.parametrize("backend", ["compiled", "python"])
@pytest.mark.parametrize("keep", [False, True])
def test_the_table_is_kept_from_game_to_game_where_that_is_asked(keep: bool, backend: str) -> None:
    word = "yes" if keep else "no"
    agent = make_agent(f"negamax-aifour:keep={word},backend={backend}")
    assert agent.stateful == keep
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


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "negamax"])
@pytest.mark.parametrize("nodes", [300, 3000])
def test_a_search_that_deepens_has_the_tree_of_its_last_depth(algorithm: str, nodes: int) -> None:
    agent = make_agent(f"{algorithm}:nodes={nodes}")
    rng = np.random.default_rng(0)
    for position in random_positions(Geometry(), 10, seed=31, ongoing=True):
        agent.reset()
        decision = agent.choose(position, Limit(), rng)
        view = agent.tree(1, 20)
        assert view is not None
        best = [child for child in view.data["children"] if child["principal"]]
        assert [child["move"] for child in best] == [str(decision.column + 1)], position
        assert best[0]["value"] == view.data["value"] == decision.details["evaluation"]


def test_looking_at_the_tree_changes_no_later_decision() -> None:
    looking, other = (make_agent("negamax:nodes=2000") for _ in range(2))
    rng = np.random.default_rng(0)
    for position in random_positions(Geometry(), 10, seed=32, ongoing=True):
        first, second = (agent.choose(position, Limit(), rng) for agent in (looking, other))
        assert first.details == second.details
        looking.tree(2, 60)
