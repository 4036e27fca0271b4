"""The logger `claimeven`: silent without a handler, and what it gets."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from claimeven import Geometry, play_match
from claimeven.learning import NTupleConfig, train_ntuple
from claimeven.messages import report
from tests import forks

CRASHING = "def agent(position):\n    raise ValueError('no move')\n"
SMALL = Geometry(4, 4, 3)


def messages(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == level]


def test_a_message_goes_to_the_log_and_to_the_caller(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[str] = []
    report(heard.append, "100 % of a worker")
    report(None, "another one")
    assert heard == ["100 % of a worker"]
    assert messages(caplog, logging.WARNING) == ["100 % of a worker", "another one"]


def test_forfeits_and_resumed_games_are_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "claimeven")
    bot, out = tmp_path / "bot.py", tmp_path / "games.db"
    bot.write_text(CRASHING)
    for games in (2, 4):
        play_match(str(bot), "random", games=games, out=out, resume=True, geometry=SMALL)
    assert messages(caplog, logging.INFO) == [
        f"{out}: {stored} of {games} games are stored" for stored, games in ((0, 2), (2, 4))
    ]
    forfeits = messages(caplog, logging.WARNING)
    assert [line.partition(":")[0] for line in forfeits] == [f"game {n}" for n in range(1, 5)]
    assert all("forfeits" in line and "no move" in line for line in forfeits)


def test_measurements_and_checkpoints_are_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "claimeven")
    config = NTupleConfig(games=20, eval_every=10, tuples=3, length=3, eval_games=1, geometry=SMALL)
    rows: list[object] = []
    logged = train_ntuple(tmp_path / "run", config, on_row=rows.append)
    assert rows == logged
    lines = messages(caplog, logging.INFO)
    assert sum("row 1: " in line or "row 2: " in line for line in lines) == 2
    assert lines[-1] == f"{tmp_path / 'run' / 'checkpoint.npz'} written after 2 rows"


def test_the_library_does_not_print(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(CRASHING)
    program = (
        "import claimeven\n"
        f"result = claimeven.play_match({str(bot)!r}, 'random', games=2)\n"
        "assert sum(map(len, result.faults)) == 2\n"
    )
    words = [sys.executable, "-c", program]
    ended = forks.run_program(words, env=forks.environment(), capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
