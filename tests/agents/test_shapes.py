"""Functions of other shapes: the board that each gets, and the column that its answer means."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimeven import Position
from claimeven.agents import FunctionAgent, InvalidSpec, KaggleAgent, adapt, as_agent, make_agent
from claimeven.agents.shapes import SHAPES, CourseState
from claimeven.arena import check_agent
from tests.agents.support import decided

#: Yellow in columns 1 and 1, Red in column 2, Red to move; each board by hand.
MOVES = "121"
TOP = [[0] * 7] * 4 + [[1, 0, 0, 0, 0, 0, 0], [1, 2, 0, 0, 0, 0, 0]]
BOARDS: dict[str, tuple[Any, Any]] = {
    "rows": (TOP, 2),
    "rows-up": (TOP[::-1], 2),
    "lists": (TOP, 2),
    "signs": ([[(0, 1, -1)[cell] for cell in row] for row in TOP], -1),
    "lund": ([[(0, -1, 1)[cell] for cell in row] for row in TOP], 1),
    "polito": ([[1, 1, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0], *[[0] * 6] * 5], -1),
    "stacks": ([[1, 1], [2], [], [], [], [], []], 2),
    "characters": ([[".XO"[cell] for cell in row] for row in TOP], "O"),
    "pettingzoo": ([[[int(cell == 2), int(cell == 1)] for cell in row] for row in TOP], 1),
}


@pytest.mark.parametrize("shape", BOARDS)
def test_each_shape_is_the_board_it_says(shape: str) -> None:
    given: list[Any] = []

    def bot(board: Any, player: Any) -> int:
        given[:] = [board, player]
        return 3

    position = Position.from_moves(MOVES)
    assert adapt(bot, shape)(position) == 3
    board, player = given
    assert isinstance(board, list) is (shape in ("lists", "stacks", "characters"))
    assert (np.asarray(board).tolist() if isinstance(board, np.ndarray) else board, player) == (
        BOARDS[shape]
    )
    assert adapt(lambda board: 1, shape)(position) == 1


def test_every_shape_is_tested() -> None:
    assert {*SHAPES} == {*BOARDS, "state"}


def test_a_state_has_the_usual_methods() -> None:
    state = CourseState(Position.from_moves("112233"))
    assert (state.player, state.get_legal_actions(), state.is_terminal()) == (1, [*range(7)], False)
    after = state.generate_successor(3)
    assert (after.is_terminal(), after.winner(), state.winner()) == (True, 1, 0)
    assert after.board.tolist()[-1] == [1, 1, 1, 1, 0, 0, 0]
    assert adapt(lambda state: state.legal_actions()[-1], "state")(Position()) == 6


@pytest.mark.parametrize(
    ("answer", "column"),
    [
        (3, 3),
        ((4, 0.5), 4),
        ([2, None], 2),
        ([9, 8, 7, 6, 5, 4, 3], 1),  # the first column is full
        (np.array([0.0, 0, 0, 0, 0, 1, 0]), 5),
        (np.int64(6), 6),
    ],
)
def test_answers_by_shape(answer: Any, column: int) -> None:
    agent = as_agent(adapt(lambda board: answer, "rows"))
    assert decided(agent, "111111").column == column


BOTS = """
import numpy as np

def bot(board, piece, depth=2):
    return int(np.flatnonzero(board[0] == 0)[depth]) if piece == 2 else 6

def student_move(state):
    return 5 if state[-1][0] == -1 else 4

def kaggle(board, settings):
    return board.mark

class Player:
    def __init__(self, name="x", column=1):
        self.column = column

    def get_move(self, board):
        return self.column + int(board[5][0])

    def is_valid_move(self, board, column):
        return True

class Two:
    def play(self, board):
        return 0

    def choose_move(self, board):
        return 0
"""


@pytest.mark.parametrize(
    ("name", "column", "plays"),
    [
        ("bot,shape=rows", 2, "bot(board, player, shape=rows), the one named, of bots.py, with"),
        ("bot,shape=rows,depth=0", 0, "bot(board, player, shape=rows), the one named, of bots.py,"),
        ("student_move", 5, "student_move(board, shape=lund), the one named"),
        ("student_move,shape=signs", 4, "student_move(board, shape=signs), the one named"),
        ("kaggle,shape=kaggle", 2, "kaggle(observation, configuration), the one named"),
        ("Player,shape=rows,column=3", 4, "Player(board, shape=rows), the one named, of bots.py"),
    ],
)
def test_a_spec_names_the_shape_of_a_function(
    name: str, column: int, plays: str, tmp_path: Path
) -> None:
    (tmp_path / "bots.py").write_text(BOTS, encoding="utf-8")
    with closing(make_agent(f"{tmp_path}/bots.py:{name}")) as agent:
        assert decided(agent, "1").column == column
        assert agent.plays.startswith(plays)


@pytest.mark.parametrize(
    ("name", "output"),
    [
        (
            "bot",
            "bot takes (board, piece, depth): an agent takes a position, or",
        ),
        (
            "bot,shape=row",
            "there is no shape 'row' (did you mean rows?): choose from rows, rows-up",
        ),
        ("bot,shape=rows,deph=1", "bot has no option 'deph' (did you mean depth?): it takes depth"),
        ("Two", ":Two: the class Two is not a claimeven Agent"),
    ],
)
def test_a_shape_that_does_not_fit_is_reported(name: str, output: str, tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(BOTS, encoding="utf-8")
    with pytest.raises(InvalidSpec) as caught:
        make_agent(f"{tmp_path}/bots.py:{name}")
    assert output in str(caught.value)


def test_shapes_need_functions_of_one_or_two_arguments() -> None:
    for function in (lambda: 0, lambda a, b, c: 0, max, 3):
        with pytest.raises(InvalidSpec, match="shape=rows needs a function of a board, or of a"):
            adapt(function, "rows")
    numbers = [float("nan")] * 7
    assert adapt(lambda board: numbers, "rows")(Position()) is numbers  # no column
    assert isinstance(as_agent(lambda board, piece: 0, None, {"shape": "kaggle"}), KaggleAgent)
    assert isinstance(as_agent(lambda board: 0, None, {"shape": "position"}), FunctionAgent)
    with pytest.raises(InvalidSpec, match="shape=rows is for a function, and this is an Agent"):
        as_agent(_made, None, {"shape": "rows"})


def _made() -> FunctionAgent:
    return FunctionAgent("made", lambda position: 3)


def test_check_names_the_shape(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("def student_move(state):\n    return state[0].tolist().index(0)\n")
    report = check_agent(str(file))
    assert report.is_fine
    assert report.plays == (
        "student_move(board, shape=lund), the only one in bot.py that can be an agent"
    )
