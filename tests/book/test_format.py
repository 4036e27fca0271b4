"""The file of a book: damage, and files made to do harm though their checksum is right."""

from __future__ import annotations

import hashlib
import os
import random
import struct
import sys
import tracemalloc
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from claimeven import Geometry, Position
from claimeven.book import Book, InvalidBook
from claimeven.book.build import build_book, verify_book
from claimeven.book.text_format import to_text
from claimeven.solver.scores import score_range
from tests import naive
from tests.positions import oracle, random_positions

SMALL = Geometry(5, 4)
PLIES = 5


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return build_book(
        tmp_path_factory.mktemp("book") / "a.book", SMALL, PLIES, table_mb=4
    ).to_bytes()


def sealed(header: bytes, body: bytes) -> bytes:
    return header + hashlib.blake2b(header + body, digest_size=16).digest() + body


def resealed(data: bytes, place: int, form: str, *values: int) -> bytes:
    """A book whose header was changed and whose checksum fits again."""
    header = bytearray(data[:24])
    struct.pack_into(form, header, place, *values)
    return sealed(bytes(header), data[40:])


def crafted(
    plies: Sequence[tuple[Sequence[int], Sequence[int]]],
    board: tuple[int, int, int] = (4, 4, 4),
    *,
    counts: Sequence[int] | None = None,
    packed: tuple[bytes, bytes] | None = None,
) -> bytes:
    """A file with a right checksum that holds these keys and scores of each ply."""
    keys = [key for layer, _ in plies for key in layer]
    differences = [(key - before) % 2**64 for before, key in zip([0, *keys], keys, strict=False)]
    planes = bytes(number >> 8 * plane & 255 for plane in range(8) for number in differences)
    scores = struct.pack(f"{len(keys)}b", *(score for _, layer in plies for score in layer))
    parts = packed or (zlib.compress(planes), zlib.compress(scores))
    counts = counts or [len(layer) for layer, _ in plies]
    header = struct.pack(
        "<8sH4BHII", b"\x89C4BOOK\n", 1, *board, len(counts) - 1, 0, len(parts[0]), len(parts[1])
    )
    return sealed(header, struct.pack(f"<{len(counts)}I", *counts) + parts[0] + parts[1])


#: Keys of the two kinds of positions after one disc on 4x4, and scores that may be theirs.
EMPTY = ([0], [0])
ONE_DISC = ([1, 1 << 5], [0, 0])


def test_a_crafted_file_that_is_right_is_read() -> None:
    book = Book.from_bytes(crafted([EMPTY, ONE_DISC]))
    assert book.geometry == Geometry(4, 4)
    assert book.look_up(Position(Geometry(4, 4)).play(2)) == 0
    assert [line.split()[0] for line in list(to_text(book))[2:]] == ["1", "2"]


def test_every_damaged_byte_is_noticed(data: bytes) -> None:
    rng = random.Random(1)
    for place in [*range(70), *rng.sample(range(70, len(data)), 200)]:
        corrupt = bytearray(data)
        corrupt[place] ^= 1 << rng.randrange(8)
        with pytest.raises(InvalidBook, match=r"^b\.book (is|has|cannot be)"):
            Book.from_bytes(bytes(corrupt), "b.book")


