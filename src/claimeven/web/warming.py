"""The steps by which a worker gets ready, in the order in which a first visitor asks.

A step compiles, or loads from disk, the kernels of an agent. Other agents and the other requests
need the same kernels: after all steps a worker compiles no more.
"""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """A step: its name for people, and the spec of the agent that is made and asked once."""

    name: str
    agent: str


#: The first step serves the page as it opens: its default opponent, hints, scores, puzzles.
STEPS = (
    Step("the solver", "perfect:level=4"),
    Step("UCT", "uct:iterations=20"),
    Step("alpha-beta", "alphabeta:depth=2"),
    Step("the net", "net"),
    Step("search with the net", "puct:iterations=20"),
    Step("flat Monte Carlo", "flat:iterations=50"),
    Step("breadth-first Monte Carlo", "breadth:iterations=20"),
    Step("UCT with a table", "uct-itu-table:iterations=20"),
    Step("the n-tuple network", "ntuple"),
)
