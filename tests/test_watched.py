"""Processes that are watched, by the example of a program that says again what it is told."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from claimeven.agents.foreign.program import Program
from claimeven.watched import ChildEnded

#: Seconds that an answer may take on a machine under load.
PATIENCE = 120


@pytest.fixture
def echo() -> Iterator[Program]:
    program = Program(["cat"], lambda text: None)
    yield program
    program.kill()


def test_what_is_sent_comes_back(echo: Program) -> None:
    echo.send("d")
    assert echo.receive(time.monotonic() + PATIENCE) == "d"
    assert not echo.ended


def test_one_that_was_ended_leaves_alone_who_has_the_numbers_of_its_pipes(
    echo: Program, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("d\n", encoding="ascii")
    before = {int(path.name) for path in Path("/dev/fd").iterdir()}
    echo.kill()
    others = [os.open(file, os.O_RDWR | os.O_APPEND) for _ in range(8)]
    try:
        assert set(others) & before  # some have taken the place of its pipes
        with pytest.raises(ChildEnded, match="signal SIGKILL"):
            echo.send("e")
        with pytest.raises(ChildEnded, match="signal SIGKILL"):
            echo.receive(time.monotonic() + PATIENCE)
    finally:
        for other in others:
            os.close(other)
    assert file.read_text(encoding="ascii") == "d\n"
