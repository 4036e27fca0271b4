"""Text drawings: golden boards, reading them back, foreign boards, and bad ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimeven import ClaimevenError, Geometry, InvalidNotation, InvalidPosition, Position
from claimeven.game.drawing import CHARSETS, STYLES, describe, draw, parse_drawing
from tests.positions import positions

FIVE = Geometry(5, 3, 3)
GAME = Position.from_moves("4435", FIVE)
OVER = Position.from_moves("44352", FIVE)

GOLDEN = {
    ("grid", "unicode"): """\
┌───────────┐
│ · · · · · │
│ · · · ○ · │
│ · · ● ●[○]│
└─1─2─3─4─5─┘
Yellow (●) to move""",
    ("grid", "ascii"): """\
+-----------+
| . . . . . |
| . . . O . |
| . . X X[O]|
+-1-2-3-4-5-+
Yellow (X) to move""",
    ("box", "unicode"): """\
  ╔═══╦═══╦═══╦═══╦═══╗
3 ║   ║   ║   ║   ║   ║
  ╠═══╬═══╬═══╬═══╬═══╣
2 ║   ║   ║   ║ O ║   ║
  ╠═══╬═══╬═══╬═══╬═══╣
1 ║   ║   ║ X ║ X ║[O]║
  ╚═══╩═══╩═══╩═══╩═══╝
    1   2   3   4   5
Yellow (X) to move""",
    ("box", "ascii"): """\
  +---+---+---+---+---+
3 |   |   |   |   |   |
  +---+---+---+---+---+
2 |   |   |   | O |   |
  +---+---+---+---+---+
1 |   |   | X | X |[O]|
  +---+---+---+---+---+
    1   2   3   4   5
Yellow (X) to move""",
    ("compact", "ascii"): """\
 1 2 3 4 5
| | | | | |
| | | |2| |
| | |1|1[2]
Yellow (1) to move""",
}


@pytest.mark.parametrize(("style", "charset"), GOLDEN)
def test_golden(style: str, charset: str) -> None:
    assert draw(GAME, style, charset, last=4) == GOLDEN[style, charset]


def test_a_finished_game_is_marked() -> None:
    assert draw(OVER, charset="ascii").splitlines()[3:] == [
        "| .*X*X*X*O |",
        "+-1-2-3-4-5-+",
        "Yellow (X) wins",
    ]
    assert "| .[X]X*X*O |" in draw(OVER, charset="ascii", last=1)
    assert "| . X X X O |" in draw(OVER, charset="ascii", line=False)
    assert "|*X*|*X*|*X*|" in draw(OVER, "box", "ascii")
    assert "| *1*1*1*2|" in draw(OVER, "compact")
    assert draw(OVER, result=False).endswith("┘")
    assert "\x1b[1;31m○\x1b[0m" in draw(OVER, color=True)


def test_describe() -> None:
    assert describe(GAME, ("a", "b")) == "Yellow (a) to move"
    assert describe(GAME.play(0)) == "Red (O) to move"
    assert describe(OVER) == "Yellow (X) wins"
    assert describe(Position.from_moves("1122", Geometry(2, 2, 3))) == "draw"


def test_str_is_the_drawing() -> None:
    assert str(GAME) == draw(GAME)


@given(
    position=positions(),
    style=st.sampled_from(STYLES),
    charset=st.sampled_from(CHARSETS),
    line=st.booleans(),
    color=st.booleans(),
    marked=st.booleans(),
)
def test_round_trip(
    position: Position, style: str, charset: str, line: bool, color: bool, marked: bool
) -> None:
    last = last_column(position) if marked else None
    text = draw(position, style, charset, last=last, line=line, color=color)
    assert parse_drawing(text, position.geometry) == position
    assert parse_drawing(f"  {text}\n\n".replace("\n", "\n  "), position.geometry) == position


def last_column(position: Position) -> int | None:
    """A column whose top disc may have been the last move."""
    for column in range(position.geometry.columns):
        row = position.height_of(column) - 1
        if row >= 0 and position.theirs >> position.geometry.bit(column, row) & 1:
            return column
    return None


@pytest.mark.parametrize("columns", [1, 2, 9, 10, 16])
@pytest.mark.parametrize("style", STYLES)
def test_sizes(columns: int, style: str) -> None:
    geometry = Geometry(columns, 16)
    position = Position.from_moves([columns - 1, 0, columns - 1], geometry)
    text = draw(position, style, last=columns - 1)
    assert max(map(len, text.splitlines())) <= 80
    assert parse_drawing(text, geometry) == position


FOREIGN = {
    "wide box": """\
