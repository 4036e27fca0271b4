"""Trees given by their leaves, searched in the page, against the textbook on the same values."""

from __future__ import annotations

import json
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright._impl._driver import compute_driver_executable

import claimeven.web
from claimeven.game import Geometry, Position
from claimeven.minimax import textbook
from claimeven.minimax.types import run_trace
from claimeven.web.search_traces import _Window

MODULE = Path(claimeven.web.__file__).parent / "static" / "search_leaves.js"
NAMES = "123456789abcdefghijklmnopqrstuvwxyz"
MOST = len(NAMES)
Tree = Any  # a number, or a list of trees


@dataclass(frozen=True)
class Place:
    """A node of a tree, as the textbook searches see a position."""

    tree: Tree
    outcome: None = None
    key: int = 0
    height: int = 1
    rows: int = 1

    @property
    def geometry(self) -> Place:
        return self

    @property
    def mask(self) -> int:
        return (1 << MOST) - (1 << len(self.tree))

    def with_sides_swapped(self) -> Place:
        return self

    def play_unchecked(self, child: int) -> Place:
        return Place(self.tree[child])


def asked(requests: list[tuple[str, str]]) -> list[Any]:
    """Return the page's search of each text by an algorithm, or the sentence of an error."""
    script = f"""
        const {{ LeafTree }} = await import({json.dumps(MODULE.as_uri())});
        const answers = {json.dumps(requests)}.map(([typed, algorithm]) => {{
            try {{
                const tree = new LeafTree(typed);
                return {{ tree: tree.tree, ...tree.search(algorithm) }};
            }} catch (error) {{ return error.message; }}
        }});
        console.log(JSON.stringify(answers));
    """
    command = [str(compute_driver_executable()[0]), "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    found: list[Any] = json.loads(done.stdout)
    return found


def even_tree(rng: random.Random, depth: int, least: int = 2) -> Tree:
    """Return a tree with all leaves at one depth."""
    if depth == 0:
        return rng.randint(-9, 9)
    return [even_tree(rng, depth - 1, 1) for _ in range(rng.randint(least, 4))]


def uneven_tree(rng: random.Random, depth: int) -> Tree:
    """Return a tree with leaves at any depth."""
    if depth == 0 or (depth < 4 and rng.random() < 0.3):
        return rng.choice([rng.randint(-9, 9), rng.randint(-90, 90) / 4])
    return [uneven_tree(rng, depth - 1) for _ in range(rng.randint(2, 3))]


def text_of(tree: Tree) -> str:
    """Write a tree with brackets."""
    return str(tree) if not isinstance(tree, list) else f"[{' '.join(map(text_of, tree))}]"


def value_of(tree: Tree, is_max: bool = True) -> float:
    """Return the minimax value of a tree."""
    if not isinstance(tree, list):
        return float(tree)
    return (max if is_max else min)(value_of(child, not is_max) for child in tree)


def expected_steps(tree: Tree, depth: int, algorithm: str) -> list[dict[str, Any]]:
    """Return the steps of the textbook search, as the server writes them."""
    window = _Window(Position(Geometry()), 0, 10**6)
    context = textbook.SearchContext(lambda place: place.tree, range(MOST), view="root")
    search = getattr(textbook, algorithm)(Place(tree), depth, context)
    run_trace(search, window.record)
    return window.steps


def test_texts_are_trees() -> None:
    texts = {
        "3 12 8 | 2 4 6 | 14 5 2": [[3, 12, 8], [2, 4, 6], [14, 5, 2]],
        "[[3 17] [2 12]] [15 [25 0]]": [[[3, 17], [2, 12]], [15, [25, 0]]],
        "[[3,17],[2,12]]": [[3, 17], [2, 12]],
        "(1 2 | 3) (4)": [[[1, 2], [3]], [4]],
        "-3, +4 \u22125;0.5": [[-3, 4, -5], [0.5]],
    }
    found = asked([(text, "minimax") for text in texts])
    assert [answer["tree"] for answer in found] == list(texts.values())
    wrong = {
        "3 | x": "A leaf must be a number of up to six digits, such as 3 12 8 | 2 4 6 | 14 5 2,"
        " got x.",
        "1 2 ]": "The leaves have ] without the bracket that opens it.",
        "[1 2": "The leaves end without ]: a bracket is open.",
        "| 1": "Each group must have a leaf, such as 3 12 8 | 2 4 6 | 14 5 2.",
        "7": "A tree must have 2 to 200 leaves, got 1.",
        " ".join("1" * 36): "A node may have at most 35 children.",
        "[" * 9 + "1 2" + "]" * 9: "The tree may have at most 8 levels of brackets.",
        "1e9 2": "A leaf must be a number of up to six digits, such as 3 12 8 | 2 4 6 | 14 5 2,"
        " got 1e9.",
    }
    assert asked([(text, "minimax") for text in wrong]) == list(wrong.values())


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "negamax"])
def test_a_search_takes_the_steps_of_the_textbook(algorithm: str) -> None:
    rng = random.Random(algorithm)
    trees = [(even_tree(rng, depth), depth) for depth in (1, 2, 2, 3, 3, 3, 4, 4)]
    trees.append(([[3, 12, 8], [2, 4, 6], [14, 5, 2]], 2))
    found = asked([(text_of(tree), algorithm) for tree, _ in trees])
    cutoffs = 0
    for (tree, depth), answer in zip(trees, found, strict=True):
        assert answer["steps"] == expected_steps(tree, depth, algorithm)
        assert answer["total_steps"] == len(answer["steps"])
        cutoffs += answer["steps"][-1]["cutoffs"]
    assert (cutoffs > 5) == (algorithm != "minimax")


def test_trees_with_leaves_at_any_depth_have_their_value() -> None:
    rng = random.Random(4)
    trees = [uneven_tree(rng, 4) for _ in range(40)]
    for algorithm in ("minimax", "alphabeta", "negamax"):
        for tree, answer in zip(
            trees, asked([(text_of(tree), algorithm) for tree in trees]), strict=True
        ):
            assert answer["steps"][-1]["value"] == value_of(tree)
