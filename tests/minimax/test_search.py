"""The searches against each other, their limits, evaluations, threads and errors."""

from __future__ import annotations

import copy
import math
import pickle
import re
from collections.abc import Callable
from dataclasses import asdict, astuple
from itertools import cycle
from threading import Event, Thread
from typing import Any

import pytest

from claimeven import Geometry, Position
from claimeven.evaluation import EVALUATIONS, InvalidEvaluation, WindowWeights, weighted_windows
from claimeven.minimax import PROVEN, WIN, Counters, InvalidSearch, MinimaxResult, MinimaxSearch
from claimeven.minimax.types import MAX_HEURISTIC, column_order, plies_to_end
from tests.minimax.support import ALGORITHMS, BACKENDS, ORDERS, facts_of
from tests.positions import SEARCHED, random_positions

POSITIONS_A_BOARD = 200


# --- alpha-beta and minimax -----------------------------------------------------------------------


@pytest.mark.parametrize("geometry", SEARCHED, ids=str)
def test_alphabeta_equals_minimax(geometry: Geometry) -> None:
    depths = cycle((1, 2, 3, 4))
    positions = list(random_positions(geometry, POSITIONS_A_BOARD, seed=1, ongoing=True))
    for name in EVALUATIONS:
        full = MinimaxSearch("minimax", name, backend="compiled")
        pruned = MinimaxSearch("alphabeta", name, backend="compiled")
        evaluations = [0, 0]
        for position in positions:
            depth = next(depths)
            one, other = full.search(position, depth), pruned.search(position, depth)
            assert (one.column, one.value, one.line) == (other.column, other.value, other.line)
            assert other.counters.evaluations <= one.counters.evaluations
            assert other.counters.nodes <= one.counters.nodes
            evaluations[0] += one.counters.evaluations
            evaluations[1] += other.counters.evaluations
        assert evaluations[1] < evaluations[0]


@pytest.mark.parametrize("order", ORDERS)
def test_negamax_with_an_empty_table_returns_minimax_value(order: str) -> None:
    full = MinimaxSearch("minimax", order=order)
    negamax = MinimaxSearch("negamax", order=order)
    for position in random_positions(Geometry(), 100, seed=2, ongoing=True):
        negamax.reset()
        assert negamax.search(position, 4).value == full.search(position, 4).value


def test_column_values_of_minimax_are_exact_and_bound_alphabeta() -> None:
    full, pruned = MinimaxSearch("minimax"), MinimaxSearch("alphabeta")
    for position in random_positions(Geometry(), 100, seed=3, ongoing=True):
        exact = full.search(position, 4).columns
        for column, known in enumerate(pruned.search(position, 4).columns):
            true = exact[column]
            assert (known is None) == (true is None) == (column not in position.legal_columns)
            if known is not None and true is not None:
                assert true.exact
                assert known.value == true.value if known.exact else known.value >= true.value


# --- wins and losses ------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_faster_wins_and_slower_losses_are_preferred(algorithm: str, backend: str) -> None:
    # Three in a row with both ends open: a win now, though others would win later too.
    now = MinimaxSearch(algorithm, backend=backend).search(Position.from_moves("314151"), 5)
    assert (now.column, now.value, now.plies_to_end) == (1, WIN - 1, 1)
    # Two open ends against the side to move: lost in two plies wherever it plays.
    lost = MinimaxSearch(algorithm, backend=backend).search(Position.from_moves("31415"), 4)
    assert (lost.value, lost.plies_to_end, len(lost.line)) == (2 - WIN, 2, 2)
    # One end is open: blocking it is the only column that does not lose immediately.
    blocked = MinimaxSearch(algorithm, backend=backend).search(Position.from_moves("1122336"), 2)
    assert blocked.column == 3
    values = blocked.columns
    assert all(v is not None and v.value == 2 - WIN for c, v in enumerate(values) if c != 3)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_slow_loss_is_preferred_to_a_fast_one(algorithm: str) -> None:
    slower = 0
    for position in random_positions(Geometry(5, 4, 4), 400, seed=6, ongoing=True):
        result = MinimaxSearch("minimax").search(position, 6)
        if result.value > -PROVEN:
            continue
        slowest = max(plies_to_end(c.value) or 0 for c in result.columns if c is not None)
        chosen = MinimaxSearch(algorithm).search(position, 6)
        assert chosen.plies_to_end == slowest
        if algorithm != "negamax":  # its line ends at an entry of the table
            assert len(chosen.line) == slowest
        slower += len({c.value for c in result.columns if c is not None}) > 1
    assert slower > 5


# --- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_limit_of_seconds_always_gives_a_result(algorithm: str, backend: str) -> None:
    searcher = MinimaxSearch(algorithm, backend=backend)
    tiny = searcher.search(Position(), seconds=1e-9)
    assert tiny.depth >= 1
    assert tiny.column in Position().legal_columns
    searcher.reset()
    longer = searcher.search(Position(), seconds=0.1)
    assert longer.depth >= tiny.depth
    assert longer.counters.depth >= longer.depth


