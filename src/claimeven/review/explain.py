"""Explanations of a position: why columns are good or bad, in checkable sentences.

The claims about a column (`columns`) are its score, the strongest reasons, best play, and the end
of best play. Best play that wins ends in one of three ways (`win_claims`), so every column that
wins or loses has a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from textwrap import wrap
from typing import Any

from claimeven.errors import ClaimevenError
from claimeven.game.geometry import STANDARD, Geometry
from claimeven.game.notation import column_name
from claimeven.game.position import Position, check_position
from claimeven.game.validation import whole_number
from claimeven.markup import shown_by
from claimeven.review.claims import Claim
from claimeven.review.column_claims import Best, Closed, PositionScore
from claimeven.review.columns import ColumnClaims
from claimeven.review.threats import is_playable, wins_later, wins_now
from claimeven.review.win_claims import Double, Stack, Zugzwang, double_cells, stack_cells
from claimeven.solver.errors import InvalidSolve
from claimeven.solver.protocols import ExactSolver

#: A position, or the moves that lead to it from the empty board: a move string or 0-based columns.
PositionLike = Position | str | Iterable[int]
#: Maximum number of characters in a line of text.
WIDTH = 80
#: Maximum number of sentences about the position and about each column.
MAX_POSITION_SENTENCES, MAX_COLUMN_SENTENCES = 5, 4
#: Minimum width: a column, its score and a word.
_MIN_WIDTH = 20


@dataclass(frozen=True)
class ColumnExplanation:
    """The explanation of one column: its exact score and its claims."""

    column: int
    score: int
    is_best: bool
    claims: tuple[Claim, ...]

    def text(self, position: Position) -> str:
        """Return its sentences about a position on one line."""
        return " ".join(claim.sentence(position) for claim in self.claims)


@dataclass(frozen=True)
class Explanation:
    """The explanation of a position.

    `score` is exact, for the side to move. `scores` has an entry for each column, None if it cannot
    be played. `best` are the columns that keep the score, center-most first. `claims` are about the
    position, `columns` about each playable column, the best ones first, then by score.
    """

    position: Position
    score: int
    scores: tuple[int | None, ...]
    best: tuple[int, ...]
    claims: tuple[Claim, ...]
    columns: tuple[ColumnExplanation, ...]

    _repr_html_ = shown_by("claimeven.review.review_html", "explanation_html")

    def all_claims(self) -> Iterator[Claim]:
        """Yield every claim made."""
        yield from self.claims
        for column in self.columns:
            yield from column.claims

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = WIDTH) -> str:
        """Return paragraphs in lines of `width` characters, or raise `ClaimevenError` below 20."""
        whole_number(width, "width", low=_MIN_WIDTH)
        paragraphs = [_paragraph("", self.claims, self.position, width)]
        for column in self.columns:
            name = column_name(column.column, self.position.geometry)
            head = f"{name} {column.score:+4d}  " if column.score else f"{name}    0  "
            paragraphs.append(_paragraph(head, column.claims, self.position, width))
        return "\n\n".join((paragraphs[0], "\n".join(paragraphs[1:])))

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data; columns count from 1."""
        return {
            "score": self.score,
            "scores": list(self.scores),
            "best": [column + 1 for column in self.best],
            "claims": [claim.as_dict(self.position) for claim in self.claims],
            "columns": [
                {
                    "column": column.column + 1,
                    "score": column.score,
                    "best": column.is_best,
                    "claims": [claim.as_dict(self.position) for claim in column.claims],
                }
                for column in self.columns
            ],
        }


