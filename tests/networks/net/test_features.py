"""The features of a position, against the same by hand: grids, lists and sets."""

from __future__ import annotations

import numpy as np
import pytest

from claimeven import Geometry
from claimeven.game.batch import mirrored_keys
from claimeven.networks import InvalidNetwork
from claimeven.networks.net import Features
from tests import naive
from tests.positions import oracle, random_positions

BOARDS = (Geometry(), Geometry(4, 4, 3), Geometry(8, 7, 5), Geometry(3, 5, 2), Geometry(1, 6, 4))

Line = tuple[tuple[int, int], ...]


def lines_of(game: naive.Game) -> set[Line]:
    """All lines of cells that would win."""
    found = set()
    for column in range(game.columns):
        for row in range(game.rows):
            for right, up in naive.DIRECTIONS:
                line = tuple((column + n * right, row + n * up) for n in range(game.connect))
                if all(0 <= c < game.columns and 0 <= r < game.rows for c, r in line):
                    found.add(line)
    return found


def height(game: naive.Game, column: int) -> int:
    return sum(cell is not naive.EMPTY for cell in game.grid[column])


def planes_by_hand(game: naive.Game) -> list[list[int]]:
    """Sixteen numbers a cell, column by column from the left, each from the bottom."""
    lines, me = lines_of(game), game.player
    owned = {player: [line for line in lines if lacking(game, line, player)] for player in (0, 1)}

    def through(cell: tuple[int, int], player: int, missing: int) -> int:
        return sum(cell in line and lacking(game, line, player) == missing
                   for line in owned[player])  # fmt: skip

    planes = []
    for column in range(game.columns):
        for row in range(game.rows):
            cell, disc = (column, row), game.grid[column][row]
            above = row - height(game, column)
            row_of = [disc == me, disc == 1 - me, above == 0, above == 1]
            sides = (me, 1 - me)
            is_empty = disc is naive.EMPTY
            for side in sides:
                threat = is_empty and through(cell, side, 1) > 0
                row_of += [threat and me == 0, threat and me == 1]
            row_of += [
                is_empty and row + 1 < game.rows and through((column, row + 1), side, 1) > 0
                for side in sides
            ]
            row_of += [is_empty and through(cell, side, 2) > 0 for side in sides]
            row_of += [is_empty and through(cell, side, 2) > 1 for side in sides]
            row_of += [min(4, through(cell, side, 3)) if is_empty else 0 for side in sides]
            planes.append([int(number) for number in row_of])
    return planes


def quiet_by_hand(game: naive.Game) -> tuple[list[list[int]], list[int]]:
    """The numbers of each column, and of the whole board, about cells below threats."""
    lines, sides = lines_of(game), (game.player, 1 - game.player)
    columns = []
    for column in range(game.columns):
        empty = [row for row in range(game.rows) if game.grid[column][row] is naive.EMPTY]
        threats = [
            [row for row in empty
             if any((column, row) in line and lacking(game, line, side) == 1 for line in lines)]
            for side in sides
        ]  # fmt: skip
        counts = [
            sum(row < min(rows, default=game.rows) for row in empty)
            for rows in (*threats, threats[0] + threats[1])
        ]
        columns.append([*(count % 2 for count in counts), int(counts[2] == 0), int(counts[2] == 1)])
    odd = [sum(column[kind] for column in columns) % 2 for kind in range(3)]
    return columns, [game.player, *odd, sum(column[3] for column in columns)]


def column_by_hand(game: naive.Game, column: int) -> int:
    """The state of a column: of its lowest four cells."""
    discs = [disc for disc in game.grid[column][:4] if disc is not naive.EMPTY]
    return sum(2**row * (2 if disc == game.player else 1) for row, disc in enumerate(discs))


def lacking(game: naive.Game, line: Line, player: int) -> int:
    """Discs that a line lacks which only `player` has discs in; 0 for any other line."""
    discs = [game.grid[c][r] for c, r in line]
    if 1 - player in discs or player not in discs:
        return 0
    return discs.count(naive.EMPTY)


