"""Every long command prints lines of progress on stderr if that is not a terminal."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from claimeven.cli.common import progress
from claimeven.cli.main import main

BOARD = ("--columns", "4", "--rows", "4", "--connect", "3")
GAMES = (*BOARD, "--jobs", "1")
COMMANDS = {
    "match": ("match", "greedy", "random", "--games", "4", *GAMES),
    "tournament": ("tournament", "greedy", "random", "--rounds", "2", *GAMES),
    "sprt": ("sprt", "greedy", "random", "--max-games", "4", *GAMES),
    "ladder": ("ladder", "greedy:win=yes", "--rounds", "1", "--jobs", "1"),
    "accuracy": ("accuracy", "greedy", "--count", "9", "--jobs", "1"),
    "study": ("study", "run", "lund-peer", "--games", "2", "--jobs", "1"),
    "dataset": ("dataset", "--positions", "9", "--plies", "4-8", "--out", "set.csv", *BOARD),
    "book": ("book", "build", "--plies", "3", "--out", "small.book", *BOARD),
    "train": (
        "train", "ntuple", "--out", "run", "--games", "20", "--eval-every", "10", "--tuples", "3",
        "--length", "3", "--eval-games", "1", *BOARD,
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_progress_is_a_line_of_a_log(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("DELAY", "TICK", "LOG_DELAY", "LOG_TICK"):
        monkeypatch.setattr(progress, name, 0.0)
    silent = SimpleNamespace(start=lambda: None)  # each report prints a line, and nothing else
    replaced = SimpleNamespace(Event=threading.Event, Thread=lambda **given: silent)
    monkeypatch.setattr(progress, "threading", replaced)
    with pytest.raises(SystemExit) as ended:
        main([*words])
    assert ended.value.code == 0
    lines = capsys.readouterr().err.splitlines()
    assert any(re.search(r"\d+ of \d+ (games|pairs|answers|positions)", line) for line in lines)
    assert not any("\r" in line for line in lines)
