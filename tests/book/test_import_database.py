"""Books made of a third-party database: a small one by hand, corrupt ones, the real one."""

from __future__ import annotations

import json
import random
import struct
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Geometry, Position, Solver
from claimeven.atomic_io import CannotWrite
from claimeven.book import Book, InvalidBook, load_book
from claimeven.book.build import build_book
from claimeven.book.enumerate import Keys, Scores, back_up_scores
from claimeven.book.import_database import (
    GEOMETRY,
    PLIES,
    add_wins,
    database_path,
    describe_source,
    entry_bytes,
    import_database,
    read_database,
)
from claimeven.book.locations import shipped_book
from claimeven.game.batch import canonical_keys, has_line, moves
from claimeven.game.perft_kernel import discs_of_keys
from claimeven.solver.scores import plies_to_end
from tests.book.conftest import content
from tests.cli.conftest import Run
from tests.positions import random_positions

SMALL, DISCS = Geometry(5, 4), 6


def code(position: Position, value: int) -> bytes:
    """An entry, written down character by character as the database's own words describe it."""
    text = ""
    for column in range(position.geometry.columns):
        for row in range(position.height_of(column)):
            cell = 1 << position.geometry.bit(column, row)
            text += "10" if position.mine & cell else "11"
        text += "0"
    size = entry_bytes(position.geometry, position.ply) - 1
    return int(text.ljust(8 * size, "0"), 2).to_bytes(size, "big") + struct.pack("b", value)


def has_win_at_hand(position: Position) -> bool:
    return any(
        position.play(column).is_over and position.play(column).outcome.winner is not None
        for column in position.legal_columns
    )


def positions_of(geometry: Geometry, plies: int) -> list[Position]:
    """All unfinished positions of a ply, one of each pair of mirror images, found by playing."""
    layer = {Position(geometry).key: Position(geometry)}
    for _ in range(plies):
        children = [p.play(c) for p in layer.values() for c in p.legal_columns]
        layer = {p.canonical_key: p for p in children if not p.is_over}
    return list(layer.values())


@pytest.fixture(scope="module")
def entries() -> list[bytes]:
    """A database of 5x4 with six discs, in no order."""
    solver, found = Solver(SMALL, table_mb=4), []
    for position in positions_of(SMALL, DISCS):
        if not has_win_at_hand(position):
            score = solver.score(position)
            value = 0
            if score:
                value = 100 - plies_to_end(position, score)
            found.append(code(position, value if score > 0 else -value))
    random.Random(1).shuffle(found)
    return found


@pytest.fixture
def database(entries: list[bytes], tmp_path: Path) -> Path:
    path = tmp_path / "small.dat"
    path.write_bytes(b"".join(entries))
    return path


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return build_book(tmp_path_factory.mktemp("book") / "a.book", SMALL, DISCS, table_mb=4)


def imported(database: Path, out: Path, **more: Any) -> Book:
    result = import_database(database, out, geometry=SMALL, plies=DISCS, table_mb=1, **more)
    return result.book.unpack()


def test_a_small_database_becomes_the_book_that_is_built(
    database: Path, right: Book, entries: list[bytes], tmp_path: Path
) -> None:
    out, output = tmp_path / "deep.book", []
    result = import_database(
        database, out, geometry=SMALL, plies=DISCS, sample=20, table_mb=1,
        on_progress=lambda *step: output.append(step),
    )  # fmt: skip
    assert content(result.book.unpack()) == content(right)
    assert (result.given, result.given + result.completed) == (len(entries), len(right.keys[-1]))
    assert (result.compared, result.solved) == (0, 20)
    assert load_book(out).source == "bitbully-databases by Markus Thill (MIT license), small.dat"
    assert [step[0] for step in output[-2:]] == ["scores solved again", "writing"]
    backed = [step[1:] for step in output if step[0] == "scores of ply"]
    assert backed == [(done, DISCS) for done in range(1, DISCS + 1)]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["deep.book", "small.dat"]
    again = tmp_path / "again.book"
    imported(database, again, sample=10_000, on_progress=lambda *step: output.append(step))
    assert output[-2] == ("scores solved again", len(entries), len(entries))
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda e: e[:0], "its 0 bytes are not a multiple of 4 bytes"),
        (lambda e: [*e, b"x"], "bytes are not a multiple of 4 bytes"),
        (lambda e: e[1:], r"is incomplete: of .* expected positions 1 are missing, and 0 others"),
        (lambda e: [*e, e[3]], "is corrupt: it has a position twice"),
        (
            lambda e: [b"\xff\xff\xff\x00", *e[1:]],
            "is corrupt or not .*: entry 1 is invalid",
        ),
        (lambda e: [e[0], e[1][:-1] + b"\x63", *e[2:]], "is wrong|entry 2 is invalid"),
        (lambda e: [e[0], e[1][:-1] + b"\x80", *e[2:]], "entry 2 is invalid"),
        (lambda e: [e[0][:2] + b"\x01" + e[0][3:], *e[1:]], "entry 1 is invalid"),
    ],
)
def test_databases_that_are_not_whole_are_refused(
    damage, sentence: str, entries: list[bytes], tmp_path: Path
) -> None:
    path, out = tmp_path / "damaged.dat", tmp_path / "deep.book"
    path.write_bytes(b"".join(damage(entries)))
    with pytest.raises(InvalidBook, match=sentence) as refused:
        imported(path, out, sample=10_000)
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)
    assert not out.exists()


