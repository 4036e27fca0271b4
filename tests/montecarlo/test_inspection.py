"""Looking into trees: columns, lines, summaries, JSON, SVG, and the steps of the textbook."""

import json
import math
import pickle
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from claimeven.agents.families.montecarlo import step_line
from claimeven.game import Geometry, Position
from claimeven.montecarlo import (
    PRESETS,
    Forest,
    InvalidOptions,
    MonteCarloSearch,
    columns_text,
    preset,
    tree_json,
    tree_svg,
    tree_text,
)
from claimeven.montecarlo.final_move import ImmediateTree, choose
from claimeven.montecarlo.layout import PROVEN_DRAW, PROVEN_LOSS, PROVEN_WIN, UNPROVEN
from claimeven.montecarlo.playouts.textbook import immediate_moves
from claimeven.montecarlo.tree.textbook import TreeNode
from tests.montecarlo.support import all_of, search

POSITION = Position.from_moves("44")


def test_bonus_mean_and_total_follow_the_formula() -> None:
    """N, T, E and Q of Menary's tree summary, with a bonus of 2 * sqrt(ln N / n)."""
    root = search(POSITION, preset("uct-menary"), 500).forest.branch(2)
    for child in root.children:
        assert child.mean == child.total / child.visits
        assert child.bonus == pytest.approx(2 * math.sqrt(math.log(500) / child.visits))
        assert child.selection == child.mean + child.bonus
        for below in (node for node in child.children if node.visits):
            expected = 2 * math.sqrt(math.log(child.visits) / below.visits)
            assert below.bonus == pytest.approx(expected)
    assert sum(child.share for child in root.children) == pytest.approx(1)


def test_scale_of_wins() -> None:
    """On 0..1 a total counts wins, a draw for half, and the bonus is c * sqrt(ln N / n)."""
    root = search(POSITION, preset("uct-polito"), 500).root
    for child in root.children:
        assert 0 <= child.mean <= 1
        assert child.mean == pytest.approx((child.plain_mean + 1) / 2)
        assert child.bonus == pytest.approx(math.sqrt(2 * math.log(500) / child.visits))


@pytest.mark.parametrize("name", PRESETS)
def test_depth_and_limit(name: str) -> None:
    forest = search(POSITION, preset(name, capacity=5000, decisive_moves="off"), 800).forest
    assert forest.branch(0).children == ()
    assert all(not child.children for child in forest.branch(1).children)
    everything = forest.branch(None)
    for limit in (1, 2, 10, 40):
        few = all_of(forest.branch(None, limit))
        assert len(few) == min(limit, sum(node.visits > 0 for node in all_of(everything)))
    shown = sorted((node.visits for node in few), reverse=True)
    most = sorted((node.visits for node in all_of(everything)), reverse=True)
    assert shown == most[: len(shown)] or PRESETS[name].transpositions != "off"
    for depth, limit, words in (
        (-1, None, "depth must be 0 to 1,000, got -1"),
        (1001, None, "got 1,001"),
        (2, 0, "limit must be 1 to 1,000,000, got 0"),
    ):
        with pytest.raises(InvalidOptions, match=words):
            forest.branch(depth, limit)


def test_a_path_is_shown_for_any_limit() -> None:
    forest = search(POSITION, preset("uct-menary"), 2000).forest
    node, path = forest.branch(None), []
    while node.children:  # the least visited way down, to a leaf
        known = [child for child in node.children if child.visits]
        if not known:
            break
        node = min(known, key=lambda child: child.visits)
        path.append(node.column)
    assert len(path) > 1
    whole, part = forest.branch(None), forest.branch(1, 40, path)
    for column in path:
        known = [child for child in whole.children if child.visits]
        assert [child.column for child in part.children] == [child.column for child in known]
        whole = next(child for child in whole.children if child.column == column)
        part = next(child for child in part.children if child.column == column)
        assert part.visits == whole.visits


def test_the_root_of_several_trees_is_proven_as_its_columns_are() -> None:
    """One tree finds a win in 11, the other one in 9."""
    position = Position(Geometry(4, 4, 3))
    found = search(position, preset("uct", threads=2, capacity=20_000), 3000, seed=56037)
    proofs = {child.column: (child.proof, child.distance) for child in found.root.children}
    assert proofs[1] == (PROVEN_WIN, 11)
    assert (found.root.proof, found.root.distance) == proofs[found.column] == (PROVEN_WIN, 9)


