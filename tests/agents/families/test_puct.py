"""The agent `puct`: its spec, the models it takes, and what it tells."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position, play_match
from claimeven.agents import InvalidSpec, Limit, make_agent
from claimeven.agents.decisions import decision_rows
from claimeven.agents.families.montecarlo import MonteCarloAgent
from claimeven.networks import (
    ModelFile,
    NTupleNetwork,
    NTuples,
    PuctOptions,
    UniformPolicyValue,
    write_model,
    write_network,
)
from claimeven.networks.loading import (
    SHIPPED_NET,
    default_policy_value,
    read_policy_value,
    suited_options,
)
from claimeven.networks.net import SHAPES, write_net
from tests.networks.net.support import drawn_net

POSITION = Position.from_moves("4435")


def test_what_it_tells() -> None:
    """Priors, visits, means and shares, a line; its tree as text, data and drawing; a trace."""
    agent, limit = make_agent("puct:iterations=60"), Limit()
    decision = agent.choose(POSITION, limit, np.random.default_rng(0))
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
    assert "what the model thinks of the move" in view.text
    assert "P 0." in view.svg
    trace = list(agent.trace(POSITION, Limit(iterations=3), np.random.default_rng(0)))
    assert trace[5].startswith("  1 select root, expand 4352617, back up ")
    assert sum(" select " in line for line in trace) == 3


def test_a_win_at_once_needs_no_model() -> None:
    decision = make_agent("puct").choose(
        Position.from_moves("121212"), Limit(), np.random.default_rng(0)
    )
    assert (decision.column, decision.value, decision.iterations) == (0, 1.0, 1)
    assert "priors" not in decision.details


def test_it_searches_as_suits_the_model(tmp_path: Path) -> None:
    """Unless the spec says something else."""
    write_net(tmp_path / "other.npz", drawn_net(Geometry(), SHAPES["small"]))
    write_network(tmp_path / "tuples.npz", NTupleNetwork(NTuples.drawn(3, 3)))

    def found(spec: str) -> tuple[float, float]:
        agent = make_agent(spec)
        assert isinstance(agent, MonteCarloAgent)
        options = agent.search.options
        assert isinstance(options, PuctOptions)
        return options.c, options.prior_temperature

    assert found("puct") == found(f"puct:model={SHIPPED_NET}") == (0.5, 4.0)
    assert found("puct:c=3") == (3.0, 4.0)
    assert found("puct:prior_temperature=1") == (0.5, 1.0)
    assert found(f"puct:model={tmp_path}/other.npz") == (3.0, 1.0)
    assert found(f"puct:model={tmp_path}/tuples.npz") == (1.5, 1.0)
    assert suited_options(UniformPolicyValue()) == PuctOptions()


def test_models_from_files(tmp_path: Path) -> None:
    """Another model, for another board too; what is none is refused in a sentence."""
    board = Geometry(5, 4, 3)
    tuples = NTuples.drawn(3, 3, board)
    write_network(tmp_path / "small.npz", NTupleNetwork(tuples))
    agent = make_agent(f"puct:model={tmp_path}/small.npz,iterations=20", board)
    assert agent.choose(Position(board), Limit(), np.random.default_rng(0)).iterations == 20
    assert read_policy_value(tmp_path / "small.npz").geometry == board
    write_model(tmp_path / "odd.npz", ModelFile("odd", board, {}))
    write_model(tmp_path / "empty.npz", ModelFile("ntuple", board, {}))
    (tmp_path / "text.npz").write_text("no model")
    for name, told in (
        ("odd", "holds a model of the kind 'odd', which has no values"),
        ("empty", "is no model: its part 'tuples' is missing"),
        ("text", "is no model: it is corrupt"),
        ("none", "cannot be read: No such file"),
    ):
        with pytest.raises(InvalidSpec, match=told):
            make_agent(f"puct:model={tmp_path}/{name}.npz")
    with pytest.raises(InvalidSpec, match="the model knows 5x4 connect 3, not 7x6 connect 4"):
        make_agent(f"puct:model={tmp_path}/small.npz", Geometry())
    with pytest.raises(InvalidSpec, match="fpu=3 of puct: fpu takes a number from 0 to 2"):
        make_agent("puct:fpu=3")
    with pytest.raises(InvalidSpec, match=r"prior_temperature takes a number from 0\.1 to 10"):
        make_agent("puct:prior_temperature=11")
    with pytest.raises(Exception, match="no model that comes along knows 5x4"):
        default_policy_value(board)


def test_it_beats_playouts() -> None:
    """By far, so that no seed decides."""
    result = play_match("puct:iterations=60", "uct:iterations=100", games=8, seed=1)
    assert result.wins[0] >= 6
