"""The Monte Carlo agents: their details, for one side throughout; threads; own playouts."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.agents import AgentFault, Decision, InvalidSpec, Limit, make_agent
from claimeven.agents.families.montecarlo import MonteCarloAgent, load_playout
from claimeven.compiled.splitmix64 import Stream
from claimeven.game import ClaimevenError
from claimeven.montecarlo import PRESETS, MonteCarloSearch, preset
from tests.agents.support import decided

SMALL_TREE, SMALL_TABLE = "uct:capacity=100", "uct-itu-table:capacity=100"


def output(spec: str, moves: str, **limit: int) -> tuple[object, dict[str, object], str, list[str]]:
    """Decision of an agent, its tree as JSON and as text, and its trace."""
    agent, position = make_agent(spec), Position.from_moves(moves)
    steps = agent.trace(position, Limit(**limit), np.random.default_rng(0))
    decision = decided(agent, position, Limit(**limit))
    trace = list(islice(steps, 3000))
    view = agent.tree(2, 60)
    assert view is not None
    assert json.dumps(dict(view.data), allow_nan=False)
    return decision, dict(view.data), view.text, trace


def test_a_proven_root_is_reported_from_the_side_to_move() -> None:
    decision, data, text, _ = output("uct", "4131", iterations=2000)
    assert decision.value == 1.0
    assert decision.details["proof"] == data["proof"] == "win"
    assert decision.details["values"][4] == 1.0
    assert data["mean"] > 0
    assert data["distance"] == 3
    lines = text.splitlines()[4:]
    assert lines[0].startswith("root") and lines[0].endswith("win in 3")
    assert [line.split()[0] for line in lines[1:] if line.endswith("win in 3")] == ["5"]


@pytest.mark.parametrize(
    "spec", ["uct", "flat", "uct-itu", "uct-itu-table", "uct-polito:decisive_moves=root"]
)
def test_an_immediate_win_is_reported(spec: str) -> None:
    decision, data, text, trace = output(spec, "121212", iterations=50)
    assert (decision.column, decision.value, decision.details["proof"]) == (0, 1.0, "win")
    assert decision.details["values"] == [1.0] + [None] * 6
    assert decision.details["value_words"] == ["win"] + ["-"] * 6
    assert decision.details["line"] == [0]
    assert (data["proof"], data["distance"], data["left_out"]) == ("win", 1, 6)
    assert [(c["move"], c["proof"], c["distance"]) for c in data["children"]] == [("1", "win", 1)]
    assert [line.split()[0] for line in text.splitlines() if line.endswith("win in 1")] == [
        "root",
        "1",
    ]
    assert trace == ["column 1 wins immediately: no search"]


@pytest.mark.parametrize(("scale", "lost"), [("-1..1", -1.0), ("0..1", 0.0)])
def test_proven_values_are_on_the_scale_of_means(scale: str, lost: float) -> None:
    """The second player has columns 2, 3 and 4 at the bottom: every column but 5 loses."""
    spec = f"uct:scale={scale},decisive_moves=off,solver=yes"
    decision, _, _, _ = output(spec, "721374", iterations=1000)
    words, values = decision.details["value_words"], decision.details["values"]
    assert [word == "loss" for word in words] == [column != 4 for column in range(7)]
    assert [value == lost for value in values] == [column != 4 for column in range(7)]


@pytest.mark.parametrize(
    ("spec", "stateful"),
    [
        ("uct-itu-table", True),
        ("uct-itu-table:reuse=no", False),
        ("uct-itu-table:transpositions=off", False),
        ("uct:transpositions=equal,reuse=yes", False),
        ("uct", False),
    ],
)
def test_only_one_preset_keeps_its_table_between_games(spec: str, stateful: bool) -> None:
    assert make_agent(spec).stateful is stateful


def test_all_columns_lost_immediately_is_reported() -> None:
    decision, data, text, trace = output("uct", "41315", iterations=50)
    assert (decision.value, decision.details["proof"]) == (-1.0, "loss")
    assert decision.details["values"] == [-1.0] * 7
    assert (data["proof"], data["distance"]) == ("loss", 2)
    assert [(c["proof"], c["distance"]) for c in data["children"]] == [("loss", 2)] * 7
    assert sum(line.endswith("loss in 2") for line in text.splitlines()) == 8
    assert trace == ["every column loses immediately: no search"]
    _, _, _, trace = output("uct", "334455", iterations=50)
    assert trace == ["columns 2 and 6 win immediately: no search"]


@pytest.mark.parametrize("name", PRESETS)
def test_a_trace_names_its_search(name: str) -> None:
    *_, trace = output(name, "44", iterations=30)
    assert trace[0] == (
        "the search that decides, 30 of its 30 iterations; +1: the side to move here wins"
    )
    steps = [line for line in trace if " back up " in line]
    assert len(steps) == 30
    assert {line.split(" back up ")[1].split(",")[0] for line in steps} <= {"+1", "-1", "0"}


@pytest.mark.parametrize("name", [name for name, o in PRESETS.items() if o.decisive_moves != "off"])
@pytest.mark.parametrize("moves", ["121212", "41315"])
def test_a_search_without_steps_has_none_in_its_trace(name: str, moves: str) -> None:
    position = Position.from_moves(moves)
    steps, root = MonteCarloSearch(preset(name)).trace(position, np.random.default_rng(3), 40)
    result = MonteCarloSearch(preset(name)).search(
        position, np.random.default_rng(3), iterations=40
    )
    assert len(steps) == result.iterations
    assert root == result.root


def test_results_of_a_trace_are_from_the_side_to_move() -> None:
    """The number of won playouts is the root's total."""
    *_, trace = output("uct-menary", "44", iterations=20)
    results = [int(line.split(" back up ")[1].split(",")[0]) for line in trace if "back up" in line]
    roots = [line.split() for line in trace if line.startswith("root")]
    assert [float(root[2]) for root in roots] == [sum(results[: n + 1]) for n in range(20)]


