"""The exact score of a position, by alpha-beta with windows that hold no value (null windows).

A score is 0 for a draw; a side that wins with a disc placed while `e` cells are empty has the score
`(e + 1) // 2`, the other side minus that. So the greatest score is the fastest win.

Integers of Python have no width. So **all moves of a position are made side by side in one large
integer**, a *lane* of bits for each column, and one row of shifts finds the winning cells after
each move. The lanes are far enough apart that no line runs from one into the next. Forced replies
are played immediately, and only positions with a choice are searched and stored in the table.
"""

from __future__ import annotations

from typing import TypeAlias

from claimeven.adapters.kaggle.template.board import Board
from claimeven.adapters.kaggle.template.kaggle_api import Clock

#: Entries of the table at which it is emptied.
MAX_BOUNDS = 1_000_000
#: Nodes between two looks at the clock, a power of two.
CHECK_EVERY = 64
#: Bounds further apart than this are halved before anything else is asked.
FAR_APART = 3


#: A position after a move, played on until the side to move has a choice or the game is decided:
#: (order, plies, mine, mask, replies). `order` sorts the moves of a position, the most promising
#: have the greatest; `plies` is the number of moves made; `replies` are the moves that do not lose
#: immediately, 0 if the game is decided. A plain tuple, since most of the time is spent here.
Child: TypeAlias = tuple[int, int, int, int, int]


