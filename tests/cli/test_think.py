"""`claimeven think`: a decision in words and as JSON, its trace, its tree and the drawing of it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from claimeven.agents import AGENTS, make_agent
from tests.cli.conftest import Bot, Run, bad_input
from tests.cli.test_commands import WIDTH, widest

MONTE_CARLO = ("uct", "flat", "breadth", "uct-polito", "uct-itu-table")
LIMITS = ("--iterations", "300", "--seed", "2")
#: Limits that make a decision quick, by their names.
SHORT = {"iterations": ("--iterations", "40"), "depth": ("--depth", "3")}


def test_think_as_json(run: Run) -> None:
    result = run("think", "4455", "--agent", "alphabeta:depth=4", "--json")
    assert (result.status, result.err) == (0, "")
    output = json.loads(result.out)
    keys = {"column", "value", "policy", "score", "depth", "nodes", "visits", "iterations"}
    assert keys | {"seconds", "line", "tree", "details"} <= set(output)
    assert 1 <= output["column"] <= 7
    assert output["line"].startswith(str(output["column"]))
    assert output["depth"] == 4
    assert len(output["policy"]) == 7
    assert set("1234567") >= set(output["line"])


@pytest.mark.parametrize("spec", [name for name in AGENTS if name != "human"])
def test_think_with_every_agent(run: Run, spec: str) -> None:
    known = make_agent(spec).limits
    limits = [word for name, words in SHORT.items() if name in known for word in words]
    output = json.loads(run("think", "4455", "--agent", spec, *limits, "--json").out)
    assert 1 <= output["column"] <= 7
    words = run("think", "4455", "--agent", spec, *limits)
    assert (words.status, words.err) == (0, "")
    assert f"plays column {output['column']}:" in words.out
    assert widest(words.out) <= WIDTH


def test_a_limit_that_an_agent_does_not_know_is_rejected(run: Run) -> None:
    result = run("think", "4455", "--agent", "uct", "--depth", "3")
    assert (result.status, result.out) == (2, "")
    sentence = "uct cannot be limited by depth: it supports seconds, iterations"
    assert result.err == f"claimeven: {sentence}\n"


def test_think_shows_the_trace(run: Run) -> None:
    result = run("think", "112233", "--agent", "alphabeta:depth=2", "--trace")
    assert "root depth 2" in result.out
    assert "win in 1" in result.out
    assert run("think", "", "--agent", "random").status == 0


@pytest.mark.parametrize("columns", [10, 12, 16])
def test_wide_boards_stay_within_80_columns(run: Run, columns: int) -> None:
    result = run("think", "", "--agent", "uct", *LIMITS, "--columns", str(columns), "--rows", "4")
    assert (result.status, result.err) == (0, "")
    assert widest(result.out) <= WIDTH
    names = [line.split()[1:] for line in result.out.splitlines() if line.startswith("column")]
    assert [name for row in names for name in row] == list("abcdefghijklmnop"[:columns])


def test_a_seed_fixes_decision_and_trace(run: Run) -> None:
    words = ("think", "44", "--agent", "uct-menary:iterations=10", "--trace", "--json", "--seed")
    first, again, other = (json.loads(run(*words, seed).out) for seed in ("1", "1", "2"))
    assert first["trace"] == again["trace"] != other["trace"]
    assert first["visits"] == again["visits"] != other["visits"]
    few = json.loads(run(*words, "1", "--trace-lines", "3").out)["trace"]
    assert few[:3] == first["trace"][:3] and len(few) < len(first["trace"])
    assert json.loads(run(*words[:4], "--json").out)["trace"] is None
    columns = {run("think", "", "--agent", "random", "--seed", f"{seed}").out for seed in range(6)}
    assert len(columns) > 1
    assert "seed must be 0 or more" in bad_input(run("think", "", "--seed", "-1"))


def test_values_are_named_by_kind(run: Run) -> None:
    named = {"uct-polito:iterations=50": "mean", "alphabeta": "eval", "perfect": "score"}
    for spec, word in named.items():
        rows = run("think", "112233", "--agent", spec).out.splitlines()
        assert [row.split()[0] for row in rows if row.split(" ")[0] == word] == [word], spec


@pytest.mark.parametrize("spec", MONTE_CARLO)
def test_the_tree_as_text_json_and_drawing(run: Run, spec: str, tmp_path: Path) -> None:
    file = tmp_path / "tree.svg"
    plain = ("think", "44", "--agent", spec, *LIMITS)
    asked = (*plain, "--tree-depth", "2", "--tree-nodes", "30")
    words = run(*asked, "--tree", "--svg", str(file))
    assert (words.status, words.err) == (0, "")
    assert widest(words.out) <= WIDTH
    drawing = ET.fromstring(file.read_text())
    assert drawing.tag.endswith("svg")
    assert json.loads(run(*plain, "--json").out)["tree"] is None
    output = json.loads(run(*asked, "--json", "--tree").out)
    tree = output["tree"]
    counted, waiting = 0, [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        counted += 1
        assert depth <= 2
        waiting += [(child, depth + 1) for child in node["children"]]
    assert 1 < counted <= 30
    tried = sum(child["visits"] for child in tree["children"])
    assert 0 < tried <= output["iterations"] == 300
    assert output["visits"][output["column"] - 1] > 0


def test_a_tree_that_is_not_there(run: Run, tmp_path: Path) -> None:
    for asked in (("--tree",), ("--svg", str(tmp_path / "tree.svg"))):
        result = run("think", "44", "--agent", "greedy", *asked)
        assert (result.status, result.out) == (2, "")
        assert result.err == "claimeven: greedy has no tree for this decision\n"
    result = run(
        "think", "44", "--agent", "uct", *LIMITS, "--svg", str(tmp_path / "no" / "tree.svg")
    )
    assert result.status == 2
    assert "cannot be written: there is no folder " in result.err
    assert run("think", "44", "--agent", "uct", "--tree-nodes", "0").status == 2


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "negamax"])
def test_the_tree_of_a_search_in_depth(run: Run, name: str, tmp_path: Path) -> None:
    file = tmp_path / "tree.svg"
    asked = ("think", "4455", "--agent", f"{name}:depth=3", "--tree", "--svg", str(file))
    words = run(*asked, "--tree-depth", "3")
    assert (words.status, words.err) == (0, "")
    assert "root *" in words.out
    assert ("skipped" in words.out) == (name != "minimax")
    assert ET.fromstring(file.read_text()).tag.endswith("svg")
    drawn = run(*asked[:4], "--tree-depth", "3", "--svg", str(file))
    assert (drawn.status, "root *" in drawn.out) == (0, False)
    tree = json.loads(run(*asked, "--json").out)["tree"]
    assert tree["plies_to_end"] == 3
    assert len(tree["children"]) == 7


def test_a_tree_too_large_to_show_is_rejected(run: Run) -> None:
    result = run("think", "", "--agent", "minimax:depth=7", "--tree")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "claimeven: minimax:depth=7 shows no tree of more than 200,000 positions: choose a depth"
        " below 7\n"
    )


@pytest.mark.parametrize(
    "spec", ["alphabeta:depth=2", "negamax:depth=2", "uct-menary:iterations=30"]
)
def test_a_trace_is_in_the_json_too(run: Run, spec: str) -> None:
    asked = ("think", "4455", "--agent", spec, "--trace")
    output = json.loads(run(*asked, "--json").out)
    words = run(*asked).out
    assert len(output["trace"]) > 10
    assert "\n".join(output["trace"]) in words
    short = json.loads(run(*asked, "--json", "--trace-lines", "3").out)["trace"]
    assert short == [*output["trace"][:3], "... the trace continues; the first 3 lines are shown"]
    assert json.loads(run("think", "4455", "--agent", spec, "--json").out)["trace"] is None


def test_a_tree_that_fails_is_reported_where_it_was_asked_for(run: Run, bot: Bot) -> None:
    spec = bot("return Decision(position.legal_columns[0])", tree="raise ValueError('no wood')")
    asked = ("think", "44", "--agent", spec)
    assert json.loads(run(*asked, "--json").out)["tree"] is None
    assert "plays column 1" in run(*asked).out
    assert bad_input(run(*asked, "--tree")) == f"{spec} raised ValueError: no wood"


def test_odd_details_make_one_sentence_or_valid_json(run: Run, bot: Bot) -> None:
    """Numbers that JSON has no way to write become null; what makes no sense is a fault."""
    for details, fault in (
        ("{'own': float('nan'), 'deep': [float('inf')], (1, 2): {3: b'x'}}", ""),
        ("{'line': [50]}", "line"),
        ("{'values': ['a'] * 7}", "values"),
        ("{'full': True}", ""),
    ):
        spec = bot(f"return Decision(3, details={details})", reset="pass")
        result, words = (
            run("think", "44", "--agent", spec, "--json"),
            run("think", "44", "--agent", spec),
        )
        if fault:
            assert fault in bad_input(result)
            assert bad_input(words) == bad_input(result)
        else:
            assert (result.status, words.status) == (0, 0)
            assert "NaN" not in result.out
            assert "Infinity" not in result.out
            json.loads(result.out)


def test_a_monte_carlo_trace_shows_the_phases(run: Run) -> None:
    result = run("think", "4455", "--agent", "uct-menary:iterations=30", "--trace")
    assert (result.status, result.err) == (0, "")
    assert widest(result.out) <= 2 * WIDTH
    for word in ("select", "expand", "simulate", "back up"):
        assert word in result.out


def test_long_values_stay_apart(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("def third(position):\n    return -99990000.0 / 3\n")
    out = run("think", "4455", "--agent", f"alphabeta:depth=3,eval={file}", "--columns", "9").out
    rows = [line.split()[1:] for line in out.splitlines() if line.startswith("eval ")]
    assert sum(map(len, rows)) == 9 and "<=33330000" in rows[0]
    assert max(map(len, out.splitlines())) <= 80
