"""Books of boards of 65 to 128 bits: the oracle's positions and scores, files, and limits."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from claimeven import Geometry, Position
from claimeven.book import Book, InvalidBook, MappedBook, load_book, shipped_book_path
from claimeven.book.book import check_plies
from claimeven.book.build import build_book, journal_path, ply_counts, verify_book
from claimeven.book.enumerate import layers
from claimeven.book.mmap_book import write_mapped
from claimeven.book.ranking import PositionRanking
from claimeven.book.text_format import from_text, to_text
from claimeven.compiled.decorators import PLAIN
from claimeven.compiled.wide import WideWords
from claimeven.game.batch import mirrored_keys
from claimeven.solver import Solver
from tests import naive
from tests.cli.conftest import Run, bad_input
from tests.positions import oracle

pytestmark = pytest.mark.skipif(PLAIN, reason="Python has no words of 128 bits")

#: 65, 72 and 128 bits. Openings of larger boards are only solved soon if short lines win.
WIDE = (Geometry(13, 4, 3), Geometry(9, 7, 3), Geometry(16, 7, 3))
PLIES = 2


def win_in(game: naive.Game, plies: int) -> int | None:
    """Return in how many plies the side to move wins, at most `plies`, by trying all moves."""
    for depth in range(1, plies + 1, 2):
        for column in game.open_columns():
            after = game.after(column)
            if naive.winner(after) is not None:
                return 1
            if depth > 1 and not after.over():
                answers = [after.after(answer) for answer in after.open_columns()]
                ends = [
                    None if naive.winner(a) is not None else win_in(a, depth - 2) for a in answers
                ]
                if None not in ends:
                    return depth
    return None


@pytest.fixture(scope="module", params=WIDE, ids=str)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("books") / "wide.book"
    build_book(path, request.param, PLIES, table_mb=1)
    return path


def test_positions_equal_the_oracle(path: Path) -> None:
    book = Book.load(path)
    board = book.geometry
    start = naive.Game(board.columns, board.rows, board.connect)
    for games, keys in zip(naive.positions_by_ply(start, PLIES), book.keys, strict=True):
        grids = {min(game.frozen(), game.frozen()[::-1], key=repr) for game in games.values()}
        assert len(grids) == len(keys)
        assert isinstance(keys, WideWords)
        found = set()
        for key in keys:
            mask = sum(
                ((1 << (part + 1).bit_length() - 1) - 1) << shift
                for shift in range(0, board.bits, board.height)
                for part in [key >> shift & (1 << board.height) - 1]
            )
            grid = oracle(Position(board, key - mask, mask)).frozen()
            found.add(min(grid, grid[::-1], key=repr))
        assert found == grids


def test_scores_equal_the_oracle(path: Path) -> None:
    book = Book.load(path)
    board = book.geometry
    for moves in ("46", "57"):
        position = Position.from_moves(moves, board)
        plies = win_in(oracle(position), 3)
        assert plies == 3
        score = book.look_up(position)
        assert score == (board.cells + 2 - position.ply - plies) // 2
        assert score == book.look_up(position.mirror())
    assert book.look_up(Position.from_moves("123", board)) is None


def test_files_of_both_versions_and_text(path: Path, tmp_path: Path) -> None:
    book = Book.load(path)
    assert Book.from_bytes(book.to_bytes()).to_bytes() == path.read_bytes()
    plain = replace(book, description={}).to_bytes()
    write_mapped(tmp_path / "mapped.book", book, "a test")
    mapped = load_book(tmp_path / "mapped.book")
    assert isinstance(mapped, MappedBook)
    mapped.check()
    assert mapped.unpack().to_bytes() == plain
    assert from_text(to_text(book)).to_bytes() == plain
    solver = Solver(book.geometry, 1, book=tmp_path / "mapped.book")
    numbers = set()
    for ply, (keys, scores) in enumerate(zip(book.keys, book.scores, strict=True)):
        ranks = PositionRanking(book.geometry, PLIES).numbers(keys).tolist()
        for key, rank, score in zip(keys, ranks, scores.tolist(), strict=True):
            position = next(p for p in positions(book.geometry, ply) if p.canonical_key == key)
            image = position.mirror()
            own = PositionRanking(book.geometry, PLIES).number(position.mine, position.mask)
            other = PositionRanking(book.geometry, PLIES).number(image.mine, image.mask)
            assert rank in (own, other)
            assert mapped.look_up(position) == mapped.look_up(image) == score
            assert solver.score(position) == score
            numbers.add(rank)
        assert (mirrored_keys(mirrored_keys(keys, book.geometry), book.geometry) == keys).all()
    assert len(numbers) == len(book)
    assert solver.statistics.nodes == 0


def positions(board: Geometry, ply: int) -> list[Position]:
    found = [Position(board)]
    for _ in range(ply):
        found = [p.play(c) for p in found for c in p.legal_columns]
    return found


def test_verification_and_journals(path: Path) -> None:
    book = Book.load(path)
    assert verify_book(book, table_mb=1, sample=5).is_correct
    assert sum(counts.over for counts in ply_counts(book)) == 0
    journal = journal_path(path)
    heading = f"claimeven book journal: {book.geometry}, ply {PLIES}\n"
    key, score = book.keys[-1][-1], book.scores[-1][-1]
    journal.write_text(f"{heading}{key} {score}\n")
    before = path.read_bytes()
    build_book(path, book.geometry, PLIES, table_mb=1)
    assert path.read_bytes() == before and not journal.exists()
    for bad in (key + 1, 1 << 128, -1):
        journal.write_text(f"{heading}{bad} {score}\n")
        with pytest.raises(InvalidBook, match=r"line 2 of .* is not a result of this build"):
            build_book(path, book.geometry, PLIES, table_mb=1)
    journal.unlink()


def test_corrupt_keys_are_rejected() -> None:
    board = WIDE[0]
    keys = tuple(layer.keys for layer in layers(board, 1))
    scores = tuple((keys_of_ply != 0) * 0 for keys_of_ply in keys)
    for bad in (1 << board.bits, (1 << board.bits) - 1, (1 << board.height) - 1, 0):
        changed = keys[1].copy()
        changed[-1] = bad
        data = Book(board, (keys[0], changed), scores).to_bytes()  # type: ignore[arg-type]
        with pytest.raises(InvalidBook, match=r"do not ascend|a key of ply 1 is not of that ply"):
            Book.from_bytes(data)


def test_forced_wide_words_change_no_byte(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    board = Geometry(4, 4, 3)

    def built(name: str) -> tuple[bytes, bytes, list[str]]:
        book = build_book(tmp_path / name, board, 4, table_mb=1)
        assert isinstance(book.keys[0], WideWords) == (name == "wide")
        write_mapped(tmp_path / "mapped", book, "")
        files = [(tmp_path / each).read_bytes() for each in (name, "mapped")]
        return files[0], files[1], list(to_text(book))

    narrow = built("narrow")
    request.getfixturevalue("wide_words")
    assert built("wide") == narrow
    shipped = shipped_book_path(Geometry())
    assert shipped is not None and Book.load(shipped).to_bytes() == shipped.read_bytes()


def test_limits() -> None:
    check_plies(Geometry(16, 7), 14)
    with pytest.raises(InvalidBook, match=r"a book supports boards of .* <= 128 bits; 13x9 .* 130"):
        check_plies(Geometry(13, 9), 2)
    with pytest.raises(InvalidBook, match="too many ways to spread 14 discs over 16x7"):
        PositionRanking(Geometry(16, 7), 14)


def test_the_command(run: Run, tmp_path: Path) -> None:
    board = ("--columns", "8", "--rows", "8", "--connect", "3")
    out = tmp_path / "a.book"
    assert run("book", "build", "--plies", "2", "--out", str(out), *board).status == 0
    assert json.loads(run("book", "info", str(out), "--json").out)["plies"] == 2
    assert run("book", "verify", str(out)).status == run("book", "counts", str(out)).status == 0
    board = ("--columns", "13", "--rows", "9")
    assert "supports boards of" in bad_input(run("book", "build", "--out", str(out), *board))
