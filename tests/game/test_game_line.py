"""A line of play against a plain list of positions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimeven import GameLine, Geometry, IllegalMove, Position

ACTIONS = st.lists(st.one_of(st.integers(0, 6), st.sampled_from(["undo", "redo"])), max_size=60)


@given(actions=ACTIONS)
def test_undo_and_redo_against_two_stacks(actions: list[int | str]) -> None:
    line, done, undone = GameLine(), [Position()], []
    for action in actions:
        if action == "undo":
            assert line.can_undo == (len(done) > 1)
            if line.can_undo:
                undone.append(done.pop())
                line.undo()
        elif action == "redo":
            assert line.can_redo == bool(undone)
            if line.can_redo:
                done.append(undone.pop())
                line.redo()
        elif action in done[-1].legal_columns:
            done.append(done[-1].play(int(action)))
            undone = []
            line.play(int(action))
        assert line.position == done[-1]
        assert line.positions == tuple(done)
        assert len(line.columns) == len(done) - 1
        assert Position.from_moves(line.moves) == line.position
        assert line.last_column == (line.columns[-1] if line.columns else None)


def test_a_line_from_a_position() -> None:
    start = Position.from_moves("jj", Geometry(10, 6))
    line = GameLine(start, [0, 1])
    assert line.start == start
    assert line.moves == "ab"
    assert line.undo(2).position == start
    assert line.redo(2).columns == (0, 1)


def test_errors() -> None:
    line = GameLine(columns=[3])
    for count in (2, -1):
        with pytest.raises(IllegalMove, match="there is no move to take back"):
            line.undo(count)
        with pytest.raises(IllegalMove, match="there is no move to play again"):
            line.redo(count)
    for wrong in (1.5, 1.0, True, None, float("nan")):
        with pytest.raises(IllegalMove, match="the number of moves must be a whole number, got"):
            line.undo(wrong)  # type: ignore[arg-type]  # bad on purpose
        with pytest.raises(IllegalMove, match="the number of moves must be a whole number, got"):
            line.redo(wrong)  # type: ignore[arg-type]  # bad on purpose
    with pytest.raises(IllegalMove, match=r"column 8 \(counted from 0\) is not on the board"):
        line.play(8)
    assert line.moves == "4"
    with pytest.raises(IllegalMove, match="move 7: column 4 is full"):
        GameLine(columns=[3] * 7)
