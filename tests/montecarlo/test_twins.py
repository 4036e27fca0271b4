"""Compiled and textbook searches grow the same tree, node for node, in every way to search."""

import itertools
import random
import time
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from claimeven.game import Geometry, Position
from claimeven.montecarlo import (
    PLAYOUTS,
    PRESETS,
    InvalidOptions,
    MonteCarloOptions,
    MonteCarloSearch,
)
from claimeven.montecarlo.dispatch import compiled_engine, textbook_engine
from claimeven.montecarlo.engine import LeafTurns
from claimeven.montecarlo.formula import TABLE_SIZE
from claimeven.montecarlo.inspection import Forest
from claimeven.montecarlo.options import CHOICES
from tests.montecarlo.support import BOARDS, unfinished_position
from tests.positions import WIDE


def random_options(rng: random.Random) -> MonteCarloOptions:
    """Any options that go together."""
    while True:
        try:
            return MonteCarloOptions(
                method=rng.choice((*CHOICES["method"], "uct", "uct", "uct")),
                formula=rng.choice(CHOICES["formula"]),
                c=rng.choice((0, 0.3, 1.0, 2)),
                first_play=rng.choice(CHOICES["first_play"]),
                ties=rng.choice(CHOICES["ties"]),
                playout=rng.choice(PLAYOUTS),
                playout_cutoff=rng.choice((0, 0, 1, 2, 5)),
                scale=rng.choice(CHOICES["scale"]),
                min_wins=rng.choice((0, 0, 1, 3)),
                final_choice=rng.choice(CHOICES["final_choice"]),
                solver=rng.random() < 0.4,
                decisive_moves=rng.choice(CHOICES["decisive_moves"]),
                transpositions=rng.choice(CHOICES["transpositions"]),
                reuse=rng.random() < 0.4,
                capacity=rng.choice((20, 50, 1000)),
                threads=rng.choice((1, 1, 2)),
            )
        except InvalidOptions:
            continue


def assert_same_games(
    options: MonteCarloOptions,
    rng: random.Random,
    iterations: int,
    boards: tuple[Geometry, ...] = BOARDS,
) -> None:
    """Both backends play the same moves from a position on, with the same trees."""
    position = unfinished_position(rng, rng.choice(boards))
    seed = rng.getrandbits(32)
    twins = [MonteCarloSearch(options, backend) for backend in ("compiled", "python")]
    rngs = [np.random.default_rng(seed) for _ in twins]
    for _ in range(3):
        if position.is_over:
            break
        one, other = (
            searcher.search(position, generator, iterations=iterations)
            for searcher, generator in zip(twins, rngs, strict=True)
        )
        assert one.forest.branch(None) == other.forest.branch(None), (options, repr(position))
        for name in (
            "column",
            "value",
            "policy",
            "iterations",
            "reused_visits",
            "depth",
            "stored",
            "full",
            "branching",
        ):
            assert getattr(one, name) == getattr(other, name), (name, options, repr(position))
        assert one.line == other.line
        position = position.play(one.column)
        if not position.is_over and options.reuse and rng.random() < 0.5:
            position = position.play(rng.choice(position.legal_columns))


@pytest.mark.core
@pytest.mark.parametrize("name", PRESETS)
def test_presets_on_a_small_board(name: str) -> None:
    """Few iterations, so that the kernels can be run as plain Python too."""
    options = replace(PRESETS[name], capacity=200)
    for seed in range(2):
        assert_same_games(options, random.Random(seed), 40, (Geometry(4, 4, 3),))


@pytest.mark.parametrize("part", range(4))
def test_random_options(part: int) -> None:
    rng = random.Random(part)
    for _ in range(25):
        assert_same_games(random_options(rng), rng, rng.choice((1, 10, 60, 120)))