STEPS = (
    ("uct-menary", {}, 20),
    ("uct-menary:iterations=55", {}, 55),
    ("uct-menary", {"iterations": 3}, 3),
    ("uct-polito", {}, 20),
    ("uct-aifour", {"iterations": 31}, 31),
)


@pytest.mark.parametrize(("spec", "limit", "steps"), STEPS)
def test_a_trace_has_the_requested_steps(spec: str, limit: dict[str, int], steps: int) -> None:
    agent = make_agent(spec)
    lines = list(agent.trace(Position.from_moves("44"), Limit(**limit), np.random.default_rng(0)))
    assert sum("back up" in line for line in lines) == steps
    assert sum(line.startswith("root") for line in lines) == steps


def test_the_tree_after_each_step_has_the_numbers_of_the_steps() -> None:
    """N, T, E and Q of every node, computed from the earlier steps."""
    *_, trace = output("uct-menary", "44", iterations=30)
    visits: dict[str, int] = {"": 0}
    totals: dict[str, int] = {"": 0}
    compared = 0
    for line in trace[trace.index(next(t for t in trace if "back up" in t)) :]:
        words = line.split()
        if "back up" in line:
            path = words[2].strip(",").replace("root", "")
            result = int(line.split(" back up ")[1])
            for length in range(len(path) + 1):
                node = path[:length]
                # A move is shown for the player that makes it: odd ones for the side to move.
                seen = result if length % 2 or not length else -result
                visits[node] = visits.get(node, 0) + 1
                totals[node] = totals.get(node, 0) + seen
            above: list[str] = []
        elif words[0] == "move":
            assert words[1:] == ["N", "T", "E", "Q"]
        elif not words[0].startswith("("):
            depth = (len(line) - len(line.lstrip())) // 4
            above = [*above[:depth], "" if words[0] == "root" else words[0]]
            node = "".join(above)
            mean = totals[node] / visits[node]
            told_mean, told_total, told_visits = words[-1], words[2], words[1]
            assert (int(told_visits), float(told_total)) == (visits[node], totals[node])
            assert float(told_mean) == pytest.approx(mean, abs=0.0006)
            if node:
                bonus = 2 * math.sqrt(math.log(visits[node[:-1]]) / visits[node])
                assert float(words[3]) == pytest.approx(mean + bonus, abs=0.0006)
            compared += 1
    assert compared > 300


def test_a_full_tree_is_reported() -> None:
    position = Position.from_moves("44")
    for spec, full in ((SMALL_TREE, True), (SMALL_TABLE, True), ("uct", False)):
        decision = decided(spec, position, Limit(iterations=500))
        assert decision.details["full"] is full
        assert (decision.details["stored"] <= 100) is full


def test_the_tree_says_how_many_moves_it_left_out() -> None:
    agent, position = make_agent("uct-menary"), Position.from_moves("44")
    decided(agent, position, Limit(iterations=500))
    for nodes in (1, 4, 30):
        view = agent.tree(2, nodes)
        assert view is not None
        data = dict(view.data)
        assert len(data["children"]) + data["left_out"] == 7
        for child in data["children"]:
            assert len(child["children"]) + child["left_out"] == 7
            assert child["left_out"] == 0 or f"({child['left_out']} more)" in view.text
    assert "<text" in view.svg and "moves not drawn" in view.svg


def test_a_search_that_was_ended_leaves_no_tree_to_show() -> None:
    """The tree of the decision before is gone, and is not asked for in vain."""
    left = iter(range(200))

    def leftmost(position: Position, stream: Stream) -> int:
        if next(left, None) is None:  # as Ctrl-C does, though not in the first iterations
            raise KeyboardInterrupt
        return position.legal_columns[0]

    search = MonteCarloSearch(preset("uct-polito", playout=leftmost))
    agent = MonteCarloAgent("mine", search, Limit(), Limit(iterations=3), stateful=False)
    position, rng = Position.from_moves("4455"), np.random.default_rng(3)
    agent.choose(position, Limit(iterations=3), rng)
    assert agent.tree(1, 20) is not None
    with pytest.raises(KeyboardInterrupt):
        agent.choose(position, Limit(iterations=500), rng)
    assert agent.tree(1, 20) is None


