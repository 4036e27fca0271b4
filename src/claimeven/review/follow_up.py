"""Follow-up play: answering every move in its own column, and proving by search what that is worth.

The strategy the package is named after. The player who follows up
1. completes a line where that is possible,
2. otherwise fills the cell where the opponent would complete one,
3. otherwise answers in the column just played,
4. and, only where that column is full, chooses one that will do.
The search tries every move of the opponent, and looks for a choice of step 4 that keeps what was
promised.
"""

from __future__ import annotations

from claimeven.game import bitboard
from claimeven.game.geometry import Geometry
from claimeven.game.position import Position

#: Positions looked at before a proof is given up.
BUDGET = 6000


def follow_up_reaches(
    position: Position, player: int, target: int, budget: int = BUDGET
) -> bool | None:
    """Whether follow-up play guarantees a player (0 or 1) at least `target`: 1 a win, 0 a draw.

    The other side is to move in `position`. None when more than `budget` positions would have to
    be looked at.
    """
    assert position.turn != player
    search = _FollowUp(position.geometry, target, budget)
    try:
        return search.holds(position.theirs, position.mask)
    except _OverBudget:
        return None


class _OverBudget(Exception):
    """The proof takes more positions than allowed."""


class _FollowUp:
    """One proof: `own` are the discs of the player who follows up, the other side is to move."""

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
        """Whether the player, now to move after `move`, keeps what was promised."""
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
