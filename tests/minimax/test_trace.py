"""The events of the textbook searches."""

from __future__ import annotations

import pytest

from claimeven import Position
from claimeven.minimax import WIN, MinimaxSearch
from tests.minimax.support import ALGORITHMS


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
