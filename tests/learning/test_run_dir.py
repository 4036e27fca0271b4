"""The folder of a run: its files when it is resumed."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry
from claimeven.learning import DistilConfig, NTupleConfig, SelfPlayConfig, train_ntuple
from claimeven.learning.curves import read_run
from claimeven.learning.run_dir import RunFolder, current_row, current_settings, old_settings
from claimeven.networks.model_file import ModelFile, read_model, write_model


@pytest.mark.skipif(os.name != "posix", reason="needs the files of Unix")
def test_a_resumed_run_deletes_files_left_by_a_kill(tmp_path: Path) -> None:
    for _ in range(2):
        with RunFolder.opened(tmp_path / "run", {"games": 1}) as run:
            run.open_checkpoint("checkpoint")
        for name in ("checkpoint.npz.0123abcd.part", "model.npz.0123abcd.part", "mine.part"):
            (tmp_path / "run" / name).write_text("half")
            os.utime(tmp_path / "run" / name, (0, 0))
    with RunFolder.opened(tmp_path / "run", {"games": 1}) as run:
        run.open_checkpoint("checkpoint")
    assert {path.name for path in (tmp_path / "run").glob("*.part")} == {"mine.part"}


@pytest.mark.skipif(os.name != "posix", reason="needs the files of Unix")
@pytest.mark.parametrize("modified", [0.0, None])
def test_a_run_killed_while_its_recipe_was_written_starts_again(
    tmp_path: Path, modified: float | None
) -> None:
    part = tmp_path / "config.json.0123abcd.part"
    part.write_text("half")
    if modified is not None:
        os.utime(part, (modified, modified))
    with RunFolder.opened(tmp_path, {"games": 1}) as run:
        run.open_checkpoint("checkpoint")
    if part.exists():  # it was too new to be known as abandoned
        os.utime(part, (0, 0))
    with RunFolder.opened(tmp_path, {"games": 1}) as run:
        run.open_checkpoint("checkpoint")
    assert not part.exists()


SMALL = Geometry(4, 4, 3)


@pytest.mark.parametrize("config", [DistilConfig(), NTupleConfig(), SelfPlayConfig()])
def test_settings_have_the_same_values_by_either_name(
    config: DistilConfig | NTupleConfig | SelfPlayConfig,
) -> None:
    settings = config.as_dict()
    old = old_settings(settings)
    assert list(old.values()) == list(settings.values())
    assert len(old.keys() - settings.keys()) >= 7
    assert current_settings(old) == settings


def test_rows_of_a_log_have_the_same_values_by_either_name() -> None:
    row = {"games": 5, "playing": 1.5, "judged": 20, "taken": 1}
    current = {"games": 5, "play_seconds": 1.5, "evaluated": 20, "promoted": 1}
    assert current_row(row) == current_row(current) == current


def as_of_0_2_0(run: Path) -> None:
    """Rename what 0.2.0 named otherwise in the folder of a run."""
    old = old_settings(json.loads((run / "config.json").read_text()))
    (run / "config.json").unlink()
    (run / "recipe.json").write_text(json.dumps(old))
    checkpoint = read_model(run / "checkpoint.npz")
    digest = hashlib.sha256(json.dumps(whole(old), sort_keys=True).encode()).hexdigest()
    facts = {**checkpoint.facts, "run": digest}
    old_checkpoint = ModelFile(checkpoint.kind, checkpoint.geometry, checkpoint.arrays, facts)
    write_model(run / "checkpoint.npz", old_checkpoint)


def whole(settings: dict[str, object]) -> dict[str, object]:
    """Return settings with whole numbers for floats that are whole, as 0.2.0 hashed them."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in settings.items()
    }


def test_a_run_of_0_2_0_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = NTupleConfig(400, 200, 4, 3, eval_games=0, geometry=SMALL)
    train_ntuple(tmp_path / "whole", config)
    run = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr("claimeven.learning.ntuple_training.NTupleLearner.games", property(end))
        with pytest.raises(KeyboardInterrupt):
            train_ntuple(run, config)
    as_of_0_2_0(run)
    rows = train_ntuple(run, config)
    assert [row["games"] for row in rows] == [200, 400]
    models = [read_model(folder / "model.npz") for folder in (run, tmp_path / "whole")]
    for name, array in models[0].arrays.items():
        assert np.array_equal(array, models[1].arrays[name])
    assert len(read_run(run).log) == 2


def end(learner: object) -> int:
    """Return the number of games; after 200 of them, interrupt."""
    games = int(vars(learner)["totals"][0])
    if games >= 200 and vars(learner)["measured"][0] >= 200:
        raise KeyboardInterrupt
    return games