def test_a_book_cut_short_or_too_long_is_refused(data: bytes) -> None:
    for size in [*range(60), len(data) // 2, len(data) - 1]:
        with pytest.raises(InvalidBook, match=r"not an opening book|cut short"):
            Book.from_bytes(data[:size])
    with pytest.raises(InvalidBook, match="too long"):
        Book.from_bytes(data + b"\0")


@pytest.mark.parametrize(
    ("place", "form", "value", "message"),
    [
        (8, "<H", 9, "has schema 9, and claimeven .* reads 3 or less: a newer claimeven"),
        (8, "<H", 2, "version 2 of the format has no such header"),
        (10, "B", 0, "for an invalid board: columns must be 1 to 16, got 0"),
        (10, "B", 14, "it does not unpack to the expected size"),
        (10, "B", 1, "the plies of a book of 1x4 connect 4 must be 0 to 3, got 5"),
        (12, "B", 9, "for an invalid board: connect must be 2 to 8, got 9"),
        (13, "B", 4, "too long"),
        (8, "<H", 1, "version 1 of the format has no such header"),
        (14, "<H", 0, "version 3 of the format has no such header"),
        (
            13,
            "B",
            20,
            "cannot be a book: the plies of a book of 5x4 .* must be 0 to 14, got 20",
        ),
        (13, "B", 255, "must be 0 to 14, got 255"),
        (16, "<I", 2**32 - 1, "it claims more positions than a book can have"),
        (20, "<I", 2**32 - 1, "it claims more positions than a book can have"),
    ],
)
def test_headers_that_cannot_be_are_refused(
    data: bytes, place: int, form: str, value: int, message: str
) -> None:
    with pytest.raises(InvalidBook, match=message):
        Book.from_bytes(resealed(data, place, form, value))


def test_more_plies_than_anybody_could_solve() -> None:
    many = [([0], [0])] * 42
    with pytest.raises(InvalidBook, match=r"the plies of a book of 7x6 .* must be 0 to 14, got 41"):
        Book.from_bytes(crafted(many, (7, 6, 4)))


#: A column of 4x4 takes 5 bits: 0b11110 is a column of four own discs, 0b11111 one of five.
@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([1, 1], "its keys of ply 1 do not ascend"),
        ([1 << 5, 1], "its keys of ply 1 do not ascend"),
        ([0, 1], "a key of ply 1 is not of that ply"),  # no disc
        ([1, 3], "a key of ply 1 is not of that ply"),  # two discs
        ([1, 2], "a key of ply 1 is not of that ply"),  # the wrong side's disc
        ([1, 0b11111], "a key of ply 1 is not of that ply"),  # a disc on the sentinel
        ([1, 1 << 20], "a key of ply 1 is not of that ply"),  # a disc off the board
        ([1, 1 + (1 << 20)], "a key of ply 1 is not of that ply"),
        ([1, 2**64 - 1], "a key of ply 1 is not of that ply"),
        ([0b11111 * 0x8421, 2**20 - 1 + 2], "a key of ply 1 is not of that ply"),
    ],
)
def test_keys_that_are_no_positions_are_refused(keys: list[int], message: str) -> None:
    with pytest.raises(InvalidBook, match=message):
        Book.from_bytes(crafted([EMPTY, (keys, [0, 0])]))


def test_a_key_with_a_column_that_is_too_full_is_refused() -> None:
    """Three discs in a column of two, in a key with the right number of discs."""
    keys = [0, 1, 4, 4 + (1 << 3), 4 + (4 << 3), 7 + (6 << 3)]
    plies = [([key], [0]) for key in keys]
    assert Book.from_bytes(crafted(plies[:-1], (3, 2, 2))).plies == 4
    with pytest.raises(InvalidBook, match="a key of ply 5 is not of that ply"):
        Book.from_bytes(crafted(plies, (3, 2, 2)))


@pytest.mark.parametrize("score", [127, 9, 8, -8, -9, -128])
def test_scores_that_no_position_has_are_refused(score: int) -> None:
    message = f"scores of ply 1 must be -7 to .*, got {score}"
    if score == 8:
        assert Book.from_bytes(crafted([EMPTY, (ONE_DISC[0], [0, score])])).scores[1][1] == 8
        return
    with pytest.raises(InvalidBook, match=message):
        Book.from_bytes(crafted([EMPTY, (ONE_DISC[0], [0, score])]))


def test_no_score_of_a_position_is_refused() -> None:
    for geometry in (Geometry(3, 4, 3), Geometry(4, 3, 3)):
        known: dict[object, int] = {}
        for position in random_positions(geometry, 200, seed=1, ongoing=True):
            lowest, highest = score_range(geometry, position.ply)
            assert lowest <= naive.score(oracle(position), known) <= highest