P1: X\tP2: O
  ╔═════╦═════╦═════╗
1 ║     ║     ║  O  ║
  ╠═════╬═════╬═════╣
0 ║     ║  X  ║  X  ║
  ╚═════╩═════╩═════╝
     0     1     2    """,
    "framed with a footer": """\
+---+---+---+
| . | . | O |
| . | X | X |
+---+---+---+
| 0 | 1 | 2 |
+---+---+---+
Game result is: NONE""",
    "plain": "\n0 1 2\n-----\n. . O\n. X X\n",
    "tight": "..o\n.xx",
    "stacks of digits": " 0 1 2 \n| | |2|\n| |1|1|\n",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_boards(name: str) -> None:
    expected = Position.from_moves("332", Geometry(3, 2, 3))
    assert parse_drawing(FOREIGN[name], Geometry(3, 2, 3)) == expected


def test_the_other_player_may_have_the_x() -> None:
    geometry = Geometry(3, 2, 3)
    assert parse_drawing(". . .\nO X O", geometry, first="O") == Position.from_moves(
        "123", geometry
    )
    with pytest.raises(InvalidNotation, match="symbol must be 'X' or 'O', got 'Z'"):
        parse_drawing("", geometry, first="Z")


BAD = [
    ("", InvalidNotation, "has 0 rows of cells, and 3x2 connect 3 has 2"),
    ("...", InvalidNotation, "has 1 rows of cells"),
    ("| . | Z | . |\n| . | . | . |", InvalidNotation, "line 1 of the drawing has 'Z' in a cell"),
    ("....\n....", InvalidNotation, "line 1 has 4 cells, and the board has 3 columns"),
    ("| . | . |\n| . | . |", InvalidNotation, "line 1 is not a row of 3 cells"),
    ("| . | . |\n| . | . | . |", InvalidNotation, "line 1 is not a row of 3 cells"),
    ("|. . . .|", InvalidNotation, "line 1 is not a row of 3 cells"),
    ("|X|X|X|X|", InvalidNotation, "line 1 is not a row of 3 cells"),
    ("...\nO..", InvalidPosition, "first player has 0 discs and the second 1: players take turns"),
    ("X..\n.O.", InvalidPosition, "a disc floats above an empty cell in column 1"),
]


@pytest.mark.parametrize(("text", "error", "message"), BAD)
def test_bad_drawings(text: str, error: type[ValueError], message: str) -> None:
    with pytest.raises(error, match=message):
        parse_drawing(text, Geometry(3, 2, 3))


def test_invalid_drawings_and_boards_are_reported() -> None:
    with pytest.raises(InvalidNotation, match=r"a drawing must be text, got \['\.'"):
        parse_drawing(["."])  # type: ignore[arg-type]  # bad on purpose
    with pytest.raises(InvalidNotation, match=r"a board must be a Geometry .*, got \(3, 2\)"):
        parse_drawing("...\n...", (3, 2))  # type: ignore[arg-type]  # bad on purpose


def test_bad_options() -> None:
    with pytest.raises(
        ClaimevenError, match="there is no style 'round': choose from grid, box, compact"
    ):
        draw(GAME, "round")
    with pytest.raises(ClaimevenError, match="there is no charset 'latin': choose from"):
        draw(GAME, charset="latin")
    for column in (-1, 0, 2, 5):
        with pytest.raises(InvalidPosition, match=f"was not in column {column + 1}"):
            draw(GAME, last=column)
