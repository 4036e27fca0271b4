"""Random positions for tests, from a seed or drawn by Hypothesis, and as the oracle has them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hypothesis import strategies as st

from claimeven import Geometry, Position
from tests import naive

#: Twelve sizes, connect 2 to 5. 8x7 takes exactly 64 bits, the last five take more.
BOARDS = (
    Geometry(7, 6, 4),
    Geometry(4, 4, 3),
    Geometry(5, 4, 4),
    Geometry(6, 5, 5),
    Geometry(3, 5, 2),
    Geometry(1, 6, 4),
    Geometry(8, 7, 4),
    Geometry(4, 16, 5),
    Geometry(8, 8, 4),
    Geometry(12, 6, 5),
    Geometry(9, 9, 3),
    Geometry(10, 16, 4),
)

#: Five sizes for the searches; the last takes exactly 64 bits.
SEARCHED = (
    Geometry(7, 6, 4),
    Geometry(4, 4, 3),
    Geometry(5, 4, 4),
    Geometry(6, 5, 5),
    Geometry(8, 7, 4),
)

#: Boards of 65 to 128 bits.
WIDE = (Geometry(13, 4, 3), Geometry(9, 7), Geometry(8, 8), Geometry(16, 7, 5))

boards = st.sampled_from(BOARDS)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Positions of every size in `BOARDS`, finished ones included."""
    position = Position(draw(boards))
    for choice in draw(st.lists(st.integers(0, 15), max_size=40)):
        legal = position.legal_columns
        if not legal:
            break
        position = position.play(legal[choice % len(legal)])
    return position


def random_columns(rng: random.Random, geometry: Geometry, plies: int) -> list[int]:
    """Legal columns, `plies` of them or fewer if the game ends before."""
    position, columns = Position(geometry), []
    for _ in range(plies):
        if position.is_over:
            break
        columns.append(rng.choice(position.legal_columns))
        position = position.play_unchecked(columns[-1])
    return columns


def random_position(
    rng: random.Random, geometry: Geometry, plies: int | None = None, ongoing: bool = False
) -> Position:
    """The position after `plies` random moves, by default a random number of them.

    Fewer if the game ends before; with `ongoing` without the move that ends it.
    """
    count = rng.randint(0, geometry.cells - ongoing) if plies is None else plies
    columns = random_columns(rng, geometry, count)
    position = Position.from_moves(columns, geometry)
    if ongoing and position.is_over:
        return Position.from_moves(columns[:-1], geometry)
    return position


def position_after(rng: random.Random, geometry: Geometry, plies: int) -> Position:
    """The position after exactly `plies` random moves without a win."""
    while True:
        position = random_position(rng, geometry, plies)
        if position.ply == plies and (not position.is_over or position.mask == geometry.board):
            return position


def random_games(
    geometry: Geometry, count: int, seed: int, ongoing: bool = False, lowest: int = 0
) -> Iterator[list[int]]:
    """Yield `count` move lists of random lengths from `lowest` on, or to an earlier end.

    With `ongoing` no move ends the game.
    """
    rng = random.Random(f"{geometry} {seed}")
    found = 0
    while found < count:
        columns = random_columns(rng, geometry, rng.randint(lowest, geometry.cells - ongoing))
        if ongoing and Position.from_moves(columns, geometry).is_over:
            continue
        found += 1
        yield columns


def random_positions(
    geometry: Geometry, count: int, seed: int, ongoing: bool = False
) -> Iterator[Position]:
    """Yield the positions after `random_games`."""
    for columns in random_games(geometry, count, seed, ongoing):
        yield Position.from_moves(columns, geometry)


def oracle(position: Position) -> naive.Game:
    """Return the position as the oracle's game, cell by cell."""
    geometry = position.geometry
    game = naive.Game(geometry.columns, geometry.rows, geometry.connect)
    for player, discs in enumerate(position.discs):
        for column, row in geometry.cells_of(discs):
            game.grid[column][row] = player
    game.player = position.turn
    return game
