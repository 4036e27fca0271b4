"""The agent `net`: what it plays and tells, the files it takes."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position, play_match
from claimeven.agents import InvalidSpec, Limit, make_agent
from claimeven.agents.decisions import decision_json, decision_rows
from claimeven.agents.families.trained import DEFAULT, NetAgent, cached_reader
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.networks import loading
from claimeven.networks.net import Net, write_net
from tests.networks.net.support import TINY, drawn_net
from tests.positions import random_positions

SMALL = Geometry(4, 4, 3)


def test_it_plays_the_column_its_policy_likes_best() -> None:
    net = drawn_net(SMALL, knows_scores=True)
    agent = NetAgent(net)
    for position in random_positions(SMALL, 40, seed=2, going_on=True):
        decision = agent.choose(position, Limit(), np.random.default_rng(0))
        found = net.predict(*np.array([[position.mine], [position.mask]], dtype=np.uint64))
        assert decision.details["priors"] == found.priors[0].tolist()
        assert found.priors[0, decision.column] == found.priors[0].max()
        assert decision.value == found.values[0]
        full = [column not in position.legal_columns for column in range(4)]
        assert [score is None for score in decision.details["values"]] == full
        assert [share == 0 for share in decision.details["priors"]] == full
        other = NetAgent(net).choose(position, Limit(0.001, 1, 1, 1), np.random.default_rng(9))
        assert replace(other, seconds=decision.seconds) == decision


def test_of_equal_columns_the_leftmost() -> None:
    agent = NetAgent(Net.zeros(TINY, SMALL))
    decision = agent.choose(Position(SMALL), Limit(), np.random.default_rng(0))
    assert (decision.column, decision.value) == (0, 0.0)
    assert decision.details["priors"] == [0.25] * 4


def test_what_it_tells() -> None:
    """Guesses and priors a column, as rows for people and as JSON."""
    position = Position.from_moves("1" * 6)
    decision = NetAgent(drawn_net(knows_scores=True)).choose(
        position, Limit(), np.random.default_rng(0)
    )
    rows = dict(decision_rows(decision))
    assert list(rows) == ["guess", "prior"]
    assert (rows["guess"][0], rows["prior"][0]) == (".", "0.0%")
    told = json.loads(json.dumps(decision_json(decision, position), allow_nan=False))
    assert told["policy"][decision.column] == 1.0
    assert len(told["details"]["values"]) == len(told["details"]["priors"]) == 7
    assert "guess" in (decision._repr_html_() or "")


def test_scores_of_columns_that_were_not_learnt_are_not_told() -> None:
    """Of such a net only the greatest means anything, and not that its column is the best."""
    net = drawn_net(knows_scores=True, knows_only_best=True)
    decision = NetAgent(net).choose(Position(), Limit(), np.random.default_rng(0))
    assert [name for name, _ in decision_rows(decision)] == ["prior", "share"]
    assert "values" not in decision.details


def test_models_from_files(tmp_path: Path) -> None:
    write_net(tmp_path / "small.npz", drawn_net(SMALL))
    spec = f"net:model={tmp_path}/small.npz"
    assert len(play_match(spec, "random", games=4, geometry=SMALL, seed=1).games) == 4
    agent = make_agent(f"puct:model={tmp_path}/small.npz,iterations=20", SMALL)
    assert agent.choose(Position(SMALL), Limit(), np.random.default_rng(0)).iterations == 20
    with pytest.raises(InvalidSpec, match=r"the net knows 4x4 connect 3, not 7x6 connect 4"):
        make_agent(spec, Geometry())
    with pytest.raises(InvalidSpec, match=r"none\.npz cannot be read: No such file"):
        make_agent(f"net:model={tmp_path}/none.npz")
    shipped = Path(loading.SHIPPED_NTUPLE)
    with pytest.raises(InvalidSpec, match="holds a model of the kind 'ntuple', not 'net'"):
        make_agent(f"net:model={shipped}")


def test_a_net_that_knows_no_scores_guesses_none() -> None:
    net = Net(TINY, drawn_net(SMALL).arrays, SMALL)
    decision = NetAgent(net).choose(Position(SMALL), Limit(), np.random.default_rng(0))
    assert [name for name, _ in decision_rows(decision)] == ["prior", "share"]


def test_a_net_is_asked_about_its_own_board_alone() -> None:
    with pytest.raises(InvalidNetwork, match=r"the net knows 4x4 connect 3, not 4x5 connect 3"):
        NetAgent(drawn_net(SMALL)).choose(
            Position(Geometry(4, 5, 3)), Limit(), np.random.default_rng(0)
        )


def test_a_model_is_read_again_only_where_its_file_is_another(tmp_path: Path) -> None:
    """Whether it was replaced, or written anew in its place, as long as before or longer."""
    file, seen = tmp_path / "model", []

    def read_file(name: str) -> str:
        seen.append(Path(name).read_text())
        return seen[-1]

    read = cached_reader(read_file, bundled=tmp_path / "other")
    for when, text in enumerate(("one", "two", "three"), start=1):
        file.write_text(text)
        os.utime(file, ns=(when, when))
        assert read(str(file)) == read(str(file)) == text
    (tmp_path / "other").write_text("other")
    os.utime(tmp_path / "other", ns=(3, 3))
    assert read(DEFAULT) == seen.pop() == "other"
    (tmp_path / "other").replace(file)
    assert read(str(file)) == read(str(file)) == "other"
    assert seen == ["one", "two", "three", "other"]
