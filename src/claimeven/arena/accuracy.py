"""How well agents play, measured against exact scores: shares of perfect moves, losses, blunders.

A move counts where some column is worse than another: elsewhere nothing can be got wrong. It is
*perfect* if it keeps the exact score and *keeping* if it keeps win, draw or loss; its *loss* is
the points of score it gives away. Positions where a column throws the outcome away are *decisive*
and told apart as well, since only there can a game be lost. Beside each share stands its *floor*:
what drawing a legal column with equal chance would get on the same positions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from claimeven.game.position import Position
from claimeven.review.analysis import JudgedMove
from claimeven.solver.reports import SolveProgress
from claimeven.solver.solver import ILLEGAL, Solver

#: Positions solved between two looks at what is still to do, so that Ctrl-C keeps the rest.
_BATCH = 2048


@dataclass
class Tally:
    """Sums over judged moves that count; `add` one, `merge` another's."""

    moves: int = 0
    perfect: int = 0
    keeping: int = 0
    loss: int = 0
    floor_perfect: float = 0.0
    floor_keeping: float = 0.0
    floor_loss: float = 0.0

    def add(self, move: JudgedMove) -> None:
        """Count a move in; one that cannot go wrong is passed over."""
        if not move.counts:
            return
        known = [score for score in move.scores if score is not None]
        best = move.before
        self.moves += 1
        self.perfect += move.after == best
        self.keeping += move.steps == 0
        self.loss += best - move.after
        self.floor_perfect += known.count(best) / len(known)
        self.floor_keeping += sum(_sign(score) == _sign(best) for score in known) / len(known)
        self.floor_loss += sum(best - score for score in known) / len(known)

    def as_dict(self) -> dict[str, float | int | None]:
        """Return the number of moves and the means of the rest; None where no move counts."""
        names = (
            "perfect", "keeping", "loss", "floor_perfect", "floor_keeping", "floor_loss",
        )  # fmt: skip
        means = {name: getattr(self, name) / self.moves if self.moves else None for name in names}
        return {"moves": self.moves, **means}


@dataclass
class Accuracy:
    """What became of the moves of one agent.

    `all` counts every move that can go wrong, `decisive` those where the outcome was at stake;
    `by_ply` (discs on the board before the move) and `by_right` (number of columns that keep the
    score) split the first. `worst` holds the worst moves: outcomes thrown away first, then points.
    """

    all: Tally = field(default_factory=Tally)
    decisive: Tally = field(default_factory=Tally)
    by_ply: dict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_right: dict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))
    worst: list[JudgedMove] = field(default_factory=list)

    #: Blunders kept in `worst`.
    KEPT = 10

    def add(self, move: JudgedMove) -> None:
        """Count a move in."""
        if not move.counts:
            return
        self.all.add(move)
        if is_decisive(move):
            self.decisive.add(move)
        self.by_ply[move.ply].add(move)
        self.by_right[len(move.best)].add(move)
        if move.after < move.before:
            self.worst.append(move)
            if len(self.worst) > 4 * self.KEPT:
                self._trim()

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data; columns count from 1."""
        self._trim()
        return {
            **self.all.as_dict(),
            "decisive": self.decisive.as_dict(),
            "by_ply": {str(ply): self.by_ply[ply].as_dict() for ply in sorted(self.by_ply)},
            "by_right_columns": {
                str(count): self.by_right[count].as_dict() for count in sorted(self.by_right)
            },
            "worst": [move.as_dict() for move in self.worst],
        }

    def blunders(self, most: int) -> list[JudgedMove]:
        """Return the worst moves, worst first, each position once."""
        self._trim()
        return self.worst[:most]

    def _trim(self) -> None:
        unique = {(move.position, move.column): move for move in self.worst}
        ranked = sorted(unique.values(), key=lambda m: (-m.steps, m.after - m.before, m.ply))
        self.worst = ranked[: self.KEPT]


def is_decisive(move: JudgedMove) -> bool:
    """Whether some column of the position throws its outcome away."""
    best = _sign(move.before)
    return any(score is not None and _sign(score) != best for score in move.scores)


def accuracy_of(moves: Iterable[JudgedMove]) -> Accuracy:
    """Return the accuracy of judged moves.

    >>> from claimeven.review.analysis import JudgedMove
    >>> move = JudgedMove(Position.from_moves("4455"), 3, (-4, -3, 18, 2, 2, 18, -3))
    >>> accuracy_of([move]).all.as_dict()["loss"]
    16.0
    """
    accuracy = Accuracy()
    for move in moves:
        accuracy.add(move)
    return accuracy


def judge_moves(
    choices: Sequence[tuple[Position, int]],
    solver: Solver,
    progress: Callable[[int, int], None] | None = None,
) -> list[JudgedMove]:
    """Return each choice (a position that is not over, and the 0-based column played) judged.

    All are solved together, equal positions once, by all threads of the solver, the latest plies
    first: they are quick and tell the table much about the earlier ones. `progress` is told how
    many of how many different positions are solved.
    """
    different = sorted({position for position, _ in choices}, key=lambda p: (-p.ply, p.key))
    scores: dict[Position, tuple[int | None, ...]] = {}
    for start in range(0, len(different), _BATCH):
        part = different[start : start + _BATCH]

        def told(at: SolveProgress, start: int = start, size: int = len(part)) -> None:
            if progress is not None:
                progress(start + at.done * size // max(1, at.total), len(different))

        for position, row in zip(part, solver.scores_many(part, progress=told), strict=True):
            scores[position] = tuple(None if int(score) == ILLEGAL else int(score) for score in row)
    return [JudgedMove(position, column, scores[position]) for position, column in choices]


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
