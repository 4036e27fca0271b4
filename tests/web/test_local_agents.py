"""Agents of a page without a server, against the same agents in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from claimeven.agents.base import Limit, decision_json
from claimeven.agents.registry import make_agent
from claimeven.game import Geometry, Position
from claimeven.web.site import local_agents
from tests.positions import random_positions
from tests.web.local import answers, differences, generator, position_query

BOARDS = (
    Geometry(), Geometry(4, 4, 3), Geometry(5, 4), Geometry(8, 7), Geometry(6, 5, 5),
    Geometry(12, 4), Geometry(4, 15), Geometry(3, 3, 2),
)  # fmt: skip
#: Agents by the positions of each board.
MINIMAX = {
    "minimax:depth=3": 6,
    "alphabeta": 8,
    "alphabeta:depth=4,eval=sequences,order=left": 8,
    "alphabeta:depth=4,eval=windows-symmetric,view=root": 8,
    "alphabeta:nodes=3000,eval=triples": 8,
    "negamax": 8,
    "negamax:depth=6,table=6": 8,
    "negamax:nodes=20000": 8,
    "negamax-aifour-code": 4,
    "alphabeta-lund": 6,
    "minimax-polito": 6,
    "alphabeta-polito": 6,
}
MONTE_CARLO = {
    "uct:iterations=1500": 10,
    "uct:iterations=300,playout=careful,decisive_moves=root,final_choice=ucb,solver=no": 6,
    "uct:iterations=300,capacity=60,playout=greedy": 6,
    "uct:iterations=200,playout=alphabeta1,c=0.3,first_play=order": 4,
    "uct:iterations=100,playout=alphabeta2,scale=0..1,playout_cutoff=3": 4,
    "uct:iterations=2500,playout=wins-and-blocks,ties=random,decisive_moves=off": 4,
    "uct-polito": 6,
    "uct-menary:iterations=400": 6,
    "uct-aifour": 6,
    "uct-aifour-code": 6,
    "uct-aifour-greedy": 6,
    "uct-itu:iterations=400": 6,
    "flat:iterations=500": 6,
    "flat:iterations=100,final_choice=visits,capacity=17": 6,
    "breadth": 4,
    "breadth:iterations=400,capacity=100,scale=0..1": 6,
}
#: Exact scores of a large board take long.
PERFECT = {"perfect": 6, "perfect:level=3": 6, "perfect:level=7,pick=random,quick=no": 6}
SIMPLE = {"random": 8, "greedy": 8, "greedy:win=yes,block=yes": 16}


@pytest.mark.parametrize(
    "agents", [SIMPLE, MINIMAX, MONTE_CARLO, PERFECT], ids=["simple", "minimax", "mc", "perfect"]
)
def test_the_same_decisions(agents: dict[str, int], tmp_path: Path) -> None:
    asked: list[tuple[str, Position, int]] = [
        (spec, position, seed)
        for place, (spec, count) in enumerate(agents.items())
        for board in (BOARDS[1:3] if agents is PERFECT else BOARDS)
        for seed, position in enumerate(random_positions(board, count, seed=place, ongoing=True))
    ]
    requests: list[tuple[str, dict[str, Any]]] = [
        ("api/move", {**position_query(position), "agent": spec, "seed": seed})
        for spec, position, seed in asked
    ]
    players = {spec: make_agent(spec) for spec in agents}
    for (spec, position, seed), found in zip(asked, answers(requests, tmp_path), strict=True):
        player = players[spec]
        player.reset()
        decision = player.choose(position, Limit(), generator(seed))
        expected = {**decision_json(decision, position), "agent": spec, "seed": seed}
        expected["details"].pop("value_words", None)
        if agents is MONTE_CARLO:
            expected["details"].pop("branching")
            expected["line"] = None  # the page shows no line of a Monte Carlo search
        expected["seconds"] = found.get("seconds")
        if agents is PERFECT:  # positions of earlier requests are in its table
            expected["nodes"] = found.get("nodes")
        assert differences(expected, found) == [], f"{spec} {seed}\n{position}"


def test_the_agents_of_a_board(tmp_path: Path) -> None:
    boards: list[tuple[str, dict[str, Any]]] = [
        ("api/agents", {}),
        ("api/agents", {"board": "9x7"}),
    ]
    standard, large = answers(boards, tmp_path)
    known = local_agents()
    assert standard["levels"] == known["levels"]
    assert [agent["name"] for agent in standard["agents"]] == [
        agent["name"] for agent in known["agents"]
    ]
    assert all(agent["plays"] for agent in standard["agents"])
    assert [agent["name"] for agent in large["agents"] if agent["plays"]] == ["random", "greedy"]
    assert "9x7 connect 4 takes 72" in large["agents"][-1]["unsupported_reason"]


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("puct", "there is no agent 'puct' on this page: choose from random, greedy, minimax"),
        ("uct:c", "'c' in 'uct:c' is not of the form option=value"),
        ("uct:c=1,c=2", "'uct:c=1,c=2' has c twice"),
        ("uct:depth=1", "uct has no option 'depth': it takes iterations, seconds, formula"),
        ("random:c=1", "random has no option 'c': it takes none"),
        ("uct:c=-1", "c=-1 of uct: c takes a number from 0 to 1,000"),
        ("uct:seconds=99", "seconds=99 of uct: seconds takes a number from 0.001 to 10"),
        ("uct:iterations=2.5", "iterations takes a whole number from 1 to 2,000,000"),
        ("uct:solver=maybe", "solver=maybe of uct: solver takes yes or no"),
        ("minimax:eval=best", "eval takes sequences, windows, windows-symmetric, streaks, triples"),
        ("minimax:depth=0", "depth takes a whole number from 1 to 256, or full"),
        ("uct:capacity=4", "capacity must be at least 8 here, for the position and each of its"),
    ],
)
def test_bad_specs(spec: str, sentence: str, tmp_path: Path) -> None:
    (found,) = answers([("api/move", {"agent": spec})], tmp_path)
    assert sentence in found["error"]


def test_a_search_that_takes_too_long(tmp_path: Path) -> None:
    requests: list[tuple[str, dict[str, Any]]] = [
        ("api/move", {"agent": "alphabeta:depth=full"}),
        ("api/move", {"agent": "alphabeta:seconds=0.1"}),
        ("api/move", {"agent": "uct:seconds=0.1"}),
        ("api/move", {"agent": "flat", "limit": {"seconds": 0.1}}),
        ("api/move", {"agent": "perfect", "limit": {"iterations": 1}}),
    ]
    late, *timed, wrong = answers(requests, tmp_path, seconds=0.2)
    assert late["error"] == "the request took more than 0.2 s, the limit of this page: ask for less"
    assert all(0.05 < answer["seconds"] < 5 for answer in timed)
    assert wrong["error"] == "perfect cannot be limited by iterations: it supports seconds"
