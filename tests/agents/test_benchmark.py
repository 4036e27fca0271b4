"""The benchmark's nodes: a change of any of them is a change of a search."""

from __future__ import annotations

import pytest

from claimeven import ClaimevenError
from claimeven.agents import benchmark
from claimeven.agents.benchmark import SEARCHES, run_benchmark

#: By search; the total is what `claimeven bench` prints.
NODES = {
    "solver": 9_473_776,
    "minimax": 13_699_548,
    "alphabeta": 10_290_557,
    "negamax": 13_877_325,
    "uct": 605_295,
    "uct-polito": 2_192_769,
    "uct-menary": 688_125,
    "uct-aifour": 643_375,
    "uct-aifour-code": 653_926,
    "uct-aifour-greedy": 47_072,
    "uct-itu": 688_099,
    "uct-itu-table": 188_289,
}
TOTAL = 53_048_156


def test_the_nodes_of_every_search() -> None:
    found = {totals.search: totals for totals in run_benchmark()}
    assert {name: totals.nodes for name, totals in found.items()} == NODES
    assert len(found) == SEARCHES
    assert sum(NODES.values()) == TOTAL
    assert all(totals.rate == totals.nodes / totals.seconds > 0 for totals in found.values())


def test_a_wrong_score_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "POSITIONS", {"256673446116142777": -11})
    with pytest.raises(
        ClaimevenError, match="wrong solver score: 256673446116142777 must score -11, got -12"
    ):
        next(run_benchmark())
