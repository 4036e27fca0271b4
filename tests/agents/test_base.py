"""The contract of agents: limits, decisions, and what every agent of the registry keeps to."""

from __future__ import annotations

import json
import math
import sys
from itertools import islice

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.agents import AGENTS, GRACE, Agent, Decision, InvalidLimit, Limit, make_agent
from claimeven.agents.base import AgentFault
from claimeven.agents.families import classic
from claimeven.agents.validation import plain_decision
from claimeven.game.errors import ClaimevenError, InvalidPosition
from tests import forks
from tests.agents.support import decided
from tests.positions import random_positions

BOARDS = (Geometry(), Geometry(4, 4, 3), Geometry(8, 7, 4), Geometry(9, 9, 5), Geometry(1, 4, 2))
#: Agents that search to the end of the game, and how many empty cells that is quick for.
EXACT = ("perfect", "full")
LATE = 18
#: Agents whose model was learned on one board.
OF_ONE_BOARD = ("ntuple", "ntuple-alphabeta", "net", "puct")
PLAYERS = [name for name in AGENTS if name != "human"]


@pytest.mark.parametrize("name", ["seconds", "iterations", "depth", "nodes"])
@pytest.mark.parametrize("given", [0, -1])
def test_limits_are_greater_than_0(name: str, given: float) -> None:
    with pytest.raises(InvalidLimit) as caught:
        Limit(**{name: given})
    assert str(caught.value) == f"{name} must be greater than 0, got {given}"


def test_limits_are_finite_and_whole() -> None:
    with pytest.raises(InvalidLimit, match="seconds must be finite, got inf"):
        Limit(seconds=math.inf)
    for name in ("iterations", "depth", "nodes"):
        with pytest.raises(InvalidLimit, match=f"{name} must be a whole number, got 2.5"):
            Limit(**{name: 2.5})
    assert Limit(iterations=np.int64(3)).iterations == 3  # type: ignore[arg-type]  # an integer to NumPy
    for name in ("seconds", "iterations", "time_bank"):
        for odd in ("1", True, [1]):
            with pytest.raises(InvalidLimit) as caught:
                Limit(**{"seconds": 1, name: odd})
            assert str(caught.value) == f"{name} must be a number, got {odd!r}"
    with pytest.raises(InvalidLimit, match="seconds must be a number, got nan"):
        Limit(seconds=math.nan)


def test_long_moves_use_the_time_bank() -> None:
    limit = Limit(seconds=2, time_bank=60)
    assert limit.after_move(1.5) is limit
    assert limit.after_move(5).time_bank == 57
    assert limit.after_move(5).after_move(2.5).time_bank == 56.5
    assert limit.after_move(500).time_bank == 0
    assert Limit(seconds=2).after_move(500) == Limit(seconds=2)
    assert (limit.deadline, Limit(seconds=2).deadline) == (62 + GRACE, 2 + GRACE)
    assert Limit(depth=3).deadline == math.inf
    assert limit.min_with(Limit(depth=3)) == Limit(seconds=2, depth=3, time_bank=60)
    for odd, output in (
        (-1, "0 or more, got -1"), (math.nan, "a number, got nan"), (math.inf, "finite, got inf"),
    ):  # fmt: skip
        with pytest.raises(InvalidLimit, match=f"time_bank must be {output}"):
            Limit(seconds=1, time_bank=odd)
    with pytest.raises(InvalidLimit, match="give the seconds for a move too"):
        Limit(time_bank=60)


def test_the_tighter_limit_has_the_smaller_of_each() -> None:
    one, other = Limit(seconds=1.0, depth=3, nodes=10), Limit(seconds=0.5, depth=4, iterations=7)
    assert one.min_with(other) == other.min_with(one) == Limit(0.5, 7, 3, 10)
    assert one.min_with(Limit()) == one
    assert Limit().unlimited
    assert not one.unlimited


def decide(agent: Agent, position: Position, seed: int, limit: Limit) -> Decision:
    agent.reset()
    return agent.choose(position, limit, np.random.default_rng(seed))


def positions_for(spec: str, geometry: Geometry) -> list[Position]:
    """Return random positions; late ones for the agents that search to the end of the game."""
    if spec not in EXACT:
        count = 4 if geometry.fits_word else 2
        return list(random_positions(geometry, count, seed=1, ongoing=True))
    late = (
        position
        for position in random_positions(geometry, 1000, seed=1, ongoing=True)
        if geometry.cells - position.ply <= LATE
    )
    return list(islice(late, 4))


