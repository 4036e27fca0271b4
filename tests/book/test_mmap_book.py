"""Books that are looked up in their file: their entries, and untrusted files."""

from __future__ import annotations

import copy
import hashlib
import pickle
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position, Solver
from claimeven.book import Book, InvalidBook, MappedBook, load_book
from claimeven.book.build import build_book
from claimeven.book.mmap_book import BLOCK, write_mapped
from claimeven.solver.protocols import MISSING
from tests.book.conftest import content
from tests.positions import random_positions

SMALL = Geometry(5, 4)
PLIES = 6


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return build_book(tmp_path_factory.mktemp("book") / "a.book", SMALL, PLIES, table_mb=4)


@pytest.fixture
def path(book: Book, tmp_path: Path) -> Path:
    path = tmp_path / "deep.book"
    write_mapped(path, book, "a test of 2024, é")
    return path


def test_it_answers_as_the_book_it_was_made_of(book: Book, path: Path) -> None:
    mapped = load_book(path)
    assert isinstance(mapped, MappedBook)
    assert (mapped.geometry, mapped.plies, len(mapped)) == (SMALL, PLIES, len(book))
    assert (mapped.positions, mapped.source) == (book.positions, "a test of 2024, é")
    positions = list(random_positions(SMALL, 400, seed=6))
    found = [mapped.look_up(position) for position in positions]
    assert found == [book.look_up(position) for position in positions]
    assert sum(score is not None for score in found) > 100
    keys = np.array([position.key for position in positions], dtype=np.uint64)
    plies = np.array([position.ply for position in positions])
    many = mapped.look_up_many(keys, plies).tolist()
    assert many == [MISSING if score is None else score for score in found]
    assert content(mapped.unpack()) == content(book)


def test_a_solver_asks_it(path: Path) -> None:
    solver, plain = (Solver(SMALL, table_mb=1, book=which) for which in (path, None))
    for position in random_positions(SMALL, 60, seed=2, ongoing=True):
        assert solver.scores(position) == plain.scores(position)
        if position.ply < PLIES:
            assert solver.score(position) == plain.score(position)
    assert solver.statistics.book_hits > 60