@pytest.mark.parametrize(
    ("known", "root"),
    [
        ([{0: (PROVEN_LOSS, 3)}, {1: (PROVEN_LOSS, 5), 0: (PROVEN_LOSS, 5)}], PROVEN_LOSS),
        ([{0: (PROVEN_DRAW, 3)}, {1: (PROVEN_LOSS, 5)}], PROVEN_DRAW),
        ([{0: (PROVEN_LOSS, 3)}, {0: (PROVEN_LOSS, 5)}], UNPROVEN),
    ],
)
def test_columns_proven_in_different_trees_prove_the_root(
    known: list[dict[int, tuple[int, int]]], root: int
) -> None:
    position = Position(Geometry(2, 4, 2))
    trees = []
    for proofs in known:
        tree = TreeNode(position, visits=2)
        tree.children = [
            TreeNode(position.play(column), column, 1, 0, *proofs.get(column, (UNPROVEN, 0)))
            for column in range(2)
        ]
        trees.append(ImmediateTree(tree))
    options = preset("uct")
    branch = Forest(position, options, tuple(trees)).branch(1)
    assert branch.proof == root
    chosen = choose(branch, position, options, np.random.default_rng(1))
    if root != UNPROVEN:
        assert (chosen.proof, chosen.distance) == (branch.proof, branch.distance)


def test_without_the_solver_columns_prove_no_root() -> None:
    """One of them ends the game, and that is no more than the end of a line."""
    for threads in (1, 2):
        options = preset("uct-menary", threads=threads)
        root = search(Position.from_moves("121212"), options, 100).root
        assert root.children[0].proof == PROVEN_WIN
        assert root.proof == UNPROVEN


def test_the_bonus_on_the_tables_of_two_threads_goes_by_the_visits_of_both() -> None:
    options = preset("uct-itu-table", threads=2)
    forest = search(POSITION, options, 3000).forest
    handles = [(engine, engine.root()) for engine in forest.trees]
    waiting, shared = [(handles, forest.branch(4))], 0
    for known, branch in waiting:  # the list grows in the loop
        seen = sum(engine.facts(handle).seen or 0 for engine, handle in known)
        for child in (child for child in branch.children if child.visits):
            wanted = options.weight * math.sqrt(math.log(seen) / child.visits) / options.width
            assert child.bonus == pytest.approx(wanted)
            shared += len(known) == 2 and seen != branch.visits
            below = [
                (engine, each)
                for engine, handle in known
                for each in engine.children(handle)
                if each.column == child.column
            ]
            waiting.append((below, child))
    assert shared > 10


def test_proven_nodes_are_shown_without_a_visit() -> None:
    """A tree of a position that is decided at a glance has proofs, and no visits."""
    forest = search(Position.from_moves("121212"), preset("uct"), 100).forest
    branch = forest.branch(1, limit=5)
    assert [child.column for child in branch.children] == [0]
    assert branch.left_out == 6


def test_a_line_defends_as_long_as_it_can() -> None:
    """The move that was visited least loses last; and if all moves lose immediately one blocks."""
    position = Position(Geometry(3, 4, 2))
    tree = TreeNode(position, visits=6)
    tree.children = [
        TreeNode(position.play(column), column, visits, -visits, PROVEN_LOSS, distance)
        for column, visits, distance in ((0, 3, 1), (1, 1, 5), (2, 2, 3))
    ]
    above = TreeNode(position, visits=7)
    above.children = [tree]
    tree.proof, tree.distance = PROVEN_WIN, 6
    options = preset("uct", decisive_moves="off")
    assert Forest(position, options, (ImmediateTree(above),)).line(0) == (0, 1)
    lost = Position.from_moves("4131")  # the first player makes an open three at the bottom
    assert immediate_moves(lost.play(4)) == [1, 5]


def test_principal_line_follows_the_visits() -> None:
    result = search(POSITION, preset("uct-menary"), 2000)
    node = result.forest.branch(None)
    assert result.line[0] == result.column
    for i, column in enumerate(result.line):
        if i:
            assert max(node.children, key=lambda c: c.visits).column == column
        node = next(child for child in node.children if child.column == column)
    assert all(not child.visits for child in node.children)


@pytest.mark.parametrize("name", PRESETS)
def test_json(name: str) -> None:
    result = search(POSITION, preset(name, capacity=5000, decisive_moves="off"), 300)
    data = json.loads(json.dumps(tree_json(result.forest.branch(2), POSITION), allow_nan=False))
    assert data["move"] is None
    assert data["visits"] == 300
    assert [child["move"] for child in data["children"]] == list("1234567")
    for child in data["children"]:
        assert set(child) == {
            "move", "visits", "total", "mean", "bonus", "selection", "share", "proof",
            "distance", "children", "left_out",
        }  # fmt: skip
        assert (child["proof"] is None) == (child["distance"] is None)
    untried = search(POSITION, preset(name, decisive_moves="off"), 1).forest.branch(1)
    assert any(c["mean"] is None for c in tree_json(untried, POSITION)["children"])


