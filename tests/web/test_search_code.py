"""The code next to a search tree: it is the textbook search, and it works."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
from doctools import listings
from playwright._impl._driver import compute_driver_executable

from claimeven.game import Geometry, Position
from claimeven.minimax import MinimaxSearch
from claimeven.minimax import textbook as minimax
from claimeven.minimax.transpositions import TranspositionTable
from claimeven.montecarlo.flat import textbook as flat
from claimeven.montecarlo.options import PRESETS
from claimeven.montecarlo.puct import textbook as puct
from claimeven.montecarlo.puct.policy_value import UniformPolicyValue
from claimeven.montecarlo.tree import textbook as tree
from tests.positions import random_positions

STATIC = listings.PATH.parent
#: The steps of each search, by the names that `codeOf` takes.
STEPS: dict[str, list[Any]] = {
    "minimax": ["start", "enter", "rest", "over", "best"],
    "alphabeta": ["start", "enter", "rest", "over", "best", "cut"],
    "negamax": ["start", "enter", "rest", "over", "found", "best", "cut"],
    "tree": [0, 1, 2, 3],
    "flat": [0, 1, 2, 3],
    "puct": [0, 1, 2, 3],
}


def built(function: Callable[..., Any], module: ModuleType) -> FunctionType:
    """Return the function that the listing of a function defines, in the names of its module."""
    names = dict(vars(module))
    exec(listings.listing(function), names)
    made = names[function.__name__]
    assert isinstance(made, FunctionType)
    return made


def test_the_file_of_the_page_is_up_to_date() -> None:
    assert listings.PATH.read_text("utf-8") == listings.module(), "run python -m doctools"


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "negamax"])
def test_the_code_of_a_minimax_search_returns_its_line(algorithm: str) -> None:
    recursion = built(getattr(minimax, algorithm), minimax)
    for position in random_positions(Geometry(5, 4), 6, 7, ongoing=True):
        search = MinimaxSearch(algorithm, "windows-symmetric", backend="python")
        expected = search.search(position, 3)
        table = TranspositionTable(search.table_entries) if algorithm == "negamax" else None
        context = minimax.SearchContext(
            search.evaluation, position.geometry.center_order, table=table
        )
        found = recursion(position, 3, context)
        assert (found.value, found.line) == (expected.value, expected.line)


@pytest.mark.parametrize("search", ["tree", "flat", "puct"])
def test_the_code_of_a_monte_carlo_search_grows_its_tree(
    search: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = Position.from_moves("112213", Geometry(4, 3, 3))

    def grown() -> list[tuple[int, float]]:
        grower: Any = (
            puct.PuctTree(position, UniformPolicyValue())
            if search == "puct"
            else {"tree": tree.TextbookTree, "flat": flat.TextbookFlat}[search](
                position, PRESETS["uct" if search == "tree" else "flat"], 5
            )
        )
        for _ in range(40):
            grower.step()
        return [(child.visits, child.total) for child in grower.root.children]

    expected = grown()
    home = {"tree": tree.TextbookTree, "flat": flat.TextbookFlat, "puct": puct.PuctTree}[search]
    module = {"tree": tree, "flat": flat, "puct": puct}[search]
    for function in listings.FUNCTIONS[search]:
        if function.__name__ != "simulate":
            monkeypatch.setattr(home, function.__name__, built(function, module))
    assert grown() == expected
    assert np.sum([visits for visits, _ in expected]) > 20


def test_each_step_marks_one_line_in_each_function() -> None:
    script = f"""
        const {{ codeOf }} = await import({json.dumps((STATIC / "search_code.js").as_uri())});
        const steps = {json.dumps(STEPS)};
        console.log(JSON.stringify(Object.entries(steps).flatMap(([name, each]) =>
            each.map((step) => [name, step, codeOf(name, step)]))));
        console.log(JSON.stringify(codeOf("own", "enter")));
    """
    command = [str(compute_driver_executable()[0]), "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    steps, own = map(json.loads, done.stdout.splitlines())
    assert own is None
    for name, step, code in steps:
        source = (listings.PACKAGE / code["file"]).read_text("utf-8")
        functions: list[list[str]] = []
        for line in code["lines"]:
            defined = re.match(r"def (\w+)\(", line["text"])
            if defined:
                assert f"def {defined[1]}(" in source or defined[1] == "simulate"
                functions.append([])
            if line["isCurrent"]:
                functions[-1].append(line["text"].strip())
        assert functions and all(len(marked) == 1 for marked in functions), (name, step, functions)
