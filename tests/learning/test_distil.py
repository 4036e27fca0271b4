"""Learning from exact labels: it learns, the same from the same seed, after any interruption."""

from __future__ import annotations

import hashlib
import json
import math
import resource
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, play_match
from claimeven.agents.families.trained import NetAgent
from claimeven.atomic_io import CannotWrite
from claimeven.dataset import Dataset, DatasetPlan, join_datasets, make_dataset, read_dataset
from claimeven.learning import (
    DistilConfig,
    InvalidRun,
    PlyWeight,
    TrainingProgress,
    train_distil,
)
from claimeven.learning.batching import BatchSampler, make_batch, sampling_weights
from claimeven.learning.distil import _split
from claimeven.learning.metrics import net_accuracy
from claimeven.networks import read_model
from claimeven.networks.net import SHAPES, Features, SearchDefaults, read_net, write_net
from claimeven.solver import Solver
from tests.cli.conftest import interrupted
from tests.learning.needs import needs_jax
from tests.networks.net.support import drawn_net

pytestmark = needs_jax

SMALL = Geometry(4, 4, 3)
#: A run of half a second.
QUICK = DistilConfig(size="small", epochs=4, batch=64, eval_every=30, lr=6e-3, geometry=SMALL)
WORDS = (
    "--size", "small", "--epochs", "4", "--batch", "64", "--eval-every", "30", "--lr", "0.006",
    "--columns", "4", "--rows", "4", "--connect", "3",
)  # fmt: skip


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thousand positions with exact scores."""
    path = tmp_path_factory.mktemp("data") / "small.csv"
    make_dataset(path, DatasetPlan(1000, 0, 12, seed=1, geometry=SMALL), Solver(SMALL, table_mb=1))
    return path


@pytest.fixture(scope="module")
def data(table: Path) -> Dataset:
    return read_dataset(table, SMALL)


@pytest.fixture(scope="module")
def whole(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without interruption."""
    path = tmp_path_factory.mktemp("runs") / "whole"
    train_distil(path, [table], QUICK)
    return path


def log_of(path: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (path / "log.jsonl").read_text().splitlines()]
    times = ("seconds", "core_seconds")
    return [{name: row[name] for name in row if name not in times} for row in rows]


