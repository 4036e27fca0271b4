"""Claims about the end of a game, checked by the rules and exact scores.

Best play that wins ends in one of three ways, two discs before its end: the loser faces two
threats next to each other (`Double`) or on top of each other (`Stack`), or must play below a threat
(`Zugzwang`).
"""

from __future__ import annotations

from claimeven.game.position import Position, positions_along
from claimeven.review.claims import Claim, Wording, join_words
from claimeven.review.threats import (
    Cell,
    cornered_cells,
    follow_up_reaches,
    forced_below,
    is_playable,
    winning_cells,
    wins_now,
)
from claimeven.solver.protocols import ExactSolver


class Double(Claim):
    """At the end of `line` the player threatens two or more `cells`."""

    kind = "double"
    concerns_disc = True
    covers_ending = True

    def _phrase(self, words: Wording) -> str:
        columns = words.columns_of(self.cells)
        return f"{_actor(self, words)} threatens to win in {columns}: only one can be blocked."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        now = self.after_line(position)
        threatens = now.turn != self.player and self.cells == double_cells(now) != ()
        return threatens and self.is_best_play(position, solver)


class Stack(Claim):
    """At the end of `line` the player threatens two `cells`, one on the other."""

    kind = "stack"
    concerns_disc = True
    covers_ending = True

    def _phrase(self, words: Wording) -> str:
        lower, upper = self.cells[0], self.cells[1]
        return (
            f"{_actor(self, words)} threatens {words.cell(lower)} and row {upper[1] + 1} above it:"
            " blocking one opens the other."
        )

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        now = self.after_line(position)
        threatens = now.turn != self.player and self.cells == stack_cells(now) != ()
        return threatens and self.is_best_play(position, solver)


class Forces(Claim):
    """After `start` moves of `line`, best play that wins, the loser can only block."""

    kind = "forces"
    covers_ending = True

    def _phrase(self, words: Wording) -> str:
        winner, loser = words.player(self.player), words.player(1 - self.player)
        if self.start > 1:
            first = words.number(self.start + 1)
            return (
                f"from move {first} on, {winner} makes threat after threat: {loser} can only block."
            )
        return (
            f"threat after threat leads to the win: {words.moves(self.line[self.start :])};"
            f" {loser} can only block."
        )

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        threats = len(self.line) - self.start > 2
        forced = threats and self.start == forced_from(position, self.line)
        return forced and self.is_won(position, solver)


class Zugzwang(Claim):
    """`line` is won in the first of `cells`: the loser must play below one of them in the end.

    The threat in the first cell exists after `start` moves of the line.
    """

    kind = "zugzwang"

    def _phrase(self, words: Wording) -> str:
        _, *others = self.cells
        below = join_words(["below it", *(f"below {words.cell(other)}" for other in others)], "or")
        when = "in the end" if len(self.line) > 3 else "now"
        return f"{self._threat(words)}: {when} {words.player(1 - self.player)} must play {below}."

    def _threat(self, words: Wording) -> str:
        cell, winner = self.cells[0], words.player(self.player)
        where = words.cell(cell)
        if forced_below(words.position.geometry, cell) != self.player:
            where += ", an odd row" if cell[1] % 2 == 0 else ", an even row"
        if self.start == 0:
            return f"{winner} holds a threat in {where}"
        if self.start == 1:
            return f"it makes a threat in {where}"
        if self.start == 2:
            return f"{winner} answers in {words.column(self.line[1])}, with a threat in {where}"
        return f"with move {words.number(self.start)} {winner} gets a threat in {where}"

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        cell, *others = self.cells
        before_end = positions_along(position, self.line)[-3]
        cornered = cornered_cells(before_end)
        lands = cell == (self.line[-1], before_end.height_of(self.line[-1]) + 1)
        return (
            lands
            and cell in cornered
            and tuple(others) == tuple(c for c in cornered if c != cell)
            and self.start == threatened_from(position, self.line, cell, self.player)
            and self.is_won(position, solver)
        )


