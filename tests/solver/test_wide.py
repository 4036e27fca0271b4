"""The search in words of 128 bits: as in 64 bits, and exact on boards of 65 to 128 bits."""

from __future__ import annotations

import random
import signal
import threading

import numpy as np
import pytest

from claimeven import Geometry, Position, explain
from claimeven.compiled import Int, Ints, Word, Words, boolean, for_bits, int64, uint64, void
from claimeven.compiled import kernel as compiled
from claimeven.compiled.decorators import PLAIN
from claimeven.compiled.wide import Wide, WideWords, words
from claimeven.game.bitboard import playable_cells, winning_cells
from claimeven.solver import InvalidSolve, SearchStopped, Solver, kernel, layout
from claimeven.solver.queries import as_boards
from claimeven.solver.search import ExactSearch
from claimeven.solver.textbook import TextbookSolver
from claimeven.solver.transposition_table import (
    high_bound,
    look_up,
    low_bound,
    smallest_bucket_bits,
    store,
    unpack,
)
from tests import naive
from tests.agents.support import decided
from tests.pressing import pressed_as_usual
from tests.solver.exhaustive import CHECKS, Everything
from tests.solver.plain import as_arrays

pytestmark = pytest.mark.skipif(PLAIN, reason="Python has no words of 128 bits")

#: Even and odd heights, several lengths of a line, 65 to 128 bits.
WIDE = ((9, 7, 4), (8, 8, 4), (10, 7, 4), (13, 4, 4), (16, 7, 5))
_LOW = (1 << 64) - 1


def late_positions(geometry: Geometry, empty: int, count: int) -> list[Position]:
    """Return random positions with `empty` empty cells, without a win at hand."""
    rng = random.Random(str(geometry))
    found: list[Position] = []
    while len(found) < count:
        position = Position(geometry)
        columns = quiet_columns(position)
        while columns and geometry.cells - position.ply > empty:
            position = position.play(rng.choice(columns))
            columns = quiet_columns(position)
        if columns == list(position.legal_columns) and geometry.cells - position.ply == empty:
            found.append(position)
    return found


def quiet_columns(position: Position) -> list[int]:
    """Return the columns that complete no line."""
    wins = winning_cells(position.mine, position.mask, position.geometry)
    playable = playable_cells(position.mask, position.geometry)
    masks = map(position.geometry.column_mask, position.legal_columns)
    return [
        c
        for c, cells in zip(position.legal_columns, masks, strict=True)
        if not wins & playable & cells
    ]


def oracle_score(position: Position) -> int:
    geometry = position.geometry
    game = naive.Game(geometry.columns, geometry.rows, geometry.connect)
    for column in range(geometry.columns):
        for row in range(geometry.rows):
            bit = 1 << geometry.bit(column, row)
            if position.mask & bit:
                game.grid[column][row] = position.turn ^ (not position.mine & bit)
    game.player = position.turn
    return naive.score(game)


@pytest.mark.parametrize("size", [(4, 4, 3), (8, 1, 3), (3, 4, 4), (4, 4, 4), (3, 5, 5)], ids=str)
def test_every_position_of_small_boards(size: tuple[int, int, int], wide_words: None) -> None:
    mines, masks, expected = as_arrays(*size)
    search = ExactSearch(Geometry(*size), table_mb=1)
    assert search.entries.itemsize == 16
    scores, nodes = search.score_many(mines, masks)
    np.testing.assert_array_equal(scores, expected)
    assert nodes.sum() == search.nodes > 0