def test_a_run_leaves_all_it_promises(whole: Path, table: Path) -> None:
    rows = log_of(whole)
    assert [row["steps"] for row in rows] == [30, 60, 62]
    assert all(row["seen"] == row["steps"] * 64 for row in rows)
    assert rows[-1]["policy_loss"] < rows[0]["policy_loss"]
    facts = read_model(whole / "model.npz", "net", SMALL).facts
    assert facts["config"]["epochs"] == 4
    assert facts["config"]["data"] == json.loads((whole / "config.json").read_text())["data"]
    assert facts["parameters"] == read_net(whole / "model.npz").parameters
    assert round(facts["measured"]["held_out"], 4) == rows[-1]["held_out"]
    before = (whole / "model.npz").read_bytes()
    for content in (before, None, before[: len(before) // 2]):
        if content is None:
            (whole / "model.npz").unlink()
        else:
            (whole / "model.npz").write_bytes(content)
        assert len(train_distil(whole, [table], QUICK)) == len(rows)  # the run is complete
        assert (whole / "model.npz").read_bytes() == before


def test_a_net_generalizes_to_unseen_positions(whole: Path, table: Path, tmp_path: Path) -> None:
    """On positions that are not in its data, and against random play."""
    other = tmp_path / "other.csv"
    make_dataset(other, DatasetPlan(600, 0, 12, seed=2, geometry=SMALL), Solver(SMALL, table_mb=1))
    unseen = read_dataset(other, SMALL).without(read_dataset(table, SMALL))
    assert len(unseen) > 200
    net = read_net(whole / "model.npz")
    facts = net_accuracy(net, unseen)
    assert facts["accuracy"] > facts["floor"] + 0.15
    assert facts["sign"] > 0.7
    assert play_match(NetAgent(net), "random", games=100, geometry=SMALL, seed=1).wins[0] >= 70


def test_a_net_learns_from_only_best_columns(table: Path, tmp_path: Path) -> None:
    """Sets without other scores, next to one with them."""
    plan = DatasetPlan(1000, 0, 12, seed=3, source="mixed", geometry=SMALL, optimal_only=True)
    path = tmp_path / "right.csv"
    make_dataset(path, plan, Solver(SMALL, table_mb=1))
    config = replace(QUICK, score_focus=2.0, aug_successors=0.2, aug_swaps=0.2)
    rows = train_distil(tmp_path / "run", [path], config)
    assert rows[-1]["score_loss"] < rows[0]["score_loss"]
    unseen = read_dataset(table, SMALL).without(read_dataset(path, SMALL))
    net = read_net(tmp_path / "run" / "model.npz")
    facts = net_accuracy(net, unseen)
    assert facts["accuracy"] > facts["floor"] + 0.15
    assert facts["sign"] > 0.7
    (both,) = train_distil(tmp_path / "both", [path, table], replace(QUICK, epochs=0.5))
    assert both["steps"] > 0.4 * rows[-1]["steps"] / QUICK.epochs


def test_scores_that_were_not_learned_are_not_known(table: Path, tmp_path: Path) -> None:
    """So values are not graded by them, and are not shown as guesses."""
    train_distil(tmp_path / "run", [table], replace(QUICK, epochs=1, score_weight=0.0))
    assert not read_net(tmp_path / "run" / "model.npz").knows_scores


def test_a_run_of_shares_and_neighbours_resumes(table: Path, tmp_path: Path) -> None:
    config = replace(
        QUICK, epochs=1, eval_every=8, dataset_weights=(2.0,),
        ply_weights=(PlyWeight(0, 6, 1.0), PlyWeight(7, 12, 2.0)),
        score_focus=2.5, aug_successors=0.3, aug_swaps=0.2, policy_target="any",
    )  # fmt: skip

    class Ended(Exception):
        """Raised to end a run after its first measurement."""

    def end(at: TrainingProgress) -> None:
        if at.done > config.eval_every:
            raise Ended

    with pytest.raises(Ended):
        train_distil(tmp_path / "run", [table], config, end)
    assert len(log_of(tmp_path / "run")) == 1
    train_distil(tmp_path / "run", [table], config)
    train_distil(tmp_path / "whole", [table], config)
    assert log_of(tmp_path / "run") == log_of(tmp_path / "whole")
    with pytest.raises(InvalidRun, match="contains a run with ply_weights"):
        train_distil(tmp_path / "run", [table], replace(config, ply_weights=None))


def test_a_killed_run_continues_to_the_same_model(whole: Path, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ("train", "distil", str(table), "--out", str(out), *WORDS)
    interrupted(*words, when=(out / "checkpoint.npz").exists, by=signal.SIGKILL)
    train_distil(out, [table], QUICK)
    assert log_of(out) == log_of(whole)
    assert (out / "model.npz").read_bytes() == (whole / "model.npz").read_bytes()


def test_a_full_disk_leaves_the_last_checkpoint_whole(
    whole: Path, table: Path, tmp_path: Path
) -> None:
    """No file may grow beyond some bytes, as on a full disk."""
    out = tmp_path / "run"
    seen = []

    def fill(at: Any) -> None:
        if at.done == 31:
            seen.extend((out / name).read_bytes() for name in ("checkpoint.npz", "model.npz"))
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(CannotWrite, match="cannot be written: File too large"):
            train_distil(out, [table], QUICK, fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert seen == [(out / name).read_bytes() for name in ("checkpoint.npz", "model.npz")]
    train_distil(out, [table], QUICK)
    assert log_of(out) == log_of(whole)


def test_a_run_that_learned_scores_otherwise_is_rejected(
    whole: Path, table: Path, tmp_path: Path
) -> None:
    """Squared errors, the setting of runs that do not name it."""
    copy = tmp_path / "copy"
    shutil.copytree(whole, copy)
    config = json.loads((copy / "config.json").read_text())
    del config["score_loss"]
    (copy / "config.json").write_text(json.dumps(config))
    with pytest.raises(
        InvalidRun,
        match="contains a run without score_loss, not with score_loss 'Charbonnier': give",
    ):
        train_distil(copy, [table], QUICK)


def test_batches_have_every_position_once_an_epoch(data: Dataset) -> None:
    sampler = BatchSampler(data, 100, seed=3)
    assert sampler.steps_per_epoch == 10
    seen = np.concatenate([sampler.batch_at(step).planes.sum(axis=1) for step in range(10)])
    assert sorted(seen) == sorted(Features(SMALL).of(data.mines, data.masks)[0].sum(axis=1))
    assert sampler.indices_at(0).tolist() != sampler.indices_at(10).tolist()  # of the next epoch
    again = BatchSampler(data, 100, seed=3)
    for one, other in zip(again.batch_at(13), sampler.batch_at(13), strict=True):
        assert np.array_equal(one, other)


def test_few_positions_are_seen_as_often_as_asked(data: Dataset, tmp_path: Path) -> None:
    config = replace(QUICK, batch=512, epochs=5, eval_every=100)
    of_64 = (data.select(np.arange(count)) for count in range(64, 80))  # batches of other tests
    few = next(each for each in of_64 if len(_split([each], config)[0][0]) == 64)
    (row,) = train_distil(tmp_path / "run", few, config)
    assert (row["steps"], row["seen"]) == (5, 5 * 64)
    sampler = BatchSampler(data.select(np.arange(30)), 512, 0)
    assert (sampler.steps_per_epoch, sorted(sampler.indices_at(3))) == (1, list(range(30)))


def test_answers_of_a_batch(data: Dataset) -> None:
    few = data.select(np.arange(50))
    batch = make_batch(few, Features(SMALL))
    assert (batch.policies.sum(axis=1) == pytest.approx(1.0)) and (
        batch.policies[~batch.playable] == 0
    ).all()
    for place in range(50):
        best = few.scores[place] == few.scores[place].max()
        assert batch.policies[place] == pytest.approx(best / best.sum())
        assert batch.values[place] == np.sign(few.scores[place].max())


def test_data_sets_are_drawn_from_by_their_weights(data: Dataset) -> None:
    early = data.select(np.flatnonzero(data.plies <= 5))
    late = data.select(np.flatnonzero(data.plies > 5))
    assert sampling_weights([early, late], None, None) is None
    weights = sampling_weights([early, late], (3.0, 1.0), None)
    assert weights is not None
    of_all = weights / weights.sum()
    assert of_all[: len(early)] == pytest.approx(0.75 / len(early))
    assert of_all[len(early) :] == pytest.approx(0.25 / len(late))

    whole = join_datasets([early, late])
    sampler = BatchSampler(whole, 400, seed=3, weights=weights)
    plies = np.concatenate([whole.plies[sampler.indices_at(step)] for step in range(30)])
    assert (plies <= 5).mean() == pytest.approx(0.75, abs=0.03)
    again = BatchSampler(whole, 400, seed=3, weights=weights)
    assert again.indices_at(7).tolist() == sampler.indices_at(7).tolist()
    assert again.indices_at(7).tolist() != sampler.indices_at(8).tolist()


def test_plies_are_drawn_from_by_their_weights(data: Dataset) -> None:
    one, two = data.select(np.arange(0, 400)), data.select(np.arange(400, len(data)))
    plies = np.concatenate([one.plies, two.plies])
    asked = (PlyWeight(2, 5, 3.0), PlyWeight(6, 6, 1.0))
    for shares in (None, (5.0, 1.0)):
        weights = sampling_weights([one, two], shares, asked)
        assert weights is not None
        of_all = weights / weights.sum()
        assert of_all[(plies >= 2) & (plies <= 5)].sum() == pytest.approx(0.75)
        assert of_all[plies == 6].sum() == pytest.approx(0.25)
        sixes = [weights[:400][one.plies == 6], weights[400:][two.plies == 6]]
        assert all(len(set(part)) == 1 for part in sixes)
        ratio = 1.0 if shares is None else 5 * len(two) / len(one)
        assert sixes[0][0] / sixes[1][0] == pytest.approx(ratio)
    with pytest.raises(InvalidRun, match="have no position at plies 15-16"):
        sampling_weights([one], None, (PlyWeight(15, 16, 1.0),))


@pytest.mark.parametrize("size", [1e308, 5e-324])
def test_shares_of_any_size_are_drawn_evenly(data: Dataset, size: float) -> None:
    one, two = data.select(np.arange(0, 400)), data.select(np.arange(400, len(data)))

    def drawn(share: float) -> list[int]:
        plies = (PlyWeight(2, 5, share), PlyWeight(6, 6, share))
        weights = sampling_weights([one, two], (share, share), plies)
        chosen: list[int] = (
            BatchSampler(join_datasets([one, two]), 64, 0, weights).indices_at(0).tolist()
        )
        return chosen

    assert drawn(size) == drawn(1.0)
    assert len(set(drawn(size))) > 30


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ([(4, 3, 1)], "weights of plies must be in ascending order, each ply only once"),
        ([(1, 4, 1), (4, 6, 1)], "weights of plies must be in ascending order, each ply only once"),
        ([(1, 4, 0)], "each of the weights of plies must be greater than 0, got 0"),
        ([], "weights of plies must name some plies"),
        ([(1, 4, float("nan"))], "each of the weights of plies must be a number, got nan"),
        ([(1, 4, float("inf"))], "each of the weights of plies must be finite"),
        ([(1, 4, True)], "each of the weights of plies must be a number, got True"),
    ],
)
def test_weights_of_plies_that_cannot_be(asked: list[tuple[int, int, float]], message: str) -> None:
    with pytest.raises(InvalidRun, match=message):
        DistilConfig(ply_weights=tuple(PlyWeight(*each) for each in asked))


def test_weights_of_plies_may_be_plain() -> None:
    plain: Any = [(2, 5, 1.0)]
    assert DistilConfig(ply_weights=plain).ply_weights == (PlyWeight(2, 5, 1.0),)


def test_shares_may_be_numpy_numbers_but_no_other_types() -> None:
    plies: Any = [(np.int64(2), np.int8(5), np.float32(0.5))]
    config = DistilConfig(dataset_weights=(float(np.float32(1)), np.int64(2)), ply_weights=plies)
    again = json.loads(json.dumps(config.as_dict()))
    assert (again["dataset_weights"], again["ply_weights"]) == ([1.0, 2.0], [[2, 5, 0.5]])
    wrong: Any
    for wrong, message in (
        (
            (1, 2),
            r"a weight of plies must be the lowest ply, the highest ply and .* got 1",
        ),
        ([(1, 2)], r"a weight of plies must be the lowest ply, .* got \(1, 2\)"),
        ([(1, 2, "x")], "each of the weights of plies must be a number, got 'x'"),
        ([(1.5, 2, 1)], "a ply must be a whole number, got 1.5"),
    ):
        with pytest.raises(InvalidRun, match=message):
            DistilConfig(ply_weights=wrong)
    wrong = ("x", 1)
    with pytest.raises(InvalidRun, match="weights of data sets must be a number, got 'x'"):
        DistilConfig(dataset_weights=wrong)


def test_data_that_cannot_be_learned_from_as_asked_are_rejected(
    data: Dataset, table: Path, tmp_path: Path
) -> None:
    with pytest.raises(InvalidRun, match="the data set is of 4x4 connect 3, not of 5x4 connect 3"):
        train_distil(tmp_path / "run", data, replace(QUICK, geometry=Geometry(5, 4, 3)))
    with pytest.raises(
        InvalidRun, match="data set 2 of 2 has a weight but no position that is not"
    ):
        train_distil(tmp_path / "run", [table, table], replace(QUICK, dataset_weights=(1.0, 2.0)))
    assert not (tmp_path / "run").exists()


def test_a_position_of_two_data_sets_is_drawn_as_one_of_the_first(data: Dataset) -> None:
    """Positions are drawn by their weights, and held-out positions are never drawn."""
    config = replace(QUICK, dataset_weights=(9.0, 1.0))
    one, two = data.select(np.arange(0, 700)), data.select(np.arange(300, len(data)))
    learnt, held, excluded = _split([one, two], config)
    assert set(held.keys) == set(excluded)
    assert 0 < len(learnt[0]) <= len(one) and 0 < len(learnt[1]) < len(two) - 300
    assert len(join_datasets(learnt)) == sum(map(len, learnt))
    whole = join_datasets(learnt)
    assert not np.isin(whole.keys, held.keys).any()
    weights = sampling_weights(learnt, config.dataset_weights, None)
    assert weights is not None and len(weights) == len(whole)
    sampler = BatchSampler(whole, 500, seed=1, weights=weights)
    drawn = np.concatenate([sampler.indices_at(step) for step in range(20)])
    of_first = np.isin(whole.keys[drawn], learnt[0].keys)
    assert of_first.mean() == pytest.approx(0.9, abs=0.02)


def test_a_run_may_start_with_a_net(whole: Path, data: Dataset, tmp_path: Path) -> None:
    start = whole / "model.npz"
    start_config = replace(QUICK, epochs=0.1, start=str(start))
    first = train_distil(tmp_path / "on", data, start_config)[0]
    assert first["policy_loss"] < log_of(whole)[0]["policy_loss"]
    config = json.loads((tmp_path / "on" / "config.json").read_text())
    assert config["start"] == hashlib.sha256(start.read_bytes()).hexdigest()
    with pytest.raises(InvalidRun, match="is a net of another size: "):
        train_distil(tmp_path / "other", data, replace(start_config, size="medium"))
    narrow, net = tmp_path / "narrow.npz", drawn_net(SMALL, replace(SHAPES["small"], pairs=90))
    net.search_defaults = SearchDefaults(c=0.5, prior_temperature=4.0)
    write_net(narrow, net)
    train_distil(tmp_path / "wider", data, replace(start_config, start=str(narrow)))
    wider = read_net(tmp_path / "wider" / "model.npz")
    assert (wider.shape, wider.search_defaults) == (SHAPES["small"], net.search_defaults)
    with pytest.raises(
        InvalidRun, match=r"contains a run with start '[0-9a-f]+', not without: give"
    ):
        train_distil(tmp_path / "on", data, replace(start_config, start=None))


def test_the_loss_of_a_row_is_the_minimized_loss() -> None:
    row = {"policy_loss": 1.0, "value_loss": 0.2, "score_loss": 0.05}
    assert DistilConfig().loss_of(row) == pytest.approx(1 + 0.5 * 0.2 + 0.5 * 0.05)
    assert DistilConfig(value_weight=2, score_weight=6).loss_of(row) == pytest.approx(1.7)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"size": "tiny"}, "there is no size 'tiny'"),
        ({"policy_target": "one"}, "there is no policy target 'one'"),
        ({"epochs": 0}, "epochs must be 1e-06 to"),
        ({"batch": 0}, "batch must be 1 to 65,536, got 0"),
        ({"batch": 2.5}, r"batch must be a whole number, got 2\.5"),
        ({"seed": None}, "seed must be a whole number, got None"),
        ({"lr": "1"}, "lr must be a number, got '1'"),
        ({"weight_decay": True}, "weight decay must be a number, got True"),
        ({"value_weight": -1}, "value weight must be 0 to 1,000, got -1"),
        ({"score_weight": math.nan}, "score weight must be a number, got nan"),
        ({"quant_levels": 200}, "quant levels must be 1 to 127, got 200"),
        ({"score_focus": -1}, "score focus must be 0 to 100, got -1"),
        ({"aug_successors": 1}, "aug successors must be 0 to 0.9, got 1"),
        (
            {"aug_successors": 0.5, "aug_swaps": 0.5},
            "aug successors and aug swaps must sum to 0.9 or less, got 0.5 and",
        ),
    ],
)
def test_configs_that_cannot_be_are_rejected(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRun, match=message):
        DistilConfig(**asked)
