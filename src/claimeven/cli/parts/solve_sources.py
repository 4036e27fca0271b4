"""Where `solve` takes scores from: the exact solver, or a solver of another program."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from claimeven.cli.common.progress import status_line
from claimeven.cli.common.solver_options import SolverChoice, progress_text
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

if TYPE_CHECKING:
    from claimeven.solver import SolveProgress

Scores = tuple[int | None, ...]


class ScoreSource(Protocol):
    """Something that knows scores; `nodes` and `seconds` are those spent so far."""

    @property
    def nodes(self) -> int | None:
        """Positions looked at; None where that is not known."""

    @property
    def seconds(self) -> float:
        """Time taken."""

    def score(self, position: Position, moves: str) -> int:
        """Return the score of a position."""

    def outcome(self, position: Position, moves: str) -> int:
        """Return 1 for a win, 0 for a draw, -1 for a loss, for the side to move."""

    def scores(self, position: Position, moves: str) -> Scores:
        """Return the score of every column, None where it is full."""

    def close(self) -> None:
        """Give back what it holds."""


class OwnScores:
    """Scores of the exact solver; a long search shows how far it is."""

    def __init__(self, choice: SolverChoice, geometry: Geometry) -> None:
        self._solver = choice.solver(geometry)

    @property
    def nodes(self) -> int | None:
        """Positions looked at."""
        return self._solver.statistics.nodes

    @property
    def seconds(self) -> float:
        """Time taken."""
        return self._solver.statistics.seconds

    def score(self, position: Position, moves: str) -> int:
        """Return the score of a position."""
        with status_line() as line:
            return self._solver.score(position, progress=_shown(line.show, moves))

    def outcome(self, position: Position, moves: str) -> int:
        """Return 1, 0 or -1, which is found sooner than the score."""
        with status_line() as line:
            return self._solver.outcome(position, progress=_shown(line.show, moves))

    def scores(self, position: Position, moves: str) -> Scores:
        """Return the score of every column."""
        with status_line() as line:
            return self._solver.scores(position, progress=_shown(line.show, moves))

    def close(self) -> None:
        """There is nothing to give back."""


class OtherScores:
    """Scores of another program, as `pons:COMMAND` names it. Raises `InvalidSpec`."""

    def __init__(self, spec: str, geometry: Geometry) -> None:
        from claimeven.agents.external.pons import solver_of  # noqa: PLC0415 - for a quick start

        self._solver = solver_of(spec, geometry)
        self.spec = spec
        self.nodes: int | None = None
        self.seconds = 0.0

    def score(self, position: Position, moves: str) -> int:
        """Return the score of a position. Raises `AgentFault`."""
        with self._timed():
            return self._solver.score(position)

    def outcome(self, position: Position, moves: str) -> int:
        """Return the sign of the score."""
        score = self.score(position, moves)
        return (score > 0) - (score < 0)

    def scores(self, position: Position, moves: str) -> Scores:
        """Return the score of every column. Raises `AgentFault`."""
        with self._timed():
            return self._solver.scores(position)

    def close(self) -> None:
        """Let the program end."""
        self._solver.close()

    @contextmanager
    def _timed(self) -> Iterator[None]:
        from claimeven.agents.base import AgentFault  # noqa: PLC0415 - for a quick start

        begin = time.perf_counter()
        try:
            yield
        except AgentFault as fault:
            raise AgentFault(f"{self.spec} {fault}", kind=fault.kind) from None
        finally:
            self.seconds += time.perf_counter() - begin


def effort_words(source: ScoreSource, nodes: int | None, seconds: float) -> list[str]:
    """Return nodes and microseconds spent since there were so many, as Pons's solver tells them.

    A solver of another program tells no nodes: 0.
    """
    visited = (source.nodes or 0) - (nodes or 0)
    return [str(visited), str(round(1e6 * (source.seconds - seconds)))]


def source_of(spec: str | None, choice: SolverChoice, geometry: Geometry) -> ScoreSource:
    """Return the scores of another program, or of the exact solver where there is no spec."""
    return OwnScores(choice, geometry) if spec is None else OtherScores(spec, geometry)


def _shown(
    show: Callable[[Callable[[], str]], None], moves: str
) -> Callable[[SolveProgress], None]:
    return lambda at: show(lambda: progress_text(moves, at))