@pytest.mark.parametrize("size", [(4, 4, 3), (7, 6, 4), (8, 7, 4), (6, 6, 5)], ids=str)
def test_wide_words_change_no_score_and_no_node(
    size: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    from claimeven.compiled import types

    geometry = Geometry(*size)
    narrow = Solver(geometry, table_mb=8, book=None)
    monkeypatch.setattr(types, "narrow_bits", 0)
    other = Solver(geometry, table_mb=16, book=None)
    for position in late_positions(geometry, min(22, geometry.cells - 2), 4):
        assert other.score(position) == narrow.score(position)
        assert other.scores(position) == narrow.scores(position)
        assert other.best(position) == narrow.best(position)
        assert other.statistics.nodes == narrow.statistics.nodes
    assert narrow.statistics.nodes > 100


@pytest.mark.parametrize("size", WIDE, ids=str)
def test_node_for_node_with_the_textbook(size: tuple[int, int, int]) -> None:
    geometry = Geometry(*size)
    bits = max(5, smallest_bucket_bits(geometry))
    search = ExactSearch(geometry, table_mb=2 * 16 * 2**bits / 2**20)
    assert search.bucket_bits == bits
    readable, probe = TextbookSolver(geometry, bits), ExactSearch(geometry, table_mb=1)
    for position in late_positions(geometry, 22, 20):
        mine, mask = position.mine, position.mask
        try:
            probe.score(mine, mask, nodes=600)
        except SearchStopped:
            continue
        assert search.score(mine, mask) == readable.solve(mine, mask, -99, 99)
        assert search.nodes == readable.nodes
    assert search.nodes > 100
    filled = {place: entry for place, entry in enumerate(readable.entries) if entry}
    assert filled
    for place, entry in filled.items():
        seal = (entry & _LOW) * 0x9E3779B97F4A7C15 & _LOW
        assert search.entries[place] == entry ^ seal << 64


@pytest.mark.parametrize("size", WIDE, ids=str)
def test_late_positions_have_the_scores_of_the_oracle(size: tuple[int, int, int]) -> None:
    geometry = Geometry(*size)
    solver = Solver(geometry, book=None, table_mb=1)
    positions = late_positions(geometry, 8, 12)
    expected = [oracle_score(position) for position in positions]
    assert len(set(expected)) > 2 or size == (13, 4, 4)
    assert [solver.score(position) for position in positions] == expected
    assert solver.score_many(positions).tolist() == expected
    for position in positions[:4]:
        below = [
            -oracle_score(position.play(column)) if column in position.legal_columns else None
            for column in range(geometry.columns)
        ]
        assert list(solver.scores(position)) == below
        assert solver.scores_many([position]).tolist() == [
            [-128 if score is None else score for score in below]
        ]
        best = solver.best(position)
        assert set(best.columns) == {c for c, score in enumerate(below) if score == best.score}


def test_the_proofs_hold_in_wide_words(wide_words: None) -> None:
    board = Everything(4, 4, 3)
    assert min(check(board) for check in CHECKS) > 500


@compiled(void(uint64[::1], uint64, int64, int64, int64[::1]))
def _store_and_find(entries: Words, rest: Word, low: Int, high: Int, found: Ints) -> None:
    store(entries, np.uint64(0), rest, low, True, np.uint64(5))
    store(entries, np.uint64(0), rest, high, False, np.uint64(3))
    entry = look_up(entries, np.uint64(0), rest)
    found[0], found[1] = low_bound(entry), high_bound(entry)


@compiled(boolean(uint64[::1], uint64))
def _is_stored(entries: Words, rest: Word) -> bool:
    return bool(look_up(entries, np.uint64(0), rest))


@pytest.mark.parametrize("rest", [0, 1, 5 << 43, 1 << 106, (1 << 107) - 1])
def test_wide_entries(rest: int) -> None:
    entries, found = words(2, 128), np.zeros(2, dtype=np.int64)
    for_bits(_store_and_find, 128)(entries, Wide(rest), -60, 60, found)
    assert found.tolist() == [-60, 60]
    assert entries[1] == 0
    seal = (entries[0] & _LOW) * 0x9E3779B97F4A7C15 & _LOW
    assert unpack(entries[0] ^ seal << 64, 7) == (rest, -60, 60, 3)


def test_an_entry_with_halves_of_two_is_not_read() -> None:
    one, other = words(2, 128), words(2, 128)
    rests = 12345 << 60 | 7, 12345 << 60 | 8
    for entries, rest in zip((one, other), rests, strict=True):
        for_bits(_store_and_find, 128)(entries, Wide(rest), 0, 1, np.zeros(2, dtype=np.int64))
    mixed = words(2, 128)
    mixed[0] = one[0] & _LOW | other[0] & ~_LOW
    is_stored = for_bits(_is_stored, 128)
    assert is_stored(one, Wide(rests[0])) and is_stored(other, Wide(rests[1]))
    assert not any(is_stored(mixed, Wide(rest)) for rest in rests)


def test_scores_beyond_31() -> None:
    """A win with the fourth disc of a side is 50 on 105 cells."""
    geometry = Geometry(15, 7)
    bits = smallest_bucket_bits(geometry)
    search, readable = ExactSearch(geometry, table_mb=1), TextbookSolver(geometry, bits)
    for moves, score in (("aabbcc", 50), ("bbcc", 50), ("bbccd", -50)):
        position = Position.from_moves(moves, geometry)
        assert search.score(position.mine, position.mask) == score, moves
        assert readable.solve(position.mine, position.mask, -99, 99) == score
    assert search.nodes == readable.nodes


@pytest.mark.parametrize(
    ("size", "bits"), [((8, 7), 64), ((13, 4), 65), ((16, 7), 128), ((13, 9), 130)]
)
def test_boundaries(size: tuple[int, int], bits: int) -> None:
    geometry = Geometry(*size, 5)
    assert geometry.bits == bits
    if bits > 128:
        with pytest.raises(InvalidSolve, match=r"\(rows \+ 1\) <= 128 bits; 13x9 connect 5 takes"):
            Solver(geometry)
        return
    solver = Solver(geometry, book=None, table_mb=1)
    for position in late_positions(geometry, 7, 5):
        assert solver.score(position) == oracle_score(position)


def test_arrays_of_wide_positions() -> None:
    geometry = Geometry(9, 7)
    solver = Solver(geometry, book=None, table_mb=1, threads=2)
    positions = late_positions(geometry, 12, 20)
    mirrors = [position.mirror() for position in positions]
    mine, mask = as_boards([*positions, *mirrors], geometry)
    assert isinstance(mine, WideWords)
    integers = [np.array(each.tolist(), dtype=object) for each in (mine, mask)]
    scores = solver.score_many((mine, mask)).tolist()
    assert scores == solver.score_many((integers[0], integers[1])).tolist()
    assert scores[:20] == scores[20:] == [solver.score(position) for position in positions]
    text, negative, large = (integers[0].copy() for _ in range(3))
    text[0], negative[0], large[0] = "5", -1, 1 << 128
    for bad in (text, negative, large, mine[:1], np.zeros(len(mask), dtype=np.uint64)):
        with pytest.raises(InvalidSolve, match="mine and mask must be"):
            solver.score_many((bad, mask))
    with pytest.raises(InvalidSolve, match="entry 0 is not a valid position of 9x7"):
        solver.score_many((mask, mask))


def test_threads_and_limits_on_a_wide_board() -> None:
    geometry = Geometry(9, 7)
    (position,) = late_positions(geometry, 26, 1)
    alone, together = (Solver(geometry, 16, threads, book=None) for threads in (1, 2))
    assert together.scores(position) == alone.scores(position)
    with pytest.raises(SearchStopped) as stopped:
        alone.score(Position(geometry), seconds=0.05)
    assert (stopped.value.low, stopped.value.high) == (-31, 31)
    timer = threading.Timer(0.1, alone.stop)
    timer.start()
    with pytest.raises(SearchStopped):
        alone.score(Position(geometry))
    timer.join()
    assert alone.score(position) == together.score(position)


def test_ctrl_c_on_a_wide_board() -> None:
    solver = Solver(Geometry(9, 7), table_mb=16, book=None)
    solver.load()
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pressed_as_usual(), pytest.raises(KeyboardInterrupt):
        solver.score(Position(solver.geometry))
    timer.join()
    (position,) = late_positions(solver.geometry, 8, 1)
    assert solver.score(position) == oracle_score(position)


def test_a_paused_search_continues_with_the_same_nodes() -> None:
    geometry = Geometry(9, 7)
    (position,) = late_positions(geometry, 24, 1)
    once, paused = (ExactSearch(geometry, table_mb=16) for _ in range(2))
    expected = once.score(position.mine, position.mask)
    worker = paused.workers[0]
    control, shared = worker.control, worker.shared
    control[layout.RESUME] = control[layout.STEP] = 0
    shared[layout.LOW], shared[layout.HIGH] = -99, 99
    result = kernel.PAUSED
    while result == kernel.PAUSED:
        control[layout.BUDGET] = control[layout.NODES] + 3
        result = worker.solve(worker.arrays, position.mine, position.mask, -99, 99)
    assert (result, paused.nodes) == (expected, once.nodes)


def test_explanations_and_agents_on_a_wide_board() -> None:
    geometry = Geometry(9, 7)
    (position,) = late_positions(geometry, 10, 1)
    solver = Solver(geometry, 1, book=None)
    scores = solver.scores(position)
    assert explain(position, solver).score == solver.score(position)
    for name in ("perfect:table_mb=1", "full:table_mb=1"):
        assert scores[decided(name, position).column] == solver.score(position)
