"""The searches: against each other, textbook against compiled, and against the oracle."""

from __future__ import annotations

import random
from dataclasses import astuple
from itertools import cycle
from threading import Event, Thread
from typing import Any

import pytest

from claimeven import Geometry, Position
from claimeven.evaluation import EVALUATIONS, InvalidEvaluation
from claimeven.minimax import PROVEN, WIN, InvalidSearch, MinimaxResult, MinimaxSearch
from claimeven.minimax.rules import MOST, column_order, plies_to_end
from tests import naive
from tests.positions import SEARCHED, oracle, random_positions

ALGORITHMS = ("minimax", "alphabeta", "negamax")
ORDERS = ("centre", "left")
BACKENDS = ("compiled", "python")
POSITIONS_A_BOARD = 400


def told(result: MinimaxResult) -> tuple[Any, ...]:
    """Everything of a result that both backends must agree in."""
    counters = astuple(result.counters)
    return result.column, result.value, result.line, result.columns, result.depth, counters


# --- alpha-beta and minimax ---------------------------------------------------------------------


@pytest.mark.parametrize("geometry", SEARCHED, ids=str)
def test_alphabeta_returns_what_minimax_returns(geometry: Geometry) -> None:
    depths = cycle((1, 2, 3, 4))
    positions = list(random_positions(geometry, POSITIONS_A_BOARD, seed=1, going_on=True))
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
    for position in random_positions(Geometry(), 100, seed=2, going_on=True):
        negamax.reset()
        assert negamax.search(position, 4).value == full.search(position, 4).value


def test_column_values_of_minimax_are_exact_and_bound_those_of_alphabeta() -> None:
    full, pruned = MinimaxSearch("minimax"), MinimaxSearch("alphabeta")
    for position in random_positions(Geometry(), 100, seed=3, going_on=True):
        exact = full.search(position, 4).columns
        for column, known in enumerate(pruned.search(position, 4).columns):
            true = exact[column]
            assert (known is None) == (true is None) == (column not in position.legal_columns)
            if known is not None and true is not None:
                assert true.exact
                assert known.value == true.value if known.exact else known.value >= true.value


# --- the oracle ---------------------------------------------------------------------------------


@pytest.mark.parametrize("geometry", SEARCHED[:4], ids=str)
def test_values_equal_the_oracle(geometry: Geometry) -> None:
    searchers = [
        MinimaxSearch(algorithm, "windows-symmetric", backend=backend)
        for algorithm in ALGORITHMS
        for backend in BACKENDS
    ]
    for position in random_positions(geometry, 12, seed=4, going_on=True):
        depth = min(3, geometry.cells - position.ply)
        expected = naive.minimax(
            oracle(position),
            depth,
            lambda game: naive.windows_value(game, naive.SYMMETRIC_WEIGHTS),
            lambda remaining: WIN - depth + remaining,  # noqa: B023 - called before the next one
        )
        for searcher in searchers:
            searcher.reset()
            result = searcher.search(position, depth)
            assert result.value == expected
            assert result.line[0] == result.column in position.legal_columns


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_small_boards_are_solved_without_a_limit(algorithm: str) -> None:
    boards = (Geometry(3, 3, 3), Geometry(4, 3, 3), Geometry(3, 4, 3), Geometry(4, 2, 2))
    for geometry in boards:
        if algorithm == "minimax" and geometry == Geometry(3, 4, 3):
            continue  # every line of play, which is too many to look at each
        result = MinimaxSearch(algorithm).search(Position(geometry))
        score = naive.score(naive.Game(geometry.columns, geometry.rows, geometry.connect))
        assert (result.value > 0) - (result.value < 0) == (score > 0) - (score < 0)
        if result.plies_to_end is not None:
            discs_before = result.plies_to_end - 1
            assert (geometry.cells + 1 - discs_before) // 2 == abs(score)


