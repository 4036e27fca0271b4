"""Positions that a search shows, in each form that a program may have them in."""

from __future__ import annotations

from typing import Any

import pytest

from claimeven import Geometry, Position
from claimeven.agents import InvalidSpec
from claimeven.agents.shapes import (
    SHAPES,
    InvalidVisit,
    arguments_of,
    end_of,
    read_visit,
    visit_lines,
)

BOARD = Geometry(5, 4, 3)
SHOWN = Position.from_moves("3324", BOARD)


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_is_read_back(shape: str) -> None:
    board = SHAPES[shape][0](SHOWN)
    assert read_visit(board, BOARD, shape) == (SHOWN, None, "")


@pytest.mark.parametrize("moves", ["3324", [2, 2, 1, 3], (2, 2, 1, 3)])
def test_moves_are_played_from_the_empty_board(moves: Any) -> None:
    assert read_visit(moves, BOARD).position == SHOWN
    assert read_visit((moves, -1, "a note"), BOARD) == (SHOWN, -1.0, "a note")
    assert read_visit((moves, None), BOARD).value is None


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (None, "showed no position: None"),
        ([2, 2, 2, 2, 2], "column 3 is full"),
        ([[1] * 5] * 4, "players take turns"),
        ("33x", "'x'"),
    ],
)
def test_other_things_are_rejected(item: Any, reason: str) -> None:
    with pytest.raises(InvalidVisit) as error:
        read_visit(item, BOARD)
    assert reason in str(error.value)


def test_parameters_get_arguments_by_name() -> None:
    offered = {"position": SHOWN, "depth": 3, "evaluate": len}

    def search(board: Any, evaluate: Any, alpha: float = -1) -> Any:
        return board, evaluate, alpha

    assert search(**arguments_of(search, offered)) == (SHOWN, len, -1)
    with pytest.raises(InvalidSpec, match="by these names; got deep"):
        arguments_of(lambda board, deep: 0, offered)
    with pytest.raises(InvalidSpec, match=r"a position first.*got no parameters"):
        arguments_of(lambda: 0, offered)


def test_a_generator_shows_its_steps_and_returns_its_answer() -> None:
    def search(position: Position, depth: int) -> Any:
        yield position
        if not depth:
            return 1
        total = 0
        for column in position.legal_columns[:2]:
            total += yield from search(position.play(column), depth - 1)
        return total

    seen: list[Position] = []
    assert end_of(search(Position(BOARD), 2), seen.append) == 4
    assert [position.ply for position in seen] == [0, 1, 2, 2, 1, 2, 2]


def test_moves_lead_through_the_position_that_was_shown_last() -> None:
    root = Position.from_moves("1", BOARD)
    path = [*map(root.play, (1, 2)), root.play(1).play(0), root.play(1).play(0).play(2)]
    again = [root.play(2).play(0), root.play(2).play(0).play(1)]
    shown = [path[0], path[2], path[3], path[1], *again, root.play(1).play(0).play(3)]
    assert [line.split()[0] for line in visit_lines(shown, root)] == [
        "2", "21", "213", "3", "31", "312", "214",
    ]  # fmt: skip
    for other in (Position(BOARD), root.play(1).play(0)):
        with pytest.raises(InvalidVisit, match="too early: show each position when the search"):
            list(visit_lines([other], root))
