"""A solver in plain Python for small boards: what `Solver` must answer, found by full search."""

from __future__ import annotations

from claimeven.game.geometry import Geometry
from claimeven.game.position import Position


class PlainSolver:
    """Exact scores by minimax over every line of play, with a memory of positions."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.known: dict[int, int] = {}

    def score(self, position: Position) -> int:
        key = position.key
        if key not in self.known:
            over = position.outcome
            if over is None:
                score = max(s for s in self.scores(position) if s is not None)
            elif over.winner is None:
                score = 0
            else:
                score = -((self.geometry.cells + 1 - (position.ply - 1)) // 2)
            self.known[key] = score
        return self.known[key]

    def scores(self, position: Position) -> tuple[int | None, ...]:
        legal = position.legal_columns
        return tuple(
            -self.score(position.play_unchecked(column)) if column in legal else None
            for column in range(self.geometry.columns)
        )

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        line: list[int] = []
        while not position.is_over:
            scores = self.scores(position)
            best = max(score for score in scores if score is not None)
            line.append(next(c for c in self.geometry.center_order if scores[c] == best))
            position = position.play(line[-1])
        return tuple(line)
