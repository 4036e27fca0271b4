"""Claims about the effects of a disc, checked by the rules, and about scores, by exact scores."""

from __future__ import annotations

from claimeven.game import bitboard
from claimeven.game.position import Position, positions_along
from claimeven.review.claims import Claim, Wording, join_words
from claimeven.review.threats import (
    Cell,
    is_playable,
    line_through,
    winning_cells,
    wins_later,
    wins_now,
)
from claimeven.solver.protocols import ExactSolver

#: Maximum number of moves in a sentence; the claim itself has all of them.
MAX_SENTENCE_MOVES = 8


class Wins(Claim):
    """The column completes a line, of `cells`."""

    kind = "wins"

    def _phrase(self, words: Wording) -> str:
        return f"It completes a line of {words.position.geometry.connect}."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        assert self.column is not None
        completed = line_through(position, self.column)
        return self.player == position.turn and completed == self.cells != ()


class Blocks(Claim):
    """The column fills a cell in which the other side would complete a line."""

    kind = "blocks"
    concerns_disc = True

    def _phrase(self, words: Wording) -> str:
        return f"It blocks {words.player(1 - self.player)}, who would win there immediately."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        (cell,) = self.cells
        return (
            cell[0] == self.column
            and self.player == position.turn
            and cell in wins_now(position, 1 - self.player)
        )


class Ignores(Claim):
    """The column leaves `cells` open in which the other side wins with its next disc."""

    kind = "ignores"

    def _phrase(self, words: Wording) -> str:
        wins = "an immediate win" if len(self.cells) == 1 else "immediate wins"
        columns = words.columns_of(self.cells)
        return f"It leaves {words.player(self.player)} {wins} in {columns}."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        assert self.column is not None
        after = position.play(self.column)
        left = wins_now(position, self.player)
        return bool(self.cells) and all(
            cell in left and cell[0] != self.column and line_through(after, cell[0])
            for cell in self.cells
        )


class Opens(Claim):
    """The other side wins on top of the column."""

    kind = "opens"

    def _phrase(self, words: Wording) -> str:
        row = self.cells[0][1] + 1
        return f"{words.player(self.player)} then wins on top of it, in row {row}."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        assert self.column is not None
        after = position.play(self.column)
        (cell,) = self.cells
        on_top = cell == (self.column, after.height_of(self.column))
        return on_top and self.player == after.turn and line_through(after, self.column) != ()


class Misses(Claim):
    """Another column wins immediately, in one of `cells`."""

    kind = "misses"
    concerns_disc = True

    def _phrase(self, words: Wording) -> str:
        wins = "an immediate win" if len(self.cells) == 1 else "immediate wins"
        return f"It misses {wins} in {words.columns_of(self.cells)}."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        if self.column in [column for column, _ in self.cells]:
            return False
        return self.player == position.turn and self.cells == wins_now(position, self.player) != ()


class Denies(Claim):
    """The last disc of `line` takes a cell from which the other side would threaten `cells`."""

    kind = "denies"
    concerns_disc = True

    def _phrase(self, words: Wording) -> str:
        disc = "It" if len(self.line) == 1 else f"the answer in {words.column(self.line[-1])}"
        return (
            f"{disc} takes the cell from which {words.player(1 - self.player)} would threaten"
            f" to win in {words.columns_of(self.cells)}."
        )

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        *before, column = self.line
        now = positions_along(position, before)[-1]
        now.check_move(column)
        return self.player == now.turn and self.cells == denied_cells(now, column) != ()


class Makes(Claim):
    """New threats of the player, in `cells` that no disc can reach yet."""

    kind = "makes"
    concerns_disc = True

    def _phrase(self, words: Wording) -> str:
        places = [words.cell(cell) for cell in self.cells]
        return f"It makes {'a threat' if len(places) == 1 else 'threats'} in {join_words(places)}."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        now = self.after_line(position)
        earlier = winning_cells(position, self.player)
        later = wins_later(now, self.player)
        return bool(self.cells) and all(c in later and c not in earlier for c in self.cells)


class Spoils(Claim):
    """The column gives up the player's own threat in the cell above, which can now be filled."""

    kind = "spoils"
    concerns_disc = True

    def _phrase(self, words: Wording) -> str:
        row = self.cells[0][1] + 1
        return (
            f"It gives up the threat of {words.player(self.player)} in row {row} above it:"
            f" {words.player(1 - self.player)} can now fill that cell."
        )

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        assert self.column is not None
        position.check_move(self.column)
        return (
            self.player == position.turn
            and self.cells == ((self.column, position.height_of(self.column) + 1),)
            and self.cells[0] in winning_cells(position, self.player)
        )


class Closed(Claim):
    """A column the other side must not play, because the player wins on top of it."""

    kind = "closed"

    def _phrase(self, words: Wording) -> str:
        column, row = self.cells[0]
        return (
            f"{words.player(1 - self.player)} must not play {words.column(column)}:"
            f" {words.player(self.player)} would win on top of it, in row {row + 1}."
        )

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        ((column, row),) = self.cells
        return (column, row) in wins_later(position, self.player) and is_playable(
            position, (column, row - 1)
        )


def denied_cells(position: Position, column: int) -> tuple[Cell, ...]:
    """Return the cells that the other side would threaten simultaneously by a disc in a column.

    Empty unless there are two or more, and if that disc would win.
    """
    geometry = position.geometry
    cell = 1 << geometry.bit(column, position.height_of(column))
    theirs, mask = position.theirs | cell, position.mask | cell
    if bitboard.has_line(theirs, geometry):
        return ()
    wins = bitboard.winning_cells(theirs, mask, geometry)
    cells = tuple(geometry.cells_of(wins & bitboard.playable_cells(mask, geometry)))
    return cells if len(cells) > 1 else ()


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
        return self.after_line(position).is_over and self.is_best_play(position, solver)


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
