"""Files of puzzles: written and read; corrupt ones rejected."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from claimeven.puzzles import InvalidPuzzles, Puzzle, read_puzzles
from claimeven.puzzles.puzzle import BUNDLED, DIGESTS, puzzle_line, read_checked, write_puzzles

LINES = ("1103 win zugzwang 543727456472434 232 13", "1739 win double 123555313352 212")


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_written_puzzles_are_read_again(tmp_path: Path, name: str) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text(f"# two puzzles\n\n{LINES[0]}\n{LINES[1]}  # the second\n")
    given = read_puzzles(plain)
    assert [puzzle_line(puzzle) for puzzle in given.puzzles] == list(LINES)
    assert [puzzle.number for puzzle in given.puzzles] == [1, 2]
    assert [puzzle.length for puzzle in given.puzzles] == [13, None]  # older files have none
    path = tmp_path / name
    write_puzzles(path, given.puzzles)
    again = read_puzzles(path)
    assert (again.puzzles, again.digest) == (given.puzzles, given.digest)
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == (name == "a.txt.gz")


#: Neither side can complete a line, and two columns are left.
TWO_COLUMNS = "2323123313132221411664656646557444"


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("1103 win zugzwang 5437", "line 2 of PATH: a puzzle must have a rating, a kind"),
        (
            "hard win zugzwang 54 2",
            "line 2 of PATH: a rating must be a number below 10000, got 'hard'",
        ),
        ("10000 win zugzwang 54 2", "a rating must be a number below 10000, got '10000'"),
        ("1103 win zugzwang 54 2 -3", "a length must be a number below 10000, got '-3'"),
        ("1103 win zugzwang 54 2 3 4", "and its length: 5 or 6 words, got 7"),
        ("1103 win line 123 4", "except in puzzles with the idea line or block"),
        ("99999 win zugzwang 54 2", "a rating must be a number below 10000, got '99999'"),
        ("1103 wins zugzwang 54 2", "there is no kind 'wins' (did you mean win?)"),
        ("1103 win dubble 54 2", "there is no idea 'dubble' (did you mean double?)"),
        ("1103 win double 58 2", "move 2: '8' is not a column"),
        ("1103 win double 4444444 2", "move 7: column 4 is full"),
        ("1103 win double 12121 111111", "a solution must end with a move of the side"),
        ("1103 win double 123 4444444", "column 4 is full"),
        ("1103 win double 121212 1", "neither side may be able to complete a line"),
        ("1103 win double 1212121 1", "neither side may be able to complete a line"),
        (f"1103 win double {TWO_COLUMNS} 5", "a puzzle must have at least 3 playable columns"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, output: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"{LINES[0]}\n{line}\n")
    with pytest.raises(InvalidPuzzles) as caught:
        read_puzzles(path)
    assert output.replace("PATH", str(path)) in str(caught.value)


def test_files_that_hold_no_puzzles_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for data, output in (
        (b"# nothing\n", "contains no puzzles"),
        (b"\xff\xfe\x00", "its text is in UTF-16"),
        (gzip.compress(LINES[0].encode(), mtime=0)[:-4], ": it cannot be unpacked"),
        (b"1 " * (9 << 20), "is too large"),
    ):
        path.write_bytes(data)
        with pytest.raises(InvalidPuzzles, match=output):
            read_puzzles(path)
    with pytest.raises(InvalidPuzzles, match="cannot be read: No such file"):
        read_puzzles(tmp_path / "b.txt")


def test_a_set_that_is_not_the_one_that_came_along_is_refused(tmp_path: Path) -> None:
    (name, digest), *_ = DIGESTS.items()
    lines = gzip.decompress((BUNDLED / f"puzzles-{name}.txt.gz").read_bytes()).decode().split("\n")
    lines[7] = lines[7].replace("win", "hold") if "win" in lines[7] else lines[7] + "1"
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    with pytest.raises(InvalidPuzzles, match="is corrupt: install claimeven again"):
        read_checked(path, digest)


def test_a_puzzle_prints_itself() -> None:
    puzzle = Puzzle(3, "543727456472434", "win", 1103, "zugzwang", (1, 2, 1), length=13)
    assert puzzle.as_dict() == {
        "number": 3,
        "moves": "543727456472434",
        "kind": "win",
        "difficulty": "beginner",
        "rating": 1103,
        "motif": "zugzwang",
        "idea": "zugzwang",
        "task": "Red to move: one column wins, no other does.",
        "turn": 2,
        "ply": 15,
        "length": 13,
        "columns_to_find": 2,
        "solution": "232",
    }