@pytest.mark.parametrize("spec", ["uct", "flat", "breadth", "uct-itu-table"])
def test_threads_may_share_an_agent(spec: str) -> None:
    """Every decision is of one search: its visits are its iterations plus the visits of the earlier
    tree (one may be the root's own), and its line can be played.
    """
    agent = make_agent(spec)
    asked = ("", "4", "44", "12", "4444", "332")

    def ask(seed: int) -> int:
        position = Position.from_moves(asked[seed % len(asked)])
        decision = agent.choose(position, Limit(iterations=2000), np.random.default_rng(seed))
        for column in decision.details["line"]:
            position = position.play(column)
        assert agent.tree(2, 20) is not None
        return abs(sum(decision.details["visits"]) - decision.details["reused_visits"] - 2000)

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(ask, range(24))) <= 1


RULES = """
def leftmost(position):
    return position.legal_columns[0]

def drawn(position, stream):
    while True:
        column = stream.below(position.geometry.columns)
        if column in position.legal_columns:
            return column

def perhaps(position, stream=None):
    return position.legal_columns[0] if stream is None else drawn(position, stream)

def off(position):
    return 8

def beside(position):
    return 7

def full(position):
    return 3

def named(position, *, depth=1):
    return position.legal_columns[0]

def words(position):
    return "four"

def three(position, stream, depth):
    return 0

number = 4
"""

METHODS = ("flat", "breadth", "uct-polito", "uct-itu-table", "uct")


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    file = tmp_path / "rules.py"
    file.write_text(RULES)
    return file


def decide(spec: str) -> Decision:
    position, rng = Position.from_moves("4455"), np.random.default_rng(3)
    return make_agent(spec).choose(position, Limit(iterations=80), rng)


@pytest.mark.parametrize("name", METHODS)
def test_a_rule_of_ones_own_is_followed(rules: Path, name: str) -> None:
    """The same rule as `random`, draw for draw, so the same decision."""
    own = decide(f"{name}:playout={rules}:drawn")
    ours = decide(f"{name}:playout=random,backend=python")
    assert own.details["backend"] == "python"
    assert (own.column, own.value, own.policy, own.details["visits"]) == (
        ours.column,
        ours.value,
        ours.policy,
        ours.details["visits"],
    )


def test_a_rule_that_may_take_the_stream_is_given_it(rules: Path) -> None:
    visits = [
        decide(f"uct-aifour:playout={rules}:{name}").details["visits"]
        for name in ("perhaps", "drawn", "leftmost")
    ]
    assert visits[0] == visits[1] != visits[2]


def test_a_playout_rule_depends_only_on_the_position(rules: Path) -> None:
    visits = [
        decide(f"uct-aifour:playout={rules}:{name}").details["visits"]
        for name in ("leftmost", "leftmost", "named")
    ]
    assert visits[0] == visits[1] == visits[2] != decide("uct-aifour").details["visits"]


@pytest.mark.parametrize(("name", "sentence"), [
    ("off", r"has a playout that returned column 8 \(counted from 0\), which is not on the board"),
    ("beside", r"has a playout that returned column 7 \(counted from 0\), which is not on the"),
    ("full", r"has a playout that returned column 3 \(counted from 0\), which is full"),
    ("words", "returned 'four' instead of a column number"),
])  # fmt: skip
def test_a_rule_that_answers_wrongly(rules: Path, name: str, sentence: str) -> None:
    with pytest.raises(AgentFault, match=sentence):
        decide(f"uct:playout={rules}:{name}")


def test_invalid_rules_are_refused(rules: Path) -> None:
    for name, sentence in (
        ("missing", "does not define 'missing'"),
        ("number", "is not a function"),
        ("three", "must take a position, or a position and a random stream"),
    ):
        with pytest.raises(InvalidSpec, match=sentence):
            make_agent(f"uct:playout={rules}:{name}")
    with pytest.raises(ClaimevenError, match="there is no playout 'left': choose from random, "):
        make_agent("uct:playout=left")
    with pytest.raises(InvalidSpec, match="a custom playout runs in Python: choose backend=auto"):
        make_agent(f"uct:playout={rules}:drawn,backend=compiled", Geometry())


def test_a_learned_network_plays_out_by_name() -> None:
    """It blocks when a random playout seldom would, and draws from the search's stream."""
    agents = [make_agent("uct-menary:playout=ntuple,iterations=3") for _ in "ab"]
    position = Position.from_moves("4455")
    found = [decided(a, position, seed=2).details for a in agents]
    assert found[0] == found[1]
    assert sum(found[0]["visits"]) == 3
    rule = load_playout("ntuple")
    assert not isinstance(rule, str)
    assert rule(Position.from_moves("445566"), Stream(1)) in (2, 6)
    assert rule(Position.from_moves("44556"), Stream(1)) in (2, 6)
    with pytest.raises(InvalidSpec, match=r"missing\.npz cannot be read"):
        make_agent("uct-menary:playout=ntuple-missing.npz")