def test_a_copy_opens_the_same_file_from_any_folder(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    book = load_book(path.name)
    monkeypatch.chdir("/")
    copied = pickle.loads(pickle.dumps(book))
    assert copied.look_up(Position(SMALL)) == book.look_up(Position(SMALL))


def test_a_copy_within_a_process_is_the_same_book(path: Path) -> None:
    book = load_book(path)
    assert copy.deepcopy([book])[0] is book


def test_a_position_that_no_game_leads_to_is_not_held(path: Path) -> None:
    upside_down = Position(SMALL, mine=2, mask=3)
    assert load_book(path).look_up(upside_down) is None


def test_every_damaged_byte_is_noticed_by_a_look_at_all(book: Book, path: Path) -> None:
    data, rng = path.read_bytes(), random.Random(1)
    last_zero = data.rindex(bytes(30)) + 30
    for place in [*range(70), *rng.sample(range(70, len(data)), 100), last_zero, len(data) - 1]:
        corrupt = bytearray(data)
        corrupt[place] ^= 1 << rng.randrange(8)
        path.unlink()
        path.write_bytes(bytes(corrupt))
        with pytest.raises(InvalidBook, match=r"deep\.book (is|has|cannot be)"):
            found = load_book(path)
            found.unpack()


@pytest.mark.parametrize(
    ("place", "new", "message"),
    [
        (8, b"\x03\0", "must have version 2 of the book format, got 3"),
        (14, b"\xff\xff", "it ends within its head|checksum is wrong"),
        (32, b"\xff" * 8, "it claims more positions than a book can have"),
        (32, b"\2", "does not have all positions of ply 0"),
        (32 + 8 * (PLIES + 1), b"\n", "its source is not text"),
        (32 + 8 * (PLIES + 1), b"\xff", "its source is not text"),
    ],
)
def test_heads_that_cannot_be_are_refused(path: Path, place: int, new: bytes, message: str) -> None:
    """The head was changed and its checksum fits again."""
    data = bytearray(path.read_bytes())
    data[place : place + len(new)] = new
    data[16:32] = hashlib.blake2b(data[:16] + data[32:4096], digest_size=16).digest()
    path.unlink()
    path.write_bytes(data)
    with pytest.raises(InvalidBook, match=message):
        MappedBook(path).unpack()


def test_a_file_cut_short_or_too_long_is_refused(path: Path) -> None:
    data = path.read_bytes()
    for size in [*range(60), 4000, len(data) // 2, len(data) - 1]:
        path.unlink()
        path.write_bytes(data[:size])
        with pytest.raises(InvalidBook, match=r"not an opening book|cut short"):
            load_book(path)
    path.unlink()
    path.write_bytes(data + b"\0")
    with pytest.raises(InvalidBook, match=r"too long: it must have [0-9,]+ bytes"):
        load_book(path)


def test_a_corrupt_block_of_an_open_book_is_reported_on_access(tmp_path: Path) -> None:
    """Blocks are looked at when they are asked for: others stay unread."""
    rows = Geometry(6, 5)
    keys = tuple(np.zeros(int(ply == 0), dtype=np.uint64) for ply in range(12))
    scores = tuple(np.zeros(len(layer), dtype=np.int8) for layer in keys)
    path = tmp_path / "large.book"
    write_mapped(path, Book(rows, keys, scores), "")
    data = bytearray(path.read_bytes())
    assert len(data) > 2 * BLOCK
    data[-1] ^= 1
    path.unlink()
    path.write_bytes(data)
    book = load_book(path)
    assert isinstance(book, MappedBook)
    assert book.look_up(Position(rows)) == 0
    late = Position.from_moves("11111666664", rows)  # its heights come last of those with a block
    with pytest.raises(InvalidBook, match=r"the checksum of block \d+ is wrong"):
        book.look_up(late)
    keys = np.array([0, late.key], dtype=np.uint64)
    with pytest.raises(InvalidBook, match=r"the checksum of block \d+ is wrong"):
        book.look_up_many(keys, np.array([0, late.ply]))
    with pytest.raises(InvalidBook, match=r"the checksum of block \d+ is wrong"):
        book.check()


@pytest.mark.parametrize("score", [99, 11, -11])
def test_scores_that_no_position_has_are_refused(tmp_path: Path, score: int) -> None:
    path = tmp_path / "wrong.book"
    keys, scores = np.zeros(1, dtype=np.uint64), np.full(1, score, dtype=np.int8)
    write_mapped(path, Book(SMALL, (keys,), (scores,)), "")
    with pytest.raises(InvalidBook, match="its scores must be -10 to 10"):
        load_book(path).look_up(Position(SMALL))


def test_a_book_that_lacks_positions_is_reported(book: Book, tmp_path: Path) -> None:
    path = tmp_path / "lacking.book"
    fewer = Book(
        SMALL, (*book.keys[:-1], book.keys[-1][1:]), (*book.scores[:-1], book.scores[-1][1:])
    )
    write_mapped(path, fewer, "")
    with pytest.raises(InvalidBook, match=f"does not have all positions of ply {PLIES}"):
        load_book(path).unpack()


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("a\u00a0b\udcff\n.dat", "a b? .dat"),
        ("a" + "\u00e4" * 1000, "a" + "\u00e4" * 499),
        ("", ""),
    ],
)
def test_a_book_with_any_source_name_is_read_again(
    book: Book, tmp_path: Path, source: str, output: str
) -> None:
    path = tmp_path / "own.book"
    write_mapped(path, book, source)
    read = load_book(path)
    assert isinstance(read, MappedBook)
    assert read.source == output


@pytest.mark.skipif(sys.platform == "win32", reason="no such devices")
def test_devices_and_folders_are_no_books(tmp_path: Path) -> None:
    with pytest.raises(InvalidBook, match=r"/dev/zero is not an opening book"):
        load_book("/dev/zero")
    with pytest.raises(InvalidBook, match="cannot be read: Is a directory"):
        load_book(tmp_path)
