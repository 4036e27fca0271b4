"""The agents with trained models: their play, their details, their files."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position, play_match
from claimeven.agents import InvalidSpec, Limit, make_agent
from claimeven.agents.base import decision_json, decision_rows
from claimeven.agents.families.montecarlo import MonteCarloAgent
from claimeven.agents.families.trained import DEFAULT, NetAgent, cached_reader
from claimeven.montecarlo.puct.policy_value import InvalidNetwork
from claimeven.networks import (
    ModelFile,
    NTupleNetwork,
    NTuples,
    PuctOptions,
    UniformPolicyValue,
    loading,
    write_model,
    write_network,
)
from claimeven.networks.loading import (
    BUNDLED_NET,
    default_policy_value,
    read_policy_value,
    recommended_options,
)
from claimeven.networks.net import SHAPES, Net, write_net
from tests.agents.support import decided
from tests.networks.net.support import TINY, drawn_net
from tests.positions import random_positions

SMALL = Geometry(4, 4, 3)


def test_it_plays_the_column_its_policy_likes_best() -> None:
    net = drawn_net(SMALL, knows_scores=True)
    agent = NetAgent(net)
    for position in random_positions(SMALL, 40, seed=2, ongoing=True):
        decision = decided(agent, position)
        found = net.predict(*np.array([[position.mine], [position.mask]], dtype=np.uint64))
        assert decision.details["priors"] == found.priors[0].tolist()
        assert found.priors[0, decision.column] == found.priors[0].max()
        assert decision.value == found.values[0]
        full = [column not in position.legal_columns for column in range(4)]
        assert [score is None for score in decision.details["values"]] == full
        assert [share == 0 for share in decision.details["priors"]] == full
        other = decided(NetAgent(net), position, Limit(0.001, 1, 1, 1), seed=9)
        assert replace(other, seconds=decision.seconds) == decision


def test_of_equal_columns_the_leftmost() -> None:
    agent = NetAgent(Net.zeros(TINY, SMALL))
    decision = decided(agent, Position(SMALL))
    assert (decision.column, decision.value) == (0, 0.0)
    assert decision.details["priors"] == [0.25] * 4


def test_a_net_reports_guesses_and_priors() -> None:
    """Guesses and priors of each column, as rows and as JSON."""
    position = Position.from_moves("1" * 6)
    decision = decided(NetAgent(drawn_net(knows_scores=True)), position)
    rows = dict(decision_rows(decision))
    assert list(rows) == ["guess", "prior"]
    assert (rows["guess"][0], rows["prior"][0]) == (".", "0.0%")
    output = json.loads(json.dumps(decision_json(decision, position), allow_nan=False))
    assert output["policy"][decision.column] == 1.0
    assert len(output["details"]["values"]) == len(output["details"]["priors"]) == 7
    assert "guess" in (decision._repr_html_() or "")


def test_untrained_column_scores_are_not_reported() -> None:
    """Of such a net only the greatest means anything, and not that its column is the best."""
    net = drawn_net(knows_scores=True, knows_only_best=True)
    decision = decided(NetAgent(net))
    assert [name for name, _ in decision_rows(decision)] == ["prior", "share"]
    assert "values" not in decision.details


def test_nets_from_files(tmp_path: Path) -> None:
    write_net(tmp_path / "small.npz", drawn_net(SMALL))
    spec = f"net:model={tmp_path}/small.npz"
    assert len(play_match(spec, "random", games=4, geometry=SMALL, seed=1).games) == 4
    agent = make_agent(f"puct:model={tmp_path}/small.npz,iterations=20", SMALL)
    assert decided(agent, Position(SMALL)).iterations == 20
    with pytest.raises(InvalidSpec, match=r"the net knows 4x4 connect 3, not 7x6 connect 4"):
        make_agent(spec, Geometry())
    with pytest.raises(InvalidSpec, match=r"none\.npz cannot be read: No such file"):
        make_agent(f"net:model={tmp_path}/none.npz")
    shipped = Path(loading.BUNDLED_NTUPLE)
    with pytest.raises(InvalidSpec, match="holds a model of the kind 'ntuple', not 'net'"):
        make_agent(f"net:model={shipped}")


def test_a_net_without_scores_guesses_none() -> None:
    net = Net(TINY, drawn_net(SMALL).arrays, SMALL)
    decision = decided(NetAgent(net), Position(SMALL))
    assert [name for name, _ in decision_rows(decision)] == ["prior", "share"]


def test_a_net_plays_only_on_its_board() -> None:
    with pytest.raises(InvalidNetwork, match=r"the net knows 4x4 connect 3, not 4x5 connect 3"):
        decided(NetAgent(drawn_net(SMALL)), Position(Geometry(4, 5, 3)))


def test_a_model_is_read_again_only_where_its_file_is_another(tmp_path: Path) -> None:
    """Whether it was replaced, or written again in its place, as long as before or longer."""
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


POSITION = Position.from_moves("4435")


def test_puct_reports_priors_visits_tree_and_trace() -> None:
    """Priors, visits, means and shares, a line; its tree as text, data and drawing; a trace."""
    agent, limit = make_agent("puct:iterations=60"), Limit()
    decision = decided(agent, POSITION, limit)
    names = [name for name, _ in decision_rows(decision)]
    assert names == ["mean", "visits", "prior", "share"]
    assert decision.iterations == sum(decision.details["visits"]) + 1 == 60
    assert sum(decision.details["priors"]) == pytest.approx(1.0, abs=1e-6)
    assert decision.details["line"][0] == decision.column
    view = agent.tree(1, 20)
    assert view is not None
    data = json.loads(json.dumps(dict(view.data), allow_nan=False))
    assert {child["move"]: child["visits"] for child in data["children"]} == {
        str(column + 1): visits
        for column, visits in enumerate(decision.details["visits"])
        if visits
    }
    assert "prior of the model for the move" in view.text
    assert "P 0." in view.svg
    trace = list(agent.trace(POSITION, Limit(iterations=3), np.random.default_rng(0)))
    assert trace[5].startswith("  1 select root, expand 4352617, back up ")
    assert sum(" select " in line for line in trace) == 3


def test_an_immediate_win_needs_no_model() -> None:
    decision = decided("puct", "121212")
    assert (decision.column, decision.value, decision.iterations) == (0, 1.0, 1)
    assert "priors" not in decision.details


def test_it_searches_as_suits_the_model(tmp_path: Path) -> None:
    """Unless the spec says something else."""
    write_net(tmp_path / "other.npz", drawn_net(Geometry(), SHAPES["small"]))
    write_network(tmp_path / "tuples.npz", NTupleNetwork(NTuples.random_walks(3, 3)))

    def found(spec: str) -> tuple[float, float]:
        agent = make_agent(spec)
        assert isinstance(agent, MonteCarloAgent)
        options = agent.search.options
        assert isinstance(options, PuctOptions)
        return options.c, options.prior_temperature

    assert found("puct") == found(f"puct:model={BUNDLED_NET}") == (0.5, 4.0)
    assert found("puct:c=3") == (3.0, 4.0)
    assert found("puct:prior_temperature=1") == (0.5, 1.0)
    assert found(f"puct:model={tmp_path}/other.npz") == (3.0, 1.0)
    assert found(f"puct:model={tmp_path}/tuples.npz") == (1.5, 1.0)
    assert recommended_options(UniformPolicyValue()) == PuctOptions()


def test_models_from_files(tmp_path: Path) -> None:
    """Another model, for another board too; other files are rejected in a sentence."""
    board = Geometry(5, 4, 3)
    tuples = NTuples.random_walks(3, 3, board)
    write_network(tmp_path / "small.npz", NTupleNetwork(tuples))
    agent = make_agent(f"puct:model={tmp_path}/small.npz,iterations=20", board)
    assert decided(agent, Position(board)).iterations == 20
    assert read_policy_value(tmp_path / "small.npz").geometry == board
    write_model(tmp_path / "odd.npz", ModelFile("odd", board, {}))
    write_model(tmp_path / "empty.npz", ModelFile("ntuple", board, {}))
    (tmp_path / "text.npz").write_text("no model")
    for name, output in (
        ("odd", "holds a model of the kind 'odd', which has no values"),
        ("empty", "is not a model: its part 'tuples' is missing"),
        ("text", "is not a model: it is corrupt"),
        ("none", "cannot be read: No such file"),
    ):
        with pytest.raises(InvalidSpec, match=output):
            make_agent(f"puct:model={tmp_path}/{name}.npz")
    with pytest.raises(InvalidSpec, match="the model knows 5x4 connect 3, not 7x6 connect 4"):
        make_agent(f"puct:model={tmp_path}/small.npz", Geometry())
    with pytest.raises(InvalidSpec, match="fpu=3 of puct: fpu takes a number from 0 to 2"):
        make_agent("puct:fpu=3")
    with pytest.raises(Exception, match="no bundled model is for 5x4"):
        default_policy_value(board)


def test_it_beats_playouts() -> None:
    """By far, so that no seed decides."""
    result = play_match("puct:iterations=60", "uct:iterations=100", games=4, seed=1)
    assert result.wins[0] >= 3