@pytest.mark.parametrize("spec", PLAYERS)
@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_decisions_are_legal_whole_and_reproducible(spec: str, geometry: Geometry) -> None:
    if spec in EXACT and not geometry.fits_word:
        return  # see the tests of `perfect`
    if spec in OF_ONE_BOARD and geometry != Geometry():
        with pytest.raises(ClaimevenError, match=f"knows 7x6 connect 4, not {geometry}"):
            make_agent(spec, geometry)
        return
    limit = Limit(depth=2, iterations=30)
    one, other = make_agent(spec), make_agent(spec)
    positions = positions_for(spec, geometry)
    assert positions
    for seed, position in enumerate(positions):
        decision = decide(one, position, seed, limit)
        assert type(decision.column) is int
        assert decision.column in position.legal_columns
        assert decision.seconds >= 0
        assert decision.depth is None or decision.depth >= 0
        assert decision.nodes is None or decision.nodes >= 0
        assert decision.value is None or -1 <= decision.value <= 1
        if decision.policy is not None:
            assert len(decision.policy) == geometry.columns
            assert math.isclose(sum(decision.policy), 1)
            assert all(
                share == 0
                for column, share in enumerate(decision.policy)
                if column not in position.legal_columns
            )
        for key in ("values", "visits"):
            if decision.details.get(key) is not None:
                assert len(decision.details[key]) == geometry.columns
        assert plain_decision(decision, position) == decision  # as `trusted` promises
        json.dumps(dict(decision.details), allow_nan=False)
        again = decide(other, position, seed, limit)
        assert (again.column, again.value, again.policy) == (
            decision.column,
            decision.value,
            decision.policy,
        )
        assert (again.depth, again.nodes) == (decision.depth, decision.nodes)


@pytest.mark.parametrize("spec", PLAYERS)
def test_traces_are_lines_of_text_without_effect(spec: str) -> None:
    position, agent = Position.from_moves("112"), make_agent(spec)
    limit, rng = Limit(depth=1, iterations=10), np.random.default_rng(1)
    lines = list(agent.trace(position, limit, rng))
    assert all(line and "\n" not in line for line in lines)
    assert decide(agent, position, 5, limit).column == decide(
        make_agent(spec), position, 5, limit
    ).column  # fmt: skip


def test_a_trace_reports_its_depth() -> None:
    rng, late = np.random.default_rng(1), Position.from_moves("1213", Geometry(3, 3, 3))
    lines = list(make_agent("minimax:depth=full").trace(late, Limit(), rng))
    assert lines[1].startswith("root depth 5 ")
    lines = list(make_agent("alphabeta:seconds=0.05").trace(Position(), Limit(), rng))
    assert lines[0] == "5 plies are shown; the agent's depth depends on its time or nodes"
    lines = list(make_agent("minimax-polito").trace(Position(), Limit(), rng))
    assert lines == ["opens in the center: no search"]


