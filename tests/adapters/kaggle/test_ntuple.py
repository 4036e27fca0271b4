"""Exported networks: the same numbers as ours, the same moves as the agents, another board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.adapters.kaggle import builders, submission
from claimeven.adapters.kaggle.builders import packed_network
from claimeven.adapters.kaggle.template.board import Board
from claimeven.adapters.kaggle.template.ntuple import NTuple, learnt_or
from claimeven.agents import InvalidSpec
from claimeven.networks import NTupleNetwork, NTuples, read_network, write_network
from claimeven.networks.ntuple import Tuple
from tests.adapters.kaggle.support import board_of, hold_to_agent, loaded, ongoing

#: Groups of different lengths, one that is its own mirror image, one that crosses the middle.
ODD: tuple[Tuple, ...] = (((0, 0),), ((2, 0), (2, 1), (2, 2)), ((1, 3), (2, 2), (3, 1), (4, 0)))


def with_weights(tuples: NTuples, path: Path) -> NTupleNetwork:
    """A network of random weights, half of them 0, as its file is read again."""
    rng = np.random.default_rng(3)
    weights = rng.normal(size=2 * tuples.table_size) * rng.integers(0, 2, 2 * tuples.table_size)
    write_network(path, NTupleNetwork(tuples, weights.astype(np.float32)))
    return read_network(path)


@pytest.mark.parametrize(
    "tuples",
    [
        NTuples(ODD, Geometry(5, 4)),
        NTuples.random_walks(9, 4, Geometry(6, 5), seed=2),
        NTuples.random_walks(5, 3, Geometry(8, 7), seed=2),
        NTuples.random_walks(3, 2, Geometry(4, 3, 3), seed=2),
    ],
    ids=lambda tuples: str(tuples.geometry),
)
def test_values_equal_the_textbook(tuples: NTuples, tmp_path: Path) -> None:
    network = with_weights(tuples, tmp_path / "model.npz")
    evaluate = NTuple(board_of(tuples.geometry), packed_network(network))
    for position in [Position(tuples.geometry), *ongoing(tuples.geometry, 150)]:
        assert evaluate(position.mine, position.mask) == network.evaluate(position)


def test_a_network_without_weights_has_value_0() -> None:
    network = NTupleNetwork(NTuples.random_walks(3, 3))
    assert NTuple(Board(7, 6, 4), packed_network(network))(0, 0) == 0


@pytest.fixture(scope="module")
def exported() -> dict[str, Any]:
    return loaded(submission("ntuple"))


def test_moves_equal_the_agent(exported: dict[str, Any]) -> None:
    hold_to_agent("ntuple", [Position(), *ongoing(Geometry(), 150, seed=8)], exported)
    hold_to_agent("ntuple-alphabeta:depth=3", [Position(), *ongoing(Geometry(), 25, seed=8)])


def test_on_another_board_windows_are_counted(exported: dict[str, Any]) -> None:
    """Three in a row for the side to move: it wins on a board that the network does not know."""
    observation = {"board": [0] * 15 + [2, 2, 0, 0, 0] + [1, 1, 0, 0, 2], "mark": 1}
    configuration = {"rows": 5, "columns": 5, "inarow": 3, "actTimeout": 300}
    assert exported["agent"](observation, configuration) == 2
    assert learnt_or(Board(5, 5, 3), b"\x07\x06\x04", max) is max


def test_a_submission_contains_files_and_options(tmp_path: Path) -> None:
    model = tmp_path / "small.npz"
    with_weights(NTuples.random_walks(3, 3), model)
    text = submission(f"ntuple-alphabeta:model={model},order=left,nodes=500")
    assert "nodes=500" in text and "left_first=True" in text
    assert "depth=" not in text.split("def make_player")[1]
    assert "depth=6" in submission(f"ntuple-alphabeta:model={model}").split("def make_player")[1]
    assert len(text) < 60_000


def test_networks_that_cannot_be_exported_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidSpec, match=r"gone.npz cannot be read"):
        submission(f"ntuple:model={tmp_path / 'gone.npz'}")
    with pytest.raises(InvalidSpec, match="a submission has no backend"):
        submission("ntuple:backend=python")
    builders.packed_network.cache_clear()
    monkeypatch.setattr(builders, "MAX_WEIGHTS", 100)
    with pytest.raises(InvalidSpec, match="weights cannot be exported: up to 100 can be"):
        submission("ntuple")
