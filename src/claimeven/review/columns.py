"""The claims about one column, the most important first.

Reasons are tried in this order: lines that end the game immediately, double threats, forced
sequences, follow-up play, threats that decide best play (zugzwang), threats given up or prevented.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from claimeven.game.position import Position, positions_along
from claimeven.review.claims import Claim
from claimeven.review.column_claims import (
    BestPlay,
    Blocks,
    ColumnScore,
    Denies,
    Ignores,
    Makes,
    Misses,
    Only,
    Opens,
    Reply,
    Spoils,
    Wins,
    denied_cells,
    good_answers,
)
from claimeven.review.threats import (
    Cell,
    cornered_cells,
    follow_up_reaches,
    forced_below,
    is_playable,
    line_through,
    winning_cells,
    wins_later,
    wins_now,
)
from claimeven.review.win_claims import (
    Double,
    FollowUp,
    Forces,
    Stack,
    Stops,
    Zugzwang,
    double_cells,
    forced_from,
    stack_cells,
    threatened_from,
)
from claimeven.solver.protocols import ExactSolver


@dataclass(eq=False)
class ColumnClaims:
    """The claims about one playable column; `scores` of all columns are solved if unknown.

    `before` is the score of the position, `after` the score of the column.
    """

    position: Position
    column: int
    solver: ExactSolver
    scores: tuple[int | None, ...] | None = None

    def __post_init__(self) -> None:
        scores = self.solver.scores(self.position) if self.scores is None else self.scores
        known = {column: score for column, score in enumerate(scores) if score is not None}
        self.before: int = max(known.values())
        self.after: int = known.pop(self.column)
        self.others: list[int] = list(known.values())
        self.mover: int = self.position.turn
        self.other: int = 1 - self.mover
        self.cell: Cell = (self.column, self.position.height_of(self.column))
        self.played: Position = self.position.play_unchecked(self.column)

    def claims(self) -> Iterator[Claim]:
        """Yield the score, the strongest reasons, best play, and its end if it is not a reason."""
        yield self._claim(ColumnScore, self.mover)
        if self.played.is_over:
            completed = line_through(self.position, self.column)
            if completed:
                yield self._claim(Wins, self.mover, cells=completed)
            return
        if wins_now(self.played, self.other):
            yield from self._losing_immediately()
            return
        reasons = list(islice(self._reasons(), 1 if self.after < self.before else 2))
        if reasons and isinstance(reasons[0], Misses):
            yield reasons[0]
            return
        ending = None
        if self.after == 0:
            ending = self._drawn() if len(reasons) < 2 else None
        elif not any(isinstance(claim, FollowUp) for claim in reasons):
            ending = self.ending
        if ending is not None and self._is_early(ending):
            first = [claim for claim in reasons if claim != ending][:1]
            reasons, ending = [*first, ending], None
        yield from sorted(reasons[: 2 if ending is None else 1], key=_is_not_about_the_disc)
        if not any(claim.covers_ending for claim in reasons):
            yield self._claim(BestPlay, self._winner, line=self.best_play)
        if ending is not None:
            yield ending

    @cached_property
    def best_play(self) -> tuple[int, ...]:
        """The column and best play after it to the end of the game.

        All last discs of a loser are equally bad. This one blocks one of two threats, or is below
        the oldest threat that the parity of its row favors.
        """
        line = (self.column, *self.solver.principal_variation(self.played))
        winner = self._winner
        if self.after == 0 or len(line) < 3:
            return line
        now = positions_along(self.position, line[:-2])[-1]
        columns = [column for column, _ in wins_now(now, winner)] or [
            column
            for column, _ in sorted(
                cornered_cells(now),
                key=lambda cell: (
                    forced_below(now.geometry, cell) == winner,
                    threatened_from(self.position, line, cell, winner),
                ),
            )
        ]
        last = line[-2] if line[-2] in columns and wins_now(now, winner) else columns[0]
        return (*line[:-2], last, wins_now(now.play(last), winner)[0][0])

    @cached_property
    def ending(self) -> Claim:
        """The end of best play, for a column that is not worth a draw.

        It is forced blocks, two simultaneous threats, or a threat that the loser must play below.
        """
        line, winner = self.best_play, self._winner
        start = forced_from(self.position, line)
        if start < len(line) - 3:
            return self._claim(Forces, winner, line=line, start=start)
        positions = positions_along(self.position, line)
        now = positions[-3]
        double, stack = double_cells(now), stack_cells(now)
        if double or stack:
            return self._claim(Double if double else Stack, winner, double or stack, line[:-2])
        cell = (line[-1], positions[-2].height_of(line[-1]))
        others = tuple(other for other in cornered_cells(now) if other != cell)
        start = threatened_from(self.position, line, cell, winner)
        return self._claim(Zugzwang, winner, (cell, *others), line, start)

    def _is_early(self, ending: Claim) -> bool:
        """Whether the end can be recognized as soon as the winner has moved."""
        moved = 1 if self._winner == self.mover else 2
        if isinstance(ending, Double | Stack):
            return len(ending.line) == moved
        return isinstance(ending, Forces | Zugzwang) and ending.start <= moved

    def _drawn(self) -> Claim | None:
        """Name the last threat of a drawn game, of the side that lost a win if there is one."""
        line, longest, found = self.best_play, 0, None
        positions = positions_along(self.position, line)
        for place, now in enumerate(positions[1:-1], 1):
            player, cell = now.turn, (line[place], now.height_of(line[place]))
            if self.before > 0 and player == self.mover:
                continue
            start = threatened_from(self.position, line[: place + 1], cell, 1 - player)
            if start < place - longest and not is_playable(positions[start], cell):
                longest = place - start
                found = self._claim(Stops, player, (cell,), line[: place + 1], start)
        return found

    @property
    def _winner(self) -> int:
        """The player whom the column's score favors; the side to move for a draw."""
        return self.mover if self.after >= 0 else self.other

    def _claim(
        self,
        kind: type[Claim],
        player: int,
        cells: tuple[Cell, ...] = (),
        line: tuple[int, ...] | None = None,
        start: int = 0,
    ) -> Claim:
        return kind(
            player,
            self.column,
            cells=cells,
            line=(self.column,) if line is None else line,
            start=start,
            before=self.before,
            after=self.after,
        )

    def _losing_immediately(self) -> Iterator[Claim]:
        missed = wins_now(self.position, self.mover)
        if missed:
            yield self._claim(Misses, self.mover, cells=missed)
        yield from self._blocked()
        left = tuple(cell for cell in wins_now(self.position, self.other) if cell[0] != self.column)
        if left:
            yield self._claim(Ignores, self.other, cells=left)
        above = (self.column, self.cell[1] + 1)
        if not left and above in wins_now(self.played, self.other):
            yield self._claim(Opens, self.other, cells=(above,))

    def _blocked(self) -> Iterator[Claim]:
        if self.cell in wins_now(self.position, self.other):
            yield self._claim(Blocks, self.mover, cells=(self.cell,))

    def _reasons(self) -> Iterator[Claim]:
        """Yield reasons for the score of a column after which neither side wins immediately."""
        if self.after < self.before:
            yield from self._given_up()
        yield from self._blocked()
        if self.after != 0:
            yield from self._decided()
        if self.after < self.before:
            yield from self._punished()
            return
        yield from self._score_kept()

    def _given_up(self) -> Iterator[Claim]:
        missed = wins_now(self.position, self.mover)
        if missed:
            yield self._claim(Misses, self.mover, cells=missed)
        above = (self.column, self.cell[1] + 1)
        if above in winning_cells(self.position, self.mover):
            yield self._claim(Spoils, self.mover, cells=(above,))

    def _decided(self) -> Iterator[Claim]:
        """Explain the win if it can be recognized once the winner has moved."""
        winner, ending = self._winner, self.ending
        moved = 1 if winner == self.mover else 2
        early = self._is_early(ending)
        line = self.best_play[:moved]
        if not (early and ending.covers_ending) and follow_up_reaches(
            positions_along(self.position, line)[-1], winner, 1
        ):
            yield self._claim(FollowUp, winner, line=line)
        if early:
            yield ending

    def _punished(self) -> Iterator[Claim]:
        """Name the only answer to a column that gives the result away, or a threat it stops."""
        if self.after <= 0 <= self.before and len(self.played.legal_columns) > 1:
            answers = good_answers(self.played, self.after, self.solver)
            if len(answers) == 1:
                yield self._claim(Reply, self.other, line=(self.column, answers[0]))
        denied = denied_cells(self.played, self.best_play[1])
        if denied:
            yield self._claim(Denies, self.other, denied, self.best_play[:2])

    def _score_kept(self) -> Iterator[Claim]:
        """Yield reasons for a column that keeps the score."""
        if self.before >= 0 and self.others and max(self.others) < (1 if self.before > 0 else 0):
            yield self._claim(Only, self.mover)
        if self.after == 0 and follow_up_reaches(self.played, self.mover, 0):
            yield self._claim(FollowUp, self.mover)
        denied = denied_cells(self.position, self.column)
        if denied:
            yield self._claim(Denies, self.mover, cells=denied)
        earlier = winning_cells(self.position, self.mover)
        ending = self.ending if self.after > 0 else None
        if ending is not None and ending.covers_ending and self._is_early(ending):
            return
        known = () if ending is None else ending.cells[:1]
        new_threats = tuple(
            cell
            for cell in wins_later(self.played, self.mover)
            if cell not in earlier and cell not in known
        )
        if new_threats:
            yield self._claim(Makes, self.mover, cells=new_threats)


def _is_not_about_the_disc(claim: Claim) -> bool:
    """Sort key: sentences about the disc in the column ("It ...") come first."""
    if isinstance(claim, Zugzwang):
        return claim.start != 1
    return not claim.concerns_disc or len(claim.line) > 1
