"""Sets of scored positions: the bundled one is correct, foreign files are checked."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.dataset import DatasetPlan, InvalidDatasetFile, make_dataset, read_rows
from claimeven.dataset.scored_sets import (
    InvalidPositions,
    ScoredSet,
    bundled_set,
    parse_set,
    read_set,
)
from claimeven.game.geometry import STANDARD
from claimeven.solver import Solver, plies_to_end
from tests import naive
from tests.positions import oracle


@pytest.fixture(scope="module")
def shipped() -> ScoredSet:
    found = bundled_set()
    assert found is not None
    return found


def test_the_bundled_set_never_changes_under_its_name(shipped: ScoredSet) -> None:
    assert (shipped.name, shipped.digest) == ("7x6-v1", "c1b73fa6a42e")
    assert [len([p for p in shipped.positions if p.band == b]) for b in shipped.bands] == [1500] * 3
    assert shipped.bands == ("easy", "medium", "hard")


def test_the_held_out_sets_never_change_under_their_names() -> None:
    for which, digest in (("hard", "00b5d7fc4d33"), ("easy", "9c98b81c53c8")):
        found = bundled_set(which=which)
        assert found is not None
        assert (found.name, found.digest) == (f"{which}-7x6-v1", digest)
        assert len(found.positions) == 3000 and found.bands == ("",)
    with pytest.raises(InvalidPositions, match=r"there is no set 'hrd' .did you mean hard"):
        bundled_set(which="hrd")


def test_its_positions_are_all_different_and_quiet_and_hold_a_wrong_column(
    shipped: ScoredSet,
) -> None:
    keys = {each.position.canonical_key for each in shipped.positions}
    assert len(keys) == len(shipped.positions)
    for each in shipped.positions[::15]:
        known = [score for score in each.scores if score is not None]
        assert min(known) < max(known)
        left = plies_to_end(each.position, max(known))
        assert each.band == ("easy" if left < 14 else "medium" if left < 28 else "hard")
        game = oracle(each.position)
        for player in (0, 1):
            game.player = player
            assert all(naive.winner(game.play(column)) is None for column in game.legal())


def test_its_scores_are_exact(shipped: ScoredSet) -> None:
    rng = np.random.default_rng(7)
    easy = [each for each in shipped.positions if each.position.ply > 16]
    drawn = [easy[int(i)] for i in rng.choice(len(easy), 60, replace=False)]
    drawn += [each for each in shipped.positions if each.position.ply <= 8][:200]
    rows = Solver(table_mb=16).scores_many([each.position for each in drawn])
    for each, row in zip(drawn, rows, strict=True):
        assert [s for s in each.scores if s is not None] == [int(s) for s in row if s != -128]


def test_a_part_is_drawn_evenly(shipped: ScoredSet) -> None:
    part = shipped.first(30)
    assert len(part.positions) == 30
    assert part.name == "7x6-v1, 30 of 4500"
    assert part.bands == shipped.bands
    assert shipped.first(10**6) is shipped.first(4500) is shipped
    with pytest.raises(InvalidPositions, match="count must be 1 or more, got 0"):
        shipped.first(0)


def test_scores_may_be_left_out_and_are_worked_out(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("# mine\n4455 18\n\n226744515337\nodd 4455 -4 -3 18 2 2 18 -3  # whole\n")
    own = read_set(path).completed(lambda: Solver(table_mb=16))
    whole, second, third = own.positions
    assert whole.scores == third.scores == (-4, -3, 18, 2, 2, 18, -3)
    assert second.scores == (-1, 0, -1, 7, 6, -2, 0)
    assert (third.band, second.band) == ("odd", "")
    assert own.digest != ScoredSet(own.name, own.positions[:2]).digest


def test_a_word_before_moves_is_a_band_and_two_digits_behind_them_are_a_score() -> None:
    banded, scored = parse_set("late 121\n121 12\n", STANDARD, "it")
    assert (banded.band, banded.moves, banded.scores) == ("late", "121", ())
    assert (scored.band, scored.moves, scored.scores) == ("", "121", (12,))


@pytest.mark.parametrize(
    ("line", "band", "moves", "scores"),
    [
        ("easy 44", "easy", "44", 0),
        ("easy 4 -4 -2 -1 1 0 -2 -4", "easy", "4", 7),
        ("easy 44 1", "easy", "44", 1),
        ("bad 12 -1", "bad", "12", 1),
        ("bad 4455", "bad", "4455", 0),
        ("bad -4 -2 -1 1 0 -2 -4", "", "214", 7),
        ("bad +12", "", "214", 1),
        ("bad 18", "", "214", 1),
        ("44 12", "", "44", 1),
    ],
)
def test_a_word_before_few_moves_is_a_band(line: str, band: str, moves: str, scores: int) -> None:
    (found,) = parse_set(line, STANDARD, "it")
    assert (found.band, found.moves, len(found.scores)) == (band, moves, scores)


def test_letters_before_a_score_are_moves_where_letters_name_the_columns() -> None:
    (found,) = parse_set("bad 12", Geometry(12, 4), "it")
    assert (found.band, found.moves, found.scores) == ("", "bad", (12,))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_data_set_is_read(tmp_path: Path, kind: str) -> None:
    """As the same lines of text are; its scores are not worked out again."""
    path, small = tmp_path / f"set.{kind}", Geometry(4, 4, 3)
    make_dataset(path, DatasetPlan(30, 2, 9, 1, "mixed", small), Solver(small, 1))
    text = tmp_path / "set.txt"
    text.write_text(
        "".join(
            f"{row.moves} {' '.join('.' if s is None else str(s) for s in row.scores)}\n"
            for row in read_rows(path, small)
        )
    )
    found = read_set(path, small)
    assert (found.name, len(found.positions)) == (str(path), 30)
    assert found.digest == read_set(text, small).digest
    assert found.positions == read_set(text, small).positions
    assert found.completed(lambda: Solver(small, 1)) is found
    with pytest.raises(
        InvalidDatasetFile,
        match=r"must have 7 columns for 7x6 connect 4, got 4|is of 4x4 connect 3",
    ):
        read_set(path, Geometry())


def test_a_data_set_with_only_best_columns_gets_the_other_scores(tmp_path: Path) -> None:
    small = Geometry(4, 4, 3)
    plan = DatasetPlan(30, 2, 9, 1, "mixed", small)
    found = []
    for name, optimal_only in (("whole.csv", False), ("right.csv", True)):
        make_dataset(tmp_path / name, replace(plan, optimal_only=optimal_only), Solver(small, 1))
        found.append(read_set(tmp_path / name, small))
    whole, right = found
    assert any(len(each.scores) == 1 for each in right.positions)
    assert right.completed(lambda: Solver(small, 1)).positions == whole.positions


def test_a_packed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "own.txt.gz"
    path.write_bytes(gzip.compress(b"4455\n"))
    assert [each.position for each in read_set(path).positions] == [Position.from_moves("4455")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("4458", "move 4: '8' is not a column"),
        ("1212121", "the game is over after 1212121"),
        ("4455 1 2", r"4455 has 2 scores: give one for each of 7 columns, one for the position"),
        ("4455 99", "'99' is not a score of a position of 7x6"),
        ("bad 12", "bad 12 may be moves and a score, or a word and moves: write moves in digits"),
        ("easy 4455 1 2 3 4 5 6 .", "column 7 can be played after 4455"),
        ("444444 1 2 3 4 5 6 7", "column 4 cannot be played after 444444"),
        ("4444444", "move 7"),
    ],
)
def test_a_wrong_line_is_named(line: str, message: str) -> None:
    with pytest.raises(InvalidPositions, match=f"line 2 of it: .*{message}"):
        list(parse_set(f"44\n{line}\n", STANDARD, "it"))


def test_files_that_are_invalid_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with pytest.raises(InvalidPositions, match=r"x cannot be read: No such file"):
        read_set(path)
    for content, message in (
        (b"", "contains no position"),
        (b"\xff\xfe44", "its text is in UTF-16: save it as UTF-8"),
        (gzip.compress(b"44\n", mtime=0)[:-9], "it cannot be unpacked"),
        (gzip.compress(bytes(40 << 20), mtime=0), "is too large: at most 32 MB"),
    ):
        path.write_bytes(content)
        with pytest.raises(InvalidPositions, match=message):
            read_set(path)


def test_a_wrong_score_is_reported() -> None:
    given = ScoredSet("it", tuple(parse_set("4455 17", STANDARD, "it")))
    with pytest.raises(InvalidPositions, match="it gives 4455 the score 17; it is 18"):
        given.completed(lambda: Solver(table_mb=16))


def test_other_boards_have_no_bundled_set() -> None:
    assert bundled_set(Geometry(5, 5)) is None
    assert bundled_set(Geometry(7, 6, 5)) is None
