"""Definitions shared by the server and its workers: messages of jobs, and the warm-up steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from claimeven.agents import codec

#: Memory limit of a worker in MB.
MEMORY_MB = 2048


class WarmupStep(NamedTuple):
    """A warm-up step: its name on the page, and the spec of an agent that makes one move.

    The step compiles the kernels of the agent, or loads them from disk. Other agents and requests
    use the same kernels: after all steps a worker compiles no more code.
    """

    name: str
    agent: str


#: In the order in which a first visitor needs them. The first step is for the page as it opens: its
#: default opponent, hints, scores, puzzles.
WARMUP_STEPS = (
    WarmupStep("the solver", "perfect:level=4"),
    WarmupStep("UCT", "uct:iterations=20"),
    WarmupStep("alpha-beta", "alphabeta:depth=2"),
    WarmupStep("the net", "net"),
    WarmupStep("search with the net", "puct:iterations=20"),
    WarmupStep("flat Monte Carlo", "flat:iterations=50"),
    WarmupStep("breadth-first Monte Carlo", "breadth:iterations=20"),
    WarmupStep("UCT with a table", "uct-itu-table:iterations=20"),
    WarmupStep("the n-tuple network", "ntuple"),
)

#: Conversions of arguments to plain data and back, by the name of the argument.
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
