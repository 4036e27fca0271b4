"""Random positions for the tests of the rules."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from claimeven import Geometry, Position

#: Ten sizes, connect 2..5; the last three are beyond 64 bits, and 8x7 takes exactly 64.
GEOMETRIES = (
    Geometry(7, 6, 4),
    Geometry(4, 4, 3),
    Geometry(5, 4, 4),
    Geometry(8, 7, 4),
    Geometry(3, 5, 2),
    Geometry(1, 6, 4),
    Geometry(6, 9, 5),
    Geometry(9, 7, 4),
    Geometry(12, 6, 5),
    Geometry(10, 16, 4),
)

geometries = st.sampled_from(GEOMETRIES)


def random_position(rng: random.Random, geometry: Geometry, plies: int | None = None) -> Position:
    """Play a random number of random moves; the game may be over."""
    position = Position(geometry)
    for _ in range(rng.randint(0, geometry.cells) if plies is None else plies):
        if position.is_over:
            break
        position = position.play_unchecked(rng.choice(position.legal_columns))
    return position


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Positions of every size in `GEOMETRIES`, finished ones included."""
    position = Position(draw(geometries))
    for choice in draw(st.lists(st.integers(0, 15), max_size=40)):
        legal = position.legal_columns
        if not legal:
            break
        position = position.play(legal[choice % len(legal)])
    return position