@pytest.mark.parametrize(
    ("geometry", "winner"),
    [(Geometry(4, 4, 4), None), (Geometry(5, 4, 4), None), (Geometry(4, 4, 3), 0)],
    ids=str,
)
def test_published_results_of_small_boards(geometry: Geometry, winner: int | None) -> None:
    result = MinimaxSearch("negamax", table=1 << 20).search(Position(geometry))
    assert result.depth == geometry.cells
    if winner is None:
        assert (result.value, result.plies_to_end) == (0, None)
    else:
        assert result.value > PROVEN


def test_positions_near_the_end_are_solved_as_the_oracle_does() -> None:
    geometry = Geometry(5, 4, 4)
    known: dict[object, int] = {}
    searchers = [MinimaxSearch(algorithm) for algorithm in ALGORITHMS]
    for position in random_positions(geometry, 60, seed=5, going_on=True):
        if geometry.cells - position.ply > 9:
            continue
        score = naive.score(oracle(position), known)
        for searcher in searchers:
            result = searcher.search(position)
            if score == 0:
                assert result.value == 0
            else:
                assert result.plies_to_end is not None
                discs_before = position.ply + result.plies_to_end - 1
                assert (geometry.cells + 1 - discs_before) // 2 == abs(score)
                assert (result.value > 0) == (score > 0)


# --- wins and losses ----------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_faster_wins_and_slower_losses_are_preferred(algorithm: str, backend: str) -> None:
    # Three in a row with both ends open: a win now, though others would win later too.
    now = MinimaxSearch(algorithm, backend=backend).search(Position.from_moves("314151"), 5)
    assert (now.column, now.value, now.plies_to_end) == (1, WIN - 1, 1)
    # Two open ends against the side to move: lost in two plies wherever it plays.
    lost = MinimaxSearch(algorithm, backend=backend).search(Position.from_moves("31415"), 4)
    assert (lost.value, lost.plies_to_end, len(lost.line)) == (2 - WIN, 2, 2)
    # One end is open: blocking it is the only column that does not lose at once.
    blocked = MinimaxSearch(algorithm, backend=backend).search(Position.from_moves("1122336"), 2)
    assert blocked.column == 3
    values = blocked.columns
    assert all(v is not None and v.value == 2 - WIN for c, v in enumerate(values) if c != 3)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_slow_loss_is_preferred_to_a_fast_one(algorithm: str) -> None:
    slower = 0
    for position in random_positions(Geometry(5, 4, 4), 400, seed=6, going_on=True):
        result = MinimaxSearch("minimax").search(position, 6)
        if result.value > -PROVEN:
            continue
        slowest = max(plies_to_end(c.value) or 0 for c in result.columns if c is not None)
        chosen = MinimaxSearch(algorithm).search(position, 6)
        assert chosen.plies_to_end == slowest
        if algorithm != "negamax":  # whose line ends where the table answers
            assert len(chosen.line) == slowest
        slower += len({c.value for c in result.columns if c is not None}) > 1
    assert slower > 5


# --- textbook and compiled ----------------------------------------------------------------------


def same(one: MinimaxSearch, other: MinimaxSearch, position: Position, **limits: Any) -> None:
    compiled, textbook = one.search(position, **limits), other.search(position, **limits)
    assert (compiled.backend, textbook.backend) == ("compiled", "python")
    assert told(compiled) == told(textbook), (position, limits)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("geometry", SEARCHED, ids=str)
def test_backends_agree_in_everything(geometry: Geometry, algorithm: str) -> None:
    depths = cycle((1, 2, 3)) if algorithm == "minimax" else cycle((1, 2, 3, 4))
    for order in ORDERS:
        for name in EVALUATIONS:
            one, other = (MinimaxSearch(algorithm, name, order, backend) for backend in BACKENDS)
            for position in random_positions(geometry, 6, seed=7, going_on=True):
                same(one, other, position, depth=next(depths))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("geometry", SEARCHED, ids=str)
