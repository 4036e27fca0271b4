"""greedy, full minimax, flat Monte Carlo and UCT against the ITU lab's own code."""

from __future__ import annotations

import math

import numpy as np
import pytest

from claimeven import Geometry, Position, make_agent
from claimeven.agents import Limit
from claimeven.game.drawing import parse_drawing
from claimeven.minimax import MinimaxSearch
from claimeven.montecarlo import PRESETS, MonteCarloSearch, preset
from claimeven.montecarlo.dispatch import TIME_PARTS
from claimeven.montecarlo.formula import upper_bound
from tests.originals.positions import leftmost, load

ITU = load("itu")
GOING_ON = load("positions")["going_on"]
FINISHED = load("positions")["finished"]
SMALL = Geometry(4, 4, 4)


def test_greedy_plays_as_the_lab_does() -> None:
    agent, rng = make_agent("greedy"), np.random.default_rng(0)
    ours = [agent.choose(Position.from_moves(m), Limit(), rng).column for m in GOING_ON]
    assert ours == ITU["text"]["greedy"] == ITU["printed"]["greedy"]


def test_a_line_is_seen_anywhere() -> None:
    outcomes = [Position.from_moves(moves).outcome for moves in FINISHED]
    assert None not in outcomes
    ours = [0 if end is None or end.winner is None else end.winner + 1 for end in outcomes]
    assert ours == ITU["text"]["outcome"]


def test_the_lab_as_printed_misses_diagonals_at_the_right() -> None:
    pairs = list(zip(ITU["text"]["outcome"], ITU["printed"]["outcome"], strict=True))
    assert sum(seen != found for seen, found in pairs) == 121
    assert all(found == 0 for seen, found in pairs if seen != found)


def test_minimax_to_the_end_keeps_the_result() -> None:
    search = MinimaxSearch("minimax", "triples", "left")
    kept_as_printed = 0
    for moves, column, printed in zip(
        ITU["small_games"], ITU["text"]["minimax"], ITU["printed"]["minimax"], strict=True
    ):
        known = search.search(Position.from_moves(moves, SMALL)).columns
        results = {c: np.sign(k.value) for c, k in enumerate(known) if k is not None}
        best = [c for c, result in results.items() if result == max(results.values())]
        assert column == best[0]
        kept_as_printed += printed in best
    # As printed it sees wins on a full board only, and so plays the first column.
    assert (kept_as_printed, len(ITU["small_games"])) == (66, 100)


def test_the_formula() -> None:
    options = preset("uct-itu")
    for above, visits, total, value in ITU["formula"]:
        spread = options.weight * math.sqrt(math.log(above))
        assert upper_bound(total, visits, spread) == pytest.approx(value, rel=1e-12)


def test_drawings_are_read_back() -> None:
    for moves, drawing in zip(FINISHED, ITU["drawings"], strict=False):
        assert parse_drawing("\n".join(drawing), first="O") == Position.from_moves(moves)


def test_a_playout_is_cut_after_twenty_rounds() -> None:
    cuts = {PRESETS[name].playout_cutoff for name in ("flat", "uct-itu", "uct-itu-table")}
    assert cuts == {ITU["discs_at_cut"]} == {40}


def test_flat_search_gives_each_leaf_a_fortieth_of_the_time() -> None:
    """By the lab's clock, which ticks once when a leaf starts; more leaves overrun the time."""
    for _, units, leaves, playouts in ITU["playouts"]:
        assert playouts == leaves * (units / TIME_PARTS - 1)
    spent = {leaves: leaves / TIME_PARTS for _, _, leaves, _ in ITU["playouts"]}
    assert spent == {49: 1.225, 36: 0.9, 25: 0.625}


def test_flat_search_chooses_by_the_sum_of_means() -> None:
    options = preset("flat", playout=leftmost)
    chosen = 0
    for moves, column in zip(GOING_ON, ITU["text"]["flat"], strict=False):
        position = Position.from_moves(moves)
        result = MonteCarloSearch(options).search(position, np.random.default_rng(0), iterations=49)
        wins = [c for c in position.legal_columns if position.play(c).is_over]
        if wins and position.ply < 41:
            assert column == wins[-1]  # columns are in random order, here from the right
            assert result.column in wins
            continue
        judged = {child.column: child.final_mean for child in result.root.children}
        best = [c for c, worth in judged.items() if worth == max(judged.values())]
        assert column == best[-1]
        assert result.column in best
        chosen += 1
    assert chosen > 200


def test_trees_are_those_the_text_describes() -> None:
    """The same columns visited as often, with the same results, when playouts are the same."""
    options = preset("uct-itu", playout=leftmost, first_play="order", decisive_moves="off")
    for moves, (column, *columns) in zip(GOING_ON, ITU["text"]["uct"], strict=False):
        position = Position.from_moves(moves)
        result = MonteCarloSearch(options).search(
            position, np.random.default_rng(0), iterations=200
        )
        ours: list[list[int] | None] = [None] * 7
        for child in result.root.children:
            ours[child.column] = [child.visits, int(child.total)]
        assert ours == columns, moves
        wins = [c for c in position.legal_columns if position.play(c).is_over]
        assert result.column == column or column in wins
