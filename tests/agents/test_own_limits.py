"""Limits of single agents: in specs and in Python, in matches, files and results."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from claimeven import Position, play_match, play_tournament
from claimeven.agents import Agent, Decision, InvalidLimit, InvalidSpec, Limit, make_agent
from claimeven.agents.external.ugi import UgiAgent
from claimeven.agents.fingerprint import digests_of
from claimeven.agents.options import split_limit
from claimeven.agents.process.sandbox import Sandbox
from claimeven.agents.registry import current_spec
from claimeven.arena.games.referee import play_game
from claimeven.arena.games.safe_call import timed_decision
from claimeven.arena.tournaments.run import brief_labels
from tests.cli.conftest import Run, run  # noqa: F401 - a fixture


class Notes(Agent):
    """Notes the limit of each move."""

    def __init__(self, own: Limit | None = None) -> None:
        self.own_limit = own or Limit()
        self.seen: list[Limit] = []

    def choose(self, position: Position, limit: Limit, rng: np.random.Generator) -> Decision:
        self.seen.append(limit)
        return Decision(position.legal_columns[0])


BOT = """
from claimeven import Agent, Decision
class Seen(Agent):
    def choose(self, position, limit, rng):
        assert (limit.seconds, limit.nodes, limit.time_bank) == {limit}
        return Decision(position.legal_columns[0])
"""


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("uct@seconds=1", ("uct", "seconds=1")),
        (
            "uct:c=1,seconds=3 @ seconds = 1 , nodes=2",
            ("uct:c=1,seconds=3", "seconds = 1 , nodes=2"),
        ),
        ("a@b.py:f,depth=4@depth=2", ("a@b.py:f,depth=4", "depth=2")),
        ("ugi:./e --user me@home", ("ugi:./e --user me@home", "")),
        ("http://x@y/?a=b@c=d", ("http://x@y/?a=b@c=d", "")),
        ("bots@v2.py:agent,depth=3", ("bots@v2.py:agent,depth=3", "")),
        ("kaggle:main.py@seconds=2,time_bank=60", ("kaggle:main.py", "seconds=2,time_bank=60")),
        ("uct@second=1", ("uct", "second=1")),
    ],
)
def test_a_limit_is_the_end_of_a_spec(spec: str, parts: tuple[str, str]) -> None:
    assert split_limit(spec) == parts


def test_a_separate_limit_overrides_only_its_fields() -> None:
    both = Limit(seconds=2, nodes=7, time_bank=60).override(Limit(seconds=1))
    assert both == Limit(seconds=1, nodes=7, time_bank=60)
    agents = Notes(), Notes(Limit(seconds=3, nodes=9, time_bank=5))
    rng = np.random.default_rng(0)
    play_game(agents, Position(), Limit(seconds=2, time_bank=60), [rng, rng])
    assert {*agents[0].seen} == {Limit(seconds=2, time_bank=60)}
    assert {*agents[1].seen} == {Limit(seconds=3, nodes=9, time_bank=5)}
    alone = Notes(Limit(nodes=4))
    timed_decision(alone, Position(), Limit(seconds=2, nodes=9, depth=3), rng)
    assert alone.seen == [Limit(seconds=2, nodes=4, depth=3)]


def test_agents_of_a_match_have_their_own_limits(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(BOT.format(limit="(5, 9, 30)"), encoding="utf-8")
    spec = f"{file}:Seen@seconds=5,nodes=9,time_bank=30"
    for jobs in (1, 2):
        result = play_match(
            spec, "uct:seconds=9@iterations=20", games=2, jobs=jobs, limit=Limit(seconds=90)
        )
        assert not any(result.faults)
        assert result.plan.names == (spec, "uct:seconds=9@iterations=20")
        assert result.as_dict()["agent_limits"] == [
            {"seconds": 5.0, "nodes": 9, "time_bank": 30.0},
            {"iterations": 20},
        ]
        assert result.as_dict()["limit"]["seconds"] == 90
    assert {*digests_of(spec)} == {"bot.py"}
    games = [play_match(f"uct@iterations={n}", "random", games=4).games for n in (1, 300)]
    assert [g.moves for g in games[0]] != [g.moves for g in games[1]]


def test_a_copy_of_an_agent_keeps_its_limit(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("def agent(position):\n    return 0\n", encoding="utf-8")
    program = f"{sys.executable} -m x"
    for agent in (
        make_agent(f"{tmp_path}/bot.py@seconds=3"),
        UgiAgent(program, f"ugi:{program}@seconds=3", Sandbox()),
    ):
        agent.own_limit = Limit(seconds=3)
        copied = copy.deepcopy(agent)
        assert (copied.name, copied.own_limit) == (agent.name, Limit(seconds=3))
        agent.close()


@pytest.mark.parametrize(
    ("spec", "output"),
    [
        ("uct@second=1", "the limit of uct has no option 'second' (did you mean seconds?): it"),
        ("uct@seconds=x", "seconds=x of the limit of uct: seconds takes a number from 0.001"),
        ("uct@iterations=0", "iterations=0 of the limit of uct: iterations takes a whole number"),
        ("uct@time_bank=9", "a time_bank needs seconds: give the seconds for a move too"),
        ("uct@nodes=1", "uct@nodes=1 cannot be limited by nodes: it supports seconds, iterations"),
        ("uct@seconds=1,seconds=2", "'uct@seconds=1,seconds=2' has seconds twice"),
        ("uct@seconds=1@nodes=2", "'uct@seconds=1@nodes=2' has two limits: join them by a comma"),
    ],
)
def test_a_limit_that_cannot_be_is_reported(spec: str, output: str) -> None:
    with pytest.raises((InvalidSpec, InvalidLimit)) as caught:
        make_agent(spec)
    assert str(caught.value).startswith(output)


def test_limits_are_stored_and_resumed(tmp_path: Path) -> None:
    out = tmp_path / "games.db"
    agents = ["uct@iterations=5", "uct@iterations=9", "random"]
    first = play_tournament(agents, rounds=1, out=out, seed=3)
    again = play_tournament(agents, rounds=1, out=out, seed=3, resume=True)
    assert again.standings.ranking == first.standings.ranking
    assert {agent.spec for agent in again.standings.ranking} == {*agents}
    assert brief_labels(["a/ann.py@seconds=1", "a/ann.py@seconds=2", "ugi:x -y@depth=3"]) == (
        "ann@seconds=1", "ann@seconds=2", "ugi:x@depth=3"
    )  # fmt: skip
    assert current_spec("uct:cut=3@seconds=1") == "uct:playout_cutoff=3@seconds=1"


def test_a_file_of_a_tournament_and_json_have_limits(run: Run, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "class.toml"
    file.write_text('agents = ["uct@iterations=5", "greedy"]\nrounds = 1\n', encoding="utf-8")
    data = json.loads(run("tournament", "--file", str(file), "--json").out)
    assert data["agent_limits"] == [{"iterations": 5}, {}]
    data = json.loads(run("think", "", "--agent", "uct@iterations=5", "--json").out)
    assert data["iterations"] == 5
    assert run("ugi", "uct@seconds=1").err.endswith("leave out the one after @\n")