def explain(position: PositionLike, solver: ExactSolver | None = None) -> Explanation:
    """Explain a position of an unfinished game by exact scores.

    `position` is a `Position`, or the moves to it from the empty board of the solver (or the
    standard one): a move string or 0-based columns. By default a new solver is made; pass one to
    reuse its table for many positions. Raises `InvalidSolve` for a finished game, `InvalidNotation`
    or `IllegalMove` for moves that cannot be played, and the errors of the solver.

    >>> print(explain("4455").text().splitlines()[0])
    Yellow wins in 2 moves. Columns 3 and 6 are equally good.
    """
    position = position_of(position, solver)
    solver = solver_for(position.geometry, solver)
    check_position(position, InvalidSolve, ongoing=True)
    scores = solver.scores(position)
    known = {column: score for column, score in enumerate(scores) if score is not None}
    score = max(known.values())
    order = [column for column in position.geometry.center_order if column in known]
    best = tuple(column for column in order if known[column] == score)
    claims_of = {column: ColumnClaims(position, column, solver, scores) for column in order}
    columns = tuple(
        _explained(claims_of[column]) for column in sorted(order, key=lambda column: -known[column])
    )
    claims = tuple(
        islice(_position_claims(position, best, claims_of[best[0]]), MAX_POSITION_SENTENCES)
    )
    return Explanation(position, score, scores, best, claims, columns)


def position_of(position: PositionLike, solver: ExactSolver | None) -> Position:
    """Return a position, or play its moves on the solver's board, by default the standard one.

    Raises `InvalidNotation` or `IllegalMove` for moves that cannot be played.
    """
    if isinstance(position, Position):
        return position
    return Position.from_moves(position, board_of(solver))


def board_of(solver: ExactSolver | None) -> Geometry:
    """Return a solver's board, or the standard one without a solver.

    Raises `ClaimevenError` if `solver` is not a solver.
    """
    if solver is None:
        return STANDARD
    if not callable(getattr(solver, "scores", None)):
        raise ClaimevenError(
            f"solver must be a solver such as Solver(Geometry(4, 4)), got {solver!r}"
        )
    return solver.geometry


def solver_for(geometry: Geometry, solver: ExactSolver | None) -> ExactSolver:
    """Return the solver, or a new one with the default book of the board."""
    if solver is not None:
        board_of(solver)  # checks the type
        return solver
    from claimeven.solver.solver import Solver  # noqa: PLC0415 - imports the compiled search

    return Solver(geometry)


def explain_columns(
    position: Position,
    columns: Iterable[int],
    solver: ExactSolver,
    scores: tuple[int | None, ...] | None = None,
) -> tuple[ColumnExplanation, ...]:
    """Explain some playable columns of an unfinished game; `scores` of all columns, if known."""
    return tuple(_explained(ColumnClaims(position, each, solver, scores)) for each in columns)


def _explained(column: ColumnClaims) -> ColumnExplanation:
    claims = tuple(islice(column.claims(), MAX_COLUMN_SENTENCES))
    return ColumnExplanation(column.column, column.after, column.after == column.before, claims)


def _position_claims(
    position: Position, best: tuple[int, ...], first: ColumnClaims
) -> Iterator[Claim]:
    """Yield the claims about the position; `first` has the claims of the best column."""
    mover, other, score = position.turn, 1 - position.turn, first.after
    winner = mover if score >= 0 else other
    yield PositionScore(winner, before=score, after=score)
    if len(best) < len(position.legal_columns):
        yield Best(mover, columns=best, before=score, after=score)
    double, stack = double_cells(position), stack_cells(position)
    if double or stack:
        yield (Double if double else Stack)(other, cells=double or stack)
    if wins_now(position, mover) or wins_now(position, other):
        return
    for player in (winner, 1 - winner):
        for cell in wins_later(position, player):
            if is_playable(position, (cell[0], cell[1] - 1)):
                yield Closed(player, cells=(cell,))
    if score != 0:
        ending = first.ending
        if isinstance(ending, Zugzwang) and ending.start == 0:
            yield replace(ending, column=None)


def _paragraph(head: str, claims: tuple[Claim, ...], position: Position, width: int) -> str:
    sentences = " ".join(claim.sentence(position) for claim in claims)
    return "\n".join(
        wrap(head + sentences, width, subsequent_indent=" " * len(head), drop_whitespace=True)
    )
