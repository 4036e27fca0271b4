"""Why the best column is best, and what every other column loses, in checkable sentences.

Each column gets its verdict (what it is worth, and what it gives away), the strongest reason that
the rules can show, best play, and how best play comes to be won. The strongest reason is looked for
in this order: lines that end the game at once, double threats, forced sequences, follow-up play,
threats that best play ends in (zugzwang), and what the column gives up or takes away.

Best play that wins always ends in one of three ways, two discs before its end: the loser faces two
threats, side by side (`double`) or on top of each other (`stack`), or faces none but must play
below one (`zugzwang`). So every column that wins or loses has a reason that can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from textwrap import wrap
from typing import Any

from claimeven.game.notation import column_name
from claimeven.game.position import Position
from claimeven.review import checks
from claimeven.review.claims import Claim
from claimeven.review.follow_up import follow_up_reaches
from claimeven.review.threats import (
    Cell,
    cornered_cells,
    forced_below,
    is_playable,
    line_through,
    winning_cells,
    wins_later,
    wins_now,
)
from claimeven.review.usual import Asked, position_of, solver_for
from claimeven.solver.contract import ExactSolver
from claimeven.solver.errors import InvalidSolve

#: Most sentences about the position and about each column.
POSITION_SENTENCES, COLUMN_SENTENCES = 5, 4
#: Reasons that say all to the end of the game, so that best play need not be told.
ENDS_AT_ONCE = {"double", "stack", "forces"}
#: Reasons that say what the disc itself does.
OF_THE_DISC = {"misses", "spoils", "blocks", "double", "stack", "denies", "makes"}
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

    def __str__(self) -> str:
        return self.text()

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


def explain(position: Asked, solver: ExactSolver | None = None) -> Explanation:
    """Explain a position that is not over by exact scores.

    `position` may be given by its moves, from the empty board of the solver (or the usual one):
    a move string, or 0-based columns. Without a solver a new one is made, with the book that comes
    with the package; to explain many positions hand in one that keeps what it has found.

    Raises `InvalidSolve` for a finished game, `InvalidNotation` or `IllegalMove` for moves that
    cannot be played, and whatever the solver refuses.

    >>> print(explain("4455").text().splitlines()[0])
    The first player wins with disc 7, in 3 plies. Columns 3 and 6 are equally good.
    """
    position = position_of(position, solver)
    solver = solver_for(position.geometry, solver)
    if position.outcome is not None:
        raise InvalidSolve(f"there is nothing to explain, the game is over: {position.outcome}")
    scores = solver.scores(position)
    known = {column: score for column, score in enumerate(scores) if score is not None}
    score = max(known.values())
    order = [column for column in position.geometry.centre_order if column in known]
    best = tuple(column for column in order if known[column] == score)
    told = {column: _Column(position, column, scores, score, solver) for column in order}
    columns = tuple(
        ColumnExplanation(
            column,
            known[column],
            known[column] == score,
            tuple(islice(told[column].claims(), COLUMN_SENTENCES)),
        )
        for column in sorted(order, key=lambda column: -known[column])
    )
    claims = tuple(islice(_position_claims(position, best, told[best[0]]), POSITION_SENTENCES))
    return Explanation(position, score, scores, best, claims, columns)


def _position_claims(position: Position, best: tuple[int, ...], first: _Column) -> Iterator[Claim]:
    """Yield what is to say about the position; `first` is the first of the best columns."""
    mover, other, score = position.turn, 1 - position.turn, first.after
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
    if score != 0:
        ending = first.ending
        if ending.kind == "zugzwang" and ending.start == 0:
            yield replace(ending, column=None)


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
        """Yield the verdict, the strongest reasons, best play, and how it ends, if not yet told."""
        yield self._claim("verdict", self.mover)
        if self.played.is_over:
            completed = line_through(self.position, self.column)
            if completed:
                yield self._claim("wins", self.mover, cells=completed)
            return
        if wins_now(self.played, self.other):
            yield from self._losing_at_once()
            return
        reasons = list(islice(self._reasons(), 1 if self.after < self.before else 2))
        told = {claim.kind for claim in reasons}
        ending = None
        if self.after == 0:
            ending = self._drawn() if len(reasons) < 2 else None
        elif "follow_up" not in told:
            ending = self.ending
        if ending is not None and self._is_early(ending):
            first = [claim for claim in reasons if claim != ending][:1]
            reasons, told, ending = [*first, ending], told | {ending.kind}, None
        yield from sorted(reasons[: 2 if ending is None else 1], key=_speaks_of_more_than_the_disc)
        if not told & ENDS_AT_ONCE:
            yield self._claim("line", self._winner, line=self.best_play)
        if ending is not None:
            yield ending

    @cached_property
    def best_play(self) -> tuple[int, ...]:
        """The column and best play after it to the end of the game.

        All last discs of a loser are equally hopeless. Here it blocks one of two threats, or plays
        below the threat that counting favours and that has stood longest.
        """
        line = (self.column, *self.solver.principal_variation(self.played))
        winner = self._winner
        if self.after == 0 or len(line) < 3:
            return line
        now = checks.along(self.position, line[:-2])[-1]
        columns = [column for column, _ in wins_now(now, winner)] or [
            column
            for column, _ in sorted(
                cornered_cells(now),
                key=lambda cell: (
                    forced_below(now.geometry, cell) == winner,
                    checks.threatened_from(self.position, line, cell, winner),
                ),
            )
        ]
        last = line[-2] if line[-2] in columns and wins_now(now, winner) else columns[0]
        return (*line[:-2], last, wins_now(now.play(last), winner)[0][0])

    @cached_property
    def ending(self) -> Claim:
        """How best play comes to be won, in a column that is not worth a draw.

        Forced blocks to the end, two threats at once, or a threat that the loser must play below.
        """
        line, winner = self.best_play, self._winner
        start = checks.forced_from(self.position, line)
        if start < len(line) - 3:
            return self._claim("forces", winner, line=line, start=start)
        positions = checks.along(self.position, line)
        now = positions[-3]
        double, stack = checks.double_cells(now), checks.stack_cells(now)
        if double or stack:
            return self._claim("double" if double else "stack", winner, double or stack, line[:-2])
        cell = (line[-1], positions[-2].height_of(line[-1]))
        others = tuple(other for other in cornered_cells(now) if other != cell)
        start = checks.threatened_from(self.position, line, cell, winner)
        return self._claim("zugzwang", winner, (cell, *others), line, start)

    def _is_early(self, ending: Claim) -> bool:
        """Whether the end of a won game shows as soon as the winner has moved."""
        moved = 1 if self._winner == self.mover else 2
        if ending.kind in ("double", "stack"):
            return len(ending.line) == moved
        return ending.kind in ("forces", "zugzwang") and ending.start <= moved

    def _drawn(self) -> Claim | None:
        """Name the threat that stood longest out of reach in a drawn game before it was filled.

        Of the side that had a win, where the column gives that away. None where there is no such
        threat.
        """
        line, longest, found = self.best_play, 0, None
        positions = checks.along(self.position, line)
        for place, now in enumerate(positions[1:-1], 1):
            player, cell = now.turn, (line[place], now.height_of(line[place]))
            if self.before > 0 and player == self.mover:
                continue
            start = checks.threatened_from(self.position, line[: place + 1], cell, 1 - player)
            if start < place - longest and not is_playable(positions[start], cell):
                longest = place - start
                found = self._claim("stops", player, (cell,), line[: place + 1], start)
        return found

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
        start: int = 0,
    ) -> Claim:
        return Claim(
            kind,
            player,
            self.column,
            cells=cells,
            line=(self.column,) if line is None else line,
            start=start,
            before=self.before,
            after=self.after,
        )

    def _losing_at_once(self) -> Iterator[Claim]:
        """Say why the other side wins with its next disc."""
        missed = wins_now(self.position, self.mover)
        if missed:
            yield self._claim("misses", self.mover, cells=missed)
        yield from self._blocked()
        left = tuple(cell for cell in wins_now(self.position, self.other) if cell[0] != self.column)
        if left:
            yield self._claim("ignores", self.other, cells=left)
        above = (self.column, self.cell[1] + 1)
        if not left and above in wins_now(self.played, self.other):
            yield self._claim("opens", self.other, cells=(above,))

    def _blocked(self) -> Iterator[Claim]:
        if self.cell in wins_now(self.position, self.other):
            yield self._claim("blocks", self.mover, cells=(self.cell,))

    def _reasons(self) -> Iterator[Claim]:
        """Yield what explains the score of a column after which nobody wins at once."""
        if self.after < self.before:
            yield from self._given_up()
        yield from self._blocked()
        if self.after != 0:
            yield from self._decided()
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

    def _decided(self) -> Iterator[Claim]:
        """Say how the winner wins, where that can be seen once the winner has moved."""
        winner, ending = self._winner, self.ending
        moved = 1 if winner == self.mover else 2
        early = self._is_early(ending)
        line = self.best_play[:moved]
        if not (early and ending.kind in ENDS_AT_ONCE) and follow_up_reaches(
            checks.along(self.position, line)[-1], winner, 1
        ):
            yield self._claim("follow_up", winner, line=line)
        if early:
            yield ending

    def _punished(self) -> Iterator[Claim]:
        """Name the only answer to a column that gave the win or draw away, or what one prevents."""
        if self.after <= 0 <= self.before and len(self.played.legal_columns) > 1:
            answers = checks.good_answers(self.played, self.after, self.solver)
            if len(answers) == 1:
                yield self._claim("reply", self.other, line=(self.column, answers[0]))
        denied = checks.denied_cells(self.played, self.best_play[1])
        if denied:
            yield self._claim("denies", self.other, denied, self.best_play[:2])

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
        ending = self.ending if self.after > 0 else None
        if ending is not None and ending.kind in ENDS_AT_ONCE and self._is_early(ending):
            return
        told = () if ending is None else ending.cells[:1]
        made = tuple(
            cell
            for cell in wins_later(self.played, self.mover)
            if cell not in earlier and cell not in told
        )
        if made:
            yield self._claim("makes", self.mover, cells=made)


def _speaks_of_more_than_the_disc(claim: Claim) -> bool:
    """Sort key: what the column's own disc does is said first ("It ...")."""
    if claim.kind == "zugzwang":
        return claim.start != 1
    return claim.kind not in OF_THE_DISC or len(claim.line) > 1


def _paragraph(head: str, claims: tuple[Claim, ...], position: Position, width: int) -> str:
    sentences = " ".join(claim.sentence(position) for claim in claims)
    return "\n".join(
        wrap(head + sentences, width, subsequent_indent=" " * len(head), drop_whitespace=True)
    )