#: The first column full, two discs in the second, three discs a side, as `code` says.
BOARD = "101110110" + "10110" + "000"


def small_entry(board: str, value: int) -> bytes:
    return int(board.ljust(24, "0"), 2).to_bytes(3, "big") + struct.pack("b", value)


@pytest.mark.parametrize(("value", "score"), [(0, 0), (99, 7), (-98, -7), (87, 1), (-86, -1)])
def test_entries_become_scores(value: int, score: int, tmp_path: Path) -> None:
    """Six of twenty cells are taken: a win comes with disc 7, 9, .. 19, a loss with 8 .. 20."""
    path = tmp_path / "one.dat"
    path.write_bytes(small_entry(BOARD, value))
    assert read_database(path, SMALL, DISCS)[1].tolist() == [score]


@pytest.mark.parametrize(
    ("board", "value"),
    [
        ("101110111" + "10110" + "000", 0),  # a full column that is not closed
        ("101110110" + "10100" + "000", 0),  # four discs and two
        ("101110110" + "1011110" + "000", 0),  # three discs and four
        (BOARD + "1", 0),  # more than the columns there are
        (BOARD, 85),  # a win with disc 21
        (BOARD, -84),  # a loss with disc 22
        (BOARD, 98),  # a win with the other's disc
        (BOARD, -99),  # a loss with one's own
        (BOARD, 100),  # a win in no plies
    ],
)
def test_entries_that_cannot_be_are_counted_from_the_first(
    board: str, value: int, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.dat"
    path.write_bytes(small_entry(BOARD, 0) * 20_000 + small_entry(board, value))
    with pytest.raises(InvalidBook, match=r"with 6 discs: entry 20,001 is invalid"):
        read_database(path, SMALL, DISCS)


def test_imported_scores_equal_the_bundled_book(tmp_path: Path) -> None:
    """No side can win immediately after four plies of 7x6, so a database holds all positions."""
    ours, path, out = shipped_book(Geometry()), tmp_path / "four.dat", tmp_path / "deep.book"
    assert ours is not None
    values = {}
    for position in positions_of(Geometry(), 4):
        score = ours.look_up(position)
        assert score is not None
        away = 100 - plies_to_end(position, score)
        values[position] = 0 if score == 0 else away if score > 0 else -away
    path.write_bytes(b"".join(code(*entry) for entry in values.items()))
    result = import_database(path, out, plies=4, sample=0, table_mb=1)
    assert (result.given, result.compared) == (568, 1 + 4 + 25 + 121 + 568)
    out.unlink()
    drawn = next(position for position, value in values.items() if value == 0)
    values[drawn] = 100 - 37
    path.write_bytes(b"".join(code(*entry) for entry in values.items()))
    with pytest.raises(
        InvalidBook, match=r"four\.dat is wrong: \d+ scores of ply \d that follow from it"
    ):
        import_database(path, out, plies=4, sample=0, table_mb=1)
    assert not out.exists()


def test_an_unwritable_target_is_refused_before_reading(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="cannot be written"):
        imported(tmp_path / "none.dat", tmp_path / "no" / "deep.book")


def test_a_wrong_score_is_found_by_solving(entries: list[bytes], tmp_path: Path) -> None:
    path, out = tmp_path / "wrong.dat", tmp_path / "deep.book"
    wrong = next(n for n, entry in enumerate(entries) if entry[-1] == 0)
    path.write_bytes(
        b"".join(
            [
                *entries[:wrong],
                entries[wrong][:-1] + struct.pack("b", 100 - 13),
                *entries[wrong + 1 :],
            ]
        )
    )
    with pytest.raises(
        InvalidBook, match=r"is wrong: its score of the position with key \d+ is \d+, but"
    ):
        imported(path, out, sample=10_000)
    assert not out.exists()


def test_the_sample_that_is_solved_is_drawn_by_its_seed(
    entries: list[bytes], tmp_path: Path
) -> None:
    """In a database without a right score the first position drawn is reported."""
    path = tmp_path / "wrong.dat"
    path.write_bytes(b"".join(e[:-1] + (b"\0" if e[-1] else bytes([87])) for e in entries))

    def output(seed: int) -> str:
        with pytest.raises(InvalidBook, match="of the position with key") as refused:
            imported(path, tmp_path / "deep.book", sample=1, seed=seed)
        return str(refused.value)

    assert output(1) == output(1) != output(2)


def test_a_database_of_another_board_is_refused(database: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidBook, match=r"not a database of 7x6 connect 4 with 12 discs"):
        import_database(database, tmp_path / "deep.book")
    with pytest.raises(InvalidBook, match=r"none\.dat cannot be read: No such file"):
        read_database(tmp_path / "none.dat")


def test_an_interrupted_import_leaves_no_file(database: Path, tmp_path: Path) -> None:
    def end(what: str, done: int, total: int) -> None:
        if what == "writing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        imported(database, tmp_path / "deep.book", sample=5, on_progress=end)
    assert [p.name for p in tmp_path.iterdir()] == ["small.dat"]


@pytest.fixture(scope="module")
def real() -> tuple[Keys, Scores]:
    """The entries of the package's own database."""
    pytest.importorskip("bitbully_databases", reason="needs the extra deep-book")
    path = database_path()
    assert describe_source(path).startswith("bitbully-databases 0.")
    return read_database(path)


def test_the_database_of_the_package_is_read_right(real: tuple[Keys, Scores]) -> None:
    keys, scores = real
    assert len(keys) == 4_200_899
    solver = Solver(table_mb=16, book=None)
    count = 0
    for position in random_positions(GEOMETRY, 150, seed=4, ongoing=True):
        if position.ply == PLIES and not has_win_at_hand(position):
            place = int(keys.searchsorted(position.canonical_key))
            assert keys[place] == position.canonical_key
            assert scores[place] == solver.score(position)
            count += 1
    assert count


def test_shipped_scores_follow_from_the_database_of_the_package(real: tuple[Keys, Scores]) -> None:
    """A part of the import: all positions three plies below a sample of positions of ply 9.

    The whole takes some twenty seconds. The shipped book was searched, without that database.
    """
    known, scores_of_file = real
    book = shipped_book(GEOMETRY)
    assert book is not None and book.plies == 9
    above = np.sort(np.random.default_rng(5).choice(book.keys[9], 1000, replace=False))
    plies = [above]
    while len(plies) <= PLIES - book.plies:
        mine, mask = discs_of_keys(plies[-1], GEOMETRY)
        after = [
            canonical_keys((theirs + mask)[~has_line(theirs ^ mask, GEOMETRY)], GEOMETRY)
            for _, theirs, mask in moves(mine, mask, GEOMETRY)
        ]
        plies.append(np.unique(np.concatenate(after)))
    below = plies.pop()
    here = np.isin(known, below)
    scores = add_wins(below, known[here], scores_of_file[here], GEOMETRY, database_path())
    assert 0 < here.sum() < len(below)
    while plies:
        scores, below = back_up_scores(plies[-1], below, scores, GEOMETRY), plies.pop()
    assert scores.tolist() == book.scores[9][np.searchsorted(book.keys[9], above)].tolist()


def test_the_command_line_imports_and_reports(
    run: Run, database: Path, right: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = partial(import_database, geometry=SMALL, plies=DISCS)
    monkeypatch.setattr("claimeven.cli.book.import_database", small)
    monkeypatch.setenv("CLAIMEVEN_BOOK_DIR", str(tmp_path / "books"))
    words = ("book", "import", str(database), "--from", "bitbully-databases", "--table-mb", "1")
    ran = run(*words, "--sample", "7")
    result = tmp_path / "books" / "7x6.book"
    assert ran.status == 0
    assert content(load_book(result).unpack()) == content(right)
    said = " ".join(ran.out.split())
    assert f"{result}: {SMALL}, plies 0 to {DISCS}, {len(right):,} positions" in said
    assert "0 agree with the bundled book, 7 with the solver" in said
    assert said.endswith("This is now the default book.")
    other = tmp_path / "other.book"
    output = json.loads(run(*words, "--out", str(other), "--sample", "0", "--json").out)
    info = json.loads(run("book", "info", str(other), "--json").out)
    assert {name: output[name] for name in info} == info
    assert (output["rows"], output["bytes"]) == (SMALL.rows, other.stat().st_size)
    assert output["given"] + output["completed"] == len(right.keys[-1])
    assert (output["compared"], output["solved"]) == (0, 0)
    again = run(*words, "--out", str(tmp_path / "third.book"), "--sample", "0")
    assert "from now on" not in again.out
