"""Searches step by step, against the searches themselves; games judged."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claimeven import GameLine, Geometry, Position, analyze, make_agent
from claimeven.minimax import MinimaxSearch
from claimeven.minimax.inspection import value_text
from claimeven.minimax.types import plies_to_end, run_trace
from tests.web.conftest import Server


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "negamax"])
def test_every_step_of_a_minimax_search_is_sent(server: Server, algorithm: str) -> None:
    output = server.get(
        "/api/search/minimax", moves="4455", agent=f"{algorithm}:depth=3", steps=20_000
    ).json
    events: list = []
    root = run_trace(MinimaxSearch(algorithm).trace(Position.from_moves("4455"), 3), events.append)
    assert output["total_steps"] == len(output["steps"]) == len(events)
    for step, event in zip(output["steps"], events, strict=True):
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
        assert step["window"] == [value_text(alpha), value_text(beta)]
        assert step["words"] == (None if value is None else value_text(value))
        assert step["plies_to_end"] == (None if value is None else plies_to_end(value))
        assert (step["depth"], step["reason"], step["skipped"]) == (
            event.depth, event.reason, event.skipped,
        )  # fmt: skip
    assert (output["algorithm"], output["evaluation"], output["depth"], output["first_step"]) == (
        algorithm, "windows", 3, 0,
    )  # fmt: skip
    assert output["tree"]["value"] == root.value
    counters = MinimaxSearch(algorithm).search(Position.from_moves("4455"), 3).counters
    assert output["counters"] == {
        name: getattr(counters, name) for name in ("nodes", "evaluations", "cutoffs", "table_hits")
    }
    assert {**output["steps"][-1], **output["counters"]} == output["steps"][-1]


def test_steps_come_in_parts(server: Server) -> None:
    asked = {"moves": "44", "agent": "alphabeta:depth=2"}
    whole = server.get("/api/search/minimax", **asked).json["steps"]
    part = server.get("/api/search/minimax", **asked, first_step=10, steps=5).json
    assert part["steps"] == whole[10:15]
    assert (part["first_step"], part["total_steps"]) == (10, len(whole))


@pytest.mark.parametrize(
    ("asked", "depth"),
    [
        ({"agent": "alphabeta:depth=3", "depth": 2}, 2),
        ({"agent": "alphabeta:depth=3"}, 3),
        ({"agent": "alphabeta"}, 5),
        ({"agent": "alphabeta:depth=full", "board": "3x3", "connect": 3}, 9),
        ({"agent": "alphabeta:depth=full", "board": "3x3", "connect": 3, "moves": "22"}, 7),
        ({"agent": "alphabeta", "depth": 256, "board": "3x3", "connect": 3}, 9),
    ],
)
def test_a_search_is_as_deep_as_asked_or_as_its_agent_and_no_deeper_than_the_board(
    server: Server, asked: dict[str, object], depth: int
) -> None:
    output = server.get("/api/search/minimax", **asked).json
    assert output["depth"] == depth
    looked_ahead = max(len(step["moves"]) for step in output["steps"]) - len(
        output["steps"][0]["moves"]
    )
    assert looked_ahead == depth or output["total_steps"] > len(output["steps"])


def test_a_tree_has_no_more_plies_and_nodes_than_asked_for(server: Server) -> None:
    def size(node: dict) -> tuple[int, int]:
        below = [size(child) for child in node["children"]]
        return max((plies for plies, _ in below), default=-1) + 1, 1 + sum(n for _, n in below)

    asked = {"agent": "minimax:depth=3", "steps": 0}
    for limits, expected in (
        ({"tree_depth": 2, "tree_nodes": 10_000}, (2, 57)),
        ({"tree_depth": 3, "tree_nodes": 20}, (3, 20)),
        ({"tree_depth": 0, "tree_nodes": 1}, (0, 1)),
    ):
        output = server.get("/api/search/minimax", **asked, **limits).json
        assert size(output["tree"]) == expected
        assert output["steps"] == [] and output["counters"]["nodes"] == 1 + 7 + 49 + 343


@pytest.mark.parametrize("spec", ["uct-menary:iterations=30", "puct:iterations=30"])
def test_iterations_are_sent_with_their_trees(server: Server, spec: str) -> None:
    asked = {"moves": "44", "agent": spec, "seed": 5}
    whole = {"tree_nodes": 500, "tree_depth": 30}  # a path is shown at any depth
    output = server.get("/api/search/montecarlo", **asked, **whole, trees=True).json
    agent = make_agent(spec)
    decision = agent.choose(
        Position.from_moves("44"),
        agent.own,
        np.random.default_rng(5),
    )
    assert output["total_steps"] == len(output["steps"]) == 30
    visited = [visits for visits in decision.details["visits"] if visits]
    assert [child["visits"] for child in output["tree"]["children"]] == visited
    for number, step in enumerate(output["steps"], start=1):
        assert step["iteration"] == step["tree"]["visits"] == number
        assert step["result"] in (-1, 0, 1) or step["from_model"] == spec.startswith("puct")
    assert output["steps"][-1]["tree"] == output["tree"]
    assert (output["seed"], output["first_step"]) == (5, 1)
    part = server.get("/api/search/montecarlo", **asked, first_step=7, steps=2).json
    assert [step["iteration"] for step in part["steps"]] == [7, 8]
    assert part["first_step"] == 7 and not any(step["tree"] for step in part["steps"])


@pytest.mark.parametrize("spec", ["uct", "flat", "breadth"])
def test_iterations_equal_the_search_from_the_roots_view(server: Server, spec: str) -> None:
    asked = {"board": "4x4", "connect": 3, "moves": "1", "agent": spec, "seed": 3}
    output = server.get("/api/search/montecarlo", **asked, iterations=40).json
    assert output["first_step"] == 1 and output["agent"] == spec
    position = Position.from_moves("1", Geometry(4, 4, 3))
    search = make_agent(spec).search  # type: ignore[attr-defined]  # each of them has one
    steps = list(search.follow(position, np.random.default_rng(3), 40)[0])
    assert (output["method"], output["scale"]) == (search.options.method, search.options.scale)
    assert output["total_steps"] == len(output["steps"]) == len(steps) > 10
    results = set()
    for shown, step in zip(output["steps"], steps, strict=True):
        path, simulated = ("".join(str(c + 1) for c in way) for way in (step.path, step.simulated))
        assert (shown["selected"], shown["simulated"]) == (path, simulated)
        assert shown["expanded"] == [column + 1 for column in step.expanded]
        assert shown["proven"] == list(step.proofs)
        assert shown["text"] == shown["text"].strip() != ""
        if simulated:  # the game that was played out has one end, for either last player
            end = Position.from_moves("1" + path + simulated, position.geometry)
            assert end.outcome is not None
            results.add(shown["result"])
            assert shown["result"] == {None: 0, 1: 1, 0: -1}[end.outcome.winner]
    assert results >= {1, -1}


def test_iterations_are_the_requested_or_the_agents_number(server: Server) -> None:
    def output(**asked: object) -> dict:
        answer: dict = server.get("/api/search/montecarlo", moves="4", steps=0, **asked).json
        return answer

    assert output(agent="uct:iterations=7", iterations=3)["total_steps"] == 3
    assert output(agent="uct:iterations=7")["total_steps"] == 7
    assert output(agent="uct")["total_steps"] == 20
    assert output(agent="flat", iterations=5_000, board="4x1")["total_steps"] == 5_000
    # A win immediately is seen without any.
    won = server.get("/api/search/montecarlo", moves="121212", agent="uct", trees=True).json
    assert (won["total_steps"], won["steps"], won["tree"]["proof"]) == (0, [], "win")


def test_trees_of_each_iteration_are_bounded_together(server: Server) -> None:
    asked = {"moves": "44", "agent": "flat", "tree_nodes": 1_000, "steps": 100}
    path = "/api/search/montecarlo"
    refused = server.get(path, **asked, iterations=61, trees=True)
    assert refused.status == 422
    assert refused.error == (
        "trees of 61 iterations with 1,000 nodes each are too large: ask for at most 60"
        " iterations, or for smaller trees"
    )
    for fits in ({"iterations": 60}, {"iterations": 61, "first_step": 2}):
        output = server.get(path, **asked, **fits, trees=True).json
        assert len(output["steps"]) == 60 and all(step["tree"] for step in output["steps"])
    assert server.get(path, **asked, iterations=61).status == 200


def test_a_review_equals_the_package(server: Server) -> None:
    moves = "44455554221"
    output = server.get("/api/review", moves=moves).json
    assert output == analyze(moves).as_dict()
    rows = "/".join([*["......."] * 3, "...OX..", "...OO..", "...XX.."])
    output = server.get("/api/review", position=rows, moves="54221").json
    assert output == analyze(GameLine(Position.from_moves("445554"), (4, 3, 1, 1, 0))).as_dict()


def test_a_review_sends_positions_as_progress(server: Server) -> None:
    moves = "4445555422"
    events = server.events("/api/review/events", moves=moves)
    assert events[-1] == ("done", server.get("/api/review", moves=moves).json)
    scores = {data["ply"]: data["scores"] for name, data in events if name == "scores"}
    assert scores == {move["ply"]: move["scores"] for move in events[-1][1]["judged_moves"]}
    assert list(scores) == sorted(scores, reverse=True)
