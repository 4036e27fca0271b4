"""The tree of a search: its facts about each position are true, as text, JSON and drawing."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest

from claimeven import Geometry, Position
from claimeven.game.tree_svg import color, edge_width
from claimeven.minimax import PROVEN, WIN, MinimaxSearch
from claimeven.minimax.inspection import (
    AT_LEAST,
    AT_MOST,
    EXACT,
    SearchedNode,
    build_tree,
    tree_json,
    tree_svg,
    tree_text,
)
from claimeven.minimax.types import FROM_TABLE
from tests.positions import random_positions

ALGORITHMS = ("minimax", "alphabeta", "negamax")
DEPTH = 4


def tree_of(
    algorithm: str, position: Position, depth: int = DEPTH, shown: int = DEPTH, limit: int = 10**6
) -> SearchedNode:
    search = MinimaxSearch(algorithm, "windows", backend="python")
    return build_tree(search.trace(position, depth), shown, limit)


def walk(
    node: SearchedNode, position: Position, ply: int = 0
) -> Iterator[tuple[SearchedNode, Position, int]]:
    yield node, position, ply
    for child in node.children:
        yield from walk(child, position.play(child.column), ply + 1)


def true_value(position: Position, ply: int) -> float:
    """Value of a position to the depth that is left there, for the side to move at the root."""
    sign = -1 if ply % 2 else 1
    if position.is_over:
        assert position.outcome is not None
        return sign * (0 if position.outcome.winner is None else ply - WIN)
    if ply == DEPTH:
        evaluation = MinimaxSearch("minimax", "windows").evaluation
        return sign * evaluation(position)
    value = MinimaxSearch("minimax", "windows").search(position, DEPTH - ply).value
    if abs(value) > PROVEN:
        value += -ply if value > 0 else ply
    return sign * value


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_value_is_the_true_one_or_bounds_it(algorithm: str) -> None:
    cut = bounded = 0
    for root_position in random_positions(Geometry(5, 4, 4), 12, seed=21, ongoing=True):
        root = tree_of(algorithm, root_position)
        for node, position, ply in walk(root, root_position):
            true = true_value(position, ply)
            if node.bound == EXACT:
                assert node.value == true
            elif node.bound == AT_LEAST:
                assert node.value <= true
                assert node.value >= node.beta
            else:
                assert node.bound == AT_MOST
                assert node.value >= true
                assert node.value <= node.alpha
            if node.node_count == 1 and node.reason != FROM_TABLE:  # the window was not asked
                assert node.bound == EXACT
            assert node.alpha < node.beta
            if node.principal:
                assert node.value == root.value
            cut += node.skipped > 0
            bounded += node.bound != EXACT
            tried = len(node.children) + node.skipped
            assert tried in (0, len(position.legal_columns))
    assert (cut > 50 and bounded > 50) if algorithm != "minimax" else not cut and not bounded


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_tree_equals_the_search(algorithm: str) -> None:
    for position in random_positions(Geometry(), 5, seed=22, ongoing=True):
        result = MinimaxSearch(algorithm, "windows", backend="python").search(position, DEPTH)
        root = tree_of(algorithm, position)
        nodes = [node for node, _, _ in walk(root, position)]
        assert len(nodes) == root.node_count == result.counters.nodes
        assert sum(node.skipped > 0 for node in nodes) == result.counters.cutoffs
        assert (root.value, root.principal) == (result.value, True)
        principal = [node.column for node in nodes if node.principal][1:]
        assert tuple(principal) == result.line
        shallow = tree_of(algorithm, position, shown=1)
        assert [c.node_count for c in shallow.children] == [c.node_count for c in root.children]


def test_few_nodes_are_the_principal_variation_and_those_next_to_the_root() -> None:
    position = Position.from_moves("4455")
    for limit in (1, 3, 5, 12, 40):
        root = tree_of("alphabeta", position, limit=limit)
        shown = list(walk(root, position))
        assert len(shown) == limit
        assert sum(node.principal for node, _, _ in shown) == min(limit, 4)
        whole = tree_of("alphabeta", position)
        assert root.left_out == len(whole.children) - len(root.children)
        if limit == 40:
            assert root.left_out == 0
        # If one next to the principal variation is shown, all nearer to the root are shown.
        deepest = max((ply for node, _, ply in shown if not node.principal), default=0)
        assert not any(node.left_out for node, _, ply in shown if ply + 1 < deepest)


def test_large_values_are_shown_as_whole_numbers() -> None:
    def great(position: Position) -> float:
        return 1_234_567 + position.height_of(0)

    search = MinimaxSearch("minimax", great, order="left")
    position = Position.from_moves("4455")
    root = build_tree(search.trace(position, 2), 2, 60)
    text, drawing = tree_text(root, position), tree_svg(root, position, 100.0)
    assert (root.value, root.children[1].value) == (1_234_568, 1_234_567)
    for output in ("1234567", "1234568", "1234569"):
        assert output in text
        assert output in drawing
    assert "e+" not in text


def small_tree() -> SearchedNode:
    """A tree of which every number is known: two bounds, a loss, a win, and one node left out."""
    searched = "best of the columns tried"
    children = [
        SearchedNode(3, -math.inf, math.inf, 5.0, EXACT, searched, node_count=4, principal=True),
        SearchedNode(2, 5.0, math.inf, 3.0, AT_MOST, searched, skipped=1, node_count=3),
        SearchedNode(4, -math.inf, 5.0, 7.0, AT_LEAST, searched, skipped=2, node_count=6),
        SearchedNode(1, 5.0, math.inf, 4.0 - WIN, EXACT, "Red wins"),
        SearchedNode(5, 5.0, math.inf, WIN - 3.0, EXACT, "Yellow wins"),
    ]
    window = (-math.inf, math.inf)
    return SearchedNode(
        -1, *window, 5.0, EXACT, searched, 0, True, 17, children=children, left_out=1
    )


def test_a_small_tree_in_words() -> None:
    lines = tree_text(small_tree(), Position()).splitlines()
    header = next(i for i, line in enumerate(lines) if line.startswith("move "))
    assert [" ".join(line.split()) for line in lines[header + 1 :]] == [
        "root * [-inf, +inf] 5 17",
        "(1 more)",
        "4 * [-inf, +inf] 5 4",
        "3 [5, +inf] <=3 3 cut: 1 column skipped",
        "5 [-inf, 5] >=7 6 cut: 2 columns skipped",
        "2 [5, +inf] loss in 4 1 Red wins",
        "6 [5, +inf] win in 3 1 Yellow wins",
    ]


def test_a_small_tree_in_colours_and_widths() -> None:
    """A value of the scale is half a win, proven ones are whole; the width of an edge is a share of
    16.
    """
    drawing = ET.fromstring(tree_svg(small_tree(), Position(), 5.0))
    space = "{http://www.w3.org/2000/svg}"
    fills = [circle.get("fill") for circle in drawing.iter(f"{space}circle")]
    worths = (0.5, 3 / 8, 7 / 12, -1.0, 1.0, 0.5)  # the root is drawn last
    assert fills == [color(worth) for worth in worths]
    widths = [float(line.get("stroke-width", 0)) for line in drawing.iter(f"{space}line")]
    assert widths == pytest.approx([9 * edge_width(n / 16) for n in (4, 3, 6, 1, 1)], abs=0.06)


def test_an_even_value_is_0_for_either_side() -> None:
    search = MinimaxSearch("negamax", lambda position: 0.0)
    for depth in (1, 2, 3):
        root = build_tree(search.trace(Position(), depth), depth, 60)
        assert "-0" not in json.dumps(tree_json(root, Position()))


def test_text_and_json_and_drawing() -> None:
    position = Position.from_moves("4455")
    root = tree_of("alphabeta", position, shown=2, limit=30)
    text = tree_text(root, position)
    assert "from the view of the side to move at the root" in text
    assert "root *" in text
    assert "[-inf, +inf]" in text
    assert "cut: 5 columns skipped" in text
    output = json.loads(json.dumps(tree_json(root, position), allow_nan=False))
    assert (output["move"], output["alpha"], output["beta"]) == (None, None, None)
    assert (output["value"], output["plies_to_end"], output["bound"]) == (WIN - 3, 3, "exact")
    assert output["nodes"] == root.node_count
    assert {child["move"] for child in output["children"]} <= set("1234567")
    drawing = ET.fromstring(tree_svg(root, position, 2000.0))
    space = "{http://www.w3.org/2000/svg}"
    shown = len(list(walk(root, position)))
    assert len(list(drawing.iter(f"{space}circle"))) == shown
    assert len(list(drawing.iter(f"{space}line"))) == shown - 1
    cuts = sum(node.skipped > 0 for node, _, _ in walk(root, position))
    assert len(list(drawing.iter(f"{space}path"))) == cuts > 0
    titles = [title.text or "" for title in drawing.iter(f"{space}title")]
    assert all(title.startswith("window [") for title in titles)
    assert titles[-1].startswith("window [-inf, +inf], value W3")
