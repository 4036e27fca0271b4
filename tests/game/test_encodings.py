"""Every encoding: a board written by hand, round trips, and each way to get one wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from claimeven import Geometry, InvalidPosition, Position
from claimeven.game import encodings
from tests.positions import positions

SMALL = Geometry(4, 3, 3)
#   . . . .
#   . . X .
#   X X O O    the second player is to move
ASYMMETRIC = Position.from_moves("13243", SMALL)

GOLDEN = {
    "polito": [[1, 0, 0], [1, 0, 0], [-1, 1, 0], [-1, 0, 0]],
    "lund": [[0, 0, 0, 0], [0, 0, -1, 0], [-1, -1, 1, 1]],
    "stacks": [[1], [1], [2, 1], [2]],
    "characters": [list("...."), list("..X."), list("XXOO")],
    "kaggle": [0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2, 2],
    "pettingzoo": [
        [[0, 0], [0, 0], [0, 0], [0, 0]],
        [[0, 0], [0, 0], [0, 1], [0, 0]],
        [[0, 1], [0, 1], [1, 0], [1, 0]],
    ],
    "pgx": [
        [[0, 0], [0, 0], [0, 0], [0, 0]],
        [[0, 0], [0, 0], [0, 1], [0, 0]],
        [[0, 1], [0, 1], [1, 0], [1, 0]],
    ],
    "openspiel": [
        [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]],
        [[0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]],
        [[0, 0, 0, 0], [1, 1, 0, 1], [1, 1, 1, 1]],
    ],
    "uci": ["x", "b", "b", "x", "b", "b", "o", "x", "b", "o", "b", "b"],
    "theaigames": "0,0,0,0;0,0,1,0;1,1,2,2",
    "fen": "4/2r1/rryy y 3",
}
DTYPES = {
    "polito": np.int8,
    "lund": np.int8,
    "pettingzoo": np.int8,
    "pgx": np.bool_,
    "openspiel": np.float32,
}
VIEWED = {"lund": "student", "pettingzoo": "player", "pgx": "player", "openspiel": "observer"}


def converters(name: str) -> tuple[Callable[..., Any], Callable[..., Position]]:
    return getattr(encodings, f"to_{name}"), getattr(encodings, f"from_{name}")


def test_every_converter_has_a_golden_board() -> None:
    written = {name[3:] for name in dir(encodings) if name.startswith("to_")}
    read = {name[5:] for name in dir(encodings) if name.startswith("from_")}
    assert written == read == set(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str) -> None:
    write, read = converters(name)
    board = write(ASYMMETRIC)
    if name in DTYPES:
        assert board.dtype == DTYPES[name]
        assert board.tolist() == GOLDEN[name]
    else:
        assert board == GOLDEN[name]
    assert read(GOLDEN[name], SMALL) == ASYMMETRIC


@pytest.mark.parametrize("name", GOLDEN)
@given(position=positions())
def test_round_trip(name: str, position: Position) -> None:
    write, read = converters(name)
    assert read(write(position), position.geometry) == position
    if name in VIEWED:
        for player in (0, 1):
            view = {VIEWED[name]: player}
            assert read(write(position, **view), position.geometry, **view) == position


def test_views() -> None:
    assert encodings.to_lund(ASYMMETRIC, student=0).tolist()[2] == [1, 1, -1, -1]
    assert encodings.to_pettingzoo(ASYMMETRIC, player=0).tolist()[1][2] == [1, 0]
    # the egocentric planes: opponent, observer, empty
    opponent, own, _ = encodings.to_openspiel(ASYMMETRIC, observer=0)
    assert opponent.tolist()[0] == [0, 0, 1, 1]
    assert own.tolist()[0] == [1, 1, 0, 0]
    assert encodings.from_openspiel(encodings.to_openspiel(ASYMMETRIC).ravel(), SMALL) == ASYMMETRIC
    assert encodings.to_characters(ASYMMETRIC, first="O")[2] == list("OOXX")
    assert encodings.from_characters(["....", "..O.", "OOXX"], SMALL, first="O") == ASYMMETRIC
    assert encodings.from_kaggle(GOLDEN["kaggle"], SMALL, mark=ASYMMETRIC.turn + 1) == ASYMMETRIC
    for text in ("4/2r1/rryy", "4/..X1/XXOO O 9", "4/2r1/rryy y"):
        assert encodings.from_fen(text, SMALL) == ASYMMETRIC
    spaced = "0, 0, 0, 0; 0, 0, 1, 0; 1, 1, 2, 2\n"
    assert encodings.from_theaigames(spaced, SMALL) == ASYMMETRIC


#: One cell in both planes, and no other.
TAKEN_TWICE = np.zeros((3, 4, 2))
TAKEN_TWICE[2, 0] = 1

BAD = [
    ("polito", np.zeros((3, 4)), r"the polito board must have shape \(4, 3\), got \(3, 4\)"),
    ("lund", np.zeros((4, 3)), r"the lund board must have shape \(3, 4\), got \(4, 3\)"),
    ("lund", [[0, 0], [0]], "the rows of the lund board must be of equal length"),
    ("polito", [[2, 0, 0]] + [[0, 0, 0]] * 3, "a cell holds 2: choose from 0, 1, -1"),
    ("polito", [[0, 1, 0]] + [[0, 0, 0]] * 3, "a disc floats above an empty cell in column 1"),
    ("polito", [[-1, 0, 0]] + [[0, 0, 0]] * 3, "the first player has 0 discs and the second 1"),
    ("polito", [[1, 0, 0]] * 3 + [[-1, -1, -1]], "already has a line"),
    ("stacks", [[1]], "the stacks board must have 4 columns, got 1"),
    ("stacks", [[1, 2, 1, 2], [], [], []], "column 1 holds 4 discs, and 4x3 connect 3 has 3 rows"),
    ("stacks", [[0], [], [], []], "a cell holds 0: choose from 1, 2"),
    ("characters", ["....", "....", "x..."], "a cell holds 'x': choose from '.', 'X', 'O'"),
    ("characters", ["....", "..."], "the rows of the characters board must be of equal length"),
    ("kaggle", [0] * 11, r"the kaggle board must have shape \(12,\), got \(11,\)"),
    ("kaggle", [0] * 11 + [None], "a cell holds None: choose from 0, 1, 2"),
    ("pettingzoo", np.ones((3, 4, 2)), "a cell of the pettingzoo board is set in both planes"),
    ("pettingzoo", TAKEN_TWICE, "a cell of the pettingzoo board is set in both planes"),
    ("pgx", np.full((3, 4, 2), 7), "a cell holds 7: choose from 0, 1"),
    ("openspiel", np.zeros(36), "must be set in exactly one plane"),
    ("openspiel", np.ones(36), "must be set in exactly one plane"),
    ("openspiel", np.zeros(35), r"the openspiel board must have shape"),
    ("openspiel", np.full(36, 1 / 3), "a cell holds 0.33"),
    ("uci", ["b"] * 11 + ["z"], "a cell holds 'z': choose from 'b', 'x', 'o'"),
    ("polito", np.full((4, 3), np.nan), "a cell holds nan: choose from 0, 1, -1"),
    ("theaigames", "0,0;0,0", r"shape \(3, 4\), got \(2, 2\)"),
    ("theaigames", "0,0,0,0;0,0,0,0;0,0,0,9", "a cell holds '9'"),
    ("fen", "4/4/5 r 1", "the rows of the fen board must be of equal length"),
    ("fen", "7/7/7/7/7/7 r 1", r"the fen board must have shape \(3, 4\), got \(6, 7\)"),
    ("fen", "4/4/rr2 y 2", "the first player has 2 discs and the second 0"),
    ("fen", "4/4/rb2 r 2", "a cell holds 'b': choose from '.', 'r', 'y'"),
    ("fen", "4/2r1/rryy r 3", "the fen has 'r' to move, but by its discs 'y' is to move"),
    ("fen", "", "the fen board must have shape"),
    ("openspiel", [[1, 2], [3]], r"\[\[1, 2\], \[3\]\] is not a valid openspiel board"),
    ("openspiel", ["a"] * 36, "a cell holds 'a': choose from 0, 1"),
    ("openspiel", [None] * 36, "a cell holds None: choose from 0, 1"),
    ("stacks", [0] * 4, r"\[0, 0, 0, 0\] is not a valid stacks board"),
    ("stacks", [range(10**30), [], [], []], r"^\[range\(0, 10+\), .* is not a valid stacks board$"),
    ("characters", [0] * 300, r"^\[0, .{56} is not a valid characters board$"),
    ("characters", [0] * 3, r"\[0, 0, 0\] is not a valid characters board"),
    *((name, None, f"None is not a valid {name} board|must have shape") for name in GOLDEN),
]


@pytest.mark.parametrize(("name", "board", "message"), BAD)
def test_errors(name: str, board: Any, message: str) -> None:
    with pytest.raises(InvalidPosition, match=message):
        converters(name)[1](board, SMALL)


def test_readers_name_the_invalid_part() -> None:
    board = GOLDEN["kaggle"]
    assert encodings.from_fen(text="4/2r1/rryy", geometry=SMALL) == ASYMMETRIC
    assert encodings.from_stacks(stacks=GOLDEN["stacks"], geometry=SMALL) == ASYMMETRIC
    with pytest.raises(InvalidPosition, match=r"a board must be a Geometry .*, got \(4, 3\)"):
        encodings.from_kaggle(board, (4, 3))
    with pytest.raises(InvalidPosition, match="None is not a valid stacks board"):
        encodings.from_stacks(None)
    with pytest.raises(TypeError, match="marc"):
        encodings.from_kaggle(board, SMALL, marc=1)
    with pytest.raises(TypeError, match="missing a required argument: 'board'"):
        encodings.from_kaggle()


def test_errors_of_options() -> None:
    for mark in (0, 1, 3):
        with pytest.raises(InvalidPosition, match=f"mark is {mark}, but by the discs 2 is to move"):
            encodings.from_kaggle(GOLDEN["kaggle"], SMALL, mark=mark)
    with pytest.raises(InvalidPosition, match="character must be 'X' or 'O', got 'Z'"):
        encodings.to_characters(ASYMMETRIC, first="Z")


@pytest.mark.parametrize("name", VIEWED)
@pytest.mark.parametrize("player", [2, -1, 1.0, "0", True])
def test_there_are_two_players(name: str, player: object) -> None:
    write, read = converters(name)
    expected = "must be 0 to 1, got" if type(player) is int else "must be a whole number"
    with pytest.raises(InvalidPosition, match=expected):
        write(ASYMMETRIC, **{VIEWED[name]: player})
    with pytest.raises(InvalidPosition, match=expected):
        read(write(ASYMMETRIC), SMALL, **{VIEWED[name]: player})
