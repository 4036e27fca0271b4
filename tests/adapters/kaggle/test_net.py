"""Exported nets: the same features and outputs as ours, the same moves as the agent."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.adapters.kaggle import builders, submission
from claimeven.adapters.kaggle.builders import packed_net
from claimeven.adapters.kaggle.template.net import Features, Net, in_pieces, product, unpacked_net
from claimeven.agents import InvalidSpec
from claimeven.networks import NTupleNetwork, NTuples, write_network
from claimeven.networks import net as ours
from tests.adapters.kaggle.support import board_of, hold_to_agent, loaded, ongoing
from tests.networks.net.support import drawn_net

BOARDS = (Geometry(), Geometry(4, 4, 3), Geometry(5, 8, 4), Geometry(6, 7, 5), Geometry(9, 6, 4))


def words(positions: list[Position]) -> tuple[Any, Any]:
    """The discs of positions as our nets take them."""
    pairs = [(position.mine, position.mask) for position in positions]
    mines, masks = np.array(pairs, dtype=np.uint64).T
    return mines.copy(), masks.copy()


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_features_are_ours(geometry: Geometry) -> None:
    positions = [Position(geometry), *ongoing(geometry, 120)]
    features, expected = Features(board_of(geometry)), ours.Features(geometry)
    assert features.lines.tolist() == expected.lines.tolist()
    planes, states, playable = features.of([(each.mine, each.mask) for each in positions])
    known = expected.of(*words(positions))
    assert (planes == known[0]).all()
    assert (states == known[1]).all()
    legal = [[c in each.legal_columns for c in range(geometry.columns)] for each in positions]
    assert playable.tolist() == legal
    assert features.column_states == expected.column_states


@pytest.mark.parametrize("geometry", [*BOARDS[:3], Geometry(1, 9, 4)], ids=str)
@pytest.mark.parametrize("knows_scores", [False, True])
def test_values_and_priors_are_ours(geometry: Geometry, knows_scores: bool, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    suits = ours.SearchDefaults(score_share=0.7, score_scale=4.0)
    ours.write_net(path, drawn_net(geometry, knows_scores=knows_scores, search_defaults=suits))
    expected = ours.read_net(path)
    net = Net(board_of(geometry), packed_net(path))
    positions = [Position(geometry), *ongoing(geometry, 60)]
    values, priors = net.judge([(each.mine, each.mask) for each in positions])
    known = expected.evaluate(*words(positions))
    assert values.dtype == priors.dtype == np.float32
    assert np.abs(values - known[0]).max() < 1e-5
    assert np.abs(priors - known[1]).max() < 1e-5
    images = [position.mirror() for position in positions]
    mirrored = net.judge([(each.mine, each.mask) for each in images])
    assert (mirrored[0] == values).all()
    assert np.abs(mirrored[1][:, ::-1] - priors).max() < 1e-6


def test_arrays_equal_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    ours.write_net(path, drawn_net())
    output, arrays = unpacked_net(packed_net(path))
    expected = ours.read_net(path)
    assert output["shape"] == expected.shape.as_dict()
    assert set(arrays) == set(expected.arrays)
    for name, array in expected.arrays.items():
        assert (arrays[name] == array).all() and arrays[name].dtype == np.float32


def test_a_rewritten_file_is_exported_again(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    ours.write_net(path, drawn_net(seed=1))
    first = submission(f"net:model={path}")
    ours.write_net(path, drawn_net(seed=2))
    assert submission(f"net:model={path}") != first


@pytest.mark.parametrize("shape", [(1225, 512), (600, 15), (5000, 33), (3, 7), (0, 9)])
def test_a_product_in_pieces_is_the_product(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    weights, rows = rng.integers(-9, 9, shape) + 0.0, rng.integers(-9, 9, (4, shape[0])) + 0.0
    pieces = in_pieces(weights)
    assert (product(rows, pieces) == rows @ weights).all()
    assert len(pieces) > 1 or shape[1] < 16


@pytest.fixture(scope="module")
def exported() -> dict[str, Any]:
    return loaded(submission("net"))


def symmetric(count: int) -> list[Position]:
    """Positions that are their own mirror images: discs in the middle, and in pairs."""
    rng, found = random.Random(4), [Position()]
    while len(found) < count:
        position = Position()
        for _ in range(rng.randint(1, 5)):
            column = rng.randrange(3)
            for move in rng.choice(
                [(3, column, 3, 6 - column), (column, 3, 6 - column, 3), (3, 3)]
            ):
                if not position.is_over and move in position.legal_columns:
                    position = position.play(move)
        if not position.is_over and position.mirror() == position:
            found.append(position)
    return found


def test_moves_equal_the_agent(exported: dict[str, Any]) -> None:
    positions = [*symmetric(30), *ongoing(Geometry(), 370, seed=8)]
    hold_to_agent("net", positions, exported)


def test_on_another_board_alpha_beta_plays(exported: dict[str, Any]) -> None:
    """Three in a row for the side to move: it wins on a board that the net does not know."""
    observation = {"board": [0] * 15 + [2, 2, 0, 0, 0] + [1, 1, 0, 0, 2], "mark": 1}
    configuration = {"rows": 5, "columns": 5, "inarow": 3, "actTimeout": 300}
    assert exported["agent"](observation, configuration) == 2


def test_a_submission_contains_the_net_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "small.npz"
    ours.write_net(path, drawn_net(Geometry(6, 5), knows_scores=True))
    assert len(submission(f"net:model={path}")) < 120_000
    hold_to_agent(f"net:model={path}", ongoing(Geometry(6, 5), 30))


def test_nets_that_cannot_be_exported_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("net", "puct"):
        with pytest.raises(InvalidSpec, match=r"gone\.npz cannot be read"):
            submission(f"{name}:model={tmp_path / 'gone.npz'}")
    path = tmp_path / "tuples.npz"
    write_network(path, NTupleNetwork(NTuples.random_walks(3, 3)))
    with pytest.raises(InvalidSpec, match="holds a model of the kind 'ntuple', not 'net'"):
        submission(f"net:model={path}")
    with pytest.raises(InvalidSpec, match=r"tuples\.npz cannot be exported with puct: it"):
        submission(f"puct:model={path}")
    with pytest.raises(InvalidSpec, match="a submission has no backend"):
        submission("puct:backend=python")
    path = tmp_path / "net.npz"
    ours.write_net(path, drawn_net())
    monkeypatch.setattr(builders, "MAX_NET_WEIGHTS", 100)
    with pytest.raises(InvalidSpec, match="weights cannot be exported: up to 100 can be"):
        submission(f"net:model={path}")


def test_without_numpy_a_file_says_so(tmp_path: Path) -> None:
    path, model = tmp_path / "main.py", tmp_path / "model.npz"
    ours.write_net(model, drawn_net())
    path.write_text(submission(f"puct:model={model}"), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-I", "-S", str(path)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1] == (
        "ImportError: this submission needs NumPy, which Kaggle has: pip install numpy"
    )
