"""The contract of a window test, pausing, tables of any size, threads."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.solver import kernel, layout
from claimeven.solver.errors import InvalidSolve, SearchStopped
from claimeven.solver.progress import SolveProgress
from claimeven.solver.search import ExactSearch
from claimeven.solver.session import SOLO_NODES
from claimeven.solver.transposition_table import multiplier, unpack
from tests.positions import position_after
from tests.solver.positions import hard_positions

STANDARD = Geometry()
MIDDLE = Position.from_moves("4444443265")


def sample(plies: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = random.Random(seed)
    positions = [position_after(rng, STANDARD, plies) for _ in range(count)]
    return (
        np.array([position.mine for position in positions], dtype=np.uint64),
        np.array([position.mask for position in positions], dtype=np.uint64),
    )


@pytest.fixture(scope="module")
def engine() -> ExactSearch:
    return ExactSearch(STANDARD, table_mb=8)


def window(engine: ExactSearch, mine: int, mask: int, alpha: int) -> tuple[int, int]:
    """Return the result of a single null-window test, and its nodes."""
    worker = engine.workers[0]
    before = worker.nodes
    worker.control[layout.RESUME] = 0
    worker.control[layout.BUDGET] = 1 << 62
    worker.shared[:3] = (0, -99, 99)
    bound = kernel.search(worker.arrays, np.uint64(mine), np.uint64(mask), alpha)
    return int(bound), worker.nodes - before


def holds(alpha: int, bound: int, score: int) -> bool:
    return alpha < bound <= score if score > alpha else score <= bound <= alpha


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(14, 36), st.integers(-21, 21))
def test_a_test_returns_a_bound_on_its_side_of_the_window(
    engine: ExactSearch, seed: int, plies: int, alpha: int
) -> None:
    position = position_after(random.Random(seed), STANDARD, plies)
    mine, mask = position.mine, position.mask
    bound, _ = window(ExactSearch(STANDARD, table_mb=0.1), mine, mask, alpha)
    assert holds(alpha, bound, engine.score(mine, mask))


@pytest.mark.parametrize("plies", range(14, 25, 2))
def test_tests_near_the_score_return_a_bound_from_an_empty_table(
    engine: ExactSearch, plies: int
) -> None:
    """Windows that need a search: the score is known from another table."""
    fresh = ExactSearch(STANDARD, table_mb=0.5)
    visited = []
    for mine, mask in hard_positions(STANDARD, plies, 12, random.Random(plies), 300, 300_000):
        score = engine.score(mine, mask)
        for alpha in range(score - 3, score + 3):
            fresh.clear()
            bound, nodes = window(fresh, mine, mask, alpha)
            assert holds(alpha, bound, score)
            visited.append(nodes)
    assert np.mean(np.array(visited) > 50) > 0.5


@pytest.mark.parametrize("size", [(8, 7, 4), (6, 6, 5), (6, 5, 4), (5, 5, 3), (16, 3, 4)])
def test_tests_return_a_bound_on_other_boards(size: tuple[int, int, int]) -> None:
    geometry = Geometry(*size)
    plies = 2 if geometry.connect == 3 else geometry.cells // 2
    known, fresh = ExactSearch(geometry, table_mb=4), ExactSearch(geometry, table_mb=0.1)
    visited = []
    for mine, mask in hard_positions(geometry, plies, 6, random.Random(str(size)), 10, 100_000):
        score = known.score(mine, mask)
        for alpha in range(score - 3, score + 3):
            fresh.clear()
            bound, nodes = window(fresh, mine, mask, alpha)
            assert holds(alpha, bound, score)
            visited.append(nodes)
    assert np.mean(np.array(visited) > 5) > 0.25


def test_a_table_of_64_entries_gives_the_same_scores(engine: ExactSearch) -> None:
    """The table is written over hundreds of times."""
    tiny = ExactSearch(STANDARD, table_mb=64 * 8 / 2**20)
    assert len(tiny.entries) == 64
    large = ExactSearch(STANDARD, table_mb=8)
    for mine, mask in hard_positions(STANDARD, 18, 12, random.Random(1), 1000, 20_000):
        assert tiny.score(mine, mask) == large.score(mine, mask)
    assert tiny.entries.all()
    assert tiny.nodes > large.nodes > 200 * len(tiny.entries)
    mines, masks = sample(20, 30, seed=1)
    np.testing.assert_array_equal(
        tiny.score_many(mines, masks)[0], engine.score_many(mines, masks)[0]
    )


def entries_of(engine: ExactSearch) -> Iterator[tuple[int, int, int | None, int | None]]:
    """Yield the entries of a table: discs of the side to move, all discs, low and high bound."""
    geometry = engine.geometry
    rest_bits = geometry.bits - engine.bucket_bits
    inverse = pow(multiplier(geometry.bits), -1, 1 << geometry.bits)
    for number, entry in enumerate(engine.entries.tolist()):
        if entry:
            rest, low, high, _ = unpack(entry)
            key = ((number // 2 << rest_bits | rest) * inverse) % (1 << geometry.bits)
            mask = 0
            for column in range(geometry.columns):
                first = column * geometry.height
                part = key >> first & ((1 << geometry.height) - 1)
                mask |= ((1 << (part + 1).bit_length() - 1) - 1) << first
            yield key - mask, mask, low, high


@pytest.mark.parametrize("table_mb", [64 * 8 / 2**20, 0.25])
def test_every_bound_in_the_table_is_true(engine: ExactSearch, table_mb: float) -> None:
    writer = ExactSearch(STANDARD, table_mb=table_mb)
    for plies in (10, 16):
        for mine, mask in hard_positions(STANDARD, plies, 3, random.Random(2), 5000, 200_000):
            writer.score(mine, mask)
        entries = list(entries_of(writer))
        assert len(entries) >= min(1000, len(writer.entries))
        assert min(mask.bit_count() for _, mask, _, _ in entries) <= plies + 4
        for mine, mask, low, high in random.Random(3).sample(entries, min(500, len(entries))):
            score = engine.score(mine, mask)
            assert low is None or low <= score
            assert high is None or score <= high


def test_the_same_run_visits_the_same_nodes() -> None:
    mines, masks = sample(18, 60, seed=2)
    first, second = ExactSearch(STANDARD, table_mb=1), ExactSearch(STANDARD, table_mb=1)
    expected = first.score_many(mines, masks)
    assert expected[1].sum() > 20_000
    np.testing.assert_array_equal(second.score_many(mines, masks), expected)
    second.clear()
    np.testing.assert_array_equal(second.score_many(mines, masks), expected)


def test_two_threads_at_one_position_give_the_score_of_one(engine: ExactSearch) -> None:
    pair = ExactSearch(STANDARD, table_mb=8, threads=2)
    shared_work = 0
    for mine, mask in hard_positions(STANDARD, 12, 4, random.Random(4), 400_000, 1_500_000):
        before = pair.workers[1].nodes
        assert pair.score(mine, mask) == engine.score(mine, mask)
        shared_work += pair.workers[1].nodes - before > SOLO_NODES
    assert shared_work >= 2


def test_pausing_does_not_change_the_search() -> None:
    whole, sliced = ExactSearch(STANDARD, table_mb=1), ExactSearch(STANDARD, table_mb=1)
    score = whole.score(MIDDLE.mine, MIDDLE.mask)
    worker = sliced.workers[0]
    control, shared = worker.control, worker.shared
    shared[:3] = (0, -99, 99)
    pauses = 0
    while True:
        control[layout.BUDGET] = worker.nodes + 97
        result = kernel.solve(
            worker.arrays,
            np.uint64(MIDDLE.mine),
            np.uint64(MIDDLE.mask),
            -99,
            99,
        )
        if result != kernel.PAUSED:
            break
        pauses += 1
        assert worker.nodes == 97 * pauses
    assert result == score
    assert sliced.nodes == whole.nodes
    np.testing.assert_array_equal(sliced.entries, whole.entries)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_node_budget_stops_the_search(threads: int) -> None:
    engine = ExactSearch(STANDARD, table_mb=1, threads=threads)
    with pytest.raises(SearchStopped, match=r"the score is -?\d+ to \d+") as stopped:
        engine.score(0, 0, nodes=50_000)
    assert engine.nodes <= 50_000 + (threads - 1) * 50_000
    assert stopped.value.low < stopped.value.high
    assert engine.score(MIDDLE.mine, MIDDLE.mask) == ExactSearch(STANDARD).score(
        MIDDLE.mine, MIDDLE.mask
    )


def test_a_stopped_search_reports_its_bounds(engine: ExactSearch) -> None:
    fresh = ExactSearch(STANDARD, table_mb=1)
    with pytest.raises(SearchStopped) as stopped:
        fresh.score(MIDDLE.mine, MIDDLE.mask, nodes=10_000)
    score = engine.score(MIDDLE.mine, MIDDLE.mask)
    assert -10 < stopped.value.low <= score <= stopped.value.high < 10


def test_a_stopped_search_does_not_affect_the_next(engine: ExactSearch) -> None:
    mines, masks = sample(18, 20, seed=7)
    expected = engine.score_many(mines, masks)[0]
    search = ExactSearch(STANDARD, table_mb=1)
    for i, score in enumerate(expected):
        with pytest.raises(SearchStopped):
            search.score(0, 0, nodes=100)
        assert search.score(int(mines[i]), int(masks[i])) == score
        with pytest.raises(SearchStopped):
            search.score(0, 0, nodes=100)
        assert search.score_many(mines[i : i + 1], masks[i : i + 1])[0] == score


@pytest.mark.parametrize("threads", [1, 2])
def test_stop_from_another_thread(threads: int) -> None:
    engine = ExactSearch(STANDARD, table_mb=1, threads=threads)
    failed: list[SearchStopped] = []

    def search() -> None:
        try:
            engine.score(0, 0)
        except SearchStopped as stopped:
            failed.append(stopped)

    worker = threading.Thread(target=search)
    worker.start()
    while engine.nodes == 0:
        time.sleep(0.01)
    engine.stop()
    worker.join(60)
    assert failed


def test_progress_reports_nodes_and_bounds(engine: ExactSearch) -> None:
    seen: list[SolveProgress] = []
    with pytest.raises(SearchStopped):
        engine.score(0, 0, nodes=2_000_000, on_progress=seen.append)
    assert seen
    assert [p.nodes for p in seen] == sorted(p.nodes for p in seen)
    assert all(-21 <= p.low < p.high <= 21 for p in seen)
    mines, masks = sample(30, 10, seed=5)
    seen.clear()
    engine.score_many(mines, masks, on_progress=seen.append)
    assert (seen[-1].done, seen[-1].total) == (10, 10)
    seen.clear()
    engine.score_many(mines, masks, on_progress=seen.append, on_solved=lambda number, score: None)
    assert [(p.done, p.total) for p in seen] == [(done, 10) for done in range(1, 11)]


def test_a_score_is_cut_off_to_a_floor_and_a_ceiling(engine: ExactSearch) -> None:
    mines, masks = sample(22, 40, seed=6)
    for mine, mask in zip(mines.tolist(), masks.tolist(), strict=True):
        cut_off = engine.score(mine, mask, floor=-1, ceiling=1)
        assert cut_off == np.sign(engine.score(mine, mask))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        *(({"table_mb": size}, "the MB of a table must be") for size in
          (0, -1, float("inf"), float("nan"), "8", None, True, 10**400)),
        *(({"threads": count}, "threads must be") for count in (0, -2, 257, 1.5, 1.0, "2", True)),
    ],
)  # fmt: skip
def test_a_table_of_no_size_and_no_number_of_threads_are_refused(
    options: Any, sentence: str
) -> None:
    with pytest.raises(InvalidSolve, match=sentence):
        ExactSearch(STANDARD, **options)


def test_boards_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidSolve, match="13x9 connect 4 takes 130"):
        ExactSearch(Geometry(13, 9))
    with pytest.raises(InvalidSolve, match=r"a board must be a Geometry .*, got '7x6'"):
        ExactSearch("7x6")  # type: ignore[arg-type]  # bad on purpose


def test_numbers_of_numpy_are_numbers(engine: ExactSearch) -> None:
    search = ExactSearch(STANDARD, table_mb=np.float32(0.5), threads=np.int64(1))
    limits: dict[str, Any] = {"seconds": np.float64(600), "nodes": np.int32(10**9)}
    score = search.score(MIDDLE.mine, MIDDLE.mask, **limits)
    assert score == engine.score(MIDDLE.mine, MIDDLE.mask)


@pytest.mark.parametrize(
    ("name", "values"),
    [("seconds", (-1, float("nan"), "1", True)), ("nodes", (-1, 1.5, "1", True))],
)
def test_invalid_limits_are_refused(engine: ExactSearch, name: str, values: Any) -> None:
    for value in values:
        with pytest.raises(InvalidSolve, match=f"{name} must be"):
            engine.score(0, 0, **{name: value})
