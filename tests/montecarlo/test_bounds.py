"""The limits of searches: the maximum of visits, a full tree, and partial reuse."""

import numpy as np
import pytest

from claimeven.game import Geometry, Position
from claimeven.montecarlo import PRESETS, MonteCarloSearch, preset
from claimeven.montecarlo.engine import Engine, TextbookEngine
from claimeven.montecarlo.graph import kernel as graph
from claimeven.montecarlo.graph.engine import GraphEngine
from claimeven.montecarlo.graph.textbook import TextbookGraph
from claimeven.montecarlo.inspection import Forest
from claimeven.montecarlo.layout import MAX_VISITS
from claimeven.montecarlo.tree.engine import TreeEngine
from claimeven.montecarlo.tree.kernel import ROOT, TOTAL, VISITS
from tests.montecarlo.support import all_of, search

BACKENDS = ("compiled", "python")


def visit_nearly_to_the_end(engine: Engine, left: int) -> None:
    """Set the visits of the root, all of them lost, as if `left` were left."""
    many = MAX_VISITS - left
    if isinstance(engine, GraphEngine):
        engine.state[graph.TOTAL_ITERATIONS] = many
        root = engine.root().node
        engine.graph.nodes[root, graph.VISITS] = many
        engine.graph.nodes[root, graph.OWN_TOTAL] = -many
    elif isinstance(engine, TextbookEngine):
        found = engine.search
        found.root.visits = many
        if isinstance(found, TextbookGraph):
            found.total_iterations = many
            found.root.own_total = -many
        else:
            found.root.total = -many
    else:
        engine.records[ROOT, VISITS] = many  # type: ignore[attr-defined]  # of arrays
        engine.records[ROOT, TOTAL] = -many  # type: ignore[attr-defined]  # of arrays


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PRESETS)
def test_a_search_ends_before_visits_overflow(name: str, backend: str) -> None:
    searcher = MonteCarloSearch(preset(name, capacity=5000), backend)
    result = searcher.search(Position(), np.random.default_rng(1), iterations=20)
    engine = result.forest.trees[0]
    visit_nearly_to_the_end(engine, 10)
    assert engine.run(100) == 10
    assert engine.run(100) == 0
    root = engine.facts(engine.root())
    assert root.visits == MAX_VISITS
    assert -MAX_VISITS <= root.total < 0
    assert all(-1 <= child.plain_mean <= 1 for child in result.forest.branch(1).children)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_timed_search_of_a_kept_tree_ends_there_too(backend: str) -> None:
    searcher, rng = (
        MonteCarloSearch(preset("uct-menary", capacity=5000, reuse=True), backend),
        np.random.default_rng(1),
    )
    before = searcher.search(Position(), rng, iterations=20)
    visit_nearly_to_the_end(before.forest.trees[0], 10)
    assert searcher.search(Position(), rng, seconds=600).iterations == 10
    after = searcher.search(Position(), rng, iterations=5)
    assert (after.iterations, after.reused_visits) == (0, MAX_VISITS)
    assert after.column in range(7)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_worn_graph_is_emptied(backend: str) -> None:
    searcher = MonteCarloSearch(preset("uct-itu-table", capacity=5000), backend)
    rng = np.random.default_rng(1)
    before = searcher.search(Position(), rng, iterations=20)
    visit_nearly_to_the_end(before.forest.trees[0], MAX_VISITS // 2)
    after = searcher.search(Position(), rng, iterations=5)
    assert (after.iterations, after.reused_visits) == (5, 0)
    assert searcher.search(Position(), rng, iterations=5).reused_visits == 5


@pytest.mark.parametrize("backend", BACKENDS)
def test_breadth_plays_on_from_the_leaves_of_a_full_tree(backend: str) -> None:
    """After the pass over the nodes every leaf gets a playout in turn, round after round."""
    searcher = MonteCarloSearch(preset("breadth", capacity=400), backend)
    rng = np.random.default_rng(1)
    once = searcher.search(Position(), rng, iterations=400)
    nodes = once.stored
    leaves = [node for node in all_of(once.forest.branch(None)) if not node.children]
    result = searcher.search(Position(), rng, iterations=nodes + 5 * len(leaves) + 3)
    assert result.iterations == nodes + 5 * len(leaves) + 3 == result.root.visits
    assert result.full
    assert result.stored == nodes
    visits = [node.visits for node in all_of(result.forest.branch(None)) if not node.children]
    assert sorted(visits) == [6] * (len(leaves) - 3) + [7] * 3


def test_breadth_ends_when_all_is_known() -> None:
    for backend in BACKENDS:
        result = search(Position(Geometry(2, 2, 2)), preset("breadth"), 1000, backend=backend)
        assert not result.full
        assert result.iterations == result.stored < 1000


@pytest.mark.parametrize("looked", [30, 300, 3000])
def test_a_tree_is_kept_in_part(looked: int) -> None:
    """The reused nodes are part of the subtree, with the same numbers, and grows on."""
    position = Position.from_moves("44")
    for backend in BACKENDS:
        searcher = MonteCarloSearch(preset("uct-menary", reuse=True), backend)
        before = searcher.search(position, np.random.default_rng(1), iterations=3000)
        subtree = next(c for c in before.forest.branch(None).children if c.column == before.column)
        engine, after = before.forest.trees[0], position.play(before.column)
        assert isinstance(engine, TreeEngine | TextbookEngine)
        engine.start(after, 1, looked)
        assert engine.used <= looked
        kept = Forest(after, before.forest.options, (engine,)).branch(None)
        assert len(all_of(kept)) == engine.used
        waiting = [(kept, subtree)]
        while waiting:
            part, whole = waiting.pop()
            assert part.visits == whole.visits
            assert part.children == () or len(part.children) == len(whole.children)
            waiting += zip(part.children, whole.children, strict=False)
        assert engine.run(500) == 500
        grown = Forest(after, before.forest.options, (engine,)).branch(None)
        assert grown.visits == kept.visits + 500
        assert len(all_of(grown)) == engine.used > len(all_of(kept))