@pytest.mark.parametrize(
    "counts", [(0, 0), (0, 2), (2, 1), (1, 5), (1, 2**32 - 1), (1, 4, 17), (1,) * 5 + (2**31,)]
)
def test_numbers_of_positions_that_cannot_be(counts: tuple[int, ...]) -> None:
    with pytest.raises(InvalidBook, match=r"it claims .* positions of ply"):
        Book.from_bytes(crafted([EMPTY, ONE_DISC], counts=counts))


def test_more_positions_than_fit_the_memory() -> None:
    counts = [16**ply for ply in range(7)]
    counts.append((1 << 26) + 1 - sum(counts))
    with pytest.raises(InvalidBook, match="67108865 positions; a book has 67108864 at most"):
        Book.from_bytes(crafted([EMPTY], (16, 3, 4), counts=counts))


@pytest.mark.parametrize("which", [0, 1])
def test_a_zip_bomb_is_not_unpacked(which: int) -> None:
    """64 MB of zeros take a quarter of a megabyte."""
    bomb = zlib.compress(bytes(1 << 26), 1)
    right = (zlib.compress(bytes(24)), zlib.compress(bytes(3)))
    packed = (bomb, right[1]) if which == 0 else (right[0], bomb)
    file = crafted([EMPTY, ONE_DISC], packed=packed)
    tracemalloc.start()
    with pytest.raises(InvalidBook, match=r"it does not unpack to the expected size|do not ascend"):
        Book.from_bytes(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 << 20


def test_blocks_that_unpack_to_too_little_are_refused() -> None:
    for packed in ((zlib.compress(bytes(23)), zlib.compress(bytes(3))), (b"", b""), (b"x", b"y")):
        with pytest.raises(InvalidBook, match=r"does not unpack to the expected size|cannot be"):
            Book.from_bytes(crafted([EMPTY, ONE_DISC], packed=packed))
    keys, scores = zlib.compress(bytes(24)), zlib.compress(bytes(3))
    for packed in ((keys + b"x", scores), (keys[:-1], scores), (keys, scores[:-1])):
        with pytest.raises(InvalidBook, match="it does not unpack to the expected size"):
            Book.from_bytes(crafted([EMPTY, ONE_DISC], packed=packed))


def test_a_position_that_no_game_leads_to_is_found_out() -> None:
    """The first player's disc on top of the second's, with the first player to move."""
    geometry = Geometry(4, 4)
    upside_down = Position(geometry, mine=2, mask=3)
    book = Book.from_bytes(crafted([EMPTY, ONE_DISC, ([upside_down.key], [0])]))
    with pytest.raises(InvalidBook, match="a position of ply 2 that no game reaches"):
        list(to_text(book))
    assert verify_book(book, table_mb=1).missing


def test_files_that_are_no_books_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with pytest.raises(InvalidBook, match=r"a\.txt cannot be read: No such file"):
        Book.load(path)
    path.write_text("4455 18\n")
    with pytest.raises(InvalidBook, match=r"a\.txt is not an opening book"):
        Book.load(path)
    with pytest.raises(InvalidBook, match="cannot be read: Is a directory"):
        Book.load(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="no such devices, no sparse files")
def test_no_more_of_a_file_is_read_than_a_book_has(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(InvalidBook, match=r"/dev/zero is not an opening book"):
        Book.load("/dev/zero")
    path = tmp_path / "long.book"
    path.write_bytes(data)
    os.truncate(path, 1 << 40)
    with pytest.raises(InvalidBook, match=r"long\.book is too long"):
        Book.load(path)


def test_packed_bytes_follow_the_format() -> None:
    keys = tuple(np.array(layer, dtype=np.uint64) for layer, _ in (EMPTY, ONE_DISC))
    scores = tuple(np.array(layer, dtype=np.int8) for _, layer in (EMPTY, ONE_DISC))
    book = Book(Geometry(4, 4), keys, scores)
    packed, expected = book.to_bytes(), crafted([EMPTY, ONE_DISC])
    assert packed[:16] == expected[:16]
    assert Book.from_bytes(packed).to_bytes() == Book.from_bytes(expected).to_bytes() == packed