class Stops(Claim):
    """The last disc of `line`, best play of a drawn game, fills a threat that was out of reach.

    The threat exists after `start` moves of the line.
    """

    kind = "stops"

    def _phrase(self, words: Wording) -> str:
        holder = words.player(1 - self.player)
        since = "holds a threat"
        if self.start:
            since = f"has had a threat since move {words.number(self.start)}"
        move = words.move(len(self.line))
        return f"{move} fills {words.cell(self.cells[0])}, where {holder} {since}."

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        (cell,) = self.cells
        positions = positions_along(position, self.line)
        return (
            positions[-2].turn == self.player
            and cell == (self.line[-1], positions[-2].height_of(self.line[-1]))
            and self.start == threatened_from(position, self.line, cell, 1 - self.player)
            and not is_playable(positions[self.start], cell)
            and self.is_best_play(position, solver)
        )


class FollowUp(Claim):
    """From the end of `line` the player wins, or draws, by answering in the column just played."""

    kind = "follow_up"

    def _phrase(self, words: Wording) -> str:
        verb = "draws" if self.after == 0 else "wins"
        start = "from there"
        if len(self.line) > 1:
            start = f"after the answer in {words.column(self.line[-1])}"
        return (
            f"{start} {words.player(self.player)} {verb} by answering every disc in the same"
            " column, except to win, to block, or when it is full."
        )

    def is_true(self, position: Position, solver: ExactSolver) -> bool:
        now = self.after_line(position)
        target = 0 if self.after == 0 else 1
        return now.turn != self.player and follow_up_reaches(now, self.player, target) is True


def double_cells(position: Position) -> tuple[Cell, ...]:
    """Return the two or more cells that the side that has just moved threatens, or none.

    None also if the side to move can complete a line first.
    """
    mover = 1 - position.turn
    cells = wins_now(position, mover)
    return cells if len(cells) > 1 and not wins_now(position, position.turn) else ()


def stack_cells(position: Position) -> tuple[Cell, ...]:
    """Return two winning cells, one on the other, of the side that has just moved, or none.

    The lower one can be played, and the side to move cannot complete a line first.
    """
    mover = 1 - position.turn
    if wins_now(position, position.turn):
        return ()
    cells = winning_cells(position, mover)
    for column, row in wins_now(position, mover):
        if (column, row + 1) in cells:
            return ((column, row), (column, row + 1))
    return ()


def forced_from(position: Position, line: tuple[int, ...]) -> int:
    """Return the number of moves of a won line after which the loser can only block.

    Every later answer fills a cell in which the winner would win, and the loser cannot complete a
    line first. `len(line) - 1` if even the loser's last disc is not such a block.
    """
    positions = positions_along(position, line)
    start = len(line) - 1
    for place in range(len(line) - 2, 0, -2):
        now, column = positions[place], line[place]
        block = (column, now.height_of(column))
        if wins_now(now, now.turn) or block not in wins_now(now, 1 - now.turn):
            break
        start = place - 1
    return start


def threatened_from(position: Position, line: tuple[int, ...], cell: Cell, player: int) -> int:
    """Return the number of moves of a line after which a cell first is a threat of a player.

    The result is `len(line)` if it is not a threat before the last move.
    """
    for start, now in enumerate(positions_along(position, line[:-1])):
        if cell in winning_cells(now, player):
            return start
    return len(line)


def _actor(claim: Claim, words: Wording) -> str:
    """Name the move at the end of the line: the disc, the answer to it, or a later move."""
    if not claim.line:
        return words.player(claim.player)
    if len(claim.line) == 1:
        return "It"
    where = words.column(claim.line[-1])
    if len(claim.line) > 2:
        return f"{words.move(len(claim.line))}, in {where},"
    return f"{words.player(claim.player)} answers in {where} and"
