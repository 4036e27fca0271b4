"""What the server and its workers agree on: how a job is sent, and the steps of getting ready."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from claimeven.agents import codec

#: MB of memory that a worker may hold.
MEMORY_MB = 2048


class Step(NamedTuple):
    """A step of getting ready: its name on the page, and the spec of an agent that is asked once.

    It compiles, or loads from disk, the kernels of the agent. Other agents and the other requests
    need the same kernels: after all steps a worker compiles no more.
    """

    name: str
    agent: str


#: In the order in which a first visitor asks. The first step serves the page as it opens: its
#: default opponent, hints, scores, puzzles.
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

#: How arguments that are not plain data are sent, by name: made plain, and read again.
_CODECS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "position": (codec.from_position, codec.to_position),
    "limit": (codec.from_limit, codec.to_limit),
    "geometry": (codec.from_geometry, lambda data: codec.board(*data)),
}


def to_plain(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a job as plain data."""
    return {n: _CODECS[n][0](value) if n in _CODECS else value for n, value in arguments.items()}


def from_plain(arguments: dict[str, Any]) -> dict[str, Any]:
    """Read the data of `to_plain`."""
    return {n: _CODECS[n][1](value) if n in _CODECS else value for n, value in arguments.items()}
