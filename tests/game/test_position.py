"""Positions against the oracle on 20,000 random positions, their laws, and every error."""

from __future__ import annotations

import contextlib
import copy
import pickle
import random

import numpy as np
import pytest
from hypothesis import given

from claimeven import (
    ClaimevenError,
    GameLine,
    Geometry,
    IllegalMove,
    InvalidNotation,
    InvalidPosition,
    Outcome,
    Position,
)
from claimeven.game import drawing, svg
from claimeven.game.notation import parse_moves
from tests import naive
from tests.positions import BOARDS, positions

#: 20,000 in all over all sizes.
POSITIONS_A_SIZE = 20_000 // len(BOARDS)


def grid_of(position: Position) -> naive.Grid:
    """Lists as the oracle has them, read off the bits cell by cell."""
    geometry, (first, second) = position.geometry, position.discs
    grid = naive.Game(geometry.columns, geometry.rows).grid
    for player, discs in enumerate((first, second)):
        for column in range(geometry.columns):
            for row in range(geometry.rows):
                if discs >> geometry.bit(column, row) & 1:
                    assert grid[column][row] is naive.EMPTY
                    grid[column][row] = player
    return grid


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_rules_against_the_oracle(geometry: Geometry) -> None:
    rng = random.Random(geometry.bits)
    checked = 0
    while checked < POSITIONS_A_SIZE:
        game = naive.Game(geometry.columns, geometry.rows, geometry.connect)
        position, moves = Position(geometry), []
        while checked < POSITIONS_A_SIZE:
            checked += 1
            over = naive.outcome(game)
            assert position.turn == game.player
            assert position.ply == len(moves)
            unchecked = Position.unchecked(geometry, position.mine, position.mask)
            assert unchecked.is_over == unchecked.is_over == (over is not None)
            assert unchecked.winner == (over[0] if over else None)
            assert (
                position.outcome == unchecked.outcome == (over and Outcome(over[0], tuple(over[1])))
            )
            assert position.winner == unchecked.winner
            if over is not None:
                assert position.is_over
                assert position.legal_columns == ()
                break
            legal = [c for c, column in enumerate(game.grid) if column[-1] is naive.EMPTY]
            assert position.legal_columns == tuple(legal)
            column = rng.choice(legal)
            game.grid[column][game.grid[column].index(naive.EMPTY)] = game.player
            game.player = 1 - game.player
            moves.append(column)
            position = position.play(column)
        assert grid_of(position) == game.grid
        assert position == Position.from_moves(moves, geometry)


@given(position=positions())
def test_laws(position: Position) -> None:
    mirror = position.mirror()
    last = position.geometry.columns - 1
    assert mirror.mirror() == position
    assert mirror.legal_columns == tuple(last - c for c in reversed(position.legal_columns))
    assert (mirror.outcome is None) == (position.outcome is None)
    assert mirror.canonical_key == position.canonical_key <= position.key
    assert pickle.loads(pickle.dumps(position)) == position
    assert hash(Position(position.geometry, position.mine, position.mask)) == hash(position)
    assert position.mine | position.theirs == position.mask
    assert position.mine & position.theirs == 0
    assert sum(map(position.height_of, range(last + 1))) == position.ply
    for column in position.legal_columns:
        after = position.play(column)
        assert after.ply == position.ply + 1
        assert after.mine == position.theirs
        assert after.height_of(column) == position.height_of(column) + 1
        assert after.mirror() == mirror.play(last - column)


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 3, 4)])
def test_keys_are_unique(size: tuple[int, int, int]) -> None:
    geometry = Geometry(*size)
    layer, seen = {Position(geometry)}, {}
    while layer:
        for position in layer:
            assert seen.setdefault(position.key, position) == position
        layer = {p.play(column) for p in layer for column in p.legal_columns}
    assert len(seen) > 500


def test_equality() -> None:
    empty = Position()
    assert empty == Position.from_moves("")
    assert empty != Position(Geometry(7, 6, 5))
    assert empty != Position(Geometry(6, 6))
    assert empty != "empty"
    assert len({empty, Position(), Position.from_moves("4")}) == 2
    assert eval(repr(empty.play(3)), {"Position": Position, "Geometry": Geometry}) == empty.play(3)


