"""The table of negamax, from one call to the next."""

from __future__ import annotations

import pytest

from claimeven import Geometry, Position
from claimeven.minimax import MinimaxSearch
from tests.minimax.support import BACKENDS, facts_of
from tests.positions import random_positions


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
    assert facts_of(searcher.search(position, 4)) == facts_of(fresh)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_table_serves_the_next_move(backend: str) -> None:
    searcher = MinimaxSearch("negamax", backend=backend)
    position = Position.from_moves("44")
    replied = position.play(searcher.search(position, 4).column)
    fresh = MinimaxSearch("negamax", backend=backend).search(replied, 3)
    assert searcher.search(replied, 3).counters.nodes < fresh.counters.nodes


def test_a_table_may_have_2_to_the_28_entries() -> None:
    assert MinimaxSearch("negamax", table=1 << 28).table_entries == 1 << 28


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_search_on_another_board_does_not_meet_the_positions_of_the_last(backend: str) -> None:
    searcher = MinimaxSearch("negamax", backend=backend)
    for geometry in (Geometry(7, 6, 4), Geometry(7, 6, 3), Geometry(6, 6, 4), Geometry(4, 6, 4)):
        position = Position.from_moves("12", geometry)
        fresh = MinimaxSearch("negamax", backend=backend).search(position, 4)
        assert facts_of(searcher.search(position, 4)) == facts_of(fresh)


def test_a_trace_does_not_change_the_searches_after_it() -> None:
    position = Position.from_moves("44")
    traced, alone = (
        MinimaxSearch("negamax", backend="python"),
        MinimaxSearch("negamax", backend="python"),
    )
    assert len(list(traced.trace(position, 3))) > 0
    assert facts_of(traced.search(position, 3)) == facts_of(alone.search(position, 3))


def test_a_table_that_forgets_much_gives_the_same_value() -> None:
    full = MinimaxSearch("minimax")
    for position in random_positions(Geometry(), 60, seed=9, ongoing=True):
        expected = full.search(position, 4).value
        for entries in (1, 4, 16):
            assert MinimaxSearch("negamax", table=entries).search(position, 4).value == expected
