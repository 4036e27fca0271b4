"""Measurements against known values."""

from __future__ import annotations

import math

import pytest

from claimeven import Geometry, Position
from claimeven.arena.studies import measurements
from claimeven.minimax import MinimaxSearch


def test_a_decision_reports_iterations_and_its_column_from_1() -> None:
    found = measurements.decision("uct-menary", "445566", 0.05)
    assert found["iterations", "0"].value > 10
    assert found["column", "0"].value in (3, 7)  # both win immediately
    small = measurements.decision("uct-menary", "232", 0.05, Geometry(4, 4, 3))
    assert small["column", "0"].value in (1, 2, 3, 4)


def test_counting_is_measured_for_each_method_and_the_scan() -> None:
    found = measurements.counting("1122334", Geometry(), 3)
    scan = found["microseconds", "scan"].value
    assert found["ratio", "scan"].value == 1
    for way in ("convolution", "table", "bitboard"):
        assert math.isclose(found["ratio", way].value, scan / found["microseconds", way].value)


def test_an_empty_board_is_solved_without_a_book() -> None:
    found = measurements.exact("", Geometry(4, 4, 4), table_mb=1)
    assert found["exact_score", "0"].value == 0
    assert found["seconds", "0"].value > 0


def test_minimax_evaluates_every_leaf_and_alpha_beta_fewer() -> None:
    found = measurements.evaluations("windows", 3)
    assert found["evaluations", "minimax"].value == 7**3
    assert found["evaluations", "alphabeta"].value < 7**3
    left = MinimaxSearch("alphabeta", "windows", order="left", backend="python")
    readable = left.search(Position(), depth=3)
    assert found["evaluations", "alphabeta"].value == readable.counters.evaluations


def test_the_columns_of_a_search_are_means_over_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurements, "SEEDS", 3)
    found = measurements.columns("uct-menary", "232", 60, Geometry(4, 4, 3))
    assert sum(found["visits", str(column)].value for column in range(1, 5)) == 60
    assert all(-1 <= found["value", str(column)].value < 0 for column in range(1, 5))


def test_more_iterations_block_more_threats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurements, "SEEDS", 20)
    found = measurements.blocks("uct-menary", (10, 2000))
    assert found["share", "10"].value < 80 < found["share", "2000"].value


def test_games_are_over_in_time() -> None:
    found = [measurements.rounds(50)["share", str(count)].value for count in range(1, 22)]
    assert found == sorted(found)
    assert (found[2], found[-1]) == (0, 100)


def test_a_line_is_timed_three_ways() -> None:
    found = measurements.one_line()
    scan, table = (found["microseconds", way].value for way in ("scan", "table"))
    assert math.isclose(found["ratio", "table"].value, scan / table)