@pytest.mark.parametrize("table", ["equal", "mirror"])
def test_full_tables_replace_the_same_positions(table: str) -> None:
    rng = random.Random(9)
    for capacity in (9, 17, 18, 40, 150):
        for playout, solver in (("random", False), ("greedy", True)):
            options = MonteCarloOptions(
                transpositions=table, capacity=capacity, reuse=True, playout=playout, solver=solver,
                decisive_moves=rng.choice(CHOICES["decisive_moves"]),
            )  # fmt: skip
            boards = tuple(board for board in BOARDS if board.columns < capacity)
            assert_same_games(options, rng, 400, boards)


def test_flat_search_stays_at_a_leaf_until_it_may_continue() -> None:
    """So it gives every leaf the same time; here the same playouts, so that twins agree."""
    rng = random.Random(5)
    options = PRESETS["flat"].with_changes(decisive_moves="off")
    for _ in range(10):
        position = unfinished_position(rng, rng.choice(BOARDS))
        forests = []
        for engine in (compiled_engine(position.geometry, options), textbook_engine(options)):
            assert isinstance(engine, LeafTurns)
            engine.start(position, 7)
            engine.hold_leaf()
            leaves = engine.leaves()
            for leaf in range(leaves):
                assert engine.run(2) == 2
                assert engine.run(1 + leaf % 3) == 1 + leaf % 3
                engine.next_leaf_turn()
            forests.append(Forest(position, options, (engine,)).branch(None))
        assert forests[0] == forests[1]
        visits = [
            leaf.visits for child in forests[0].children for leaf in child.children or [child]
        ]
        assert sorted(visits) == sorted(3 + leaf % 3 for leaf in range(leaves))


def test_flat_search_with_only_seconds_visits_every_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks) / 1000)  # 1 ms a look
    for backend in ("compiled", "python"):
        search = MonteCarloSearch(PRESETS["flat"], backend)
        search.load()
        result = search.search(Position(), np.random.default_rng(1), seconds=1)
        leaves = [leaf for child in result.forest.branch(2).children for leaf in child.children]
        assert len(leaves) == 49
        assert min(leaf.visits for leaf in leaves) >= 1
        assert result.iterations == sum(leaf.visits for leaf in leaves)


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str) -> None:
    rng = random.Random(name)
    for _ in range(3):
        assert_same_games(replace(PRESETS[name], capacity=5000), rng, 150)
    assert_same_games(replace(PRESETS[name], capacity=5000), rng, 60, WIDE)


@pytest.mark.parametrize("geometry", WIDE, ids=str)
def test_boards_of_up_to_128_bits(geometry: Geometry) -> None:
    rng = random.Random(str(geometry))
    for _ in range(10):
        assert_same_games(random_options(rng), rng, rng.choice((10, 60)), (geometry,))
    for table, capacity in product(("equal", "mirror"), (20, 40)):
        options = MonteCarloOptions(
            transpositions=table, capacity=capacity, reuse=True, solver=True, playout="replies"
        )
        assert_same_games(options, rng, 100, (geometry,))


def test_wide_words_do_not_change_searches(wide_words: None) -> None:
    rng = random.Random(12)
    for _ in range(40):
        assert_same_games(random_options(rng), rng, rng.choice((1, 10, 60, 120)))


def test_numbers_of_bits_at_which_words_get_wide_and_kernels_end() -> None:
    search = MonteCarloSearch(PRESETS["uct"])
    for board, bits, backend in (
        ((8, 7), 64, "compiled"), ((13, 4), 65, "compiled"), ((16, 7), 128, "compiled"),
        ((13, 9), 130, "python"),
    ):  # fmt: skip
        geometry = Geometry(*board)
        assert (geometry.bits, search.backend_for(geometry)) == (bits, backend)


def test_visit_counts_beyond_the_table() -> None:
    """Past the tables of roots, both backends compute them."""
    for table in ("off", "equal"):
        options = MonteCarloOptions(capacity=20, c=0.5, transpositions=table)
        assert_same_games(options, random.Random(4), TABLE_SIZE + 500, (Geometry(2, 3, 3),))
