"""Runs of self-play: better than random without data, the same for any workers and
interruptions."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position, play_match
from claimeven.arena import RayWorkers
from claimeven.dataset import Dataset
from claimeven.errors import ClaimevenError
from claimeven.learning import (
    InvalidRun,
    SelfPlayConfig,
    SelfPlayProgress,
    train_selfplay,
)
from claimeven.learning.metrics import searched_columns
from claimeven.learning.net_training import OptimizerConfig, initial_weights
from claimeven.learning.selfplay import SelfPlayLearner, check_gate, gate
from claimeven.learning.selfplay_games import SelfPlay
from claimeven.learning.selfplay_jobs import SelfPlayWork, play_selfplay
from claimeven.montecarlo.puct import PuctSearch
from claimeven.networks import read_model, read_policy_value, recommended_options
from claimeven.networks.net import Net, NetShape, SearchDefaults, read_net
from claimeven.parallel.jobs import PoolError
from claimeven.parallel.pool import LocalWorkers
from tests.cli.conftest import interrupted
from tests.learning.needs import needs_jax

pytestmark = needs_jax

SMALL = Geometry(4, 4, 3)
#: A run of a second or two. Steps of another batch than in `test_distil` take seconds to compile.
QUICK = SelfPlayConfig(
    iterations=3, games=16, games_per_worker=8, simulations=12, fast_simulations=4,
    full_search_fraction=0.25, steps=6, batch=64, window=300, ema_decay=0.9, lr=3e-3,
    eval_games=1, geometry=SMALL,
)  # fmt: skip
WORDS = (
    "--games", "16", "--games-per-worker", "8", "--simulations", "12", "--fast-simulations", "4",
    "--full-search-fraction", "0.25", "--steps", "6", "--batch", "64", "--window", "300",
    "--ema-decay", "0.9", "--lr", "0.003", "--eval-games", "1",
    "--columns", "4", "--rows", "4", "--connect", "3",
)  # fmt: skip


def net_of(seed: int) -> Net:
    return Net(QUICK.shape, initial_weights(QUICK.shape, SMALL, seed), SMALL)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without interruption."""
    path = tmp_path_factory.mktemp("runs") / "whole"
    train_selfplay(path, QUICK)
    return path


def log_of(path: Path) -> list[dict[str, Any]]:
    """The log without its times."""
    rows = [json.loads(line) for line in (path / "log.jsonl").read_text().splitlines()]
    times = ("seconds", "core_seconds", "play_seconds")
    return [{name: row[name] for name in row if name not in times} for row in rows]