def test_a_tree_that_shows_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that deepens looks at more positions than its last depth has."""
    agent, position = make_agent("negamax:nodes=3000"), Position.from_moves("4455")
    decision = decided(agent, position)
    tree = agent.tree(2, 100)
    assert tree is not None and decision.nodes is not None
    last = agent.search.trace(position, decision.details["depth_completed"], decision.nodes)
    entered = sum(event.kind == "enter" for event in last)
    assert entered < decision.nodes
    monkeypatch.setattr(classic, "MAX_TREE_NODES", entered)
    again = agent.tree(2, 100)
    assert again is not None and again.text == tree.text
    monkeypatch.setattr(classic, "MAX_TREE_NODES", entered - 1)
    with pytest.raises(AgentFault, match="shows no tree of more than"):
        agent.tree(2, 100)
    monkeypatch.setattr(classic, "MAX_TREE_NODES", entered)
    monkeypatch.setattr(classic, "_MAX_SEARCHED", decision.nodes - 1)
    with pytest.raises(AgentFault, match="shows no tree of more than"):
        agent.tree(2, 100)


def test_bounds_of_columns_are_distinguished_from_values() -> None:
    """Alpha-beta has only a bound for most columns: not better than the best."""
    position, rng = Position.from_moves("4455"), np.random.default_rng(0)
    bounded = 0
    for spec in ("minimax:depth=4", "alphabeta:depth=4"):
        details = make_agent(spec).choose(position, Limit(), rng).details
        words, exact = details["value_words"], details["exact"]
        assert [word.startswith("<=") for word in words] == [not known for known in exact]
        bounded += len(exact) - sum(exact)
        assert (bounded == 0) == spec.startswith("minimax")


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_a_game_that_is_over_is_refused(spec: str) -> None:
    with pytest.raises(InvalidPosition, match="the game is over: "):
        decided(spec, "1212121")


def test_random_plays_every_column() -> None:
    agent, rng = make_agent("random"), np.random.default_rng(0)
    position = Position.from_moves("444444")
    chosen = {agent.choose(position, Limit(), rng).column for _ in range(200)}
    assert chosen == {0, 1, 2, 4, 5, 6}


@pytest.mark.parametrize(
    ("spec", "moves", "column"),
    [
        ("greedy", "", 1),
        # Two next to each other: a third on the left, though the fourth column is as good.
        ("greedy", "2637", 1),
        # Three own discs: it completes the line, the longest possible run.
        ("greedy", "112233", 4),
        # It extends its own run and ignores the other's three, unless it blocks.
        ("greedy", "71727", 3),
        ("greedy:block=yes", "71727", 7),
        ("greedy:win=yes,block=yes", "112233", 4),
        # An own win is worth more than a block.
        ("greedy:win=yes,block=yes", "717273", 7),
        # With only `block` the block comes before the longest run.
        ("greedy:block=yes", "717172", 7),
    ],
)
def test_greedy_by_hand(spec: str, moves: str, column: int) -> None:
    decision = decided(spec, moves)
    assert decision.column == column - 1


def test_limits_of_the_spec_and_of_the_move_both_hold() -> None:
    position, rng = Position(), np.random.default_rng(0)
    assert make_agent("alphabeta").choose(position, Limit(), rng).depth == 5
    assert make_agent("alphabeta:depth=3").choose(position, Limit(), rng).depth == 3
    assert make_agent("alphabeta:depth=3").choose(position, Limit(depth=2), rng).depth == 2
    assert make_agent("alphabeta:depth=3").choose(position, Limit(depth=9), rng).depth == 3
    nodes = make_agent("alphabeta:nodes=500").choose(position, Limit(), rng).nodes
    assert nodes is not None
    assert nodes <= 500


def test_a_full_search_sees_the_end() -> None:
    position = Position.from_moves("1122", Geometry(4, 4, 3))
    decision = decided("negamax:depth=full", position)
    assert decision.value == 1.0
    assert decision.details["plies_to_end"] == 1


def test_unlimited_search_ends_with_the_game_or_the_default_depth() -> None:
    tiny, rng = Position(Geometry(3, 3, 3)), np.random.default_rng(0)
    assert make_agent("minimax:depth=full").choose(tiny, Limit(), rng).depth == 9
    late = next(p for p in random_positions(Geometry(), 100, 1, True) if 24 <= p.ply <= 34)
    assert make_agent("ntuple-alphabeta").choose(late, Limit(), rng).depth == 6


def test_presets_open_in_the_center() -> None:
    for spec in ("minimax-polito", "alphabeta-polito"):
        agent, rng = make_agent(spec), np.random.default_rng(0)
        assert agent.choose(Position(), Limit(), rng).column == 3
        assert agent.choose(Position.from_moves("1"), Limit(), rng).column == 3
        assert agent.choose(Position.from_moves("11"), Limit(), rng).depth == 3


@pytest.mark.parametrize("backend", ["compiled", "python"])
def test_backends_decide_equally(backend: str) -> None:
    position = Position.from_moves("4433")
    decision = decided(f"alphabeta:depth=3,backend={backend}", position)
    assert decision.details["backend"] == backend
    other = decided("alphabeta:depth=3", position)
    assert (decision.column, decision.value, decision.nodes) == (
        other.column,
        other.value,
        other.nodes,
    )


#: A fresh process, before any load: first decisions of agents, each just made.
FIRST_DECISIONS = """
import sys, tracemalloc
import numpy as np
from claimeven import Geometry, Position
from claimeven.agents import Limit, make_agent
from claimeven.compiled import Kernel
from claimeven.montecarlo import MonteCarloSearch

def late(kernel, *given):
    raise AssertionError(f"{kernel.py_func} is compiled while the clock runs")

load = Kernel._load
wide = Geometry(9, 7)
for spec in sys.argv[2:]:
    exact = spec.startswith(("perfect", "full"))
    boards = [(Geometry(), "123456715341"), *[(Geometry(4, 4), "")] * exact]
    if spec.partition(":")[0] not in sys.argv[1].split():
        boards.append((wide, "4455"))
    for geometry, moves in boards:
        if geometry == wide and exact:
            limits = (Limit(seconds=0.02),)
        else:
            limits = (Limit() if exact else Limit(depth=2, iterations=100), Limit(seconds=0.02))
        agent, position = make_agent(spec, geometry), Position.from_moves(moves, geometry)
        Kernel._load = late
        for limit in limits:
            agent.reset()
            tracemalloc.start()
            agent.choose(position, limit, np.random.default_rng(1))
            memory = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            if isinstance(getattr(agent, "search", None), MonteCarloSearch):
                assert memory < 4_000_000, (agent.name, memory)
        Kernel._load = load
"""


def test_a_first_decision_neither_compiles_nor_allocates() -> None:
    """All that takes long is done when an agent is loaded, before the clock runs, on boards of
    either width. A million nodes take 16 MB as a tree and 61 MB as a graph.
    """
    small = {name: f"{name}:table_mb=1" for name in EXACT}
    specs = [small.get(name, name) for name in PLAYERS if "itu" not in name]
    specs += [
        "breadth:capacity=1000000", "uct-itu-table", "uct:transpositions=mirror,threads=2",
        "uct:playout=alphabeta2",
    ]  # fmt: skip
    ran = forks.run_program(
        [sys.executable, "-c", FIRST_DECISIONS, " ".join(OF_ONE_BOARD), *specs],
        env=forks.environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
