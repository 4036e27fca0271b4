"""Claims about the scores of a position and its columns, checked by exact scores."""

from __future__ import annotations

from claimeven.game.position import Position
from claimeven.review.claims import Claim, Wording, after_line, is_best_play
from claimeven.solver.protocols import ExactSolver

#: Maximum number of moves in a sentence; the claim itself has all of them.
MAX_SENTENCE_MOVES = 8


class PositionScore(Claim):
    """The score of the position: `after`."""

    kind = "position_score"

    def _phrase(self, words: Wording) -> str:
        assert self.after is not None
        if self.after == 0:
            return "with best play the game is a draw."
        return f"{words.end(self.after)}."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        return self.after == solver.score(position)


class Best(Claim):
    """All `columns` that keep the score, and no others."""

    kind = "best"

    def _phrase(self, words: Wording) -> str:
        verb = "is best" if len(self.columns) == 1 else "are equally good"
        return f"{words.columns(self.columns)} {verb}."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        scores, best = solver.scores(position), _best_score(position, solver)
        return set(self.columns) == {c for c, score in enumerate(scores) if score == best}


class ColumnScore(Claim):
    """The score of the column (`after`), compared with the score of the position (`before`)."""

    kind = "column_score"

    def _phrase(self, words: Wording) -> str:
        before, after, column = self.before, self.after, self.column
        assert before is not None and after is not None and column is not None
        name = words.column(column)
        if after == before:
            return f"{name} {self._kept(words)}"
        if after > 0:
            soon = words.moves_to_end(before)
            return f"{name} still wins, but {words.when(after)} instead of {soon}."
        if after == 0:
            return f"{name} gives the win away: best play now ends in a draw."
        if before < 0:
            late = words.moves_to_end(before)
            return f"{name} loses {words.when(after)} instead of {late}."
        verb = "turns the win into a loss" if before > 0 else "gives the draw away"
        return f"{name} {verb}: {words.end(after)}."

    def _kept(self, words: Wording) -> str:
        assert self.after is not None
        if self.after == 0:
            return "holds the draw."
        if self.after < 0:
            return "loses, but no column holds out longer."
        return f"wins {words.when(self.after)}."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        assert self.column is not None
        scores = solver.scores(position)
        return scores[self.column] == self.after and _best_score(position, solver) == self.before


class Only(Claim):
    """No other column wins, or every other column loses."""

    kind = "only"

    def _phrase(self, words: Wording) -> str:
        assert self.before is not None
        return "No other column wins." if self.before > 0 else "Every other column loses."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        scores = solver.scores(position)
        others = [score for c, score in enumerate(scores) if c != self.column and score is not None]
        if self.before is None or self.before != _best_score(position, solver):
            return False
        return self.before >= 0 and bool(others) and max(others) < (1 if self.before > 0 else 0)


class Reply(Claim):
    """The only answer to the column that wins, or holds the draw: the last move of `line`."""

    kind = "reply"

    def _phrase(self, words: Wording) -> str:
        verb = "holds the draw" if self.after == 0 else "wins"
        return f"only the answer in {words.column(self.line[-1])} {verb}."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        column, answer = self.line
        if self.after is None or self.after > 0:
            return False
        good = good_answers(position.play(column), self.after, solver)
        return solver.scores(position)[column] == self.after and good == (answer,)


class BestPlay(Claim):
    """Best play from the column to the end of the game: `line`."""

    kind = "best_play"

    def _phrase(self, words: Wording) -> str:
        rest = self.line[1:]
        if len(rest) <= MAX_SENTENCE_MOVES:
            return f"best play continues {words.moves(rest)}."
        moves = ", ".join(words.name(column) for column in rest[:MAX_SENTENCE_MOVES])
        end = "until the board is full"
        if self.after != 0:
            end = f"to {words.move(len(self.line))}"
        return f"best play continues {moves} and so on {end}."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        return after_line(self, position).is_over and is_best_play(self, position, solver)


def good_answers(played: Position, after: int, solver: ExactSolver) -> tuple[int, ...]:
    """Return the answers that draw, or win, after a column with the score `after` (0 or less)."""
    minimum = 0 if after == 0 else 1
    return tuple(
        column
        for column, score in enumerate(solver.scores(played))
        if score is not None and score >= minimum
    )


def _best_score(position: Position, solver: ExactSolver) -> int:
    return max(score for score in solver.scores(position) if score is not None)
