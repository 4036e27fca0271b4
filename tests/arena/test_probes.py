"""The positions `check` asks about: open columns, wins and blocks at hand, on any board."""

from __future__ import annotations

import pytest

from claimeven import Geometry, Position
from claimeven.arena.probes import probes


@pytest.mark.parametrize("seed", [0, 7])
def test_every_set_of_open_columns_is_asked_about(seed: int) -> None:
    needed, more = probes(Geometry(), seed)
    only = [probe.only for probe in needed if probe.only is not None]
    assert sorted(only) == sorted([*range(7), *range(7)])
    assert {probe.position.turn for probe in needed if probe.only is not None} == {0, 1}
    opened = {probe.position.legal_columns for probe in (*needed, *more)}
    assert len(opened) >= 2**7 - 1
    plies = {probe.position.ply for probe in (*needed, *more)}
    assert plies == set(range(42))
    assert probes(Geometry(), seed) == (needed, more)


@pytest.mark.parametrize("board", [Geometry(), Geometry(4, 3, 3), Geometry(9, 9, 5)])
def test_wins_and_blocks_follow_the_rules(board: Geometry) -> None:
    needed, more = probes(board, 1)
    for probe in (*needed, *more):
        position = Position.from_moves(probe.moves, board)
        assert position == probe.position
        assert not position.is_over
        legal = position.legal_columns
        assert probe.wins == tuple(c for c in legal if position.play(c).winner is not None)
        other = position.with_sides_swapped()
        assert probe.blocks == tuple(c for c in legal if other.play_unchecked(c).winner is not None)
    for seat in (0, 1):
        for at_hand in ((1, 0), (0, 1), (1, 1)):
            found = [
                probe
                for probe in more
                if (probe.position.turn, len(probe.wins), len(probe.blocks)) == (seat, *at_hand)
            ]
            assert len(found) >= 8


@pytest.mark.parametrize("board", [Geometry(1, 2, 2), Geometry(2, 2, 2), Geometry(5, 1, 5)])
def test_the_smallest_boards_have_some(board: Geometry) -> None:
    needed, more = probes(board, 0)
    assert needed[0].position == Position(board)
    assert all(not probe.position.is_over for probe in (*needed, *more))
