"""Laws of the grown trees: visits add up, values stay within the scale, bandits by hand."""

import math
import random
from dataclasses import replace

import pytest

from claimeven.game import Geometry, Position
from claimeven.montecarlo import PRESETS, Branch, MonteCarloOptions, preset
from claimeven.montecarlo.graph.engine import GraphEngine
from claimeven.montecarlo.graph.kernel import (
    EDGE_TARGET,
    EDGE_VISITS,
    EDGES,
    META,
    NO_EDGES,
    VISITS,
    unpack_edge,
)
from claimeven.montecarlo.layout import unpack_meta
from claimeven.montecarlo.tree.textbook import TextbookTree, TreeNode
from tests.montecarlo.support import BOARDS, all_of, search, unfinished_position, wins_at_once


def below(branch: Branch) -> int:
    return sum(child.visits for child in branch.children)


@pytest.mark.parametrize(
    "name", [name for name in PRESETS if PRESETS[name].transpositions == "off"]
)
def test_visits_of_children_add_up(name: str) -> None:
    """A node's visits are its children's, plus one of its time as a leaf.

    `uct-polito` plays through a child immediately, so only a leaf that was such a child adds one.
    The root of `flat` and `uct` is never played from itself; the root of `breadth` once.
    """
    options = replace(PRESETS[name], capacity=100_000, decisive_moves="off", solver=False)
    result = search(Position.from_moves("4455"), options, 3000)
    root = result.forest.branch(None)
    assert root.visits == 3000
    assert below(root) == 3000 - (name == "breadth")
    for node in all_of(root)[1:]:
        if node.children and below(node):
            own = node.visits - below(node)
            assert own in {"flat": (0,), "uct-polito": (0, 1)}.get(name, (1,))


@pytest.mark.parametrize("table", ["equal", "mirror"])
def test_visits_on_a_graph(table: str) -> None:
    """Visits of the edges of every node add up; no stored position is counted twice.

    A position's visits are the visits of its moves plus one for its own playout; a move to it has
    at most this number.
    """
    result = search(
        Position.from_moves("4455"), preset("uct-itu-table", transpositions=table), 3000
    )
    assert below(result.root) == 3000
    engine = result.forest.trees[0]
    assert isinstance(engine, GraphEngine)
    nodes, edges = engine.graph.nodes, engine.graph.edges
    inner = 0
    for node in range(1, engine.used):
        first, (_, count, proof, _) = nodes[node, EDGES], unpack_meta(int(nodes[node, META]))
        if first != NO_EDGES and not proof:
            passed = int(edges[first : first + count, EDGE_VISITS].sum())
            assert nodes[node, VISITS] == passed + 1
            inner += passed > 0
        for edge in range(first, first + count if first != NO_EDGES else 0):
            child = unpack_edge(int(edges[edge, EDGE_TARGET]))[1]
            assert child < 0 or edges[edge, EDGE_VISITS] <= nodes[child, VISITS]
    assert inner > 100
    assert result.stored < 3000
    tree = search(Position.from_moves("4455"), preset("uct-itu"), 3000)
    assert sum(node.visits > 0 for node in all_of(tree.forest.branch(None))) > result.stored


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", PRESETS)
def test_the_root_is_the_sum_of_its_columns(name: str, threads: int) -> None:
    """Its total is the sum of their totals, and of the one playout of `breadth` from the root."""
    options = preset(name, threads=threads, capacity=5000, decisive_moves="off", solver=False)
    for moves in ("445", "4131"):
        root = search(Position.from_moves(moves), options, 600).root
        total = sum(child.total for child in root.children)
        assert root.total == pytest.approx(total, abs=threads if name == "breadth" else 1e-9)
        assert root.mean == root.total / root.visits


@pytest.mark.parametrize("scale", ["-1..1", "0..1"])
@pytest.mark.parametrize("name", PRESETS)
def test_values_stay_within_the_scale(name: str, scale: str) -> None:
    rng = random.Random(name)
    low = -1 if scale == "-1..1" else 0
    for _ in range(6):
        position = unfinished_position(rng, BOARDS[rng.randrange(6)])
        result = search(position, preset(name, scale=scale, capacity=5000), 300)
        assert -1 <= result.value <= 1
        assert sum(result.policy) == pytest.approx(1)
        assert all(
            not share or column in position.legal_columns
            for column, share in enumerate(result.policy)
        )
        for node in all_of(result.forest.branch(None)):
            if node.visits:
                assert low <= node.mean <= 1
                assert node.total == pytest.approx(node.mean * node.visits)