def state_by_hand(game: naive.Game, line: Line) -> int:
    state = 0
    for place, (column, row) in enumerate(line):
        disc = game.grid[column][row]
        digit = 3 if disc is naive.EMPTY and row == height(game, column) else 0
        if disc is not naive.EMPTY:
            digit = 1 if disc == game.player else 2
        state += digit * 4**place
    return state


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_every_feature_equals_the_count_by_hand(geometry: Geometry) -> None:
    features = Features(geometry)
    cells = [(c, r) for c in range(geometry.columns) for r in range(geometry.rows)]
    lines = [tuple(cells[number] for number in line) for line in features.lines]
    positions = list(random_positions(geometry, 30, seed=5, ongoing=True))
    games = [oracle(position) for position in positions]
    assert len(lines) == len(set(lines))
    assert set(lines) == lines_of(games[0])
    mines, masks = (
        np.array([getattr(position, name) for position in positions], dtype=np.uint64)
        for name in ("mine", "mask")
    )
    planes, states = features.of(mines, masks)
    assert planes.shape == (30, features.plane_count)
    for found, output, game in zip(planes, states, games, strict=True):
        of_columns, of_board = quiet_by_hand(game)
        split = len(cells) * 16
        assert found[:split].reshape(len(cells), -1).tolist() == planes_by_hand(game)
        assert found[split:-5].reshape(geometry.columns, -1).tolist() == of_columns
        assert found[-5:].tolist() == of_board
        of_lines, columns = output[: len(lines)], output[len(lines) :]
        assert of_lines.tolist() == [state_by_hand(game, line) for line in lines]
        assert all(0 <= state < features.line_states for state in of_lines)
        assert columns.tolist() == [column_by_hand(game, n) for n in range(geometry.columns)]
        assert all(0 <= state < features.column_states for state in columns)


def test_columns_distinguish_their_discs() -> None:
    """Two columns have the same state only if their lowest four cells hold the same discs."""
    features, found = Features(Geometry(2, 6, 2)), {}
    words = [(mine, (1 << height) - 1) for height in range(5) for mine in range(1 << height)]
    mines, masks = np.array(words, dtype=np.uint64).T
    _, states = features.of(np.ascontiguousarray(mines), np.ascontiguousarray(masks))
    for word, state in zip(words, states[:, len(features.lines)].tolist(), strict=True):
        assert found.setdefault(state, word) == word
    assert len(found) == len(words) == features.column_states - 1


@pytest.mark.parametrize("geometry", BOARDS, ids=str)
def test_mirrored_features_equal_mirror_images(geometry: Geometry) -> None:
    features = Features(geometry)
    board, last = features.symmetry, geometry.columns - 1
    positions = list(random_positions(geometry, 30, seed=6, ongoing=True))
    mines, masks = (
        np.array([getattr(position, name) for position in positions], dtype=np.uint64)
        for name in ("mine", "mask")
    )
    _, here = features.of(mines, masks)
    _, image = features.of(mirrored_keys(mines, geometry), mirrored_keys(masks, geometry))
    lines = len(features.lines)
    assert sorted({*board.first.tolist(), *board.second.tolist()}) == list(range(lines))
    for pair, (first, second) in enumerate(zip(board.first, board.second, strict=True)):
        read = board.read_as[pair, here[:, second]]
        assert read.tolist() == image[:, first].tolist()
        if pair >= board.unequal:
            assert read.tolist() == here[:, first].tolist()
    assert image[:, lines:].tolist() == here[:, lines:][:, ::-1].tolist()
    couples = {*zip(board.left.tolist(), board.right.tolist(), strict=True)}
    images = {(last - right, last - left) for left, right in couples}
    assert couples | images == {(a, b) for a in range(last + 1) for b in range(a + 1, last + 1)}
    assert (board.pairs, board.middle, board.half) == (
        geometry.columns // 2, geometry.columns % 2, -(-geometry.columns // 2)
    )  # fmt: skip


def test_boards_that_are_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match="9x9"):
        Features(Geometry(9, 9))
    with pytest.raises(InvalidNetwork, match="lines of up to 6 cells, got 7x6 connect 7"):
        Features(Geometry(7, 6, 7))
