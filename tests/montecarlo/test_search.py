"""The driver: budgets, seeds, threads, reused trees, the immediate choices, big boards, errors."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from claimeven.game import Geometry, InvalidPosition, Position
from claimeven.montecarlo import (
    PRESETS,
    InvalidOptions,
    MonteCarloOptions,
    MonteCarloSearch,
    preset,
)
from claimeven.montecarlo.final_move import choose, policy
from claimeven.montecarlo.inspection import Branch
from claimeven.montecarlo.layout import PROVEN_LOSS, PROVEN_WIN, UNPROVEN
from tests.montecarlo.support import search


def generator(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("threads", [1, 3])
def test_same_seed_same_decision(name: str, threads: int) -> None:
    options = preset(name, threads=threads, capacity=20_000)
    one, other = (search(Position.from_moves("44"), options, 500, seed=7) for _ in range(2))
    assert one.forest.branch(2) == other.forest.branch(2)
    assert one.column == other.column
    assert one.iterations == 500
    assert sum(child.visits for child in one.root.children) >= 499 - threads


def test_another_seed_another_tree() -> None:
    one, other = (search(Position(), preset("uct-menary"), 500, seed=s) for s in (1, 2))
    assert one.forest.branch(1) != other.forest.branch(1)


def test_threads_grow_different_trees_that_add_up() -> None:
    result = search(Position(), preset("uct-menary", threads=2), 1001)
    one, other = (
        [engine.facts(child).visits for child in engine.children(engine.root())]
        for engine in result.forest.trees
    )
    assert one != other
    assert (sum(one), sum(other)) == (501, 500)


def test_results_of_threads_cover_all_their_trees() -> None:
    """A tree starts with the root and seven columns; its eighth iteration goes a move deeper."""
    options = preset("uct-menary", threads=2, capacity=15)
    result = search(Position(), options, 15)
    one, other = result.forest.trees
    assert (one.used, other.used, result.stored) == (15, 8, 23)
    assert (one.depth, other.depth, result.depth) == (2, 1, 2)
    assert not result.full
    result = search(Position(), options, 17)
    assert [tree.full for tree in result.forest.trees] == [True, False]
    assert result.full


def test_a_loaded_search_starts_again() -> None:
    for backend in ("compiled", "python"):
        searcher = MonteCarloSearch(preset("uct-menary", reuse=True), backend)
        searcher.load(Geometry())
        assert searcher.search(Position(), generator(), iterations=5).reused_visits == 0


def test_a_position_decided_at_a_glance_has_no_branching() -> None:
    for moves in ("121212", "41315"):
        result = search(Position.from_moves(moves), preset("uct"), 100)
        assert result.iterations == result.depth == 0
        assert result.branching is None


def test_seconds_end_a_search() -> None:
    for options in (preset("uct"), preset("uct", threads=2), preset("uct-itu-table"), FLAT):
        result = MonteCarloSearch(options).search(Position(), generator(), seconds=0.02)
        assert result.iterations > 0
    both = MonteCarloSearch(preset("uct")).search(
        Position(), generator(), iterations=50, seconds=5.0
    )
    assert both.iterations == 50


FLAT = preset("flat")


def test_the_budget_given_replaces_the_agents_own() -> None:
    assert search(Position(), preset("uct-aifour"), 77).iterations == 77
    assert MonteCarloSearch(preset("uct-aifour")).search(Position(), generator()).iterations == 200


@pytest.mark.parametrize("table", ["off", "equal", "mirror"])
@pytest.mark.parametrize("backend", ["compiled", "python"])
def test_the_tree_is_kept_from_either_player_s_reply(table: str, backend: str) -> None:
    searcher = MonteCarloSearch(preset("uct-menary", transpositions=table, reuse=True), backend)
    position, rng = Position.from_moves("44"), generator()
    before = searcher.search(position, rng, iterations=600)
    one_on = position.play(before.column)
    reply = before.line[1]
    grandchild = next(
        node
        for child in before.forest.branch(2).children
        if child.column == before.column
        for node in child.children
        if node.column == reply
    )
    kept = searcher.search(one_on.play(reply), rng, iterations=1)
    assert kept.reused_visits >= grandchild.visits > 0
    assert kept.root.visits == kept.reused_visits + 1
    again = searcher.search(one_on.play(reply).play(kept.column), rng, iterations=1)
    assert again.reused_visits > 0
    elsewhere = searcher.search(Position.from_moves("11"), rng, iterations=1)
    assert elsewhere.reused_visits == 0
    searcher.reset()
    assert searcher.search(one_on, rng, iterations=1).reused_visits == 0


def test_a_kept_tree_is_the_subtree() -> None:
    searcher = MonteCarloSearch(preset("uct-menary", reuse=True))
    position = Position.from_moves("44")
    before = searcher.search(position, generator(), iterations=3000)
    subtree = next(c for c in before.forest.branch(None).children if c.column == before.column)
    engine = before.forest.trees[0]
    engine.start(position.play(before.column), 1)
    now = before.forest.__class__(position, before.forest.options, (engine,)).branch(None)
    assert now.children == subtree.children
    assert now.visits == subtree.visits


def test_no_reuse_starts_from_scratch() -> None:
    searcher = MonteCarloSearch(preset("uct-menary"))
    rng = generator()
    searcher.search(Position(), rng, iterations=100)
    assert searcher.search(Position(), rng, iterations=100).reused_visits == 0


def test_the_table_outlives_the_game() -> None:
    searcher = MonteCarloSearch(preset("uct-itu-table"))
    rng = generator()
    first = searcher.search(Position(), rng, iterations=500)
    searcher.search(Position.from_moves("4455"), rng, iterations=500)
    again = searcher.search(Position(), rng, iterations=500)
    assert again.reused_visits == 500
    assert again.stored > first.stored


@pytest.mark.parametrize("backend", ["compiled", "python"])
def test_a_full_table_replaces_positions_and_forgets_no_other(backend: str) -> None:
    searcher = MonteCarloSearch(preset("uct-itu-table", capacity=200), backend)
    rng = generator()
    before = searcher.search(Position(), rng, iterations=500)
    assert (before.full, before.stored) == (True, 200)
    visits = {child.column: child.visits for child in before.root.children}
    after = searcher.search(Position(), rng, iterations=500)
    assert (after.reused_visits, after.stored, after.root.visits) == (500, 200, 1000)
    assert all(child.visits >= visits[child.column] for child in after.root.children)
    reply = max(visits, key=lambda column: visits[column])
    assert (
        searcher.search(Position().play(reply), rng, iterations=20).reused_visits >= visits[reply]
    )


@pytest.mark.parametrize("name", ["uct", "flat", "uct-itu", "uct-itu-table"])
def test_a_win_is_taken_without_a_search(name: str) -> None:
    result = search(Position.from_moves("121212"), PRESETS[name], 100)
    assert (result.column, result.value, result.iterations) == (0, 1.0, 0)
    assert result.policy == (1.0, 0, 0, 0, 0, 0, 0)
    assert result.line == (0,)


@pytest.mark.parametrize("backend", ["compiled", "python"])
def test_flat_search_takes_a_win_that_it_has_to_find(backend: str) -> None:
    """A column that ends the game is one leaf, and others are seven."""
    options = preset("flat", decisive_moves="off")
    result = search(Position.from_moves("12121256"), options, 490, backend=backend)
    assert (result.column, result.value) == (0, 1.0)


@pytest.mark.parametrize("playout", ["wins-and-blocks", "replies"])
def test_flat_search_takes_a_win_though_all_leaves_of_another_column_are_won(playout: str) -> None:
    options = preset("flat", decisive_moves="off", playout=playout)
    for seed in range(10):
        searcher = MonteCarloSearch(options)
        rng = np.random.default_rng(seed)
        assert searcher.search(Position.from_moves("223344"), rng, iterations=400).column in (0, 4)


def test_flat_search_without_room_for_replies_favours_no_column() -> None:
    """With room only for the moves to column 1, it would be a sum of seven means next to means."""
    options = preset("flat", capacity=16)
    result = search(Position.from_moves("4455"), options, 20_000)
    assert result.full
    best = max(result.root.children, key=lambda child: child.mean)
    assert result.column == best.column != 0


def test_a_lost_position_still_blocks() -> None:
    position = Position.from_moves("414313")  # not lost yet
    lost = Position.from_moves("41315")  # an open three at the bottom: columns 2 and 6
    assert search(position, preset("uct"), 100).value > -1
    result = search(lost, preset("uct"), 100)
    assert (result.value, result.iterations) == (-1.0, 0)
    assert result.column in (1, 5)


@pytest.mark.parametrize("name", PRESETS)
def test_boards_beyond_128_bits_are_searched_in_python(name: str) -> None:
    position = Position.from_moves("5566", Geometry(13, 9, 4))
    result = search(position, PRESETS[name], 12)
    assert result.backend == "python"
    assert result.column in position.legal_columns
    with pytest.raises(InvalidOptions, match="backend=compiled supports boards of columns"):
        search(position, PRESETS[name], 12, backend="compiled")


def test_the_smallest_boards() -> None:
    for geometry in (Geometry(1, 1, 2), Geometry(1, 3, 2), Geometry(2, 1, 2)):
        for options in PRESETS.values():
            assert search(Position(geometry), options, 50).column in range(geometry.columns)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"iterations": 0}, "iterations must be 1 to 2,147,483,647, got 0"),
        ({"iterations": -5}, "1 to 2,147,483,647, got -5"),
        ({"iterations": 2**31}, "1 to 2,147,483,647, got 2,147,483,648"),
        ({"iterations": 2.5}, "whole number"),
        ({"seconds": 0}, "seconds must be greater than 0, got 0"),
        ({"seconds": -1.0}, "seconds must be"),
        ({"seconds": float("nan")}, "seconds must be"),
        ({"playout": "magic"}, "there is no playout 'magic': choose from random, wins-and-blocks"),
        ({"formula": "ucb2"}, "there is no formula 'ucb2' (did you mean ucb?): choose"),
        ({"first_play": "last"}, "choose from random, order, all"),
        ({"final_choice": "luck"}, "choose from visits, mean, ucb"),
        ({"scale": "0-1"}, "choose from -1..1, 0..1"),
        ({"decisive_moves": True}, "choose from off, root, tree"),
        ({"transpositions": "yes"}, "choose from off, equal, mirror"),
        ({"method": "minimax"}, "choose from uct, flat, breadth"),
        ({"c": -0.1}, "c must be 0 or more, got -0.1"),
        ({"c": float("inf")}, "c must be"),
        ({"c": True}, "c must be a number, got True"),
        ({"playout_cutoff": -1}, "playout_cutoff must be 0 to 1,000"),
        ({"playout_cutoff": 1001}, "playout_cutoff must be 0 to 1,000, got 1,001"),
        ({"playout_cutoff": True}, "playout_cutoff must be a whole number"),
        ({"min_wins": -1}, "min_wins must be 0 to 1,000, got -1"),
        ({"min_wins": 1001}, "got 1,001"),
        (
            {"min_wins": 1, "transpositions": "equal"},
            "min_wins needs method=uct and transpositions=off",
        ),
        ({"min_wins": 1, "method": "flat"}, "min_wins needs method=uct and transpositions=off"),
        ({"capacity": 0}, "capacity must be 1 to 100,000,000"),
        ({"capacity": 100_000_001}, "1 to 100,000,000, got 100,000,001"),
        ({"threads": 0}, "threads must be 1 to 64"),
        ({"threads": 65}, "threads must be 1 to 64, got 65"),
        ({"solver": 1}, "solver must be true or false"),
        ({"reuse": 0}, "reuse must be true or false, got 0"),
        ({"playoud": 3}, "there is no option 'playoud' (did you mean playout?)"),
        ({"method": "flat", "transpositions": "equal"}, "needs method=uct"),
        ({"method": "flat", "decisive_moves": "tree"}, "decisive_moves=tree needs method=uct"),
        ({"method": "breadth", "solver": True}, "need method=uct"),
        ({"method": "flat", "reuse": True}, "need method=uct"),
        (
            {"transpositions": "equal", "first_play": "all"},
            "transpositions needs first_play=random or first_play=order",
        ),
    ],
)
def test_bad_options(changes: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidOptions, match=re.escape(words)):
        MonteCarloOptions().with_changes(**changes)


def test_options_at_their_bounds() -> None:
    for changes in (
        {"c": 0},
        {"playout_cutoff": 1000, "min_wins": 1000},
        {"capacity": 100_000_000, "threads": 64},
        {"iterations": 2**31 - 1, "seconds": 1e-9},
        {"method": "flat", "decisive_moves": "root"},
    ):
        options = MonteCarloOptions().with_changes(**changes)
        assert all(getattr(options, name) == value for name, value in changes.items())


def test_bad_searches() -> None:
    position, rng = Position(), generator()
    with pytest.raises(InvalidOptions, match="there is no search 'uct-menari'"):
        preset("uct-menari")
    with pytest.raises(InvalidOptions, match="a search needs a budget"):
        MonteCarloSearch(MonteCarloOptions()).search(position, rng)
    with pytest.raises(InvalidOptions, match="iterations must be"):
        MonteCarloSearch(preset("uct")).search(position, rng, iterations=0)
    with pytest.raises(InvalidOptions, match="seconds must be"):
        MonteCarloSearch(preset("uct")).search(position, rng, seconds=0)
    with pytest.raises(InvalidPosition, match="the game is over"):
        MonteCarloSearch(preset("uct")).search(Position.from_moves("1212121"), rng, iterations=5)
    with pytest.raises(InvalidOptions, match="there is no backend 'gpu'"):
        MonteCarloSearch(preset("uct"), "gpu")
    for table in ("off", "equal"):
        few = preset("uct-menary", capacity=3, transpositions=table)
        with pytest.raises(InvalidOptions, match="capacity must be at least 8 here"):
            MonteCarloSearch(few).search(position, rng, iterations=5)
        # One column is full here.
        seven = preset("uct-menary", capacity=7, transpositions=table)
        full = Position.from_moves("111111")
        assert MonteCarloSearch(seven).search(full, rng, iterations=5).iterations == 5


def test_bad_traces() -> None:
    search, rng = MonteCarloSearch(preset("uct")), generator()
    with pytest.raises(InvalidOptions, match="iterations must be"):
        search.trace(Position(), rng, 0)
    with pytest.raises(InvalidPosition, match="the game is over"):
        search.trace(Position.from_moves("1212121"), rng, 5)


def test_two_plies_keep_the_limit_where_a_playout_takes_long() -> None:
    """All 256 leaves of this board once take seconds."""
    searcher = MonteCarloSearch(preset("flat", playout="alphabeta2"))
    found = searcher.search(Position(Geometry(16, 16)), generator(), seconds=0.01)
    assert 1 <= found.iterations < 256


def test_numbers_of_numpy_are_numbers() -> None:
    plain = MonteCarloOptions(c=0.5, min_wins=1, capacity=1000, playout_cutoff=3, threads=2)
    given = MonteCarloOptions(
        c=np.float32(0.5), min_wins=np.uint8(1), capacity=np.int64(1000),
        playout_cutoff=np.int16(3), threads=np.uint16(2),
    )  # fmt: skip
    assert given == plain
    assert all(type(getattr(given, n)) is type(getattr(plain, n)) for n in vars(plain))
    assert search(Position(), given, 50).root == search(Position(), plain, 50).root
    table = MonteCarloOptions(transpositions="equal", capacity=np.int64(1000))
    assert search(Position(), table, 50).iterations == 50


def test_a_policy_is_certain_only_of_proven_wins() -> None:
    found = search(Position.from_moves("44"), preset("uct-menary"), 7)
    assert found.value == 1.0  # one playout each, and the best one won its playout
    assert found.policy == (1 / 7,) * 7


def test_a_choice_by_bound_without_a_visit_is_drawn() -> None:
    options = preset("uct-itu-table")
    assert options.final_choice == "ucb" and options.first_play == "random"
    root = search(Position(), options, 1).root
    unvisited = replace(root, children=tuple(
        replace(child, visits=0, mean=math.nan) for child in root.children
    ))  # fmt: skip
    drawn = {choose(unvisited, Position(), options, generator(seed)).column for seed in range(60)}
    assert drawn == set(range(7))


def child(
    column: int, visits: int, mean: float, proof: int = UNPROVEN, distance: int = 0
) -> Branch:
    """A column whose bonus grows with its visits, unlike the bonus of any formula."""
    bonus = visits / 10
    return Branch(column, visits, mean * visits, mean, bonus, 0.0, mean, mean, proof, distance)


@pytest.mark.parametrize(
    ("choice", "children", "chosen"),
    [
        ("visits", [child(0, 10, 0.9), child(1, 12, -0.5)], {1}),
        ("visits", [child(0, 10, 0.1), child(1, 10, 0.2), child(2, 9, 0.9)], {1}),
        ("mean", [child(0, 99, 0.1), child(1, 5, 0.2)], {1}),
        ("mean", [child(0, 5, 0.2), child(1, 6, 0.2)], {1}),
        ("mean", [child(0, 5, -0.5), child(1, 0, 0.0)], {0}),
        ("ucb", [child(0, 99, 0.1), child(1, 5, 0.2)], {0}),
        ("ucb", [child(0, 5, 0.1), child(1, 5, 0.2), child(2, 4, 0.3)], {1}),
        ("visits", [child(0, 5, 0.2), child(1, 5, 0.2), child(2, 4, 0.2)], {0, 1}),
        (
            "visits",
            [child(0, 9, 0.9), child(1, 1, 1, PROVEN_WIN, 5), child(2, 1, 1, PROVEN_WIN, 3)],
            {2},
        ),
        ("visits", [child(0, 9, 1, PROVEN_WIN, 3), child(1, 1, 1, PROVEN_WIN, 3)], {0, 1}),
        ("mean", [child(0, 9, -1, PROVEN_LOSS, 8), child(1, 1, -0.9)], {1}),
        ("visits", [child(0, 9, -1, PROVEN_LOSS, 2), child(1, 1, -1, PROVEN_LOSS, 4)], {1}),
        ("visits", [child(3, 1, -1, PROVEN_LOSS, 4), child(6, 7, -1, PROVEN_LOSS, 4)], {3, 6}),
    ],
)
def test_choices_by_hand(choice: str, children: list[Branch], chosen: set[int]) -> None:
    root = replace(child(0, 30, 0.0), children=tuple(children))
    options = preset("uct", final_choice=choice, solver=True)
    drawn = {choose(root, Position(), options, generator(seed)).column for seed in range(40)}
    assert drawn == chosen
    # The left one of equals if the order decides.
    ordered = replace(options, first_play="order")
    drawn = {choose(root, Position(), ordered, generator(seed)).column for seed in range(40)}
    assert drawn == {min(chosen)}


def test_without_the_solver_proofs_do_not_choose() -> None:
    children = (child(0, 9, 0.9), child(1, 1, 1.0, PROVEN_WIN, 3), child(2, 10, -1, PROVEN_LOSS, 2))
    root = replace(child(0, 20, 0.0), children=children)
    options = preset("uct", final_choice="visits", solver=False)
    assert choose(root, Position(), options, generator()).column == 2


@pytest.mark.parametrize(
    ("children", "chosen", "expected"),
    [
        ([child(0, 3, 0.0), child(2, 1, 0.5)], 0, (0.75, 0, 0.25)),
        # Only a proven win, with any visits; never proven losses.
        ([child(0, 9, 0.5), child(1, 1, 1.0, PROVEN_WIN, 3)], 1, (0, 1, 0)),
        (
            [child(0, 6, -1.0, PROVEN_LOSS, 2), child(1, 1, 0.0), child(2, 3, 0.0)],
            2,
            (0, 0.25, 0.75),
        ),
        # Unless every move is one.
        ([child(n, 5, -1.0, PROVEN_LOSS, 2) for n in range(3)], 2, (0, 0, 1)),
    ],
)
def test_policies_by_hand(children: list[Branch], chosen: int, expected: tuple[float, ...]) -> None:
    root = replace(child(0, 30, 0.0), children=tuple(children))
    (taken,) = (each for each in children if each.column == chosen)
    assert policy(root, taken, 3) == expected
