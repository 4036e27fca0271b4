"""Why the best column is best, and what every other column loses, in checkable sentences.

Each column gets its verdict (what it is worth, and what it gives away), the strongest reason that
the rules can show, and best play. The strongest reason is looked for in this order: lines that end
the game at once, double threats, forced sequences, threats that counting favours (zugzwang),
follow-up play, and what the column gives up or takes away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from textwrap import wrap
from typing import Any

from claimeven.game.notation import column_name
from claimeven.game.position import Position
from claimeven.solver import checks
from claimeven.solver.claims import Claim
from claimeven.solver.contract import ExactSolver
from claimeven.solver.errors import InvalidSolve
from claimeven.solver.follow_up import follow_up_reaches
from claimeven.solver.threats import (
    Cell,
    is_playable,
    line_through,
    winning_cells,
    wins_later,
    wins_now,
    zugzwang_cells,
)

#: Sentences for the position, for a column that keeps the score, and for one that does not.
POSITION_SENTENCES, BEST_SENTENCES, OTHER_SENTENCES = 5, 4, 3
WIDTH = 80


@dataclass(frozen=True)
class ColumnExplanation:
    """What is to say about one column: its exact score and its claims, the verdict first."""

    column: int
    score: int
    is_best: bool
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Explanation:
    """What is to say about a position.

    `score` is exact, from the side to move; `scores` has one entry a column, None where none can
    be played; `best` the columns that keep the score, centre-most first. `claims` are about the
    position, `columns` about each column that can be played: best ones first, then by score.
    """

    position: Position
    score: int
    scores: tuple[int | None, ...]
    best: tuple[int, ...]
    claims: tuple[Claim, ...]
    columns: tuple[ColumnExplanation, ...]

    def all_claims(self) -> Iterator[Claim]:
        """Yield every claim made."""
        yield from self.claims
        for column in self.columns:
            yield from column.claims

    def text(self, width: int = WIDTH) -> str:
        """Return the explanation as paragraphs of at most `width` characters a line."""
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


def explain(position: Position, solver: ExactSolver) -> Explanation:
    """Explain a position that is not over by exact scores.

    Raises `InvalidSolve` for a finished game, and whatever the solver refuses.
    """
    if position.outcome is not None:
        raise InvalidSolve(f"there is nothing to explain, the game is over: {position.outcome}")
    scores = solver.scores(position)
    known = {column: score for column, score in enumerate(scores) if score is not None}
    score = max(known.values())
    order = [column for column in position.geometry.centre_order if column in known]
    best = tuple(column for column in order if known[column] == score)
    columns = tuple(
        ColumnExplanation(
            column,
            known[column],
            known[column] == score,
            tuple(
                islice(
                    _Column(position, column, scores, score, solver).claims(),
                    BEST_SENTENCES if known[column] == score else OTHER_SENTENCES,
                )
            ),
        )
        for column in sorted(order, key=lambda column: -known[column])
    )
    claims = tuple(islice(_position_claims(position, score, best), POSITION_SENTENCES))
    return Explanation(position, score, scores, best, claims, columns)


def _position_claims(position: Position, score: int, best: tuple[int, ...]) -> Iterator[Claim]:
    mover, other = position.turn, 1 - position.turn
    winner = mover if score >= 0 else other
    yield Claim("standing", winner, before=score, after=score)
    if len(best) < len(position.legal_columns):
        yield Claim("best", mover, columns=best, before=score, after=score)
    double, stack = checks.double_cells(position), checks.stack_cells(position)
    if double or stack:
        yield Claim("double" if double else "stack", other, cells=double or stack)
    if wins_now(position, mover) or wins_now(position, other):
        return
    for player in (winner, 1 - winner):
        for cell in wins_later(position, player):
            if is_playable(position, (cell[0], cell[1] - 1)):
                yield Claim("closed", player, cells=(cell,))
        for cell in zugzwang_cells(position, player)[:1]:
            if not is_playable(position, (cell[0], cell[1] - 1)):
                yield Claim("zugzwang", player, cells=(cell,))


class _Column:
    """The claims about one column; `best` is the score of the position."""

    def __init__(
        self,
        position: Position,
        column: int,
        scores: tuple[int | None, ...],
        best: int,
        solver: ExactSolver,
    ) -> None:
        own = scores[column]
        assert own is not None
        self.position = position
        self.column = column
        self.scores = scores
        self.before = best
        self.after = own
        self.mover = position.turn
        self.other = 1 - position.turn
        self.cell: Cell = (column, position.height_of(column))
        self.played = position.play_unchecked(column)
        self.solver = solver

    def claims(self) -> Iterator[Claim]:
        """Yield the verdict, then reasons, the strongest first, then best play."""
        yield self._claim("verdict", self.mover)
        if self.played.is_over:
            completed = line_through(self.position, self.column)
            if completed:
                yield self._claim("wins", self.mover, cells=completed)
            return
        if wins_now(self.played, self.other):
            yield from self._losing_at_once()
            return
        best_play = (self.column, *self.solver.principal_variation(self.played))
        reasons = self._reasons(best_play)
        ends_story = None
        for reason in islice(reasons, 1 if self.after < self.before else 2):
            ends_story = reason.kind
            yield reason
        if ends_story not in ("double", "stack", "forces"):
            yield self._claim("line", self._winner, line=best_play)
        yield from reasons

    @property
    def _winner(self) -> int:
        """Whom the column's score serves; the side to move for a draw."""
        return self.mover if self.after >= 0 else self.other

    def _claim(
        self,
        kind: str,
        player: int,
        cells: tuple[Cell, ...] = (),
        line: tuple[int, ...] | None = None,
    ) -> Claim:
        return Claim(
            kind,
            player,
            self.column,
            cells=cells,
            line=(self.column,) if line is None else line,
            before=self.before,
            after=self.after,
        )

    def _losing_at_once(self) -> Iterator[Claim]:
        """Say why the other side wins with its next disc."""
        missed = wins_now(self.position, self.mover)
        if missed:
            yield self._claim("misses", self.mover, cells=missed)
        left = tuple(cell for cell in wins_now(self.position, self.other) if cell[0] != self.column)
        if left:
            yield self._claim("ignores", self.other, cells=left)
        above = (self.column, self.cell[1] + 1)
        if above in wins_now(self.played, self.other):
            yield self._claim("opens", self.other, cells=(above,))

    def _reasons(self, best_play: tuple[int, ...]) -> Iterator[Claim]:
        """Yield what explains the score of a column after which nobody wins at once."""
        if self.after < self.before:
            yield from self._given_up()
        if self.cell in wins_now(self.position, self.other):
            yield self._claim("blocks", self.mover, cells=(self.cell,))
        if self.after != 0:
            yield from self._decided(best_play)
        if self.after < self.before:
            yield from self._punished()
            return
        yield from self._kept()

    def _given_up(self) -> Iterator[Claim]:
        missed = wins_now(self.position, self.mover)
        if missed:
            yield self._claim("misses", self.mover, cells=missed)
        above = (self.column, self.cell[1] + 1)
        if above in winning_cells(self.position, self.mover):
            yield self._claim("spoils", self.mover, cells=(above,))

    def _decided(self, best_play: tuple[int, ...]) -> Iterator[Claim]:
        """Say how the winner wins: at the end of `line`, where the winner has just moved."""
        winner = self._winner
        line = best_play[:1] if winner == self.mover else best_play[:2]
        now = self.position
        for column in line:
            now = now.play(column)
        if now.is_over:
            return
        double, stack = checks.double_cells(now), checks.stack_cells(now)
        if double:
            yield self._claim("double", winner, double, line)
        elif stack:
            yield self._claim("stack", winner, stack, line)
        elif checks.is_forcing(self.position, best_play, winner):
            yield self._claim("forces", winner, line=best_play)
        else:
            if follow_up_reaches(now, winner, 1):
                yield self._claim("follow_up", winner, line=line)
            for cell in zugzwang_cells(now, winner)[:1]:
                yield self._claim("zugzwang", winner, (cell,), line)

    def _punished(self) -> Iterator[Claim]:
        """Name the answer that is the only one to draw or win after a column that gave it away."""
        if self.after > 0 or self.before < 0 or len(self.played.legal_columns) == 1:
            return
        answers = checks.good_answers(self.played, self.after, self.solver)
        if len(answers) == 1:
            yield self._claim("reply", self.other, line=(self.column, answers[0]))

    def _kept(self) -> Iterator[Claim]:
        """Say what speaks for a column that keeps the score."""
        others = [s for c, s in enumerate(self.scores) if c != self.column and s is not None]
        if self.before >= 0 and others and max(others) < (1 if self.before > 0 else 0):
            yield self._claim("only", self.mover)
        if self.after == 0 and follow_up_reaches(self.played, self.mover, 0):
            yield self._claim("follow_up", self.mover)
        denied = checks.denied_cells(self.position, self.column)
        if denied:
            yield self._claim("denies", self.mover, cells=denied)
        earlier = winning_cells(self.position, self.mover)
        told = zugzwang_cells(self.played, self.mover)[:1] if self.after > 0 else ()
        made = tuple(
            cell
            for cell in wins_later(self.played, self.mover)
            if cell not in earlier and cell not in told
        )
        if made:
            yield self._claim("makes", self.mover, cells=made)


def _paragraph(head: str, claims: tuple[Claim, ...], position: Position, width: int) -> str:
    sentences = " ".join(claim.sentence(position) for claim in claims)
    return "\n".join(
        wrap(head + sentences, width, subsequent_indent=" " * len(head), drop_whitespace=True)
    )
