"""The folder of a run: its files when it is resumed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from claimeven.learning.run_dir import RunFolder


@pytest.mark.skipif(os.name != "posix", reason="needs the files of Unix")
def test_a_run_that_is_taken_up_deletes_what_a_kill_left_in_its_folder(tmp_path: Path) -> None:
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
