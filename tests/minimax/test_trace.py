"""The events of the textbook searches."""

from __future__ import annotations

import pytest

from claimeven import Geometry, Position
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


def test_a_cutoff_reports_skipped_columns_and_the_reason() -> None:
    output = set()
    for event in MinimaxSearch("alphabeta").trace(Position.from_moves("31415"), 3):
        if event.kind == "cut":
            count, roots_side_moves = event.skipped, len(event.columns) % 2 == 0
            columns = "1 column" if count == 1 else f"{count} columns"
            sure = (
                "the opponent can already get beta"
                if roots_side_moves
                else "the root's side can already get alpha"
            )
            assert event.reason == f"{columns} skipped: {sure}"
            output.add((count, roots_side_moves))
    assert output >= {(1, True), (2, True), (2, False), (3, False)}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_end_of_a_game_is_the_reason_of_its_value(algorithm: str) -> None:
    for position, reason, value in (
        (Position.from_moves("1", Geometry(2, 1, 2)), "draw", 0),
        (Position.from_moves("12", Geometry(2, 2, 2)), "Yellow wins", WIN - 1),
    ):
        events = MinimaxSearch(algorithm).trace(position, 1)
        stopped = [event for event in events if event.kind == "return" and event.columns]
        assert {(event.reason, abs(event.value or 0)) for event in stopped} == {(reason, value)}


@pytest.mark.parametrize("nodes", [8, 12, 20, 30, 45, 10**6])
def test_a_deepening_trace_starts_with_the_earlier_table(nodes: int) -> None:
    """They visit at most the positions of a search with this limit."""
    for moves in ("", "4455", "31"):
        position = Position.from_moves(moves)
        search = MinimaxSearch("negamax", "streaks", backend="python")
        output = list(search.trace(position, 3, deepening=nodes))
        search.search(position, 2, nodes=nodes)
        counters = search.search(position, 3).counters
        kinds = [event.kind for event in output]
        assert (kinds.count("enter"), kinds.count("cut")) == (counters.nodes, counters.cutoffs)


def test_a_trace_that_deepens_goes_no_further_than_the_board() -> None:
    position = Position.from_moves("112", Geometry(3, 2, 3))
    search = MinimaxSearch("negamax")
    beyond, whole = (list(search.trace(position, depth, 10**6)) for depth in (200, 3))
    assert beyond == whole


def test_a_trace_returns_the_node_of_the_root() -> None:
    trace = MinimaxSearch("alphabeta").trace(Position.from_moves("112233"), 2)
    with pytest.raises(StopIteration) as stopped:
        while True:
            next(trace)
    assert (stopped.value.value.value, stopped.value.value.line) == (WIN - 1, (3,))
