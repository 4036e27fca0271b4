"""Steps of searches in a page without a server, against the textbook searches in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from claimeven.game import Geometry, Position
from claimeven.web import search_traces
from tests.positions import random_positions
from tests.web.local import answers, differences, generator, position_query

BOARDS = (Geometry(), Geometry(4, 4, 3), Geometry(5, 4), Geometry(6, 5, 5))
MONTE_CARLO = (
    ("uct", 60),
    ("uct:formula=ucb1,c=1,solver=no,decisive_moves=off,playout=random", 120),
    ("uct:playout=careful,first_play=all,scale=0..1,min_wins=1,decisive_moves=root", 80),
    ("uct:playout=greedy,capacity=40", 60),
    ("uct-aifour:playout=alphabeta1", 40),
    ("uct-polito:playout=wins-and-blocks", 40),
    ("flat", 130),
    ("flat:playout=alphabeta2,playout_cutoff=4", 60),
    ("breadth:capacity=50", 90),
)

MINIMAX = (
    "minimax:depth=3",
    "alphabeta:depth=4,eval=windows-symmetric,order=left",
    "alphabeta:depth=3,eval=streaks,view=root",
    "negamax:depth=5",
    "negamax:depth=4,eval=sequences,table=6",
    "negamax:depth=3,eval=triples,prune=no",
)


def _ongoing(count: int, seed: int) -> list[Position]:
    return [
        position
        for board in BOARDS
        for position in random_positions(board, count, seed, ongoing=True)
    ]


@pytest.mark.parametrize("place", range(len(MONTE_CARLO)))
def test_iterations(place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, iterations = MONTE_CARLO[place]
    monkeypatch.setattr(search_traces.np.random, "default_rng", generator)
    asked: list[dict[str, Any]] = [
        {"iterations": iterations, "first_step": first, "steps": 40, "trees": True,
         "tree_depth": 12, "tree_nodes": nodes, "agent": agent, "seed": place}
        for first, nodes in ((1, 160), (iterations - 20, 12))
    ]  # fmt: skip
    cases = [(position, query) for position in _ongoing(1, place) for query in asked]
    found = answers(
        [("api/search/montecarlo", {**position_query(p), **query}) for p, query in cases], tmp_path
    )
    for (position, query), answer in zip(cases, found, strict=True):
        expected = search_traces.montecarlo(None, position, **query)
        for step in expected["steps"]:
            del step["text"]
        assert differences(expected, answer) == [], (position, query)


@pytest.mark.parametrize("agent", MINIMAX)
def test_events(agent: str, tmp_path: Path) -> None:
    asked = {"agent": agent, "depth": None, "first_step": 0, "steps": 20_000}
    cases = [
        (position, {**asked, **window})
        for position in _ongoing(2, MINIMAX.index(agent))
        for window in ({}, {"depth": 2, "first_step": 7, "steps": 30})
    ]
    found = answers(
        [("api/search/minimax", {**position_query(p), **query}) for p, query in cases], tmp_path
    )
    for (position, query), answer in zip(cases, found, strict=True):
        expected = search_traces.minimax(None, position, **query, tree_depth=1, tree_nodes=1)
        del expected["tree"]
        assert differences(expected, answer) == [], (position, query)


def test_impossible_searches(tmp_path: Path) -> None:
    requests: list[tuple[str, dict[str, Any]]] = [
        ("api/search/minimax", {"agent": "uct"}),
        ("api/search/montecarlo", {"agent": "alphabeta"}),
        ("api/search/minimax", {"agent": "minimax", "depth": 9}),
        ("api/search/montecarlo", {"iterations": 6000}),
        ("api/search/montecarlo", {"iterations": 900, "steps": 900, "trees": "true"}),
        ("api/search/montecarlo", {"board": "9x7"}),
        ("api/search/montecarlo", {"moves": "112233", "iterations": 5}),
    ]
    *found, immediate = answers(requests, tmp_path)
    sentences = [answer["error"] for answer in found]
    assert sentences == [
        "agent must be a minimax search such as minimax, alphabeta or negamax, got uct",
        "agent must be a Monte Carlo search such as uct, flat or breadth, got alphabeta",
        "the search visits more than 100,000 positions: choose a lower depth",
        "iterations must be at most 5,000, got 6,000",
        "trees of 900 iterations with 200 nodes each are too large: ask for at most 300 iterations,"
        " or for smaller trees",
        "uct cannot play here: this page searches boards of columns * (rows + 1) <= 64 bits;"
        " 9x7 connect 4 takes 72",
    ]
    assert immediate["total_steps"] == 0
    assert immediate["tree"]["proof"] == "win"
