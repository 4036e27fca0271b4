"""How well agents play, measured against exact scores: shares of perfect moves, losses, blunders.

A move counts where some column is worse than another: elsewhere nothing can be got wrong. It is
*perfect* if it keeps the exact score and *keeping* if it keeps win, draw or loss; its *loss* is
the points of score it gives away. Positions where a column throws the outcome away are *decisive*
and told apart as well, since only there can a game be lost. Beside each share stands its *floor*:
what drawing a legal column with equal chance would get on the same positions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from claimeven.markup import shown_by
from claimeven.review.analysis import JudgedMove
from claimeven.review.explain import ColumnExplanation, explain_columns
from claimeven.solver.contract import ExactSolver

#: What is told of some moves, as means: see `Tally`.
MEANS = ("perfect", "keeping", "loss", "floor_perfect", "floor_keeping", "floor_loss")


@dataclass
class Tally:
    """Sums over judged moves that count, exact in whatever order: `add` one, `merge` another's."""

    moves: int = 0
    perfect: int = 0
    keeping: int = 0
    loss: int = 0
    floor_perfect: Fraction = Fraction(0)
    floor_keeping: Fraction = Fraction(0)
    floor_loss: Fraction = Fraction(0)

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
        keeping = sum(_sign(score) == _sign(best) for score in known)
        self.floor_perfect += Fraction(known.count(best), len(known))
        self.floor_keeping += Fraction(keeping, len(known))
        self.floor_loss += Fraction(sum(best - score for score in known), len(known))

    def merge(self, other: Tally) -> None:
        """Add the sums of another tally."""
        self.moves += other.moves
        for name in MEANS:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def mean(self, name: str) -> float | None:
        """Return the mean of one of `MEANS` for a move that counts; None where none does."""
        return float(getattr(self, name) / self.moves) if self.moves else None

    def as_dict(self) -> dict[str, float | int | None]:
        """Return the number of moves and the means of the rest; None where no move counts."""
        return {"moves": self.moves, **{name: self.mean(name) for name in MEANS}}


@dataclass(frozen=True)
class Blunder:
    """A move that lost something, and where it was played.

    `moves` lead to the position from the empty board; `game` is the number of the game (from 0),
    None for a position of a set. `agent` is the label of who played it.
    """

    move: JudgedMove
    moves: str = ""
    game: int | None = None
    agent: str = ""

    _repr_html_ = shown_by("claimeven.arena.results_html", "blunder_html")

    @property
    def rank(self) -> tuple[int, int, int, int, str]:
        """What blunders are sorted by, the worst first: outcome lost, points lost, earlier ply."""
        move = self.move
        return (-move.steps, move.after - move.before, move.ply, self.game or 0, self.moves)

    def explained(self, solver: ExactSolver) -> tuple[ColumnExplanation, ColumnExplanation]:
        """Return what `explain` says of the column played, and of the one that was right."""
        move = self.move
        played, right = explain_columns(
            move.position, (move.column, move.best[0]), solver, move.scores
        )
        return played, right

    def as_dict(self) -> dict[str, object]:
        """Return the blunder as plain data; columns and games count from 1."""
        return {
            "agent": self.agent,
            "game": None if self.game is None else self.game + 1,
            "moves": self.moves,
            **self.move.as_dict(),
        }


@dataclass
class Accuracy:
    """What became of the moves of one agent, called `agent`.

    `all` counts every move that can go wrong, `decisive` those where the outcome was at stake;
    `by_ply` (discs on the board before the move) and `by_right` (number of columns that keep the
    score) split the first. `worst` holds the worst moves: outcomes thrown away first, then points.
    """

    all: Tally = field(default_factory=Tally)
    decisive: Tally = field(default_factory=Tally)
    by_ply: dict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_right: dict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))
    worst: list[Blunder] = field(default_factory=list)
    agent: str = ""

    #: Blunders kept in `worst`.
    KEPT = 10

    _repr_html_ = shown_by("claimeven.arena.results_html", "accuracy_html")

    @classmethod
    def of(cls, moves: Iterable[JudgedMove]) -> Accuracy:
        """Return the accuracy of judged moves.

        >>> from claimeven import Position
        >>> move = JudgedMove(Position.from_moves("4455"), 3, (-4, -3, 18, 2, 2, 18, -3))
        >>> Accuracy.of([move]).all.mean("loss")
        16.0
        """
        accuracy = cls()
        for move in moves:
            accuracy.add(move)
        return accuracy

    def add(self, move: JudgedMove, moves: str = "", game: int | None = None) -> None:
        """Count a move in; `moves` led to it, in the game of that number."""
        if not move.counts:
            return
        self.all.add(move)
        if is_decisive(move):
            self.decisive.add(move)
        self.by_ply[move.ply].add(move)
        self.by_right[len(move.best)].add(move)
        if move.after < move.before:
            self.worst.append(Blunder(move, moves, game, self.agent))
            if len(self.worst) > 4 * self.KEPT:
                self._trim()

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data; columns count from 1."""
        self._trim()
        return {
            **self.all.as_dict(),
            "decisive": self.decisive.as_dict(),
            "by_ply": [{"ply": ply, **self.by_ply[ply].as_dict()} for ply in sorted(self.by_ply)],
            "by_right_columns": [
                {"right_columns": count, **self.by_right[count].as_dict()}
                for count in sorted(self.by_right)
            ],
            "worst": [blunder.as_dict() for blunder in self.worst],
        }

    def blunders(self, most: int) -> list[Blunder]:
        """Return the worst moves, worst first, each position once."""
        self._trim()
        return self.worst[:most]

    def _trim(self) -> None:
        # Equal blunders count once: the first in the order of games is kept.
        ranked = sorted(self.worst, key=lambda each: each.rank)
        unique = {(each.move.position, each.move.column): each for each in reversed(ranked)}
        self.worst = sorted(unique.values(), key=lambda each: each.rank)[: self.KEPT]


def is_decisive(move: JudgedMove) -> bool:
    """Whether some column of the position throws its outcome away."""
    best = _sign(move.before)
    return any(score is not None and _sign(score) != best for score in move.scores)


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
