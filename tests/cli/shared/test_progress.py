"""The line of progress, on a real terminal: written over, wiped, and nothing where it cannot be."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest

from claimeven import Position
from claimeven.cli.shared import progress
from claimeven.cli.shared.boards import board_text

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")


Terminal = tuple[int, TextIO]


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Make stderr a terminal; yield the end where what it was sent can be read, and stderr."""
    import pty

    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as stream, monkeypatch.context() as changed:
        changed.setattr(sys, "stderr", stream)
        changed.setattr(progress, "PATIENCE", 0.0)
        changed.setattr(progress, "TICK", 0.0)
        changed.setenv("TERM", "xterm-256color")
        for name in ("NO_COLOR", "COLUMNS"):
            changed.delenv(name, raising=False)
        yield ours, stream
    os.close(ours)


def sent(at: Terminal) -> str:
    """What a terminal was sent so far."""
    ours, stream = at
    stream.write("<end>")
    stream.flush()
    text = ""
    while not text.endswith("<end>"):
        text += os.read(ours, 100_000).decode()
    return text.removesuffix("<end>")


def shown(text: str) -> list[str]:
    """What stood in the line after each time that it was begun anew."""
    line, states = "", []
    for part in text.split("\r"):
        line = part + line[len(part) :]
        states.append(line.rstrip())
    return states


def test_the_line_is_written_over_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        with progress.status_line() as line:
            for text in ("a long text", "short", "x" * 500):
                line.show(lambda text=text: text)  # type: ignore[misc]  # default binds it
        text = sent(there)
    assert "\x1b" not in text
    states = shown(text)
    assert states[:3] == ["", "a long text", "short"]
    assert set(states[3]) == {"x"}
    assert len(states[3]) < 500
    assert states[-1] == ""


def test_games_are_counted_with_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        with progress.counting(200, "games") as tick:
            tick(0)
            tick(50)
        states = shown(sent(there))
    assert states[1] == "0 of 200 games"
    assert states[2].startswith("50 of 200 games, ")
    assert " a second, " in states[2]
    assert states[2].endswith(" left")


def test_the_line_is_wiped_when_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        with pytest.raises(KeyboardInterrupt), progress.status_line() as line:
            line.show(lambda: "at work")
            raise KeyboardInterrupt
        assert shown(sent(there))[-1] == ""


def test_nothing_is_shown_where_lines_stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with terminal(monkeypatch) as there, (tmp_path / "err").open("w") as file:
        for term, stream in (("dumb", sys.stderr), ("xterm", file)):
            monkeypatch.setenv("TERM", term)
            monkeypatch.setattr(sys, "stderr", stream)
            with progress.counting(200, "games") as tick:
                tick(50)
        assert sent(there) == ""
    assert (tmp_path / "err").read_text() == ""


def test_young_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        monkeypatch.setattr(progress, "PATIENCE", 1e9)
        with progress.counting(200, "games") as tick:
            tick(50)
        assert sent(there) == ""


def test_boards_have_colours_where_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    position = Position.from_moves("44")
    with terminal(monkeypatch) as (_, stream):
        assert "\x1b[" in board_text(position, stream)
        for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
            with monkeypatch.context() as changed:
                changed.setenv(name, value)
                assert "\x1b" not in board_text(position, stream)
