"""Moves that lead to a board: played, they give it back."""

from __future__ import annotations

import pytest
from hypothesis import given

from claimeven import Geometry, InvalidPosition, Position
from claimeven.game.order import moves_to
from tests.positions import positions


@given(positions())
def test_the_moves_lead_to_the_board(position: Position) -> None:
    assert Position.from_moves(moves_to(position), position.geometry) == position


def test_a_board_that_no_game_reaches_is_told() -> None:
    small = Geometry(2, 4, 4)
    stacked = Position.from_discs(small, 0b00011, 0b01100)
    with pytest.raises(InvalidPosition, match=r"^no game leads to this board$"):
        moves_to(stacked)


def test_the_last_disc_is_one_that_ended_the_game() -> None:
    # Two lines through the disc played last: it alone can have been the last.
    position = Position.from_moves("1122334")
    assert moves_to(position)[-1] == 3