class ExactSolver:
    """Exact scores on one board. `nodes` counts the positions searched since it was made."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.nodes = 0
        self.clock: Clock = Clock(0.0)
        self.at_least: dict[int, int] = {}
        self.at_most: dict[int, int] = {}
        #: The upper cells of the pairs into which every column falls from the top down.
        self.pair_tops: int = sum(board.bottom << row for row in range(board.rows - 1, -1, -2))
        #: By k: the cells that have at least k cells of their column above them.
        self.below_top: list[int] = [
            board.bottom * ((1 << max(0, board.rows - k)) - 1) for k in range(board.cells + 2)
        ]
        lane = board.columns * board.height + (board.connect - 1) * (board.height + 1)
        #: The factor that copies a position into every lane.
        self.every_lane: int = sum(1 << column * lane for column in range(board.columns))
        self.own_columns: int = sum(
            board.column_masks[column] << column * lane for column in range(board.columns)
        )
        self.wide_bottom: int = board.bottom * self.every_lane
        self.wide_all: int = board.all * self.every_lane
        self.wide_tops: int = self.pair_tops * self.every_lane
        #: Shift to a column's lane, its cells, and its weight in the order of moves.
        self.lanes: list[tuple[int, int, int]] = [
            (column * lane, board.column_masks[column], board.columns - place)
            for place, column in enumerate(board.center_order)
        ]

    def score_range(self, mask: int) -> tuple[int, int]:
        """Return the least and the greatest score that the number of discs allows."""
        empties = self.board.cells - mask.bit_count()
        return -(empties // 2), (empties + 1) // 2

    def test(self, mine: int, mask: int, alpha: int) -> int:
        """Test whether the score of a position is more than `alpha`.

        Returns a lower bound of the score that is more than `alpha`, or else an upper bound. Raises
        `OutOfTime` when the clock says so; the table keeps its entries.
        """
        board = self.board
        empties = board.cells - mask.bit_count()
        if board.winning_cells(mine, mask) & board.playable(mask):
            return (empties + 1) // 2
        threats = board.completing(mine ^ mask) & (board.all ^ mask)
        _, plies, mine, mask, replies = self.played_on(mine, mask, threats, 0, 0)
        if not replies:
            return self.decided(mask, plies, empties)
        if plies % 2:
            return -self.visit(mine, mask, replies, -alpha - 1)
        return self.visit(mine, mask, replies, alpha)

    def played_on(self, mine: int, mask: int, threats: int, order: int, plies: int) -> Child:
        """Play on while the side to move has a single move that does not lose immediately.

        `threats` are the empty cells that complete a line for the side that is not to move.
        """
        bottom, all_cells, completing = self.board.bottom, self.board.all, self.board.completing
        while True:
            playable = (mask + bottom) & all_cells
            replies = playable & ~(threats >> 1)
            forced = playable & threats
            if forced:
                replies = 0 if forced & (forced - 1) else replies & forced
            if not replies or replies & (replies - 1):
                return order, plies, mine, mask, replies
            moved = mine | replies
            mine, mask = mine ^ mask, mask | replies
            threats = completing(moved) & (all_cells ^ mask)
            plies += 1

    def decided(self, mask: int, plies: int, empties: int) -> int:
        """Return the score of a decided position for the side to move `plies` moves before."""
        if mask == self.board.all:
            return 0
        score = (empties - plies) // 2
        return score if plies % 2 else -score

    def visit(self, mine: int, mask: int, replies: int, alpha: int) -> int:
        """Search a position with a choice of moves; returns as `test` does."""
        self.nodes += 1
        if not self.nodes & (CHECK_EVERY - 1):
            self.clock.check()
        empties = self.board.cells - mask.bit_count()
        # No side can win sooner than this; then the bound of the table.
        high, low = (empties - 1) // 2, -((empties - 2) // 2)
        if high <= alpha:
            return high
        if low > alpha:
            return low
        key = mine + mask
        bound = self.at_most.get(key)
        if bound is not None and bound <= alpha:
            return bound
        bound = self.at_least.get(key)
        if bound is not None and bound > alpha:
            return bound
        best, children = self.children(mine, mask, replies, alpha, empties)
        if best <= alpha and children:
            # A win with the next disc but one would have shown among the children.
            high = (empties - 3) // 2
            if high <= alpha:
                return high
            children.sort(reverse=True)
            for _, plies, child_mine, child_mask, child_replies in children:
                if plies % 2:
                    value = -self.visit(child_mine, child_mask, child_replies, -alpha - 1)
                else:
                    value = self.visit(child_mine, child_mask, child_replies, alpha)
                if value > best:
                    best = value
                    if best > alpha:
                        break
        self.keep(key, best, best > alpha)
        return best

    def keep(self, key: int, bound: int, is_lower: bool) -> None:
        """Write a bound into the table."""
        if len(self.at_least) + len(self.at_most) >= MAX_BOUNDS:
            self.at_least.clear()
            self.at_most.clear()
        (self.at_least if is_lower else self.at_most)[key] = bound

    def children(
        self, mine: int, mask: int, replies: int, alpha: int, empties: int
    ) -> tuple[int, list[Child]]:
        """Return the best score known without a search, and the moves that must be searched.

        Returns immediately when a move has a score above `alpha`.
        """
        all_cells, theirs = self.board.all, mine ^ mask
        # All moves, a lane each; a lane is empty if its column is not a reply.
        moves = replies * self.every_lane & self.own_columns
        wide_mine, wide_mask = mine * self.every_lane | moves, mask * self.every_lane | moves
        wide_empty = self.wide_all ^ wide_mask
        wide_wins = self.board.completing(wide_mine) & wide_empty
        wide_playable = wide_mask + self.wide_bottom & self.wide_all
        wide_forced = wide_playable & wide_wins
        wide_replies = wide_playable & ~(wide_wins >> 1)
        pairs = open_lines = 0
        if empties % 2:
            # After the move the number of empty cells is even, so the side that moved can follow
            # up: when the other side takes the lower cell of a pair, it takes the upper one. If the
            # other side has no line without the upper cells, it does not win.
            pairs = self.wide_tops & wide_empty & ~wide_playable
            open_lines = self.lines(theirs * self.every_lane | wide_empty ^ pairs)
        best = -self.board.cells
        found: list[Child] = []
        for shift, column, weight in self.lanes:
            if not replies & column:
                continue
            child_mask = mask | moves >> shift & column
            wins = wide_wins >> shift & all_cells
            child_replies = wide_replies >> shift & all_cells
            forced = wide_forced >> shift & all_cells
            if forced:
                child_replies = 0 if forced & (forced - 1) else child_replies & forced
            if child_replies and empties % 2 and not open_lines >> shift & all_cells:
                if alpha < 0:
                    return 0, []
                late = pairs >> shift & self.below_top[2 * alpha]
                if self.lines(mine | moves >> shift & column | late):
                    return alpha + 1, []
            order = 16 * (16 * wins.bit_count() - child_replies.bit_count()) + weight
            child: Child = (order, 1, theirs, child_mask, child_replies)
            if child_replies and not child_replies & (child_replies - 1):
                child = self.played_on(theirs, child_mask, wins, order, 1)
            value = self.known(child, alpha, empties)
            if value is None:
                found.append(child)
            elif value > best:
                best = value
                if best > alpha:
                    return best, []
        return best, found

    def known(self, child: Child, alpha: int, empties: int) -> int | None:
        """Return a bound that settles a child, from the view of the side above it, or None."""
        _, plies, mine, mask, replies = child
        if not replies:
            return self.decided(mask, plies, empties)
        key = mine + mask
        if plies % 2:
            most = self.at_most.get(key)
            if most is not None and most < -alpha:
                return -most
            least = self.at_least.get(key)
            if least is not None and least >= -alpha:
                return -least
            return None
        least = self.at_least.get(key)
        if least is not None and least > alpha:
            return least
        most = self.at_most.get(key)
        if most is not None and most <= alpha:
            return most
        return None

    def lines(self, discs: int) -> int:
        """Return the first cells of all lines that some discs hold; in all lanes."""
        found = 0
        for shifts in self.board.line_shifts:
            starts = discs
            for shift in shifts:
                starts &= starts >> shift
            found |= starts
        return found
