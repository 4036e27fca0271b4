"""Copies are found whatever was changed in them, and independent bots are not suspected."""

from __future__ import annotations

import ast
import random
from math import comb
from pathlib import Path

import numpy as np
import pytest

from claimeven.agents.options import InvalidSpec
from claimeven.arena import CopyOptions, CopyReport, InvalidMatch, find_copies
from claimeven.arena.copies import CHOICES, CODE, FILES, MIN_SHARED, SHARED, SourceCode, _chance
from tests.arena.class_bots import BOTS, REWRITTEN


def written(folder: Path, texts: dict[str, str]) -> list[str]:
    """The paths of files with these texts."""
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return [str(folder / f"{name}.py") for name in texts]


def by_source(folder: Path, texts: dict[str, str], **more: list[Path]) -> list[tuple[str, ...]]:
    """The kinds and names of the findings about some files that are not run."""
    found = find_copies(written(folder, texts), CopyOptions(positions=0), **more)
    return named(found)


def named(found: CopyReport) -> list[tuple[str, ...]]:
    return [(each.kind, *(Path(spec).stem for spec in each.agents)) for each in found.findings]


def test_independent_bots_are_not_suspected(tmp_path: Path) -> None:
    """Of 25 bots only four agree nearly always, as each plays the middle if nothing happens."""
    options = CopyOptions(positions=12, jobs=1)
    found = find_copies(written(tmp_path, BOTS), options)
    assert len(found.agents) == 25
    assert found.positions == 12
    assert not found.left_out
    assert [(each.kind, each.like) for each in found.findings] == [(CHOICES, "the middle column")]
    assert {Path(spec).stem for spec in found.findings[0].agents} == {"ann", "gus", "max", "wim"}


@pytest.mark.parametrize("name", ["alf", "gus", "max", "tim", "ida"])
def test_layout_comments_names_and_order_do_not_hide_a_copy(tmp_path: Path, name: str) -> None:
    text = BOTS[name]
    spaced = "\r\n".join(line + "  " for line in ("\n" + text).split("\n"))
    assert by_source(tmp_path, {**BOTS, "zoe": spaced}) == [(FILES, name, "zoe")]
    tree = ast.parse(text)
    bare = "# mine\n" + ast.unparse(tree).replace("'", '"').replace("    ", "  ")
    assert by_source(tmp_path, {**BOTS, "zoe": bare}) == [(CODE, name, "zoe")]
    functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    others = [node for node in tree.body if node not in functions]
    random.Random(0).shuffle(functions)
    tree.body = [*others, *functions]
    shuffled = renamed(tree)
    assert by_source(tmp_path, {**BOTS, "zoe": shuffled}) == [(CODE, name, "zoe")]


