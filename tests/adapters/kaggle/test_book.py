"""The book of moves in exported solvers."""

from __future__ import annotations

import random

import numpy as np
import pytest
from bench.make_submission_book import pack_book

from claimeven import Geometry, Position, Solver
from claimeven.adapters.kaggle.builders import BOOK, packed_book
from claimeven.adapters.kaggle.template.board import Board
from claimeven.adapters.kaggle.template.perfect import MoveBook, unpacked
from claimeven.game.batch import canonical_keys
from claimeven.game.geometry import STANDARD
from claimeven.game.perft_kernel import discs_of_keys

#: Positions of the book that are solved, with at least this number of discs.
CHECKED, DISCS = 40, 14


@pytest.fixture(scope="module")
def moves() -> dict[int, int]:
    return unpacked(BOOK.read_bytes())


def test_every_key_is_a_position_with_a_legal_column(moves: dict[int, int]) -> None:
    keys = np.array(list(moves), dtype=np.uint64)
    assert (canonical_keys(keys, STANDARD) == keys).all()
    mine, mask = discs_of_keys(keys, STANDARD)
    assert (mine + mask == keys).all()
    tops = np.array([STANDARD.bit(column, STANDARD.rows - 1) for column in moves.values()])
    assert not (mask >> tops.astype(np.uint64) & np.uint64(1)).any()


def test_a_sample_keeps_the_exact_score(moves: dict[int, int]) -> None:
    mine, mask = discs_of_keys(np.array(list(moves), dtype=np.uint64), STANDARD)
    late = [n for n in range(len(mask)) if int(mask[n]).bit_count() >= DISCS]
    chosen = random.Random(0).sample(late, CHECKED)
    scores = Solver(table_mb=64).scores_many((mine[chosen], mask[chosen]))
    columns = np.array(list(moves.values()))[chosen]
    assert (scores[np.arange(CHECKED), columns] == scores.max(axis=1)).all()


def test_it_knows_its_own_way_and_mirror_images() -> None:
    book = MoveBook(Board(7, 6, 4), BOOK.read_bytes())
    assert book.find(0, 0) == 3
    rng = random.Random(1)
    for seat in (0, 1):
        for _ in range(20):
            position = Position()
            if seat:
                position = position.play(rng.choice(position.legal_columns))
            while position.ply < 8:  # it holds every one of these
                column = book.find(position.mine, position.mask)
                image = position.mirror()
                assert column is not None
                other = book.find(image.mine, image.mask)
                assert other == 6 - column or position == image
                position = position.play(column)
                if position.is_over:
                    break
                position = position.play(rng.choice(position.legal_columns))


def test_other_boards_have_no_book() -> None:
    assert packed_book(Geometry(6, 7, 4)) == b""
    assert packed_book(STANDARD) == BOOK.read_bytes()
    assert MoveBook(Board(6, 7, 4), BOOK.read_bytes()).find(0, 0) is None


def test_packing_and_unpacking() -> None:
    geometry = Geometry(9, 6, 4)
    moves = {0: 4, 1: 8, 127: 0, 128: 3, 2**59: 7, 2**59 + 1: 5}
    packed = pack_book(moves, geometry)
    assert tuple(packed[:3]) == (9, 6, 4)
    assert unpacked(packed) == moves
    assert unpacked(pack_book({}, geometry)) == {}
