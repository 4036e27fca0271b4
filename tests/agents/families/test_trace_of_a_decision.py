"""The search that is traced is the one that decides: from its seed, its tree and its table."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from claimeven import Position, make_agent
from claimeven.agents import Limit
from claimeven.agents.families.classic import SearchAgent
from claimeven.agents.families.montecarlo import MonteCarloAgent
from claimeven.montecarlo import MonteCarloSearch

#: Searches by iterations, each with the tree or table that stays from move to move.
BY_ITERATIONS = (
    "uct:iterations=24",
    "uct:iterations=24,backend=python",
    "uct:iterations=24,capacity=60",
    "uct-menary:iterations=24,reuse=yes",
    "uct-menary:iterations=25,reuse=yes,threads=2",
    "uct-aifour:iterations=24",
    "uct-polito:iterations=24",
    "uct-itu-table:iterations=24,capacity=2000",
    "uct-itu-table:iterations=24,backend=python",
    "uct-itu-table:iterations=60,capacity=24",
    "uct:transpositions=mirror,iterations=24,playout=random,capacity=2000",
    "flat:iterations=24",
    "breadth:iterations=24",
)
#: Games of the same agent against its own moves, long enough that trees and tables stay.
PLIES = 4


def final_rows(lines: list[str]) -> dict[int, int]:
    """Visits of each column in the last tree of a trace."""
    start = max(i for i, line in enumerate(lines) if line.startswith("root"))
    visits: dict[int, int] = {}
    for line in lines[start + 1 :]:
        if line.startswith("    ") and line[4].isdigit() and line.split()[1] != ".":
            column, number = line.split()[:2]
            visits[int(column) - 1] = int(number.replace(",", ""))
    return visits


@pytest.mark.parametrize("spec", BY_ITERATIONS)
def test_the_last_tree_of_a_trace_equals_the_decision(spec: str) -> None:
    agent, quiet = make_agent(spec), make_agent(spec)
    assert isinstance(agent, MonteCarloAgent)
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    position, kept = Position.from_moves("44"), 0
    for _ in range(PLIES):
        search = agent.search
        assert isinstance(search, MonteCarloSearch)
        replay = search.replay(position, deepcopy(rng))
        lines = agent.trace(position, Limit(), deepcopy(rng))
        decision = agent.choose(position, Limit(), rng)
        output = list(lines)
        assert output[0].startswith("the search that decides, ") or len(output) == 1
        untraced = quiet.choose(position, Limit(), other)
        assert decision.details == untraced.details
        kept += decision.details["reused_visits"]
        made = search.iterations_of(replay)
        assert made is not None
        assert sum(made) * search.options.threads >= decision.iterations - 1  # type: ignore[operator]  # told
        steps = list(replay.steps(made))
        assert len(steps) == sum(made)
        if replay.engine is not None:
            assert agent._last is not None
            tree = agent._last[1].forest.trees[0]
            branches = [
                forest.__class__(position, search.options, (shown,)).branch(None)
                for forest, shown in ((replay.forest, replay.engine), (replay.forest, tree))
            ]
            assert branches[0] == branches[1]
            if search.options.threads == 1:
                visits = {c: n for c, n in enumerate(decision.details["visits"]) if n}
                assert final_rows(output).items() >= visits.items()
        position = position.play(decision.column)
        if position.is_over:
            break
    assert bool(kept) == ("uct:" in spec or "reuse" in spec or "table" in spec)


@pytest.mark.parametrize("spec", ["uct-itu", "uct-menary:reuse=yes", "flat", "uct-itu-table"])
@pytest.mark.parametrize("backend", ["compiled", "python"])
def test_a_search_under_a_clock_is_traced_too(spec: str, backend: str) -> None:
    """All its iterations, which only the decision knows, make the tree that it decided by."""
    name = f"{spec}{',' if ':' in spec else ':'}capacity=5000,backend={backend}"
    agent, rng = make_agent(name), np.random.default_rng(1)
    assert isinstance(agent, MonteCarloAgent)
    assert isinstance(agent.search, MonteCarloSearch)
    seconds = 0.0005 if backend == "compiled" else 0.002  # hundreds of iterations, and tens
    position, limit = Position.from_moves("4453"), Limit(seconds=seconds)
    for _ in range(2):
        replay = agent.search.replay(position, deepcopy(rng), seconds)
        lines = agent.trace(position, limit, deepcopy(rng))
        decision = agent.choose(position, limit, rng)
        if not decision.iterations:
            break
        first = next(lines)
        output = min(decision.iterations, 20)
        assert first.startswith(
            f"the search that decides, {output:,} of its {decision.iterations:,} "
        )
        assert sum(" select " in line for line in lines) == output
        made = agent.search.iterations_of(replay)
        assert made is not None
        assert sum(1 for _ in replay.steps(made)) == decision.iterations
        assert agent._last is not None
        assert replay.forest.branch(None) == agent._last[1].forest.branch(None)
        position = position.play(decision.column)


def entered(lines: list[str]) -> int:
    return sum(" window " in line for line in lines)


@pytest.mark.parametrize("backend", ["compiled", "python"])
@pytest.mark.parametrize(
    "spec",
    [
        "negamax:depth=3,table=10",
        "negamax:nodes=150,table=10",
        "negamax-aifour:depth=3,table=10",
        "alphabeta:depth=3",
        "alphabeta:nodes=200",
        "minimax:depth=2,view=root",
    ],
)
def test_minimax_is_traced_from_the_table_it_starts_from(spec: str, backend: str) -> None:
    agent, rng = make_agent(f"{spec},backend={backend}"), np.random.default_rng(1)
    quiet = make_agent(f"{spec},backend={backend}")
    assert isinstance(agent, SearchAgent)
    position, saved = Position.from_moves("44"), 0
    for _ in range(PLIES):
        lines = agent.trace(position, Limit(), rng)
        decision = agent.choose(position, Limit(), rng)
        assert decision.details == quiet.choose(position, Limit(), rng).details
        output = list(lines)
        assert decision.nodes is not None
        assert any(f"root depth {decision.details['depth_completed']} window" in t for t in output)
        if "nodes" in spec:
            is_deep = decision.details["depth_completed"] > 1
            assert ("the last completed depth" in output[0]) or not is_deep
        else:
            assert entered(output) == decision.nodes
        found: dict[str, Any] = {}
        for line in output:
            if line.startswith("root return: "):
                found["value"] = line.removeprefix("root return: ").split(",")[0]
        plies = decision.details["plies_to_end"]
        if plies is None:
            assert float(found["value"]) == decision.details["evaluation"]
        else:
            assert found["value"].endswith(f"in {plies}")
        tree = agent.tree(2, 100)
        assert tree is not None
        if "nodes" not in spec:
            assert tree.data["nodes"] == decision.nodes
        saved += decision.details["table_hits"]
        position = position.play(decision.column)
    assert bool(saved) == spec.startswith("negamax")
