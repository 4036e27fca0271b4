"""Claims about the effects of a disc, checked by the rules."""

from __future__ import annotations

from claimeven.game import bitboard
from claimeven.game.position import Position
from claimeven.review.claims import Claim, Wording, after_line, join_words, positions_along
from claimeven.review.threats import (
    Cell,
    is_playable,
    line_through,
    winning_cells,
    wins_later,
    wins_now,
)
from claimeven.solver.protocols import ExactSolver


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
        now = after_line(self, position)
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