def test_backends_agree_with_evaluations_for_the_root(geometry: Geometry, algorithm: str) -> None:
    for name in ("windows", "sequences"):
        one, other = (
            MinimaxSearch(algorithm, name, backend=backend, view="root") for backend in BACKENDS
        )
        depths = cycle((1, 2, 3))
        for position in random_positions(geometry, 8, seed=11, going_on=True):
            same(one, other, position, depth=next(depths))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_evaluations_for_the_root_are_those_of_the_oracle(depth: int) -> None:
    searches = [MinimaxSearch(algorithm, "windows", view="root") for algorithm in ALGORITHMS]
    differing = 0
    for position in random_positions(Geometry(), 40, seed=12, going_on=True):
        root = oracle(position).player

        def as_the_root_sees(game: naive.Game, root: int = root) -> int:
            seen = game.copy()
            seen.player = root
            value = naive.windows_value(seen)
            return value if game.player == root else -value

        expected = naive.minimax(oracle(position), depth, as_the_root_sees)
        for search in searches:
            found = search.search(position, depth).value
            if abs(found) > PROVEN:
                assert (found > 0) == (expected > 0)
                assert abs(expected) >= 10_000_000
            else:
                assert found == expected
        if abs(found) <= PROVEN:
            mover = MinimaxSearch("minimax", "windows").search(position, depth)
            differing += mover.value != found
    # The root's side moves where an even number of plies has been searched.
    assert (differing > 20) == (depth % 2 == 1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_backends_agree_under_a_limit_of_nodes(algorithm: str) -> None:
    rng = random.Random(8)
    for geometry in SEARCHED:
        order = rng.choice(ORDERS)
        one, other = (MinimaxSearch(algorithm, "streaks", order, backend) for backend in BACKENDS)
        for position in random_positions(geometry, 8, seed=8, going_on=True):
            nodes = rng.choice((1, 2, 7, 8, 9, 50, 57, 58, rng.randint(1, 600)))
            same(one, other, position, nodes=nodes, depth=rng.choice((None, 2, 5)))


@pytest.mark.parametrize("entries", [1, 4, 16, 256])
def test_backends_agree_with_a_tiny_table_kept_from_call_to_call(entries: int) -> None:
    for geometry in SEARCHED:
        for name in ("streaks", "windows"):
            one, other = (
                MinimaxSearch("negamax", name, backend=b, table=entries) for b in BACKENDS
            )
            position, rng = Position(geometry), random.Random(entries)
            while not position.is_over:
                if rng.random() < 0.5:
                    same(one, other, position, depth=rng.randint(1, 3))
                else:
                    same(one, other, position, nodes=rng.randint(1, 150))
                position = position.play(rng.choice(position.legal_columns))


def test_a_table_that_forgets_much_gives_the_same_value() -> None:
    full = MinimaxSearch("minimax")
    for position in random_positions(Geometry(), 60, seed=9, going_on=True):
        expected = full.search(position, 4).value
        for entries in (1, 4, 16):
            assert MinimaxSearch("negamax", table=entries).search(position, 4).value == expected


def test_backends_agree_to_the_end_of_the_game() -> None:
    geometry = Geometry(4, 4, 3)
    for algorithm in ALGORITHMS:
        one, other = (MinimaxSearch(algorithm, backend=backend) for backend in BACKENDS)
        for position in random_positions(geometry, 25, seed=10, going_on=True):
            if geometry.cells - position.ply <= 8:
                same(one, other, position)


def test_boards_beyond_a_word_are_searched_by_the_textbook() -> None:
    geometry = Geometry(9, 9, 4)
    results = [
        MinimaxSearch(algorithm, "triples").search(Position.from_moves("5544", geometry), 2)
        for algorithm in ALGORITHMS
    ]
    assert {result.backend for result in results} == {"python"}
    assert len({result.value for result in results}) == 1


# --- the table lives on -------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_table_lives_until_it_is_reset(backend: str) -> None:
    searcher = MinimaxSearch("negamax", backend=backend)
    position = Position.from_moves("44")
    fresh = searcher.search(position, 4)
    again = searcher.search(position, 4)
    assert (again.column, again.value) == (fresh.column, fresh.value)
    assert again.counters.nodes < fresh.counters.nodes
    assert again.counters.table_hits > 0
    searcher.reset()
    assert told(searcher.search(position, 4)) == told(fresh)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_search_on_another_board_does_not_meet_the_positions_of_the_last(backend: str) -> None:
    searcher = MinimaxSearch("negamax", backend=backend)
    for geometry in (Geometry(7, 6, 4), Geometry(7, 6, 3), Geometry(6, 6, 4), Geometry(4, 6, 4)):
        position = Position.from_moves("12", geometry)
        fresh = MinimaxSearch("negamax", backend=backend).search(position, 4)
        assert told(searcher.search(position, 4)) == told(fresh)


def test_a_trace_does_not_change_the_searches_after_it() -> None:
    position = Position.from_moves("44")
    watched, alone = (
        MinimaxSearch("negamax", backend="python"),
        MinimaxSearch("negamax", backend="python"),
    )
    assert len(list(watched.trace(position, 3))) > 0
    assert told(watched.search(position, 3)) == told(alone.search(position, 3))


# --- traces -------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("moves", ["", "44", "112233", "31415", "4444445"])
def test_traces_are_well_formed(algorithm: str, moves: str) -> None:
    position = Position.from_moves(moves)
    searcher = MinimaxSearch(algorithm, "windows-symmetric", backend="python")
    result = searcher.search(position, 3)
    searcher.reset()
    open_nodes: list[tuple[int, ...]] = []
    entered = cuts = 0
    for event in searcher.trace(position, 3):
        last = event
        assert event.view == ("mover" if algorithm == "negamax" else "root")
        if event.kind == "enter":
            assert event.value is None
            assert event.columns[:-1] == (open_nodes[-1] if open_nodes else ())
            assert event.depth == 3 - len(event.columns)
            Position.from_moves(moves + "".join(str(c + 1) for c in event.columns))
            open_nodes.append(event.columns)
            entered += 1
            continue
        assert event.columns == open_nodes[-1]
        assert event.value is not None
        assert event.reason
        if event.kind == "cut":
            assert event.alpha >= event.beta
            cuts += 1
        else:
            open_nodes.pop()
    assert open_nodes == []
    assert (last.kind, last.columns, last.value) == ("return", (), result.value)
    assert (entered, cuts) == (result.counters.nodes, result.counters.cutoffs)
    assert algorithm != "minimax" or cuts == 0


def test_a_trace_returns_the_node_of_the_root() -> None:
    trace = MinimaxSearch("alphabeta").trace(Position.from_moves("112233"), 2)
    with pytest.raises(StopIteration) as ended:
        while True:
            next(trace)
    assert (ended.value.value.value, ended.value.value.line) == (WIN - 1, (3,))


# --- limits -------------------------------------------------------------------------------------


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


# --- evaluations --------------------------------------------------------------------------------


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
    assert result.value == MOST
    assert result.plies_to_end is None
    won = MinimaxSearch(algorithm, lambda position: -1e300).search(Position.from_moves("112233"), 1)
    assert (won.column, won.plies_to_end) == (3, 1)


def test_a_result_counts_what_was_looked_at() -> None:
    result = MinimaxSearch("minimax").search(Position(), 2)
    counters = result.counters
    assert (counters.nodes, counters.evaluations, counters.expanded) == (57, 49, 8)
    assert (counters.cutoffs, counters.table_hits, counters.depth) == (0, 0, 2)
    assert counters.branching == 7.0


def test_columns_are_tried_in_order() -> None:
    assert column_order(Geometry(), "centre") == (3, 2, 4, 1, 5, 0, 6)
    assert column_order(Geometry(4, 4, 3), "centre") == (1, 2, 0, 3)
    assert column_order(Geometry(4, 4, 3), "left") == (0, 1, 2, 3)
    flat = MinimaxSearch("alphabeta", lambda position: 0, "left").search(Position(), 2)
    assert flat.column == 0


# --- threads ------------------------------------------------------------------------------------


def test_a_search_waits_for_the_one_before_it() -> None:
    """Two boards in one table would take each other's positions for their own."""
    begun, let_go = Event(), Event()

    def evaluate(position: Position) -> float:
        if position.geometry == wide:
            begun.set()
            assert let_go.wait(60)
        return float(position.legal_columns[0])

    wide, high = Geometry(5, 4, 4), Geometry(4, 5, 4)
    shared = MinimaxSearch("negamax", evaluate)
    found: dict[Geometry, MinimaxResult] = {}

    def work(geometry: Geometry) -> None:
        found[geometry] = shared.search(Position(geometry), depth=4)

    threads = [Thread(target=work, args=(geometry,)) for geometry in (wide, high)]
    threads[0].start()
    assert begun.wait(60)
    threads[1].start()
    threads[1].join(0.2)
    assert high not in found
    let_go.set()
    for thread in threads:
        thread.join()
    for geometry in (wide, high):
        alone = MinimaxSearch("negamax", evaluate).search(Position(geometry), depth=4)
        assert told(found[geometry]) == told(alone)


# --- errors -------------------------------------------------------------------------------------


def no_evaluation(position: Position) -> float:
    return 0.0


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (
            lambda: MinimaxSearch("mini"),
            "there is no algorithm 'mini': choose from minimax, alphabeta, negamax",
        ),
        (
            lambda: MinimaxSearch(backend="gpu"),
            "there is no backend 'gpu': choose from auto, compiled, python",
        ),
        (
            lambda: MinimaxSearch(order="right"),
            "there is no order 'right': choose from centre, left",
        ),
        (
            lambda: MinimaxSearch("negamax", table=3),
            "a table has a power of two of entries, 1 to 2^28, not 3",
        ),
        (
            lambda: MinimaxSearch("negamax", table=0),
            "a table has a power of two of entries, 1 to 2^28, not 0",
        ),
        (lambda: MinimaxSearch().search(Position(), 0), "depth must be greater than 0, not 0"),
        (
            lambda: MinimaxSearch().search(Position(), seconds=-1.0),
            "seconds must be greater than 0, not -1.0",
        ),
        (
            lambda: MinimaxSearch().search(Position(), nodes=0),
            "nodes must be greater than 0, not 0",
        ),
        (lambda: MinimaxSearch().trace(Position(), 0), "depth must be greater than 0, not 0"),
        (
            lambda: MinimaxSearch().search(Position.from_moves("1212121")),
            "the game is over, so there is nothing to search",
        ),
        (
            lambda: MinimaxSearch(backend="compiled").search(Position(Geometry(9, 9)), 1),
            "backend=compiled holds boards of columns * (rows + 1) <= 64 bits; 9x9 connect 4"
            " takes 90",
        ),
        (
            lambda: MinimaxSearch("minimax", no_evaluation, backend="compiled").search(Position()),
            "the evaluation no_evaluation is Python: choose backend=auto or backend=python",
        ),
    ],
)
def test_what_cannot_be_searched_is_told(made: Any, sentence: str) -> None:
    with pytest.raises(InvalidSearch) as caught:
        made()
    assert str(caught.value) == sentence
    assert isinstance(caught.value, ValueError)


def test_an_unknown_evaluation_is_told() -> None:
    with pytest.raises(InvalidEvaluation, match="there is no evaluation 'window'"):
        MinimaxSearch("alphabeta", "window")
