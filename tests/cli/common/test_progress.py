"""The line of progress, on a real terminal: overwritten, wiped, absent elsewhere."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest

from claimeven import Position
from claimeven.cli.common import progress
from claimeven.cli.common.options import progress_text
from claimeven.cli.common.output import board_text
from claimeven.solver import SolveProgress

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")


Terminal = tuple[int, TextIO]


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Make stderr a terminal; yield the end from which its output can be read, and stderr."""
    import pty

    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as stream, monkeypatch.context() as changed:
        changed.setattr(sys, "stderr", stream)
        changed.setattr(progress, "DELAY", 0.0)
        changed.setattr(progress, "TICK", 0.0)
        changed.setenv("TERM", "xterm-256color")
        for name in ("NO_COLOR", "COLUMNS"):
            changed.delenv(name, raising=False)
        yield ours, stream
    os.close(ours)


def sent(at: Terminal) -> str:
    """The output to a terminal so far."""
    ours, stream = at
    stream.write("<end>")
    stream.flush()
    text = ""
    while not text.endswith("<end>"):
        text += os.read(ours, 100_000).decode()
    return text.removesuffix("<end>")


def shown(text: str) -> list[str]:
    """The text of the line after each restart, without the bar."""
    line, states = "", []
    for part in text.split("\r"):
        line = part + line[len(part) :]
        states.append(re.sub(r"^\[[#-]{10}\] ", "", line.rstrip()))
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
    assert states[3] == "x" * 79  # one less than 80: a full line might start another
    assert states[-1] == ""
    assert text.endswith("\r")


def test_the_line_is_as_wide_as_the_terminal_it_is_on(monkeypatch: pytest.MonkeyPatch) -> None:
    import termios

    with terminal(monkeypatch) as there:
        termios.tcsetwinsize(there[0], (24, 50))
        with progress.status_line() as line:
            line.show(lambda: "x" * 500)
        assert shown(sent(there))[1] == "x" * 49


def test_letters_of_two_columns_are_cut_and_wiped_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        with progress.status_line() as line:
            line.show(lambda: "\u6f22" * 500)
        assert sent(there) == "\r" + "\u6f22" * 39 + "\r" + " " * 78 + "\r"


def test_a_recent_status_stays_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        with progress.status_line() as line:
            line.show(lambda: "one")
            monkeypatch.setattr(progress, "TICK", time.monotonic() / 2)  # long for what just was
            line.show(lambda: "two")
        assert shown(sent(there)) == ["", "one", "", ""]
        line.clear()
        assert sent(there) == ""


def test_games_are_counted_with_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        with progress.status_line() as line:
            line.count(0, 200, "games")
            line.count(50, 200, "games")
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


def test_dumb_terminals_and_files_get_no_status_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with terminal(monkeypatch) as there, (tmp_path / "err").open("w") as file:
        for term, stream in (("dumb", sys.stderr), ("xterm", file)):
            monkeypatch.setenv("TERM", term)
            monkeypatch.setattr(sys, "stderr", stream)
            with progress.status_line() as line:
                line.count(50, 200, "games")
        assert sent(there) == ""
    assert (tmp_path / "err").read_text() == ""


def test_short_work_shows_no_status(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        monkeypatch.setattr(progress, "DELAY", 1e9)
        with progress.status_line() as line:
            line.count(50, 200, "games")
        assert sent(there) == ""


def test_boards_have_colors_where_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    position = Position.from_moves("44")
    with terminal(monkeypatch) as (_, stream):
        assert "\x1b[" in board_text(position, stream)
        for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
            with monkeypatch.context() as changed:
                changed.setenv(name, value)
                assert "\x1b" not in board_text(position, stream)


def test_a_message_during_work_has_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with terminal(monkeypatch) as at, progress.status_line() as line:
        line.show(lambda: "a status of some length")
        progress.notify("a sentence")
        lines = sent(at).split("\r\n")
    assert len(lines) == 2
    assert shown(lines[0])[-1] == "a sentence"
    assert len(lines[0].rpartition("\r")[2]) == 79
    progress.notify("a sentence")
    assert capsys.readouterr() == ("", "a sentence\n")


@pytest.mark.parametrize("is_there", [False, True])
def test_ctrl_c_reports_what_is_stored(tmp_path: Path, is_there: bool) -> None:
    file = tmp_path / "kept"
    message = "interrupted; no file was written"
    if is_there:
        file.touch()
        message = f"interrupted; run the same command to continue from {file}"
    with pytest.raises(KeyboardInterrupt) as finished, progress.resumable_file(file):
        raise KeyboardInterrupt
    assert str(finished.value) == message


def test_rates_and_times_are_reported_in_units_that_suit() -> None:
    rates = [progress.rate_text(rate) for rate in (0.99, 1, 9.9, 10)]
    assert rates == ["59 a minute", "1.0 a second", "9.9 a second", "10 a second"]
    times = [progress.time_text(seconds) for seconds in (99, 100, 171, 5969, 5970, 3.7e6)]
    assert times == ["99 s", "2 min", "3 min", "99 min", "1 h 40 min", "1,027 h 47 min"]
    assert progress.count_text(5, 10, "games", 3.0, resumed=5) == "5 of 10 games"
    assert progress.count_text(5, 10, "games", 0.0) == "5 of 10 games"


def test_a_search_shows_how_far_it_is() -> None:
    at = SolveProgress(1234, 2_500_000.0, -3, 4)
    message = "1,234 nodes, 2.5 million a second, score -3 to 4"
    assert progress_text("", at) == f"empty board: {message}"
    at = SolveProgress(1234, 2_500_000.0, -3, 4, (0, None, -2))
    assert progress_text("44", at) == f"44: {message}, columns 0 . -2"


def test_a_bar_shows_how_much_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        with progress.status_line() as line:
            for text in (
                "0 of 40 games",
                "loading, 1 of 3",
                "2,000 of 2,000 positions",
                "no share",
            ):
                line.show(lambda text=text: text)  # type: ignore[misc]  # default binds it
        shown_there = [part.rstrip() for part in sent(there).split("\r")]
    assert shown_there[1:5] == [
        "[----------] 0 of 40 games",
        "[###-------] loading, 1 of 3",
        "[##########] 2,000 of 2,000 positions",
        "no share",
    ]


def test_a_log_gets_a_line_soon_and_then_one_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    line = progress.StatusLine()
    begin = now[0]
    for second in range(1, 301):
        now[0] = begin + second
        if 100 <= second < 200:  # before and after that no new number is reported
            line.show(lambda: f"{second} of 300 games")  # noqa: B023 - called at once
        line.log()
    assert capsys.readouterr().err.splitlines() == [
        "at work for 10 s",
        "at work for 70 s",
        "130 of 300 games",
        "190 of 300 games",
        "199 of 300 games",
    ]


def test_a_log_continues_without_reports(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    logged = threading.Event()
    monkeypatch.setattr(progress, "LOG_DELAY", 0.0)
    monkeypatch.setattr(progress, "LOG_TICK", 0.06)
    monkeypatch.setattr(progress.StatusLine, "log", lambda line: logged.set())
    with progress.status_line():
        assert logged.wait(60)
    assert capsys.readouterr().err == ""