def test_printed_positions_can_be_read_again() -> None:
    """By users, and by Python without other imports."""
    assert repr(Position.from_moves("4455")) == "Position.from_fen('7/7/7/7/3yy2/3rr2 r')"
    for board in (Geometry(), Geometry(12, 4, 3), Geometry(2, 2, 2), Geometry(16, 16, 8)):
        for moves in ("", "12", "121212", "1212121"):
            with contextlib.suppress(ClaimevenError):
                position = Position.from_moves(moves, board)
                assert eval(repr(position), {"Position": Position}) == position
    for wrong in ("", "x0/99", "7/7/xx5 x", 7, "7/x6/7", "7/6"):
        with pytest.raises(ClaimevenError):
            Position.from_fen(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("board", "to_array(), and encodings.to_kaggle(position)"),
        ("legal_moves", ": there is legal_columns"),
        ("move", ": there is play(column), which returns a new position"),
        ("player", ": there is turn (0 or 1)"),
        ("is_terminal", ": there is is_over"),
        ("moves", ": there is GameLine, which has undo and redo"),
        ("trun", "(did you mean turn?)"),
        ("to_kaggle", ": claimeven.encodings has functions such as to_kaggle"),
        ("_repr_png_", "a Position has no attribute '_repr_png_'"),
    ],
)
def test_attributes_of_other_programs_have_a_hint(name: str, hint: str) -> None:
    position = Position.from_moves("44")
    with pytest.raises(AttributeError) as missing:
        getattr(position, name)
    assert str(missing.value).endswith(hint)
    assert not hasattr(position, name)
    assert copy.deepcopy(position) == pickle.loads(pickle.dumps(position)) == position


def test_outcomes_in_words() -> None:
    assert str(Position.from_moves("1212121").outcome) == "Yellow wins"
    assert str(Position.from_moves("71212121").outcome) == "Red wins"
    assert str(Position.from_moves("1122", Geometry(2, 2, 3)).outcome) == "draw"


def test_columns_of_any_integer_type() -> None:
    position = Position(Geometry(12, 9)).play(11)
    rng = np.random.default_rng(1)
    column = rng.choice(position.legal_columns)
    assert isinstance(column, np.integer)
    assert position.play(column) == position.play(int(column))
    assert isinstance(position.play(column).mask, int)
    assert position.is_legal(column)
    with pytest.raises(TypeError):
        position.is_legal(3.0)  # type: ignore[arg-type]  # no whole number
    eight = Position(Geometry(8, 7)).play(7)
    words = np.uint64(eight.mine), np.uint64(eight.mask)
    assert Position(Geometry(8, 7), *words).play(7) == eight.play(7)  # type: ignore[arg-type]  # integers to NumPy


ILLEGAL = [
    ("", 7, "column 7 (counted from 0) is not on the board: choose from 0 to 6"),
    ("", -1, "column -1 (counted from 0) is not on the board: choose from 0 to 6"),
    ("444444", 3, "column 4 is full"),
    ("1212121", 3, "column 4 cannot be played: the game is over"),
    ("", "3", "a column must be a whole number, got '3'"),
    ("", 3.0, "a column must be a whole number, got 3.0"),
    ("", True, "a column must be a whole number, got True"),
    ("", None, "a column must be a whole number, got None"),
]


def test_a_column_is_named_as_it_is_written() -> None:
    wide = Geometry(12, 4)
    with pytest.raises(IllegalMove, match=r"^column b is full$"):
        Position.from_moves("bbbb", wide).play(1)
    with pytest.raises(IllegalMove, match=r"^column l cannot be played: the game is over$"):
        Position.from_moves("abababa", wide).play(11)