@pytest.mark.parametrize(
    ("formula", "c", "scale", "best"),
    [
        # won/played 1/2, 3/5, 0/1 out of 8. On 0..1 the bounds are, by ucb1,
        # 0.5 + c * 1.442, 0.6 + c * 0.912, 0 + c * 2.039:
        ("ucb1", 1.0, "0..1", 2),
        ("ucb1", 0.5, "0..1", 0),
        ("ucb1", 0.1, "0..1", 1),
        # by ucb 0.5 + c * 1.020, 0.6 + c * 0.645, c * 1.442:
        ("ucb", 1.4, "0..1", 2),
        ("ucb", 0.7, "0..1", 0),
        ("ucb", 0.2, "0..1", 1),
        # and on -1..1 the means are 0, 0.2 and -1:
        ("ucb1", 1.0, "-1..1", 0),
        ("ucb1", 2.0, "-1..1", 2),
        ("ucb1", 0.2, "-1..1", 1),
    ],
)
def test_bandits_by_hand(formula: str, c: float, scale: str, best: int) -> None:
    tree = TextbookTree(Position(), MonteCarloOptions(formula=formula, c=c, scale=scale), 1)
    tree.root.visits = 8
    arms = [(2, 0), (5, 1), (1, -1)]
    tree.root.children = [
        TreeNode(Position(), column, visits, total) for column, (visits, total) in enumerate(arms)
    ]
    assert tree.best_child(tree.root).column == best


def test_untried_children_by_hand() -> None:
    """`random` and `order` take an untried child first; `all` counts it as one win in one."""
    for first, expected in (("random", 2), ("order", 2), ("all", 0)):
        tree = TextbookTree(Position(), MonteCarloOptions(first_play=first, c=0.1), 1)
        tree.root.visits = 3
        tree.root.children = [
            TreeNode(Position(), 0, 2, 2),
            TreeNode(Position(), 1, 1, -1),
            TreeNode(Position(), 2),
        ]
        bounds = [1 + 0.1 * math.sqrt(math.log(3) / 2), None, 1 + 0.1 * math.sqrt(math.log(3))]
        assert bounds[0] < bounds[2]  # so that `all` takes it too, by its bound
        assert tree.best_child(tree.root).column == 2
        tree.root.children[0] = TreeNode(Position(), 0, 1, 1)
        assert tree.best_child(tree.root).column == expected


@pytest.mark.parametrize("backend", ["compiled", "python"])
@pytest.mark.parametrize("formula", ["ucb1", "ucb"])
@pytest.mark.parametrize("c", [0.2, 1.0, 3.0])
def test_bandit_of_two_columns(c: float, formula: str, backend: str) -> None:
    """One column wins immediately and the other loses to the only reply: the visits agree with a
    bandit of two arms that always pay +1 and -1, played by hand.
    """
    position = Position.from_moves("333211", Geometry(3, 3, 3))
    assert position.legal_columns == (0, 1)
    assert wins_at_once(position, 1)
    lost = position.play(0)
    assert lost.legal_columns == (1,)
    assert wins_at_once(lost, 1)
    pays, factor = (-1, 1), 2 if formula == "ucb1" else 1
    visits = [1, 1]
    for made in range(2, 300):
        bounds = [
            pays[arm] + c * math.sqrt(factor * math.log(made) / visits[arm]) for arm in range(2)
        ]
        visits[bounds.index(max(bounds))] += 1
    options = MonteCarloOptions(formula=formula, c=c, first_play="order")
    result = search(position, options, 300, backend=backend)
    assert [child.visits for child in result.root.children] == visits
    assert [child.mean for child in result.root.children] == [-1, 1]
    assert result.column == 1


def test_a_full_tree_grows_no_further() -> None:
    options = preset("uct-menary", capacity=100)
    result = search(Position(), options, 5000)
    assert result.full
    assert result.stored <= 100
    assert result.iterations == result.root.visits == 5000
    assert sum(child.visits for child in result.root.children) == 5000
    small = search(Position(), preset("uct-itu-table", capacity=100), 5000)
    assert small.full
    assert small.stored == 100
    assert small.root.visits == 5000