def test_a_run_leaves_all_it_promises(whole: Path) -> None:
    rows = log_of(whole)
    assert [row["games"] for row in rows] == [16, 32, 48]
    assert [row["iteration"] for row in rows] == [1, 2, 3]
    assert all(row["hard"] is None and 0 <= row["against_perfect"] <= 1 for row in rows)
    assert all(row["positions"] > 0 and 5 <= row["plies"] <= 16 for row in rows)
    facts = read_model(whole / "model.npz", "net", SMALL).facts
    assert facts["config"]["method"] == "selfplay"
    assert facts["measured"]["against_perfect"] == rows[-1]["against_perfect"]
    before = (whole / "model.npz").read_bytes()
    for content in (before, None, before[: len(before) // 2]):
        if content is None:
            (whole / "model.npz").unlink()
        else:
            (whole / "model.npz").write_bytes(content)
        assert len(train_selfplay(whole, QUICK)) == 3  # the run is complete
        assert (whole / "model.npz").read_bytes() == before


def test_the_model_has_the_search_settings_of_its_games(whole: Path, tmp_path: Path) -> None:
    """So that its users search as its games did."""
    config = replace(
        QUICK, iterations=1, c=0.7, prior_temperature=1.3, score_value_weight=0.6,
        score_value_scale=5.0, eval_games=0,
    )  # fmt: skip
    train_selfplay(tmp_path / "run", config)
    for path in (tmp_path / "run/model.npz", tmp_path / "run/models/1.npz"):
        options = recommended_options(read_policy_value(path))
        assert (options.c, options.prior_temperature) == (0.7, 1.3)
        assert read_net(path).search_defaults == SearchDefaults(0.7, 1.3, 0.6, 5.0)
    assert recommended_options(read_policy_value(whole / "model.npz")) == QUICK.search


def one_look(net: Net) -> Callable[[Position], int]:
    """Plays the column with the highest prior of a net, without any search."""

    def play(position: Position) -> int:
        words = [np.array([word], dtype=np.uint64) for word in (position.mine, position.mask)]
        return int(net.evaluate(*words)[1][0].argmax())

    return play


def test_it_learns_to_beat_random_play(tmp_path: Path) -> None:
    config = replace(
        QUICK, iterations=4, games=48, games_per_worker=48, steps=40, eval_games=0, seed=2
    )
    train_selfplay(tmp_path / "run", config)
    learnt, fresh = one_look(read_net(tmp_path / "run/model.npz")), one_look(net_of(2))
    wins, before = (
        play_match(agent, "random", games=200, geometry=SMALL).wins[0] for agent in (learnt, fresh)
    )
    assert wins >= 150 > before


def test_the_positions_are_the_same_for_any_executor() -> None:
    net = net_of(1)
    here = play_selfplay(net, QUICK, 3)
    there = play_selfplay(net, QUICK, 3, LocalWorkers(2))
    assert here.tally == there.tally
    for one, other in zip(here.positions, there.positions, strict=True):
        assert np.array_equal(one, other)
    with SelfPlayWork(QUICK, net.arrays, 3).runner() as play:
        (_, second), (_, first) = [result for result in play([1, 0]) if result is not None]
    assert np.array_equal(
        np.concatenate([first.positions.mines, second.positions.mines]), here.positions.mines
    )
    assert not np.array_equal(play_selfplay(net, QUICK, 4).positions.mines, here.positions.mines)


def test_a_run_evaluated_by_jax_is_the_same_for_any_executor(tmp_path: Path) -> None:
    """And learns scores, if it is asked to."""
    config = replace(QUICK, inference="jax", score_weight=2.0, iterations=2, eval_every=2)
    train_selfplay(tmp_path / "here", config)
    train_selfplay(tmp_path / "there", config, executor=LocalWorkers(1))
    assert log_of(tmp_path / "here") == log_of(tmp_path / "there")
    net = read_net(tmp_path / "here/model.npz")
    assert net.knows_scores and net.knows_only_best
    first = read_net(tmp_path / "here/models/1.npz")
    assert not np.array_equal(first.arrays["out_sum"], net.arrays["out_sum"])


def test_workers_give_signs_of_life() -> None:
    with SelfPlayWork(QUICK, net_of(1).arrays, 3).runner() as play:
        message = list(play([0]))
    assert message.count(None) > 10
    assert message[-1] is not None


def test_a_killed_run_continues_to_the_same_curve(whole: Path, tmp_path: Path) -> None:
    """Killed about the second iteration, asked for one iteration more."""
    run = tmp_path / "run"
    words = ("train", "selfplay", "--out", str(run), "--iterations", "2", *WORDS)
    interrupted(*words, when=(run / "checkpoint.npz").exists, by=signal.SIGKILL)
    assert 1 <= len(log_of(run)) <= 2
    train_selfplay(run, QUICK)
    assert log_of(run) == log_of(whole)
    assert same_net(run, whole)


def test_a_finished_run_starts_no_workers(whole: Path) -> None:
    pytest.importorskip("ray")
    nobody = RayWorkers(1, "127.0.0.1:1")
    assert len(train_selfplay(whole, QUICK, executor=nobody)) == 3
    with pytest.raises(PoolError, match=r"no Ray cluster answers at 127\.0\.0\.1:1"):
        train_selfplay(whole, replace(QUICK, iterations=4), executor=nobody)


@pytest.mark.parametrize("board", [Geometry(8, 7, 8), Geometry(10, 10)])
def test_a_board_that_no_net_knows_leaves_no_folder(tmp_path: Path, board: Geometry) -> None:
    with pytest.raises(ClaimevenError, match=r"lines of up to 6 cells|64 bits"):
        train_selfplay(tmp_path / "run", replace(QUICK, geometry=board))
    assert not (tmp_path / "run").exists()


def test_one_column_can_be_learned(tmp_path: Path) -> None:
    """Without pairs of columns, and without differences between them, also in parts of a batch."""
    board = Geometry(1, 5, 3)
    config = replace(QUICK, iterations=1, steps=1, batch=2048, eval_games=0, geometry=board)
    (row,) = train_selfplay(tmp_path / "run", config)
    assert row["plies"] == 5 and row["draws"] == 1
    assert row["score_loss"] > 0


def test_another_run_is_rejected_in_the_folder(whole: Path) -> None:
    with pytest.raises(
        InvalidRun, match=r"iterations must be 3 or more, the iterations of .*, got 2"
    ):
        train_selfplay(whole, replace(QUICK, iterations=2))
    with pytest.raises(InvalidRun, match="contains a run with dirichlet_fraction"):
        train_selfplay(whole, replace(QUICK, dirichlet_fraction=0.5))
    with pytest.raises(InvalidRun, match="worker_timeout must be greater than 0"):
        train_selfplay(whole, QUICK, worker_timeout=0)


def test_measurements_do_not_change_the_net(whole: Path, tmp_path: Path) -> None:
    """The net is the same with fewer measurements and with none. (The rules of imports
    forbid exact scores in the modules that play and learn.)
    """
    train_selfplay(tmp_path / "run", replace(QUICK, eval_games=0, eval_every=2))
    rows = log_of(tmp_path / "run")
    assert ["against_perfect" in row for row in rows] == [False, True, True]
    assert rows[-1]["against_perfect"] is None
    assert same_net(tmp_path / "run", whole)


def test_the_final_model_is_from_the_last_iteration(tmp_path: Path) -> None:
    """A run that is stopped between two measurements, and is then long enough."""
    config = replace(QUICK, iterations=9, eval_every=5, eval_games=0)

    class Enough(Exception):
        pass

    def watch(at: SelfPlayProgress) -> None:
        if at.iteration == 4:
            raise Enough

    with pytest.raises(Enough):
        train_selfplay(tmp_path, config, watch)
    assert read_model(tmp_path / "model.npz").facts["measured"]["iteration"] == 2
    rows = train_selfplay(tmp_path, replace(config, iterations=3))
    facts = read_model(tmp_path / "model.npz").facts
    assert facts["measured"]["iteration"] == len(rows) == 3


def test_a_gate_keeps_the_better_net() -> None:
    """One that cannot be passed keeps the first net; one that cannot be failed takes the new."""
    learner = SelfPlayLearner(replace(QUICK, gate_games=4, gate_min_score=1.0))
    first = learner.best
    learner.replay.add(play_selfplay(first, QUICK, 0).positions)
    learner.learn()
    message = learner.promote()
    assert message["promoted"] == 0 <= message["gate_low"] <= message["gate"] <= 1
    assert learner.best is first
    learner.config = replace(learner.config, gate_min_score=0.0)
    assert learner.promote() == {**message, "promoted": 1}
    assert not np.array_equal(learner.best.arrays["in_sum"], first.arrays["in_sum"])
    assert gate(first, first, replace(QUICK, gate_games=8), 0).share == 0.5


@pytest.mark.parametrize(
    ("gate", "least", "message"),
    [
        *((games, 0.5, "every game: use 8 gate games or more") for games in range(1, 8)),
        (9, 0.6, "no net can pass gate games 9 with .* 0.6, .*: use 12 gate games"),
        (40, 0.999, "every game: use 7,676 gate games or more"),
        (100_000, 1.0, "every game: use a lower gate min score"),
    ],
)
def test_a_gate_that_cannot_be_passed_is_rejected(
    tmp_path: Path, gate: int, least: float, message: str
) -> None:
    with pytest.raises(InvalidRun, match=message):
        train_selfplay(tmp_path / "run", replace(QUICK, gate_games=gate, gate_min_score=least))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("gate", "least"), [(0, 0.5), (0, 1.0), (1, 0.0), (7, 0.4), (8, 0.5), (40, 0.5), (12, 0.6)]
)
def test_a_gate_that_can_be_passed_is_not_rejected(gate: int, least: float) -> None:
    check_gate(replace(QUICK, gate_games=gate, gate_min_score=least))


def test_a_batched_search_equals_the_agent() -> None:
    """On positions with one best column both find the same, with a net that judges two images."""
    positions = [Position.from_moves(moves, SMALL) for moves in ("12", "123", "2233", "41", "3321")]
    data = Dataset(
        SMALL,
        np.array([each.mine for each in positions], dtype=np.uint64),
        np.array([each.mask for each in positions], dtype=np.uint64),
        np.zeros((len(positions), SMALL.columns), dtype=np.int8),
        np.arange(len(positions)),
    )
    columns = searched_columns(net_of(1), data, 60)
    for position, column in zip(positions, columns, strict=True):
        result = PuctSearch(net_of(1)).search(position, np.random.default_rng(1), iterations=60)
        assert result.policy[column] == max(result.policy)


def test_how_the_rate_falls() -> None:
    still, steps = (
        OptimizerConfig(400, 1.0, lr_schedule="none"),
        OptimizerConfig(400, 1.0, lr_schedule="stepwise"),
    )
    assert still.lr_at(0) == 0.01
    assert [still.lr_at(step) for step in (99, 399, 4000)] == [1.0] * 3
    falling = [round(steps.lr_at(step), 3) for step in (150, 250, 350)]
    assert falling == [1.0, 0.333, 0.111]
    assert OptimizerConfig(400, 1.0).lr_at(399) < 1e-4


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"games": 0}, "games must be 1 to 10,000,000, got 0"),
        ({"full_search_fraction": 0}, "full search fraction must be 0.001 to 1, got 0"),
        ({"size": "smal"}, "did you mean small?"),
        ({"lr_schedule": "never"}, "none, stepwise, cosine"),
        ({"quant_levels": 0}, "quant levels must be 1 to 127, got 0"),
        ({"score_value_scale": 0.0}, "score value scale must be 0.1 to 1,000, got 0.0"),
        ({"window": 10**8}, "window must be 1 to 50,000,000, got 100,000,000"),
        (
            {"games": 16384, "games_per_worker": 16384, "simulations": 100_000},
            "a task of 16384 games of 100000 simulations needs 11,469,045,760 nodes, more than",
        ),
    ],
)
def test_configs_that_cannot_be_are_rejected(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRun, match=message):
        SelfPlayConfig(**asked)


@pytest.mark.parametrize("worker_timeout", [0.0, float("inf"), float("nan"), 3e6])
def test_an_invalid_worker_timeout_is_rejected(tmp_path: Path, worker_timeout: float) -> None:
    with pytest.raises(
        InvalidRun, match=r"worker_timeout must be (greater|finite|a number|at most)"
    ):
        train_selfplay(tmp_path / "run", QUICK, worker_timeout=worker_timeout)


def test_games_start_on_the_empty_board_if_any_move_ends_them() -> None:
    board = Geometry(1, 1, 2)
    config = SelfPlayConfig(
        random_plies=3, random_start_fraction=1.0, simulations=2, geometry=board
    )
    task = SelfPlay(Net.zeros(NetShape(4, 1, 2), board), config, 2, (1,))
    for _ in task.rounds():
        pass
    assert task.tally.plies == 2


def same_net(one: Path, other: Path) -> bool:
    nets = [read_net(path / "model.npz").arrays for path in (one, other)]
    return all(np.array_equal(nets[0][name], nets[1][name]) for name in nets[0])
