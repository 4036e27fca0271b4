"""Building books: killed builds continue, and give the book of a build that was not."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from claimeven import Geometry
from claimeven.atomic_io import CannotWrite
from claimeven.book import Book, InvalidBook
from claimeven.book.build import build_book, journal_path
from claimeven.messages import WorkProgress
from tests import forks
from tests.cli.conftest import command, environment

SMALL = Geometry(5, 4)


def test_a_book_is_the_same_however_often_its_build_was_ended(tmp_path: Path) -> None:
    whole = build_book(tmp_path / "whole.book", SMALL, 5, table_mb=4)
    path = tmp_path / "resumed.book"
    build_book(path, SMALL, 5, table_mb=4)
    heading = b"claimeven book journal: 5x4 connect 4, ply 5\n"
    lines = [
        b"%d %d\n" % entry
        for entry in zip(whole.keys[5].tolist(), whole.scores[5].tolist(), strict=True)
    ]
    journals = (b"", heading[:20], heading, heading + b"".join(lines[:100]))
    for journal in (*journals, journals[-1] + lines[100][:5], heading + b"".join(lines)):
        journal_path(path).write_bytes(journal)
        build_book(path, SMALL, 5, table_mb=4, threads=2)
        assert path.read_bytes() == whole.to_bytes()
        assert sorted(tmp_path.iterdir()) == [path, tmp_path / "whole.book"]


def test_positions_of_the_journal_are_not_solved_again(tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    whole = build_book(path, SMALL, 4, table_mb=4)
    entries = list(zip(whole.keys[4].tolist(), whole.scores[4].tolist(), strict=True))
    journal_path(path).write_text(
        "claimeven book journal: 5x4 connect 4, ply 4\n"
        + "".join(f"{key} {score}\n" for key, score in entries[:30])
    )
    reports: list[WorkProgress] = []
    start_time = time.monotonic()
    build_book(path, SMALL, 4, table_mb=4, on_progress=reports.append)
    assert 0 <= reports[0].seconds <= reports[-1].seconds <= time.monotonic() - start_time
    assert (reports[0].resumed, reports[0].done, reports[0].nodes) == (30, 30, 0)
    assert reports[-1].done == reports[-1].total == len(entries)
    assert reports[-1].nodes > 0


@pytest.mark.parametrize("graceful", [True, False], ids=["Ctrl-C", "kill -9"])
def test_a_killed_build_continues(tmp_path: Path, graceful: bool) -> None:
    """A real process, killed while it searches 7x6; its journal is then a correct start."""
    path = tmp_path / "7x6.book"
    journal = journal_path(path)
    build = forks.program(
        command("book", "build", "--plies", "8", "--out", str(path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    try:
        while not (journal.exists() and journal.read_bytes().count(b"\n") > 2):
            assert build.poll() is None
            time.sleep(0.05)
        build.send_signal(signal.SIGINT if graceful else signal.SIGKILL)
        out, err = build.communicate(timeout=60)
    finally:
        build.kill()
    if graceful:
        assert (build.returncode, out) == (130, b"")
        last = err.decode().splitlines()[-1]
        assert last == f"interrupted; run the same command to continue from {path}.journal"
    assert not path.exists()
    entries = journal.read_bytes().splitlines()
    assert entries[0] == b"claimeven book journal: 7x6 connect 4, ply 8"

    class Ended(Exception):
        pass

    def end(at: WorkProgress) -> None:
        assert at.resumed >= 2
        raise Ended

    with pytest.raises(Ended):
        build_book(path, Geometry(), 8, table_mb=4, on_progress=end)
    assert journal.read_bytes().splitlines()[: len(entries) - 1] == entries[:-1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("something else\n", "is not the journal of this build: it must start with"),
        ("without an end of line", "is not the journal of this build"),
        ("claimeven book journal: 7x6 connect 4, ply 3\n", "is not the journal of this build"),
        ("HEADING0\n", "is not the journal of this build"),
        ("HEADING\n1 2 3\n", "line 2 of .* is not a result of this build"),
        ("HEADING\n12345678901234567890123 1\n", "line 2 of .* is not a result"),
        ("HEADING\n-1 1\n", "line 2 of .* is not a result"),
        ("HEADING\nnonsense\n", "line 2 of .* is not a result"),
        ("HEADING\n1 0\n", "line 2 of .* is not a result"),
        ("HEADING\n18446744073709551615 0\n", "line 2 of .* is not a result"),
        ("HEADING\n36 10\n", "line 2 of .* is not a result"),
        ("HEADING\n36 -9\n", "line 2 of .* is not a result"),
    ],
)
def test_journals_that_cannot_be_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.book"
    heading = "claimeven book journal: 5x4 connect 4, ply 3"
    journal_path(path).write_text(text.replace("HEADING", heading))
    with pytest.raises(InvalidBook, match=message):
        build_book(path, SMALL, 3, table_mb=4)
    assert not path.exists()
    assert journal_path(path).read_text() == text.replace("HEADING", heading)


def test_builds_that_cannot_be_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    for geometry, plies, message in (
        (Geometry(13, 9), 2, "13x9 connect 4 takes 130"),
        (SMALL, -1, "the plies of .* must be 0 to 14, got -1"),
        (Geometry(2, 2), 4, "the plies of .* must be 0 to 3, got 4"),
    ):
        with pytest.raises(InvalidBook, match=message):
            build_book(path, geometry, plies)
    with pytest.raises(CannotWrite, match="cannot be written"):
        build_book(tmp_path / "no" / "a.book", SMALL, 1, table_mb=1)
    assert list(tmp_path.iterdir()) == []


def test_a_book_that_could_not_be_written_is_not_searched_for(tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    path.mkdir()
    with pytest.raises(CannotWrite, match=r"a\.book cannot be written"):
        build_book(path, SMALL, 2, table_mb=1)
    assert list(tmp_path.iterdir()) == [path]


def test_the_journal_stays_until_the_book_is_written(tmp_path: Path) -> None:
    """A folder that takes the book's name during the search costs no results."""
    path = tmp_path / "a.book"
    reports: list[WorkProgress] = []

    def take_its_name(at: WorkProgress) -> None:
        if at.done == at.total:
            path.mkdir()

    with pytest.raises(CannotWrite, match=r"a\.book cannot be written"):
        build_book(path, SMALL, 2, table_mb=1, on_progress=take_its_name)
    path.rmdir()
    book = build_book(path, SMALL, 2, table_mb=1, on_progress=reports.append)
    assert reports[0].resumed == len(book.keys[2])


def test_books_go_as_deep_as_a_board_allows(tmp_path: Path) -> None:
    book = build_book(tmp_path / "a.book", Geometry(2, 3, 2), 5, table_mb=1)
    assert Book.load(tmp_path / "a.book").to_bytes() == book.to_bytes()
    assert len(book.keys[5]) == 0
    assert book.scores[0].tolist() == [2]
