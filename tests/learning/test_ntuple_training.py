"""Training of n-tuple networks: it learns, the same from the same seed, after any interruption."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position, make_agent, play_match
from claimeven.agents import Limit
from claimeven.atomic_io import CannotWrite
from claimeven.dataset.scored_sets import bundled_set
from claimeven.learning import (
    InvalidRun,
    NTupleConfig,
    NTupleLearner,
    RunFolder,
    TrainingProgress,
    ntuple_training,
    score_against_perfect,
    train_ntuple,
)
from claimeven.learning.metrics import measure_learner
from claimeven.learning.ntuple_training import _measure, agent_of
from claimeven.learning.run_dir import cores_spent
from claimeven.learning.td_kernel import DRAWS, FIRST_WINS, PLIES
from claimeven.networks import ModelFile, read_model, read_network, write_model
from tests import naive
from tests.cli.conftest import interrupted

SMALL = Geometry(4, 4, 3)
#: A run of a second.
QUICK = NTupleConfig(games=600, eval_every=200, tuples=8, length=4, eval_games=2, geometry=SMALL)


def textbook_lesson(learner: NTupleLearner, columns: list[int], random_moves: list[bool]) -> None:
    """Learn from one game as the docstring says, in plain Python; for the oracle's boards."""
    config, network = learner.config, learner.network
    half = len(network.weights) // 2
    positions = Position.replay(columns, config.geometry)
    values = [network.value(p) * (1 - 2 * p.turn) for p in positions[:-1]]
    outcome = positions[-1].outcome
    assert outcome is not None
    winner = outcome.winner
    values.append(0.0 if winner is None else 1.0 - 2 * winner)
    step = config.step_size
    target = values[-1]
    for at in reversed(range(len(columns))):
        if random_moves[at] and at < len(columns) - 1:
            target = values[at]
            continue
        target = (1 - config.td_lambda) * values[at + 1] + config.td_lambda * target
        value = network.value(positions[at]) * (1 - 2 * positions[at].turn)
        change = np.float32((target - value) * (1 - value**2))
        for slot, cells in enumerate(network.tuples.slots):
            table = int(network.tuples.arrays.slot_tables[slot])
            place = half * (at % 2) + table + network.tuples.index(cells, positions[at])
            total, absolute = (float(x) for x in learner.changes[place])
            rate = step
            if absolute > 0:
                rate *= np.exp(config.step_decay * (abs(total) / absolute - 1))
            network.weights[place] += np.float32(rate * change)
            learner.changes[place] += (change, abs(change))


def test_one_game_is_learned_as_the_textbook_says() -> None:
    config = NTupleConfig(games=50, tuples=6, length=3, epsilon=1.0, geometry=SMALL, seed=4)
    learner, textbook = NTupleLearner(config), NTupleLearner(config)
    start = np.random.default_rng(1).normal(0, 0.1, learner.network.weights.shape)
    for each in (learner, textbook):
        each.network.weights[:] = start
    learner.play(1)
    columns = columns_of(learner)
    assert naive_result(columns) is not None
    textbook_lesson(textbook, columns, [True] * len(columns))
    assert np.allclose(learner.network.weights, textbook.network.weights, atol=1e-6)
    assert np.allclose(learner.changes, textbook.changes, atol=1e-6)
    assert not np.allclose(learner.network.weights, start)


def test_chosen_moves_are_learned_as_the_textbook_says() -> None:
    config = NTupleConfig(games=50, tuples=6, length=3, epsilon=0.3, geometry=SMALL, seed=5)
    learner, textbook = NTupleLearner(config), NTupleLearner(config)
    for _ in range(12):
        before = learner.network.weights.copy(), learner.changes.copy()
        done = learner.games
        learner.play(1)
        columns = columns_of(learner)
        textbook.network.weights[:], textbook.changes[:] = before
        fading = (config.final_step_size / config.step_size) ** (done / config.games)
        textbook.config = NTupleConfig(**{**vars(config), "step_size": config.step_size * fading})
        textbook_lesson(textbook, columns, [bool(x) for x in learner._record.random])
        assert np.allclose(learner.network.weights, textbook.network.weights, atol=1e-6)