def renamed(tree: ast.Module) -> str:
    """The code with other names for all variables, arguments, functions and classes."""
    stored = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    stored |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    stored |= {n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    for node in ast.walk(tree):
        for name in ("id", "arg", "name"):
            if getattr(node, name, None) in stored and not isinstance(node, ast.alias):
                setattr(node, name, f"my_{getattr(node, name)}")
        if isinstance(node, ast.Attribute) and node.attr in stored:
            node.attr = f"my_{node.attr}"
    return ast.unparse(tree)


@pytest.mark.parametrize("name", REWRITTEN)
def test_other_loops_and_numbers_leave_much_code_shared(tmp_path: Path, name: str) -> None:
    assert by_source(tmp_path, {**BOTS, "zoe": REWRITTEN[name]}) == [(SHARED, name, "zoe")]


def test_a_changed_number_or_operator_is_other_code(tmp_path: Path) -> None:
    plays = "def agent(position):\n    return position.legal_columns[{}]\n"
    texts = {"a": plays.format("0"), "b": plays.format("-1"), "c": plays.format("1")}
    assert not by_source(tmp_path, texts)
    swapped = {"a": "def f(x, y):\n    return x - y\n", "b": "def f(x, y):\n    return y - x\n"}
    assert not by_source(tmp_path, swapped)


def test_annotations_and_imports_are_no_difference(tmp_path: Path) -> None:
    plain = (
        "import numpy as np\ndef agent(state):\n    best = np.max(state.heights)\n    return best\n"
    )
    typed = (
        "import numpy\ndef agent(p: object) -> int:\n    'Mine.'\n"
        "    x: int = numpy.max(p.heights)\n    return x\n"
    )
    assert by_source(tmp_path, {"a": plain, "b": typed}) == [(CODE, "a", "b")]


def test_given_code_is_left_out(tmp_path: Path) -> None:
    given = BOTS["lea"]
    (tmp_path / "given").mkdir()
    template = Path(written(tmp_path / "given", {"template": given})[0])
    texts = {
        "a": given + "\n\ndef first(x):\n    return x[0]\n",
        "b": given + "\n\ndef last(x):\n    return x[-1]\n",
        "c": given,
        "d": given,
    }
    assert (FILES, "c", "d") in by_source(tmp_path, texts)
    assert by_source(tmp_path, texts, templates=[template]) == []


def test_modules_that_all_import_do_not_count_and_own_ones_do(tmp_path: Path) -> None:
    written(tmp_path, {"board": BOTS["max"].replace("agent", "choose")})
    short = "from board import choose\n\ndef agent(o, c):\n    return choose(o, c) + {}\n"
    texts = {f"b{n}": short.format(n) for n in (0, 1)}
    assert not by_source(tmp_path, texts)
    written(tmp_path, {"one": BOTS["alf"], "two": renamed(ast.parse(BOTS["alf"]))})
    helped = {
        "e": "from one import AlphaBeta\n\nagent = AlphaBeta()\n",
        "f": "from two import my_AlphaBeta\n\nagent = my_AlphaBeta(2)\n",
    }
    assert by_source(tmp_path, helped) == [(SHARED, "e", "f")]


def test_broken_and_odd_files_are_compared_as_texts(tmp_path: Path) -> None:
    broken = "def agent(position)\n    return 3\n"
    deep = "x = " + "(" * 500 + ")" * 500
    signs = "x = " + "-" * 99_999 + "1"
    texts = {"a": broken, "b": broken + "\n", "c": deep, "d": signs, "e": "", "f": "#"}
    assert by_source(tmp_path, texts) == [(FILES, "a", "b")]


def test_equal_choices_are_hardly_chance_or_like_a_bundled_agent(tmp_path: Path) -> None:
    """Two linear evaluations of the same random numbers, and two programs that call alpha-beta."""
    other = """
import random

R = random.Random(3)
N = {(r, c): R.gauss(0, 1) for r in range(6) for c in range(7)}


def agent(p):
    best = None
    for c in p.legal_columns:
        if best is None or N[p.height_of(c), c] > N[p.height_of(best), best]:
            best = c
    return best
"""
    search = "from claimeven import make_agent, Limit\n\nsearch = make_agent('{}')\n\n\n"
    one = "def agent(p):\n    return search.choose(p, Limit(), None).column\n"
    two = "agent = lambda state: search.choose(state, Limit(), None)\n"
    texts = {
        "jan": BOTS["jan"],
        "zoe": other,
        "cal": search.format("negamax:depth=4") + one,
        "don": search.format("minimax:depth=4") + two,
        "kim": BOTS["kim"],
    }
    found = find_copies(written(tmp_path, texts), CopyOptions(positions=30, jobs=1))
    assert not found.left_out
    assert named(found) == [(CHOICES, "jan", "zoe"), (CHOICES, "cal", "don")]
    own, textbook = found.findings
    assert (own.share, own.total, own.like) == (1.0, 30, None)
    assert own.chance is not None
    assert own.chance < 1e-4
    assert (textbook.like, textbook.chance) == ("alphabeta:depth=4", None)


def test_crashing_and_hanging_bots_are_named_and_still_compared_by_source(tmp_path: Path) -> None:
    hangs = "def agent(position):\n    while True:\n        pass\n"
    texts = {
        "crash": "def agent(position):\n    return 1 // 0\n",
        "hang": hangs,
        "hang2": hangs.replace("position", "p"),
        "broken": "def agent(position",
        "exits": "import os\n\nos._exit(3)\n",
        "ann": BOTS["ann"],
        "fay": BOTS["fay"],
    }
    options = CopyOptions(positions=10, jobs=1, seconds=0.1)
    found = find_copies(written(tmp_path, texts), options)
    reasons = {Path(spec).stem: reason for spec, reason in found.left_out.items()}
    assert set(reasons) == {"crash", "hang", "hang2", "broken", "exits"}
    assert "ZeroDivisionError" in reasons["crash"]
    assert "SyntaxError" in reasons["broken"]
    assert named(found) == [(CODE, "hang", "hang2")]


def test_random_bots_do_not_draw_the_same_numbers(tmp_path: Path) -> None:
    other = BOTS["bea"].replace("Decision(column)", "Decision(int(column))")
    texts = {"bea": BOTS["bea"], "bob": other}
    found = find_copies(written(tmp_path, texts), CopyOptions(positions=30, jobs=1))
    assert CHOICES not in [each.kind for each in found.findings]


def test_bad_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidMatch, match="2 agents or more"):
        find_copies(["greedy", "greedy"])
    with pytest.raises(InvalidMatch, match="0 positions or more, got 2 and -1"):
        find_copies(["greedy", "random"], CopyOptions(positions=-1))
    (tmp_path / "bot.ipynb").write_text('{"cells": []}')
    for positions in (0, 1):
        for name, reason in (("nowhere.py", "no file .*nowhere"), ("bot.ipynb", "is a notebook")):
            with pytest.raises(InvalidSpec, match=reason):
                find_copies([str(tmp_path / name), "greedy"], CopyOptions(positions=positions))


def test_the_chance_is_calibrated_on_simulated_agents() -> None:
    """Agents that choose one of seven columns at random, half of the time a common one."""
    rng = np.random.default_rng(0)
    common = rng.integers(7, size=100)
    rows = [np.where(rng.random(100) < 0.5, common, rng.integers(7, size=100)) for _ in range(40)]
    chances = [_chance(np.array(rows[2 * k : 2 * k + 2]), np.array(rows)) for k in range(20)]
    assert min(chances) > 0.005
    assert 0.2 < float(np.mean(chances)) < 0.8
    assert _chance(np.array([rows[0], rows[0]]), np.array(rows)) < 1e-9


def test_bots_of_the_tests_share_less_than_the_threshold() -> None:
    codes = [SourceCode.read([text.encode()]) for text in BOTS.values()]
    shares = sorted(
        len(one.passages & other.passages) / max(1, min(len(one.passages), len(other.passages)))
        for place, one in enumerate(codes)
        for other in codes[:place]
        if min(len(one.passages), len(other.passages)) >= 60
    )
    assert len(shares) == comb(sum(len(code.passages) >= 60 for code in codes), 2)
    assert shares[-1] < MIN_SHARED - 0.1
