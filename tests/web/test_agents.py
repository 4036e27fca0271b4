"""Agents over HTTP: the list, moves, caps, and what may not be asked for."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Limit, Position, make_agent
from claimeven.agents.families.perfect import LEVELS
from claimeven.agents.options import InvalidSpec
from claimeven.agents.registry import AGENTS, build
from claimeven.evaluation.registry import EVALUATIONS
from claimeven.web.requests import LimitFields
from claimeven.web.settings import ServerSettings, check_allowed
from tests.web.conftest import Server


def test_all_agents_but_people_are_offered(server: Server) -> None:
    output = server.get("/api/agents").json
    assert [agent["name"] for agent in output["agents"]] == [n for n in AGENTS if n != "human"]
    assert all(agent["plays"] for agent in output["agents"])
    for agent in output["agents"]:
        options = AGENTS[agent["name"]].options
        assert [o["name"] for o in agent["options"]] == [
            o.name for o in options if o.kind != "file"
        ]
    assert output["levels"][-1] == {
        "name": "perfect",
        "level": 10,
        "agent": "perfect:level=10",
        "wins": 100,
        "blocks": 100,
        "double_threats": 100,
        "perfect": 100,
    }
    assert [build(level["agent"]).name for level in output["levels"]] == [
        f"perfect:level={named.level}" for named in LEVELS.values()
    ]
    assert output["caps"] == {"seconds": 60.0, "iterations": 2_000_000, "nodes": 100_000_000}


def test_options_that_allow_files_offer_only_names(server: Server) -> None:
    output = server.get("/api/agents")
    assert b".py" not in output.body
    options = {
        (agent["name"], option["name"]): option
        for agent in output.json["agents"]
        for option in agent["options"]
    }
    assert options["alphabeta", "eval"]["choices"] == list(EVALUATIONS)
    assert options["alphabeta", "eval"]["takes"] == ", ".join(EVALUATIONS)
    assert options["uct", "playout"]["default"] in options["uct", "playout"]["choices"]
    for name in options["flat", "playout"]["choices"]:
        assert build(f"flat:playout={name},iterations=10")


def test_a_board_too_large_for_an_agent_is_reported(server: Server) -> None:
    output = {a["name"]: a for a in server.get("/api/agents", board="13x9").json["agents"]}
    assert output["uct"]["plays"] is True
    assert output["perfect"]["plays"] is False
    assert output["perfect"]["unsupported_reason"].startswith("the solver supports boards of")
    assert "13x9" in output["perfect"]["unsupported_reason"]


@pytest.mark.parametrize(
    "spec", ["random", "alphabeta:depth=3", "uct:iterations=60", "perfect:level=3,pick=random"]
)
def test_a_move_is_the_agents(server: Server, spec: str) -> None:
    output = server.post("/api/move", {"moves": "4433", "agent": spec, "seed": 7}).json
    decision = make_agent(spec).choose(
        Position.from_moves("4433"), Limit(), np.random.default_rng(7)
    )
    assert (output["agent"], output["seed"]) == (spec, 7)
    assert output["column"] == decision.column + 1
    assert output["value"] == decision.value
    assert output["policy"] == (None if decision.policy is None else list(decision.policy))


def test_without_a_seed_one_is_drawn_and_reported(server: Server) -> None:
    asked = {"moves": "44", "agent": "uct:iterations=30"}
    assert server.post("/api/move", {**asked, "seed": 0}).json["seed"] == 0
    first = server.post("/api/move", asked).json
    again = server.post("/api/move", {**asked, "seed": first["seed"]}).json
    assert (again["column"], again["visits"]) == (first["column"], first["visits"])
    assert server.post("/api/move", asked).json["seed"] != first["seed"]


def test_a_tree_comes_with_the_move(server: Server) -> None:
    output = server.post(
        "/api/move", {"agent": "uct:iterations=50", "tree_nodes": 5, "seed": 1}
    ).json
    assert output["tree"]["visits"] == 50
    answer = server.post("/api/move", {"agent": "random", "tree_nodes": 5})
    assert answer.error == "random has no tree for this decision"


SMALL = ServerSettings(workers=1, seconds=5.5, iterations=100, nodes=1_000)


@pytest.mark.parametrize(
    ("spec", "most"),
    [
        ("uct:iterations={}", 100),
        ("alphabeta:nodes={}", 1_000),
        ("uct:seconds={}", 5.5),
        ("perfect:table_mb={}", 256),
        ("flat:iterations=9, capacity ={}", 4_000_000),
        ("negamax:table={}", 20),
        ("full:threads={}", 1),
    ],
)
def test_an_agent_may_take_as_much_as_the_server_gives_and_no_more(spec: str, most: float) -> None:
    fits, over = spec.format(most), spec.format(most + 1)
    assert check_allowed(f" {fits}\n", SMALL) == fits
    option = fits.replace("=", ":").rsplit(":", 1)[0].replace(",", ":").rsplit(":", 1)[1].strip()
    with pytest.raises(InvalidSpec) as refused:
        check_allowed(over, SMALL)
    assert str(refused.value) == (
        f"{option} of an agent must be at most {most:,} on this server, got {most + 1:,}"
    )


def test_limits_are_those_asked_for_up_to_the_servers_own() -> None:
    much = LimitFields(seconds=1e9, iterations=10**9, depth=10**9, nodes=10**9)
    assert much.limit(SMALL) == Limit(5.5, 100, 256, 1_000)
    little = LimitFields(seconds=0.25, iterations=1, depth=2, nodes=3)
    assert little.limit(SMALL) == Limit(0.25, 1, 2, 3)
    assert LimitFields().limit(SMALL) == Limit()


def test_limits_are_kept_and_capped(server: Server) -> None:
    few = server.post(
        "/api/move", {"agent": "uct", "limit": {"iterations": 25}, "moves": "44"}
    ).json
    assert few["iterations"] == 25
    capped = server.post("/api/move", {"agent": "uct", "limit": {"seconds": 1e9, "iterations": 9}})
    assert capped.status == 200


def test_play_accepts_the_messages_of_agents(server: Server) -> None:
    body = {
        "board": "7x6", "connect": 4, "position": "/".join([*["......."] * 3, *["...O..."] * 3]),
        "turn": 1, "legal": [1, 2, 3, 4, 5, 6, 7], "limit": {"seconds": 1},
    }  # fmt: skip
    refused = server.post("/play?agent=greedy", body)
    assert refused.status == 422  # three discs of one player are not a position
    body["position"] = "/".join([*["......."] * 5, "..XXXOO"])
    assert server.post("/play?agent=greedy:win=yes,block=yes", body).json == {"column": 2}
    assert server.post("/play", body).json["column"] in range(1, 8)
    assert server.post("/play?agent=x.py:f", body).status == 422
    for wrong in ({"turn": 0}, {"turn": 3}, {"legal": [1] * 17}):
        assert server.post("/play", {**body, **wrong}).status == 422
    wide = {"board": "16x2", "turn": 2, "moves": "1", "legal": list(range(1, 17))}
    assert server.post("/play?agent=greedy", wide).status == 200
    over = server.post("/play", {"moves": "1212121"})
    assert over.error == "the game is over here: Yellow wins"
    other = server.post("/play?agent=perfect", {"limit": {"depth": 3}})
    assert other.error.startswith("perfect cannot be limited by depth")


def test_the_default_agent_of_the_server_plays(server: Server) -> None:
    bot = ServerSettings().bot
    for seed in range(5):
        asked = {"moves": "44", "seed": seed}
        expected = server.post("/api/move", {**asked, "agent": bot}).json["column"]
        assert server.post("/play", asked).json == {"column": expected}
    output = server.post("/api/move", {"moves": "44", "agent": " uct:iterations=9 "}).json
    assert output["agent"] == "uct:iterations=9"
    assert server.post("/api/move", {}).json["agent"] == "alphabeta:depth=4"
