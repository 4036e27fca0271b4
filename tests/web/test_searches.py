"""Searches told step by step, against the searches themselves; games judged."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claimeven import Position, analyze, make_agent
from claimeven.minimax import MinimaxSearch
from claimeven.minimax.search import run_trace
from tests.web.conftest import Server


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "negamax"])
def test_every_step_of_a_minimax_search_is_told(server: Server, algorithm: str) -> None:
    told = server.get(
        "/api/search/minimax", moves="4455", agent=f"{algorithm}:depth=3", steps=20_000
    ).json
    events: list = []
    root = run_trace(MinimaxSearch(algorithm).trace(Position.from_moves("4455"), 3), events.append)
    assert told["total"] == len(told["steps"]) == len(events)
    for step, event in zip(told["steps"], events, strict=True):
        assert step["kind"] == event.kind
        assert step["moves"] == "".join(str(column + 1) for column in event.columns)
        if event.view == "root":
            alpha, beta, value = event.alpha, event.beta, event.value
        else:
            sign = (-1) ** len(event.columns)
            window = (sign * event.alpha, sign * event.beta)
            alpha, beta = window if sign > 0 else window[::-1]
            value = None if event.value is None else sign * event.value
        assert step["alpha"] == (None if math.isinf(alpha) else alpha)
        assert step["beta"] == (None if math.isinf(beta) else beta)
        assert step["value"] == value
    assert told["tree"]["value"] == root.value
    counters = MinimaxSearch(algorithm).search(Position.from_moves("4455"), 3).counters
    assert told["counters"] == {
        name: getattr(counters, name) for name in ("nodes", "evaluations", "cutoffs", "table_hits")
    }
    assert {**told["steps"][-1], **told["counters"]} == told["steps"][-1]


def test_steps_come_in_parts(server: Server) -> None:
    asked = {"moves": "44", "agent": "alphabeta:depth=2"}
    whole = server.get("/api/search/minimax", **asked).json["steps"]
    part = server.get("/api/search/minimax", **asked, first=10, steps=5).json
    assert part["steps"] == whole[10:15]
    assert part["total"] == len(whole)


@pytest.mark.parametrize("spec", ["uct-menary:iterations=30", "puct:iterations=30"])
def test_iterations_are_told_with_the_trees_they_grow(server: Server, spec: str) -> None:
    asked = {"moves": "44", "agent": spec, "seed": 5}
    whole = {"tree_nodes": 500, "tree_depth": 30}  # a path is told whatever the depth is
    told = server.get("/api/search/montecarlo", **asked, **whole, trees=True).json
    agent = make_agent(spec)
    decision = agent.choose(
        Position.from_moves("44"),
        agent.own,
        np.random.default_rng(5),
    )
    assert told["total"] == len(told["steps"]) == 30
    visited = [visits for visits in decision.details["visits"] if visits]
    assert [child["visits"] for child in told["tree"]["children"]] == visited
    for number, step in enumerate(told["steps"], start=1):
        assert step["iteration"] == step["tree"]["visits"] == number
        assert step["result"] in (-1, 0, 1) or step["judged"] == spec.startswith("puct")
    assert told["steps"][-1]["tree"] == told["tree"]
    part = server.get("/api/search/montecarlo", **asked, first=7, steps=2).json
    assert [step["iteration"] for step in part["steps"]] == [7, 8]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/api/search/minimax?agent=uct", "uct is no minimax search"),
        ("/api/search/montecarlo?agent=alphabeta", "alphabeta is no Monte Carlo search"),
        ("/api/search/minimax?agent=minimax:depth=12", "this search looks at more than 100,000"),
        ("/api/search/montecarlo?iterations=90000", "5,000 iterations can be watched at most"),
        ("/api/search/montecarlo?trees=yes&iterations=5000&steps=5000", "the trees of 5,000"),
        ("/api/search/minimax?agent=f.py:g", "agents from files"),
        ("/api/search/montecarlo?agent=puct:model=f.npz", "models from files"),
        ("/api/search/montecarlo?agent=puct&board=4x4", "the model knows 7x6"),
    ],
)
def test_what_cannot_be_watched_is_refused(server: Server, path: str, sentence: str) -> None:
    answer = server.ask("GET", path)
    assert answer.status == 422
    assert answer.error.startswith(sentence)


def test_a_review_is_that_of_the_package(server: Server) -> None:
    moves = "44455554221"
    told = server.get("/api/review", moves=moves).json
    assert told == analyze(moves).as_dict()


def test_a_review_tells_positions_on_the_way(server: Server) -> None:
    moves = "4445555422"
    events = server.events("/api/review/events", moves=moves)
    assert events[-1] == ("done", server.get("/api/review", moves=moves).json)
    scores = {data["ply"]: data["scores"] for name, data in events if name == "scores"}
    assert scores == {move["ply"]: move["scores"] for move in events[-1][1]["judged"]}
    assert list(scores) == sorted(scores, reverse=True)