def test_the_depth_grows_with_the_nodes_and_stops_at_the_end() -> None:
    searcher = MinimaxSearch("alphabeta")
    depths = [searcher.search(Position(), nodes=nodes).depth for nodes in (1, 100, 2000, 30000)]
    assert depths == sorted(depths)
    assert depths[0] == 1
    assert depths[-1] > depths[1]
    for nodes in (1, 100, 5000):
        counted = searcher.search(Position(), nodes=nodes).counters.nodes
        assert counted <= max(nodes, 8)
    small = Position.from_moves("112", Geometry(3, 2, 3))
    assert searcher.search(small, seconds=30.0).depth <= 3
    assert searcher.search(small, depth=200).depth == 3


def test_deepening_ends_with_a_proven_result() -> None:
    result = MinimaxSearch("alphabeta").search(Position.from_moves("112233"), seconds=30.0)
    assert (result.depth, result.plies_to_end) == (1, 1)
    lost = MinimaxSearch("alphabeta").search(Position.from_moves("31415"), nodes=2000)
    assert (lost.depth, lost.plies_to_end, lost.value) == (2, 2, 2 - WIN)


# --- evaluations ----------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_function_of_ones_own_is_searched_with(algorithm: str) -> None:
    def likes_column_1(position: Position) -> float:
        own = position.mine if position.turn == 0 else position.theirs
        sign = 1 if position.turn == 0 else -1
        return sign * 0.5 * (own & position.geometry.column_mask(0)).bit_count()

    result = MinimaxSearch(algorithm, likes_column_1).search(Position(), 1)
    assert (result.column, result.value, result.backend) == (0, 0.5, "python")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_evaluation_outweighs_a_proven_result(algorithm: str) -> None:
    result = MinimaxSearch(algorithm, lambda position: -1e300).search(Position(), 1)
    assert result.value == MAX_HEURISTIC
    assert result.plies_to_end is None
    lost = MinimaxSearch(algorithm, lambda position: 1e300).search(Position(), 1)
    assert (lost.value, lost.plies_to_end) == (-MAX_HEURISTIC, None)
    won = MinimaxSearch(algorithm, lambda position: -1e300).search(Position.from_moves("112233"), 1)
    assert (won.column, won.plies_to_end) == (3, 1)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("weight", [10**9, -(10**9)])
def test_great_weights_are_cut_to_less_than_a_win(
    algorithm: str, backend: str, weight: int
) -> None:
    great = weighted_windows("great", WindowWeights(*[weight] * 7), "other weights", 10.0)
    search = MinimaxSearch(algorithm, great, backend=backend)
    cut = MAX_HEURISTIC if weight > 0 else -MAX_HEURISTIC
    for depth, value in ((1, -cut), (2, cut)):
        assert search.search(Position.from_moves("4455"), depth).value == value


def test_a_result_counts_visited_positions() -> None:
    result = MinimaxSearch("minimax").search(Position(), 2)
    counters = result.counters
    assert (counters.nodes, counters.evaluations, counters.expanded) == (57, 49, 8)
    assert (counters.cutoffs, counters.table_hits, counters.depth) == (0, 0, 2)
    assert counters.branching == 7.0
    assert Counters(nodes=1, searches=1).branching is None


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_deepening_counts_all_its_depths(algorithm: str, backend: str) -> None:
    position = Position.from_moves("44")
    at_once, deepening = (MinimaxSearch(algorithm, backend=backend) for _ in range(2))
    depths = [astuple(at_once.search(position, depth).counters) for depth in (1, 2, 3)]
    counted = deepening.search(position, 3, nodes=10**6).counters
    sums = dict(zip(asdict(counted), map(sum, zip(*depths, strict=True)), strict=True))
    assert asdict(counted) == {**sums, "depth": 3}
    assert (counted.table_hits > 0) == (algorithm == "negamax")
    # Another depth that comes no further than its root leaves the deepest ply as it is.
    deepening.reset()
    assert deepening.search(position, nodes=counted.nodes + 1).counters.depth == 3


@pytest.mark.parametrize("backend", BACKENDS)
def test_branching_counts_no_root_as_a_column_tried(backend: str) -> None:
    """Deepening enters the root once a depth; on one column the tree has no branches."""
    search = MinimaxSearch("alphabeta", backend=backend)
    counters = search.search(Position(Geometry(1, 6, 4)), nodes=9).counters
    # Depths 1, 2 and 3 look at 2, 3 and 4 positions and try a column in 1, 2 and 3 of them.
    assert (counters.nodes, counters.expanded, counters.searches) == (9, 6, 3)
    assert counters.branching == 1.0