def test_text() -> None:
    result = search(POSITION, preset("uct-menary"), 2000)
    legend, table = tree_text(result.root, POSITION).split("\nmove ")
    assert all(f"{letter} " in legend for letter in "NTEQ")
    heading, root, *rows = [line.split() for line in table.splitlines()]
    assert heading == ["N", "T", "E", "Q"]
    assert root == ["root", "2000", f"{result.root.total:.1f}", f"{result.root.mean:.3f}"]
    for child, row in zip(result.root.children, rows, strict=True):
        selection = child.mean + child.bonus
        numbers = [str(child.visits), f"{child.total:.1f}", f"{selection:.3f}"]
        assert row == [str(child.column + 1), *numbers, f"{child.mean:.3f}"]
    assert len({len(line) for line in table.splitlines()[1:]}) == 1  # aligned
    won = Position.from_moves("4455")
    output = tree_text(search(won, preset("uct"), 2000).root, won).splitlines()
    assert output[4].endswith("win in 3")
    assert sum(line.endswith("win in 3") for line in output[5:]) == 1
    rows = columns_text(result.root, POSITION).splitlines()
    assert len(rows) == 8
    assert rows[3].split()[0] == "3"
    untried = search(POSITION, preset("uct-menary"), 1)
    assert " . " in columns_text(untried.root, POSITION)
    cells = [line.split() for line in tree_text(untried.root, POSITION).splitlines()]
    assert ["7", "0", "0.0", ".", "."] in cells


def test_text_without_a_formula_and_with_a_limit() -> None:
    """Flat search selects by no formula; nodes beyond a limit are counted at their parent."""
    flat = search(POSITION, preset("flat"), 490)
    heading = tree_text(flat.root, POSITION).splitlines()[3]
    assert heading.split() == ["move", "N", "T", "Q"]
    branch = flat.forest.branch(2, 3, [3, 3])
    assert (branch.left_out, branch.children[0].left_out) == (5, 7)
    output = tree_text(branch, POSITION).splitlines()
    assert output[-1] == "    (5 more)"
    assert "        (7 more)" in output


def test_letters_on_wide_boards() -> None:
    wide = Position(Geometry(12, 3, 4))
    result = search(wide, preset("uct-menary"), 100)
    assert "\n    j " in tree_text(result.root, wide)
    assert tree_json(result.root, wide)["children"][9]["move"] == "j"


def test_svg() -> None:
    result = search(POSITION, preset("uct-menary"), 2000)
    branch = result.forest.branch(None, limit=30)
    drawing = ET.fromstring(tree_svg(branch, POSITION))
    space = "{http://www.w3.org/2000/svg}"
    assert drawing.tag == f"{space}svg"
    assert len(list(drawing.iter(f"{space}circle"))) == 30
    assert len(list(drawing.iter(f"{space}line"))) == 29
    titles = [title.text for title in drawing.iter(f"{space}title")]
    assert any(title and title.startswith("N 2000, T ") for title in titles)
    width, height = float(drawing.get("width", 0)), float(drawing.get("height", 0))
    for circle in drawing.iter(f"{space}circle"):
        assert 0 < float(circle.get("cx", -1)) < width
        assert 0 < float(circle.get("cy", -1)) < height


def test_svg_by_hand() -> None:
    """A proven node has a thick border and the color of its proof; widths go by the shares."""
    tree = TreeNode(POSITION, visits=12_000_000)
    tree.children = [
        TreeNode(POSITION.play(0), 0, 9_000_000, 0, PROVEN_LOSS, 3),
        TreeNode(POSITION.play(1), 1, 10_000, 0),
        TreeNode(POSITION.play(2), 2, 9_999, 0),
    ]
    branch = Forest(POSITION, preset("uct"), (ImmediateTree(tree),)).branch(1, 3)
    space = "{http://www.w3.org/2000/svg}"
    drawing = ET.fromstring(tree_svg(branch, POSITION))
    texts = [text.text for text in drawing.iter(f"{space}text")]
    assert [text for text in ("12M", "9000k", "10k") if text in texts] == ["12M", "9000k", "10k"]
    circles = {circle.get("stroke-width"): circle for circle in drawing.iter(f"{space}circle")}
    assert set(circles) == {"1", "3"}
    assert circles["1"].get("fill") != circles["3"].get("fill")
    thin, thick = sorted(
        float(line.get("stroke-width", 0)) for line in drawing.iter(f"{space}line")
    )
    assert thin < thick
    titles = [title.text or "" for title in drawing.iter(f"{space}title")]
    (lost,) = (title for title in titles if title.startswith("N 9000000, T 0.0, Q 0.000, E "))
    assert lost.endswith(", loss in 4")
    assert sum("1 moves not drawn" in title for title in titles) == 1


