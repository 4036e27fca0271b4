"""Openings: drawn only by the seed, in the band of scores, read from files with checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from claimeven import Geometry, Position
from claimeven.arena.games.openings import (
    Opening,
    balanced_openings,
    make_openings,
    random_openings,
    read_openings,
)
from claimeven.arena.options import InvalidMatch
from claimeven.game.errors import InvalidNotation
from claimeven.solver import Solver

START = Position()


def after(columns: tuple[int, ...], start: Position = START) -> Position:
    for column in columns:
        start = start.play(column)
    return start


def test_a_seed_decides_the_openings_and_they_differ() -> None:
    once, again = (random_openings(50, 4, 3, START) for _ in range(2))
    assert once == again != random_openings(50, 4, 4, START)
    assert len({after(opening).canonical_key for opening in once}) == 50
    assert all(len(opening) == 4 for opening in once)


def test_a_longer_tournament_starts_like_a_shorter_one() -> None:
    assert random_openings(50, 4, 3, START)[:10] == random_openings(10, 4, 3, START)


def test_where_there_are_too_few_they_are_repeated() -> None:
    found = random_openings(10, 1, 0, START)
    assert len({after(opening).canonical_key for opening in found}) == 4
    assert found[4:8] == found[:4]
    assert random_openings(3, 0, 0, START) == ((), (), ())


def test_balanced_openings_lie_in_their_band() -> None:
    solver = Solver(table_mb=16)
    found = balanced_openings(20, 6, 1, START, solver)
    assert all(-2 <= solver.score(after(opening)) <= 2 for opening in found)
    wide = balanced_openings(20, 6, 1, START, solver, (5, 9))
    assert all(5 <= solver.score(after(opening)) <= 9 for opening in wide)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: random_openings(1, -1, 0, START), "opening_plies must be 0 or more, got -1"),
        (lambda: random_openings(1, 4, -1, START), "seed must be 0 or more, got -1"),
        (lambda: random_openings(1, 99, 0, START), "no random opening of 99 plies"),
        (
            lambda: balanced_openings(1, 2, 0, START, Solver(table_mb=16), (3, 1)),
            "lower end first, got 3 to 1",
        ),
        (
            lambda: balanced_openings(
                1, 1, 0, Position(Geometry(4, 4)), Solver(Geometry(4, 4), table_mb=1), (5, 6)
            ),
            "no opening of 1 plies with a score from 5 to 6",
        ),
    ],
)
def test_invalid_arguments_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidMatch, match=message):
        make()


def test_a_band_of_scores_may_be_named() -> None:
    start = Position(Geometry(5, 4))
    solver = Solver(start.geometry, table_mb=1)
    for source, low, high in (("balanced", -2, 2), ("-6..-1", -6, -1), ("+1..9", 1, 9)):
        for columns in make_openings(source, 4, 5, 1, start):
            assert len(columns) == 5
            assert low <= solver.score(Opening(start, columns).position) <= high
    with pytest.raises(InvalidMatch, match="lower end first, got 8 to 3"):
        make_openings("8..3", 1, 4, 1, start)


def test_a_file_of_openings(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# three\n44\n\n1 2 3  # spaced\n\n")
    assert read_openings(path, START) == ((3, 3), (0, 1, 2))
    assert read_openings(path, START.play(0)) == ((3, 3), (0, 1, 2))
    for text, message in (
        ("44\n49\n", r"line 2 of .*openings\.txt: move 2: '9' is not a column"),
        ("1212121\n", "line 1 of .*the game is over after 1212121"),
        ("4444444\n", "line 1 of .*column 4 is full"),
        ("# none\n", "holds no opening"),
        (". . .\n. . .\nX O .\n", r"line 1 of .*: its board is 3x3 connect 4, not 7x6"),
    ):
        path.write_text(text)
        with pytest.raises(InvalidMatch, match=message):
            read_openings(path, START)
    path.write_bytes(b"\xff")
    with pytest.raises(InvalidMatch, match="it is not text"):
        read_openings(path, START)
    with pytest.raises(InvalidMatch, match="cannot be read: Is a directory"):
        read_openings(tmp_path, START)
    with pytest.raises(InvalidMatch, match=r"^balancd cannot .* \(did you mean balanced\?\)$"):
        make_openings("balancd", 2, 4, 1, START)
    with pytest.raises(InvalidNotation, match="'z' is not a column"):
        make_openings(["44", "4z"], 2, 4, 1, START)
