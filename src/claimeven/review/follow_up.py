"""Follow-up play: answering every move in the same column, and a proof of its result by search.

The package is named after this strategy. The player
1. completes a line if possible,
2. otherwise fills the cell in which the opponent would complete a line,
3. otherwise answers in the column just played,
4. and, only if that column is full, chooses another column.
The search tries every move of the opponent, and in step 4 every column.
"""

from __future__ import annotations

from claimeven.game import bitboard
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: Maximum number of positions in a proof.
MAX_POSITIONS = 6000


def follow_up_reaches(
    position: Position, player: int, target: int, budget: int = MAX_POSITIONS
) -> bool | None:
    """Whether follow-up play guarantees a player (0 or 1) at least `target`: 1 a win, 0 a draw.

    The other side is to move in `position`. None if the proof needs more than `budget` positions.
    """
    assert position.turn != player
    search = _FollowUp(position.geometry, target, budget)
    try:
        return search.holds(position.theirs, position.mask)
    except _OverBudget:
        return None


class _OverBudget(Exception):
    """The proof needs more positions than its budget."""


class _FollowUp:
    """One proof: `own` are the discs of the player with the strategy; the other side is to move."""

    def __init__(self, geometry: Geometry, target: int, budget: int) -> None:
        self.geometry = geometry
        self.target = target
        self.left = budget
        self.known: dict[tuple[int, int], bool] = {}

    def holds(self, own: int, mask: int) -> bool:
        """Whether every move of the other side can be answered."""
        key = (own, mask)
        if key not in self.known:
            self.left -= 1
            if self.left < 0:
                raise _OverBudget
            self.known[key] = self._holds(own, mask)
        return self.known[key]

    def _holds(self, own: int, mask: int) -> bool:
        geometry = self.geometry
        playable = bitboard.playable_cells(mask, geometry)
        if not playable:
            return self.target <= 0
        if playable & bitboard.winning_cells(own ^ mask, mask, geometry):
            return False
        while playable:
            move = playable & -playable
            playable ^= move
            if not self._answered(own, mask | move, move):
                return False
        return True

    def _answered(self, own: int, mask: int, move: int) -> bool:
        """Whether the player, to move after `move`, still reaches the target."""
        geometry = self.geometry
        playable = bitboard.playable_cells(mask, geometry)
        if playable & bitboard.winning_cells(own, mask, geometry):
            return True
        if not playable:
            return self.target <= 0
        threatened = playable & bitboard.winning_cells(own ^ mask, mask, geometry)
        answers = threatened or (move << 1) & geometry.board or playable
        if threatened & (threatened - 1):
            return False
        while answers:
            answer = answers & -answers
            answers ^= answer
            if self.holds(own | answer, mask | answer):
                return True
        return False
