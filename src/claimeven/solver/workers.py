"""Questions to the solvers of an executor's workers: see `parallel.jobs`.

A worker has its own solver of one thread. Scores are exact, so they do not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from functools import partial
from typing import Any, NamedTuple

from claimeven.game.geometry import Geometry
from claimeven.game.position import Position
from claimeven.parallel.jobs import Calls, Executor, Result, made
from claimeven.solver.solver import Solver


class Answer(NamedTuple):
    """An answer, and the nodes and seconds of its search."""

    value: Any
    nodes: int
    seconds: float


def ask(question: Callable[[Any], Any], solver: Solver) -> Answer:
    """Return the answer of `question(solver)`."""
    before = solver.statistics
    value = question(solver)
    after = solver.statistics
    return Answer(value, after.nodes - before.nodes, after.seconds - before.seconds)


def scores_by(
    executor: Executor | None,
    make: Callable[[], Solver],
    geometry: Geometry,
    discs: tuple[Iterable[Any], Iterable[Any]],
) -> Generator[Result, None, None]:
    """Yield an `Answer` with the score of each position, with its number, as they are solved.

    Without an executor this process solves them.

    `discs` are the arrays `mine` and `mask`. `make` makes a worker's solver: `Solver.maker()`.
    """
    positions = (
        Position(geometry, int(mine), int(mask)) for mine, mask in zip(*discs, strict=True)
    )
    return Calls(_score, partial(made, make)).results(positions, executor)


def _score(solver: Solver, position: Position) -> Answer:
    return ask(lambda solver: solver.score(position), solver)