def columns_of(learner: NTupleLearner) -> list[int]:
    """The last game, from its positions: each move leads to the next one."""
    tuples, lesson = learner.network.tuples, learner._record
    position, columns = Position(learner.config.geometry), []
    while not position.is_over:
        row = lesson.indices[len(columns) + 1]
        (column,) = (
            column
            for column in position.legal_columns
            if [tuples.index(cells, position.play(column)) for cells in tuples.slots] == list(row)
        )
        columns.append(column)
        position = position.play(column)
    return columns


def naive_result(columns: list[int]) -> bool | None:
    game = naive.Game(SMALL.columns, SMALL.rows, SMALL.connect)
    for column in columns:
        assert not game.over()
        game = game.play(column)
    return True if game.over() else None


def test_it_learns_to_beat_random_play() -> None:
    config = NTupleConfig(games=4000, tuples=20, length=5, geometry=SMALL, seed=1)
    learner = NTupleLearner(config)
    learner.play(config.games)
    result = play_match(agent_of(learner.network), "random", games=200, geometry=SMALL)
    assert result.wins[0] >= 150
    assert score_against_perfect(agent_of(learner.network), SMALL, 4, seed=1) > 0


def test_games_do_not_depend_on_how_many_a_call_plays() -> None:
    one, other = NTupleLearner(QUICK), NTupleLearner(QUICK)
    one.play(60)
    for games in (1, 9, 50):
        other.play(games)
    assert np.array_equal(one.network.weights, other.network.weights)
    assert np.array_equal(one.totals, other.totals)
    third = NTupleLearner(QUICK)
    third.resume(one.checkpoint())
    for learner in (one, third):
        learner.play(30)
    assert np.array_equal(one.network.weights, third.network.weights)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without interruption."""
    path = tmp_path_factory.mktemp("runs") / "whole"
    train_ntuple(path, QUICK)
    return path


#: The times in a log.
CLOCKS = ("seconds", "core_seconds")


def log_of(path: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (path / "log.jsonl").read_text().splitlines()]
    return [{name: row[name] for name in row if name not in CLOCKS} for row in rows]


def test_a_run_leaves_all_it_promises(whole: Path) -> None:
    rows = log_of(whole)
    assert [row["games"] for row in rows] == [200, 400, 600]
    kept = {path.name: read_model(path, "ntuple", SMALL) for path in whole.glob("models/*")}
    assert {name: each.facts["measured"]["games"] for name, each in kept.items()} == {
        "1.npz": 200, "2.npz": 400
    }  # fmt: skip
    assert all(row["perfect"] is None and 0 <= row["against_perfect"] <= 1 for row in rows)
    model = read_model(whole / "model.npz", "ntuple", SMALL)
    assert model.facts["config"]["games"] == 600
    assert model.facts["measured"]["against_perfect"] is not None
    assert read_network(whole / "model.npz").geometry == SMALL
    before = (whole / "model.npz").read_bytes()
    for content in (before, None, b"", bytes(len(before)), before[: len(before) // 2]):
        if content is None:
            (whole / "model.npz").unlink()
        else:
            (whole / "model.npz").write_bytes(content)
        assert len(train_ntuple(whole, QUICK)) == 3  # the run is complete
        assert (whole / "model.npz").read_bytes() == before


def test_a_killed_run_continues_to_the_same_curve(whole: Path, tmp_path: Path) -> None:
    words = (
        "train", "ntuple", "--out", str(tmp_path / "run"), "--games", "600", "--eval-every", "200",
        "--tuples", "8", "--length", "4", "--eval-games", "2",
        "--columns", "4", "--rows", "4", "--connect", "3",
    )  # fmt: skip
    log = tmp_path / "run" / "log.jsonl"
    for wanted in (0, 1):
        interrupted(
            *words,
            when=lambda wanted=wanted: log.exists() and log.read_bytes().count(b"\n") > wanted,
            by=signal.SIGKILL,
        )
    train_ntuple(tmp_path / "run", QUICK)
    assert log_of(tmp_path / "run") == log_of(whole)
    one, other = (read_network(path / "model.npz") for path in (whole, tmp_path / "run"))
    assert np.array_equal(one.weights, other.weights)


def test_checkpoints_are_stored_between_and_before_measurements(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ntuple_training, "SLICE", 50)
    run, reports = tmp_path / "run", []

    def interrupted_at(games: int) -> Callable[[TrainingProgress], None]:
        def watch(progress: TrainingProgress) -> None:
            reports.append((progress.resumed, progress.done))
            if progress.done == games:
                raise KeyboardInterrupt

        return watch

    with monkeypatch.context() as patched:
        patched.setattr(ntuple_training, "CHECKPOINT_SECONDS", 0.0)
        with pytest.raises(KeyboardInterrupt):
            train_ntuple(run, QUICK, interrupted_at(350))
    assert reports[-1] == (0, 350)
    reports.clear()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ntuple_training, "measure_learner", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train_ntuple(run, QUICK, interrupted_at(0))
    assert reports == [(300, 350), (300, 400)]
    reports.clear()
    train_ntuple(run, QUICK, interrupted_at(0))
    assert reports[0] == (400, 450)
    assert log_of(run) == log_of(whole)
    one, other = (read_network(path / "model.npz") for path in (whole, run))
    assert np.array_equal(one.weights, other.weights)


def test_seconds_of_cores_are_summed_over_calls(tmp_path: Path) -> None:
    spent = []
    for games in (100, 200):
        with RunFolder.opened(tmp_path / "run", {}) as run:
            run.open_checkpoint("test checkpoint")
            begin = cores_spent()
            while cores_spent() < begin + 0.2:
                pass
            run.log({"games": games})
            run.log({"games": games}, cores=10.0)
            run.save(ModelFile("test checkpoint", SMALL, {"none": np.zeros(1)}))
        spent += [row["core_seconds"] for row in run.rows[-2:]]
    assert 0.2 <= spent[0] < 10
    assert spent[1] == pytest.approx(spent[0] + 10.0)
    assert spent[1] + 0.2 <= spent[2] + 1e-9
    assert spent[3] == pytest.approx(spent[2] + 10.0)


def test_no_seconds_of_cores_are_reported_twice(tmp_path: Path) -> None:
    begin = cores_spent()
    with RunFolder.opened(tmp_path / "of" / "many" / "runs", {}) as run:
        run.open_checkpoint("test checkpoint")
        while cores_spent() < begin + 0.1:
            pass
        for games in range(3):
            run.log({"games": games})
        assert run.rows[-1]["core_seconds"] <= cores_spent() - begin + 0.001
        run.log({"core_seconds": 7.5})
        assert run.rows[-1] == {"core_seconds": 7.5}


def test_rows_that_came_after_the_checkpoint_are_dropped(tmp_path: Path) -> None:
    for games in (1, 3):
        with RunFolder.opened(tmp_path / "run", {}) as run:
            run.open_checkpoint("test checkpoint")
            assert [row["games"] for row in run.rows] == ([] if games == 1 else [1])
            run.log({"games": games})
            if games == 1:
                run.save(ModelFile("test checkpoint", SMALL, {"none": np.zeros(1)}))
                run.log({"games": 2})
    assert log_of(tmp_path / "run") == [{"games": 1}, {"games": 3}]


def test_the_last_measurement_is_after_the_last_game(tmp_path: Path) -> None:
    rows = train_ntuple(tmp_path / "run", replace(QUICK, games=500, eval_games=0))
    assert [row["games"] for row in rows] == [200, 400, 500]


def test_a_row_reports_the_games_since_the_last_row(whole: Path) -> None:
    learner = NTupleLearner(QUICK)
    for row in log_of(whole):
        before = learner.totals.copy()
        learner.play(200)
        fresh = learner.totals - before
        assert row["first_wins"] == pytest.approx(fresh[FIRST_WINS] / 200)
        assert row["draws"] == pytest.approx(fresh[DRAWS] / 200)
        assert row["plies"] == pytest.approx(fresh[PLIES] / 200, abs=0.006)


def test_a_draw_is_half_a_point_and_games_differ() -> None:
    """Three in a row on 3x3 is a draw by perfect play, and lost now and then by random play."""
    board, seen = Geometry(3, 3, 3), list[int]()
    assert score_against_perfect(make_agent("perfect", board), board, 3, 1, seen.append) == 0.5
    assert seen == [1, 2, 3]
    score = score_against_perfect(make_agent("random", board), board, 40, seed=1)
    assert 0 < score < 0.5


def test_shares_of_a_measurement_equal_single_decisions() -> None:
    agent, rng, positions = make_agent("greedy"), np.random.default_rng(0), bundled_set()
    assert positions is not None
    perfect, keeping = [], []
    for each in positions.first(60).positions:
        known = {column: score for column, score in enumerate(each.scores) if score is not None}
        column, best = agent.choose(each.position, Limit(), rng).column, max(known.values())
        perfect.append(known[column] == best)
        if len({np.sign(score) for score in known.values()}) > 1:
            keeping.append(np.sign(known[column]) == np.sign(best))
    assert 0 < len(keeping) < len(perfect) == 60
    measured = measure_learner(agent, Geometry(), games=0, seed=0, count=60)
    assert measured["perfect"] == pytest.approx(np.mean(perfect))
    assert measured["keeping"] == pytest.approx(np.mean(keeping))
    assert measured["against_perfect"] is None


def test_a_score_is_of_some_games(whole: Path) -> None:
    agent = agent_of(read_network(whole / "model.npz"))
    with pytest.raises(InvalidRun, match="games must be 1 or more, got 0"):
        score_against_perfect(agent, SMALL, games=0, seed=0)


def test_seconds_of_quick_measurements_are_not_lost(tmp_path: Path) -> None:
    config = replace(QUICK, eval_games=0)
    learner = NTupleLearner(config)
    with RunFolder.opened(tmp_path / "run", config.as_dict()) as run:
        run.open_checkpoint("test checkpoint")
        for number in range(1, 11):
            learner.play(1)
            learner.spent[:] = 0.04, 0.03
            _measure(learner, run)
            assert run.rows[-1]["seconds"] == pytest.approx(0.04 * number)
            assert run.rows[-1]["core_seconds"] == pytest.approx(0.03 * number)


def test_the_contents_of_a_folder_are_not_lost(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(
        InvalidRun, match="contains a run with seed 0, not 1: give the same settings"
    ):
        train_ntuple(whole, NTupleConfig(**{**vars(QUICK), "seed": 1}))
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InvalidRun, match=r"contains other files \(notes.txt\)"):
        train_ntuple(tmp_path, QUICK)
    with pytest.raises(CannotWrite, match="cannot be written"):
        train_ntuple(tmp_path / "notes.txt" / "run", QUICK)
    copy = tmp_path / "copy"
    shutil.copytree(whole, copy)
    (copy / "checkpoint.npz").write_bytes(b"PK")
    with pytest.raises(
        InvalidRun, match=r"is not a model: it is corrupt.*: delete it to start again"
    ):
        train_ntuple(copy, QUICK)
    shutil.copy(whole / "checkpoint.npz", copy)
    (copy / "log.jsonl").write_text("")
    with pytest.raises(InvalidRun, match="has lost lines"):
        train_ntuple(copy, QUICK)
    rows = (whole / "log.jsonl").read_text()
    for changed in (rows.replace("games", "gamez"), "garbage\n" + rows.partition("\n")[2]):
        (copy / "log.jsonl").write_text(changed)
        with pytest.raises(InvalidRun, match=r"has lost lines, or they were changed: delete .*npz"):
            train_ntuple(copy, QUICK)
    (copy / "config.json").write_text("[")
    with pytest.raises(InvalidRun, match=r"config\.json is corrupt"), RunFolder.opened(copy, {}):
        pass


def test_a_checkpoint_of_another_run_is_rejected(whole: Path, tmp_path: Path) -> None:
    other, copy = tmp_path / "other", tmp_path / "copy"
    train_ntuple(other, NTupleConfig(**{**vars(QUICK), "seed": 1}))
    shutil.copytree(whole, copy)
    shutil.copy(other / "checkpoint.npz", copy)
    with pytest.raises(InvalidRun, match=r"is a checkpoint of another run.*delete it to start"):
        train_ntuple(copy, QUICK)
    kept = read_model(whole / "checkpoint.npz")
    arrays = {name: array for name, array in kept.arrays.items() if name != "totals"}
    write_model(copy / "checkpoint.npz", ModelFile(kept.kind, kept.geometry, arrays, kept.facts))
    with pytest.raises(InvalidRun, match=r"checkpoint\.npz is corrupt: delete it to start again"):
        train_ntuple(copy, QUICK)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("x"), r"checkpoint\.npz is corrupt: delete it to start again"),
        (TypeError("x"), r"checkpoint\.npz is corrupt: delete it to start again"),
        (ValueError("x"), r"checkpoint\.npz is corrupt: delete it to start again"),
        (InvalidRun("it is of another net"), "^it is of another net$"),
    ],
)
def test_a_learner_that_cannot_resume_from_a_checkpoint_says_so(
    tmp_path: Path, error: Exception, message: str
) -> None:
    def go_on(checkpoint: ModelFile) -> None:
        raise error

    with RunFolder.opened(tmp_path / "run", {}) as run:
        run.open_checkpoint("test checkpoint", go_on)
        run.save(ModelFile("test checkpoint", SMALL, {"none": np.zeros(1)}))
    with (
        RunFolder.opened(tmp_path / "run", {}) as run,
        pytest.raises(InvalidRun, match=message),
    ):
        run.open_checkpoint("test checkpoint", go_on)
    with (
        RunFolder.opened(tmp_path / "run", {}) as run,
        pytest.raises(InvalidRun, match=r"checkpoint\.npz .*: delete it to start again"),
    ):
        run.open_checkpoint("checkpoint of another kind")


def test_stored_and_requested_settings_are_both_reported(tmp_path: Path) -> None:
    with RunFolder.opened(tmp_path / "run", {"seed": 1, "rate": 0.5}):
        pass
    for asked, message in (
        ({"seed": 2, "rate": 0.5}, "contains a run with seed 1, not 2: give the same settings, or"),
        ({"seed": 1}, "contains a run with rate 0.5, not without: give the same settings"),
        (
            {"seed": 1, "rate": 0.5, "ahead": 3},
            "contains a run without ahead, not with ahead 3: give",
        ),
        ({"seed": 2, "ahead": 3}, "with rate 0.5, not without; with seed 1, not 2; without ahead"),
        ({"method": "magic"}, "contains a run without method, not with method 'magic': give"),
        (dict.fromkeys("abcdefgh", 0), r"without d, not with d 0 \(and 4 more\): give"),
    ):
        with pytest.raises(InvalidRun, match=message), RunFolder.opened(tmp_path / "run", asked):
            pass
    config = tmp_path / "run" / "config.json"
    for content in ("[]", "7", "[" * 100_000, "\xff"):
        config.write_text(content, encoding="latin-1")
        with (
            pytest.raises(InvalidRun, match=r"config\.json is corrupt: choose another folder"),
            RunFolder.opened(tmp_path / "run", {}),
        ):
            pass
    config.unlink()
    config.mkdir()
    with pytest.raises(InvalidRun, match="is corrupt"), RunFolder.opened(tmp_path / "run", {}):
        pass


def test_seconds_of_children_that_have_ended_are_of_the_run() -> None:
    work = "import os\nwhile sum(os.times()[:2]) < 0.3:\n    pass"
    begin, own = cores_spent(), sum(os.times()[:2])
    subprocess.run([sys.executable, "-c", work], check=True)
    own = sum(os.times()[:2]) - own
    assert cores_spent() - begin >= own + 0.25


def test_a_checkpoint_without_a_place_in_the_log_is_rejected(whole: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(whole, copy)
    kept = read_model(whole / "checkpoint.npz")
    for rows in ("3", None, 2.5):
        facts = {**kept.facts, "rows": rows}
        write_model(
            copy / "checkpoint.npz", ModelFile(kept.kind, kept.geometry, kept.arrays, facts)
        )
        with pytest.raises(InvalidRun, match=r"is a checkpoint of another run.*delete it"):
            train_ntuple(copy, QUICK)


def test_a_whole_number_may_be_an_int_or_a_float_when_a_run_resumes(tmp_path: Path) -> None:
    for number, rate in enumerate((20, 20.0, 20)):
        config = [("rates", [{"rate": rate}]), ("seed", 1)]
        asked = dict(config[:: -1 if number == 2 else 1])  # nor does it matter in which order
        with RunFolder.opened(tmp_path / "run", asked) as run:
            assert (run.open_checkpoint("test checkpoint") is None) == (number == 0)
            run.save(ModelFile("test checkpoint", SMALL, {"none": np.zeros(1)}))


def test_a_checkpoint_without_a_last_measurement_was_stored_after_one() -> None:
    learner, other = NTupleLearner(QUICK), NTupleLearner(QUICK)
    learner.play(20)
    learner.spent[:] = 3.0, 4.0
    kept = learner.checkpoint()
    old = {name: kept.arrays[name] for name in ("places", "weights", "changes", "totals")}
    other.resume(ModelFile(kept.kind, kept.geometry, old))
    assert other.games == 20 and other.measured.tolist() == other.totals.tolist()
    assert other.spent.tolist() == [0.0, 0.0]
    other.resume(kept)
    assert not other.measured.any() and other.spent.tolist() == [3.0, 4.0]


def test_a_model_names_the_positions_it_was_measured_by(tmp_path: Path) -> None:
    every = bundled_set()
    assert every is not None and every.digest != every.first(20).digest
    config = NTupleConfig(games=1, tuples=2, length=2, eval_games=0, eval_positions=20)
    train_ntuple(tmp_path / "run", config)
    assert read_model(tmp_path / "run" / "model.npz").facts["positions"] == every.first(20).digest


def test_a_large_board_is_not_measured_by_perfect_play_unless_asked() -> None:
    assert NTupleConfig(geometry=Geometry(9, 6)).eval_games == 0
    assert NTupleConfig(geometry=Geometry(9, 6), eval_games=2).eval_games == 2
    assert NTupleConfig().eval_games == NTupleConfig(geometry=Geometry(6, 6)).eval_games == 100


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"games": 0}, "games must be 1 to 1,000,000,000, got 0"),
        ({"td_lambda": 1.5}, "td lambda must be 0 to 1, got 1.5"),
        ({"games": None}, "games must be a whole number, got None"),
        ({"td_lambda": True}, "td lambda must be a number, got True"),
        ({"games": 1.5}, r"games must be a whole number, got 1\.5"),
        ({"length": 2.0}, r"length must be a whole number, got 2\.0"),
        (
            {"eval_positions": 5, "geometry": SMALL},
            "no positions of 4x4 connect 3 are bundled: leave",
        ),
        ({"step_size": 0}, "step size must be 1e-09 to 10, got 0"),
        ({"length": 11}, "the cells of a tuple on 7x6 connect 4 must be 1 to 10"),
        ({"geometry": Geometry(9, 9)}, "64 bits"),
    ],
)
def test_configs_that_cannot_be_are_rejected(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NTupleLearner(NTupleConfig(**asked))