@pytest.mark.parametrize(("moves", "column", "message"), ILLEGAL)
def test_illegal_moves(moves: str, column: int, message: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        Position.from_moves(moves).play(column)
    assert str(caught.value) == message


INVALID = [
    (1, 0, "discs are off the board, or a disc of mine is not in the mask"),
    (0, 1 << 6, "discs are off the board"),
    (0, 1 << 49, "discs are off the board"),
    (-1, 1, "discs are off the board"),
    (0, -1, "discs are off the board"),
    (0, 2, "a disc floats above an empty cell in column 1"),
    (0, 0b101 << 7, "a disc floats above an empty cell in column 2"),
    (1, 1, "the side to move has 1 discs and the other 0: sides take turns"),
    (0, 3, "the side to move has 0 discs and the other 2: sides take turns"),
    (0b1111, 0b1111 | 0b11 << 7 | 0b11 << 14, "the side to move already has a line"),
]


@pytest.mark.parametrize(("mine", "mask", "message"), INVALID)
def test_invalid_positions(mine: int, mask: int, message: str) -> None:
    with pytest.raises(InvalidPosition, match=message):
        Position(Geometry(), mine, mask)


def test_bad_move_strings() -> None:
    with pytest.raises(InvalidNotation, match="move 3: '8' is not a column: choose from 1 to 7"):
        Position.from_moves("448")
    with pytest.raises(IllegalMove, match=r"^move 7: column 4 is full$"):
        Position.from_moves("4444444")
    for wrong in (4455, None, 1.5):
        with pytest.raises(InvalidNotation, match=f"moves must be a move string .*, got {wrong}"):
            Position.from_moves(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidNotation, match="moves must be a move string"):
        Position.from_moves(np.array(3))
    with pytest.raises(InvalidPosition, match="takes a Geometry"):
        Position.from_moves("44", (7, 6))  # type: ignore[arg-type]
    with pytest.raises(
        InvalidNotation, match="a move string must be text, such as '4455', got 4455"
    ):
        parse_moves(4455)  # type: ignore[arg-type]
    for start in ("abc", 1.5):
        with pytest.raises(InvalidPosition, match="start must be a Position, got"):
            GameLine(start)  # type: ignore[arg-type]


def test_positions_do_not_change() -> None:
    with pytest.raises(AttributeError, match="a Position cannot be changed"):
        Position().mine = 1
    with pytest.raises(AttributeError):
        Position().other = 1
    with pytest.raises(
        AttributeError, match="a Position cannot be changed; mine cannot be deleted"
    ):
        del Position().mine


@given(position=positions())
def test_the_board_is_read_as_the_oracle_holds_it(position: Position) -> None:
    geometry, grid = position.geometry, grid_of(position)
    array = position.to_array()
    assert (array.dtype, array.shape) == (np.int8, (geometry.rows, geometry.columns))
    for column in range(geometry.columns):
        for row in range(geometry.rows):
            owner = grid[column][row]
            owner = None if owner is naive.EMPTY else owner
            assert position.cell(column, row) == position.rows[row][column] == owner
            assert array[row, column] == (-1 if owner is None else owner)
            other = None if owner is None else 1 - owner
            assert position.with_sides_swapped().cell(column, row) == other
    assert position.heights == tuple(
        sum(cell is not naive.EMPTY for cell in column) for column in grid
    )
    assert Position.from_discs(geometry, *position.discs) == position


@pytest.mark.parametrize("cell", [(7, 0), (0, 6), (-1, 0), (0, -1)])
def test_cells_off_the_board(cell: tuple[int, int]) -> None:
    with pytest.raises(InvalidPosition, match="columns are 0 to 6 and rows 0 to 5") as caught:
        Position().cell(*cell)
    assert str(cell) in str(caught.value)


@pytest.mark.parametrize("wrong", [1.5, 0.0, "1", None, True, float("nan")])
def test_discs_and_cells_are_whole_numbers(wrong: int) -> None:
    for name in ("mine", "mask"):
        with pytest.raises(InvalidPosition, match=f"{name} must be a whole number, got {wrong!r}"):
            Position(**{name: wrong})  # type: ignore[arg-type]  # not of the geometry
    for name in ("first", "second"):
        with pytest.raises(InvalidPosition, match=f"{name} must be a whole number, got {wrong!r}"):
            Position.from_discs(**{name: wrong})  # type: ignore[arg-type]  # not of the geometry
    with pytest.raises(InvalidPosition, match="a row must be a whole number"):
        Position().cell(0, wrong)


@pytest.mark.parametrize("moves", ["4455", "", [3, 3], None])
def test_a_position_is_not_made_from_moves(moves: object) -> None:
    with pytest.raises(InvalidPosition) as caught:
        Position(moves)  # type: ignore[arg-type]  # bad on purpose
    assert str(caught.value) == (
        f"a Position takes a Geometry and discs, got {moves!r};"
        f" for moves use Position.from_moves({moves!r})"
    )


def test_a_position_shows_itself() -> None:
    position = Position.from_moves("44", Geometry(4, 2))
    assert str(position) == drawing.draw(position)
    assert position._repr_svg_() == svg.draw_svg(position)
    assert "4x2 connect 4" in position._repr_svg_()
