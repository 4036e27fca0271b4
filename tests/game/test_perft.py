"""Counts of games and positions against published ones, the oracle, and each other."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

from claimeven import ClaimevenError, Geometry, InvalidGeometry, Position
from claimeven.compiled import MAX_BITS
from claimeven.game.perft import distinct, distinct_discs, distinct_totals, perft
from claimeven.game.perft_kernel import count_sequences, discs_of_keys, layers
from tests import naive
from tests.positions import BOARDS, WIDE, random_position, random_positions

#: Move sequences of 0..9 plies on 7x6 and distinct positions (OEIS A212693).
SEQUENCES = (1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572)
POSITIONS = (1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186)

#: Distinct positions of all plies on whole boards, connect 4 (Boeck 2025), by columns and rows.
TOTALS = {
    (4, 4): 161_029,
    (5, 4): 3_945_711,
    (4, 5): 1_706_255,
    (4, 3): 12_031,
    (5, 3): 158_911,
    (6, 3): 2_087_325,
    (3, 4): 6_000,
    (3, 5): 38_310,
}


def test_published_sequences() -> None:
    assert tuple(perft(Position(), depth) for depth in range(10)) == SEQUENCES


def test_published_positions() -> None:
    assert distinct(Position(), 9) == POSITIONS


@pytest.mark.parametrize(("columns", "rows"), TOTALS)
def test_published_totals(columns: int, rows: int) -> None:
    by_ply = distinct_totals(Geometry(columns, rows))
    assert len(by_ply) == columns * rows + 1
    assert sum(by_ply) == TOTALS[columns, rows]


@pytest.mark.parametrize(("depth", "published"), [(7, 728), (8, 1892)])
def test_published_finished_games(depth: int, published: int) -> None:
    mine, mask = distinct_discs(Position(), depth)
    assert len(mine) == POSITIONS[depth]
    theirs, has_lines = mine ^ mask, np.zeros(len(mine), dtype=bool)
    for step in map(np.uint64, Geometry().steps):
        pairs = theirs & (theirs >> step)
        has_lines |= (pairs & (pairs >> (step + step))) != 0
    assert np.count_nonzero(has_lines) == published


@pytest.mark.core
@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_backends_and_the_oracle_agree(geometry: Geometry) -> None:
    rng = random.Random(geometry.bits)
    is_compiled = geometry.bits <= MAX_BITS
    backends = ("auto", "compiled", "python") if is_compiled else ("auto", "python")
    for _ in range(4):
        position = random_position(rng, geometry)
        game = naive.Game(geometry.columns, geometry.rows, geometry.connect)
        for player, discs in enumerate(position.discs):
            for column, row in geometry.cells_of(discs):
                game.grid[column][row] = player
        game.player = position.turn
        depth = 2 if geometry.columns > 8 else 3
        layers = tuple(len(layer) for layer in naive.positions_by_ply(game, depth))
        for backend in backends:
            assert distinct(position, depth, backend) == layers
            for plies in range(depth + 1):
                expected = naive.count_sequences(game, plies)
                assert perft(position, plies, backend) == expected


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 3, 2), (2, 5, 4)])
def test_whole_small_boards(size: tuple[int, int, int]) -> None:
    geometry = Geometry(*size)
    assert distinct_totals(geometry) == distinct_totals(geometry, backend="python")
    for depth in range(geometry.cells + 2):
        expected = perft(Position(geometry), depth, "python")
        assert perft(Position(geometry), depth) == expected
    assert expected == 0


def test_sequences_counted_in_parts() -> None:
    assert count_sequences(Position(), 7, at_once=2) == SEQUENCES[7]
    # Many games on a small board end before the last part.
    expected = naive.count_sequences(naive.Game(4, 3, 3), 8)
    assert count_sequences(Position(Geometry(4, 3, 3)), 8, at_once=2) == expected


def test_layers_made_in_chunks() -> None:
    for whole, chunked in zip(layers(Position(), 6), layers(Position(), 6, chunk=100), strict=True):
        assert np.array_equal(whole, chunked)


@pytest.mark.core
def test_discs_of_positions() -> None:
    geometry = Geometry(8, 7)
    start = Position.from_moves("88", geometry)
    mine, mask = distinct_discs(start, 2)
    assert mine.dtype == mask.dtype == np.uint64
    found = [Position(geometry, a, b) for a, b in zip(mine, mask, strict=True)]
    assert set(found) == {start.play(a).play(b) for a in range(8) for b in range(8)}
    assert [p.key for p in found] == sorted(p.key for p in found)


def test_discs_of_positions_of_a_wide_board() -> None:
    geometry = Geometry(9, 7)
    start = Position.from_moves("19", geometry)
    found = [Position(geometry, *words) for words in zip(*distinct_discs(start, 2), strict=True)]
    assert set(found) == {start.play(a).play(b) for a in range(9) for b in range(9)}
    assert [p.key for p in found] == sorted(p.key for p in found)


@pytest.mark.core
def test_discs_of_tall_columns() -> None:
    """Of every height, and one of a disc with a line of eight on it."""
    geometry = Geometry(2, 16, 8)
    found = (
        *Position.replay("1" * 16 + "2" * 16, geometry),
        Position.from_moves("21" + "12" * 7 + "1", geometry),
    )
    assert found[-1].is_over
    keys = np.array([position.key for position in found], dtype=np.uint64)
    mine, mask = discs_of_keys(keys, geometry)
    assert mine.tolist() == [position.mine for position in found]
    assert mask.tolist() == [position.mask for position in found]


@pytest.mark.parametrize("geometry", WIDE, ids=str)
def test_boards_of_up_to_128_bits(geometry: Geometry) -> None:
    for position in random_positions(geometry, 4, seed=3):
        for depth in range(4 if geometry.columns < 10 else 3):
            assert perft(position, depth) == perft(position, depth, "python")
            assert distinct(position, depth) == distinct(position, depth, "python")
    keys = list(layers(Position(geometry), 3, chunk=20))[-1]
    assert [*keys] == sorted({*keys})


def test_wide_words_count_the_same(wide_words: None) -> None:
    assert tuple(perft(Position(), depth) for depth in range(8)) == SEQUENCES[:8]
    assert distinct(Position(), 7) == POSITIONS[:8]


def test_bad_arguments() -> None:
    for depth in (2.0, True, None, "3"):
        with pytest.raises(ClaimevenError, match="depth must be a whole number, got"):
            perft(Position(), depth)  # type: ignore[arg-type]  # bad on purpose
    for count in (perft, distinct, distinct_discs):
        with pytest.raises(ClaimevenError, match=r"position must be a Position, got '44'"):
            count("44", 2)  # type: ignore[operator]  # bad on purpose
    with pytest.raises(ClaimevenError, match="depth must be 0 or more, got -1"):
        perft(Position(), -1)
    with pytest.raises(ClaimevenError, match="there is no backend 'gpu': choose from auto"):
        distinct(Position(), 2, "gpu")
    large = Position(Geometry(13, 9))
    for refused in (lambda: perft(large, 2, "compiled"), lambda: distinct_discs(large, 2)):
        with pytest.raises(InvalidGeometry, match="<= 128 bits; 13x9 connect 4 takes 130"):
            refused()


def test_the_rules_import_without_numba() -> None:
    code = (
        "import sys, claimeven; from claimeven.game import drawing, perft, svg;"
        "str(claimeven.Position()); perft.perft(claimeven.Position(), 2, 'python');"
        "sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