@pytest.mark.parametrize("name", PRESETS)
def test_steps_describe_the_actual_search(name: str) -> None:
    """The traced search is the compiled one: same tree; its steps are games that fit together."""
    options = preset(name, reuse=False, decisive_moves="off", capacity=5000)
    steps, root = MonteCarloSearch(options).trace(POSITION, np.random.default_rng(3), 120)
    result = MonteCarloSearch(options).search(POSITION, np.random.default_rng(3), iterations=120)
    assert root == result.root
    assert [step.iteration for step in steps] == list(range(1, len(steps) + 1))
    first_moves = [0] * 7
    for step in steps:
        position = POSITION
        for column in (*step.path, *step.simulated):
            position = position.play(column)
        assert position.is_over or options.playout_cutoff or not step.simulated
        assert step.result in (-1, 0, 1)
        if step.path:
            first_moves[step.path[0]] += 1
    assert first_moves == [child.visits for child in root.children]


def test_steps_on_a_mirrored_table_are_of_the_board() -> None:
    """The table stores mirror images; the moves of a trace are playable."""
    output = {}
    for moves in ("1", "7", "777777"):
        start = Position.from_moves(moves)
        searcher = MonteCarloSearch(preset("uct-menary", transpositions="mirror", reuse=True))
        output[moves], root = searcher.trace(start, np.random.default_rng(1), 200)
        for step in output[moves]:
            position = start
            for column in step.path:
                grown, position = position, position.play(column)
            if step.expanded:
                node = grown if step.path else start
                assert step.expanded in (node.legal_columns, position.legal_columns)
            for column in step.simulated:
                position = position.play(column)
        tried = [sum(step.path[:1] == (c,) for step in output[moves]) for c in range(7)]
        visits = {child.column: child.visits for child in root.children}
        assert [visits.get(column, 0) for column in range(7)] == tried
    first = [step.path[:1] for step in output["1"]]
    assert first == [tuple(6 - column for column in step.path[:1]) for step in output["7"]]


def test_the_bonus_on_a_table_is_selections() -> None:
    """It goes by all visits of the position, by all paths."""
    options = preset("uct-itu-table")
    forest = search(POSITION, options, 6000).forest
    engine, shared = forest.trees[0], 0
    waiting = [(engine.root(), forest.branch(5))]
    for handle, branch in waiting:  # the list grows in the loop
        seen = engine.facts(handle).seen
        children = {child.column: child for child in branch.children}
        for below in engine.children(handle):
            child = children.get(below.column)
            if child is None or not child.visits:
                continue
            wanted = options.weight * math.sqrt(math.log(seen) / child.visits) / options.width
            assert child.bonus == pytest.approx(wanted)
            shared += seen != branch.visits
            waiting.append((below, child))
    assert shared > 100


def test_steps_that_catch_up_report_the_value_of_the_position() -> None:
    searcher = MonteCarloSearch(preset("uct-itu-table"))
    steps, _ = searcher.trace(POSITION, np.random.default_rng(1), 1500)
    caught = [step for step in steps if step.is_catch_up]
    assert any(step.result % 1 for step in caught)
    assert not any(step.simulated for step in caught)
    lines = [step_line(step, POSITION) for step in caught]
    assert all("catch up" in line for line in lines)
    assert not any(step.result % 1 for step in steps if not step.is_catch_up)


def test_branches_are_equal_if_their_contents_are() -> None:
    """Means of unvisited nodes are nan, which does not equal itself."""
    one = search(POSITION, preset("uct"), 20).forest.branch(2)
    leaves = [leaf for child in one.children for leaf in child.children]
    assert any(math.isnan(leaf.mean) for leaf in leaves)
    copied = pickle.loads(pickle.dumps(one))
    assert one == copied and hash(one) == hash(copied) and one in {copied}
    assert one != replace(one, mean=0.5) and one != replace(one, children=one.children[:-1])
    assert one != 3