def test_columns_are_tried_in_order() -> None:
    assert column_order(Geometry(), "center") == (3, 2, 4, 1, 5, 0, 6)
    assert column_order(Geometry(4, 4, 3), "center") == (1, 2, 0, 3)
    assert column_order(Geometry(4, 4, 3), "left") == (0, 1, 2, 3)
    flat = MinimaxSearch("alphabeta", lambda position: 0, "left").search(Position(), 2)
    assert flat.column == 0


# --- threads --------------------------------------------------------------------------------------


def test_a_search_waits_for_the_one_before_it() -> None:
    """Two boards in one table would take each other's positions for their own."""
    started, let_go = Event(), Event()

    def evaluate(position: Position) -> float:
        if position.geometry == wide:
            started.set()
            assert let_go.wait(60)
        return float(position.legal_columns[0])

    wide, high = Geometry(5, 4, 4), Geometry(4, 5, 4)
    shared = MinimaxSearch("negamax", evaluate)
    found: dict[Geometry, MinimaxResult] = {}

    def work(geometry: Geometry) -> None:
        found[geometry] = shared.search(Position(geometry), depth=4)

    threads = [Thread(target=work, args=(geometry,)) for geometry in (wide, high)]
    threads[0].start()
    assert started.wait(60)
    threads[1].start()
    threads[1].join(0.2)
    assert high not in found
    threads.append(Thread(target=shared.reset))
    threads[2].start()
    threads[2].join(0.2)
    assert threads[2].is_alive()
    let_go.set()
    for thread in threads:
        thread.join()
    for geometry in (wide, high):
        alone = MinimaxSearch("negamax", evaluate).search(Position(geometry), depth=4)
        assert facts_of(found[geometry]) == facts_of(alone)


# --- errors ---------------------------------------------------------------------------------------


def no_evaluation(position: Position) -> float:
    return 0.0


POWERS = "table must be a power of two, 1 to 2^28, got"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"algorithm": "mini"}, "there is no algorithm 'mini' (did you mean minimax?): choose from"
         " minimax, alphabeta, negamax"),
        ({"backend": "gpu"}, "there is no backend 'gpu': choose from auto, compiled, python"),
        ({"order": "right"}, "there is no order 'right': choose from center, left"),
        *(({"table": entries}, f"{POWERS} {entries}") for entries in (3, 0, 1 << 29)),
    ],
)  # fmt: skip
def test_invalid_options_are_reported(options: Any, sentence: str) -> None:
    with pytest.raises(InvalidSearch) as caught:
        MinimaxSearch(**options)
    assert str(caught.value) == sentence
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        *(({name: 0}, f"{name} must be 1 or more, got 0") for name in ("depth", "nodes")),
        *(({"depth": depth}, f"depth must be a whole number, got {depth!r}")
          for depth in (2.5, "3", True)),
        ({"nodes": 10.5}, "nodes must be a whole number, got 10.5"),
        ({"seconds": -1.0}, "seconds must be greater than 0, got -1.0"),
        *(({"seconds": seconds}, f"seconds must be a number, got {seconds!r}")
          for seconds in ("1", True, math.nan)),
    ],
)  # fmt: skip
def test_invalid_limits_are_reported(limits: Any, sentence: str) -> None:
    with pytest.raises(InvalidSearch) as caught:
        MinimaxSearch().search(Position(), **limits)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("search", "position", "sentence"),
    [
        (MinimaxSearch(), Position.from_moves("1212121"), "the game is over: Yellow wins"),
        (MinimaxSearch(backend="compiled"), Position(Geometry(13, 9)),
         "backend=compiled supports boards of columns * (rows + 1) <= 128 bits; 13x9"),
        (MinimaxSearch("minimax", no_evaluation, backend="compiled"), Position(),
         "the evaluation no_evaluation is not compiled: choose backend=auto or backend=python"),
    ],
)  # fmt: skip
def test_positions_that_cannot_be_searched_are_reported(
    search: MinimaxSearch, position: Position, sentence: str
) -> None:
    for ask in (search.search, search.trace):
        if ask == search.trace and not position.is_over:
            continue  # by the textbook, of any board
        with pytest.raises(InvalidSearch, match=re.escape(sentence)):
            ask(position, 1)


def test_an_unknown_evaluation_is_reported() -> None:
    with pytest.raises(InvalidEvaluation, match="there is no evaluation 'window'"):
        MinimaxSearch("alphabeta", "window")


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
def test_a_copy_is_another_search_of_its_kind(copied: Callable[[Any], Any]) -> None:
    search, position = Mine("negamax", "streaks"), Position.from_moves("4455")
    before = search.search(position, depth=5)
    other = copied(search)
    assert type(other) is Mine
    assert other.search(position, depth=5).counters == before.counters
    assert other.search(position, depth=5).column == before.column


class Mine(MinimaxSearch):
    """A third-party search."""
