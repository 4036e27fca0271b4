"""Trees and tables that stay from one decision to the next, in rare cases of failure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from claimeven import make_agent, play_match
from claimeven.agents import Limit
from claimeven.game import Geometry, Position
from claimeven.montecarlo import MonteCarloSearch, preset
from claimeven.montecarlo.graph import textbook as graph_textbook
from claimeven.montecarlo.puct import PuctSearch
from claimeven.montecarlo.puct import forest as puct_forest
from claimeven.montecarlo.puct.policy_value import UniformPolicyValue
from claimeven.montecarlo.tree import kernel as tree_kernel
from claimeven.montecarlo.tree import textbook as tree_textbook

START, LATER = Position.from_moves("44"), Position.from_moves("4453")


@pytest.mark.parametrize(("module", "make"), [
    (tree_kernel, lambda: MonteCarloSearch(preset("uct"))),
    (puct_forest, lambda: PuctSearch(UniformPolicyValue())),
], ids=["uct", "puct"])  # fmt: skip
def test_a_search_interrupted_while_its_tree_moves_starts_again(
    module: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes just when the tree was moved: no half-moved tree is searched."""
    searcher, keep = make(), module.keep_subtree
    searcher.search(START, np.random.default_rng(1), iterations=2000)

    def interrupted(*given: Any) -> int:
        keep(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "keep_subtree", interrupted)
        with pytest.raises(KeyboardInterrupt):
            searcher.search(LATER, np.random.default_rng(2), iterations=500)
    found = searcher.search(LATER, np.random.default_rng(3), iterations=500)
    fresh = make().search(LATER, np.random.default_rng(3), iterations=500)
    assert found.reused_visits == 0
    assert found.root == fresh.root


@pytest.mark.parametrize(("module", "helper", "table"), [
    (tree_textbook, "prove", "off"), (graph_textbook, "update_value", "equal"),
], ids=["tree", "graph"])  # fmt: skip
def test_a_search_interrupted_within_an_iteration_starts_again(
    module: Any, helper: str, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes while a result is backed up: a tree with wrong sums of visits is dropped."""
    options = preset("uct", transpositions=table, playout="random")
    searcher = MonteCarloSearch(options, "python")
    position = Position.from_moves("12", Geometry(4, 4, 3))
    searcher.search(position, np.random.default_rng(1), iterations=5)

    def interrupted(*_: Any) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, helper, interrupted)
        with pytest.raises(KeyboardInterrupt):
            searcher.search(position, np.random.default_rng(2), iterations=500)
    found = searcher.search(position, np.random.default_rng(3), iterations=20)
    fresh = MonteCarloSearch(options, "python")
    assert found.reused_visits == 0
    assert found.root == fresh.search(position, np.random.default_rng(3), iterations=20).root


def test_a_proven_root_keeps_its_children_however_little_time_there_is() -> None:
    """A timed search looks at few nodes of a large tree."""
    agent, rng = make_agent("uct"), np.random.default_rng(0)
    agent.choose(Position.from_moves("4444"), Limit(iterations=200_000), rng)
    position = Position.from_moves("44446726")
    found = agent.choose(position, Limit(seconds=0.0001), rng)
    assert found.column in position.legal_columns


@pytest.mark.parametrize("backend", ["compiled", "python"])
@pytest.mark.parametrize("capacity", [8, 14, 40])
def test_a_table_as_small_as_can_be_makes_room_for_each_root(backend: str, capacity: int) -> None:
    spec = f"uct-itu-table:capacity={capacity},iterations=12,backend={backend}"
    found = play_match(spec, "random", games=20, seed=1)
    assert found.wins[0] + found.wins[1] + found.draws == 20
